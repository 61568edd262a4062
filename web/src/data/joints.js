// What the page asks of joints: where they are, what they hold, what they do at any moment.

import { conjugate, kNone, multiply, rotate } from './recording.js';

/** Kinds whose two ends are apart, and what lies between them. */
const kLinks = { distance: 'rod', spring: 'spring', pulley: 'rope', drag: 'spring' };

const numbers = (list) => (Array.isArray(list) ? list.map((value) => (typeof value === 'number' ? value : NaN)) : null);

export class Joints {
  /** @param {import('./recording.js').Recording} recording */
  constructor(recording) {
    this.recording = recording;
    this.list = recording.header.joints ?? [];
    this.count = this.list.length;
    const { arrays } = recording;
    this.broken = arrays.get('joint_broken') ?? new Uint32Array(this.count).fill(kNone);
    this.columns = { force: 3, torque: 3, coordinate: 2, error: 2 };
  }

  /** Whether forces and coordinates are in the file. */
  hasNumbers() {
    return this.recording.arrays.has('joint_force');
  }

  name(joint) {
    return this.list[joint].name || `joint ${joint}`;
  }

  /** Names of the two bodies. */
  bodies(joint) {
    const { a, b } = this.list[joint];
    return [a, b].map((body) => (body === null || body === undefined ? 'world' : this.recording.bodies[body]?.name || `body ${body}`));
  }

  /** What is drawn between the two ends: 'rod', 'rope', 'spring', or null where they coincide. */
  link(joint) {
    const { kind, length } = this.list[joint];
    return kind === 'distance' && (length?.[0] ?? 0) < (length?.[1] ?? Infinity) ? 'rope' : kLinks[kind] ?? null;
  }

  /** The moment of the frame at which the joint is broken; null if it never is. */
  brokenTime(joint) {
    const frame = this.broken[joint];
    return frame === kNone ? null : this.recording.frameTime[frame] ?? null;
  }

  isBroken(joint, time) {
    return this.broken[joint] !== kNone && this.recording.place(time).k >= this.broken[joint];
  }

  /** Numbers of the frame at a moment or before it: forces are means of one sub-step, there is nothing between. */
  at(name, joint, time) {
    const array = this.recording.arrays.get(`joint_${name}`);
    const width = this.columns[name];
    if (!array) return Array(width).fill(NaN);
    const row = joint * this.recording.frames + this.recording.place(time).k;
    return Array.from(array.subarray(width * row, width * (row + 1)));
  }

  /** One component in all frames; NaN once the joint is broken. */
  series(name, joint, component) {
    const { arrays, frames } = this.recording;
    const array = arrays.get(`joint_${name}`);
    const width = this.columns[name];
    const first = joint * frames;
    return Float64Array.from({ length: frames }, (_, k) => (!array || k >= this.broken[joint] ? NaN : array[width * (first + k) + component]));
  }

  /** The length of a vector in all frames. */
  sizes(name, joint) {
    const [x, y, z] = [0, 1, 2].map((c) => this.series(name, joint, c));
    return x.map((value, k) => Math.hypot(value, y[k], z[k]));
  }

  /** Largest finite number of a row. */
  static most(values) {
    let most = NaN;
    for (const value of values) if (Number.isFinite(value) && !(value <= most)) most = value;
    return most;
  }

  /** Origin and attitude of the frame J of a side, in the world. @param {'a' | 'b'} side */
  frame(joint, side, time) {
    const desc = this.list[joint];
    const place = desc[`frame_${side}`] ?? {};
    const p = numbers(place.position) ?? [0, 0, 0];
    const q = numbers(place.rotation) ?? [1, 0, 0, 0];
    const body = desc[side];
    if (body === null || body === undefined || !this.recording.bodies[body]) return { p, q };
    const state = this.recording.state(body, time);
    // States of dynamic bodies tell the centre of mass, frames of joints start from the origin of the body's frame.
    const { type, center_of_mass: center, moving } = this.recording.bodies[body];
    const fromCenter = type === 'dynamic' || moving === null || moving === undefined ? p.map((value, c) => value - (center?.[c] ?? 0)) : p;
    const turned = rotate(state.q, fromCenter);
    return { p: state.x.map((value, c) => value + turned[c]), q: multiply(state.q, q) };
  }

  /** Distance of the two ends; of a pulley the length of its two ropes [m]. */
  length(joint, time) {
    const { kind, wheels, target } = this.list[joint];
    const [a, b] = [this.frame(joint, 'a', time).p, this.frame(joint, 'b', time).p];
    const apart = (p, q) => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
    if (kind === 'pulley' && wheels) return apart(a, wheels[0]) + apart(b, wheels[1]);
    return apart(kind === 'drag' && target ? target : a, b);
  }

  /** Angle between the main axes of the two frames [rad]. */
  swing(joint, time) {
    const [a, b] = [this.frame(joint, 'a', time).q, this.frame(joint, 'b', time).q];
    const [w, x, y, z] = multiply(conjugate(a), b);
    return 2 * Math.atan2(Math.hypot(x, y), Math.hypot(w, z));
  }
}
