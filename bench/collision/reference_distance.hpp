#pragma once

#include <optional>

#include "bench/collision/pair_cases.hpp"

namespace visviva::bench {

/// Signed distance of two shapes in long double, by methods that share nothing with the engine's: all pairs of
/// features and all separating axes for spheres, capsules, boxes and hulls; for two ellipsoids Newton's method from
/// many directions. Nothing for other kinds. Slow: up to 0.1 s.
[[nodiscard]] std::optional<Real> reference_distance(const geometry::Shape& a, const Pose& X_WA,
                                                     const geometry::Shape& b, const Pose& X_WB);

}  // namespace visviva::bench
