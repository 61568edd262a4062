#pragma once

#include <vector>

#include "visviva/collision/collide.hpp"

namespace visviva::motion {

/// Where two sets touch: one point, or the corners of the segment or polygon that their extreme faces share (within
/// `slack` metres of the nearest points). World; `points` is overwritten.
void touch_points(const geometry::Convex& A, const Pose& X_WA, const geometry::Convex& B, const Pose& X_WB,
                  const collision::Separation& separation, Real slack, std::vector<Vec3>& points);

/// Of a half-space (A) and a convex set (B).
void touch_points(const geometry::Plane& A, const Pose& X_WA, const geometry::Convex& B, const Pose& X_WB,
                  const collision::Separation& separation, Real slack, std::vector<Vec3>& points);

/// Of two colliders of one piece each: as above, or if one is a surface, those points of its manifold with the normal
/// of the separation that lie within the slack.
void touch_points(const collision::Collider& A, const Pose& X_WA, const collision::Collider& B, const Pose& X_WB,
                  const collision::Separation& separation, Real slack, std::vector<Vec3>& points);

/// Points that share a normal, from A to B.
struct TouchPatch {
  Vec3 normal = Vec3::UnitZ();
  std::vector<Vec3> points;  ///< world [m]
};

/// All touches of two colliders of one piece each that are no farther apart than `slack` [m]: one for convex sets and
/// half-spaces, one for each normal if one of them is a surface. `patches` is overwritten.
void find_patches(const collision::Collider& A, const Pose& X_WA, const collision::Collider& B, const Pose& X_WB,
                  Real slack, std::vector<TouchPatch>& patches);

}  // namespace visviva::motion
