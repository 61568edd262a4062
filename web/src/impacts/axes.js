// Frames of small SVG figures.

import { linearTicks, powerOfTen } from '../plots/scale.js';
import { svg } from '../ui/dom.js';

/**
 * @typedef {{x: (value: number) => number, y: (value: number) => number, group: SVGGElement,
 *            left: number, top: number, right: number, bottom: number}} Frame
 * @param {{width: number, height: number, xRange: number[], yRange: number[], xLabel: string, yLabel: string}} options
 * @returns {Frame}
 */
export function frame({ width, height, xRange, yRange, xLabel, yLabel }) {
  const [left, top, right, bottom] = [52, 14, width - 14, height - 40];
  const x = (value) => left + ((value - xRange[0]) / (xRange[1] - xRange[0])) * (right - left);
  const y = (value) => bottom - ((value - yRange[0]) / (yRange[1] - yRange[0])) * (bottom - top);
  const group = svg('g', { class: 'fig-axes' });
  const [xTicks, xFactor] = factored(xRange, 4);
  const [yTicks, yFactor] = factored(yRange, 5);
  for (const { at, text } of xTicks) {
    group.append(
      svg('line', { x1: x(at), x2: x(at), y1: top, y2: bottom, class: at === 0 ? 'zero' : 'grid' }),
      svg('text', { x: x(at), y: bottom + 15, 'text-anchor': 'middle' }, text),
    );
  }
  for (const { at, text } of yTicks) {
    group.append(
      svg('line', { x1: left, x2: right, y1: y(at), y2: y(at), class: at === 0 ? 'zero' : 'grid' }),
      svg('text', { x: left - 7, y: y(at) + 3.5, 'text-anchor': 'end' }, text),
    );
  }
  group.append(
    svg('text', { x: (left + right) / 2, y: height - 8, 'text-anchor': 'middle', class: 'label' }, unitOf(xLabel, xFactor)),
    svg('text', { x: 0, y: 0, 'text-anchor': 'middle', class: 'label', transform: `translate(12 ${(top + bottom) / 2}) rotate(-90)` }, unitOf(yLabel, yFactor)),
  );
  return { x, y, group, left, top, right, bottom };
}

/** Ticks of a range, in units of a power of thousand where the numbers would be long. */
function factored(range, about) {
  const size = Math.max(Math.abs(range[0]), Math.abs(range[1]));
  const power = size >= 1e4 || size < 0.02 ? 3 * Math.floor(Math.log10(size) / 3) : 0;
  const factor = 10 ** power;
  const ticks = linearTicks(range[0] / factor, range[1] / factor, about).map(({ at, text }) => ({ at: at * factor, text }));
  return [ticks, power];
}

/** "energy (J)" becomes "energy (10⁻³ J)". */
const unitOf = (label, power) => (power === 0 ? label : label.replace('(', `(${powerOfTen(power)} `));

/** A polyline's path through points on the page. @param {number[][]} points */
export const pathThrough = (points) => points.map(([x, y], i) => `${i ? 'L' : 'M'}${x.toFixed(2)} ${y.toFixed(2)}`).join('');

/** Samples up to the end of compression and from there on; at c the energy jumps, so the second part starts after it. */
export function splitAtCompression(hodograph) {
  const { samples, marks } = hodograph;
  const end = marks.find((mark) => mark.code === 'c');
  if (!end) return [samples, []];
  let last = 0;
  samples.forEach((p, i) => {
    if (p.Iz <= end.Iz * (1 + 1e-6)) last = i;
  });
  // Two samples at c: before and after the loss.
  const twin = last > 0 && Math.abs(samples[last].Iz - samples[last - 1].Iz) <= 1e-6 * Math.abs(end.Iz);
  return twin ? [samples.slice(0, last), samples.slice(last)] : [samples.slice(0, last + 1), samples.slice(last)];
}

const kShapes = {
  c: (x, y) => svg('circle', { cx: x, cy: y, r: 4, class: 'mark-c' }),
  s: (x, y) => svg('circle', { cx: x, cy: y, r: 7, class: 'mark-s' }),
  l: (x, y) => svg('path', { d: `M${x} ${y - 6}l6 10h-12z`, class: 'mark-l' }),
  r: (x, y) => svg('rect', { x: x - 3.5, y: y - 3.5, width: 7, height: 7, class: 'mark-r' }),
  0: (x, y) => svg('circle', { cx: x, cy: y, r: 3, class: 'mark-start' }),
};

/** @param {string} code 's', 'l', 'c', 'r', or '0' for the start */
export const markShape = (code, x, y) => (kShapes[code] ?? kShapes[0])(x, y);

/** Letters beside marks; those that fall on one place are put together. */
export function markLabels(places, right) {
  const groups = [];
  for (const place of places) {
    const near = groups.find((group) => Math.hypot(group.x - place.x, group.y - place.y) < 9);
    if (near) near.text += ` ${place.text}`;
    else groups.push({ ...place });
  }
  return groups.map(({ x, y, text }) => {
    const turned = x > right - 14 - 7 * text.length;
    return svg('text', { x: x + (turned ? -10 : 10), y: y - 8, 'text-anchor': turned ? 'end' : 'start', class: 'mark-label' }, text);
  });
}
