// A picture of a report: node screenshot.mjs REPORT.html OUT.webp [--time T] [--keys "4 5 f"] [--size 1280x800] [--dark]
// T is a moment of the run [s], or a part of the normal impulse of an impact [-]. Keys are pressed one after the other:
// the page's own, which ? shows; a space stands between them. The picture is WebP, or PNG if its name says so.
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { launch, open } from './tests/browser.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    time: { type: 'string' },
    keys: { type: 'string', default: '' },
    size: { type: 'string', default: '1280x800' },
    dark: { type: 'boolean', default: false },
    quality: { type: 'string', default: '0.9' },
  },
});
const [report, out] = positionals;
if (!report || !out) throw new Error('give a report and the name of the picture');
const [width, height] = values.size.split('x').map(Number);

/** Chromium encodes it: no other program is needed. */
async function toWebp(browser, png, quality) {
  const page = await browser.newPage();
  const address = await page.evaluate(async ([data, q]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.width;
    canvas.height = image.height;
    canvas.getContext('2d').drawImage(image, 0, 0);
    return canvas.toDataURL('image/webp', q);
  }, [png.toString('base64'), quality]);
  await page.close();
  return Buffer.from(address.slice(address.indexOf(',') + 1), 'base64');
}

const browser = await launch();
try {
  const { page, ready, trouble } = await open(browser, pathToFileURL(resolve(report)).href, {
    width, height, colorScheme: values.dark ? 'dark' : 'light', reducedMotion: 'reduce',
  });
  if (!ready) throw new Error(`the page did not open: ${trouble.join('; ')}`);
  for (const key of values.keys.split(' ').filter(Boolean)) await page.keyboard.press(key);
  if (values.time !== undefined) {
    await page.evaluate((time) => {
      const { kind, seek, move, end, draw } = window.visviva;
      if (kind === 'run') seek(time);
      else move(time * end());
      draw?.();
    }, Number(values.time));
  }
  await page.waitForTimeout(1000); // plots and shadows are drawn a frame later
  const png = await page.screenshot();
  const bytes = out.endsWith('.png') ? png : await toWebp(browser, png, Number(values.quality));
  await writeFile(out, bytes);
  console.log(`${out}: ${Math.round(bytes.length / 1000)} kB`);
} finally {
  await browser.close();
}
