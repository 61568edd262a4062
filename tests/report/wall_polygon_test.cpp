#include "report/wall_polygon.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

namespace visviva::report {
namespace {

using geometry::Plane;

/// Area along the normal: positive if the corners go round counter-clockwise, seen from outside.
Real area(const std::vector<Vec3>& corners, const Vec3& normal) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < corners.size(); ++i) sum += corners[i].cross(corners[(i + 1) % corners.size()]);
  return 0.5 * sum.dot(normal);
}

TEST(WallPolygon, AloneIsASquare) {
  const Plane plane{Vec3(2, -1, 2) / 3, 5};
  const std::vector<Vec3> corners = wall_polygon(plane, {}, 3);
  ASSERT_EQ(corners.size(), 4u);
  for (const Vec3& p : corners) EXPECT_NEAR(plane.normal.dot(p), 5, 1e-14);
  EXPECT_NEAR(area(corners, plane.normal), 36, 1e-13);
}

TEST(WallPolygon, WallsOfABoxEndAtItsEdges) {
  const Vec3 half(4, 3, 2);
  std::vector<Plane> planes;
  for (int axis = 0; axis < 3; ++axis)
    for (const Real side : {-1.0, 1.0}) planes.push_back({-side * Vec3::Unit(axis), -half(axis)});
  for (std::size_t i = 0; i < planes.size(); ++i) {
    std::vector<Plane> others = planes;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    others.push_back(planes[i]);  // given twice: it hides nothing
    const auto axis = static_cast<Eigen::Index>(i / 2);
    const Real face = 4 * half.prod() / half(axis);
    EXPECT_NEAR(area(wall_polygon(planes[i], others, 100), planes[i].normal), face, 1e-10) << i;
  }
}

TEST(WallPolygon, WhatLiesWithinAnotherHalfSpaceIsHidden) {
  const Plane deeper{Vec3::UnitZ(), -1}, higher{Vec3::UnitZ(), 0};
  EXPECT_TRUE(wall_polygon(deeper, std::vector<Plane>{higher}, 10).empty());
  EXPECT_EQ(wall_polygon(higher, std::vector<Plane>{deeper}, 10).size(), 4u);
}

}  // namespace
}  // namespace visviva::report
