// Half-spaces. A recording has a piece of each boundary; a floor becomes one without an end, and where several meet
// they are the walls of a room, seen from inside only.

import { BufferAttribute, BufferGeometry, Color, DoubleSide, FrontSide, Group, Mesh, MeshLambertMaterial, Quaternion, Vector2, Vector3 } from 'three';
import { isMoving } from '../data/recording.js';

/**
 * @typedef {{normal: Vector3, point: Vector3, triangles: Vector3[]}} Plane
 *   triangles: three corners each, as recorded: where several half-spaces meet, each ends where another begins
 */

/**
 * @param {import('../data/recording.js').Recording} recording
 * @param {import('./bodies.js').Bodies} bodies
 * @returns {Plane[]} half-spaces that stand still; those that move are drawn as the bodies they are
 */
export function readPlanes(recording, bodies) {
  const { header, arrays } = recording;
  const vertices = arrays.get('mesh_vertices');
  const corners = arrays.get('mesh_triangles');
  const planes = [];
  for (const shape of header.shapes ?? []) {
    const mesh = header.meshes?.[shape.mesh];
    const standing = !isMoving(recording.bodies[shape.body]);
    if (shape.fidelity !== 'cut' || !mesh || !mesh.triangles || !standing || !bodies.finite[shape.body]) continue;
    const triangles = Array.from(corners.subarray(3 * mesh.first_triangle, 3 * (mesh.first_triangle + mesh.triangles)), (corner) =>
      new Vector3().fromArray(vertices, 3 * (mesh.first_vertex + corner)).applyMatrix4(bodies.matrices[shape.body]),
    );
    const [a, b, c] = triangles;
    const normal = b.clone().sub(a).cross(c.clone().sub(a)).normalize();
    if (normal.length() > 0.5) planes.push({ normal, point: a, triangles });
  }
  return planes;
}

/** A material with grid lines in the plane, drawn in the shader so that they stay fine at any distance. */
function gridMaterial() {
  const material = new MeshLambertMaterial({ transparent: true, side: FrontSide });
  const uniforms = {
    gridSpacing: { value: 1 },
    gridColour: { value: new Color() },
    gridCentre: { value: new Vector3() },
    gridReach: { value: 10 },
    gridU: { value: new Vector3(1, 0, 0) },
    gridV: { value: new Vector3(0, 1, 0) },
    gridShift: { value: new Vector2() },
  };
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nvarying vec3 vGrid;')
      .replace('#include <begin_vertex>', '#include <begin_vertex>\nvGrid = (modelMatrix * vec4(position, 1.0)).xyz;');
    shader.fragmentShader = shader.fragmentShader
      .replace(
        '#include <common>',
        `#include <common>
        varying vec3 vGrid;
        uniform float gridSpacing, gridReach;
        uniform vec3 gridColour, gridCentre, gridU, gridV;
        uniform vec2 gridShift;
        float gridLines(vec2 p, float width) {
          vec2 d = fwidth(p);
          vec2 a = abs(fract(p - 0.5) - 0.5) / max(d, 1e-6);
          vec2 on = (1.0 - smoothstep(width - 0.5, width + 0.5, a)) * (1.0 - smoothstep(0.08, 0.4, d));
          return max(on.x, on.y);
        }`,
      )
      .replace(
        '#include <opaque_fragment>',
        `vec2 gridAt = vec2(dot(vGrid, gridU), dot(vGrid, gridV)) / gridSpacing + gridShift;
        float line = max(0.5 * gridLines(gridAt, 0.5), gridLines(gridAt / 5.0, 0.6));
        float gridFar = distance(vGrid, gridCentre) / gridReach;
        outgoingLight = mix(outgoingLight, gridColour, 0.4 * line * (1.0 - smoothstep(0.08, 0.5, gridFar)));
        diffuseColor.a *= 1.0 - smoothstep(0.3, 1.0, gridFar);
        #include <opaque_fragment>`,
      );
  };
  return { material, uniforms };
}

export class Planes {
  /** @param {Plane[]} planes @param {Vector3} origin of the scene in the world, from which the lines are counted */
  constructor(planes, origin = new Vector3()) {
    this.origin = origin;
    this.group = new Group();
    this.planes = planes;
    this.room = planes.some((a, i) => planes.some((b, j) => i < j && Math.abs(a.normal.dot(b.normal)) < 0.999));
    this.parts = planes.map((plane) => {
      const { material, uniforms } = gridMaterial();
      const [u, v] = axesOf(plane.normal);
      uniforms.gridU.value.copy(u);
      uniforms.gridV.value.copy(v);
      const [w, x] = [u.clone().negate(), v.clone().negate()];
      const geometry = flatGeometry(this.room ? plane.triangles : [u, v, w, u, w, x], plane.normal);
      const mesh = new Mesh(geometry, material);
      mesh.receiveShadow = true;
      mesh.frustumCulled = false;
      mesh.renderOrder = -1;
      this.group.add(mesh);
      return { plane, mesh, uniforms, material };
    });
  }

  /** Keeps floors under what is looked at, and the spacing of the grid readable. */
  update(target, distance, spacing) {
    for (const { plane, mesh, uniforms } of this.parts) {
      const foot = target.clone().addScaledVector(plane.normal, -target.clone().sub(plane.point).dot(plane.normal));
      uniforms.gridSpacing.value = spacing;
      // Every fifth line is strong: what is left of the origin's place over five of them, in double precision.
      const left = (axis) => ((this.origin.dot(axis) / spacing) % 5);
      uniforms.gridShift.value.set(left(uniforms.gridU.value), left(uniforms.gridV.value));
      uniforms.gridCentre.value.copy(foot);
      const reach = this.room ? 1e6 * distance : 7 * distance;
      uniforms.gridReach.value = reach;
      if (!this.room) {
        mesh.position.copy(foot);
        mesh.scale.setScalar(1.5 * reach);
      }
    }
  }

  /** @param {string} ground @param {string} lines */
  colours(ground, lines) {
    for (const { material, uniforms } of this.parts) {
      material.color.set(ground);
      uniforms.gridColour.value.set(lines);
    }
  }
}

/** A grid alone, for scenes without a floor; seen from both sides. */
export function openGrid(point, origin) {
  const planes = new Planes([{ normal: new Vector3(0, 0, 1), point, triangles: [] }], origin);
  planes.parts[0].material.side = DoubleSide;
  planes.parts[0].material.opacity = 0.5;
  return planes;
}

function axesOf(normal) {
  const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), normal);
  return [new Vector3(1, 0, 0).applyQuaternion(turn), new Vector3(0, 1, 0).applyQuaternion(turn)];
}

/** @param {Vector3[]} corners three a triangle */
function flatGeometry(corners, normal) {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(corners.flatMap((p) => p.toArray())), 3));
  geometry.setAttribute('normal', new BufferAttribute(new Float32Array(corners.flatMap(() => normal.toArray())), 3));
  return geometry;
}
