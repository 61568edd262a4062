// Axes of plots: where ticks stand and how they are written.

import { niceBelow } from './nice.js';

const kMinus = '\u2212';
const kSuperscripts = { '-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹' };

/** 10ⁿ as text. */
export const powerOfTen = (n) => `10${String(n).replace(/./g, (c) => kSuperscripts[c])}`;

/**
 * Ticks at multiples of 1, 2 or 5 times a power of ten.
 * @param {number} low @param {number} high @param {number} about how many
 * @returns {{at: number, text: string}[]}
 */
export function linearTicks(low, high, about) {
  const step = niceStep((high - low) / Math.max(about, 1));
  const ticks = [];
  const size = Math.max(Math.abs(low), Math.abs(high));
  const decimals = Math.min(Math.max(-Math.floor(Math.log10(step) + 1e-9), 0), 12);
  const exponential = size >= 1e5 || step < 1e-4;
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i) {
    const at = i * step;
    const text = exponential ? short(at, step) : at.toFixed(decimals);
    ticks.push({ at, text: text.replace(/^-/, kMinus).replace('e-', `e${kMinus}`).replace('e+', 'e') });
  }
  return ticks;
}

function short(value, step) {
  if (value === 0) return '0';
  const digits = Math.floor(Math.log10(Math.abs(value)) + 1e-9) - Math.floor(Math.log10(step) + 1e-9);
  return value.toExponential(Math.min(Math.max(digits, 0), 8));
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

/** A range with some room, never empty. */
export function padded(low, high, share = 0.06) {
  if (!(high >= low)) return [0, 1];
  if (high === low) {
    const room = Math.abs(high) > 0 ? 0.1 * Math.abs(high) : 1;
    return [low - room, high + room];
  }
  const room = share * (high - low);
  return [low - room, high + room];
}
