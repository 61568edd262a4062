// What can be drawn over the bodies: impacts, impulses, velocities, angular velocities, trails, boxes, contacts.

import {
  BoxGeometry, BufferAttribute, BufferGeometry, Color, ConeGeometry, CylinderGeometry, DynamicDrawUsage, EdgesGeometry, Group,
  InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, MeshBasicMaterial, Quaternion, SphereGeometry, SRGBColorSpace, Vector3,
} from 'three';
import { isMoving, lastAtOrBefore } from '../data/recording.js';
import { JointOverlay } from './joint_overlay.js';

const kUp = new Vector3(0, 1, 0);
const kMostArrows = 4096;
const kMostPoints = 2048;
const kMostTrailPieces = 60000;

/** Arrows of one kind: shafts and heads, each one instanced draw. */
class Arrows {
  constructor(onTop) {
    const material = new MeshBasicMaterial({ depthTest: !onTop, transparent: onTop, opacity: onTop ? 0.9 : 1 });
    this.material = material;
    this.shafts = new InstancedMesh(new CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0), material, kMostArrows);
    this.heads = new InstancedMesh(new ConeGeometry(1, 1, 12).translate(0, 0.5, 0), material, kMostArrows);
    this.group = new Group();
    for (const mesh of [this.shafts, this.heads]) {
      mesh.frustumCulled = false;
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      if (onTop) mesh.renderOrder = 3;
      this.group.add(mesh);
    }
    this.count = 0;
  }
  begin() {
    this.count = 0;
  }
  /** @param {number[]} from @param {number[]} vector already in metres of drawing @param {number} thick radius of the shaft */
  add(from, vector, thick) {
    const length = Math.hypot(...vector);
    if (!(length > 2 * thick) || this.count >= kMostArrows || !Number.isFinite(from[0] + from[1] + from[2])) return;
    const turn = new Quaternion().setFromUnitVectors(kUp, new Vector3(...vector).divideScalar(length));
    const head = Math.min(0.45 * length, 9 * thick);
    const at = new Vector3(...from);
    const matrix = new Matrix4().compose(at, turn, new Vector3(thick, length - head, thick));
    this.shafts.setMatrixAt(this.count, matrix);
    at.addScaledVector(new Vector3(...vector), (length - head) / length);
    this.heads.setMatrixAt(this.count, matrix.compose(at, turn, new Vector3(3 * thick, head, 3 * thick)));
    ++this.count;
  }
  end() {
    for (const mesh of [this.shafts, this.heads]) {
      mesh.count = this.count;
      mesh.instanceMatrix.needsUpdate = true;
    }
  }
}

class Points {
  constructor() {
    this.material = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.92 });
    this.mesh = new InstancedMesh(new SphereGeometry(1, 12, 8), this.material, kMostPoints);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 2;
    this.count = 0;
  }
  begin() {
    this.count = 0;
  }
  add(at, size) {
    if (this.count >= kMostPoints || !Number.isFinite(at[0] + at[1] + at[2])) return;
    this.mesh.setMatrixAt(this.count++, new Matrix4().makeScale(size, size, size).setPosition(...at));
  }
  end() {
    this.mesh.count = this.count;
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

/** Line pieces with a colour and an opacity at each end. */
class Pieces {
  constructor(most) {
    this.most = most;
    this.position = new Float32Array(6 * most);
    this.colour = new Float32Array(8 * most);
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(this.position, 3).setUsage(DynamicDrawUsage));
    geometry.setAttribute('color', new BufferAttribute(this.colour, 4).setUsage(DynamicDrawUsage));
    this.lines = new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 1;
    this.count = 0;
  }
  begin() {
    this.count = 0;
  }
  add(ax, ay, az, bx, by, bz, colour, alphaA, alphaB) {
    if (this.count >= this.most) return;
    this.position.set([ax, ay, az, bx, by, bz], 6 * this.count);
    this.colour.set([colour.r, colour.g, colour.b, alphaA, colour.r, colour.g, colour.b, alphaB], 8 * this.count);
    ++this.count;
  }
  end() {
    const { geometry } = this.lines;
    geometry.setDrawRange(0, 2 * this.count);
    geometry.attributes.position.needsUpdate = true;
    geometry.attributes.color.needsUpdate = true;
  }
}

/** Overlays by name, in the order of the buttons. */
export const kOverlays = [
  { name: 'impacts', label: 'Impacts', key: '1', array: 'event_point', missing: 'events', hint: 'points of the latest impacts' },
  { name: 'impulses', label: 'Impulses', key: '2', array: 'event_impulse', missing: 'events', hint: 'impulses of the latest impacts, on the second body' },
  { name: 'velocities', label: 'Velocities', key: '3', array: 'x', missing: 'velocity', hint: 'velocities of the centres of mass' },
  { name: 'spins', label: 'Spins', key: '4', array: 'q', missing: 'angular_velocity', hint: 'angular velocities' },
  { name: 'trails', label: 'Trails', key: '5', array: 'x', missing: 'frames', hint: 'where the bodies came from' },
  { name: 'boxes', label: 'Boxes', key: '6', array: 'mesh_vertices', missing: 'meshes', hint: 'axis-aligned bounding boxes' },
  { name: 'contacts', label: 'Contacts', key: '7', array: 'contact_point', missing: 'contacts', hint: 'lasting contacts: points, normals, and forces on the second body' },
  { name: 'joints', label: 'Joints', key: '8', array: 'joint_broken', missing: 'joints', hint: 'joints: their ends, axes, ropes and springs; broken ones in red' },
];

