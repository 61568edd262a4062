// A plot over time on two canvases: one for the curves, drawn seldom, one for the cursor, drawn always.

import { lastAtOrBefore } from '../data/recording.js';
import { el, freshId } from '../ui/dom.js';
import { clock, clockDecimals, number } from '../ui/format.js';
import { cssColour } from '../ui/theme.js';
import { decadeTicks, linearTicks, padded, shortTicks } from './scale.js';

const kLeft = 54;
const kRight = 14;
const kTop = 8;
const kBottom = 20;
const kHeight = 132;

/**
 * @typedef {{name: string, colour: string, values: ArrayLike<number>, dashed?: boolean, hidden?: boolean}} Series
 *   colour: name of a variable of the style sheet
 * @typedef {{title: string, unit: string, log?: boolean, time: ArrayLike<number>, series: Series[],
 *            seek: (time: number) => void, zoom: (factor: number, about: number) => void}} ChartOptions
 */

export class Chart {
  /** @param {ChartOptions} options */
  constructor({ title, unit, log = false, time, series, seek, zoom }) {
    this.title = title;
    this.unit = unit;
    this.log = log;
    this.time = time;
    this.series = series;
    this.seek = seek;
    this.zoom = zoom;
    this.window = [time[0] ?? 0, time[time.length - 1] ?? 1];
    this.cursor = this.window[0];
    this.hover = null;
    this.build();
  }

  build() {
    const heading = freshId('chart');
    this.base = el('canvas', { class: 'chart-base' });
    this.front = el('canvas', { class: 'chart-front' });
    this.plot = el(
      'div',
      { class: 'chart-plot', tabindex: 0, role: 'slider', 'aria-labelledby': heading, 'aria-valuemin': this.window[0], 'aria-valuemax': this.window[1] },
      this.base,
      this.front,
    );
    this.values = this.series.map(() => el('span', { class: 'chart-value' }));
    const legend = this.series.map((series, i) => {
      const swatch = el('i', { class: series.dashed ? 'swatch dashed' : 'swatch', style: `--c: var(${series.colour})`, 'aria-hidden': 'true' });
      const button = el(
        'button',
        { type: 'button', class: 'chart-series', 'aria-pressed': 'true', title: `Show or hide ${series.name}`, onclick: () => this.toggle(i, button) },
        swatch,
        el('span', {}, series.name),
        this.values[i],
      );
      return button;
    });
    this.unitText = el('span', { class: 'unit' }, this.unit);
    this.element = el(
      'section',
      { class: 'chart' },
      el('header', {}, el('h3', { id: heading }, this.title, ' ', this.unitText), el('div', { class: 'chart-legend' }, legend)),
      this.plot,
    );
    this.bind();
    new ResizeObserver(() => this.resize()).observe(this.plot);
  }

