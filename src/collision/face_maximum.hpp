#pragma once

#include "minkowski_difference.hpp"

namespace visviva::collision {

/// A maximum of d(n) in closed form: the normal of a flat face of one core inside of which the other's farthest point
/// lies. If the cores are apart along it, that is their distance.
struct FaceMaximum {
  bool found = false;
  Direction direction;
  DifferenceVertex points;  ///< w = d n
};

/// The highest one of the bases of cylinders and cones and the faces of boxes. Not found if no core is curved: others
/// know better.
[[nodiscard]] FaceMaximum find_face_maximum(const MinkowskiDifference& C);

}  // namespace visviva::collision
