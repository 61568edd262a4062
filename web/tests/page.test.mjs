// The page in a browser, on reports whose numbers are closed forms.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { builtTemplate, halfDigit, launch, open, shown, shownText, store } from './browser.mjs';
import { encode, insert, predicted } from './fixtures/encode.mjs';
import { bounce, impact, jointed, kG, kHostileNames, kSamples, page as samplePage, thrown } from './fixtures/samples.mjs';

let built;
let browser;
const addresses = {};
before(async () => {
  built = builtTemplate();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  built?.remove();
});

/** @param {keyof typeof kSamples} name */
const sample = (name) => (addresses[name] ??= store(built.folder, name, samplePage(built.template, name)));
const near = (a, b, tolerance, what = '') => assert.ok(Math.abs(a - b) <= tolerance, `${what} ${a} is not ${b} within ${tolerance}`);
const control = (page, name) => page.locator(`[data-control="${name}"]`);
const overlay = (page, name) => page.locator(`[data-overlay="${name}"]`);
const api = (page, call) => page.evaluate(`window.visviva.${call}`);

test('the template has one place for data, refers to nothing outside, and is below 900 kB', () => {
  assert.equal(built.template.split('<!--visviva-data-->').length, 2);
  assert.ok(Buffer.byteLength(built.template) < 900e3);
  assert.doesNotMatch(built.template, /(?:src|href)\s*=\s*["']?https?:|url\(\s*["']?https?:|sourceMappingURL|@import/i);
});

test('a template without data says so', async () => {
  const { page, context, ready } = await open(browser, store(built.folder, 'empty', built.template));
  assert.equal(ready, false);
  assert.match(await page.locator('[role=alert]').textContent(), /holds no data/);
  await context.close();
});

test('a file that is cut off says so', async () => {
  const { header, arrays } = thrown();
  const report = encode(header, arrays);
  const html = insert(built.template, { ...report, base64: report.base64.slice(0, 1000) });
  const { page, context, ready } = await open(browser, store(built.folder, 'cut', html));
  assert.equal(ready, false);
  assert.match(await page.locator('[role=alert]').textContent(), /cannot be shown/);
  await context.close();
});

test('shown numbers are the recorded ones', async () => {
  const { page, context, trouble } = await open(browser, sample('thrown'));
  const { closed } = thrown();
  for (const [body, row] of [[1, 0], [2, 1], [3, 2]]) {
    await api(page, `select(${body})`);
    for (const k of [0, 57, 300, 600]) {
      await api(page, `seek(${closed.time[k]})`);
      assert.equal(await api(page, 'frame()'), k);
      for (const name of ['x', 'q', 'v', 'w']) {
        const step = await api(page, `resolution(${body}, '${name}')`);
        const count = name === 'q' ? 4 : 3;
        for (let c = 0; c < count; ++c) {
          const text = await shownText(page, `${name}.${c}`);
          assert.ok(halfDigit(text) < 1e-3, `${name}.${c} ${text} has too few digits`);
          near(Number(text), closed[name](row, c, k), 0.6 * step + halfDigit(text) + 1e-9, `${name}.${c}`);
        }
      }
      near(await shown(page, 'speed'), Math.hypot(...[0, 1, 2].map((c) => closed.v(row, c, k))), 2e-3, 'speed');
    }
  }
  // The thrown box: mass 2, moment 0.4 about the axis of its spin of 3.
  await api(page, 'select(2)');
  await api(page, `seek(${closed.time[57]})`);
  near(await shown(page, 'rotation'), 1.8, 1e-3);
  near(await shown(page, 'translation'), 0.2 + (kG - kG * closed.time[57]) ** 2, 1e-2);
  near(await shown(page, 'potential'), 2 * kG * closed.x(1, 2, 57), 1e-2);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('a mesh stands where its body is: the centre of mass is not the origin of B', async () => {
  const { page, context } = await open(browser, sample('thrown'));
  const { closed } = thrown();
  const k = 123;
  await api(page, `seek(${closed.time[k]})`);
  await api(page, 'draw()');
  const m = await api(page, 'matrix(2)');
  const angle = 3 * closed.time[k];
  // Origin of B = x − R (0.1, 0, 0); R turns by the angle about z.
  near(m[12], closed.x(1, 0, k) - 0.1 * Math.cos(angle), 1e-4);
  near(m[13], closed.x(1, 1, k) - 0.1 * Math.sin(angle), 1e-4);
  near(m[14], closed.x(1, 2, k), 1e-3);
  near(m[0], Math.cos(angle), 1e-4);
  near(m[1], Math.sin(angle), 1e-4);
  const platform = await api(page, 'matrix(3)');
  near(platform[12], closed.x(2, 0, k), 1e-4);
  assert.ok((await api(page, 'drawn()')) > 100);
  await context.close();
});

test('every control of the replay works by mouse and by key', async () => {
  const { page, context, trouble } = await open(browser, sample('thrown'));
  const frame = () => api(page, 'frame()');
  await control(page, 'forward').click();
  await control(page, 'forward').click();
  assert.equal(await frame(), 2);
  await control(page, 'back').click();
  assert.equal(await frame(), 1);
  await page.locator('.stage').focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await frame(), 2);
  await page.keyboard.press('ArrowLeft');
  assert.equal(await frame(), 1);
  await page.keyboard.press('PageDown');
  assert.equal(await frame(), 31);
  await page.keyboard.press('PageUp');
  assert.equal(await frame(), 1);
  await page.keyboard.press('End');
  assert.equal(await frame(), 600);
  await page.keyboard.press('Home');
  assert.equal(await frame(), 0);
  await control(page, 'loop').click();
  assert.equal(await api(page, 'loop()'), true);
  await page.locator('.stage').focus();
  await page.keyboard.press('l');
  assert.equal(await api(page, 'loop()'), false);
  await control(page, 'speed').selectOption('0.1');
  assert.equal(await api(page, 'speed()'), 0.1);
  await page.locator('.stage').focus();
  await page.keyboard.press(']');
  assert.equal(await api(page, 'speed()'), 0.25);
  await page.keyboard.press('[');
  assert.equal(await api(page, 'speed()'), 0.1);
  await control(page, 'play').click();
  assert.equal(await api(page, 'playing()'), true);
  await page.waitForFunction(() => window.visviva.time() > 0.01);
  await control(page, 'play').click();
  assert.equal(await api(page, 'playing()'), false);
  await page.locator('.stage').focus();
  await page.keyboard.press(' ');
  assert.equal(await api(page, 'playing()'), true);
  await page.keyboard.press(' ');
  assert.equal(await api(page, 'playing()'), false);
  await control(page, 'scrub').focus();
  const before = await frame();
  await page.keyboard.press('ArrowRight');
  assert.equal(await frame(), before + 1);
  await page.keyboard.press('PageDown');
  assert.equal(await frame(), before + 31);
  await page.keyboard.press('PageUp');
  assert.equal(await frame(), before + 1);
  await control(page, 'scrub').fill('1.5');
  near(await api(page, 'time()'), 1.5, 1e-9);
  near(await shown(page, 'time'), 1.5, 5e-4);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('without loop the replay stops at the end, with it the replay starts again', async () => {
  const { page, context } = await open(browser, sample('thrown'));
  await page.evaluate(() => window.visviva.seek(1.95));
  await page.locator('.stage').focus();
  await page.keyboard.press(' ');
  await page.waitForFunction(() => !window.visviva.playing());
  near(await api(page, 'time()'), 2, 1e-12);
  await page.evaluate(() => window.visviva.seek(1.95));
  await page.keyboard.press('l');
  await page.keyboard.press(' ');
  await page.waitForFunction(() => window.visviva.time() < 1);
  assert.equal(await api(page, 'playing()'), true);
  await context.close();
});

test('colours, cameras and overlays switch by mouse and by key', async () => {
  const { page, context, trouble } = await open(browser, sample('thrown'));
  for (const mode of ['speed', 'energy', 'body']) {
    await page.locator(`[data-value="${mode}"]`).click();
    assert.equal(await api(page, 'colourMode()'), mode);
    const legend = await page.locator('.colour-legend').textContent();
    assert.match(legend, { speed: /Speed/, energy: /Kinetic energy/, body: /ball.*thrown box/ }[mode]);
  }
  await page.locator('.stage').focus();
  await page.keyboard.press('c');
  assert.equal(await api(page, 'colourMode()'), 'speed');
  await page.keyboard.press('f');
  assert.equal((await api(page, 'camera()')).following, true);
  await page.locator('[data-value="orbit"]').click();
  assert.equal((await api(page, 'camera()')).following, false);
  for (const [i, name] of ['impacts', 'impulses', 'velocities', 'spins', 'trails', 'boxes'].entries()) {
    await overlay(page, name).click();
    assert.equal(await api(page, `overlay('${name}')`), true);
    assert.equal(await overlay(page, name).getAttribute('aria-pressed'), 'true');
    await page.locator('.stage').focus();
    await page.keyboard.press(String(i + 1));
    assert.equal(await api(page, `overlay('${name}')`), false);
    await page.keyboard.press(String(i + 1));
  }
  await api(page, 'seek(0.65)');
  await api(page, 'draw()');
  const camera = await api(page, 'camera()');
  await page.keyboard.press('Shift+ArrowLeft');
  await page.keyboard.press('Shift+ArrowUp');
  await page.keyboard.press('+');
  const turned = await api(page, 'camera()');
  const distance = ({ position, target }) => Math.hypot(...position.map((p, i) => p - target[i]));
  near(distance(turned), distance(camera) / 1.2, 1e-6 * distance(camera));
  assert.ok(turned.position[2] > camera.position[2] / 1.2);
  await page.keyboard.press('0');
  assert.ok(distance(await api(page, 'camera()')) > distance(turned));
  assert.deepEqual(trouble, []);
  await context.close();
});

test('the camera that follows keeps its distance to the body', async () => {
  const { page, context } = await open(browser, sample('thrown'));
  const { closed } = thrown();
  await api(page, 'select(2)');
  await page.locator('[data-value="follow"]').click();
  await api(page, 'draw()');
  const arm = ({ position, target }) => position.map((p, i) => p - target[i]);
  const first = arm(await api(page, 'camera()'));
  await api(page, `seek(${closed.time[300]})`);
  await api(page, 'draw()');
  const camera = await api(page, 'camera()');
  [0, 1, 2].forEach((c) => near(camera.target[c], closed.x(1, c, 300), 1e-3));
  arm(camera).forEach((value, c) => near(value, first[c], 1e-3));
  await context.close();
});

test('a small body that is followed fills about a sixth of the picture, a large one does not overflow it', async () => {
  const { header, arrays } = thrown();
  header.bodies[1].radius = 1e-3;
  header.bodies[3].radius = 50;
  const { page, context } = await open(browser, store(built.folder, 'sizes', insert(built.template, encode(header, arrays))));
  const arm = ({ position, target }) => Math.hypot(...position.map((p, i) => p - target[i]));
  const tan = Math.tan((19 * Math.PI) / 180); // half the field of view
  await api(page, 'select(1)');
  await page.locator('[data-value="follow"]').click();
  near(1e-3 / (arm(await api(page, 'camera()')) * tan), 1 / 6, 1e-3);
  await api(page, 'select(3)');
  near(50 / (arm(await api(page, 'camera()')) * tan), 1 / 1.5, 1e-3);
  await context.close();
});

test('the camera that follows a body without a place stays at the last one that it had', async () => {
  const { page, context, trouble } = await open(browser, sample('hostile'));
  const { closed } = thrown();
  await api(page, 'seek(1.9)');
  await api(page, 'select(2)');
  await page.locator('[data-value="follow"]').click();
  await api(page, 'draw()');
  async function check() {
    const { target, position } = await api(page, 'camera()');
    [0, 1, 2].forEach((c) => near(target[c], closed.x(1, c, 200), 1e-3));
    assert.ok(position.every(Number.isFinite));
  }
  await check();
  await api(page, 'seek(0)');
  await api(page, 'draw()');
  await api(page, 'seek(1.5)');
  await api(page, 'draw()');
  await check();
  assert.deepEqual(trouble, []);
  await context.close();
});

test('a scene far from the origin is drawn as one near it', async () => {
  const { header, arrays, closed } = thrown();
  const far = [3e7, -2e7, 1e7];
  arrays.x = predicted([3, 3, 601], (b, c, k) => closed.x(b, c, k) + far[c], 2, 32);
  header.bodies.forEach((body) => (body.position = body.position.map((p, c) => p + far[c])));
  const { page, context, trouble } = await open(browser, store(built.folder, 'far', insert(built.template, encode(header, arrays))));
  const k = 123;
  await api(page, `seek(${closed.time[k]})`);
  await api(page, 'draw()');
  const angle = 3 * closed.time[k];
  const m = await api(page, 'matrix(2)');
  // Single precision would be off by 2 m here.
  near(m[12] - far[0], closed.x(1, 0, k) - 0.1 * Math.cos(angle), 1e-4);
  near(m[13] - far[1], closed.x(1, 1, k) - 0.1 * Math.sin(angle), 1e-4);
  near(m[14] - far[2], closed.x(1, 2, k), 1e-3);
  const origin = await api(page, 'origin()');
  assert.ok(Math.hypot(...origin.map((p, c) => p - far[c])) < 10, `${origin}`);
  await api(page, 'select(1)');
  near(await shown(page, 'x.0'), far[0] - 1.5, 1e-3, 'true place');
  const at = await api(page, 'screen(2)');
  await page.mouse.click(at.x, at.y);
  assert.equal(await api(page, 'selected()'), 2);
  for (const name of ['impacts', 'velocities', 'trails', 'boxes']) await overlay(page, name).click();
  await api(page, 'draw()');
  assert.deepEqual(trouble, []);
  await context.close();
});

test('a recording that was not closed is called unfinished', async () => {
  const { header, arrays } = thrown();
  header.complete = false;
  header.summary = null;
  const { page, context } = await open(browser, store(built.folder, 'unfinished', insert(built.template, encode(header, arrays))));
  assert.equal(await page.locator('.badge').textContent(), 'unfinished');
  assert.match(await page.locator('.badge').getAttribute('title'), /not closed by its writer/);
  await page.locator('#tab-run').click();
  assert.match(await page.locator('#panel-run').textContent(), /not closed by its writer/);
  await context.close();
});

test('what was left out of the marks above the slider is told', async () => {
  const { header, arrays, closed } = thrown();
  const n = closed.hits.length;
  header.events.all = 1000;
  const { page, context } = await open(browser, store(built.folder, 'left_out', insert(built.template, encode(header, arrays))));
  assert.match(await page.locator('.scrub-box').getAttribute('title'), new RegExp(`^${n} of 1\u202f000 events; .*left out`));
  await context.close();
  const whole = await open(browser, sample('thrown'));
  assert.equal(await whole.page.locator('.scrub-box').getAttribute('title'), `${n} event${n === 1 ? '' : 's'}`);
  await whole.context.close();
});

test('at an impact the inspector shows velocities after it, and just before it those before', async () => {
  const { page, context } = await open(browser, sample('thrown'));
  const { closed } = thrown();
  const speed = Math.sqrt(2 * kG * closed.h);
  await api(page, 'select(1)');
  await page.locator('.stage').focus();
  await page.keyboard.press('j');
  near(await shown(page, 'v.2'), speed, 2e-3);
  assert.match(await page.locator('[data-field="v.side"]').textContent(), /after the impact/);
  await api(page, `seek(${closed.hits[0] - 1e-5})`);
  near(await shown(page, 'v.2'), -speed, 2e-3);
  assert.match(await page.locator('[data-field="w.side"]').textContent(), /before the impact/);
  await api(page, `seek(${closed.time[3]})`);
  assert.equal(await page.locator('[data-field="v.side"]').textContent(), '');
  await context.close();
});

test('clicks go through the numbers of a body to the bodies behind; its buttons and Esc work', async () => {
  const { page, context } = await open(browser, sample('thrown'));
  await api(page, 'select(1)');
  const box = await page.locator('.inspector table').first().boundingBox();
  const under = await page.evaluate(([x, y]) => document.elementFromPoint(x, y).tagName, [box.x + box.width / 2, box.y + box.height / 2]);
  assert.equal(under, 'CANVAS');
  await page.getByRole('button', { name: 'Select nothing' }).click();
  assert.equal(await page.locator('.inspector').isVisible(), false);
  await context.close();
});

test('lasting contacts and sleepers are shown at their frames', async () => {
  const { page, context, trouble } = await open(browser, sample('resting'));
  const { closed } = thrown();
  await overlay(page, 'contacts').click();
  const at = async (k) => {
    await api(page, `seek(${closed.time[k]})`);
    await api(page, 'draw()');
    return { drawn: await api(page, 'contacts()'), note: await page.locator('.contacts-note').isVisible(), asleep: await api(page, 'asleep(1)') };
  };
  assert.deepEqual(await at(299), { drawn: { points: 0, forces: 0, all: 0 }, note: false, asleep: false });
  assert.deepEqual(await at(300), { drawn: { points: 2, forces: 2, all: 5 }, note: true, asleep: true });
  assert.equal(await page.locator('.contacts-note').textContent(), 'The 2 strongest of 5 contact points');
  assert.equal((await at(449)).asleep, true);
  assert.equal((await at(450)).asleep, false);
  await api(page, 'select(1)');
  await at(400);
  assert.match(await page.locator('[data-field="kind"]').textContent(), /^dynamic, .*kg, asleep$/);
  await page.locator('[data-value="sleep"]').click();
  assert.equal(await api(page, 'colourMode()'), 'sleep');
  assert.equal(await page.locator('.colour-legend').textContent(), 'awakeasleep');
  await overlay(page, 'contacts').click();
  await api(page, 'draw()'); // the note goes with the next frame, whenever the machine has time for it
  assert.equal(await page.locator('.contacts-note').isVisible(), false);
  const charts = await api(page, 'charts()');
  const series = (title) => charts.find((chart) => chart.title === title)?.series;
  assert.deepEqual(series('Ledger'), ['friction', 'unexplained']);
  assert.deepEqual(series('Contacts'), ['pairs']);
  assert.deepEqual(series('Awake and asleep'), ['awake', 'asleep']);
  const value = (title, name) => page.locator('.chart', { hasText: title }).locator('.chart-series', { hasText: name }).locator('.chart-value').textContent();
  near(Number(await value('Ledger', 'unexplained')), 1, 1e-3);
  assert.equal(Number(await value('Awake and asleep', 'asleep')), 1);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('what the recording lacks is greyed out with its reason, and stays off', async () => {
  const { page, context, trouble } = await open(browser, sample('bare'));
  const { missing } = kSamples.bare().header;
  for (const [name, reason] of [['contacts', missing.contacts], ['impacts', missing.events], ['impulses', missing.events]]) {
    assert.equal(await overlay(page, name).getAttribute('aria-disabled'), 'true');
    assert.match(await overlay(page, name).getAttribute('title'), new RegExp(reason));
    assert.equal(await overlay(page, name).getAttribute('aria-description'), reason);
    await overlay(page, name).click({ force: true });
    assert.equal(await overlay(page, name).getAttribute('aria-pressed'), 'false');
  }
  await page.locator('.stage').focus();
  await page.keyboard.press('7');
  assert.equal(await api(page, `overlay('contacts')`), false);
  assert.equal(await page.locator('.chart.absent').count(), 7);
  await api(page, 'select(2)');
  assert.match(await page.locator('.inspector .note').textContent(), /by differences: left out to keep the file small/);
  await api(page, 'seek(1)');
  near(await shown(page, 'v.0'), 0.4, 0.05);
  near(await shown(page, 'w.2'), 3, 0.05);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('a body is picked by a click, by the list and by keys', async () => {
  const { page, context } = await open(browser, sample('thrown'));
  await api(page, 'draw()');
  for (const body of [1, 2]) {
    const at = await api(page, `screen(${body})`);
    await page.mouse.click(at.x, at.y);
    assert.equal(await api(page, 'selected()'), body);
  }
  assert.equal(await page.locator('[data-field="name"]').textContent(), 'thrown box');
  await page.locator('.stage').focus();
  await page.keyboard.press('n');
  assert.equal(await api(page, 'selected()'), 3);
  await page.keyboard.press('p');
  assert.equal(await api(page, 'selected()'), 2);
  await page.keyboard.press('Escape');
  assert.equal(await api(page, 'selected()'), null);
  assert.equal(await page.locator('.inspector').isVisible(), false);
  await page.locator('#tab-bodies').click();
  await page.locator('#panel-bodies .list-body').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  assert.equal(await api(page, 'selected()'), 1);
  await page.locator('#panel-bodies .filter').fill('plat');
  assert.equal(await page.locator('#panel-bodies .list-row').count(), 1);
  await page.locator('#panel-bodies .list-row').click();
  assert.equal(await api(page, 'selected()'), 3);
  await context.close();
});

test('plots follow the replay, show values where the mouse is, and jump', async () => {
  const { page, context, trouble } = await open(browser, sample('thrown'));
  const charts = await api(page, 'charts()');
  assert.deepEqual(charts.map((chart) => chart.title), ['Energy', 'Ledger', 'Energy error', 'Linear momentum', 'Angular momentum', 'Height', 'Penetration']);
  await api(page, 'seek(1)');
  assert.ok((await api(page, 'charts()')).every((chart) => chart.cursor === 1));
  const total = page.locator('.chart').first().locator('.chart-series', { hasText: 'total' });
  const value = Number((await total.textContent()).replace('total', ''));
  const { v, z } = bounce(2, 1);
  near(value, 0.5 * v * v + 0.2 + 1.8 + kG * (z + 0.5) + 2 * kG * (1 + kG / 2), 0.01, 'total energy');
  const plot = page.locator('.chart-plot').first();
  const box = await plot.boundingBox();
  const potential = page.locator('.chart').first().locator('.chart-series', { hasText: 'potential' });
  const atCursor = await potential.textContent();
  await page.mouse.move(box.x + 60, box.y + 40);
  assert.notEqual(await potential.textContent(), atCursor);
  assert.equal(await api(page, 'time()'), 1);
  await page.mouse.down();
  const clicked = await api(page, 'time()');
  assert.ok(clicked < 0.2, `jumped to ${clicked}`);
  await page.mouse.move(box.x + box.width - 20, box.y + 40);
  assert.ok((await api(page, 'time()')) > 1.8);
  await page.mouse.up();
  await total.click();
  assert.equal(await total.getAttribute('aria-pressed'), 'false');
  assert.match(await plot.getAttribute('aria-valuetext'), /s: total .* J/);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('a curve that changes by rounding alone is shown level, however far its axis of time is stretched', { timeout: 60000 }, async () => {
  const { header, arrays } = thrown();
  const constant = (name, f) => new Float64Array(arrays[name].bytes.buffer).forEach((_, i, values) => (values[i] = f(i)));
  constant('kinetic_translation', (i) => (i % 2 ? 158.74342307692294 : 158.74342307692297));
  constant('kinetic_rotation', () => 0);
  constant('potential', () => 0);
  const { page, context, trouble } = await open(browser, store(built.folder, 'level', insert(built.template, encode(header, arrays))));
  const energy = page.locator('.chart').first();
  for (const name of ['translation', 'rotation', 'potential']) await energy.locator('.chart-series', { hasText: name }).click();
  await page.locator('.stage').focus();
  for (let i = 0; i < 8; ++i) await page.keyboard.press('z');
  near((await api(page, 'charts()'))[0].window[1], 2 / 20000, 1e-9);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('energies without a time are left out of the plots', { timeout: 60000 }, async () => {
  const { header, arrays } = thrown({ frames: 6001 });
  const time = new Float64Array(arrays.energy_time.bytes.buffer);
  time[3000] = NaN;
  time[3001] = 0;
  const { page, context, trouble, ready } = await open(browser, store(built.folder, 'no_time', insert(built.template, encode(header, arrays))));
  assert.equal(ready, true);
  await api(page, 'seek(10.003)');
  const z = page.locator('.chart', { hasText: 'Linear momentum' }).locator('.chart-series').nth(2);
  const { v } = bounce(2, 3002 / 300);
  near(Number((await z.textContent()).replace('z', '').replace('\u2212', '-')), v + 2 * (kG - kG * (3002 / 300)), 0.01, 'momentum in the next row');
  assert.deepEqual(trouble, []);
  await context.close();
});

test('what is measured at every so many frames only is drawn as a curve', { timeout: 60000 }, async () => {
  const { header, arrays } = thrown();
  const values = new Float64Array(arrays.penetration.bytes.buffer);
  const last = values.length - 1;
  values.forEach((_, i) => (values[i] = i % 21 === 0 ? 0.001 * (1 + i / last) : NaN));
  const { page, context, trouble } = await open(browser, store(built.folder, 'sparse', insert(built.template, encode(header, arrays))));
  const chart = page.locator('.chart', { hasText: 'Penetration' });
  // Columns of pixels that the curve crosses: it is as wide as what was measured.
  const share = await chart.locator('.chart-base').evaluate((canvas) => {
    const colour = getComputedStyle(canvas).getPropertyValue('--series-1').trim();
    const g = document.createElement('canvas').getContext('2d');
    g.fillStyle = colour;
    g.fillRect(0, 0, 1, 1);
    const [r, gr, b] = g.getImageData(0, 0, 1, 1).data;
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const columns = new Set();
    for (let i = 0; i < data.length; i += 4)
      if (data[i + 3] > 100 && Math.abs(data[i] - r) + Math.abs(data[i + 1] - gr) + Math.abs(data[i + 2] - b) < 60) columns.add((i / 4) % canvas.width);
    return columns.size / canvas.width;
  });
  assert.ok(share > 0.6, `the curve crosses ${share} of the plot`);
  await api(page, 'seek(0)');
  near(Number((await chart.locator('.chart-series').textContent()).replace('deepest', '')), 0.001, 1e-9, 'the first one');
  assert.deepEqual(trouble, []);
  await context.close();
});

test('the axis of time of all plots is stretched about the moment, and turns over when the replay leaves it', async () => {
  const { page, context, trouble } = await open(browser, sample('thrown'));
  await page.locator('.stage').focus();
  await api(page, 'seek(1)');
  await page.keyboard.press('z');
  for (const { window } of await api(page, 'charts()')) {
    near(window[0], 0.75, 1e-12);
    near(window[1], 1.25, 1e-12);
  }
  await api(page, 'seek(1.9)');
  const [{ window }] = await api(page, 'charts()');
  assert.ok(window[0] <= 1.9 && window[1] >= 1.9 && window[1] <= 2);
  near(window[1] - window[0], 0.5, 1e-12);
  await page.getByRole('button', { name: 'More time on the axis' }).click();
  assert.deepEqual((await api(page, 'charts()'))[0].window, [0, 2]);
  await page.keyboard.press('x');
  assert.deepEqual((await api(page, 'charts()'))[0].window, [0, 2]);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('a run in which nothing moves opens all the same', async () => {
  const { page, context, trouble, ready } = await open(browser, sample('still'), { reducedMotion: 'reduce' });
  assert.equal(ready, true);
  for (const key of [' ', 'ArrowRight', 'ArrowLeft', 'End', 'j', 'n', 'f', 'c', '3', '5', '6', '0', 'z']) await page.keyboard.press(key);
  assert.equal(await api(page, 'time()'), 0);
  assert.equal(await api(page, 'playing()'), false);
  assert.equal(await api(page, 'selected()'), 0);
  await page.keyboard.press('n');
  assert.equal(await shown(page, 'x.2'), 0);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('the list of impacts jumps, sorts, filters, and shows the hodograph', async () => {
  const { page, context, trouble } = await open(browser, sample('thrown'));
  const { closed } = thrown();
  await page.locator('#tab-impacts').click();
  const rows = page.locator('#panel-impacts .list-row');
  assert.equal(await rows.count(), closed.hits.length);
  await rows.nth(1).click();
  near(await api(page, 'time()'), closed.hits[1], 1e-12);
  assert.match(await page.locator('.impact-detail').textContent(), /No hodograph/);
  await page.locator('#panel-impacts .list-body').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  near(await api(page, 'time()'), closed.hits[0], 1e-12);
  assert.equal(await page.locator('.impact-detail .hodograph').count(), 1);
  assert.equal(await page.locator('.impact-detail .energy').count(), 1);
  assert.equal(await page.locator('.impact-detail .hodograph .ray').count(), 2);
  assert.equal(await page.locator('.impact-detail .hodograph .mark-c').count(), 1);
  const impulse = Number((await rows.first().locator('.num').nth(1).textContent()).trim());
  near(impulse, closed.vertical, 5e-3, 'impulse 2·sqrt(2gh)');
  await page.locator('#panel-impacts [role=columnheader] button', { hasText: 'Lost' }).click();
  assert.equal(await rows.first().getAttribute('data-index'), '1');
  assert.equal(await page.locator('#panel-impacts [aria-sort=descending]').count(), 1);
  await page.locator('#panel-impacts .filter').fill('nobody');
  assert.equal(await rows.count(), 0);
  await page.locator('#panel-impacts .filter').fill('ball');
  assert.equal(await rows.count(), closed.hits.length);
  await page.locator('.stage').focus();
  await api(page, 'seek(0)');
  await page.keyboard.press('j');
  near(await api(page, 'time()'), closed.hits[0], 1e-12);
  await page.keyboard.press('j');
  near(await api(page, 'time()'), closed.hits[1], 1e-12);
  await page.keyboard.press('Shift+J');
  near(await api(page, 'time()'), closed.hits[0], 1e-12);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('two thousand bodies and twenty thousand impacts: under 30 MB, few rows in the page', async () => {
  const address = sample('many');
  assert.ok(statSync(fileURLToPath(address)).size < 30e6);
  const { page, context, trouble } = await open(browser, address);
  await page.locator('#tab-impacts').click();
  const body = page.locator('#panel-impacts .list-body');
  assert.ok((await page.locator('#panel-impacts .list-row').count()) < 60);
  await body.focus();
  await page.keyboard.press('End');
  assert.equal(await page.locator('#panel-impacts .list-row.active').getAttribute('data-index'), '19999');
  await page.keyboard.press('Enter');
  near(await api(page, 'time()'), (await api(page, 'event(19999)')).time, 1e-12);
  const strengths = await page.evaluate(() => Array.from({ length: 20000 }, (_, i) => window.visviva.event(i).strength));
  const byImpulse = page.locator('#panel-impacts [role=columnheader] button', { hasText: 'Impulse' });
  for (const wanted of [Math.max(...strengths), Math.min(...strengths)]) {
    await byImpulse.click();
    await body.focus();
    await page.keyboard.press('Home');
    const first = Number(await page.locator('#panel-impacts .list-row.active').getAttribute('data-index'));
    assert.equal(strengths[first], wanted);
  }
  await page.locator('#tab-bodies').click();
  assert.ok((await page.locator('#panel-bodies .list-row').count()) < 60);
  await page.locator('[data-value="speed"]').click();
  for (const name of ['velocities', 'trails', 'boxes']) await overlay(page, name).click();
  await api(page, 'draw()');
  assert.deepEqual(trouble, []);
  await context.close();
});

test('hostile names and numbers that are none show as text and break nothing', async () => {
  const { page, context, trouble } = await open(browser, sample('hostile'));
  assert.equal(await page.locator('h1').textContent(), '<script>window.hacked=3</script><h1>scene</h1>');
  assert.equal(await page.title(), '<script>window.hacked=3</script><h1>scene</h1> – visviva');
  for (let i = 0; i < 4; ++i) {
    await api(page, `select(${i})`);
    assert.ok((await page.locator('[data-field="name"]').textContent()).length <= 120);
    assert.equal((await api(page, `body(${i})`)).name, kHostileNames[i]);
  }
  await api(page, 'select(2)');
  await api(page, 'seek(1.2)');
  await api(page, 'draw()');
  assert.ok(Number.isNaN(await shown(page, 'x.0')));
  await api(page, 'select(1)');
  near(await shown(page, 'x.0'), -1.5, 1e-4);
  for (const tab of ['impacts', 'bodies', 'run', 'plots']) {
    await page.locator(`#tab-${tab}`).click();
    if (tab === 'impacts') await page.locator('#panel-impacts .list-row').first().click();
  }
  for (const name of ['impacts', 'impulses', 'velocities', 'spins', 'trails', 'boxes']) await overlay(page, name).click();
  for (const mode of ['speed', 'energy', 'body']) await page.locator(`[data-value="${mode}"]`).click();
  await page.locator('[data-value="follow"]').click();
  await api(page, 'select(2)');
  await api(page, 'seek(1.9)');
  await api(page, 'draw()');
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator('img, iframe, #app script, b:not(.wordmark b)').count(), 0);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(wide <= 0, `page is ${wide} px too wide`);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('at 400 px a long name leaves the wordmark on its line, and vectors of an impact wrap', async () => {
  const { header, arrays } = thrown();
  header.scene.name = 'a_scene_with_a_very_long_name_'.repeat(8);
  const { page, context } = await open(browser, store(built.folder, 'long', insert(built.template, encode(header, arrays))), { width: 400 });
  const mark = await page.locator('.wordmark').boundingBox();
  assert.ok(mark.height < 30 && mark.width > 40, JSON.stringify(mark));
  await context.close();
  const one = impact();
  one.header.cases[0].problem.W = one.header.cases[0].problem.W.map((row) => row.map((x) => 1.23456e-7 * x));
  one.header.cases[0].problem.v = [-1.23456e-7, 2.34567e-7, -3.45678e-7];
  const { page: narrow, context: second } = await open(browser, store(built.folder, 'wrap', insert(built.template, encode(one.header, one.arrays))), { width: 400 });
  const cut = await narrow.evaluate(() => {
    const dd = [...document.querySelectorAll('.facts-list > div')].find((row) => row.textContent.startsWith('Velocity before')).querySelector('dd');
    const range = document.createRange();
    range.selectNodeContents(dd);
    return range.getBoundingClientRect().right - dd.closest('.case').getBoundingClientRect().right;
  });
  assert.ok(cut <= 0, `${cut} px beyond the card`);
  await second.close();
});

for (const [name, width] of [['thrown', 400], ['hostile', 400], ['gallery', 400], ['thrown', 1280], ['gallery', 1280]]) {
  for (const colorScheme of ['light', 'dark']) {
    test(`${name} at ${width} px in ${colorScheme} colours: nothing is cut off, text stands out`, async () => {
      const { page, context, trouble } = await open(browser, sample(name), { width, colorScheme });
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), colorScheme);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(wide <= 0, `page is ${wide} px too wide`);
      const contrasts = await page.evaluate(() => {
        // Resolved through a canvas, since computed colours come in several notations.
        const g = document.createElement('canvas').getContext('2d');
        const light = (colour) => {
          g.fillStyle = colour;
          const n = parseInt(g.fillStyle.slice(1), 16);
          const part = (c) => ((c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
          return 0.2126 * part(n >> 16) + 0.7152 * part((n >> 8) & 255) + 0.0722 * part(n & 255);
        };
        const style = getComputedStyle(document.documentElement);
        const [panel, page_] = ['--panel', '--page'].map((name) => light(style.getPropertyValue(name)));
        return ['--ink', '--soft', '--muted', '--accent'].flatMap((name) =>
          [panel, page_].map((back) => {
            const l = light(style.getPropertyValue(name));
            return [name, (Math.max(l, back) + 0.05) / (Math.min(l, back) + 0.05)];
          }));
      });
      for (const [colour, contrast] of contrasts) assert.ok(contrast >= 4.5, `${colour}: ${contrast}`);
      await page.keyboard.press('d');
      assert.notEqual(await page.evaluate(() => document.documentElement.dataset.theme), colorScheme);
      assert.deepEqual(trouble, []);
      await context.close();
    });
  }
}

test('with the keyboard alone everything can be reached, and the focus is seen', async () => {
  const { page, context } = await open(browser, sample('thrown'));
  const reached = new Set();
  for (let i = 0; i < 60; ++i) {
    await page.keyboard.press('Tab');
    const here = await page.evaluate(() => {
      const e = document.activeElement;
      if (!e || e === document.body) return null;
      const by = document.getElementById(e.getAttribute('aria-labelledby'));
      const label = e.getAttribute('aria-label') ?? (by ?? e).textContent.trim().slice(0, 30);
      return { label, outline: getComputedStyle(e).outlineStyle, name: e.id || e.dataset.control || e.dataset.overlay || e.className };
    });
    if (!here) continue;
    assert.notEqual(here.outline, 'none', `${here.label} shows no focus`);
    assert.ok(here.label, `${here.name} has no label`);
    reached.add(here.name);
  }
  for (const name of ['play', 'back', 'forward', 'loop', 'scrub', 'speed', 'impacts', 'trails', 'stage', 'tab-plots', 'chart-plot']) assert.ok(reached.has(name), `${name} was not reached`);
  await page.locator('#tab-plots').focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.locator('#tab-impacts').getAttribute('aria-selected'), 'true');
  assert.equal(await page.locator('#panel-impacts').isVisible(), true);
  await page.keyboard.press('?');
  assert.equal(await page.locator('dialog.help').isVisible(), true);
  for (const text of ['play or pause', 'loop', 'faster', 'select the next body']) assert.ok((await page.locator('dialog.help').textContent()).includes(text));
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('dialog.help').isVisible(), false);
  await context.close();
});

test('buttons have names for screen readers', async () => {
  for (const name of ['thrown', 'gallery']) {
    const { page, context } = await open(browser, sample(name));
    const nameless = await page.evaluate(() => [...document.querySelectorAll('button, input, select, [tabindex]')]
      .filter((e) => !(e.getAttribute('aria-label') || e.getAttribute('aria-labelledby') || e.textContent.trim()))
      .map((e) => e.outerHTML.slice(0, 100)));
    assert.deepEqual(nameless, []);
    await context.close();
  }
});

test('without WebGL there is a message, and plots and numbers work', async () => {
  const plain = await launch({ webgl: false });
  try {
    const { page, ready } = await open(plain, sample('thrown'));
    assert.equal(ready, true);
    assert.equal(await api(page, 'webgl()'), false);
    assert.match(await page.locator('.no-webgl').textContent(), /needs WebGL/);
    await api(page, 'select(1)');
    await api(page, 'seek(0.5)');
    near(await shown(page, 'x.2'), 0.5 + bounce(2, 0.5).z, 1e-3);
    await page.locator('#tab-impacts').click();
    await page.locator('#panel-impacts .list-row').first().click();
    assert.equal(await page.locator('.impact-detail .hodograph').count(), 1);
    for (const key of ['c', 'f', '0', '3', 'Shift+ArrowLeft', '+']) await page.keyboard.press(key);
    assert.equal(await overlay(page, 'trails').getAttribute('aria-disabled'), 'true');
  } finally {
    await plain.close();
  }
});

test('one impact: the slider moves the marks of all plots along the normal impulse', async () => {
  const { page, context, trouble } = await open(browser, sample('impact'));
  const [path] = impact(1).closed.paths;
  const slider = control(page, 'slider');
  near(await shown(page, 'Iz'), path.result.Iz_r, 1e-4);
  near(await shown(page, 'vz'), path.result.v_post[2], 1e-4);
  await slider.fill('0');
  assert.equal(await shown(page, 'Iz'), 0);
  near(await shown(page, 'vz'), -0.0827, 1e-5);
  near(await shown(page, 'vx'), -0.262, 1e-5);
  const before = await page.locator('.hodograph .fig-cursor').getAttribute('cx');
  await slider.fill('500');
  near(await shown(page, 'Iz'), path.result.Iz_r / 2, 1e-4);
  assert.notEqual(await page.locator('.hodograph .fig-cursor').getAttribute('cx'), before);
  for (const figure of ['hodograph', 'impulse', 'energy']) assert.equal(await page.locator(`.${figure} .fig-cursor`).count(), 1);
  assert.equal(await page.locator('.impulse .plane-c').count(), 1);
  assert.equal(await page.locator('.impulse .line-s').count(), 1);
  await page.locator('h1').click();
  await page.keyboard.press('Home');
  assert.equal(await shown(page, 'Iz'), 0);
  await page.keyboard.press('ArrowRight');
  near(await shown(page, 'Iz'), 0.01 * path.result.Iz_r, 1e-5);
  await page.locator('.impulse').focus();
  const shape = await page.locator('.impulse .curve.compression').getAttribute('d');
  await page.keyboard.press('ArrowLeft');
  assert.notEqual(await page.locator('.impulse .curve.compression').getAttribute('d'), shape);
  const energy = await page.locator('.figure.energy').boundingBox();
  await page.mouse.click(energy.x + energy.width * 0.5, energy.y + 80);
  assert.ok((await api(page, 'Iz()')) > 0.3 * path.result.Iz_r);
  near(Number((await page.locator('dd[data-field=E_c]').textContent()).replace(/[J\s]/g, '')), path.result.E_c, 1e-8);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('several impacts: a gallery to choose from by mouse and by keys', async () => {
  const { page, context, trouble } = await open(browser, sample('gallery'));
  const cards = page.locator('.gallery .card');
  assert.equal(await cards.count(), 6);
  await cards.nth(2).click();
  assert.equal(await api(page, 'current()'), 2);
  assert.equal(await page.locator('.case-title h2').textContent(), 'sphere, rolls');
  await page.keyboard.press('ArrowRight');
  assert.equal(await api(page, 'current()'), 3);
  await page.keyboard.press('End');
  assert.equal(await api(page, 'current()'), 5);
  assert.match(await page.locator('.case').textContent(), /No path: not approaching/);
  await page.keyboard.press('ArrowLeft');
  assert.equal(await page.locator('.case-title h2').textContent(), '<b>markup</b>');
  await page.locator('h1').click();
  await page.keyboard.press('p');
  assert.equal(await api(page, 'current()'), 3);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('joints are drawn where they are, and what they do is shown at every moment', async () => {
  const { page, context, trouble } = await open(browser, sample('jointed'));
  const { closed } = jointed();
  assert.equal(await api(page, 'joints()'), 3);
  assert.equal(await api(page, "overlay('joints')"), true, 'shown from the start');
  await page.getByRole('tab', { name: 'Joints 3' }).click();
  await page.locator('#panel-joints [data-index="0"]').click();
  assert.equal(await api(page, 'chosenJoint()'), 0);
  for (const k of [0, 31, 120]) {
    await api(page, `seek(${closed.time[k]})`);
    const joint = await api(page, 'joint(0)');
    // Both sides of the hinge are at the pivot: the frames of bodies, quantised in the file, lead there.
    joint.a.forEach((value, c) => near(value, [-1.2, 0, 3][c], 1e-12));
    joint.b.forEach((value, c) => near(value, [-1.2, 0, 3][c], 1e-4));
    const angle = closed.angle(closed.time[k]);
    near(joint.coordinate[0], angle, 1e-7);
    const force = Math.hypot(...closed.force(0, k));
    const text = await page.locator('[data-field="joint.force"]').textContent();
    near(Number(text.replace(' N', '')), force, 0.5e-2);
    const bar = (await page.locator('[data-field="bar.turn_z"]').textContent()).replace(/\u2212/g, '-');
    near(Number.parseFloat(bar), angle, 0.5e-4);
    const left = await page.locator('.bar-marker').evaluate((marker) => Number.parseFloat(marker.style.left));
    near(left, (100 * (angle + 0.9 + 0.06 * 1.8)) / (1.8 * 1.12), 0.1);
  }
  // A pivot with its axis, a coil, a rope: both ends of the latter two are apart.
  await api(page, 'seek(0.5)');
  await api(page, 'draw()');
  const whole = await api(page, 'jointPieces()');
  assert.equal(whole.balls, 5);
  await api(page, 'seek(2.5)');
  await api(page, 'draw()');
  const after = await api(page, 'jointPieces()');
  assert.equal(after.balls, 5, 'the ends of the broken rope stay');
  assert.ok(after.bars < whole.bars, 'the rope itself does not');
  assert.deepEqual(trouble, []);
  await context.close();
});

test('a joint that breaks is told in the list, in its panel and among the events', async () => {
  const { page, context, trouble } = await open(browser, sample('jointed'));
  await page.getByRole('tab', { name: 'Joints 3' }).click();
  assert.match(await page.locator('#panel-joints [data-index="2"]').textContent(), /rope.*broken 1\.0/);
  await page.locator('#panel-joints [data-index="2"]').click();
  await api(page, 'seek(0.9)');
  assert.equal(await page.locator('[data-field="joint.state"]').textContent(), '');
  near(Number.parseFloat(await page.locator('[data-field="joint.force"]').textContent()), 27, 0.01);
  await api(page, 'seek(1.5)');
  assert.match(await page.locator('[data-field="joint.state"]').textContent(), /broken at 1\.0/);
  assert.equal(await page.locator('[data-field="joint.force"]').textContent(), '–');
  await page.getByRole('tab', { name: 'Events 1' }).click();
  const row = page.locator('#panel-impacts [data-index="0"]');
  assert.match(await row.textContent(), /break\s*rope/);
  await row.click();
  assert.equal(await api(page, 'time()'), 1);
  assert.match(await page.locator('#panel-impacts .impact-detail').textContent(), /Joint\s*rope/);
  assert.deepEqual(trouble, []);
  await context.close();
});

test('a run without joints has no panel of joints', async () => {
  const { page, context } = await open(browser, sample('thrown'));
  assert.equal(await page.getByRole('tab', { name: /Joints/ }).count(), 0);
  assert.equal(await overlay(page, 'joints').getAttribute('aria-disabled'), 'true');
  await context.close();
});
