// Energy stored in the contact over the normal impulse.

import { padded } from '../plots/scale.js';
import { svg } from '../ui/dom.js';
import { frame, markLabels, markShape, pathThrough, splitAtCompression } from './axes.js';

/** @param {import('../data/hodographs.js').Hodograph} hodograph */
export function energyFigure(hodograph, { width = 340, height = 240, seek = null } = {}) {
  const { samples, marks } = hodograph;
  const energies = [...samples, ...marks].map((p) => p.E);
  const end = Math.max(...samples.map((p) => p.Iz), 0);
  const xRange = [0, end > 0 ? 1.04 * end : 1];
  const [low, high] = [Math.min(0, ...energies), Math.max(0, ...energies)];
  const yRange = padded(low, high, 0.12);
  // Rounding at the end of an impact must not show as an axis below zero.
  if (low > -1e-3 * high) yRange[0] = -0.04 * (high || 1);
  const axes = frame({ width, height, xRange, yRange, xLabel: 'normal impulse Iz (N s)', yLabel: 'energy (J)' });
  const at = (p) => [axes.x(p.Iz), axes.y(p.E)];
  const [compression, restitution] = splitAtCompression(hodograph);
  const root = svg('svg', { viewBox: `0 0 ${width} ${height}`, class: 'figure energy', role: 'img', 'aria-label': 'Energy stored in the contact over the normal impulse' });
  root.append(axes.group);
  if (compression.length && restitution.length) {
    const [a, b] = [at(compression[compression.length - 1]), at(restitution[0])];
    root.append(svg('path', { d: pathThrough([a, b]), class: 'drop' }));
  }
  root.append(
    svg('path', { d: pathThrough(compression.map(at)), class: 'curve compression' }),
    svg('path', { d: pathThrough(restitution.map(at)), class: 'curve restitution' }),
    ...marks.map((mark) => markShape(mark.code, ...at(mark))),
    ...markLabels(marks.map((mark) => ({ x: at(mark)[0], y: at(mark)[1], text: mark.code })), axes.right),
  );
  const line = svg('line', { y1: axes.top, y2: axes.bottom, class: 'fig-cursor-line', visibility: 'hidden' });
  const cursor = svg('circle', { r: 5, class: 'fig-cursor', visibility: 'hidden' });
  root.append(line, cursor);
  if (seek) {
    root.classList.add('seekable');
    const go = (event) => {
      const box = root.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * width;
      seek(xRange[0] + ((x - axes.left) / (axes.right - axes.left)) * (xRange[1] - xRange[0]));
    };
    root.addEventListener('pointerdown', (event) => {
      root.setPointerCapture(event.pointerId);
      go(event);
    });
    root.addEventListener('pointermove', (event) => event.buttons & 1 && go(event));
  }
  return {
    element: root,
    move(sample) {
      for (const part of [line, cursor]) part.setAttribute('visibility', sample ? 'visible' : 'hidden');
      if (!sample) return;
      const [x, y] = at(sample);
      line.setAttribute('x1', String(x));
      line.setAttribute('x2', String(x));
      cursor.setAttribute('cx', String(x));
      cursor.setAttribute('cy', String(y));
    },
  };
}
