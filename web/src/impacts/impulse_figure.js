// The impulse as a curve in space, seen from a side that the reader can turn; with the plane where compression ends
// (vz = 0) and the line along which the contact sticks (vx = vy = 0).

import { linearTicks } from '../plots/scale.js';
import { svg } from '../ui/dom.js';
import { markLabels, markShape, pathThrough, splitAtCompression } from './axes.js';

const kWidth = 340;
const kHeight = 340;

/**
 * @param {import('../data/hodographs.js').Hodograph} hodograph with impulses
 * @param {{W: number[][], v: number[]} | null | undefined} problem
 */
export function impulseFigure(hodograph, problem) {
  const samples = hodograph.samples.filter((p) => p.I);
  const ranges = [0, 1, 2].map((c) => rangeOf(samples.map((p) => p.I[c]), c === 2));
  // Too thin a box would make a noise of what is no curve at all.
  const widest = Math.max(ranges[0][1] - ranges[0][0], ranges[1][1] - ranges[1][0], 0.2 * (ranges[2][1] - ranges[2][0]));
  for (const c of [0, 1]) ranges[c] = widened(ranges[c], 0.35 * widest);
  let azimuth = 0.62;
  let elevation = 0.36;
  const unit = (I) => I.map((value, c) => (2 * (value - ranges[c][0])) / (ranges[c][1] - ranges[c][0]) - 1);
  const project = (I) => {
    const [x, y, z] = unit(I);
    const [s, t] = [x * Math.cos(azimuth) + y * Math.sin(azimuth), -x * Math.sin(azimuth) + y * Math.cos(azimuth)];
    return [kWidth / 2 + 8 + 92 * s, kHeight / 2 - 6 - 104 * (z * Math.cos(elevation) + t * Math.sin(elevation))];
  };
  const depth = (x, y) => -x * Math.sin(azimuth) + y * Math.cos(azimuth);

  const root = svg('svg', {
    viewBox: `0 0 ${kWidth} ${kHeight}`, class: 'figure impulse', role: 'img', tabindex: 0,
    'aria-label': 'Curve of the impulse; arrow keys turn it',
  });
  let sample = null;

  const draw = () => {
    root.replaceChildren();
    root.append(boxShape());
    if (problem) root.append(...planeAndLine());
    const at = (p) => project(p.I);
    const [compression, restitution] = splitAtCompression({ ...hodograph, samples });
    const floor = (p) => project([p.I[0], p.I[1], ranges[2][0]]);
    root.append(
      svg('path', { d: pathThrough(samples.map(floor)), class: 'curve-shadow' }),
      svg('path', { d: pathThrough(compression.map(at)), class: 'curve compression' }),
      svg('path', { d: pathThrough(restitution.map(at)), class: 'curve restitution' }),
    );
    if (samples.length) root.append(markShape('0', ...at(samples[0])));
    const marks = hodograph.marks.filter((mark) => mark.I);
    root.append(...marks.map((mark) => markShape(mark.code, ...at(mark))));
    root.append(...markLabels(marks.map((mark) => ({ x: at(mark)[0], y: at(mark)[1], text: mark.code })), kWidth - 10));
    if (sample?.I) {
      const [x, y] = at(sample);
      const [fx, fy] = floor(sample);
      root.append(svg('line', { x1: x, y1: y, x2: fx, y2: fy, class: 'fig-cursor-line' }), svg('circle', { cx: x, cy: y, r: 5, class: 'fig-cursor' }));
    }
  };

  /** The far walls, their grid, and the numbers along three edges. */
  function boxShape() {
    const group = svg('g', { class: 'fig-axes' });
    const [[x0, x1], [y0, y1], [z0, z1]] = ranges;
    const farX = depth(1, 0) > 0 ? x1 : x0;
    const farY = depth(0, 1) > 0 ? y1 : y0;
    const nearX = farX === x0 ? x1 : x0;
    const nearY = farY === y0 ? y1 : y0;
    const line = (a, b, kind) => {
      const [p, q] = [project(a), project(b)];
      group.append(svg('line', { x1: p[0], y1: p[1], x2: q[0], y2: q[1], class: kind }));
    };
    const text = (a, content, dx, dy, anchor, kind = '') => {
      const [x, y] = project(a);
      group.append(svg('text', { x: x + dx, y: y + dy, 'text-anchor': anchor, class: kind }, content));
    };
    const side = (a, b) => (project(a)[0] < project(b)[0] ? -1 : 1);
    for (const { at, text: content } of linearTicks(x0, x1, 3)) {
      line([at, y0, z0], [at, y1, z0], 'grid');
      line([at, farY, z0], [at, farY, z1], 'grid');
      text([at, nearY, z0], content, 4 * side([at, nearY, z0], [at, farY, z0]), 14, 'middle');
    }
    for (const { at, text: content } of linearTicks(y0, y1, 3)) {
      line([x0, at, z0], [x1, at, z0], 'grid');
      line([farX, at, z0], [farX, at, z1], 'grid');
      text([nearX, at, z0], content, 8 * side([nearX, at, z0], [farX, at, z0]), 13, side([nearX, at, z0], [farX, at, z0]) < 0 ? 'end' : 'start');
    }
    // Heights are written at the leftmost edge.
    const edge = [[x0, y0], [x0, y1], [x1, y0], [x1, y1]].sort((a, b) => project([...a, z0])[0] - project([...b, z0])[0])[0];
    for (const { at, text: content } of linearTicks(z0, z1, 4)) {
      line([farX, y0, at], [farX, y1, at], 'grid');
      line([x0, farY, at], [x1, farY, at], 'grid');
      text([...edge, at], content, -7, 3.5, 'end');
    }
    for (const [a, b] of [[[x0, y0], [x1, y0]], [[x1, y0], [x1, y1]], [[x1, y1], [x0, y1]], [[x0, y1], [x0, y0]]]) {
      line([...a, z0], [...b, z0], 'zero');
    }
    line([farX, farY, z0], [farX, farY, z1], 'zero');
    line([...edge, z0], [...edge, z1], 'zero');
    text([(x0 + x1) / 2, nearY, z0], 'Ix', 0, 32, 'middle', 'label');
    text([nearX, (y0 + y1) / 2, z0], 'Iy', 30 * side([nearX, y0, z0], [farX, y0, z0]), 26, 'middle', 'label');
    text([...edge, z1], 'Iz (N s)', 0, -12, 'middle', 'label');
    return group;
  }

  function planeAndLine() {
    const { W, v } = problem;
    const [[x0, x1], [y0, y1], [z0, z1]] = ranges;
    const shapes = [];
    const planeZ = (x, y) => -(v[2] + W[2][0] * x + W[2][1] * y) / W[2][2];
    let polygon = [[x0, y0], [x1, y0], [x1, y1], [x0, y1]].map(([x, y]) => [x, y, planeZ(x, y)]);
    polygon = cut(cut(polygon, (p) => p[2] - z0), (p) => z1 - p[2]);
    if (polygon.length > 2 && polygon.flat().every(Number.isFinite)) {
      shapes.push(svg('path', { d: `${pathThrough(polygon.map(project))}Z`, class: 'plane-c' }, svg('title', {}, 'plane of compression: vz = 0')));
    }
    const det = W[0][0] * W[1][1] - W[0][1] * W[1][0];
    const sticking = (Iz) => {
      const [a, b] = [-v[0] - W[0][2] * Iz, -v[1] - W[1][2] * Iz];
      return [(W[1][1] * a - W[0][1] * b) / det, (W[0][0] * b - W[1][0] * a) / det, Iz];
    };
    if (Math.abs(det) > 0) {
      const n = 60;
      const inside = Array.from({ length: n + 1 }, (_, i) => sticking(z0 + ((z1 - z0) * i) / n)).filter(
        ([x, y]) => x >= x0 && x <= x1 && y >= y0 && y <= y1,
      );
      if (inside.length > 1) {
        shapes.push(svg('path', { d: pathThrough(inside.map(project)), class: 'line-s' }, svg('title', {}, 'line of sticking: vx = vy = 0')));
      }
    }
    return shapes;
  }

  const turn = (da, de) => {
    azimuth += da;
    elevation = Math.min(Math.max(elevation + de, 0.08), 1.3);
    draw();
  };
  root.addEventListener('pointerdown', (event) => root.setPointerCapture(event.pointerId));
  root.addEventListener('pointermove', (event) => event.buttons & 1 && turn(-0.01 * event.movementX, 0.01 * event.movementY));
  root.addEventListener('keydown', (event) => {
    const by = { ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, -0.06], ArrowDown: [0, 0.06] }[event.key];
    if (!by) return;
    turn(...by);
    event.preventDefault();
    event.stopPropagation();
  });
  draw();
  return {
    element: root,
    move(next) {
      sample = next;
      draw();
    },
  };
}

/** The part of a polygon where a linear function is not negative. */
function cut(polygon, f) {
  const kept = [];
  polygon.forEach((p, k) => {
    const q = polygon[(k + 1) % polygon.length];
    const [a, b] = [f(p), f(q)];
    if (a >= 0) kept.push(p);
    if (a * b < 0) kept.push(p.map((value, c) => value + (a / (a - b)) * (q[c] - value)));
  });
  return kept;
}

function rangeOf(values, fromZero) {
  let low = Math.min(0, ...values);
  let high = Math.max(0, ...values);
  if (high === low) high = low + 1e-12;
  const room = 0.08 * (high - low);
  return [fromZero ? 0 : low - room, high + room];
}

function widened([low, high], least) {
  const lack = least - (high - low);
  return lack > 0 ? [low - lack / 2, high + lack / 2] : [low, high];
}
