#include <algorithm>
#include <cmath>

#include "cast_interval.hpp"
#include "cast_parts.hpp"
#include "check_poses.hpp"
#include "visviva/collision/queries.hpp"
#include "visviva/core/error.hpp"

// The gap of two convex sets, one of which moves straight, is a convex function of the way. With n the normal at some
// place and v the translation, it is at least gap - n·v f further on: so a step of gap / (n·v) is Newton's, never goes
// past the first contact, and if n·v <= 0 there is none. [VanDenBergen2004]
namespace visviva::collision {
namespace {

/// A grazing contact halves the way that is left with each step; others end after three to eight.
constexpr int kMostSteps = 64;

/// Rounding of a place, in units of the numbers that it is the sum of.
constexpr Real kPlaceRounding = 0x1p-50;

/// separation_at(fraction) gives the distance of what moves (A) from what is hit (B).
template <class SeparationAt>
std::optional<CastHit> advance(const Vec3& translation, Real numbers, SeparationAt&& separation_at) {
  Real f = 0;
  for (int step = 0;; ++step) {
    const Separation s = separation_at(f);
    const Real closing = s.normal.dot(translation);
    if (f == 0 && s.distance > 0 && !(closing > 0)) return std::nullopt;
    const Real tolerance = std::max(kCastTolerance, 4 * s.error) + kPlaceRounding * numbers;
    if (s.distance <= tolerance || step == kMostSteps)
      return CastHit{f, s.point_b, -s.normal, f == 0 && s.distance <= 0, 0, 0};
    // Towards the middle of the tolerance, so that no rounding leads past the contact.
    const Real next = f + (s.distance - s.error - 0.5 * tolerance) / closing;
    if (!(closing > 0 && next <= 1)) return std::nullopt;
    f = std::max(f, next);
  }
}

/// Carries no size of its own: its radius is taken out of each distance again.
const geometry::Convex& unit_ball() {
  static const geometry::Convex ball{geometry::Sphere{1}};
  return ball;
}

/// Of a point (A) from a convex set (B).
Separation point_separation(const Vec3& point, const geometry::Convex& set, const Pose& X_WB, SeparationCache* cache) {
  Separation s = distance(unit_ball(), {Mat3::Identity(), point}, set, X_WB, cache);
  s.distance += 1;
  s.point_a = point;
  return s;
}

Real size_of(const Vec3& a, const Vec3& b, const Vec3& c) {
  return a.lpNorm<Eigen::Infinity>() + b.lpNorm<Eigen::Infinity>() + c.lpNorm<Eigen::Infinity>();
}

std::optional<CastHit> cast_ball(const SphereCast& cast, const geometry::Convex& set, const Pose& X_WB) {
  SeparationCache cache;
  auto hit = advance(cast.translation, size_of(cast.origin, cast.translation, X_WB.p), [&](Real f) {
    Separation s = point_separation(cast.origin + f * cast.translation, set, X_WB, &cache);
    s.distance -= cast.radius;
    return s;
  });
  if (hit && hit->starts_inside) *hit = inside_hit(cast.origin, cast.translation);
  return hit;
}

/// Of a ball whose middle is `inside` the grown set; `normal`, of any length, is that of the set where it enters.
std::optional<CastHit> hit_at(const SphereCast& cast, const LineInterval& inside, const Vec3& normal) {
  if (inside.empty() || inside.exit < 0 || inside.enter > 1) return std::nullopt;
  if (inside.enter <= 0) return inside_hit(cast.origin, cast.translation);
  const Vec3 n = normal.stableNormalized();
  return CastHit{inside.enter, cast.origin + inside.enter * cast.translation - cast.radius * n, n, false, 0, 0};
}

}  // namespace

CastHit inside_hit(const Vec3& origin, const Vec3& translation) {
  return {0, origin, -translation.stableNormalized(), true, 0, 0};
}

void validate_cast(const char* what, const Vec3& origin, const Vec3& translation) {
  geometry::validate_position(origin, what, "origin");
  geometry::validate_position(translation, what, "translation");
}

void validate_point(const Vec3& point, const char* what) { geometry::validate_position(point, what, "point"); }

void validate_radius(Real radius) {
  require(radius >= 0 && std::isfinite(radius), "sphere cast", "radius", "be finite and not negative", radius);
  require(radius <= geometry::kLargestLength, "sphere cast", "radius", "be at most 1e30 m", radius);
}

std::optional<CastHit> cast_sphere(const SphereCast& cast, const geometry::Convex& set, const Pose& X_WB) {
  validate_cast("sphere cast", cast.origin, cast.translation);
  validate_radius(cast.radius);
  check_pose(X_WB, "set");
  if (!has_line_interval(set, cast.radius)) return cast_ball(cast, set, X_WB);
  const Vec3 d = X_WB.R.transpose() * cast.translation;
  const LineInterval inside = line_interval(set, cast.radius, X_WB.R.transpose() * (cast.origin - X_WB.p), d);
  return hit_at(cast, inside, X_WB.R * inside.normal);
}

std::optional<CastHit> cast_ray(const Ray& ray, const geometry::Convex& set, const Pose& X_WB) {
  validate_cast("ray", ray.origin, ray.translation);
  return cast_sphere({ray.origin, ray.translation, 0}, set, X_WB);
}

std::optional<CastHit> cast_shape(const ShapeCast& cast, const geometry::Convex& set, const Pose& X_WB) {
  check_pose(cast.pose, "shape cast");
  validate_cast("shape cast", cast.pose.p, cast.translation);
  check_pose(X_WB, "set");
  SeparationCache cache;
  return advance(cast.translation, size_of(cast.pose.p, cast.translation, X_WB.p), [&](Real f) {
    return distance(cast.set, {cast.pose.R, cast.pose.p + f * cast.translation}, set, X_WB, &cache);
  });
}

// ---------------------------------------------------------------------------------------- half-spaces

std::optional<CastHit> cast_sphere(const SphereCast& cast, const geometry::Plane& set, const Pose& X_WB) {
  validate_cast("sphere cast", cast.origin, cast.translation);
  validate_radius(cast.radius);
  check_pose(X_WB, "set");
  check_plane(set);
  const Vec3 n = (X_WB.R * set.normal).normalized();
  const LineInterval inside = in_half_space(cast.origin - X_WB.p, cast.translation, n, set.offset + cast.radius);
  return hit_at(cast, inside, n);
}

std::optional<CastHit> cast_ray(const Ray& ray, const geometry::Plane& set, const Pose& X_WB) {
  validate_cast("ray", ray.origin, ray.translation);
  return cast_sphere({ray.origin, ray.translation, 0}, set, X_WB);
}

std::optional<CastHit> cast_shape(const ShapeCast& cast, const geometry::Plane& set, const Pose& X_WB) {
  check_pose(cast.pose, "shape cast");
  validate_cast("shape cast", cast.pose.p, cast.translation);
  check_pose(X_WB, "set");
  const Separation s = distance(set, X_WB, cast.set, cast.pose);  // from the half-space to the shape
  if (s.distance <= 0) return CastHit{0, s.point_a, s.normal, true, 0, 0};
  const Real closing = -s.normal.dot(cast.translation);
  if (!(closing > 0 && s.distance <= closing)) return std::nullopt;
  const Real f = s.distance / closing;
  return CastHit{f, s.point_b + f * cast.translation, s.normal, false, 0, 0};
}

// -------------------------------------------------------------------------------------- nearest points

ClosestPoint closest_point(const Vec3& point, const geometry::Convex& set, const Pose& X_WB) {
  validate_point(point, "closest point");
  check_pose(X_WB, "set");
  const Separation s = point_separation(point, set, X_WB, nullptr);
  return {s.distance, s.point_b, -s.normal, 0, 0};
}

ClosestPoint closest_point(const Vec3& point, const geometry::Plane& set, const Pose& X_WB) {
  validate_point(point, "closest point");
  check_pose(X_WB, "set");
  check_plane(set);
  const Vec3 n = (X_WB.R * set.normal).normalized();
  const Real above = n.dot(point - X_WB.p) - set.offset;
  return {above, point - above * n, n, 0, 0};
}

}  // namespace visviva::collision
