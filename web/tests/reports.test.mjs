// Reports that the program wrote, against the tables that it wrote beside them. See README.md for the folder.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { halfDigit, launch, open, quickest, shown, shownText } from './browser.mjs';

const folder = process.env.VISVIVA_REPORTS ? resolve(process.env.VISVIVA_REPORTS) : null;
const skip = folder ? false : 'VISVIVA_REPORTS is not set';
const kRuns = ['ellipsoid', 'box_of_bodies', 'case3', 'dice_tray'];

let browser;
before(async () => {
  if (folder) browser = await launch();
});
after(() => browser?.close());

const address = (name) => pathToFileURL(join(folder, `${name}.html`)).href;
const near = (a, b, tolerance, what = '') => assert.ok(Math.abs(a - b) <= tolerance, `${what} ${a} is not ${b} within ${tolerance}`);
const api = (page, call) => page.evaluate(`window.visviva.${call}`);

/** Rows of a table, fields of names unquoted as RFC 4180 says. */
function table(name, file) {
  const [head, ...lines] = readFileSync(join(folder, name, file), 'utf8').trimEnd().split('\n');
  const columns = head.split(',');
  return lines.map((line) => {
    const fields = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) => (quoted !== undefined ? quoted.replace(/""/g, '"') : plain));
    return Object.fromEntries(columns.map((column, i) => [column, fields[i]]));
  });
}

for (const name of kRuns) {
  test(`${name}: shown states are those of trajectory.csv`, { skip, timeout: 180000 }, async () => {
    const { page, context, trouble, ready } = await open(browser, address(name));
    assert.equal(ready, true);
    const rows = new Map();
    for (const row of table(name, 'trajectory.csv')) {
      const time = Number(row.time);
      if (!rows.has(time)) rows.set(time, []);
      rows.get(time).push(row);
    }
    const bodies = await page.evaluate(() => Array.from({ length: window.visviva.bodies() }, (_, i) => window.visviva.body(i).name));
    const frames = await page.evaluate(() => { let n = 0; while (window.visviva.frameTime(n) !== undefined) ++n; return n; });
    assert.ok(frames > 10);
    let compared = 0;
    for (const k of [0, 1, Math.floor(frames / 3), Math.floor(frames / 2), frames - 1]) {
      const time = await api(page, `frameTime(${k})`);
      await api(page, `seek(${time})`);
      const there = rows.get(time);
      assert.ok(there, `no row at ${time} s`);
      for (const row of there.slice(0, 5)) {
        const body = bodies.indexOf(row.body);
        assert.ok(body >= 0, row.body);
        await api(page, `select(${body})`);
        for (const [field, columns] of [['x', ['x', 'y', 'z']], ['v', ['vx', 'vy', 'vz']], ['w', ['wx', 'wy', 'wz']]]) {
          const step = await api(page, `resolution(${body}, '${field}')`);
          const exact = columns.map((column) => Number(row[column]));
          for (let c = 0; c < 3; ++c) {
            const text = await shownText(page, `${field}.${c}`);
            near(Number(text), exact[c], 0.51 * step + halfDigit(text) + 1e-12, `${row.body} ${field}.${c} at ${time} s`);
            ++compared;
          }
        }
        const q = ['qw', 'qx', 'qy', 'qz'].map((column) => Number(row[column]));
        const seen = [];
        for (let c = 0; c < 4; ++c) seen.push(await shown(page, `q.${c}`));
        // Both signs of a quaternion are one attitude.
        near(Math.abs(q.reduce((sum, value, c) => sum + value * seen[c], 0)), 1, 5e-4, 'attitude');
      }
    }
    assert.ok(compared >= 45);
    assert.deepEqual(trouble, []);
    await context.close();
  });

  test(`${name}: the list of events and the energies are those of the tables`, { skip, timeout: 180000 }, async () => {
    const { page, context, trouble } = await open(browser, address(name));
    const events = table(name, 'events.csv');
    const byTime = new Map();
    for (const row of events) {
      const time = Number(row.time);
      if (!byTime.has(time)) byTime.set(time, []);
      byTime.get(time).push(row);
    }
    await page.locator('#tab-impacts').click();
    const count = Number(await page.locator('#panel-impacts [role=grid]').getAttribute('aria-rowcount')) - 1;
    assert.ok(count > 0 && count <= events.length);
    for (const i of [0, Math.floor(count / 2), count - 1]) {
      const event = await api(page, `event(${i})`);
      const rows = byTime.get(event.time);
      assert.ok(rows, `no event at ${event.time}`);
      const match = rows.some((row) => {
        const strength = Math.hypot(Number(row.ix), Number(row.iy), Number(row.iz));
        return Math.abs(strength - event.strength) <= 1e-6 * strength + 1e-30 && Math.abs(Number(row.energy_lost) - event.energy) <= 1e-12 * Math.abs(event.energy);
      });
      assert.ok(match, `event ${i} at ${event.time} s`);
    }
    await page.locator('#panel-impacts .list-row').first().click();
    assert.equal(await api(page, 'time()'), (await api(page, 'event(0)')).time);
    const energies = table(name, 'energy.csv');
    await api(page, 'seek(0)');
    await page.locator('#tab-plots').click();
    const field = (label) => page.locator('.chart').first().locator('.chart-series', { hasText: label }).locator('.chart-value');
    for (const [label, column] of [['total', 'total'], ['translation', 'kinetic_translation'], ['rotation', 'kinetic_rotation'], ['potential', 'potential']]) {
      const text = (await field(label).textContent()).replace(/\u2212/g, '-');
      near(Number(text), Number(energies[0][column]), halfDigit(text) + 1e-12, label);
    }
    assert.deepEqual(trouble, []);
    await context.close();
  });

  test(`${name}: every control can be pressed, in dark and light, wide and narrow`, { skip, timeout: 180000 }, async () => {
    for (const [width, colorScheme] of [[1280, 'light'], [400, 'dark']]) {
      const { page, context, trouble } = await open(browser, address(name), { width, colorScheme });
      for (const control of ['forward', 'back', 'loop', 'play', 'play']) await page.locator(`[data-control="${control}"]`).click();
      for (const mode of ['speed', 'energy', 'body', 'follow', 'orbit']) await page.locator(`[data-value="${mode}"]`).click();
      for (const chip of await page.locator('.chip:not([aria-disabled])').all()) await chip.click();
      for (const tab of ['impacts', 'bodies', 'run', 'plots']) await page.locator(`#tab-${tab}`).click();
      await page.locator('.stage').focus();
      for (const key of ['n', 'p', 'Escape', 'End', 'Home', 'j', 'z', 'x', '+', '-', '0', 'Shift+ArrowLeft', 'd', '?', 'Escape']) await page.keyboard.press(key);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(wide <= 0, `page is ${wide} px too wide`);
      assert.deepEqual(trouble, []);
      await context.close();
    }
  });
}

