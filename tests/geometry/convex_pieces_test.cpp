#include <Eigen/Geometry>
#include <Eigen/LU>

#include "samples.hpp"
#include "support_functions.hpp"
#include "visviva/geometry/convex.hpp"

namespace visviva::geometry {
namespace {

struct PlacedEllipsoid {
  Vec3 axes;
  Pose X;

  [[nodiscard]] Real q(const Vec3& x) const { return (X.R.transpose() * (x - X.p)).cwiseQuotient(axes).squaredNorm(); }
  [[nodiscard]] Vec3 gradient(const Vec3& x) const {
    return 2 * X.R * (X.R.transpose() * (x - X.p)).cwiseQuotient(axes.cwiseAbs2());
  }
  [[nodiscard]] Solid solid() const { return Solid(Ellipsoid{axes}, X); }
};

enum class Touch { First, Second, Ridge };

/// Proves that x is the point of both ellipsoids farthest along d: it is within both, and d is a combination with
/// weights
/// >= 0 of the normals of those surfaces on which it lies.
Touch prove_optimal(const PlacedEllipsoid& a, const PlacedEllipsoid& b, const Vec3& d, const Vec3& x) {
  constexpr Real kTolerance = 2e-13;
  const Real qa = a.q(x), qb = b.q(x);
  EXPECT_LE(qa, 1 + kTolerance);
  EXPECT_LE(qb, 1 + kTolerance);
  const Vec3 na = a.gradient(x).normalized(), nb = b.gradient(x).normalized();
  if (qa > 1 - kTolerance && (na - d).norm() < 1e-12) return Touch::First;
  if (qb > 1 - kTolerance && (nb - d).norm() < 1e-12) return Touch::Second;
  EXPECT_NEAR(qa, 1, kTolerance);
  EXPECT_NEAR(qb, 1, kTolerance);
  Eigen::Matrix<Real, 3, 2> N;
  N << na, nb;
  const Vec2 weights = (N.transpose() * N).inverse() * N.transpose() * d;
  EXPECT_LE((N * weights - d).norm(), 1e-11);
  EXPECT_GE(weights.minCoeff(), -1e-11);
  return Touch::Ridge;
}

TEST(EllipsoidIntersection, SupportIsOptimalInAllDirections) {
  Samples samples(301);
  std::array<int, 3> count{};
  for (int i = 0; i < 60; ++i) {
    const PlacedEllipsoid a{samples.vector(0.3, 2), samples.pose()}, b{samples.vector(0.3, 2), samples.pose()};
    const ConvexPieces pieces = ConvexPieces::of(intersect(a.solid(), b.solid()));
    ASSERT_FALSE(pieces.refusal) << *pieces.refusal;
    ASSERT_EQ(pieces.convex.size(), 1U);
    const Convex& both = pieces.convex[0];
    EXPECT_LT(a.q(both.center()), 1);
    EXPECT_LT(b.q(both.center()), 1);
    EXPECT_FALSE(both.is_smooth());
    Real farthest = 0;
    for (int k = 0; k < 300; ++k) {
      const Vec3 d = k < 6 ? Vec3((k < 3 ? 1 : -1) * Vec3::Unit(k % 3)) : unit(samples);
      const Vec3 x = both.support(d);
      ++count[static_cast<std::size_t>(prove_optimal(a, b, d, x))];
      farthest = std::max(farthest, (x - both.center()).norm());
      EXPECT_LE((both.support(1e-200 * d) - x).norm(), 1e-12);
    }
    EXPECT_GE(both.radius_about(both.center()), farthest);
    EXPECT_LE(both.radius_about(both.center()), 2 * farthest);
  }
  for (const int n : count) EXPECT_GT(n, 60 * 300 / 20);  // each kind of touch is common
}

TEST(EllipsoidIntersection, OfTwoBallsIsALens) {
  // Balls of radius 1 about (0, 0, ±h): the ridge is the circle of radius √(1 - h²), with normals up to h from the
  // plane.
  const Real h = 0.6;
  const ConvexPieces lens = ConvexPieces::of(intersect(Solid(Sphere{1}, {Mat3::Identity(), Vec3(0, 0, -h)}),
                                                       Solid(Sphere{1}, {Mat3::Identity(), Vec3(0, 0, h)})));
  ASSERT_EQ(lens.convex.size(), 1U);
  const auto support = [&](const Vec3& d) { return lens.convex[0].support(d); };
  EXPECT_LE((support(Vec3::UnitZ()) - Vec3(0, 0, 1 - h)).norm(), 1e-15);
  EXPECT_LE((support(-Vec3::UnitZ()) - Vec3(0, 0, h - 1)).norm(), 1e-15);
  for (const Real slope :
       {-0.7, -0.2, 0.0, 0.5, 0.74})  // tan of the angle of the outermost normal is h/√(1 - h²) = 0.75
    EXPECT_LE((support(Vec3(0, 1, slope)) - Vec3(0, 0.8, 0)).norm(), 1e-15 * 4) << slope;
  const Vec3 d = Vec3(0, 1, 1).normalized();
  EXPECT_LE((support(d) - (d - Vec3(0, 0, h))).norm(), 1e-15);
  EXPECT_LE(lens.convex[0].center().norm(), 1e-7);  // a minimum, found to half the digits
}

TEST(EllipsoidIntersection, OfNestedOnesIsTheInnerOne) {
  Samples samples(302);
  const PlacedEllipsoid inner{{0.5, 0.6, 0.7}, samples.pose()}, outer{{3, 4, 5}, samples.pose()};
  const Convex alone(Ellipsoid{inner.axes}, inner.X);
  for (const Solid& solid : {intersect(inner.solid(), outer.solid()), intersect(outer.solid(), inner.solid()),
                             intersect(inner.solid(), inner.solid())}) {
    const ConvexPieces pieces = ConvexPieces::of(solid);
    ASSERT_EQ(pieces.convex.size(), 1U);
    for (int k = 0; k < 100; ++k) {
      const Vec3 d = unit(samples);
      EXPECT_LE((pieces.convex[0].support(d) - alone.support(d)).norm(), 1e-13);
    }
  }
}

/// All half-spaces of a box.
void add_faces(const Vec3& half, const Pose& X, std::vector<Plane>& planes) {
  for (int i = 0; i < 3; ++i)
    for (const Real side : {-1, 1}) {
      const Vec3 n = side * X.R.col(i);
      planes.push_back({n, n.dot(X.p) + half[i]});
    }
}

/// The corners of the intersection of half-spaces: all feasible points where three planes meet.
std::vector<Vec3> corners(const std::vector<Plane>& planes) {
  std::vector<Vec3> result;
  for (std::size_t i = 0; i < planes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      for (std::size_t k = 0; k < j; ++k) {
        Mat3 N;
        N << planes[i].normal.transpose(), planes[j].normal.transpose(), planes[k].normal.transpose();
        if (std::abs(N.determinant()) < 1e-9) continue;
        const Vec3 x = N.inverse() * Vec3(planes[i].offset, planes[j].offset, planes[k].offset);
        bool feasible = true;
        for (const Plane& p : planes) feasible = feasible && p.normal.dot(x) <= p.offset + 1e-9;
        if (feasible) result.push_back(x);
      }
  return result;
}

TEST(PolytopeIntersection, HasTheCornersOfItsPlanes) {
  Samples samples(303);
  for (int i = 0; i < 30; ++i) {
    std::vector<Plane> planes;
    const Vec3 h1 = samples.vector(0.4, 1), h2 = samples.vector(0.4, 1);
    const Pose X1 = samples.pose(), X2 = samples.pose();
    const Vec3 n = unit(samples);
    const Plane cut{n, samples.real(-0.1, 0.1)};
    add_faces(h1, X1, planes);
    add_faces(h2, X2, planes);
    planes.push_back(cut);
    const ConvexPieces pieces =
        ConvexPieces::of(intersect(intersect(Solid(Box{h1}, X1), Solid(cut)), Solid(Box{h2}, X2)));
    ASSERT_EQ(pieces.convex.size(), 1U) << *pieces.refusal;
    const std::vector<Vec3> expected = corners(planes);
    for (int k = 0; k < 100; ++k) {
      const Vec3 d = unit(samples);
      Real farthest = -1e9;
      for (const Vec3& x : expected) farthest = std::max(farthest, x.dot(d));
      EXPECT_NEAR(pieces.convex[0].support(d).dot(d), farthest, 1e-12) << i;
    }
    // Not one corner too many.
    std::vector<Vec3> points;
    pieces.convex[0].extreme_points(Vec3::UnitZ(), 100, points);
    EXPECT_EQ(points.size(), expected.size()) << i;
  }
}

TEST(PolytopeIntersection, OfHullAndHalfSpacesMatchesClosedForms) {
  const auto corner_count = [](const Solid& solid) {
    const ConvexPieces pieces = ConvexPieces::of(solid);
    EXPECT_FALSE(pieces.refusal);
    std::vector<Vec3> points;
    pieces.convex.at(0).extreme_points(Vec3::UnitZ(), 100, points);
    return points.size();
  };
  const Solid cube(Box{{1, 1, 1}});
  // A cube cut at right angles to its diagonal through the middle has 4 + 6 corners, 1/3 from a corner 7 + 3.
  const Vec3 diagonal = Vec3(1, 1, 1).normalized();
  EXPECT_EQ(corner_count(intersect(cube, Solid(Plane{diagonal, 0}))), 10U);
  EXPECT_EQ(corner_count(subtract(cube, Solid(Plane{-diagonal, -2 / std::sqrt(3.0)}))), 10U);
  EXPECT_EQ(corner_count(intersect(cube, complement(Solid(Plane{diagonal, 2 / std::sqrt(3.0)})))), 4U);
  EXPECT_EQ(corner_count(intersect(cube, Solid(Plane{diagonal, 5}))), 8U);  // does not reach
  EXPECT_EQ(corner_count(intersect(cube, Solid(Plane{Vec3::UnitX(), 0}))), 8U);
  EXPECT_EQ(corner_count(intersect(cube, cube)), 8U);
  EXPECT_EQ(corner_count(intersect(cube, Solid(Plane{Vec3(1, 1, 0).normalized(), 0}))), 6U);  // along two edges
  // Cube and its dual: an octahedron |x| + |y| + |z| <= 2 cuts the corners to a cuboctahedron.
  ConvexHull octahedron;
  for (int i = 0; i < 3; ++i)
    for (const Real side : {-2, 2}) octahedron.points.push_back(side * Vec3::Unit(i));
  EXPECT_EQ(corner_count(intersect(cube, Solid(octahedron))), 12U);
}

TEST(ConvexPieces, OfUnionsAreAllTheirParts) {
  const Solid ball(Sphere{1}), box(Box{{1, 1, 1}}, {}, 0.1), ground(Plane{Vec3::UnitZ(), -1});
  const ConvexPieces pieces = ConvexPieces::of(unite(unite(ball, ground), box));
  EXPECT_FALSE(pieces.refusal);
  ASSERT_EQ(pieces.convex.size(), 2U);
  EXPECT_EQ(pieces.convex[0].rounding(), 1);
  EXPECT_EQ(pieces.convex[1].rounding(), 0.1);
  ASSERT_EQ(pieces.planes.size(), 1U);
  EXPECT_EQ(pieces.planes[0].offset, -1);
  const ConvexPieces ceiling = ConvexPieces::of(complement(ground));
  ASSERT_EQ(ceiling.planes.size(), 1U);
  EXPECT_EQ(ceiling.planes[0].offset, 1);
  EXPECT_EQ(ceiling.planes[0].normal, -Vec3::UnitZ());
  EXPECT_EQ(ConvexPieces::of(complement(complement(box))).convex.size(), 1U);
}

TEST(ConvexPieces, WhatIsNotDoneIsRefusedWithItsReason) {
  const Solid ball(Sphere{1}), box(Box{{1, 1, 1}}), round_box(Box{{1, 1, 1}}, {}, 0.1), plane(Plane{});
  const Solid mesh(parallelepiped(Mat3::Identity(), Vec3::Zero()));
  const Pose far{Mat3::Identity(), Vec3(9, 0, 0)};
  const auto reason = [](const Solid& solid) { return ConvexPieces::of(solid).refusal.value_or("none"); };
  EXPECT_EQ(reason(subtract(box, ball)), "a difference has no convex pieces");
  EXPECT_EQ(reason(complement(ball)), "a complement has no convex pieces");
  EXPECT_EQ(reason(mesh), "a triangle mesh has no convex pieces (take its hull)");
  EXPECT_EQ(reason(unite(box, mesh)), "a triangle mesh has no convex pieces (take its hull)");
  EXPECT_EQ(reason(intersect(box, complement(ball))), "an intersection with a complement has no convex pieces");
  EXPECT_EQ(reason(intersect(box, unite(ball, box))), "an intersection with a union is not split into pieces");
  const Solid round_hull(ConvexHull{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {}, 0.1);
  EXPECT_EQ(reason(intersect(round_hull, box)), "an intersection with a rounded hull is not done");
  EXPECT_EQ(reason(intersect(round_box, box)), "none");
  EXPECT_EQ(reason(intersect(intersect(ball, ball), ball)), "none");
  EXPECT_EQ(reason(intersect(ball, box)), "none");
  EXPECT_EQ(reason(intersect(plane, plane)), "an intersection of half-spaces alone has no bounds");
  for (const Solid& apart : {intersect(ball, Solid(Sphere{1}, far)), intersect(box, Solid(Box{{1, 1, 1}}, far)),
                             intersect(box, Solid(Plane{Vec3::UnitZ(), -2})),
                             intersect(box, Solid(Plane{Vec3::UnitZ(), -1}))})  // the last one touches
    EXPECT_EQ(reason(apart), "the parts of an intersection share no volume");
}

}  // namespace
}  // namespace visviva::geometry
