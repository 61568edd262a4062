#pragma once

#include <span>

#include "visviva/math/types.hpp"

namespace visviva::geometry {

/// One concave function s of an intersection (convex_intersection.hpp), in units of the size about the origin of the
/// parts: the part is where s >= 0.
struct IntersectionPart {
  enum class Kind { Plane, Quadric, Cone, Distance };
  Kind kind = Kind::Plane;
  Vec3 n = Vec3::UnitZ();     ///< Plane: normal; Cone: axis, from the apex to the base
  Real offset = 0;            ///< Plane
  Mat3 M = Mat3::Identity();  ///< Quadric; Distance: rotation of the box
  Vec3 c = Vec3::Zero();      ///< Quadric, Distance: middle; Cone: apex
  Vec3 half = Vec3::Zero();   ///< Distance: half extents
  Real radius = 0;            ///< Distance; Quadric: the smallest; Cone: radius over height
};

/// s with its derivatives; s is minus infinity where it is not defined.
struct Slack {
  Real s = 0;
  Vec3 gradient = Vec3::Zero();
  Mat3 hessian = Mat3::Zero();
};

[[nodiscard]] Real value(const IntersectionPart& part, const Vec3& y);
[[nodiscard]] Slack slack(const IntersectionPart& part, const Vec3& y);
/// The smallest s of all parts.
[[nodiscard]] Real least(std::span<const IntersectionPart> parts, const Vec3& y);

}  // namespace visviva::geometry
