#pragma once

#include "round_pairs.hpp"

namespace visviva::collision {

/// What the fifteen axes of the separating axis theorem say of two boxes.
struct BoxAxes {
  Real3 n;          ///< unit, of the largest gap
  Real gap = 0;     ///< positive: apart along n; else minus the penetration depth, exactly
  int first = -1;   ///< axis of A, or -1
  int second = -1;  ///< axis of B, or -1; edges meet if both are set
};

/// A face whose gap exceeds `enough` ends the search.
[[nodiscard]] BoxAxes separate_boxes(const MinkowskiDifference& C, Real enough);

/// The points of overlapping boxes that lie deepest in each other; false where a face or an edge of one lies in a face
/// of the other and no single point is deepest.
[[nodiscard]] bool find_deepest_points(const MinkowskiDifference& C, const BoxAxes& axes, DifferenceVertex& points);

}  // namespace visviva::collision
