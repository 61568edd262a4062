#include "report/wall_polygon.hpp"

#include <Eigen/Geometry>
#include <cmath>

namespace visviva::report {

namespace {

/// The part of a convex polygon outside of a half-space.                                  [Sutherland and Hodgman 1974]
std::vector<Vec3> cut(const std::vector<Vec3>& polygon, const geometry::Plane& plane) {
  std::vector<Vec3> rest;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec3 &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    const Real height_a = plane.normal.dot(a) - plane.offset, height_b = plane.normal.dot(b) - plane.offset;
    if (height_a >= 0) rest.push_back(a);
    if ((height_a > 0 && height_b < 0) || (height_a < 0 && height_b > 0))
      rest.push_back(a + height_a / (height_a - height_b) * (b - a));
  }
  return rest;
}

}  // namespace

std::vector<Vec3> wall_polygon(const geometry::Plane& plane, std::span<const geometry::Plane> others, Real half_width) {
  Eigen::Index least = 0;
  plane.normal.cwiseAbs().minCoeff(&least);
  const Vec3 a = plane.normal.cross(Vec3::Unit(least)).normalized() * half_width;
  const Vec3 b = plane.normal.cross(a);
  const Vec3 middle = plane.offset * plane.normal;
  std::vector<Vec3> polygon = {middle - a - b, middle + a - b, middle + a + b, middle - a + b};
  // A plane that is given twice must not hide itself by rounding.
  const auto is_same = [&](const geometry::Plane& other) {
    return (other.normal - plane.normal).norm() < 1e-9 && std::abs(other.offset - plane.offset) < 1e-9 * half_width;
  };
  for (const geometry::Plane& other : others)
    if (!is_same(other)) polygon = cut(polygon, other);
  return polygon;
}

}  // namespace visviva::report
