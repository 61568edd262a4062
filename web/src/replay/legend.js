// What the colours mean, at the foot of the 3D view; the length of the grid; the directions of the axes.

import { isMoving } from '../data/recording.js';
import { bodyColour, kAsleepColour, kAwakeColour, scaleGradient } from '../ui/colours.js';
import { el, shorten, svg } from '../ui/dom.js';
import { count, number } from '../ui/format.js';
import { kAxisColours } from './view.js';

const kMostNames = 8;
const css = (colour) => `rgb(${colour.map((c) => Math.round(255 * c)).join(' ')})`;

/** @param {import('./view.js').View} view @param {import('../data/recording.js').Recording} recording */
export function colourLegend(view, recording) {
  const element = el('div', { class: 'colour-legend', 'aria-live': 'polite' });
  const scale = (label, most, unit) =>
    el('div', { class: 'scale' }, el('span', {}, label), el('i', { style: `background: ${scaleGradient()}`, 'aria-hidden': 'true' }),
      el('span', { class: 'ends' }, el('span', {}, '0'), el('span', {}, `${number(most, 3)} ${unit}`)));
  const show = () => {
    element.replaceChildren();
    if (view.colourMode === 'speed') element.append(scale('Speed', view.scales.fastest(), 'm/s'));
    else if (view.colourMode === 'sleep') element.append(el('ul', { class: 'names' }, [['awake', kAwakeColour], ['asleep', kAsleepColour]].map(([label, colour]) =>
      el('li', {}, el('i', { class: 'body-swatch', style: `background: ${css(colour)}` }), label))));
    else if (view.colourMode === 'energy') element.append(scale('Kinetic energy', view.scales.mostEnergy(), 'J'));
    else if (recording.moving <= kMostNames) {
      const moving = recording.bodies.filter(isMoving);
      element.append(el('ul', { class: 'names' }, moving.map((body) =>
        el('li', {}, el('i', { class: 'body-swatch', style: `background: ${css(bodyColour(body.moving))}` }), shorten(body.name, 28)))));
    }
  };
  show();
  return { element, show };
}

/** Says when not all contacts of a moment are drawn. */
export function contactsNote(view) {
  const element = el('p', { class: 'contacts-note', role: 'status', hidden: true });
  view.frameListeners.add(() => {
    const { first, last, all } = view.overlays.contactsAt(view.player.time);
    element.hidden = !view.overlays.on.contacts || last - first >= all;
    if (!element.hidden) element.textContent = `The ${count(last - first)} strongest of ${count(all)} contact points`;
  });
  return element;
}

/** A small cross of the axes that turns with the camera, and the spacing of the grid. */
export function axesLegend(view) {
  const lines = kAxisColours.map((colour) => svg('line', { stroke: colour, 'stroke-width': 2, 'stroke-linecap': 'round' }));
  const letters = ['x', 'y', 'z'].map((letter, i) => svg('text', { fill: kAxisColours[i] }, letter));
  const spacing = el('span', { class: 'grid-spacing' });
  const element = el('div', { class: 'axes-legend' }, svg('svg', { viewBox: '-30 -30 60 60', role: 'img', 'aria-label': 'Directions of the axes; z is up' }, lines, letters), spacing);
  view.frameListeners.add(() => {
    const m = view.camera.matrixWorldInverse.elements;
    for (let i = 0; i < 3; ++i) {
      const [x, y] = [m[4 * i], -m[4 * i + 1]];
      lines[i].setAttribute('x2', String(19 * x));
      lines[i].setAttribute('y2', String(19 * y));
      letters[i].setAttribute('x', String(26 * x));
      letters[i].setAttribute('y', String(26 * y));
    }
    spacing.textContent = `grid ${number(view.gridSpacing, 1)} m`;
  });
  return element;
}