  bind() {
    const timeAt = (event) => {
      const box = this.plot.getBoundingClientRect();
      return this.timeOf(event.clientX - box.left);
    };
    this.plot.addEventListener('pointermove', (event) => {
      const time = timeAt(event);
      if (event.buttons & 1) this.seek(time);
      this.setHover(time);
    });
    this.plot.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      this.plot.setPointerCapture(event.pointerId);
      this.seek(timeAt(event));
    });
    // As a pinch on a touchpad comes; the plain wheel scrolls the page.
    this.plot.addEventListener('wheel', (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.zoom(Math.exp(-0.01 * event.deltaY), timeAt(event));
    }, { passive: false });
    this.plot.addEventListener('pointerleave', () => this.setHover(null));
  }

  toggle(i, button) {
    this.series[i].hidden = !this.series[i].hidden;
    button.setAttribute('aria-pressed', String(!this.series[i].hidden));
    this.drawBase();
    this.drawFront();
  }

  timeOf(x) {
    const share = (x - kLeft) / Math.max(this.width - kLeft - kRight, 1);
    return this.window[0] + Math.min(Math.max(share, 0), 1) * (this.window[1] - this.window[0]);
  }

  xOf(time) {
    return kLeft + ((time - this.window[0]) / (this.window[1] - this.window[0] || 1)) * (this.width - kLeft - kRight);
  }

  yOf(value) {
    const height = this.log ? Math.log10(value) : value;
    return kTop + (1 - (height - this.range[0]) / (this.range[1] - this.range[0])) * (this.height - kTop - kBottom);
  }

  /** @param {[number, number]} window shared by all plots */
  setWindow(window) {
    this.window = window;
    this.drawBase();
    this.drawFront();
  }

  setCursor(time) {
    this.cursor = time;
    this.drawFront();
  }

  setHover(time) {
    this.hover = time;
    this.drawFront();
  }

  resize() {
    this.width = this.plot.clientWidth;
    this.height = kHeight;
    if (!this.width) return;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    for (const canvas of [this.base, this.front]) {
      canvas.width = Math.round(this.width * ratio);
      canvas.height = Math.round(this.height * ratio);
      canvas.style.width = `${this.width}px`;
      canvas.style.height = `${this.height}px`;
      canvas.getContext('2d').setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    this.drawBase();
    this.drawFront();
  }

  /** Indices of the samples in the window, with one more at each end. */
  span() {
    const first = Math.max(lastAtOrBefore(this.time, this.window[0]), 0);
    const last = Math.min(lastAtOrBefore(this.time, this.window[1]) + 1, this.time.length - 1);
    return [first, last];
  }

  findRange() {
    const [first, last] = this.span();
    let low = Infinity;
    let high = -Infinity;
    for (const { values, hidden } of this.series) {
      if (hidden) continue;
      for (let i = first; i <= last; ++i) {
        const value = this.log ? Math.log10(values[i]) : values[i];
        if (!Number.isFinite(value)) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    if (!this.log) return padded(low, high);
    if (!(high >= low)) return [-16, 0];
    return [Math.floor(Math.max(low, high - 20)), Math.max(Math.ceil(high), Math.floor(Math.max(low, high - 20)) + 1)];
  }

  drawBase() {
    if (!this.width) return;
    const g = this.base.getContext('2d');
    g.clearRect(0, 0, this.width, this.height);
    this.range = this.findRange();
    this.drawAxes(g);
    g.save();
    g.beginPath();
    g.rect(kLeft, kTop - 2, this.width - kLeft - kRight, this.height - kTop - kBottom + 4);
    g.clip();
    // The first series is the one that matters most: on top.
    for (const series of [...this.series].reverse()) if (!series.hidden) this.drawCurve(g, series);
    g.restore();
  }

  drawAxes(g) {
    const right = this.width - kRight;
    const bottom = this.height - kBottom;
    g.font = `11px ${cssColour('--font')}`;
    g.lineWidth = 1;
    g.textBaseline = 'middle';
    g.textAlign = 'right';
    const { ticks, above } = this.log ? { ticks: decadeTicks(...this.range, 5), above: null } : shortTicks(...this.range, 4);
    this.unitText.textContent = above === null ? this.unit : `${this.unit}, above ${above}`;
    for (const { at, text } of ticks) {
      const y = Math.round(this.yOf(this.log ? 10 ** at : at)) + 0.5;
      g.strokeStyle = cssColour('--grid-line');
      line(g, kLeft, y, right, y);
      g.fillStyle = cssColour('--muted');
      g.fillText(text, kLeft - 8, y);
    }
    g.textBaseline = 'top';
    const times = linearTicks(...this.window, Math.max(2, Math.floor((right - kLeft) / 75)));
    times.forEach(({ at, text }, i) => {
      const x = this.xOf(at);
      g.textAlign = x > right - 20 ? 'right' : x < kLeft + 10 ? 'left' : 'center';
      g.fillStyle = cssColour('--muted');
      g.fillText(i === times.length - 1 ? `${text} s` : text, x, bottom + 6);
      g.strokeStyle = cssColour('--axis');
      line(g, Math.round(x) + 0.5, bottom, Math.round(x) + 0.5, bottom + 4);
    });
    g.strokeStyle = cssColour('--axis');
    line(g, kLeft, bottom + 0.5, right, bottom + 0.5);
  }

  /** Long curves are drawn as the least and the most of every column of pixels: nothing sticks out unseen. */
  drawCurve(g, { values, colour, dashed }) {
    const [first, last] = this.span();
    g.strokeStyle = cssColour(colour);
    g.lineWidth = 1.5;
    g.lineJoin = 'round';
    g.setLineDash(dashed ? [5, 3] : []);
    g.beginPath();
    const floor = this.height - kBottom;
    const y = (i) => {
      if (this.log && values[i] === 0) return floor;
      const at = this.yOf(values[i]);
      return Number.isFinite(at) ? Math.min(Math.max(at, -1e4), 1e4) : NaN;
    };
    const many = last - first > 2 * this.width;
    let pen = false;
    if (!many) {
      for (let i = first; i <= last; ++i) {
        const at = y(i);
        if (Number.isNaN(at)) pen = false;
        else if (pen) g.lineTo(this.xOf(this.time[i]), at);
        else g.moveTo(this.xOf(this.time[i]), at);
        pen = !Number.isNaN(at);
      }
    } else {
      let i = first;
      while (i <= last) {
        const column = Math.floor(this.xOf(this.time[i]));
        let [low, high] = [Infinity, -Infinity];
        let [enter, leave] = [NaN, NaN];
        // The first one belongs to its column whatever that is, so that every turn goes on.
        for (let next = true; next; next = i <= last && Math.floor(this.xOf(this.time[i])) === column) {
          const at = y(i++);
          if (Number.isNaN(at)) continue;
          if (Number.isNaN(enter)) enter = at;
          leave = at;
          low = Math.min(low, at);
          high = Math.max(high, at);
        }
        if (Number.isNaN(enter)) {
          pen = false;
          continue;
        }
        if (pen) g.lineTo(column + 0.5, enter);
        else g.moveTo(column + 0.5, enter);
        g.lineTo(column + 0.5, low);
        g.lineTo(column + 0.5, high);
        g.lineTo(column + 0.5, leave);
        pen = true;
      }
    }
    g.stroke();
    g.setLineDash([]);
  }

  /** The sample nearest to a moment. */
  nearest(time) {
    const k = Math.max(lastAtOrBefore(this.time, time), 0);
    const next = Math.min(k + 1, this.time.length - 1);
    return Math.abs(this.time[next] - time) < Math.abs(time - this.time[k]) ? next : k;
  }

  drawFront() {
    if (!this.width || !this.range) return;
    const g = this.front.getContext('2d');
    g.clearRect(0, 0, this.width, this.height);
    const bottom = this.height - kBottom;
    const draw = (time, colour, width) => {
      const x = this.xOf(time);
      if (x < kLeft - 1 || x > this.width - kRight + 1) return;
      g.strokeStyle = cssColour(colour);
      g.lineWidth = width;
      line(g, x, kTop - 2, x, bottom);
    };
    if (this.hover !== null) draw(this.hover, '--muted', 1);
    draw(this.cursor, '--accent', 1.5);
    const shown = this.hover ?? this.cursor;
    const i = this.nearest(shown);
    const texts = this.series.map(({ values, colour, hidden }, s) => {
      const value = values[i];
      const text = number(value, 5);
      this.values[s].textContent = text;
      const at = this.yOf(value);
      const x = this.xOf(this.time[i]);
      if (!hidden && Number.isFinite(at) && x >= kLeft - 1 && x <= this.width - kRight + 1) {
        g.fillStyle = cssColour(colour);
        g.strokeStyle = cssColour('--panel');
        g.lineWidth = 1.5;
        g.beginPath();
        g.arc(x, at, 3.5, 0, 2 * Math.PI);
        g.fill();
        g.stroke();
      }
      return `${this.series[s].name} ${text} ${this.unit}`;
    });
    if (this.hover !== null) {
      const label = `${clock(this.hover, clockDecimals(this.window[1] - this.window[0]))} s`;
      g.font = `11px ${cssColour('--font')}`;
      const right = this.xOf(this.hover) > this.width - kRight - 70;
      g.textAlign = right ? 'right' : 'left';
      g.textBaseline = 'top';
      g.fillStyle = cssColour('--muted');
      g.fillText(label, this.xOf(this.hover) + (right ? -6 : 6), kTop - 2);
    }
    this.plot.setAttribute('aria-valuenow', String(this.cursor));
    this.plot.setAttribute('aria-valuetext', `${clock(this.cursor, clockDecimals(this.window[1] - this.window[0]))} s: ${texts.join(', ')}`);
  }
}

function line(g, x0, y0, x1, y1) {
  g.beginPath();
  g.moveTo(x0, y0);
  g.lineTo(x1, y1);
  g.stroke();
}
