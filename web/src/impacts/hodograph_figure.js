// The sliding velocity during an impact, as a curve in the tangent plane, with the directions that keep themselves.

import { svg } from '../ui/dom.js';
import { frame, markLabels, markShape, pathThrough, splitAtCompression } from './axes.js';

/** There are at most four unless every direction is invariant. */
const kMostRays = 16;

/**
 * @param {import('../data/hodographs.js').Hodograph} hodograph
 * @param {{size?: number, bare?: boolean}} [options] bare: for galleries, without axes
 */
export function hodographFigure(hodograph, { size = 340, bare = false } = {}) {
  const { samples, marks, rays } = hodograph;
  const points = [...samples, ...marks];
  const [xRange, yRange] = squareRanges(points);
  const axes = bare
    ? bareFrame(size, xRange, yRange)
    : frame({ width: size, height: size, xRange, yRange, xLabel: 'vx (m/s)', yLabel: 'vy (m/s)' });
  const at = (p) => [axes.x(p.vx), axes.y(p.vy)];
  const root = svg('svg', { viewBox: `0 0 ${size} ${size}`, class: 'figure hodograph', role: 'img', 'aria-label': describe(hodograph) });
  root.append(axes.group, ...(rays.length <= kMostRays ? rays.map((ray) => rayShape(ray, axes)) : []));
  const [compression, restitution] = splitAtCompression(hodograph);
  root.append(
    svg('path', { d: pathThrough(compression.map(at)), class: 'curve compression' }),
    svg('path', { d: pathThrough(restitution.map(at)), class: 'curve restitution' }),
  );
  const middle = arrowAlong(samples.map(at));
  if (middle) root.append(middle);
  if (samples.length) root.append(markShape('0', ...at(samples[0])));
  const order = [...marks].sort((a, b) => 'slcr'.indexOf(a.code) - 'slcr'.indexOf(b.code));
  root.append(...order.map((mark) => markShape(mark.code, ...at(mark))));
  if (!bare) root.append(...markLabels(marks.map((mark) => ({ x: at(mark)[0], y: at(mark)[1], text: mark.code })), axes.right));
  const cursor = svg('circle', { r: 5, class: 'fig-cursor', visibility: 'hidden' });
  root.append(cursor);
  return {
    element: root,
    /** @param {import('../data/hodographs.js').Sample | null} sample */
    move(sample) {
      cursor.setAttribute('visibility', sample ? 'visible' : 'hidden');
      if (!sample) return;
      cursor.setAttribute('cx', String(at(sample)[0]));
      cursor.setAttribute('cy', String(at(sample)[1]));
    },
  };
}

/** Equal scales in both directions, the origin inside. */
function squareRanges(points) {
  let [x0, x1, y0, y1] = [0, 0, 0, 0];
  for (const { vx, vy } of points) {
    [x0, x1, y0, y1] = [Math.min(x0, vx), Math.max(x1, vx), Math.min(y0, vy), Math.max(y1, vy)];
  }
  const span = Math.max(x1 - x0, y1 - y0) * 1.3 || 1;
  const [cx, cy] = [(x0 + x1) / 2, (y0 + y1) / 2];
  return [[cx - span / 2, cx + span / 2], [cy - span / 2, cy + span / 2]];
}

function bareFrame(size, xRange, yRange) {
  const room = 10;
  const x = (value) => room + ((value - xRange[0]) / (xRange[1] - xRange[0])) * (size - 2 * room);
  const y = (value) => size - room - ((value - yRange[0]) / (yRange[1] - yRange[0])) * (size - 2 * room);
  const group = svg('g', { class: 'fig-axes' },
    svg('line', { x1: room, x2: size - room, y1: y(0), y2: y(0), class: 'zero' }),
    svg('line', { x1: x(0), x2: x(0), y1: room, y2: size - room, class: 'zero' }));
  return { x, y, group, left: room, top: room, right: size - room, bottom: size - room };
}

/** A ray from the origin to the frame; its arrow points the way sliding goes on it. */
function rayShape({ x, y, centrifugal, attracting }, axes) {
  const [ox, oy] = [axes.x(0), axes.y(0)];
  const [dx, dy] = [axes.x(x) - ox, axes.y(y) - oy];
  const reach = Math.min(
    dx > 0 ? (axes.right - ox) / dx : dx < 0 ? (axes.left - ox) / dx : Infinity,
    dy > 0 ? (axes.bottom - oy) / dy : dy < 0 ? (axes.top - oy) / dy : Infinity,
  );
  if (!Number.isFinite(reach)) return svg('g');
  const turn = (Math.atan2(dy, dx) * 180) / Math.PI + (centrifugal ? 0 : 180);
  const kind = `${centrifugal ? 'centrifugal' : 'centripetal'}${attracting ? ' attracting' : ''}`;
  return svg('g', { class: `ray ${kind}` },
    svg('line', { x1: ox, y1: oy, x2: ox + reach * dx, y2: oy + reach * dy }),
    svg('path', { d: 'M6 0l-9 4.5v-9z', transform: `translate(${ox + 0.62 * reach * dx} ${oy + 0.62 * reach * dy}) rotate(${turn})` }),
    svg('title', {}, `invariant direction, ${kind}`));
}

/** An arrow half way along a curve. */
function arrowAlong(points) {
  let total = 0;
  const lengths = points.map((p, i) => (total += i ? Math.hypot(p[0] - points[i - 1][0], p[1] - points[i - 1][1]) : 0));
  if (total < 30) return null;
  const k = lengths.findIndex((length) => length >= 0.45 * total);
  const [a, b] = [points[Math.max(k - 1, 0)], points[k]];
  const turn = (Math.atan2(b[1] - a[1], b[0] - a[0]) * 180) / Math.PI;
  return svg('path', { d: 'M5 0l-8 4v-8z', class: 'curve-arrow', transform: `translate(${b[0]} ${b[1]}) rotate(${turn})` });
}

function describe({ samples, marks, rays }) {
  const events = marks.map((mark) => mark.code).join(', ') || 'none';
  return `Hodograph of the sliding velocity: ${samples.length} samples, events ${events}, ${rays.length} invariant directions`;
}
