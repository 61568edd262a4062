#pragma once

#include "visviva/geometry/shapes.hpp"
#include "visviva/math/se3.hpp"

namespace visviva::collision {

/// Throws InvalidArgument that says which pose is not finite.
[[gnu::cold]] void refuse_poses(const Pose& X_WA, const Pose& X_WB);

/// Throws InvalidArgument unless both poses are finite. Cheap.
inline void check_poses(const Pose& X_WA, const Pose& X_WB) {
  const Real sum = X_WA.R.sum() + X_WB.R.sum() + X_WA.p.sum() + X_WB.p.sum();
  if (!(0 * sum == 0)) [[unlikely]]
    refuse_poses(X_WA, X_WB);
}

/// Throws InvalidArgument unless the half-space is valid, see geometry::validate. Cheap.
inline void check_plane(const geometry::Plane& plane) {
  const Real length2 = plane.normal.squaredNorm();
  if (!(length2 > 1 - 1e-6 && length2 < 1 + 1e-6 && 0 * plane.offset == 0)) [[unlikely]]
    geometry::validate(plane);
}

}  // namespace visviva::collision
