#pragma once

#include "clip_patches.hpp"
#include "polytope_features.hpp"
#include "visviva/geometry/polytope.hpp"

namespace visviva::collision {

/// The axis of a capsule over a face of a polytope, seen along a unit vector n; all in the polytope.
struct AxisOverFace {
  Real3 end[2];
  std::uint32_t face = 0;
  Real3 n{};               ///< outward
  double height[2] = {};   ///< of the ends over the face's plane, along n [m]
  SegmentCut part;         ///< of the axis that lies over the face
  int nearest_side = 0;    ///< of the face: beyond which the lower end lies farthest, or inside which it is least
  bool low_inside = true;  ///< the lower end lies inside all sides, with no slack

  /// The face of which the axis is farthest, and its normal.
  AxisOverFace(const geometry::Polytope& P, const Real3* axis_ends);
  AxisOverFace(const geometry::Polytope& P, const Real3* axis_ends, std::uint32_t face, const Real3& n);

  /// False if nothing of the axis lies over the face.
  bool cut(const geometry::Polytope& P);

  [[nodiscard]] int low() const { return height[1] < height[0] ? 1 : 0; }
  [[nodiscard]] double at(double t) const { return height[0] + t * (height[1] - height[0]); }
  [[nodiscard]] Real3 point(double t) const { return end[0] + t * (end[1] - end[0]); }
};

/// Nearest points of a polytope (A) and an axis (B), of which the first lies on an edge.
struct AxisOverEdge {
  std::uint32_t edge = 0;
  SegmentPair pair;
};

/// From an edge to a neighbouring one as long as that is nearer; true if what it found is the distance. A few steps,
/// then false.
[[nodiscard]] bool walk_edges(const geometry::Polytope& P, const Real3* axis_ends, std::uint32_t first_edge,
                              AxisOverEdge& nearest);

}  // namespace visviva::collision
