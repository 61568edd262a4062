#pragma once

#include "visviva/geometry/convex.hpp"
#include "visviva/math/se3.hpp"

namespace visviva::collision {

/// How far two sets are apart. normal·(point_b - point_a) = distance to rounding, each point on its surface.
struct Separation {
  Real distance = 0;            ///< between the surfaces, rounding included; negative: overlap [m]
  Vec3 normal = Vec3::UnitZ();  ///< unit, world, from A to B
  Vec3 point_a = Vec3::Zero();  ///< nearest point of A, world [m]
  Vec3 point_b = Vec3::Zero();  ///< nearest point of B, world [m]
  int iterations = 0;           ///< support points taken in the search; 1 for a closed form
  /// Bound of the error of `distance` when positive [m]. The true distance lies in [distance − error, distance].
  Real error = 0;
};

/// Seed of the next query of the same pair: the last normal. Changes speed, and no answer by more than rounding, unless
/// several directions are equally deep: then which of them is answered.
struct SeparationCache {
  Vec3 normal = Vec3::Zero();  ///< zero: none
};

/// Signed distance of two convex sets, triangles (geometry::ConvexTriangle) among them. Overlapping cores give the
/// penetration depth: of all translations that separate them the shortest. It is right to rounding for polytopes, balls
/// and capsules, deep inside each other, concentric, thin or far from the origin too. Where a curved surface takes part
/// it is right to rounding if one direction is deepest, and to 1e-7 of the size where a whole circle of them nearly is.
/// A flat pair of cores that cross in one plane has the depth 0 along its normal. Throws InvalidArgument if a pose is
/// not finite. Allocates nothing.
///
/// Closed forms for round pairs and overlapping boxes, Newton's method for ellipsoids, GJK for all others, and an
/// expanding polytope for the depths (src/collision).
[[nodiscard]] Separation distance(const geometry::Convex& A, const Pose& X_WA, const geometry::Convex& B,
                                  const Pose& X_WB, SeparationCache* cache = nullptr);

/// Of a half-space (A) and a convex set (B): closed form, negative inside. Throws as above.                     [lgvci
/// (84), (93)]
[[nodiscard]] Separation distance(const geometry::Plane& A, const Pose& X_WA, const geometry::Convex& B,
                                  const Pose& X_WB);

}  // namespace visviva::collision
