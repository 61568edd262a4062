// Axes of plots: ticks for any range, in bounded time, that can be told apart.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linearTicks, padded, shortTicks } from '../src/plots/scale.js';

const areDistinct = (ticks) => new Set(ticks.map(({ text }) => text)).size === ticks.length;
const near = (a, b, tolerance, what = '') => assert.ok(Math.abs(a - b) <= tolerance, `${what} ${a} is not ${b} within ${tolerance}`);
/** As Number() reads it. */
const read = (text) => Number(text.replace(/\u2212/g, '-'));

test('plain ranges have ticks at multiples of 1, 2 or 5 times a power of ten', () => {
  assert.deepEqual(linearTicks(0, 1, 4).map(({ text }) => text), ['0.0', '0.5', '1.0']);
  assert.deepEqual(linearTicks(-12, 9, 4).map(({ at }) => at), [-10, 0]);
  assert.deepEqual(linearTicks(0, 2, 5).map(({ text }) => text), ['0.0', '0.5', '1.0', '1.5', '2.0']);
});

test('a range of a few units in the last place, empty, or not finite ends at once', () => {
  for (const [low, high] of [[158.74342307692294, 158.74342307692297], [1, 1], [1e300, 1e300 * (1 + 2 ** -51)], [-1e308, 1e308], [NaN, 1], [0, Infinity]]) {
    assert.ok(linearTicks(low, high, 4).length <= 12, `${low} … ${high}`);
    assert.ok(shortTicks(low, high, 4).ticks.length <= 12, `${low} … ${high}`);
  }
});

test('rounding gets the same room as a constant', () => {
  const [low, high] = padded(158.74342307692294, 158.74342307692297);
  assert.ok(low < 150 && high > 165);
  assert.deepEqual(padded(0, 0), [-1, 1]);
  const ticks = shortTicks(low, high, 4);
  assert.ok(ticks.ticks.length >= 2 && areDistinct(ticks.ticks));
  // A change of 1e-11 of the value is no rounding and fills the axis.
  const fine = padded(158, 158 * (1 + 1e-11));
  assert.ok(fine[1] - fine[0] < 2e-9);
});

test('labels fit beside the plot and differ, and with the base they tell where they stand', () => {
  for (const middle of [158.743423, -0.7, 4.2e-7, 31415926.5, -2.5e12, 9.99999]) {
    for (let power = -1; power >= -11; --power) {
      const half = Math.abs(middle) * 10 ** power;
      const { ticks, above } = shortTicks(...padded(middle - half, middle + half), 4);
      const what = `${middle} ± ${half}: ${above} ${ticks.map(({ text }) => text)}`;
      assert.ok(ticks.length >= 2 && ticks.length <= 12, what);
      assert.ok(areDistinct(ticks), what);
      const [base, unit = '10⁰'] = (above ?? '0').split(' in ');
      const factor = 10 ** Number([...unit.slice(2)].map((c) => (c === '⁻' ? '-' : '⁰¹²³⁴⁵⁶⁷⁸⁹'.indexOf(c))).join(''));
      for (const { at, text } of ticks) {
        assert.ok(text.length <= 7, what);
        near(read(base) + factor * read(text), at, 0.01 * half + 1e-15 * Math.abs(middle), what);
      }
    }
  }
});