for (const name of ['impact', 'impacts']) {
  test(`${name}: the page shows the results of --json`, { skip, timeout: 60000 }, async () => {
    const { results } = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
    const { page, context, trouble, ready } = await open(browser, address(name));
    assert.equal(ready, true);
    assert.equal(await api(page, 'cases()'), results.length);
    for (const [i, result] of results.entries()) {
      await api(page, `open(${i})`);
      const read = async (key) => (await page.locator(`dd[data-field="${key}"]`).textContent()).replace(/\u2212/g, '-').trim();
      assert.equal(await read('status'), result.status.replace(/_/g, ' '));
      if (result.status !== 'solved') continue;
      for (const key of ['Iz_c', 'Iz_r', 'E_c', 'work_friction']) {
        const text = await read(key);
        near(Number(text), result[key], halfDigit(text) + 1e-15, `${result.name} ${key}`);
      }
      const impulse = (await read('impulse')).split(/\s+/);
      impulse.forEach((text, c) => near(Number(text), result.impulse[c], halfDigit(text) + 1e-15, `${result.name} impulse`));
      // The end of the drawn path is the result, in single precision.
      const end = await api(page, 'sample()');
      near(await api(page, 'end()'), result.Iz_r, 1e-6 * result.Iz_r, 'Iz at the end');
      near(end.vz, result.v_post[2], 1e-5 * Math.hypot(...result.v_post) + 1e-12, 'vz at the end');
    }
    assert.deepEqual(trouble, []);
    await context.close();
  });
}

test('names with markup in a scene show as text', { skip: skip || (existsSync(join(folder ?? '', 'hostile.html')) ? false : 'no hostile.html') }, async () => {
  const { page, context, trouble, ready } = await open(browser, address('hostile'));
  assert.equal(ready, true);
  for (const tab of ['impacts', 'bodies', 'run', 'plots']) await page.locator(`#tab-${tab}`).click();
  const n = await api(page, 'bodies()');
  for (let i = 0; i < Math.min(n, 20); ++i) await api(page, `select(${i})`);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator('img, iframe, #app script').count(), 0);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('the largest report stays under 30 MB and is shown within 3 s', { skip: skip || (existsSync(join(folder ?? '', 'large.html')) ? false : 'no large.html') }, async () => {
  assert.ok(statSync(join(folder, 'large.html')).size < 30e6);
  const milliseconds = await quickest(browser, address('large'), 3000);
  assert.ok(milliseconds > 100 && milliseconds < 3000, `${milliseconds} ms`);
});
