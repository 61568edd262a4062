// Depths where a search of the polytope kind finds no end: circles of almost equal depths, needles, flat cones.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "random_pairs.hpp"
#include "visviva/collision/distance.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::collision {
namespace {

using geometry::Capsule;
using geometry::Cone;
using geometry::Convex;
using geometry::ConvexHull;
using geometry::Cylinder;

constexpr Real kPi = 3.14159265358979323846;

/// What every answer for an overlap must be: the depth along its own normal, between points that are so far apart.
void expect_sound(const Convex& A, const Pose& X_WA, const Convex& B, const Pose& X_WB, Real size) {
  const Separation s = distance(A, X_WA, B, X_WB), r = distance(B, X_WB, A, X_WA);
  ASSERT_LT(s.distance, 0);
  const auto reach = [](const Convex& C, const Pose& X, const Vec3& n) {
    return n.dot(X * C.support(X.R.transpose() * n)) + C.rounding();
  };
  EXPECT_NEAR(-reach(B, X_WB, -s.normal) - reach(A, X_WA, s.normal), s.distance, 1e-12 * size);
  EXPECT_LT((s.point_b - s.point_a - s.distance * s.normal).norm(), 1e-5 * size);
  EXPECT_NEAR(s.distance, r.distance, 1e-7 * size);
}

TEST(Depth, OfAlmostConcentricCylindersIsTheSumOfTheirRadiiLessTheOffset) {
  // Every direction across the axes is deep by almost the same.
  const Convex A{Capsule{0.3, 0.3}}, B{Cylinder{0.5, 1}};
  const Mat3 turned = exp_so3(Vec3(0, kPi, 0));
  for (const Real offset : {1e-3, 1e-5, 1e-7})
    for (int i = 0; i < 24; ++i) {
      const Real angle = 0.27 * i;
      const Pose X_WB{i % 2 == 0 ? turned : Mat3::Identity().eval(),
                      offset * Vec3(std::cos(angle), std::sin(angle), 0.3)};
      const Separation s = distance(A, {}, B, X_WB), r = distance(B, X_WB, A, {});
      EXPECT_NEAR(s.distance, offset - 0.8, 1e-13) << offset << " " << i;
      EXPECT_NEAR(r.distance, offset - 0.8, 1e-13) << offset << " " << i;
      EXPECT_LT((s.point_b - s.point_a - s.distance * s.normal).norm(), 1e-7) << offset << " " << i;
    }
}

TEST(Depth, OfANeedleInAFlatConeIsAlongTheConesSide) {
  // The base would push it out by h + k, the side, which leans by little, by a thousandth less.
  const Real r = 6.9e-3, h = 2.1e-4, q = 6.5e-6, k = 3.2e-4;
  const Convex flat{Cone{r, h}}, needle{Cone{q, k}};
  const Real length = std::hypot(2 * h, r), sine = 2 * h / length, cosine = r / length;
  const Real depth = cosine * (h + k) + sine * q;
  EXPECT_NEAR(distance(flat, {}, needle, {}).distance, -depth, 1e-12 * r);
  EXPECT_NEAR(distance(needle, {}, flat, {}).distance, -depth, 1e-12 * r);
}

TEST(Depth, OfASmallBodyOnALongNeedleIsFoundFromBothSides) {
  const Convex cone{Cone{0.053, 0.068}, {}, 0.006}, needle{Capsule{1e-3, 870}};
  RandomPairs random(21);
  for (int i = 0; i < 300; ++i) {
    const Mat3 R = random.pose(1).R;
    expect_sound(cone, {R, Vec3(0.01, 0, 0.007)}, needle, {}, 1740);
  }
}

TEST(Depth, DeepInsideLiesBetweenPointsAlongTheNormal) {
  ConvexHull prism;
  for (int i = 0; i < 40; ++i)
    for (const Real z : {-0.3, 0.3}) prism.points.emplace_back(std::cos(0.05 * kPi * i), std::sin(0.05 * kPi * i), z);
  const std::array<Convex, 6> sets = {Convex{Capsule{0.01, 0.8}},       Convex{Cylinder{0.6, 0.004}},
                                      Convex{Cylinder{0.01, 0.7}},      Convex{Cone{0.5, 0.02}},
                                      Convex{Cone{0.3, 0.5}, {}, 0.02}, Convex{prism}};
  RandomPairs random(22);
  for (int i = 0; i < 1500; ++i) {
    const Convex& A = sets[static_cast<std::size_t>(i % 6)];
    const Convex& B = sets[static_cast<std::size_t>(i / 6 % 6)];
    expect_sound(A, random.pose(0), B, random.pose(1e-4), 1);
  }
}

}  // namespace
}  // namespace visviva::collision
