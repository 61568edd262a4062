#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "visviva/geometry/convex.hpp"

namespace visviva::geometry {

/// An intersection of convex parts, known by its support points.
///
/// Problem: the farthest x along d with s_i(x) >= 0 for all i, where each s_i is concave and smooth:
///   half-space             s = offset - n·x
///   ball, ellipsoid, wall of a cylinder    s = r (1 - |M (x - c)|²) / 2
///   wall of a cone         s = a/2 - |b|²/(2a), a the radius at the height of x, b the way of x from the axis
///   capsule, rounded box   s = (r² - dist²) / (2r), the distance being that from a segment or box
/// in units in which the parts have the size 1. Method: the support point of a part alone, if it lies in all others.
/// Else the logarithmic barrier t d·x + Σ log s_i is maximised by Newton's method in three unknowns, for t up to 1e10;
/// then Newton's method on the conditions of Karush, Kuhn and Tucker of the parts that hold it takes it to rounding.
/// Stops after a bounded number of steps; the point lies within 1e-13 of the size inside all parts, and 1e-12 of it or
/// better from the farthest, but for parts that touch tangentially there (1e-9).
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

  /// One concave function, in units of the size about the origin of the parts.
  struct Part {
    enum class Kind { Plane, Quadric, Cone, Distance };
    Kind kind = Kind::Plane;
    Vec3 n = Vec3::UnitZ();     ///< Plane: normal; Cone: axis, from the apex to the base
    Real offset = 0;            ///< Plane
    Mat3 M = Mat3::Identity();  ///< Quadric; Distance: rotation of the box
    Vec3 c = Vec3::Zero();      ///< Quadric, Distance: middle; Cone: apex
    Vec3 half = Vec3::Zero();   ///< Distance: half extents
    Real radius = 0;            ///< Distance; Quadric: the smallest; Cone: radius over height
  };

 private:
  [[nodiscard]] Vec3 to_frame(const Vec3& y) const { return origin_ + size_ * y; }
  [[nodiscard]] bool holds(const Vec3& y) const;
  bool find_center();

  std::vector<Part> parts_;
  std::vector<Convex> shapes_;  ///< those that give a support point of their own
  Vec3 origin_ = Vec3::Zero();
  Real size_ = 1;
  Vec3 center_ = Vec3::Zero();  ///< where the product of all s_i is largest
};

}  // namespace visviva::geometry
