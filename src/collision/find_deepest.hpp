#pragma once

#include "face_maximum.hpp"
#include "gjk.hpp"

namespace visviva::collision {

/// The smallest translation that separates overlapping cores.
struct Deepest {
  Direction direction;      ///< d = -depth
  DifferenceVertex points;  ///< the points of A and B that lie deepest in the other; w = d n
  int iterations = 0;
  bool proved = false;  ///< no direction is better, to rounding; else only none was found
};

/// Expands a polytope inside C, which holds 0, where it is nearest to 0 until it reaches the surface of C there
/// ([VanDenBergen2001]): its nearest facet is a lower bound of the depth, the support plane along any direction an
/// upper one. Where C is curved, facets that are near the surface are left to climb_by_newton. If C is flat, the
/// direction is its normal and d = 0; the points are those of the overlap. `face` is where the search begins, if found.
[[nodiscard]] Deepest find_deepest(const MinkowskiDifference& C, const Nearest& overlap, const FaceMaximum& face);

}  // namespace visviva::collision
