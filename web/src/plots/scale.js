// Axes of plots: where ticks stand and how they are written.

import { niceBelow } from './nice.js';

const kMinus = '\u2212';
const kSuperscripts = { '-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹' };

/** 10ⁿ as text. */
export const powerOfTen = (n) => `10${String(n).replace(/./g, (c) => kSuperscripts[c])}`;

/** Ranges finer than this share of their values are rounding: nothing is to be seen in them. */
const kLeastRange = 1e-12;
/** Multiples of a step are counted without gaps only up to here. */
const kMostCount = 2 ** 52;

/**
 * Ticks at multiples of 1, 2 or 5 times a power of ten, each written so that it differs from the others.
 * @param {number} low @param {number} high @param {number} about how many
 * @returns {{at: number, text: string}[]}
 */
export function linearTicks(low, high, about) {
  const step = niceStep((high - low) / Math.max(about, 1));
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (!(step > 0) || !(step < Infinity) || !(size / step < kMostCount)) return [];
  const ticks = [];
  const decimals = Math.min(Math.max(-Math.floor(Math.log10(step) + 1e-9), 0), 100);
  const exponential = size >= 1e5 || step < 1e-4;
  const last = Math.floor(high / step + 1e-9);
  for (let i = Math.ceil(low / step - 1e-9); i <= last; ++i) {
    const at = i * step;
    const text = exponential ? short(at, step) : at.toFixed(decimals);
    ticks.push({ at, text: typeset(text) });
  }
  return ticks;
}

const typeset = (text) => text.replace(/^-/, kMinus).replace('e-', `e${kMinus}`).replace('e+', 'e');

function short(value, step) {
  if (value === 0) return '0';
  const digits = Math.floor(Math.log10(Math.abs(value)) + 1e-9) - Math.floor(Math.log10(step) + 1e-9);
  return value.toExponential(Math.min(Math.max(digits, 0), 16));
}

/** One tick alone does not tell how long the axis is. */
function severalTicks(low, high, about) {
  const ticks = linearTicks(low, high, about);
  return ticks.length > 1 ? ticks : linearTicks(low, high, 2 * about);
}

/**
 * Ticks for a narrow margin: where the numbers would be longer than `most` characters, they are what comes on top of a
 * base, in units of a power of ten; `above` tells both ("3.5 in 10⁻⁹") and is null if there is no base.
 * @returns {{ticks: {at: number, text: string}[], above: string | null}}
 */
export function shortTicks(low, high, about, most = 7) {
  const ticks = severalTicks(low, high, about);
  if (ticks.every(({ text }) => text.length <= most)) return { ticks, above: null };
  // The digits that all values of the range share.
  const unit = 10 ** Math.ceil(Math.log10(high - low));
  const base = Math.floor(low / unit) * unit;
  if (base === 0) return { ticks, above: null };
  const decimals = Math.max(-Math.round(Math.log10(unit)), 0);
  const text = typeset(Math.abs(base) >= 1e6 || decimals > 12 ? short(base, unit) : base.toFixed(decimals));
  const power = Math.round(Math.log10(unit)) - 1;
  const factor = power < -3 || power > 3 ? 10 ** power : 1;
  return {
    ticks: severalTicks((low - base) / factor, (high - base) / factor, about).map(({ at, text: more }) => ({ at: base + at * factor, text: at > 0 ? `+${more}` : more })),
    above: factor === 1 ? text : `${text} in ${powerOfTen(power)}`,
  };
}

/** 1, 2 or 5 times a power of ten, not below the value. */
function niceStep(raw) {
  const below = niceBelow(raw);
  if (raw <= below * 1.000001) return below;
  return niceBelow(below * 2.5000001);
}

/** Decades; every so many that there are not too many. */
export function decadeTicks(low, high, about) {
  const first = Math.ceil(low - 1e-9);
  const last = Math.floor(high + 1e-9);
  const stride = Math.max(1, Math.ceil((last - first + 1) / Math.max(about, 1)));
  const ticks = [];
  for (let n = Math.ceil(first / stride) * stride; n <= last; n += stride) ticks.push({ at: n, text: powerOfTen(n) });
  return ticks;
}

/** A range with some room, never empty, and never so narrow that only rounding is seen. */
export function padded(low, high, share = 0.06) {
  if (!(high >= low)) return [0, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low <= kLeastRange * size) {
    const room = size > 0 ? 0.1 * size : 1;
    return [low - room, high + room];
  }
  const room = share * (high - low);
  return [low - room, high + room];
}
