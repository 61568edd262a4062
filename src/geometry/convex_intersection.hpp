#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "intersection_part.hpp"
#include "visviva/geometry/convex.hpp"

namespace visviva::geometry {

/// An intersection of convex parts, known by its support points.
///
/// Problem: the farthest x along d with s_i(x) >= 0 for all i, where each s_i is concave and smooth:
///   half-space             s = offset - n·x
///   ball, ellipsoid, wall of a cylinder    s = r (1 - |M (x - c)|²) / 2
///   wall of a cone         s = a/2 - |b|²/(2a), a the radius at the height of x, b the way of x from the axis
///   capsule, rounded box   s = (r² - dist²) / (2r), the distance being that from a segment or box
/// in units in which the parts have the size 1. Method: the support point of a part alone, if it lies in all others;
/// else the convex program in climb_intersection.hpp. The point lies within 1e-13 of the size inside all parts, and
/// 1e-12 of it or better from the farthest, but for parts that touch tangentially there (1e-9). Some 1 to 5 µs.
class ConvexIntersection {
 public:
  /// Null if it cannot be done; then `refusal` says why.
  [[nodiscard]] static std::shared_ptr<const ConvexIntersection> make(std::span<const PlacedShape* const> shapes,
                                                                      std::span<const Plane> planes,
                                                                      std::string& refusal);

  [[nodiscard]] Vec3 support(const Vec3& direction) const;
  /// As Convex::extreme_points: eight points around a flat face, or one.
  void extreme_points(const Vec3& direction, Real slack, std::vector<Vec3>& points) const;
  [[nodiscard]] Vec3 center() const { return to_frame(center_); }

 private:
  [[nodiscard]] Vec3 to_frame(const Vec3& y) const { return origin_ + size_ * y; }
  [[nodiscard]] bool holds(const Vec3& y) const;
  bool find_center();
  void drop_idle_planes();

  std::vector<IntersectionPart> parts_;
  std::vector<Convex> shapes_;  ///< those that give a support point of their own
  Vec3 origin_ = Vec3::Zero();
  Real size_ = 1;
  Vec3 center_ = Vec3::Zero();  ///< where the product of all s_i is largest
};

}  // namespace visviva::geometry
