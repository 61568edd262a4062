#pragma once

#include <array>
#include <vector>

#include "visviva/geometry/solid.hpp"

namespace visviva::geometry {

/// Coordinates along x, y and z at which a plane cut through the shape, normal to that axis, may
/// change its kind: ends, vertices, and the ends of rims. The least and the greatest bound the
/// shape tightly.
using ShapeFeatures = std::array<std::vector<Real>, 3>;

[[nodiscard]] ShapeFeatures shape_features(const PlacedShape& placed);

}  // namespace visviva::geometry
