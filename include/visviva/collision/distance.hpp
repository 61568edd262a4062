#pragma once

#include "visviva/geometry/convex.hpp"
#include "visviva/math/se3.hpp"

namespace visviva::collision {

/// How far two sets are apart.
struct Separation {
  Real distance = 0;            ///< between the surfaces, rounding included; negative: overlap [m]
  Vec3 normal = Vec3::UnitZ();  ///< unit, world, from A to B
  Vec3 point_a = Vec3::Zero();  ///< nearest point of A, world [m]
  Vec3 point_b = Vec3::Zero();  ///< nearest point of B, world [m]
  int iterations = 0;
  /// Bound of the error of `distance` when positive [m]. The true distance lies in [distance − error, distance].
  Real error = 0;
};

/// Seed of the next query of the same pair: the last normal. Changes speed, and never what a query means.
struct SeparationCache {
  Vec3 normal = Vec3::Zero();  ///< zero: none
};

/// Distance of two convex sets by GJK on their cores; their rounding is subtracted. Overlapping cores give the
/// penetration depth (smallest translation that separates).
[[nodiscard]] Separation distance(const geometry::Convex& A, const Pose& X_WA, const geometry::Convex& B,
                                  const Pose& X_WB, SeparationCache* cache = nullptr);

/// Of a half-space (A) and a convex set (B): closed form, negative inside.                     [lgvci (84), (93)]
[[nodiscard]] Separation distance(const geometry::Plane& A, const Pose& X_WA, const geometry::Convex& B,
                                  const Pose& X_WB);

}  // namespace visviva::collision
