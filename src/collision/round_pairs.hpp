#pragma once

#include "minkowski_difference.hpp"

namespace visviva::collision {

/// Nearest points of two cores and what separates them.
struct CorePair {
  DifferenceVertex points;  ///< points.w = d n to rounding
  Real3 n;                  ///< unit
  Real d = 0;               ///< signed
};

/// Closed forms for cores of balls and capsules: two points, a point and a segment, two segments, a point and a box, a
/// cylinder or a cone. False for any other pair.
[[nodiscard]] bool find_round_pair(const MinkowskiDifference& C, CorePair& pair);

}  // namespace visviva::collision
