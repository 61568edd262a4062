#include "visviva/collision/distance.hpp"

#include <limits>

#include "check_poses.hpp"
#include "find_deepest.hpp"
#include "gjk.hpp"
#include "nearest_cores.hpp"
#include "separate_boxes.hpp"

namespace visviva::collision {

namespace {

/// What the search for a pair of cores left behind.
struct CoreSeparation {
  int iterations = 1;
  Real error = 0;  ///< of a positive distance
};

CoreSeparation take(const Nearest& nearest, CorePair& pair) {
  pair = {nearest.points, nearest.best.n, nearest.overlap ? nearest.best.d : nearest.upper};
  if (nearest.overlap) return {nearest.iterations, 0};
  return {nearest.iterations, std::max(nearest.upper - nearest.best.d, 0.0) + nearest.rounding};
}

/// A face in closed form, or GJK from n and, if the cores overlap, find_deepest.
CoreSeparation search(const MinkowskiDifference& C, const Real3& n, CorePair& pair) {
  const FaceMaximum face = find_face_maximum(C);
  if (face.found && face.direction.d > 0) {
    pair = {face.points, face.direction.n, face.direction.d};
    return {1, C.rounding() + kSupportRounding * magnitude(face.points)};
  }
  Nearest nearest;
  run_gjk(C, n, nearest);
  const bool apart = !nearest.overlap && (nearest.converged() || nearest.best.d > 0);
  if (apart) return take(nearest, pair);
  const Deepest deepest = find_deepest(C, nearest, face);
  // Of cores like needles rounding may keep GJK from its end: then only a proof of the other says that they overlap.
  if (!nearest.overlap && !(deepest.proved && deepest.direction.d <= 0)) return take(nearest, pair);
  pair = {deepest.points, deepest.direction.n, deepest.direction.d};
  return {nearest.iterations + deepest.iterations, 0};
}

bool holds(const geometry::Core& box, const Real3& p, Real rounding) {
  return std::abs(p.x) <= box.size.x() + rounding && std::abs(p.y) <= box.size.y() + rounding &&
         std::abs(p.z) <= box.size.z() + rounding;
}

/// If two boxes overlap, the widest of their axes is the answer. If they are apart, it is so for a corner over a face
/// and for two edges that cross: then there are points of both as near as the gap is wide. Else it is a good start.
CoreSeparation search_boxes(const MinkowskiDifference& C, CorePair& pair) {
  const BoxAxes axes = separate_boxes(C, std::numeric_limits<Real>::infinity());
  if (!find_deepest_points(C, axes, pair.points)) return search(C, axes.n, pair);
  pair.n = axes.n;
  pair.d = axes.gap;
  if (!(axes.gap > 0)) return {};
  const DifferenceVertex& points = pair.points;
  const Real rounding = C.rounding() + kSupportRounding * magnitude(points);
  const bool apart = norm(points.w) <= axes.gap + rounding && holds(C.core_a(), points.a, rounding) &&
                     holds(C.core_b(), turn_back(C.R(), points.b - C.p()), rounding);
  return apart ? CoreSeparation{1, rounding} : search(C, axes.n, pair);
}

/// The method for the kinds of the cores; `seed`: the last normal, world, or none.
CoreSeparation separate_cores(const MinkowskiDifference& C, const Vec3* seed, CorePair& pair) {
  using geometry::CoreKind;
  const CoreKind a = C.core_a().kind, b = C.core_b().kind;
  if (find_round_pair(C, pair)) return {1, C.rounding() + kSupportRounding * magnitude(pair.points)};
  if (a == CoreKind::Box && b == CoreKind::Box) return search_boxes(C, pair);
  const Real3 n = seed != nullptr ? normalized(C.direction_from_world(*seed)) : C.first_guess();
  if (a == CoreKind::Ellipsoid || b == CoreKind::Ellipsoid) {
    Nearest nearest;
    if (C.is_smooth() && climb_alone(C, n, nearest)) return take(nearest, pair);
  }
  return search(C, n, pair);
}

}  // namespace

void find_nearest_cores(const geometry::Convex& A, const geometry::Convex& B, const Place& X_AB, CorePair& pair) {
  const MinkowskiDifference C(A, B, X_AB);
  separate_cores(C, nullptr, pair);
  if (C.core_a().turned) pair.n = normalized(from_eigen(C.direction_to_world(pair.n)));
  pair.points.a = from_eigen(C.point_to_world(pair.points.a));
  pair.points.b = from_eigen(C.point_to_world(pair.points.b));
}

Separation distance(const geometry::Convex& A, const Pose& X_WA, const geometry::Convex& B, const Pose& X_WB,
                    SeparationCache* cache) {
  const MinkowskiDifference C(A, X_WA, B, X_WB);
  const bool seeded = cache != nullptr && cache->normal.squaredNorm() > 0;
  CorePair pair;
  const CoreSeparation found = separate_cores(C, seeded ? &cache->normal : nullptr, pair);
  const Real r_A = C.core_a().rounding, r_B = C.core_b().rounding;
  Separation s;
  s.distance = pair.d - (r_A + r_B);
  s.normal = C.direction_to_world(pair.n).normalized();
  s.point_a = C.point_to_world(pair.points.a + r_A * pair.n);
  s.point_b = C.point_to_world(pair.points.b - r_B * pair.n);
  s.iterations = found.iterations;
  s.error = found.error;
  if (cache != nullptr) cache->normal = s.normal;
  return s;
}

Separation distance(const geometry::Plane& A, const Pose& X_WA, const geometry::Convex& B, const Pose& X_WB) {
  check_plane(A);
  check_poses(X_WA, X_WB);
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
