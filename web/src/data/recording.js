// What the replay asks of a run: the state of every body at any moment, energies, events, hodographs.

import { Quantised } from './decode.js';
import { Hodographs } from './hodographs.js';
import { Joints } from './joints.js';

/** Stands for "no body" and "no hodograph". */
export const kNone = 4294967295;

/** Whether a body has frames. */
export const isMoving = (body) => body?.moving !== null && body?.moving !== undefined;

/**
 * The last index whose entry is not greater than the value; -1 before the first one.
 * @param {ArrayLike<number>} sorted @param {number} value
 */
export function lastAtOrBefore(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * @typedef {{x: number[], q: number[], v: number[] | null, w: number[] | null,
 *            side: 'before' | 'after' | 'frame' | null}} BodyState
 * x: centre of mass [m], q: attitude (w, x, y, z), v [m/s], w [rad/s]; world frame.
 * side: where the moment lies to the impacts of the body between the two frames around it; null if there are none
 */

export class Recording {
  /** @param {any} header @param {import('./decode.js').Arrays} arrays */
  constructor(header, arrays) {
    this.header = header;
    this.arrays = arrays;
    this.bodies = header.bodies ?? [];
    this.missing = header.missing ?? {};
    /** @type {Float64Array} */
    this.frameTime = arrays.get('frame_time') ?? new Float64Array(0);
    this.frames = this.frameTime.length;
    this.start = this.frames ? this.frameTime[0] : 0;
    this.end = this.frames ? this.frameTime[this.frames - 1] : 0;
    this.hodographs = new Hodographs(arrays);
    this.events = readEvents(header, arrays);
    this.contacts = readContacts(arrays, this.frames);
    this.joints = new Joints(this);
    this.sizes = new Map();
  }

  get moving() {
    return this.header.frames?.moving ?? 0;
  }

  /** Mean time between frames. */
  get interval() {
    return this.frames > 1 ? (this.end - this.start) / (this.frames - 1) : 0;
  }

  hasVelocities() {
    return this.arrays.has('v') && this.arrays.has('w');
  }

  /** Where a moment lies between two frames. */
  place(time) {
    const last = this.frames - 1;
    const k = Math.min(Math.max(lastAtOrBefore(this.frameTime, time), 0), Math.max(last, 0));
    if (k >= last) return { k, next: k, s: 0 };
    const span = this.frameTime[k + 1] - this.frameTime[k];
    const s = span > 0 ? Math.min(Math.max((time - this.frameTime[k]) / span, 0), 1) : 0;
    return { k, next: k + 1, s };
  }

  /**
   * Positions and attitudes of all moving bodies, for drawing: 7 numbers a body (x, y, z, qx, qy, qz, qw), straight
   * between frames. Rows with a number that is not finite keep NaN.
   * @param {number} time @param {Float32Array} out
   * @param {number[]} origin what positions are told from: single precision has no digits to spare far away
   */
  poses(time, out, origin = [0, 0, 0]) {
    const x = this.arrays.get('x');
    const q = this.arrays.get('q');
    if (!x || !q) return;
    const { k, next, s } = this.place(time);
    for (let body = 0; body < this.moving; ++body) {
      const at = 7 * body;
      for (let c = 0; c < 3; ++c) out[at + c] = between(x, body, c, k, next, s) - origin[c];
      const w = between(q, body, 0, k, next, s);
      const qx = between(q, body, 1, k, next, s);
      const qy = between(q, body, 2, k, next, s);
      const qz = between(q, body, 3, k, next, s);
      const scale = 1 / Math.hypot(w, qx, qy, qz);
      out[at + 3] = qx * scale;
      out[at + 4] = qy * scale;
      out[at + 5] = qz * scale;
      out[at + 6] = w * scale;
    }
  }

  /**
   * @param {number} body index among all bodies
   * @param {number} time
   * @returns {BodyState}
   */
  state(body, time) {
    const desc = this.bodies[body];
    const row = desc.moving;
    if (!isMoving(desc)) {
      const q = numbers(desc.rotation, [1, 0, 0, 0]);
      const r = rotate(q, numbers(desc.center_of_mass, [0, 0, 0]));
      return { x: numbers(desc.position, [0, 0, 0]).map((p, i) => p + r[i]), q, v: [0, 0, 0], w: [0, 0, 0], side: null };
    }
    const { k, next, s } = this.place(time);
    const side = s > 0 ? this.side(body, k, time) : null;
    const vector = (array, n) => Array.from({ length: n }, (_, c) => between(array, row, c, k, next, s));
    const q = vector(this.arrays.get('q'), 4);
    const norm = Math.hypot(...q);
    return {
      x: vector(this.arrays.get('x'), 3),
      q: q.map((value) => value / norm),
      v: this.arrays.has('v') ? this.rate('v', body, time, side) : this.velocityByDifference(row, time),
      w: this.arrays.has('w') ? this.rate('w', body, time, side) : this.spinByDifference(row, time),
      side,
    };
  }

  /** Whether the file tells who sleeps. */
  hasSleep() {
    return this.arrays.has('sleep_first') && this.arrays.has('sleep_frame');
  }

  /** Whether a body sleeps in the frame at a moment or before it. @param {number} body @param {number} time */
  isAsleep(body, time) {
    const row = this.bodies[body]?.moving;
    if (!this.hasSleep() || !isMoving(this.bodies[body])) return false;
    const first = this.arrays.get('sleep_first');
    // Frames at which it falls asleep and wakes, in turn.
    const changes = this.arrays.get('sleep_frame').subarray(first[row], first[row + 1]);
    return lastAtOrBefore(changes, this.place(time).k) % 2 === 0;
  }

  /** Times at which the velocity of a body jumps, rising. @returns {number[]} */
  jumpsOf(body) {
    if (!this.jumps) {
      this.jumps = new Map();
      const { events } = this;
      const silent = new Set(['wake', 'halved_step', 'break', 'bond']);
      for (let i = 0; i < events.count; ++i) {
        if (!Number.isFinite(events.time[i]) || silent.has(events.kinds[events.kind[i]])) continue;
        for (const one of [events.a[i], events.b[i]]) {
          if (!this.jumps.has(one)) this.jumps.set(one, []);
          this.jumps.get(one).push(events.time[i]);
        }
      }
      for (const times of this.jumps.values()) times.sort((a, b) => a - b);
    }
    return this.jumps.get(body) ?? [];
  }

  /** The jumps of a body after frame k and up to the next one: [first, last], or null. */
  jumpsAfter(body, k) {
    const times = this.jumpsOf(body);
    const first = lastAtOrBefore(times, this.frameTime[k]) + 1;
    const last = lastAtOrBefore(times, this.frameTime[k + 1]);
    return last >= first ? [times[first], times[last]] : null;
  }

  /** On which side of the jumps between frames k and k + 1 a moment lies; at the jump itself it is after it. */
  side(body, k, time) {
    const jumps = this.jumpsAfter(body, k);
    if (jumps) return time >= jumps[1] ? 'after' : 'before';
    // Where events were left out, one may lie here unseen.
    return this.events.all > this.events.count ? 'frame' : null;
  }

  /**
   * A velocity between frames. Across a jump a straight line would show what the body never had: there the value goes
   * on from the frame on the same side, as it changed beyond that frame.
   */
  rate(name, body, time, side) {
    const array = this.arrays.get(name);
    const row = this.bodies[body].moving;
    const { k, next, s } = this.place(time);
    if (side === null) return [0, 1, 2].map((c) => between(array, row, c, k, next, s));
    const [here, beyond] = side === 'after' ? [next, next + 1] : [k, k - 1];
    const smooth = side !== 'frame' && beyond >= 0 && beyond < this.frames && !this.jumpsAfter(body, Math.min(here, beyond));
    const span = this.frameTime[here] - this.frameTime[beyond];
    const share = smooth && span !== 0 ? (time - this.frameTime[here]) / span : 0;
    return [0, 1, 2].map((c) => {
      const value = array.at(row, c, here);
      return share === 0 ? value : value + share * (value - array.at(row, c, beyond));
    });
  }

  /** The last place that a body is known to have been at, at a moment or before; null if there is none. */
  lastPlace(body, time) {
    const { x } = this.state(body, time);
    if (x.every(Number.isFinite)) return x;
    const row = this.bodies[body].moving;
    const array = this.arrays.get('x');
    if (!isMoving(this.bodies[body]) || !array) return null;
    for (let { k } = this.place(time); k >= 0; --k) {
      const place = [0, 1, 2].map((c) => array.at(row, c, k));
      if (place.every(Number.isFinite)) return place;
    }
    return null;
  }

  /** Two frames around a moment, for differences. */
  neighbours(time) {
    const { k, s } = this.place(time);
    const last = this.frames - 1;
    if (s > 0) return [k, k + 1];
    return [Math.max(k - 1, 0), Math.min(k + 1, last)];
  }

  velocityByDifference(row, time) {
    const [a, b] = this.neighbours(time);
    const span = this.frameTime[b] - this.frameTime[a];
    const x = this.arrays.get('x');
    return [0, 1, 2].map((c) => (span > 0 ? (x.at(row, c, b) - x.at(row, c, a)) / span : 0));
  }

  spinByDifference(row, time) {
    const [a, b] = this.neighbours(time);
    const span = this.frameTime[b] - this.frameTime[a];
    const q = this.arrays.get('q');
    const at = (frame) => normalise([0, 1, 2, 3].map((c) => q.at(row, c, frame)));
    if (!(span > 0)) return [0, 0, 0];
    const [w, x, y, z] = multiply(at(b), conjugate(at(a)));
    const sine = Math.hypot(x, y, z);
    // Half the angle of the turn; its axis is (x, y, z). The shorter of the two turns is meant.
    const angle = 2 * Math.atan2(w < 0 ? -sine : sine, Math.abs(w));
    const scale = sine > 1e-12 ? angle / (sine * span) : 0;
    return [x * scale, y * scale, z * scale];
  }

  /**
   * Kinetic energy [J]: translation, and rotation where the inertia is known (null if not).
   * @param {number} body @param {BodyState} state
   */
  kinetic(body, state) {
    const { mass, inertia, type } = this.bodies[body];
    if (type !== 'dynamic' || !(mass > 0) || !state.v) return { translation: null, rotation: null };
    const translation = 0.5 * mass * dot(state.v, state.v);
    if (!inertia || !state.w) return { translation, rotation: null };
    const w = rotate(conjugate(state.q), state.w);
    let rotation = 0;
    for (let i = 0; i < 3; ++i) for (let j = 0; j < 3; ++j) rotation += 0.5 * w[i] * inertia[i][j] * w[j];
    return { translation, rotation };
  }

  /**
   * Largest of a body's numbers of one component in the recording, from some of its frames; of places, how far apart
   * they are, and the body's radius if that is more: where the origin lies says nothing about the digits that matter.
   */
  size(body, name, component) {
    const array = this.arrays.get(name);
    if (!isMoving(this.bodies[body]) || !(array instanceof Quantised)) return 0;
    const key = `${body} ${name} ${component}`;
    if (!this.sizes.has(key)) {
      const stride = Math.max(1, Math.floor(this.frames / 200));
      let [least, most] = [Infinity, -Infinity];
      for (let k = 0; k < this.frames; k += stride) {
        const value = array.at(this.bodies[body].moving, component, k);
        if (!Number.isFinite(value)) continue;
        least = Math.min(least, value);
        most = Math.max(most, value);
      }
      const apart = Math.max(most - least, this.bodies[body].radius || 0);
      this.sizes.set(key, !(most >= least) ? 0 : name === 'x' ? apart : Math.max(Math.abs(least), Math.abs(most)));
    }
    return this.sizes.get(key);
  }

  /** Smallest difference that the file can tell in a body's numbers: in one component, or in all of them. */
  resolution(body, name, component = null) {
    const row = this.bodies[body].moving;
    if (!isMoving(this.bodies[body])) return 0;
    const differences = { v: 'x', w: 'q' };
    if (!this.arrays.has(name) && differences[name]) return this.resolution(body, differences[name]) / (this.interval || 1);
    const array = this.arrays.get(name);
    if (!(array instanceof Quantised)) return 0;
    const steps = array.step.subarray(row * array.components, (row + 1) * array.components);
    return component === null ? Math.max(...steps) || 0 : steps[component] || 0;
  }
}

/** @param {Quantised} array */
function between(array, body, component, k, next, s) {
  const a = array.at(body, component, k);
  return s === 0 ? a : a + s * (array.at(body, component, next) - a);
}

/** Numbers of the header, with null (not finite) as NaN and a default for what is not there. */
function numbers(list, otherwise) {
  return Array.isArray(list) ? list.map((value) => (typeof value === 'number' ? value : NaN)) : otherwise;
}

function readEvents(header, arrays) {
  const time = arrays.get('event_time') ?? new Float64Array(0);
  const count = time.length;
  const events = {
    count,
    all: header.events?.all ?? count,
    kinds: header.events?.kinds ?? [],
    laws: header.events?.laws ?? [],
    time,
    kind: arrays.get('event_kind') ?? new Uint8Array(count),
    a: arrays.get('event_a') ?? new Uint32Array(count).fill(kNone),
    b: arrays.get('event_b') ?? new Uint32Array(count).fill(kNone),
    point: arrays.get('event_point') ?? new Float32Array(3 * count).fill(NaN),
    normal: arrays.get('event_normal') ?? new Float32Array(3 * count).fill(NaN),
    impulse: arrays.get('event_impulse') ?? new Float32Array(3 * count).fill(NaN),
    energy: arrays.get('event_energy') ?? new Float64Array(count).fill(NaN),
    mu: arrays.get('event_mu'),
    e: arrays.get('event_e'),
    law: arrays.get('event_law'),
    joint: arrays.get('event_joint') ?? new Uint32Array(count).fill(kNone),
    hodograph: arrays.get('event_hodograph') ?? new Uint32Array(count).fill(kNone),
    /** @type {Float64Array} */
    strength: new Float64Array(count),
  };
  for (let i = 0; i < count; ++i) {
    const at = 3 * i;
    events.strength[i] = Math.hypot(events.impulse[at], events.impulse[at + 1], events.impulse[at + 2]);
  }
  return events;
}

/**
 * Lasting contacts by frames: the points of frame k are first[k] … first[k + 1] − 1, the strongest of all[k] that there
 * were; normals are bytes. null if the file has none.
 */
function readContacts(arrays, frames) {
  const first = arrays.get('contact_first');
  const all = arrays.get('contact_all');
  const point = arrays.get('contact_point');
  const normal = arrays.get('contact_normal');
  const force = arrays.get('contact_force');
  if (!first || !all || !point || !normal || !force || first.length !== frames + 1) return null;
  const count = point.length / 3;
  const strength = new Float64Array(count);
  for (let i = 0; i < count; ++i) strength[i] = Math.hypot(force[3 * i], force[3 * i + 1], force[3 * i + 2]);
  // Few contacts carry many times what the others do: arrows are told from what nineteen of twenty stay below.
  const typical = count ? Float64Array.from(strength).sort()[Math.floor(0.95 * (count - 1))] : 0;
  return { count, first, all, point, force, strength, typical, normal: (i) => [0, 1, 2].map((c) => normal[3 * i + c] / 127.5 - 1) };
}

export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const conjugate = ([w, x, y, z]) => [w, -x, -y, -z];
const normalise = (q) => q.map((value) => value / Math.hypot(...q));

/** Product of quaternions (w, x, y, z). */
export function multiply([a, b, c, d], [e, f, g, h]) {
  return [
    a * e - b * f - c * g - d * h,
    a * f + b * e + c * h - d * g,
    a * g - b * h + c * e + d * f,
    a * h + b * g - c * f + d * e,
  ];
}

/** A vector turned by a unit quaternion. */
export function rotate(q, v) {
  const [, x, y, z] = multiply(multiply(q, [0, ...v]), conjugate(q));
  return [x, y, z];
}
