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
function boxOf(recording, frames) {
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
 * @returns {{first: Box3, all: Box3, firstRadius: number, allRadius: number, staged: boolean}} around the first frame
 * and all motion; staged: something that stands still is about as large as the motion, which goes along it or within it
 */
export function extent(recording) {
  const whole = (box) => (box.isEmpty() ? new Box3(new Vector3(-1, -1, -1), new Vector3(1, 1, 1)) : box);
  const radius = (box) => box.getBoundingSphere(new Sphere()).radius || 1;
  const first = whole(boxOf(recording, recording.frames ? [0] : []));
  const all = whole(boxOf(recording, someFrames(recording)));
  const allRadius = radius(all);
  const staged = recording.bodies.some((body) => !isMoving(body) && body.radius > 0.5 * allRadius && body.radius < 3 * allRadius);
  return { first, all, firstRadius: radius(first), allRadius, staged };
}

/** Beyond this many of its own radii from the origin, single precision shows steps in a scene. */
const kFar = 100;

/** Where the origin of the drawn scene is put in the world: in the middle of a motion that is far away, else at 0. */
export function sceneOrigin({ all, allRadius }) {
  const centre = all.getCenter(new Vector3());
  return centre.length() > kFar * allRadius ? centre : new Vector3();
}

/** How far a camera that looks along -direction must be from the box's middle to have all of it in the picture. */
export function distanceToFit(box, camera, direction) {
  const side = camera.up.clone().cross(direction).normalize();
  const top = direction.clone().cross(side);
  const tanY = Math.tan((camera.fov * Math.PI) / 360);
  const tanX = tanY * camera.aspect;
  const half = box.getSize(new Vector3()).multiplyScalar(0.5);
  let distance = 0;
  for (let i = 0; i < 8; ++i) {
    const corner = new Vector3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
    const near = corner.dot(direction);
    distance = Math.max(distance, near + Math.abs(corner.dot(side)) / tanX, near + Math.abs(corner.dot(top)) / tanY);
  }
  return distance;
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
