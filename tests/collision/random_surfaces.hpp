#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <random>

#include "visviva/collision/collider.hpp"
#include "visviva/collision/mesh.hpp"

namespace visviva::collision {

/// A field of random heights in [-amplitude, amplitude].
inline geometry::HeightField random_field(std::uint32_t rows, std::uint32_t columns, const Vec2& spacing,
                                          Real amplitude, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<Real> height(-amplitude, amplitude);
  geometry::HeightField field{rows, columns, spacing, {}};
  for (std::uint32_t i = 0; i < rows * columns; ++i) field.heights.push_back(height(engine));
  return field;
}

/// A ball of triangles: an octahedron whose faces are cut in four, again and again.
inline geometry::TriangleMesh ball_mesh(Real radius, int cuts) {
  geometry::TriangleMesh mesh;
  mesh.vertices = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  mesh.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  for (int cut = 0; cut < cuts; ++cut) {
    std::vector<geometry::TriangleMesh::Triangle> finer;
    std::vector<std::array<std::uint32_t, 3>> middles;  // low, high, index
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
      const std::uint32_t low = std::min(a, b), high = std::max(a, b);
      for (const auto& m : middles)
        if (m[0] == low && m[1] == high) return m[2];
      const auto index = static_cast<std::uint32_t>(mesh.vertices.size());
      mesh.vertices.push_back((mesh.vertices[a] + mesh.vertices[b]).normalized());
      middles.push_back({low, high, index});
      return index;
    };
    for (const auto& [a, b, c] : mesh.triangles) {
      const std::uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    mesh.triangles = std::move(finer);
  }
  for (Vec3& v : mesh.vertices) v *= radius;
  return mesh;
}

/// A closed box of twelve triangles.
inline geometry::TriangleMesh box_mesh(const Vec3& half_extents) {
  geometry::TriangleMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.push_back(
        half_extents.cwiseProduct(Vec3((i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 1 : -1, (i & 4) != 0 ? 1 : -1)));
  mesh.triangles = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
  return mesh;
}

/// The same with a dent in its lowest face: not convex, so that it collides as a mesh.
inline geometry::TriangleMesh dented_box_mesh(const Vec3& half_extents) {
  geometry::TriangleMesh mesh = box_mesh(half_extents);
  mesh.vertices.emplace_back(0, 0, -0.9 * half_extents.z());
  mesh.triangles[8] = {0, 2, 8};
  mesh.triangles[9] = {2, 3, 8};
  mesh.triangles.insert(mesh.triangles.end(), {{3, 1, 8}, {1, 0, 8}});
  return mesh;
}

/// The mesh itself, even if it is convex and its solid would collide as a hull.
inline Collider mesh_collider(const geometry::TriangleMesh& mesh) {
  return Collider(PlacedSurface{std::make_shared<const Mesh>(mesh), {}});
}

using Long3 = Eigen::Matrix<long double, 3, 1>;

/// Distance of a point from a triangle in long double, by its definition: the foot of the face if it is inside, else
/// the nearest of the edges.
inline long double point_triangle_distance(const Vec3& point, const Surface::Corners& corners) {
  const Long3 p = point.cast<long double>();
  std::array<Long3, 3> c;
  for (std::size_t k = 0; k < 3; ++k) c[k] = corners[k].cast<long double>();
  const Long3 n = (c[1] - c[0]).cross(c[2] - c[0]);
  bool inside = n.squaredNorm() > 0;
  long double least = std::numeric_limits<long double>::infinity();
  for (std::size_t k = 0; k < 3; ++k) {
    const Long3 e = c[(k + 1) % 3] - c[k];
    inside = inside && e.cross(p - c[k]).dot(n) >= 0;
    const long double t = std::clamp((p - c[k]).dot(e) / e.squaredNorm(), 0.0L, 1.0L);
    least = std::min(least, (p - c[k] - t * e).norm());
  }
  return inside ? std::abs(n.dot(p - c[0])) / n.norm() : least;
}

}  // namespace visviva::collision
