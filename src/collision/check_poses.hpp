#pragma once

#include <cmath>
#include <string_view>

#include "visviva/geometry/shapes.hpp"
#include "visviva/math/se3.hpp"

namespace visviva::collision {

/// Throws InvalidArgument that says which pose is not finite or too far away.
[[gnu::cold]] void refuse_poses(const Pose& X_WA, const Pose& X_WB);
[[gnu::cold]] void refuse_pose(const Pose& X, std::string_view object, std::string_view field = "pose");

/// True if the pose is finite and its coordinates lie within geometry::kLargestLength. Cheap.
inline bool is_pose(const Pose& X) {
  constexpr Real kFar = geometry::kLargestLength;
  return 0 * X.R.sum() == 0 && std::abs(X.p.x()) <= kFar && std::abs(X.p.y()) <= kFar && std::abs(X.p.z()) <= kFar;
}

/// Throws InvalidArgument unless both are poses. Cheap.
inline void check_poses(const Pose& X_WA, const Pose& X_WB) {
  if (!(is_pose(X_WA) && is_pose(X_WB))) [[unlikely]]
    refuse_poses(X_WA, X_WB);
}

/// Throws InvalidArgument that names the object unless X is a pose. Cheap.
inline void check_pose(const Pose& X, std::string_view object) {
  if (!is_pose(X)) [[unlikely]]
    refuse_pose(X, object);
}

/// Throws InvalidArgument unless the half-space is valid, see geometry::validate. Cheap.
inline void check_plane(const geometry::Plane& plane) {
  const Real length2 = plane.normal.squaredNorm();
  if (!(length2 > 1 - 1e-6 && length2 < 1 + 1e-6 && std::abs(plane.offset) <= geometry::kLargestLength)) [[unlikely]]
    geometry::validate(plane);
}

}  // namespace visviva::collision
