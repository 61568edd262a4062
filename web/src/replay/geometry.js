// Meshes of the report as three.js geometries.

import { BufferAttribute, BufferGeometry } from 'three';

/** Faces that meet at less than this share a smooth normal; edges of boxes and creases of unions stay sharp. */
const kCreaseCosine = Math.cos((38 * Math.PI) / 180);

/**
 * @param {Float32Array} vertices of all meshes
 * @param {Uint32Array} triangles of all meshes
 * @param {{first_vertex: number, vertices: number, first_triangle: number, triangles: number}} mesh
 * @param {boolean} smooth whether the mesh stands for a curved surface
 */
export function makeGeometry(vertices, triangles, mesh, smooth) {
  const points = vertices.subarray(3 * mesh.first_vertex, 3 * (mesh.first_vertex + mesh.vertices));
  const corners = triangles.subarray(3 * mesh.first_triangle, 3 * (mesh.first_triangle + mesh.triangles));
  const faceNormals = normalsOfFaces(points, corners);
  const around = smooth ? facesAround(points, corners) : null;
  const position = [];
  const normal = [];
  const index = new Uint32Array(corners.length);
  // Corners with the same place and normal become one vertex: six times less work for a sphere.
  const made = new Map();
  for (let i = 0; i < corners.length; ++i) {
    const face = 3 * Math.floor(i / 3);
    const n = around ? creased(faceNormals, face, around[corners[i]]) : faceNormals.subarray(face, face + 3);
    const size = Math.hypot(n[0], n[1], n[2]) || 1;
    const [x, y, z] = [n[0] / size, n[1] / size, n[2] / size];
    const key = `${corners[i]} ${Math.round(1e4 * x)} ${Math.round(1e4 * y)} ${Math.round(1e4 * z)}`;
    let vertex = made.get(key);
    if (vertex === undefined) {
      vertex = made.size;
      made.set(key, vertex);
      const at = 3 * corners[i];
      position.push(points[at], points[at + 1], points[at + 2]);
      normal.push(x, y, z);
    }
    index[i] = vertex;
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(position), 3));
  geometry.setAttribute('normal', new BufferAttribute(new Float32Array(normal), 3));
  geometry.setIndex(new BufferAttribute(index, 1));
  geometry.computeBoundingBox();
  geometry.computeBoundingSphere();
  geometry.userData.points = points;
  return geometry;
}

/** Normals of the triangles, as long as their areas, so that slivers weigh little in a mean. */
function normalsOfFaces(p, corners) {
  const normals = new Float32Array(corners.length);
  for (let f = 0; f < corners.length; f += 3) {
    const [a, b, c] = [3 * corners[f], 3 * corners[f + 1], 3 * corners[f + 2]];
    const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
    normals[f] = uy * vz - uz * vy;
    normals[f + 1] = uz * vx - ux * vz;
    normals[f + 2] = ux * vy - uy * vx;
  }
  return normals;
}

/** For every vertex the faces that touch its place; equal places count as one vertex. */
function facesAround(points, corners) {
  const places = new Map();
  const at = [];
  for (let i = 0; i < points.length; i += 3) {
    const key = `${points[i]},${points[i + 1]},${points[i + 2]}`;
    if (!places.has(key)) places.set(key, []);
    at.push(places.get(key));
  }
  for (let i = 0; i < corners.length; ++i) at[corners[i]].push(3 * Math.floor(i / 3));
  return at;
}

function creased(normals, face, faces) {
  const [nx, ny, nz] = normals.subarray(face, face + 3);
  const size = Math.hypot(nx, ny, nz);
  const sum = [0, 0, 0];
  for (const other of faces) {
    const [x, y, z] = [normals[other], normals[other + 1], normals[other + 2]];
    if (nx * x + ny * y + nz * z < kCreaseCosine * size * Math.hypot(x, y, z)) continue;
    sum[0] += x;
    sum[1] += y;
    sum[2] += z;
  }
  return sum;
}
