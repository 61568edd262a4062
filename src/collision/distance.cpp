#include "visviva/collision/distance.hpp"

#include <cmath>
#include <limits>

#include "simplex.hpp"

namespace visviva::collision {

// GJK [Gilbert1988]: distance of C = B - A from 0. A simplex of support points of C is kept whose nearest point v to 0
// has |v| >= distance; the support plane orthogonal to v gives distance >= d(v/|v|). Each step adds that plane's
// support point to the simplex, and keeps of it the face that holds the new v. Ends when both bounds agree to rounding,
// when no new point is found, or when |v| no longer falls. Polytopes end in about ten steps. On curved sets v converges
// linearly, so after a few steps Newton's method takes over (climb_by_newton).
namespace {

constexpr int kMaxIterations = 200;
/// Polytopes are nearly always done by then.
constexpr int kFirstClimb = 7, kClimbEvery = 12;

struct Nearest {
  DifferenceVertex points;  ///< the nearest pair, and their difference
  Direction best;           ///< of the largest lower bound
  Real upper = std::numeric_limits<Real>::infinity();
  Real rounding = 0;  ///< error of the bounds
  bool overlap = false;
  int iterations = 0;

  void look_along(const MinkowskiDifference& C, const Vec3& n) { take({n, C.support(n), 0}); }
  void take(Direction direction) {
    direction.d = direction.n.dot(direction.vertex.w);
    last = direction.vertex;
    rounding = std::max(rounding, kSupportRounding * magnitude(last));
    if (iterations++ == 0 || direction.d > best.d) best = direction;
  }
  [[nodiscard]] bool converged() const { return upper - best.d <= rounding; }

  DifferenceVertex last;  ///< newest support point
};

/// Newton's method from the best direction; takes over if it arrives.
void climb(const MinkowskiDifference& C, Nearest& nearest) {
  Direction direction = nearest.best;
  DifferenceVertex points;
  if (!climb_by_newton(C, direction, points, !nearest.converged()) ||
      !(direction.d >= nearest.best.d - nearest.rounding))
    return;
  const Real upper = points.w.norm();
  if (!(upper - direction.d <= nearest.rounding)) return;
  nearest.best = direction;
  nearest.points = points;
  nearest.upper = upper;
}

Nearest run_gjk(const MinkowskiDifference& C, const Vec3& first_direction) {
  Nearest nearest;
  Simplex simplex;
  nearest.look_along(C, first_direction.stableNormalized());
  simplex.add(nearest.last);
  for (;;) {
    reduce_to_nearest_face(simplex);
    const DifferenceVertex mean = simplex.mean();
    const Real upper = mean.w.norm();
    if (simplex.count == 4 || upper <= nearest.rounding) {
      nearest.overlap = true;
      nearest.points = mean;
      return nearest;
    }
    if (!(upper < nearest.upper)) break;
    nearest.upper = upper;
    nearest.points = mean;
    nearest.look_along(C, direction_to(simplex, mean.w));
    if (nearest.converged() || nearest.iterations >= kMaxIterations || simplex.holds(nearest.last.w)) break;
    if (nearest.iterations % kClimbEvery == kFirstClimb) {
      climb(C, nearest);
      if (nearest.converged()) return nearest;
    }
    simplex.add(nearest.last);
  }
  // The normal of a curved set to rounding. A corner that meets itself again needs none.
  if (!(simplex.count == 1 && simplex.holds(nearest.last.w))) climb(C, nearest);
  return nearest;
}

Separation in_world(const DifferenceVertex& points, const Vec3& n, Real distance, const geometry::Convex& A,
                    const geometry::Convex& B, const Pose& X_WA) {
  Separation s;
  s.distance = distance - (A.rounding() + B.rounding());
  s.normal = (X_WA.R * n).normalized();
  s.point_a = X_WA * (points.a + A.rounding() * n);
  s.point_b = X_WA * (points.b - B.rounding() * n);
  return s;
}

}  // namespace

Separation distance(const geometry::Convex& A, const Pose& X_WA, const geometry::Convex& B, const Pose& X_WB,
                    SeparationCache* cache) {
  const MinkowskiDifference C(A, X_WA, B, X_WB);
  const bool seeded = cache != nullptr && cache->normal.squaredNorm() > 0;
  const Nearest nearest = run_gjk(C, seeded ? Vec3(X_WA.R.transpose() * cache->normal) : C.first_guess());
  Separation s;
  if (nearest.overlap) {
    const Deepest deepest = find_deepest(C, nearest.points);
    s = in_world(deepest.points, deepest.direction.n, deepest.direction.d, A, B, X_WA);
  } else {
    s = in_world(nearest.points, nearest.best.n, nearest.upper, A, B, X_WA);
    s.error = std::max(nearest.upper - nearest.best.d, 0.0) + nearest.rounding;
  }
  s.iterations = nearest.iterations;
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
