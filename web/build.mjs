// Bundles the page into one template: `node build.mjs --out FILE`.
// visviva puts the data of a run in place of the line <!--visviva-data-->.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const at = process.argv.indexOf('--out');
const out = at >= 0 && process.argv[at + 1] ? process.argv[at + 1] : resolve(here, 'dist/report_template.html');
const kPlaceholder = '<!--visviva-data-->';

/** @param {string} entry @param {'js'|'css'} loader */
async function bundle(entry) {
  const result = await build({
    entryPoints: [resolve(here, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['chrome109', 'firefox115', 'safari16.4'],
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
  });
  return result.outputFiles[0].text;
}

const [html, css, bundled] = await Promise.all([
  readFile(resolve(here, 'src/template.html'), 'utf8'),
  bundle('src/style.css'),
  bundle('src/main.js'),
]);
// An inlined script ends at the first "</script", whatever it means to JavaScript; and three.js carries addresses of
// its own documentation in warnings, which a reader of the file could mistake for something that is requested.
const script = bundled.replace(/<\/script/gi, '<\\/script').replace(/<!--/g, '<\\!--');
const page = html
  .replace('/*style*/', () => css)
  .replace('/*script*/', () => script);

if (page.split(kPlaceholder).length !== 2) throw new Error(`the template must hold ${kPlaceholder} exactly once`);
for (const [what, pattern] of [
  ['a linked resource', /\b(?:src|href)\s*=\s*["']?(?:https?:)?\/\//i],
  ['an external style', /url\(\s*["']?https?:/i],
  ['a source map', /sourceMappingURL/],
]) {
  if (pattern.test(page)) throw new Error(`the page refers to ${what}`);
}
await mkdir(dirname(resolve(out)), { recursive: true });
await writeFile(out, page);
console.log(`${out}: ${Math.round(Buffer.byteLength(page) / 1000)} kB`);
