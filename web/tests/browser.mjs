// Debian's Chromium without a window, for the tests of the page.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const kFlags = [
  '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
];
/** WebGL in software, so that the tests need no graphics card. */
const kSoftwareGl = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

export const kWeb = dirname(dirname(fileURLToPath(import.meta.url)));

export function launch({ webgl = true } = {}) {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [...kFlags, ...(webgl ? kSoftwareGl : ['--disable-3d-apis'])],
  });
}

/** The template, built anew into a temporary folder. */
export function builtTemplate() {
  const folder = mkdtempSync(join(tmpdir(), 'visviva-page-'));
  const file = join(folder, 'report_template.html');
  execFileSync(process.execPath, [join(kWeb, 'build.mjs'), '--out', file]);
  return { folder, template: readFileSync(file, 'utf8'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Writes a page and gives its address. */
export function store(folder, name, html) {
  const file = join(folder, `${name}.html`);
  writeFileSync(file, html);
  return pathToFileURL(file).href;
}

/**
 * Opens a report and waits until it is ready. `trouble` collects what must not happen: errors, warnings, requests.
 * @param {import('playwright-core').Browser} browser
 */
export async function open(browser, address, { width = 1280, height = 800, colorScheme = 'light', reducedMotion = 'no-preference' } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion });
  const page = await context.newPage();
  const trouble = [];
  page.on('pageerror', (error) => trouble.push(`error: ${error.message}`));
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && trouble.push(`${message.type()}: ${message.text()}`));
  page.on('request', (request) => request.url() !== address && trouble.push(`request: ${request.url().slice(0, 200)}`));
  // A machine that is busy otherwise takes its time; the tests of speed measure for themselves.
  page.setDefaultTimeout(120000);
  await page.goto(address, { timeout: 120000 });
  const ready = await page.evaluate(() => window.visviva.ready);
  return { page, context, trouble, ready };
}

/**
 * Time until a report is ready and drawn, the shortest of a few tries [ms]. Other work on the machine must not decide:
 * if the browser's processes took less processor time than the clock says, that is what counts.
 */
export async function quickest(browser, address, enough, tries = 3) {
  const session = await browser.newBrowserCDPSession();
  const processor = async () => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    return processInfo.reduce((sum, { cpuTime }) => sum + 1000 * cpuTime, 0);
  };
  let best = Infinity;
  for (let i = 0; i < tries && best >= enough; ++i) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    const [clock, cpu] = [Date.now(), await processor()];
    await page.goto(address);
    await page.evaluate(() => window.visviva.ready);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    best = Math.min(best, Date.now() - clock, (await processor()) - cpu);
    await context.close();
  }
  await session.detach();
  return best;
}

/** The text of a field as one that Number() reads; 'NaN' for a dash. */
export async function shownText(page, field) {
  const text = await page.locator(`[data-field="${field}"]`).first().textContent();
  return text.replace(/\u2212/g, '-').replace(/\s|s$/g, '').replace(/^–$/, 'NaN');
}

/** The number that a field shows. */
export const shown = async (page, field) => Number(await shownText(page, field));

/** Half a unit of the last digit of a text. */
export function halfDigit(text) {
  const [mantissa, exponent = '0'] = text.split('e');
  const decimals = (mantissa.split('.')[1] ?? '').length;
  return mantissa === '0' ? 0 : 0.5001 * 10 ** (Number(exponent) - decimals);
}
