// Live numbers of the selected body.

import { isMoving } from '../data/recording.js';
import { iconButton } from '../ui/controls.js';
import { el, shorten } from '../ui/dom.js';
import { number, toStep } from '../ui/format.js';

const kVectors = [
  { name: 'x', array: 'x', label: 'Position', unit: 'm', axes: ['x', 'y', 'z'] },
  { name: 'q', array: 'q', label: 'Attitude', unit: '', axes: ['w', 'x', 'y', 'z'] },
  { name: 'v', array: 'v', label: 'Velocity', unit: 'm/s', axes: ['x', 'y', 'z'] },
  { name: 'w', array: 'w', label: 'Angular velocity', unit: 'rad/s', axes: ['x', 'y', 'z'] },
];
/** No more digits than people read, even where the file knows more. */
const kDigits = 1e-5;
const kScalars = [
  { name: 'speed', label: 'Speed', unit: 'm/s' },
  { name: 'spin', label: 'Spin', unit: 'rad/s' },
  { name: 'translation', label: 'Kinetic, translation', unit: 'J' },
  { name: 'rotation', label: 'Kinetic, rotation', unit: 'J' },
  { name: 'potential', label: 'Potential', unit: 'J' },
];

/** What is said beside velocities that are not straight between two frames. */
const kSides = { before: 'before the impact', after: 'after the impact', frame: 'of the frame before' };

/** With the digits that the file knows, or fewer if that would be long. */
function short(value, step) {
  const text = toStep(value, step);
  return text.length > 9 ? number(value, 4) : text;
}

export class Inspector {
  /**
   * @param {import('../data/recording.js').Recording} recording
   * @param {import('./player.js').Player} player
   * @param {{select: (body: number | null) => void, step: (by: number) => void}} actions
   */
  constructor(recording, player, { select, step }) {
    this.recording = recording;
    this.player = player;
    this.body = null;
    this.fields = new Map();
    this.swatch = el('i', { class: 'body-swatch', 'aria-hidden': 'true' });
    this.name = el('h2', { class: 'body-name', 'data-field': 'name' });
    this.kind = el('p', { class: 'body-kind', 'data-field': 'kind' });
    const field = (name) => {
      const cell = el('td', { 'data-field': name });
      this.fields.set(name, cell);
      return cell;
    };
    this.element = el('aside', { class: 'inspector', 'aria-label': 'Selected body', hidden: true },
      el('header', {}, this.swatch, this.name,
        iconButton('previous', 'Previous body', 'P', () => step(-1)),
        iconButton('next', 'Next body', 'N', () => step(1)),
        iconButton('close', 'Select nothing', 'Esc', () => select(null))),
      this.kind,
      el('table', { class: 'vectors' }, el('tbody', {}, kVectors.map(({ name, label, unit, axes }) => [
        el('tr', { class: 'vector-head' }, el('th', { scope: 'rowgroup' }, label, ' ', el('span', { class: 'unit' }, unit),
          name === 'v' || name === 'w' ? el('span', { class: 'side-of-impact', 'data-field': `${name}.side` }) : null)),
        el('tr', { 'data-vector': name }, axes.map((axis, i) => {
          const cell = field(`${name}.${i}`);
          cell.dataset.axis = axis;
          return cell;
        })),
      ]))),
      el('table', { class: 'scalars' }, el('tbody', {}, kScalars.map(({ name, label, unit }) =>
        el('tr', {}, el('th', { scope: 'row' }, label), field(name), el('td', { class: 'unit' }, unit))))),
      this.note = el('p', { class: 'note', hidden: true }));
    player.listen((_, what) => what === 'time' && this.show());
  }

  /** @param {number | null} body @param {number[]} colour */
  set(body, colour) {
    this.body = body;
    this.element.hidden = body === null;
    if (body === null) return;
    const desc = this.recording.bodies[body];
    this.name.textContent = shorten(desc.name || `body ${body}`, 120);
    this.name.title = shorten(desc.name, 1000);
    const mass = typeof desc.mass === 'number' ? `, ${number(desc.mass)} kg` : '';
    this.kindText = `${desc.type}${mass}`;
    this.swatch.style.background = `rgb(${colour.map((c) => Math.round(255 * c)).join(' ')})`;
    const notes = this.notes(body);
    this.note.hidden = notes.length === 0;
    this.note.textContent = notes.join('. ');
    this.show();
  }

  notes(body) {
    const { recording } = this;
    const notes = [];
    if (isMoving(recording.bodies[body]) && !recording.hasVelocities()) {
      notes.push(`Velocities by differences: ${shorten(recording.missing.velocity ?? 'the recording has none', 200)}`);
    }
    if ((recording.header.shapes ?? []).some((shape) => shape.body === body && shape.fidelity === 'parts_only')) {
      notes.push('Drawn by its parts, each of them whole');
    }
    return notes;
  }

  show() {
    if (this.body === null) return;
    const { recording, body } = this;
    const state = recording.state(body, this.player.time);
    this.kind.textContent = this.kindText + (recording.isAsleep(body, this.player.time) ? ', asleep' : '');
    for (const { name, array, axes } of kVectors) {
      axes.forEach((_, i) => {
        const step = Math.max(recording.resolution(body, array, i), name === 'q' ? 1e-4 : kDigits * recording.size(body, array, i));
        this.fields.get(`${name}.${i}`).textContent = toStep(state[name][i], step);
      });
    }
    const side = recording.hasVelocities() ? kSides[state.side] : null;
    for (const label of this.element.querySelectorAll('.side-of-impact')) label.textContent = side ? ` ${side}` : '';
    const numbers = this.numbers(state);
    const steps = this.steps(state);
    for (const { name } of kScalars) this.fields.get(name).textContent = short(numbers[name], steps[name]);
  }

  /** What a step of the recorded velocities and positions makes in the numbers that follow from them. */
  steps(state) {
    const { recording, body } = this;
    const { mass, inertia } = recording.bodies[body];
    const step = (name) => Math.max(recording.resolution(body, name), ...[0, 1, 2].map((c) => kDigits * recording.size(body, name, c)));
    const [dx, dv, dw] = [step('x'), step('v'), step('w')];
    const moment = inertia ? Math.max(inertia[0][0], inertia[1][1], inertia[2][2]) : 0;
    const g = Math.hypot(...(recording.header.scene?.gravity ?? [0]));
    return {
      speed: dv,
      spin: dw,
      translation: mass * dv * (Math.hypot(...state.v) + dv),
      rotation: moment * dw * (Math.hypot(...state.w) + dw),
      potential: mass * g * dx,
    };
  }

  /** Everything that is shown besides the vectors. */
  numbers(state) {
    const { recording, body } = this;
    const { translation, rotation } = recording.kinetic(body, state);
    const { mass, type } = recording.bodies[body];
    const g = recording.header.scene?.gravity ?? [0, 0, 0];
    const potential = type === 'dynamic' && mass > 0 ? -mass * (g[0] * state.x[0] + g[1] * state.x[1] + g[2] * state.x[2]) : null;
    return { speed: Math.hypot(...state.v), spin: Math.hypot(...state.w), translation, rotation, potential };
  }
}
