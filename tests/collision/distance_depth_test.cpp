// Depths where a search of the polytope kind finds no end: circles of almost equal depths, needles, flat cones.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "random_pairs.hpp"
#include "visviva/collision/distance.hpp"
#include "visviva/geometry/core.hpp"
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

/// A cylinder, cone or capsule, often a plate or a needle, of about 1 m.
Convex random_revolved(RandomPairs& random, Real& size) {
  const Real r = std::exp2(random.uniform(-18, 0)), h = std::exp2(random.uniform(-18, 0));
  size += r + h;
  const Real kind = random.uniform(0, 5);
  if (kind < 2) return Convex{Cylinder{r, h}};
  return kind < 4 ? Convex{Cone{r, h}} : Convex{Capsule{r, h}};
}

/// The kinks of a cylinder's or cone's support function lie along its axis, across it and at the normals of a cone's
/// side. Any direction bounds the depth from above, and where the axes meet the least depth is at such a one, in the
/// plane of the axes or across it.
TEST(Depth, OfCylindersAndConesWhoseAxesMeetOrNearlySoIsOfNoKinkLess) {
  RandomPairs random(91);
  for (int i = 0; i < 20000; ++i) {
    Real size = 0;
    const Convex A = random_revolved(random, size), B = random_revolved(random, size);
    const Pose X_WA = random.pose(1);
    Pose X_WB{i % 4 == 0 ? X_WA.R : random.rotation(), Vec3::Zero()};  // coaxial, or not
    const Vec3 u = X_WA.R.col(2), v = X_WB.R.col(2);
    const Vec3 way =
        i % 3 == 0 ? Vec3(Vec3::Zero()) : Vec3(random.uniform(-0.1, 0.1) * u + random.uniform(-0.1, 0.1) * v);
    const Vec3 apart = i % 5 == 1 ? Vec3(std::exp2(random.uniform(-40, -3)) * size * u.cross(v)) : Vec3(Vec3::Zero());
    // The centres of the cores, from the poses of the bodies.
    X_WB.p = X_WA * A.core().X.p + way + apart - X_WB.R * B.core().X.p;
    const Separation s = distance(A, X_WA, B, X_WB);
    if (s.distance > 0) continue;
    const Real searched = apart.isZero(0) ? 0 : 1e-11 * size;
    const Real rounding = 1e-13 * size + 2e-15;  // the second: of the poses
    const auto depth = [&](const Vec3& n) {
      return X_WA.p.dot(n) + n.dot(X_WA.R * A.support(X_WA.R.transpose() * n)) + A.rounding() -
             (X_WB.p.dot(n) + n.dot(X_WB.R * B.support(X_WB.R.transpose() * -n)) - B.rounding());
    };
    EXPECT_NEAR(depth(s.normal), -s.distance, rounding) << i;
    EXPECT_NEAR(s.normal.dot(s.point_b - s.point_a), s.distance, rounding) << i;
    const Vec3 across = u.cross(v);
    const auto expect_least = [&](const Vec3& direction) {
      if (!(direction.norm() > 1e-3)) return;
      for (const Real sign : {-1.0, 1.0})
        EXPECT_LE(-s.distance, depth(sign * direction.normalized()) + rounding + searched) << i;
    };
    for (const Vec3& direction : {u, v, across, Vec3(u.cross(across)), Vec3(v.cross(across)), random.unit()})
      expect_least(direction);
    for (const Convex* cone : {&A, &B}) {
      const Vec3 half = cone->core().size, axis = cone == &A ? u : v, beside = axis.cross(across).normalized();
      for (const Real side : {-1.0, 1.0}) expect_least(half.x() * axis + side * 2 * half.z() * beside);
    }
  }
}

// Their cores meet in a piece of a line, and the difference of their nearest points is rounding alone.
TEST(Depth, OfCoaxialCapsulesIsAlongANormalAcrossTheirAxis) {
  RandomPairs random(92);
  for (int i = 0; i < 4000; ++i) {
    const Real r = std::exp2(random.uniform(-12, 0)), q = std::exp2(random.uniform(-12, 0)),
               half = std::exp2(random.uniform(-14, 0)), other = std::exp2(random.uniform(-14, 0));
    const Pose X_WA = random.pose(1);
    const Vec3 u = X_WA.R.col(2);
    const Pose X_WB{X_WA.R, X_WA.p + random.uniform(-0.9, 0.9) * (half + other) * u};
    const Separation s = distance(Convex{Capsule{r, half}}, X_WA, Convex{Capsule{q, other}}, X_WB);
    EXPECT_NEAR(s.distance, -(r + q), 1e-14) << i;
    EXPECT_NEAR(s.normal.dot(u), 0, 1e-12) << i;
  }
}

}  // namespace
}  // namespace visviva::collision
