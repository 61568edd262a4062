#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "random_pairs.hpp"
#include "visviva/collision/distance.hpp"
#include "visviva/core/error.hpp"

namespace visviva::collision {
namespace {

using geometry::Box;
using geometry::Convex;
using geometry::ConvexTriangle;
using geometry::Sphere;
using Long3 = Eigen::Matrix<long double, 3, 1>;

long double to_segment(const Long3& p, const Long3& a, const Long3& b) {
  const Long3 e = b - a;
  const long double l2 = e.squaredNorm();
  const long double t = l2 > 0 ? std::clamp((p - a).dot(e) / l2, 0.0L, 1.0L) : 0.0L;
  return (p - a - t * e).norm();
}

long double to_triangle(const Long3& p, const Long3& a, const Long3& b, const Long3& c) {
  const Long3 n = (b - a).cross(c - a);
  const auto inside = [&](const Long3& u, const Long3& v) { return (v - u).cross(p - u).dot(n) > 0; };
  if (n.squaredNorm() > 0 && inside(a, b) && inside(b, c) && inside(c, a)) return std::abs((p - a).dot(n)) / n.norm();
  return std::min({to_segment(p, a, b), to_segment(p, b, c), to_segment(p, c, a)});
}

TEST(TriangleDistance, OfABallIsThatOfItsCentreFromTheNearestFeature) {
  RandomPairs random(11);
  ConvexTriangle triangle;
  const Convex ball{Sphere{0.01}};
  for (int i = 0; i < 3000; ++i) {
    const Vec3 a = random.in_cube(1), b = random.in_cube(1), p = random.in_cube(2);
    // Every fifth is a line, every seventh a point.
    const Vec3 c = i % 7 == 0 ? a : i % 5 == 0 ? Vec3(0.5 * (a + b)) : random.in_cube(1);
    const Separation s = distance(triangle.set(a, i % 7 == 0 ? a : b, c), {}, ball, {Mat3::Identity(), p});
    const long double expected = to_triangle(p.cast<long double>(), a.cast<long double>(),
                                             (i % 7 == 0 ? a : b).cast<long double>(), c.cast<long double>());
    EXPECT_NEAR(s.distance, static_cast<Real>(expected) - 0.01, 1e-14) << i;
    EXPECT_NEAR(s.normal.norm(), 1, 1e-15);
  }
}

TEST(TriangleDistance, OfABoxOnItIsZeroAlongItsNormal) {
  ConvexTriangle triangle;
  const Convex box{Box{Vec3(0.1, 0.1, 0.1)}};
  const Convex& t = triangle.set({0, 0, 0}, {1, 0, 0}, {0, 1, 0});
  for (const Real gap : {0.25, 1e-9, 0.0, -1e-9, -0.05}) {
    const Separation s = distance(t, {}, box, {Mat3::Identity(), Vec3(0.2, 0.3, 0.1 + gap)});
    EXPECT_NEAR(s.distance, gap, 1e-15) << gap;
    EXPECT_LT((s.normal - Vec3::UnitZ()).norm(), 1e-14) << gap;
  }
}

TEST(TriangleDistance, OfAPiercingBoxIsTheShortestWayOut) {
  ConvexTriangle triangle;
  const Convex box{Box{Vec3(0.1, 0.1, 0.1)}};
  const Convex& t = triangle.set({-5, -5, 0}, {5, -5, 0}, {0, 5, 0});
  const Separation s = distance(t, {}, box, {Mat3::Identity(), Vec3(0.2, 0.3, 0.03)});
  EXPECT_NEAR(s.distance, -0.07, 1e-14);
  EXPECT_LT((s.normal - Vec3::UnitZ()).norm(), 1e-14);
}

TEST(TriangleDistance, OfOverlappingTrianglesInOnePlaneIsZero) {
  ConvexTriangle first, second;
  const Convex &A = first.set({0, 0, 0}, {1, 0, 0}, {0, 1, 0}), &B = second.set({0.1, 0.1, 0}, {2, 0, 0}, {0, 2, 0});
  const Separation s = distance(A, {}, B, {});
  EXPECT_NEAR(s.distance, 0, 1e-15);
  EXPECT_NEAR(std::abs(s.normal.z()), 1, 1e-14);
}

TEST(TriangleDistance, SeesTheRoundingOfTheTriangle) {
  ConvexTriangle triangle(0.125);
  const Separation s = distance(triangle.set({0, 0, 0}, {1, 0, 0}, {0, 1, 0}), {}, Convex{Sphere{0.25}},
                                {Mat3::Identity(), Vec3(0.25, 0.25, 1)});
  EXPECT_DOUBLE_EQ(s.distance, 0.625);
  EXPECT_THROW(ConvexTriangle(-1), InvalidArgument);
  EXPECT_THROW(ConvexTriangle(std::nan("")), InvalidArgument);
}

}  // namespace
}  // namespace visviva::collision
