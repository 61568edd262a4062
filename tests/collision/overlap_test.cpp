#include "visviva/collision/overlap.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "random_pairs.hpp"
#include "visviva/core/error.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::collision {
namespace {

using geometry::Box;
using geometry::Capsule;
using geometry::Convex;
using geometry::ConvexTriangle;
using geometry::Ellipsoid;
using geometry::Plane;
using geometry::Sphere;

Pose at(Real x, Real y, Real z) { return {Mat3::Identity(), Vec3(x, y, z)}; }

TEST(Overlap, CountsATouch) {
  EXPECT_TRUE(overlap(Convex{Sphere{0.5}}, at(0, 0, 0), Convex{Sphere{0.25}}, at(0.75, 0, 0)));
  EXPECT_TRUE(overlap(Convex{Box{Vec3(1, 1, 1)}}, at(0, 0, 0), Convex{Box{Vec3(1, 2, 3)}}, at(2, 0.5, 0.25)));
  EXPECT_TRUE(overlap(Plane{Vec3::UnitZ(), 1}, {}, Convex{Sphere{0.5}}, at(3, 4, 1.5)));
}

TEST(Overlap, EndsWhereAGapBegins) {
  const Real gap = 1e-12;
  EXPECT_FALSE(overlap(Convex{Sphere{0.5}}, at(0, 0, 0), Convex{Sphere{0.25}}, at(0.75 + gap, 0, 0)));
  EXPECT_FALSE(overlap(Convex{Box{Vec3(1, 1, 1)}}, at(0, 0, 0), Convex{Box{Vec3(1, 2, 3)}}, at(2 + gap, 0.5, 0.25)));
  EXPECT_FALSE(overlap(Plane{Vec3::UnitZ(), 1}, {}, Convex{Sphere{0.5}}, at(3, 4, 1.5 + gap)));
  ConvexTriangle triangle;
  const Convex& t = triangle.set({-1, -1, 0}, {1, -1, 0}, {0, 1, 0});
  const Convex egg{Ellipsoid{Vec3(0.5, 1, 2)}};
  EXPECT_TRUE(overlap(t, {}, egg, at(0, 0, 2 - gap)));
  EXPECT_FALSE(overlap(t, {}, egg, at(0, 0, 2 + gap)));
}

TEST(Overlap, SeesASegmentThatPiercesATriangle) {
  ConvexTriangle triangle;
  const Convex& t = triangle.set({0, 0, 0}, {1, 0, 0}, {0, 1, 0});
  const Convex rod{Capsule{1e-6, 1}};
  EXPECT_TRUE(overlap(t, {}, rod, at(0.25, 0.25, 0.5)));
  EXPECT_FALSE(overlap(t, {}, rod, at(0.6, 0.6, 0.5)));
}

TEST(Overlap, AgreesWithTheSignOfTheDistance) {
  RandomPairs random(31);
  int count = 0;
  for (int i = 0; i < 5000; ++i) {
    const Convex A = random.convex(), B = random.convex();
    const Pose X_WA = random.pose(0.5), X_WB = random.pose(3);
    const Separation s = distance(A, X_WA, B, X_WB);
    SeparationCache cache;
    EXPECT_EQ(overlap(A, X_WA, B, X_WB), s.distance < 0) << i << " " << s.distance;
    EXPECT_EQ(overlap(A, X_WA, B, X_WB, &cache), s.distance < 0) << i << " " << s.distance;
    EXPECT_EQ(overlap(A, X_WA, B, X_WB, &cache), s.distance < 0) << i << " " << s.distance;
    count += s.distance < 0;
  }
  EXPECT_GT(count, 300);
  EXPECT_LT(count, 4000);
}

TEST(Overlap, RefusesPosesThatAreNotFinite) {
  const Convex box{Box{Vec3(1, 1, 1)}}, egg{Ellipsoid{Vec3(0.5, 1, 2)}};
  const Plane floor{Vec3::UnitZ(), 0};
  Pose turned;
  turned.R(1, 2) = NAN;
  for (const Pose& bad : {at(NAN, 0, 0), at(0, INFINITY, 0), turned})
    for (const Convex& B : {box, egg}) {
      EXPECT_THROW((void)overlap(box, {}, B, bad), InvalidArgument);
      EXPECT_THROW((void)distance(box, {}, B, bad), InvalidArgument);
      EXPECT_THROW((void)distance(B, bad, box, {}), InvalidArgument);
      EXPECT_THROW((void)distance(floor, {}, B, bad), InvalidArgument);
      EXPECT_THROW((void)distance(floor, bad, B, {}), InvalidArgument);
    }
}

}  // namespace
}  // namespace visviva::collision
