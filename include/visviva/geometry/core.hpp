#pragma once

#include <cstdint>
#include <vector>

#include "visviva/math/se3.hpp"

namespace visviva::geometry {

/// Intersection: one that is known by its support points alone.
enum class CoreKind : std::uint8_t { Point, Segment, Ellipsoid, Box, Cylinder, Cone, Polytope, Intersection };

/// What a query that knows kinds of shapes reads of a Convex in frame B: its core in the core's own frame S, and the
/// radius of the ball that is added to it. Which members count depends on the kind.
///
/// In the order in which queries read it, from the beginning of a cache line on.
struct alignas(64) Core {
  CoreKind kind = CoreKind::Point;
  bool turned = false;                  ///< X.R is not the identity
  bool climbs = false;                  ///< Polytope: it is large and has the neighbours of its vertices
  std::uint32_t count = 0, stride = 0;  ///< of `coordinates`
  const Real* coordinates = nullptr;    ///< see below
  Real rounding = 0;                    ///< [m]
  Real reach = 0;                       ///< Convex::radius_about(center) [m]
  Vec3 center = Vec3::Zero();           ///< a point well inside, in B [m]
  Vec3 size = Vec3::Zero();  ///< semi-axes, half extents, or (radius, -, half height); Segment: (0, 0, half) [m]
  Pose X;                    ///< X_BS; the identity for Polytope and Intersection
  /// Of an ellipsoid about the core, roughly, in S: squares of its semi-axes along its axes [m²].
  Mat3 extent = Mat3::Zero();
  /// Diameter of a ball about a point inside that fits in, rounding included: the set is nowhere thinner. Infinite for
  /// a triangle, which is a part of something thick, and 0 if not known (Intersection) [m].
  Real thickness = 0;

  // Polytope: `coordinates` are the vertices in B as `stride` x, then as many y and z; those after the first `count`
  // repeat the first, so that lanes read past no end and no such vertex ever wins by being farther. They are the
  // Polytope's own.
  // Neighbours of vertex i: neighbours[first_neighbour[i]] up to [first_neighbour[i + 1]]. Only for large polytopes.
  std::vector<std::uint32_t> first_neighbour, neighbours;
  std::vector<std::uint32_t> seeds;  ///< vertices to start climbing from

  [[nodiscard]] const Real* x() const { return coordinates; }
  [[nodiscard]] const Real* y() const { return coordinates + stride; }
  [[nodiscard]] const Real* z() const { return coordinates + 2 * stride; }
};

/// `stride` is a multiple of this.
inline constexpr std::uint32_t kCoreLanes = 8;

/// Index of the polytope's vertex that is farthest along (dx, dy, dz) in B; of several one, always the same. Eight
/// vertices at once, the same index with every instruction set; large polytopes are climbed from vertex to vertex.
[[nodiscard]] std::uint32_t farthest_vertex(const Core& core, Real dx, Real dy, Real dz);

}  // namespace visviva::geometry
