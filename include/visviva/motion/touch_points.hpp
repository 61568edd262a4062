#pragma once

#include <vector>

#include "visviva/collision/distance.hpp"

namespace visviva::motion {

/// Where two sets touch: one point, or the corners of the segment or polygon that their extreme faces share (within
/// `slack` metres of the nearest points). World; `points` is overwritten.
void touch_points(const geometry::Convex& A, const Pose& X_WA, const geometry::Convex& B, const Pose& X_WB,
                  const collision::Separation& separation, Real slack, std::vector<Vec3>& points);

/// Of a half-space (A) and a convex set (B).
void touch_points(const geometry::Plane& A, const Pose& X_WA, const geometry::Convex& B, const Pose& X_WB,
                  const collision::Separation& separation, Real slack, std::vector<Vec3>& points);

}  // namespace visviva::motion