export class Overlays {
  /**
   * @param {import('../data/recording.js').Recording} recording
   * @param {import('./bodies.js').Bodies} bodies
   * @param {number} size length that looks right for the longest arrow [m]
   */
  constructor(recording, bodies, size) {
    this.recording = recording;
    this.bodies = bodies;
    this.size = size;
    this.on = Object.fromEntries(kOverlays.map(({ name }) => [name, false]));
    this.group = new Group();
    this.points = new Points();
    this.impulses = new Arrows(true);
    this.velocities = new Arrows(true);
    this.spins = new Arrows(true);
    const moving = recording.moving;
    this.trailPieces = Math.max(4, Math.min(90, Math.floor(kMostTrailPieces / Math.max(moving, 1))));
    this.trails = new Pieces(Math.min(this.trailPieces * moving, kMostTrailPieces) + 1);
    this.boxes = makeBoxes(recording.bodies.length);
    this.contactPoints = new Points();
    this.contactForces = new Arrows(true);
    this.contactNormals = new Pieces(kMostPoints);
    this.contactNormals.lines.material.depthTest = false;
    const contacts = new Group().add(this.contactPoints.mesh, this.contactForces.group, this.contactNormals.lines);
    this.parts = {
      impacts: this.points.mesh,
      impulses: this.impulses.group,
      velocities: this.velocities.group,
      spins: this.spins.group,
      trails: this.trails.lines,
      boxes: this.boxes.lines,
      contacts,
    };
    // Among many bodies an arrow is to be as long as a few of them, not as the scene.
    const radii = recording.bodies.filter((body) => isMoving(body) && body.radius > 0).map((body) => body.radius).sort((a, b) => a - b);
    this.bodySize = radii[Math.floor(radii.length / 2)] ?? size;
    this.strongest = recording.events.strength.reduce((most, s) => (s > most ? s : most), 0);
    this.joints = new JointOverlay(recording, bodies, { size, bodySize: this.bodySize });
    this.parts.joints = this.joints.group;
    for (const part of Object.values(this.parts)) {
      part.visible = false;
      this.group.add(part);
    }
  }

  set(name, on) {
    this.on[name] = on;
    if (this.parts[name]) this.parts[name].visible = on;
  }

  /** How long an impact stays visible [s of the recording]. */
  memory(speed) {
    return Math.max(0.25 * speed, 2 * this.recording.interval);
  }

  /**
   * @param {number} time
   * @param {number} speed of the replay
   * @param {number} thick radius of lines [m], from the distance of the camera
   * @param {{fastest: () => number, fastestSpin: () => number}} scales
   */
  update(time, speed, thick, scales) {
    if (this.on.impacts || this.on.impulses) this.updateEvents(time, speed, thick);
    if (this.on.velocities) this.updateStates(this.velocities, 'v', time, thick, scales.fastest());
    if (this.on.spins) this.updateStates(this.spins, 'w', time, thick, scales.fastestSpin());
    if (this.on.trails) this.updateTrails(time, speed);
    if (this.on.boxes) this.updateBoxes();
    if (this.on.contacts) this.updateContacts(time, thick);
    if (this.on.joints) this.joints.update(time, thick);
  }

  /** Contacts of the frame at a moment or before it: those that are drawn, and as many as there were. */
  contactsAt(time) {
    const { contacts } = this.recording;
    if (!contacts) return { first: 0, last: 0, all: 0 };
    const { k } = this.recording.place(time);
    const first = contacts.first[k] ?? 0;
    return { first, last: Math.min(contacts.first[k + 1] ?? 0, first + kMostPoints), all: contacts.all[k] ?? 0 };
  }

  updateContacts(time, thick) {
    const { contacts } = this.recording;
    const { first, last } = this.contactsAt(time);
    const scale = contacts?.typical > 0 ? Math.min(0.5 * this.size, 3 * this.bodySize) / contacts.typical : 0;
    this.contactPoints.begin();
    this.contactForces.begin();
    this.contactNormals.begin();
    for (let i = first; i < last; ++i) {
      const at = Array.from(contacts.point.subarray(3 * i, 3 * i + 3), (p, c) => p - this.bodies.origin[c]);
      const tip = contacts.normal(i).map((n, c) => at[c] + 14 * thick * n);
      this.contactPoints.add(at, 1.7 * thick);
      this.contactNormals.add(...at, ...tip, this.normalColour, 1, 1);
      // What is stronger than twice the typical is drawn as long as that.
      const stretch = scale * Math.min(1, (2 * contacts.typical) / contacts.strength[i]);
      this.contactForces.add(at, Array.from(contacts.force.subarray(3 * i, 3 * i + 3), (c) => c * stretch), 0.8 * thick);
    }
    this.contactPoints.end();
    this.contactForces.end();
    this.contactNormals.end();
  }

