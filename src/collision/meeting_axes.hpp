#pragma once

#include "minkowski_difference.hpp"

namespace visviva::collision {

/// A direction for two overlapping cylinders, cones or segments, in closed form.
struct AxesDirection {
  bool found = false;   ///< false for other kinds
  bool proved = false;  ///< the axes lie in one plane to rounding, as concentric and coaxial ones do, and the cores
                        ///< overlap: it is the deepest direction
  Direction direction;
};

[[nodiscard]] AxesDirection find_direction_by_axes(const MinkowskiDifference& C);

}  // namespace visviva::collision
