#include "visviva/collision/overlap.hpp"

#include "check_poses.hpp"
#include "gjk.hpp"
#include "round_pairs.hpp"
#include "separate_boxes.hpp"

namespace visviva::collision {

namespace {

/// True if the balls around both are apart.
bool balls_apart(const geometry::Convex& A, const Pose& X_WA, const geometry::Convex& B, const Pose& X_WB) {
  const geometry::Core &a = A.core(), &b = B.core();
  const Real3 c_A = from_eigen(X_WA.R) * from_eigen(a.center), c_B = from_eigen(X_WB.R) * from_eigen(b.center);
  const Real3 between = from_eigen(X_WB.p) - from_eigen(X_WA.p);
  const Real reach = (a.reach + b.reach) + kSupportRounding * (largest(between) + largest(c_A) + largest(c_B));
  return squared_norm(between + (c_B - c_A)) > reach * reach;
}

}  // namespace

bool overlap(const geometry::Convex& A, const Pose& X_WA, const geometry::Convex& B, const Pose& X_WB,
             SeparationCache* cache) {
  using geometry::CoreKind;
  if (balls_apart(A, X_WA, B, X_WB)) {
    check_poses(X_WA, X_WB);
    return false;
  }
  const MinkowskiDifference C(A, X_WA, B, X_WB);
  const Real radius = C.core_a().rounding + C.core_b().rounding;
  CorePair pair;
  if (find_round_pair(C, pair)) return pair.d <= radius;
  const bool seeded = cache != nullptr && cache->normal.squaredNorm() > 0;
  const bool boxes = C.core_a().kind == CoreKind::Box && C.core_b().kind == CoreKind::Box;
  if (boxes && radius == 0 && !seeded) {
    const BoxAxes axes = separate_boxes(C, 0);
    if (cache != nullptr) cache->normal = C.direction_to_world(axes.n);
    return axes.gap <= 0;
  }
  Real3 n = seeded ? normalized(C.direction_from_world(cache->normal)) : C.first_guess();
  const bool within = are_within(C, radius, n);
  if (cache != nullptr) cache->normal = C.direction_to_world(n);
  return within;
}

bool overlap(const geometry::Plane& A, const Pose& X_WA, const geometry::Convex& B, const Pose& X_WB) {
  return distance(A, X_WA, B, X_WB).distance <= 0;
}

}  // namespace visviva::collision