  /** Indices of the events shown at a moment. */
  recent(time, speed) {
    const { events } = this.recording;
    const last = lastAtOrBefore(events.time, time + 1e-12 * Math.max(1, Math.abs(time)));
    const first = lastAtOrBefore(events.time, time - this.memory(speed)) + 1;
    return [Math.max(first, last + 1 - kMostPoints), last];
  }

  updateEvents(time, speed, thick) {
    const { events } = this.recording;
    const memory = this.memory(speed);
    const [first, last] = this.recent(time, speed);
    this.points.begin();
    this.impulses.begin();
    for (let i = first; i <= last; ++i) {
      const at = Array.from(events.point.subarray(3 * i, 3 * i + 3), (p, c) => p - this.bodies.origin[c]);
      const fresh = 1 - (time - events.time[i]) / memory;
      this.points.add(at, thick * (2 + 3 * Math.max(fresh, 0)));
      if (this.strongest > 0) {
        const scale = this.size / this.strongest;
        this.impulses.add(at, Array.from(events.impulse.subarray(3 * i, 3 * i + 3), (c) => c * scale), thick);
      }
    }
    this.points.end();
    this.impulses.end();
  }

  updateStates(arrows, what, time, thick, most) {
    arrows.begin();
    const scale = most > 0 ? this.size / most : 0;
    this.recording.bodies.forEach((body, i) => {
      if (!isMoving(body)) return;
      const state = this.recording.state(i, time);
      arrows.add(state.x.map((p, c) => p - this.bodies.origin[c]), state[what].map((c) => c * scale), thick);
    });
    arrows.end();
  }

  updateTrails(time, speed) {
    const { recording } = this;
    const x = recording.arrays.get('x');
    const { k } = recording.place(time);
    const interval = recording.interval || 1;
    const length = Math.max(1.5 * speed, 30 * interval);
    const stride = Math.max(1, Math.round(length / interval / this.trailPieces));
    const colour = new Color();
    this.trails.begin();
    recording.bodies.forEach((body, i) => {
      if (!isMoving(body)) return;
      const row = body.moving;
      colour.setRGB(...this.bodies.baseColours[i], SRGBColorSpace);
      const at = 7 * row;
      let [px, py, pz] = this.bodies.poses.subarray(at, at + 3);
      // Whole multiples of the stride, so that the corners of a trail stay where they are.
      let frame = Math.floor(k / stride) * stride;
      for (let n = 0; n < this.trailPieces && frame >= 0; ++n, frame -= stride) {
        const [qx, qy, qz] = [0, 1, 2].map((c) => x.at(row, c, frame) - this.bodies.origin[c]);
        if (Number.isFinite(px + py + pz + qx + qy + qz)) {
          this.trails.add(px, py, pz, qx, qy, qz, colour, 0.9 * (1 - n / this.trailPieces), 0.9 * (1 - (n + 1) / this.trailPieces));
        }
        [px, py, pz] = [qx, qy, qz];
      }
    });
    this.trails.end();
  }

  updateBoxes() {
    const { boxes } = this;
    let at = 0;
    this.recording.bodies.forEach((body, i) => {
      if (!isMoving(body)) return;
      const box = this.bodies.box(i);
      if (!box) return;
      for (let j = 0; j < boxes.unit.length; j += 3) {
        for (let c = 0; c < 3; ++c) boxes.position[at++] = box[boxes.unit[j + c] > 0 ? 1 : 0][c];
      }
    });
    boxes.lines.geometry.setDrawRange(0, at / 3);
    boxes.lines.geometry.attributes.position.needsUpdate = true;
  }

  /** @param {{accent: string, ink: string, velocity: string, spin: string, contact: string, joint: string, broken: string}} colours */
  colours({ accent, ink, velocity, spin, contact, joint, broken }) {
    this.joints.colours({ joint, broken, accent });
    this.contactPoints.material.color.set(contact);
    this.contactForces.material.color.set(contact);
    this.normalColour = new Color(ink);
    this.points.material.color.set(accent);
    this.impulses.material.color.set(accent);
    this.velocities.material.color.set(velocity);
    this.spins.material.color.set(spin);
    this.boxes.lines.material.color.set(ink);
  }
}

function makeBoxes(count) {
  const unit = new EdgesGeometry(new BoxGeometry(1, 1, 1)).attributes.position.array;
  const position = new Float32Array(unit.length * count);
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(position, 3).setUsage(DynamicDrawUsage));
  const lines = new LineSegments(geometry, new LineBasicMaterial({ transparent: true, opacity: 0.55 }));
  lines.frustumCulled = false;
  return { unit, position, lines };
}
