#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "visviva/geometry/shapes.hpp"
#include "visviva/math/types.hpp"

namespace visviva::geometry {

/// Vertices, edges and polygon faces of a convex polytope, in the frame B of its Convex. Triangles in one plane are
/// one face. Box and Polytope cores have one (Convex::polytope), a triangle too: with two faces, front and back.
struct Polytope {
  using Index = std::uint32_t;

  /// Runs counter-clockwise around `left` and clockwise around `right`, seen from outside.
  struct Edge {
    Index from = 0, to = 0, left = 0, right = 0;
  };

  std::vector<Vec3> vertices;  ///< [m]
  std::vector<Edge> edges;
  /// Corners of face f, counter-clockwise: corners[first_corner[f]] up to [first_corner[f + 1]].
  std::vector<Index> first_corner, corners;
  std::vector<Index> sides;  ///< sides[k]: edge from corners[k] to the next corner of its face
  /// Faces around vertex v, in no order: faces_around[first_around[v]] up to [first_around[v + 1]]; and with each the
  /// corner of that face that follows v: together all vertices that share an edge with v; and that edge.
  std::vector<Index> first_around, faces_around, neighbours, edges_around;
  /// Planes n·p = offset of the faces, n unit and outward: face_stride x of n, then as many y, z and offsets. Those
  /// after the first face_count() repeat the first, for lanes that read past the end.
  std::vector<Real> planes;
  Index face_stride = 0;
  std::vector<Real> coordinates;  ///< vertex_stride x of the vertices, then as many y and z, filled up alike [m]
  Index vertex_stride = 0;
  bool flat = false;  ///< a triangle: without inside

  [[nodiscard]] Index face_count() const { return static_cast<Index>(first_corner.size()) - 1; }
  [[nodiscard]] std::span<const Index> corners_of(Index face) const {
    return {corners.data() + first_corner[face], corners.data() + first_corner[face + 1]};
  }
  [[nodiscard]] std::span<const Index> sides_of(Index face) const {
    return {sides.data() + first_corner[face], sides.data() + first_corner[face + 1]};
  }
  [[nodiscard]] std::span<const Index> faces_at(Index vertex) const {
    return {faces_around.data() + first_around[vertex], faces_around.data() + first_around[vertex + 1]};
  }
  [[nodiscard]] std::span<const Index> neighbours_of(Index vertex) const {
    return {neighbours.data() + first_around[vertex], neighbours.data() + first_around[vertex + 1]};
  }
  [[nodiscard]] std::span<const Index> edges_at(Index vertex) const {
    return {edges_around.data() + first_around[vertex], edges_around.data() + first_around[vertex + 1]};
  }
  [[nodiscard]] Vec3 normal(Index face) const {
    return {planes[face], planes[std::size_t{face_stride} + face], planes[2 * std::size_t{face_stride} + face]};
  }
  [[nodiscard]] Real offset(Index face) const { return planes[3 * std::size_t{face_stride} + face]; }  ///< [m]
};

/// The columns of half_axes lead from the centre to the middles of three faces, right-handed. Vertex i lies on the
/// positive side of axis k if bit k of i is set; face 2 k + 1 is the positive one of axis k, face 2 k its opposite.
[[nodiscard]] Polytope make_box_polytope(const Vec3& center, const Mat3& half_axes);

/// Of a hull as make_convex_hull gives it. Triangles whose corners lie within 1e-10 of the hull's size of the plane of
/// a larger neighbour become one face with it.
[[nodiscard]] Polytope make_polytope(const TriangleMesh& hull);

/// A triangle, seen from both sides; face 0 is the one from which a, b, c runs counter-clockwise. Allocates nothing if
/// `polytope` was one before. The normals of a triangle without area are zero.
void set_triangle(Polytope& polytope, const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace visviva::geometry
