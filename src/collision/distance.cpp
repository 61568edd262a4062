#include "visviva/collision/distance.hpp"

#include "find_deepest.hpp"
#include "gjk.hpp"

namespace visviva::collision {

namespace {

Separation in_world(const MinkowskiDifference& C, const DifferenceVertex& points, const Real3& n, Real distance) {
  const Real r_A = C.core_a().rounding, r_B = C.core_b().rounding;
  Separation s;
  s.distance = distance - (r_A + r_B);
  s.normal = C.direction_to_world(n).normalized();
  s.point_a = C.point_to_world(points.a + r_A * n);
  s.point_b = C.point_to_world(points.b - r_B * n);
  return s;
}

}  // namespace

Separation distance(const geometry::Convex& A, const Pose& X_WA, const geometry::Convex& B, const Pose& X_WB,
                    SeparationCache* cache) {
  const MinkowskiDifference C(A, X_WA, B, X_WB);
  const bool seeded = cache != nullptr && cache->normal.squaredNorm() > 0;
  Nearest nearest;
  run_gjk(C, seeded ? normalized(C.direction_from_world(cache->normal)) : C.first_guess(), nearest);
  Separation s;
  if (nearest.overlap) {
    const Deepest deepest = find_deepest(C, nearest);
    s = in_world(C, deepest.points, deepest.direction.n, deepest.direction.d);
    s.iterations = nearest.iterations + deepest.iterations;
  } else {
    s = in_world(C, nearest.points, nearest.best.n, nearest.upper);
    s.error = std::max(nearest.upper - nearest.best.d, 0.0) + nearest.rounding;
    s.iterations = nearest.iterations;
  }
  if (cache != nullptr) cache->normal = s.normal;
  return s;
}

Separation distance(const geometry::Plane& A, const Pose& X_WA, const geometry::Convex& B, const Pose& X_WB) {
  Separation s;
  const Vec3 n = X_WA.R * A.normal;
  const Vec3 b = X_WB.R * B.support(X_WB.R.transpose() * -n);
  s.distance = n.dot(b + (X_WB.p - X_WA.p)) - B.rounding() - A.offset;  // [lgvci (84), (93)]
  s.normal = n.normalized();
  s.point_b = b + X_WB.p - B.rounding() * s.normal;
  s.point_a = s.point_b - s.distance * s.normal;
  s.iterations = 1;
  s.error = kSupportRounding * (b.lpNorm<Eigen::Infinity>() + (X_WB.p - X_WA.p).lpNorm<Eigen::Infinity>());
  return s;
}

}  // namespace visviva::collision
