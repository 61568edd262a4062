// Half-spaces. A recording has a small square of each boundary; here they become floors without an end, or, where
// several meet, the walls of a room.

import { BufferAttribute, BufferGeometry, Color, DoubleSide, FrontSide, Group, Mesh, MeshLambertMaterial, Quaternion, Vector3 } from 'three';

/**
 * @typedef {{normal: Vector3, point: Vector3, body: number}} Plane
 */

/**
 * @param {import('../data/recording.js').Recording} recording
 * @param {import('./bodies.js').Bodies} bodies
 * @param {Vector3} inside a point that is not in any of the half-spaces
 * @returns {Plane[]}
 */
export function readPlanes(recording, bodies, inside) {
  const { header, arrays } = recording;
  const vertices = arrays.get('mesh_vertices');
  const triangles = arrays.get('mesh_triangles');
  const planes = [];
  for (const shape of header.shapes ?? []) {
    const mesh = header.meshes?.[shape.mesh];
    if (shape.fidelity !== 'cut' || !mesh || !mesh.triangles || !bodies.finite[shape.body]) continue;
    const corner = (i) =>
      new Vector3()
        .fromArray(vertices, 3 * (mesh.first_vertex + triangles[3 * mesh.first_triangle + i]))
        .applyMatrix4(bodies.matrices[shape.body]);
    const [a, b, c] = [corner(0), corner(1), corner(2)];
    const normal = b.clone().sub(a).cross(c.sub(a)).normalize();
    if (!(normal.length() > 0.5)) continue;
    if (inside.clone().sub(a).dot(normal) < 0) normal.negate();
    planes.push({ normal, point: a, body: shape.body });
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
        float gridLines(vec2 p, float width) {
          vec2 d = fwidth(p);
          vec2 a = abs(fract(p - 0.5) - 0.5) / max(d, 1e-6);
          vec2 on = (1.0 - smoothstep(width - 0.5, width + 0.5, a)) * (1.0 - smoothstep(0.08, 0.4, d));
          return max(on.x, on.y);
        }`,
      )
      .replace(
        '#include <opaque_fragment>',
        `vec2 gridAt = vec2(dot(vGrid, gridU), dot(vGrid, gridV)) / gridSpacing;
        float line = max(0.5 * gridLines(gridAt, 0.5), gridLines(gridAt / 5.0, 0.6));
        outgoingLight = mix(outgoingLight, gridColour, 0.4 * line);
        diffuseColor.a *= 1.0 - smoothstep(0.35, 1.0, distance(vGrid, gridCentre) / gridReach);
        #include <opaque_fragment>`,
      );
  };
  return { material, uniforms };
}

export class Planes {
  /** @param {Plane[]} planes @param {Vector3} centre of all motion @param {number} radius of all motion */
  constructor(planes, centre, radius) {
    this.group = new Group();
    this.planes = planes;
    this.room = planes.some((a, i) => planes.some((b, j) => i < j && Math.abs(a.normal.dot(b.normal)) < 0.999));
    this.parts = planes.map((plane, i) => {
      const { material, uniforms } = gridMaterial();
      const [u, v] = axesOf(plane.normal);
      uniforms.gridU.value.copy(u);
      uniforms.gridV.value.copy(v);
      // Lines through the origin's shadow on the plane, which is where coordinates are counted from.
      const geometry = this.room
        ? polygonGeometry(clipped(planes, i, centre, radius, u, v), plane.normal)
        : polygonGeometry([u, v, u.clone().negate(), v.clone().negate()], plane.normal);
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
export function openGrid(point) {
  const planes = new Planes([{ normal: new Vector3(0, 0, 1), point, body: -1 }], point, 1);
  planes.parts[0].material.side = DoubleSide;
  planes.parts[0].material.opacity = 0.5;
  return planes;
}

function axesOf(normal) {
  const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), normal);
  return [new Vector3(1, 0, 0).applyQuaternion(turn), new Vector3(0, 1, 0).applyQuaternion(turn)];
}

/** The part of plane i that no other half-space covers, within the room of the motion. */
function clipped(planes, i, centre, radius, u, v) {
  const { normal, point } = planes[i];
  const foot = centre.clone().addScaledVector(normal, -centre.clone().sub(point).dot(normal));
  const reach = 1.25 * radius;
  let polygon = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([s, t]) =>
    foot.clone().addScaledVector(u, s * reach).addScaledVector(v, t * reach),
  );
  planes.forEach((other, j) => {
    if (j === i || polygon.length < 3) return;
    const height = (p) => p.clone().sub(other.point).dot(other.normal);
    const kept = [];
    polygon.forEach((p, k) => {
      const q = polygon[(k + 1) % polygon.length];
      const [hp, hq] = [height(p), height(q)];
      if (hp >= 0) kept.push(p);
      if (hp * hq < 0) kept.push(p.clone().lerp(q, hp / (hp - hq)));
    });
    polygon = kept;
  });
  return polygon;
}

function polygonGeometry(polygon, normal) {
  const positions = [];
  const normals = [];
  for (let k = 1; k + 1 < polygon.length; ++k) {
    for (const p of [polygon[0], polygon[k], polygon[k + 1]]) {
      positions.push(p.x, p.y, p.z);
      normals.push(normal.x, normal.y, normal.z);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(positions), 3));
  geometry.setAttribute('normal', new BufferAttribute(new Float32Array(normals), 3));
  return geometry;
}
