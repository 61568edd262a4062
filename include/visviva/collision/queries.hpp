#pragma once

#include <cstdint>
#include <optional>

#include "visviva/collision/collider.hpp"
#include "visviva/collision/distance.hpp"

/// Rays, casts and nearest points on single sets; Space asks them of many. All of them throw InvalidArgument if what is
/// cast is not finite.
namespace visviva::collision {

/// The points origin + f translation, 0 <= f <= 1.
struct Ray {
  Vec3 origin = Vec3::Zero();        ///< [m]
  Vec3 translation = Vec3::UnitX();  ///< from the start to the end, of any length [m]
};

/// A ball whose centre moves along a ray.
struct SphereCast {
  Vec3 origin = Vec3::Zero();
  Vec3 translation = Vec3::UnitX();
  Real radius = 0;  ///< finite, >= 0 [m]
};

/// A convex set that moves straight, without turning; what turns is for time_of_impact.
struct ShapeCast {
  const geometry::Convex& set;
  Pose pose;                         ///< X_WA at the start
  Vec3 translation = Vec3::UnitX();  ///< [m]
};

/// Where something that is cast first meets a set. Sets are closed: who touches at the start, meets there.
struct CastHit {
  Real fraction = 0;  ///< of the translation, in [0, 1]; 0 if it starts inside
  Vec3 point =
      Vec3::Zero();  ///< of the contact, on the set that is hit; the origin of a ray or ball that starts inside [m]
  Vec3 normal = Vec3::Zero();  ///< unit, world, out of the set that is hit. Of a ray or ball that starts inside:
                               ///< against its way, and zero without one
  bool starts_inside = false;  ///< it overlaps the set, or touches it, at the start
  std::uint32_t piece = 0;     ///< of a Collider
  std::uint32_t triangle = 0;  ///< of that piece, if it is a mesh or a height field
};

/// A cast stops where its distance from the set lies in [0, kCastTolerance + rounding], never past the first contact;
/// rounding is 2^-49 of the coordinates that are added up, about 1e-9 m at 1000 km from the origin. Rays against sets
/// without rounding, and rays and balls against balls and capsules, are closed forms, exact to that rounding. [m]
inline constexpr Real kCastTolerance = 1e-11;

[[nodiscard]] std::optional<CastHit> cast_ray(const Ray& ray, const geometry::Convex& set, const Pose& X_WB);
[[nodiscard]] std::optional<CastHit> cast_ray(const Ray& ray, const geometry::Plane& set, const Pose& X_WB);
[[nodiscard]] std::optional<CastHit> cast_ray(const Ray& ray, const Collider& set, const Pose& X_WB);

[[nodiscard]] std::optional<CastHit> cast_sphere(const SphereCast& cast, const geometry::Convex& set, const Pose& X_WB);
[[nodiscard]] std::optional<CastHit> cast_sphere(const SphereCast& cast, const geometry::Plane& set, const Pose& X_WB);
[[nodiscard]] std::optional<CastHit> cast_sphere(const SphereCast& cast, const Collider& set, const Pose& X_WB);

[[nodiscard]] std::optional<CastHit> cast_shape(const ShapeCast& cast, const geometry::Convex& set, const Pose& X_WB);
[[nodiscard]] std::optional<CastHit> cast_shape(const ShapeCast& cast, const geometry::Plane& set, const Pose& X_WB);
[[nodiscard]] std::optional<CastHit> cast_shape(const ShapeCast& cast, const Collider& set, const Pose& X_WB);

/// The point of a set's surface nearest to a point. Of a Collider: of the piece with the least signed distance; open
/// surfaces have no inside.
struct ClosestPoint {
  Real distance = 0;           ///< negative inside [m]
  Vec3 point = Vec3::Zero();   ///< world [m]
  Vec3 normal = Vec3::Zero();  ///< unit, world: out of the set there; zero if the point lies on an open surface
  std::uint32_t piece = 0, triangle = 0;
};
[[nodiscard]] ClosestPoint closest_point(const Vec3& point, const geometry::Convex& set, const Pose& X_WB);
[[nodiscard]] ClosestPoint closest_point(const Vec3& point, const geometry::Plane& set, const Pose& X_WB);
[[nodiscard]] ClosestPoint closest_point(const Vec3& point, const Collider& set, const Pose& X_WB);

}  // namespace visviva::collision
