// Joints in the 3D view: their ends, axes, what lies between the ends, and the force of the selected one.

import {
  CatmullRomCurve3, Color, CylinderGeometry, DynamicDrawUsage, Group, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, SphereGeometry, Vector3,
} from 'three';
import { kNone } from '../data/recording.js';

const kUp = new Vector3(0, 1, 0);
const kTurns = 9;
/** Kinds that have an axis to show. */
const kWithAxis = new Set(['hinge', 'slider', 'cylindrical', 'universal', 'cone', 'swing_twist', 'wheel', 'gear', 'rack_and_pinion', 'screw', 'point_on_plane']);

/** Cylinders or balls, each of its own colour: one instanced draw. */
class Pieces {
  constructor(geometry, most) {
    this.material = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.92 });
    this.mesh = new InstancedMesh(geometry, this.material, most);
    this.mesh.frustumCulled = false;
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.renderOrder = 4;
    this.most = most;
    this.count = 0;
  }
  begin() {
    this.count = 0;
  }
  put(matrix, colour) {
    if (this.count >= this.most) return;
    this.mesh.setMatrixAt(this.count, matrix);
    this.mesh.setColorAt(this.count++, colour);
  }
  end() {
    this.mesh.count = this.count;
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }
}

export class JointOverlay {
  /**
   * @param {import('../data/recording.js').Recording} recording
   * @param {import('./bodies.js').Bodies} bodies
   * @param {{size: number, bodySize: number}} sizes of arrows and of bodies [m]
   */
  constructor(recording, bodies, { size, bodySize }) {
    this.recording = recording;
    this.joints = recording.joints;
    this.bodies = bodies;
    this.size = size;
    this.bodySize = bodySize;
    this.selected = null;
    const pathPieces = this.joints.list.reduce((sum, { path }) => sum + 12 * (path?.length ?? 0), 0);
    this.balls = new Pieces(new SphereGeometry(1, 12, 8), 2 * this.joints.count + 2);
    this.bars = new Pieces(new CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0), (4 + 2 * kTurns) * this.joints.count + pathPieces + 2);
    this.heads = new Pieces(new CylinderGeometry(0, 1, 1, 12).translate(0, 0.5, 0), 2);
    this.group = new Group().add(this.bars.mesh, this.balls.mesh, this.heads.mesh);
    this.paths = this.joints.list.map(({ kind, path, closed_path: closed }) => (kind === 'point_on_path' && path?.length > 1
      ? new CatmullRomCurve3(path.map((p) => new Vector3(...p)), Boolean(closed), 'centripetal').getPoints(10 * path.length)
      : null));
    this.colours({ joint: '#c2187a', broken: '#d00', accent: '#06c' });
  }

  colours({ joint, broken, accent }) {
    this.colour = { joint: new Color(joint), broken: new Color(broken), accent: new Color(accent) };
  }

  /** The frame J of a side as a matrix, told from the origin of the scene; null if its body is nowhere. */
  frame(joint, side) {
    const desc = this.joints.list[joint];
    const { position = [0, 0, 0], rotation = [1, 0, 0, 0] } = desc[`frame_${side}`] ?? {};
    const [w, x, y, z] = rotation;
    const local = new Matrix4().compose(new Vector3(...position), new Quaternion(x, y, z, w), new Vector3(1, 1, 1));
    const body = desc[side];
    if (body === null || body === undefined) return local.setPosition(...position.map((p, c) => p - this.bodies.origin[c]));
    if (!this.bodies.finite[body] || !this.bodies.matrices[body]) return null;
    return local.premultiply(this.bodies.matrices[body]);
  }

  world(point) {
    return new Vector3(...point.map((p, c) => p - this.bodies.origin[c]));
  }

  ball(at, radius, colour) {
    this.balls.put(new Matrix4().makeScale(radius, radius, radius).setPosition(at), colour);
  }

  bar(from, to, radius, colour, pieces = this.bars) {
    const along = to.clone().sub(from);
    const length = along.length();
    if (!(length > 1e-3 * radius)) return;
    const turn = new Quaternion().setFromUnitVectors(kUp, along.divideScalar(length));
    pieces.put(new Matrix4().compose(from, turn, new Vector3(radius, length, radius)), colour);
  }

  /** A zigzag between two points, as springs are drawn. */
  coil(from, to, radius, width, colour) {
    const along = to.clone().sub(from);
    if (!(along.length() > 4 * radius)) return;
    const aside = new Vector3(0, 0, 1).cross(along);
    if (aside.lengthSq() < 1e-12 * along.lengthSq()) aside.set(1, 0, 0).cross(along);
    aside.setLength(Math.min(width, 0.12 * along.length()));
    let last = from;
    for (let i = 0; i <= 2 * kTurns; ++i) {
      const share = 0.12 + (0.76 * i) / (2 * kTurns);
      const side = i === 0 || i === 2 * kTurns ? 0 : i % 2 ? 1 : -1;
      const next = from.clone().addScaledVector(along, share).addScaledVector(aside, side);
      this.bar(last, next, radius, colour);
      last = next;
    }
    this.bar(last, to, radius, colour);
  }

  /** @param {number} time @param {number} thick radius of lines [m] */
  update(time, thick) {
    this.balls.begin();
    this.bars.begin();
    this.heads.begin();
    const { k } = this.recording.place(time);
    for (let joint = 0; joint < this.joints.count; ++joint) this.place(joint, k, thick);
    if (this.selected !== null) this.placeForce(this.selected, time, thick);
    this.balls.end();
    this.bars.end();
    this.heads.end();
  }

  place(joint, frame, thick) {
    const [A, B] = [this.frame(joint, 'a'), this.frame(joint, 'b')];
    if (!A || !B) return;
    const [a, b] = [A, B].map((matrix) => new Vector3().setFromMatrixPosition(matrix));
    const isBroken = this.joints.broken[joint] !== kNone && frame >= this.joints.broken[joint];
    const isSelected = joint === this.selected;
    const colour = isBroken ? this.colour.broken : isSelected ? this.colour.accent : this.colour.joint;
    const ball = (isSelected ? 3.2 : 2) * Math.min(thick, 0.06 * this.bodySize + 0.3 * thick);
    const desc = this.joints.list[joint];
    // A drag and a point on a path have nothing at the origin of A.
    if (desc.kind !== 'drag' && desc.kind !== 'point_on_path' && a.distanceTo(b) > ball) this.ball(a, ball, colour);
    this.ball(b, ball, colour);
    if (isBroken) return;
    const radius = (isSelected ? 1 : 0.65) * thick;
    this.placeLink(joint, desc, a, b, radius, colour);
    if (kWithAxis.has(desc.kind)) {
      const z = new Vector3().setFromMatrixColumn(A, 2).setLength(0.55 * this.bodySize + 8 * thick);
      const at = desc.kind === 'gear' || desc.kind === 'rack_and_pinion' ? a : b;
      this.bar(at.clone().sub(z), at.clone().add(z), 0.5 * radius, colour);
    }
    const path = this.paths[joint];
    if (path) {
      const points = path.map((p) => p.clone().applyMatrix4(A));
      for (let i = 1; i < points.length; ++i) this.bar(points[i - 1], points[i], 0.6 * radius, colour);
    }
  }

  placeLink(joint, desc, a, b, radius, colour) {
    const link = this.joints.link(joint);
    if (desc.kind === 'pulley' && desc.wheels) {
      const [p, q] = desc.wheels.map((wheel) => this.world(wheel));
      for (const [from, to] of [[a, p], [p, q], [q, b]]) this.bar(from, to, 0.7 * radius, colour);
      for (const wheel of [p, q]) this.ball(wheel, 2.5 * radius, colour);
    } else if (link === 'spring') {
      this.coil(desc.kind === 'drag' && desc.target ? this.world(desc.target) : a, b, 0.7 * radius, 10 * radius, colour);
    } else if (link) {
      this.bar(a, b, (link === 'rod' ? 1.2 : 0.7) * radius, colour);
    }
  }

  /** The force on B of the selected joint; as long as the arrows of others at the largest that it has. */
  placeForce(joint, time, thick) {
    const B = this.frame(joint, 'b');
    if (!B || this.joints.isBroken(joint, time) || !this.joints.hasNumbers()) return;
    this.mostForce ??= new Map();
    if (!this.mostForce.has(joint)) this.mostForce.set(joint, this.joints.constructor.most(this.joints.sizes('force', joint)));
    const force = new Vector3(...this.joints.at('force', joint, time)).multiplyScalar(this.size / (this.mostForce.get(joint) || Infinity));
    if (!(force.length() > 4 * thick)) return;
    const from = new Vector3().setFromMatrixPosition(B);
    const head = Math.min(0.4 * force.length(), 9 * thick);
    const neck = from.clone().addScaledVector(force, 1 - head / force.length());
    this.bar(from, neck, thick, this.colour.accent);
    this.bar(neck, from.clone().add(force), 3 * thick, this.colour.accent, this.heads);
  }
}
