// What the signs in the figures of an impact mean.

import { kMarkNames } from '../data/hodographs.js';
import { el, svg } from '../ui/dom.js';
import { markShape } from './axes.js';

const sign = (...shapes) => svg('svg', { viewBox: '0 0 26 16', class: 'figure sign', 'aria-hidden': 'true' }, shapes);
const stroke = (kind) => sign(svg('path', { d: 'M1 8H25', class: kind }));

/** @param {import('../data/hodographs.js').Hodograph[]} hodographs that are drawn @param {{space?: boolean}} options */
export function figureLegend(hodographs, { space = false } = {}) {
  const rays = hodographs.flatMap((one) => one.rays);
  const codes = new Set(hodographs.flatMap((one) => one.marks.map((mark) => mark.code)));
  const ray = (kind) => sign(svg('g', { class: `ray ${kind}` }, svg('line', { x1: 1, y1: 8, x2: 25, y2: 8 })));
  const items = [
    [stroke('curve compression'), 'compression'],
    [stroke('curve restitution'), 'restitution'],
    [sign(markShape('0', 13, 8)), 'start'],
    ...['s', 'l', 'c', 'r'].filter((code) => codes.has(code)).map((code) => [sign(markShape(code, 13, 8)), `${code}: ${kMarkNames[code]}`]),
    ...(rays.some((one) => !one.centrifugal) ? [[ray('centripetal'), 'centripetal direction']] : []),
    ...(rays.some((one) => one.centrifugal) ? [[ray('centrifugal'), 'centrifugal direction']] : []),
    ...(space ? [[stroke('plane-c'), 'plane of compression'], [stroke('line-s'), 'line of sticking']] : []),
  ];
  return el('ul', { class: 'fig-legend' }, items.map(([shape, text]) => el('li', {}, shape, text)));
}
