#pragma once

#include "minkowski_difference.hpp"

namespace visviva::collision {

/// Nearest points of two cores and what separates them.
struct CorePair {
  DifferenceVertex points;  ///< points.w = d n to rounding
  Real3 n;                  ///< unit
  Real d = 0;               ///< signed
};

/// A point of a core's surface (or of the core, if it is thin) with the outward normal there, in its frame S.
struct Foot {
  Real3 x, m;
  Real height = 0;  ///< of the query point over it along m: x + height m, negative inside
};

/// Below the query point q: of a point, a segment, a box, a cylinder or a cone; false for any other core.
[[nodiscard]] bool find_foot(const geometry::Core& core, const Real3& q, Foot& foot);

/// Closed forms for cores of balls and capsules: two points, a point and a segment, two segments, a point and a box, a
/// cylinder or a cone. False for any other pair.
[[nodiscard]] bool find_round_pair(const MinkowskiDifference& C, CorePair& pair);

}  // namespace visviva::collision
