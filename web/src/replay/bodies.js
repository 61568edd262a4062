// The bodies of a run in the 3D scene. Shapes that share a mesh are one instanced draw.

import { Color, DynamicDrawUsage, Group, InstancedMesh, Matrix4, MeshLambertMaterial, MeshStandardMaterial, Quaternion, SRGBColorSpace, Vector3 } from 'three';
import { isMoving } from '../data/recording.js';
import { bodyColour } from '../ui/colours.js';
import { makeGeometry } from './geometry.js';

/** @typedef {{body: number, mesh: number, instances: InstancedMesh, slot: number, scale: number, geometry: any}} Placed */

/** More bodies than this are drawn without highlights, for machines without a graphics card. */
const kMostShiny = 400;
const kFixed = [0.62, 0.64, 0.67];

export class Bodies {
  /**
   * @param {import('../data/recording.js').Recording} recording
   * @param {number[]} origin of the scene in the world
   */
  constructor(recording, origin = [0, 0, 0]) {
    this.recording = recording;
    this.origin = origin;
    this.group = new Group();
    this.poses = new Float32Array(7 * recording.moving);
    /** Matrices X_WB of all bodies, 16 numbers each, their places from the origin of the scene. */
    this.matrices = recording.bodies.map(() => new Matrix4());
    this.finite = recording.bodies.map(() => true);
    /** @type {Placed[]} */
    this.placed = [];
    /** @type {Placed[][]} */
    this.ofBody = recording.bodies.map(() => []);
    this.baseColours = recording.bodies.map((body) =>
      isMoving(body) ? bodyColour(body.moving) : kFixed,
    );
    this.build();
    this.placeFixed();
    this.colourAll((body) => this.baseColours[body]);
  }

  build() {
    const { header, arrays } = this.recording;
    const vertices = arrays.get('mesh_vertices');
    const triangles = arrays.get('mesh_triangles');
    if (!vertices || !triangles) return;
    const groups = new Map();
    for (const shape of header.shapes ?? []) {
      const mesh = header.meshes?.[shape.mesh];
      const floor = shape.fidelity === 'cut' && !isMoving(this.recording.bodies[shape.body]);
      if (floor || !mesh || !mesh.triangles || !this.ofBody[shape.body]) continue;
      const smooth = shape.fidelity === 'faceted' || shape.fidelity === 'parts_only';
      const key = `${shape.mesh} ${smooth}`;
      if (!groups.has(key)) groups.set(key, { mesh, smooth, shapes: [] });
      groups.get(key).shapes.push(shape);
    }
    for (const { mesh, smooth, shapes } of groups.values()) {
      const geometry = makeGeometry(vertices, triangles, mesh, smooth);
      const material = this.recording.moving > kMostShiny ? new MeshLambertMaterial() : new MeshStandardMaterial({ roughness: 0.55 });
      const instances = new InstancedMesh(geometry, material, shapes.length);
      instances.instanceMatrix.setUsage(DynamicDrawUsage);
      instances.castShadow = instances.receiveShadow = true;
      instances.frustumCulled = false;
      instances.userData.bodyOf = shapes.map((shape) => shape.body);
      shapes.forEach((shape, slot) => {
        const scale = shape.scale ?? 1;
        const placed = { body: shape.body, mesh: shape.mesh, instances, slot, scale, geometry };
        this.placed.push(placed);
        this.ofBody[shape.body].push(placed);
      });
      this.group.add(instances);
    }
  }

  /** Bodies without frames stand where the header says. */
  placeFixed() {
    this.recording.bodies.forEach((body, i) => {
      if (isMoving(body)) return;
      const [w, x, y, z] = body.rotation ?? [1, 0, 0, 0];
      const position = (body.position ?? [0, 0, 0]).map((p, c) => (p === null ? NaN : p - this.origin[c]));
      this.finite[i] = [...position, w, x, y, z].every(Number.isFinite);
      this.matrices[i].compose(new Vector3(...position), new Quaternion(x, y, z, w), new Vector3(1, 1, 1));
    });
  }

  /** Moves everything to a moment. */
  update(time) {
    const { recording, poses } = this;
    recording.poses(time, poses, this.origin);
    const position = new Vector3();
    const rotation = new Quaternion();
    const one = new Vector3(1, 1, 1);
    const shift = new Vector3();
    recording.bodies.forEach((body, i) => {
      if (!isMoving(body)) return;
      const at = 7 * body.moving;
      position.set(poses[at], poses[at + 1], poses[at + 2]);
      rotation.set(poses[at + 3], poses[at + 4], poses[at + 5], poses[at + 6]);
      this.finite[i] = Number.isFinite(position.x + position.y + position.z + rotation.x + rotation.y + rotation.z + rotation.w);
      if (!this.finite[i]) return;
      // Frames of dynamic bodies tell the centre of mass; meshes are in frame B, whose origin may lie elsewhere.
      if (body.type === 'dynamic' && body.center_of_mass) {
        shift.set(...body.center_of_mass).applyQuaternion(rotation);
        if (Number.isFinite(shift.x + shift.y + shift.z)) position.sub(shift);
      }
      this.matrices[i].compose(position, rotation, one);
    });
    const hidden = new Matrix4().makeScale(0, 0, 0);
    const touched = new Set();
    const scaled = new Matrix4();
    for (const { body, instances, slot, scale } of this.placed) {
      scaled.copy(this.finite[body] ? this.matrices[body] : hidden).scale(shift.setScalar(scale));
      instances.setMatrixAt(slot, scaled);
      touched.add(instances);
    }
    for (const instances of touched) {
      instances.instanceMatrix.needsUpdate = true;
      instances.boundingSphere = null; // of all instances; the ray test makes it anew
    }
  }

  /** @param {(body: number) => number[]} colourOf sRGB in 0…1 */
  colourAll(colourOf) {
    const colour = new Color();
    const touched = new Set();
    for (const { body, instances, slot } of this.placed) {
      colour.setRGB(...colourOf(body), SRGBColorSpace);
      instances.setColorAt(slot, colour);
      touched.add(instances);
    }
    for (const instances of touched) instances.instanceColor.needsUpdate = true;
  }

  /** @param {import('three').Raycaster} ray @returns {number | null} the body that the ray meets first */
  pick(ray) {
    const [hit] = ray.intersectObjects(this.group.children, false);
    return hit ? hit.object.userData.bodyOf[hit.instanceId] : null;
  }

  /** Axis-aligned box around a body as it stands, [least, most], from its mesh's vertices; null if it has none. */
  box(body) {
    if (!this.finite[body] || this.ofBody[body].length === 0) return null;
    const least = [Infinity, Infinity, Infinity];
    const most = [-Infinity, -Infinity, -Infinity];
    const m = this.matrices[body].elements;
    for (const { geometry, scale } of this.ofBody[body]) {
      const p = geometry.userData.points;
      for (let i = 0; i < p.length; i += 3) {
        for (let c = 0; c < 3; ++c) {
          const value = scale * (m[c] * p[i] + m[4 + c] * p[i + 1] + m[8 + c] * p[i + 2]) + m[12 + c];
          if (value < least[c]) least[c] = value;
          if (value > most[c]) most[c] = value;
        }
      }
    }
    return [least, most];
  }
}
