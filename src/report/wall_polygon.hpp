#pragma once

#include <span>
#include <vector>

#include "visviva/geometry/shapes.hpp"

namespace visviva::report {

/// What is seen of the boundary of a half-space: a square of half-width `half_width` [m] about the point of it that is
/// nearest to the origin, without what lies in one of the other half-spaces. Corners counter-clockwise from outside;
/// none, if all of it is hidden.
[[nodiscard]] std::vector<Vec3> wall_polygon(const geometry::Plane& plane, std::span<const geometry::Plane> others,
                                             Real half_width);

}  // namespace visviva::report
