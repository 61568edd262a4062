#pragma once

#include <string_view>

#include "visviva/geometry/convex.hpp"
#include "visviva/math/se3.hpp"

namespace visviva::collision {

/// A box with sides along the world's axes, closed: boxes that share a face overlap.
struct Bounds {
  Vec3 lower = Vec3::Zero();  ///< [m]
  Vec3 upper = Vec3::Zero();  ///< not below `lower` [m]
};

[[nodiscard]] inline bool overlap(const Bounds& a, const Bounds& b) {
  return (a.lower.array() <= b.upper.array()).all() && (b.lower.array() <= a.upper.array()).all();
}
[[nodiscard]] inline bool contains(const Bounds& outer, const Bounds& inner) {
  return (outer.lower.array() <= inner.lower.array()).all() && (inner.upper.array() <= outer.upper.array()).all();
}
[[nodiscard]] inline bool contains(const Bounds& box, const Vec3& point) {
  return (box.lower.array() <= point.array()).all() && (point.array() <= box.upper.array()).all();
}
/// The smallest bounds that hold both.
[[nodiscard]] inline Bounds united(const Bounds& a, const Bounds& b) {
  return {a.lower.cwiseMin(b.lower), a.upper.cwiseMax(b.upper)};
}
/// Moved outward by `margin` on all sides [m].
[[nodiscard]] inline Bounds grown(const Bounds& box, Real margin) {
  return {box.lower.array() - margin, box.upper.array() + margin};
}
/// Surface area [m²].
[[nodiscard]] inline Real surface(const Bounds& box) {
  const Vec3 d = box.upper - box.lower;
  return 2 * (d.x() * d.y() + d.y() * d.z() + d.z() * d.x());
}
/// Zero if they overlap [m²].
[[nodiscard]] inline Real squared_distance(const Bounds& a, const Bounds& b) {
  return (a.lower - b.upper).cwiseMax(b.lower - a.upper).cwiseMax(0).squaredNorm();
}
[[nodiscard]] inline Vec3 center(const Bounds& box) { return 0.5 * (box.lower + box.upper); }

/// Throws InvalidArgument unless the bounds are finite with lower <= upper.
void validate(const Bounds& box, std::string_view name = "bounds");

/// Bounds of the set in its place, rounding and `margin` [m] included: tight up to the rounding error of the world
/// coordinates, by which they are grown so that they do hold the set.
[[nodiscard]] Bounds bounds(const geometry::Convex& set, const Pose& X_WB, Real margin = 0);

}  // namespace visviva::collision
