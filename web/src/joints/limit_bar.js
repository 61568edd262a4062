// A coordinate on a bar between its limits; without limits between the least and the most that it had.

import { el } from '../ui/dom.js';
import { number } from '../ui/format.js';

const degrees = (value) => `${number((180 / Math.PI) * value, 3)}°`;

/** Least and most of finite numbers. */
function rangeOf(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return high >= low ? [low, high] : [0, 0];
}

export class LimitBar {
  /** @param {{name: string, label: string, unit: string, limit: (number | null)[], range: ArrayLike<number>}} options */
  constructor({ name, label, unit, limit, range }) {
    this.unit = unit;
    const had = rangeOf(range);
    this.isLimit = [0, 1].map((i) => typeof limit?.[i] === 'number');
    const ends = [0, 1].map((i) => (this.isLimit[i] ? limit[i] : had[i]));
    // An open end leaves room for what lies beyond it; limits may be passed a little.
    const span = ends[1] - ends[0] || Math.max(Math.abs(ends[0]), 1e-9);
    this.low = ends[0] - 0.06 * span;
    this.high = ends[1] + 0.06 * span;
    const percent = (value) => `${(100 * (value - this.low)) / (this.high - this.low)}%`;
    this.value = el('span', { class: 'bar-value', 'data-field': `bar.${name}` });
    this.marker = el('i', { class: 'bar-marker' });
    const end = (i) => el('span', { class: this.isLimit[i] ? 'bar-end' : 'bar-end open', style: `left: ${percent(ends[i])}`, title: this.isLimit[i] ? 'limit' : 'as far as it went' }, this.text(ends[i]));
    this.element = el('div', { class: 'limit-bar' },
      el('div', { class: 'bar-head' }, el('span', {}, label), this.value),
      el('div', { class: 'bar-track', role: 'meter', 'aria-label': label, 'aria-valuemin': ends[0], 'aria-valuemax': ends[1] },
        el('i', { class: this.isLimit[0] || this.isLimit[1] ? 'bar-range' : 'bar-range open', style: `left: ${percent(ends[0])}; right: calc(100% - ${percent(ends[1])})` }),
        this.low < 0 && this.high > 0 ? el('i', { class: 'bar-zero', style: `left: ${percent(0)}` }) : null,
        this.marker),
      el('div', { class: 'bar-ends' }, end(0), end(1)));
    this.meter = this.element.querySelector('[role=meter]');
    this.limits = ends;
  }

  text(value) {
    return this.unit === 'rad' ? `${number(value, 4)} rad` : `${number(value, 4)} ${this.unit}`;
  }

  /** @param {number} value NaN where there is none */
  set(value) {
    const isThere = Number.isFinite(value);
    this.marker.hidden = !isThere;
    this.value.textContent = !isThere ? '–' : this.unit === 'rad' ? `${this.text(value)}  ${degrees(value)}` : this.text(value);
    if (!isThere) return;
    const share = (value - this.low) / (this.high - this.low);
    this.marker.style.left = `${100 * Math.min(Math.max(share, 0), 1)}%`;
    const slack = 1e-3 * (this.high - this.low);
    const atLimit = (this.isLimit[0] && value <= this.limits[0] + slack) || (this.isLimit[1] && value >= this.limits[1] - slack);
    this.marker.classList.toggle('at-limit', atLimit);
    this.meter.setAttribute('aria-valuenow', String(value));
  }
}
