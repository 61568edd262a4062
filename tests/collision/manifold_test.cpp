#include "visviva/collision/manifold.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "random_pairs.hpp"
#include "visviva/collision/distance.hpp"
#include "visviva/core/error.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::collision {
namespace {

using geometry::Box;
using geometry::Capsule;
using geometry::Cone;
using geometry::Convex;
using geometry::ConvexHull;
using geometry::Cylinder;
using geometry::Ellipsoid;
using geometry::Plane;
using geometry::Sphere;

Pose at(Real x, Real y, Real z) { return {Mat3::Identity(), Vec3(x, y, z)}; }
Pose turned(const Vec3& rotation, Real x, Real y, Real z) { return {exp_so3(rotation), Vec3(x, y, z)}; }

/// True if one of the points lies at `p`.
bool has_point(const Manifold& m, const Vec3& p, Real slack = 1e-12) {
  return std::any_of(m.points.begin(), m.points.begin() + m.count,
                     [&](const ManifoldPoint& q) { return (q.point - p).norm() <= slack; });
}

// ------------------------------------------------------------------------------------ closed forms

TEST(Manifold, OfStackedBoxesHasTheCornersOfTheOverlap) {
  const Convex A{Box{Vec3(1, 1, 1)}}, B{Box{Vec3(0.5, 2, 0.5)}};
  const Manifold m = find_manifold(A, {}, B, at(0.75, 0.25, 1.5 - 0.01), 0.02);
  EXPECT_NEAR(m.distance, -0.01, 1e-15);
  EXPECT_LT((m.normal - Vec3::UnitZ()).norm(), 1e-15);
  ASSERT_EQ(m.count, 4);
  for (const Real x : {0.25, 1.0})
    for (const Real y : {-1.0, 1.0}) EXPECT_TRUE(has_point(m, {x, y, 0.995}));
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(m.points[static_cast<std::size_t>(i)].separation, -0.01, 1e-15);
  EXPECT_LT((m.center - Vec3(0.625, 0, 0.995)).norm(), 1e-14);
}

TEST(Manifold, OfABoxBelowALargerOneHasItsOwnCorners) {
  const Convex A{Box{Vec3(0.5, 0.3, 1)}}, B{Box{Vec3(2, 2, 0.5)}};
  const Manifold m = find_manifold(A, {}, B, turned(Vec3(0, 0, 0.4), 0.2, 0.1, 1.5 - 0.01), 0.02);
  ASSERT_EQ(m.count, 4);
  for (const Real x : {-0.5, 0.5})
    for (const Real y : {-0.3, 0.3}) EXPECT_TRUE(has_point(m, {x, y, 0.995}));
  EXPECT_LT((m.center - Vec3(0, 0, 0.995)).norm(), 1e-14);
}

TEST(Manifold, OfSquaresTurnedByHalfARightAngleHasCornersOfTheOctagon) {
  const Convex A{Box{Vec3(1, 1, 1)}};
  const Manifold m = find_manifold(A, {}, A, turned(Vec3(0, 0, M_PI / 4), 0, 0, 2 - 0.01), 0.02);
  ASSERT_EQ(m.count, 4);
  for (const ManifoldPoint& p : m.points) {
    const Real x = std::abs(p.point.x()), y = std::abs(p.point.y());
    EXPECT_NEAR(std::max(x, y), 1, 1e-14);
    EXPECT_NEAR(std::min(x, y), std::sqrt(2.0) - 1, 1e-14);
  }
  EXPECT_LT((m.center - Vec3(0, 0, 0.995)).norm(), 1e-14);
}

TEST(Manifold, OfABoxOnItsEdgeHasTheEndsOfTheEdge) {
  const Convex A{Box{Vec3(2, 2, 1)}}, B{Box{Vec3(0.5, 0.5, 1)}};
  const Real h = std::sqrt(0.5);
  const Pose X = turned(Vec3(0, 0, 0.3), 0.2, 0.1, 1 + h + 0.003);
  const Pose X_WB{X.R * exp_so3(Vec3(M_PI / 2, 0, 0)) * exp_so3(Vec3(0, 0, M_PI / 4)), X.p};
  const Manifold m = find_manifold(A, {}, B, X_WB, 0.01);
  EXPECT_NEAR(m.distance, 0.003, 1e-14);
  ASSERT_EQ(m.count, 2);
  for (const Real y : {-1.0, 1.0}) EXPECT_TRUE(has_point(m, X * Vec3(0, y, -h - 0.0015)));
}

TEST(Manifold, OfABoxOnItsCornerIsThatCorner) {
  const Convex A{Box{Vec3(2, 2, 1)}}, B{Box{Vec3(0.5, 0.5, 0.5)}};
  const Pose X = turned(Vec3(0.5, 0.6, 0.1), 0.2, 0.1, 0);
  Real low = 0;
  Vec3 corner;
  for (int i = 0; i < 8; ++i) {
    const Vec3 p = X * (0.5 * Vec3((i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 1 : -1, (i & 4) != 0 ? 1 : -1));
    if (p.z() < low) low = p.z(), corner = p;
  }
  const Manifold m = find_manifold(A, {}, B, {X.R, X.p + Vec3(0, 0, 1 - low - 0.01)}, 0.01);
  ASSERT_EQ(m.count, 1);
  EXPECT_NEAR(m.points[0].separation, -0.01, 1e-14);
  EXPECT_LT((m.points[0].point - Vec3(corner.x(), corner.y(), 0.995)).norm(), 1e-14);
}

TEST(Manifold, OfCrossedEdgesIsTheirCrossing) {
  const Convex A{Box{Vec3(1, 1, 1)}};
  const Real h = std::sqrt(2.0);
  const Manifold m = find_manifold(A, turned(Vec3(0, M_PI / 4, 0), 0, 0, 0), A,
                                   turned(Vec3(M_PI / 4, 0, 0), 0.3, 0.2, 2 * h - 0.01), 0.001);
  EXPECT_NEAR(m.distance, -0.01, 1e-14);
  ASSERT_EQ(m.count, 1);
  EXPECT_LT((m.points[0].point - Vec3(0.0, 0.2, h - 0.005)).norm(), 1e-13);
}

TEST(Manifold, OfACylinderLyingOnAFaceHasTheEndsOfItsLine) {
  const Convex A{Box{Vec3(2, 2, 1)}}, B{Cylinder{0.5, 1}};
  const Manifold m = find_manifold(A, {}, B, turned(Vec3(0, M_PI / 2, 0), 0.1, 0.2, 1.5 + 0.004), 0.01);
  EXPECT_NEAR(m.distance, 0.004, 1e-12);
  ASSERT_EQ(m.count, 2);
  for (const Real x : {-0.9, 1.1}) EXPECT_TRUE(has_point(m, {x, 0.2, 1.002}));
  EXPECT_LT((m.center - Vec3(0.1, 0.2, 1.002)).norm(), 1e-12);
}

TEST(Manifold, OfBasesOnAFaceHasFourRimPoints) {
  const Convex A{Box{Vec3(2, 2, 1)}};
  for (const Convex& B : {Convex{Cylinder{0.5, 1}}, Convex{Cone{0.5, 1}}}) {
    const Manifold m = find_manifold(A, {}, B, turned(Vec3(0, 0, 0.4), 0.1, 0.2, 2 - 0.004), 0.01);
    EXPECT_NEAR(m.distance, -0.004, 1e-12);
    ASSERT_EQ(m.count, 4);
    Vec3 sum = Vec3::Zero();
    for (const ManifoldPoint& p : m.points) {
      EXPECT_NEAR((p.point - Vec3(0.1, 0.2, 0.998)).norm(), 0.5, 1e-12);
      EXPECT_NEAR(p.separation, -0.004, 1e-12);
      sum += p.point / 4;
    }
    EXPECT_LT((sum - Vec3(0.1, 0.2, 0.998)).norm(), 1e-12);  // a square
    EXPECT_LT((m.center - Vec3(0.1, 0.2, 0.998)).norm(), 1e-12);
  }
}

TEST(Manifold, OfACapsuleLyingOnAFaceOrAnotherHasTwoPoints) {
  const Convex A{Box{Vec3(2, 2, 1)}}, B{Capsule{0.25, 1}}, C{Capsule{0.5, 2}};
  const Pose lying = turned(Vec3(0, M_PI / 2, 0), 1.5, 0.2, 1.25 - 0.01);
  const Manifold m = find_manifold(A, {}, B, lying, 0);
  ASSERT_EQ(m.count, 2);
  for (const Real x : {0.5, 2.0}) EXPECT_TRUE(has_point(m, {x, 0.2, 0.995}));
  const Manifold pair = find_manifold(C, turned(Vec3(0, M_PI / 2, 0), 0, 0.2, 0.5), B, lying, 0);
  EXPECT_NEAR(pair.distance, -0.01, 1e-14);
  ASSERT_EQ(pair.count, 2);
  for (const Real x : {0.5, 2.0}) EXPECT_TRUE(has_point(pair, {x, 0.2, 0.995}));
}

TEST(Manifold, OfACapsulesSteepEndOnAFaceIsOnePointUnlessASideIsNear) {
  const Convex box{Box{Vec3(2, 2, 1)}}, capsule{Capsule{0.2, 0.5}};
  const Real tilt = std::atan(0.5);
  const Mat3 R = exp_so3(Vec3(0, M_PI / 2 - tilt, 0));
  const auto low_end_at = [&](Real x) { return Pose{R, Vec3(x, 0, 1.2 - 0.01) + 0.5 * R.col(2)}; };
  // It rises by 0.03, the depth and the margin, within 0.06.
  for (const Real x : {0.0, 1.93})
    for (const Manifold& m :
         {find_manifold(box, {}, capsule, low_end_at(x), 0.02), find_manifold(capsule, low_end_at(x), box, {}, 0.02)}) {
      ASSERT_EQ(m.count, 1);
      EXPECT_NEAR(m.points[0].separation, -0.01, 1e-14);
      EXPECT_TRUE(has_point(m, {x, 0, 0.995}));
      EXPECT_LT((m.center - Vec3(x, 0, 0.995)).norm(), 1e-12);
    }
  for (const Manifold& m : {find_manifold(box, {}, capsule, low_end_at(1.96), 0.02),
                            find_manifold(capsule, low_end_at(1.96), box, {}, 0.02)}) {
    ASSERT_EQ(m.count, 2);
    EXPECT_TRUE(has_point(m, {1.96, 0, 0.995}));
    const Real low = 1.19 - std::sqrt(0.2 * 0.2 - 0.04 * 0.04);  // of the ball at the end, above the edge
    EXPECT_TRUE(has_point(m, {2, 0, 0.5 * (1 + low)}));
  }
}

TEST(Manifold, OfParallelCylindersHasTheEndsOfTheSharedLine) {
  const Convex A{Cylinder{0.5, 1}}, B{Cylinder{0.25, 2}};
  const Manifold m = find_manifold(A, {}, B, at(0.6, 0.8 * 0.75, 1.5), 0.2);
  const Real d = std::hypot(0.6, 0.6) - 0.75;
  EXPECT_NEAR(m.distance, d, 1e-12);
  ASSERT_EQ(m.count, 2);
  const Vec3 n = Vec3(1, 1, 0).normalized();
  for (const Real z : {-0.5, 1.0}) EXPECT_TRUE(has_point(m, (0.5 + d / 2) * n + Vec3(0, 0, z)));
}

TEST(Manifold, OfRoundedBoxesIsThatOfTheirCoresLessTheRounding) {
  const Convex A{Box{Vec3(1, 1, 1)}, {}, 0.1}, B{Box{Vec3(0.5, 2, 0.5)}, {}, 0.2};
  const Manifold m = find_manifold(A, {}, B, at(0.75, 0.25, 1.8 - 0.01), 0.02);
  EXPECT_NEAR(m.distance, -0.01, 1e-15);
  ASSERT_EQ(m.count, 4);
  for (const Real x : {0.25, 1.0})
    for (const Real y : {-1.0, 1.0}) EXPECT_TRUE(has_point(m, {x, y, 1.095}));
}

TEST(Manifold, OfSmoothShapesIsOnePoint) {
  const Convex A{Ellipsoid{Vec3(1, 2, 3)}}, B{Sphere{0.5}};
  const Manifold m = find_manifold(A, {}, B, at(1.4, 0, 0), 0);
  ASSERT_EQ(m.count, 1);
  EXPECT_NEAR(m.distance, -0.1, 1e-12);
  EXPECT_LT((m.points[0].point - Vec3(0.95, 0, 0)).norm(), 1e-9);
  EXPECT_EQ(m.points[0].point, m.center);
}

TEST(Manifold, BeyondTheMarginIsEmptyButKnowsTheDistance) {
  const Convex A{Box{Vec3(1, 1, 1)}};
  const Manifold m = find_manifold(A, {}, A, at(0, 0, 2.5), 0.4);
  EXPECT_EQ(m.count, 0);
  EXPECT_GT(m.distance, 0.4);
  EXPECT_EQ(find_manifold(A, {}, A, at(0, 0, 2.5), 0.6).count, 4);
}

TEST(Manifold, RefusesAMarginThatIsNone) {
  const Convex A{Box{Vec3(1, 1, 1)}};
  for (const Real margin : {-1.0, std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity()}) {
    EXPECT_THROW((void)find_manifold(A, {}, A, {}, margin), InvalidArgument);
    EXPECT_THROW((void)find_manifold(Plane{}, {}, A, {}, margin), InvalidArgument);
  }
}

TEST(Manifold, RefusesPosesAndHalfSpacesThatAreNone) {
  const Convex A{Box{}};
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  ManifoldCache cache;
  EXPECT_THROW((void)find_manifold(A, {}, A, {Mat3::Identity(), Vec3(nan, 0, 0)}, 0.01), InvalidArgument);
  EXPECT_THROW((void)find_manifold(A, {nan * Mat3::Identity(), Vec3::Zero()}, A, {}, 0.01, &cache), InvalidArgument);
  EXPECT_THROW((void)find_manifold(A, {}, A, {Mat3::Identity(), Vec3(0, 1e31, 0)}, 0.01), InvalidArgument);
  for (const geometry::Plane& plane : {geometry::Plane{Vec3::Zero(), 0}, geometry::Plane{Vec3(0, 0, 2), 0},
                                       geometry::Plane{Vec3::UnitZ(), nan}, geometry::Plane{Vec3(nan, 0, 1), 0}})
    EXPECT_THROW((void)find_manifold(plane, {}, A, {}, 0.01), InvalidArgument);
}

TEST(PlaneManifold, OfABoxHasItsLowCorners) {
  const Convex B{Box{Vec3(1, 2, 3)}};
  const Manifold flat = find_manifold(Plane{Vec3::UnitZ(), 0.5}, {}, B, at(0, 0, 3.49), 0.02);
  ASSERT_EQ(flat.count, 4);
  for (const Real x : {-1.0, 1.0})
    for (const Real y : {-2.0, 2.0}) EXPECT_TRUE(has_point(flat, {x, y, 0.495}));
  EXPECT_NEAR(flat.distance, -0.01, 1e-15);
  EXPECT_LT((flat.center - Vec3(0, 0, 0.495)).norm(), 1e-14);
  EXPECT_EQ(find_manifold(Plane{Vec3::UnitZ(), 0.5}, {}, B, turned(Vec3(0, 0.1, 0), 0, 0, 3.5), 0.02).count, 2);
}

}  // namespace
}  // namespace visviva::collision
