// How large things are and how fast: what the camera, the arrows and the colour scales are fitted to.

import { Box3, Sphere, Vector3 } from 'three';
import { isMoving } from '../data/recording.js';

/** At most this many states are looked at; a scale needs no more. */
const kMostStates = 200000;

/** Frames spread over the recording. */
function someFrames(recording) {
  const most = Math.max(2, Math.floor(kMostStates / Math.max(recording.moving, 1)));
  const stride = Math.max(1, Math.ceil(recording.frames / most));
  const frames = [];
  for (let k = 0; k < recording.frames; k += stride) frames.push(k);
  return frames;
}

/** @param {import('../data/recording.js').Recording} recording @param {number[]} frames */
function sphereOf(recording, frames) {
  const box = new Box3();
  const x = recording.arrays.get('x');
  const point = new Vector3();
  for (const body of recording.bodies) {
    const row = body.moving;
    const radius = body.radius > 0 ? body.radius : 0;
    if (!isMoving(body) || !x) continue;
    for (const k of frames) {
      point.set(x.at(row, 0, k), x.at(row, 1, k), x.at(row, 2, k));
      if (!Number.isFinite(point.x + point.y + point.z)) continue;
      box.expandByPoint(point.clone().addScalar(radius));
      box.expandByPoint(point.addScalar(-radius));
    }
  }
  return box;
}

/**
 * @param {import('../data/recording.js').Recording} recording
 * @returns {{first: Sphere, all: Sphere, lowest: number}} spheres around the first frame and around the whole motion
 */
export function extent(recording) {
  const sphere = (box) => {
    const s = new Sphere(new Vector3(), 1);
    if (!box.isEmpty()) box.getBoundingSphere(s);
    if (!(s.radius > 0)) s.radius = 1;
    return s;
  };
  const allBox = sphereOf(recording, someFrames(recording));
  const first = sphere(sphereOf(recording, recording.frames ? [0] : []));
  return { first, all: sphere(allBox), lowest: allBox.isEmpty() ? 0 : allBox.min.z };
}

/** Largest values over the recording, each found when first asked for. */
export class Scales {
  /** @param {import('../data/recording.js').Recording} recording */
  constructor(recording) {
    this.recording = recording;
    this.found = new Map();
  }
  largest(name, measure) {
    if (!this.found.has(name)) {
      let most = 0;
      const frames = someFrames(this.recording).filter((_, i, list) => i % Math.ceil(list.length / 60) === 0);
      this.recording.bodies.forEach((body, i) => {
        if (!isMoving(body)) return;
        for (const k of frames) {
          const value = measure(i, this.recording.state(i, this.recording.frameTime[k]));
          if (value > most && Number.isFinite(value)) most = value;
        }
      });
      this.found.set(name, most);
    }
    return this.found.get(name);
  }
  fastest() {
    return this.largest('speed', (_, state) => Math.hypot(...state.v));
  }
  fastestSpin() {
    return this.largest('spin', (_, state) => Math.hypot(...state.w));
  }
  mostEnergy() {
    return this.largest('energy', (i, state) => kineticSum(this.recording, i, state));
  }
}

/** Kinetic energy of a body; NaN for bodies without mass. */
export function kineticSum(recording, body, state) {
  const { translation, rotation } = recording.kinetic(body, state);
  return translation === null ? NaN : translation + (rotation ?? 0);
}
