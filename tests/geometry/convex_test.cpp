#include "visviva/geometry/convex.hpp"

#include <Eigen/Geometry>

#include "samples.hpp"
#include "support_functions.hpp"

namespace visviva::geometry {
namespace {

constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();

/// Directions in which shapes have ties (the frame's axes, its diagonals) and random ones.
std::vector<Vec3> directions(Samples& samples, int count, const Mat3& R = Mat3::Identity()) {
  std::vector<Vec3> result;
  for (int i = 0; i < 27; ++i)
    if (i != 13) result.push_back(R * Vec3(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1).normalized());
  for (int i = 0; i < count; ++i) result.push_back(unit(samples));
  return result;
}

/// Is the point within the shape, whose lengths are of order 1, up to rounding? By the definitions in shapes.hpp.
bool holds(const Shape& shape, const Vec3& p) {
  constexpr Real kSlack = 1e-14;
  const Real axis = p.head<2>().norm(), z = p.z();
  if (const auto* s = std::get_if<Ellipsoid>(&shape)) return p.cwiseQuotient(s->semi_axes).norm() <= 1 + kSlack;
  if (const auto* s = std::get_if<Box>(&shape)) return (p.cwiseAbs() - s->half_extents).maxCoeff() <= kSlack;
  if (const auto* s = std::get_if<Cylinder>(&shape))
    return axis <= s->radius + kSlack && std::abs(z) <= s->half_height + kSlack;
  if (const auto* s = std::get_if<Cone>(&shape))
    return z >= -s->half_height - kSlack && axis <= s->radius * (s->half_height - z) / (2 * s->half_height) + kSlack;
  return false;
}

TEST(ConvexSupport, MatchesTheClosedFormsInAnyPose) {
  Samples samples(101);
  for (int i = 0; i < 10 * Samples::kKinds; ++i) {
    const Shape shape = samples.shape(i % Samples::kKinds);
    const Pose X = i < Samples::kKinds ? Pose{} : samples.pose();
    const Convex convex(shape, X);
    for (const Vec3& d : directions(samples, 40, X.R)) {
      const Vec3 p = convex.support(d);
      EXPECT_NEAR(p.dot(d) + convex.rounding(), reach(shape, X.R.transpose() * d) + X.p.dot(d), 20 * kEpsilon);
      if (i % Samples::kKinds != 0 && i % Samples::kKinds != 3 && i % Samples::kKinds != 6) {
        EXPECT_TRUE(holds(shape, X.R.transpose() * (p - X.p)));
      }
      EXPECT_NEAR(convex.support(1e-200 * d).dot(d), p.dot(d), 1e-14);
      EXPECT_NEAR(convex.support(1e200 * d).dot(d), p.dot(d), 1e-14);
    }
  }
}

TEST(ConvexSupport, IsFartherThanAnySampledPoint) {
  Samples samples(102);
  for (int i = 0; i < 5 * Samples::kKinds; ++i) {
    const Shape shape = samples.shape(i % Samples::kKinds);
    const Convex convex(shape);
    const Vec3 d = unit(samples);
    const Real farthest = convex.support(d).dot(d);
    for (int k = 0; k < 2000; ++k) {
      const Vec3 p = samples.vector(-2, 2);
      if (holds(shape, p)) {
        EXPECT_LE(p.dot(d), farthest + 1e-14);
      }
    }
  }
}

TEST(ConvexSupport, ClimbsALargeHullToTheTop) {
  Samples samples(103);
  ConvexHull ball, lattice;
  for (int i = 0; i < 600; ++i) ball.points.push_back(unit(samples));
  for (int i = 0; i < 1000; ++i) lattice.points.push_back(Vec3(i % 10, i / 10 % 10, i / 100));  // flat faces, many ties
  for (int i = 0; i < 300; ++i) lattice.points.push_back(4.5 * Vec3::Ones() + 7.2 * unit(samples));
  for (const ConvexHull& hull : {ball, lattice}) {
    const Convex convex(hull);
    for (const Vec3& d : directions(samples, 500))
      EXPECT_NEAR(convex.support(d).dot(d), reach(hull, d), 100 * kEpsilon);
  }
}

TEST(ConvexSupport, OfEllipsoidTouchesTheTangentPlane) {
  // Appendix A of the text: standard ellipsoid and plane n·z + D = 0 that does not meet it.
  Samples samples(104);
  for (int i = 0; i < 50; ++i) {
    const Vec3 a = samples.vector(0.5, 3), n = unit(samples);
    const Vec3 a2n = a.cwiseAbs2().cwiseProduct(n);
    const Real norm = a.cwiseProduct(n).norm(), D = -norm * samples.real(1.01, 3);
    const Convex ellipsoid(Ellipsoid{a});
    const auto f = [&](const Vec3& z) { return z.cwiseQuotient(a).squaredNorm(); };

    const Vec3 q = ellipsoid.support(n);
    EXPECT_LE((q - a2n / norm).norm(), 1e-14);  // (104)
    EXPECT_NEAR(f(q), 1, 1e-14);
    EXPECT_LE(q.cwiseQuotient(a.cwiseAbs2()).normalized().cross(n).norm(), 1e-14);  // its normal is n
    const Vec3 p = -D / (norm * norm) * a2n, pole = -a2n / D;                       // (105a), (105b)
    EXPECT_NEAR(n.dot(p) + D, 0, 1e-13);
    EXPECT_LE(p.cross(q).norm(), 1e-12);
    EXPECT_LE((p / f(p) - pole).norm(), 1e-13);                          // (102)
    EXPECT_NEAR(p.norm() * pole.norm(), p.squaredNorm() / f(p), 1e-12);  // (101)
    EXPECT_LT(f(pole), 1);                                               // Theorem A.6
    // (106): the least distance of the plane from points of the surface.
    const Real distance = std::min(std::abs(D + norm), std::abs(D - norm));
    EXPECT_NEAR(std::abs(n.dot(q) + D), distance, 1e-13);
    for (int k = 0; k < 200; ++k) EXPECT_GE(std::abs(n.dot(a.cwiseProduct(unit(samples))) + D), distance - 1e-14);
  }
}

TEST(ConvexSupport, OfEllipsoidInAnyPoseGivesItsDistanceFromAnyPlane) {
  Samples samples(105);
  int apart = 0, crossing = 0;
  for (int i = 0; i < 200; ++i) {
    const Vec3 a = samples.vector(0.5, 2), n = unit(samples);
    const Pose X{exp_so3(samples.vector(-3, 3)), samples.vector(-3, 3)};
    const Real D = samples.real(-2, 2);
    const Convex ellipsoid(Ellipsoid{a}, X);
    const Real high = n.dot(ellipsoid.support(n)) + D, low = n.dot(ellipsoid.support(-n)) + D;
    const Real norm = a.cwiseProduct(X.R.transpose() * n).norm(), middle = D + n.dot(X.p);
    EXPECT_EQ(norm<std::abs(middle), low> 0 || high < 0);  // (108)
    if (low > 0 || high < 0) {
      ++apart;
      EXPECT_NEAR(std::min(std::abs(low), std::abs(high)), std::min(std::abs(middle + norm), std::abs(middle - norm)),
                  1e-14 * 10);  // (107)
    } else {
      ++crossing;
    }
  }
  EXPECT_GT(apart, 20);
  EXPECT_GT(crossing, 20);
}

TEST(ConvexExtremePoints, FlatLandingsGiveAllCorners) {
  const auto count = [](const Convex& convex, const Vec3& d, Real slack = 1e-9) {
    std::vector<Vec3> points;
    convex.extreme_points(d, slack, points);
    const Real farthest = convex.support(d).dot(d);
    for (const Vec3& p : points) EXPECT_NEAR(p.dot(d), farthest, slack + 1e-15);
    return points.size();
  };
  const Vec3 z = Vec3::UnitZ(), x = Vec3::UnitX(), edge = Vec3(1, 0, 1).normalized();
  const Convex box(Box{{1, 2, 3}}), cylinder(Cylinder{1, 2}), cone(Cone{1, 2}), capsule(Capsule{1, 2});
  EXPECT_EQ(count(box, z), 4U);
  EXPECT_EQ(count(box, -x), 4U);
  EXPECT_EQ(count(box, edge), 2U);
  EXPECT_EQ(count(box, Vec3(1, 1, 1).normalized()), 1U);
  EXPECT_EQ(count(box, Vec3(0, 1e-10, 1).normalized()), 4U);  // 4e-10 behind
  EXPECT_EQ(count(box, Vec3(0, 1e-9, 1).normalized()), 2U);   // 4e-9 behind
  EXPECT_EQ(count(cylinder, z), 8U);
  EXPECT_EQ(count(cylinder, x), 2U);
  EXPECT_EQ(count(cylinder, edge), 1U);
  EXPECT_EQ(count(cone, -z), 8U);
  EXPECT_EQ(count(cone, z), 1U);
  EXPECT_EQ(count(cone, Vec3(4, 0, 1).normalized()), 2U);  // a generator: apex and one rim point
  EXPECT_EQ(count(capsule, x), 2U);
  EXPECT_EQ(count(capsule, z), 1U);
  EXPECT_EQ(count(Convex(Sphere{1}), z), 1U);
  EXPECT_EQ(count(Convex(Ellipsoid{{1, 2, 3}}), z), 1U);
  ConvexHull cube;
  for (int i = 0; i < 8; ++i) cube.points.push_back(Vec3(i & 1, i >> 1 & 1, i >> 2));
  EXPECT_EQ(count(Convex(cube), z), 4U);
}

TEST(ConvexExtremePoints, OfAFlatDiscAreCentred) {
  Samples samples(106);
  for (int i = 0; i < 20; ++i) {
    const Pose X = samples.pose();
    const Convex cylinder(Cylinder{0.7, 0.4}, X);
    std::vector<Vec3> points;
    cylinder.extreme_points(-X.R.col(2), 1e-12, points);
    ASSERT_EQ(points.size(), 8U);
    Vec3 sum = Vec3::Zero();
    for (const Vec3& p : points) sum += p;
    EXPECT_LE((sum / 8 - X * Vec3(0, 0, -0.4)).norm(), 1e-15 * 4);
  }
}

TEST(ConvexRadius, EllipsoidIsFiniteAndTightHoweverSmallItsOffset) {
  // On the longest axis the farthest point is known; below rounding nothing may be divided by zero.
  for (const Real offset : {0.0, 1e-320, 1e-200, 1e-17, 3e-17, 1e-15, 1e-10, 1e-3}) {
    const Convex convex(Ellipsoid{{0.5, 0.3, 0.2}}, Pose{Mat3::Identity(), {offset, 0, 0}});
    EXPECT_NEAR(convex.radius_about(Vec3::Zero()), 0.5 + offset, 1e-15) << offset;
    const Convex aside(Ellipsoid{{0.5, 0.3, 0.2}}, Pose{Mat3::Identity(), {0, offset, offset}});
    EXPECT_NEAR(aside.radius_about(Vec3::Zero()), 0.5, 2 * offset + 1e-15) << offset;
    EXPECT_GE(aside.radius_about(Vec3::Zero()), 0.5) << offset;
  }
}

TEST(ConvexRadius, IsTightForShapes) {
  Samples samples(107);
  for (int i = 0; i < 6 * Samples::kKinds; ++i) {
    const Convex convex(samples.shape(i % Samples::kKinds), samples.pose(), i % Samples::kKinds == 1 ? 0 : 0.1);
    const Vec3 point = i % 3 == 0 ? convex.center() : samples.vector(-2, 2);
    // Fixed points of p -> support(p - point) climb to a farthest point; many starts find the farthest.
    Real farthest = 0;
    for (const Vec3& d : directions(samples, 30)) {
      Vec3 p = convex.support(d);
      for (int k = 0; k < 300; ++k) p = convex.support(p - point);
      farthest = std::max(farthest, (p - point).norm());
    }
    EXPECT_NEAR(convex.radius_about(point), farthest + convex.rounding(), 1e-9) << i;
  }
  EXPECT_DOUBLE_EQ(Convex(Sphere{2}).radius_about(Vec3::Zero()), 2);
  EXPECT_NEAR(Convex(Ellipsoid{{2, 3, 4}}).radius_about(Vec3::Zero()), 4, 1e-15);
  EXPECT_NEAR(Convex(Ellipsoid{{2, 3, 4}}).radius_about({0.01, 0, 0}), std::sqrt(16 + 1e-4 * (1 + 4.0 / 12)), 1e-12);
}

TEST(Convex, KnowsWhetherItIsSmooth) {
  EXPECT_TRUE(Convex(Sphere{1}).is_smooth());
  EXPECT_TRUE(Convex(Ellipsoid{{1, 2, 3}}).is_smooth());
  EXPECT_TRUE(Convex(Capsule{1, 1}).is_smooth());
  EXPECT_FALSE(Convex(Box{{1, 2, 3}}).is_smooth());
  EXPECT_TRUE(Convex(Box{{1, 2, 3}}, {}, 1e-13).is_smooth());
  EXPECT_EQ(Convex(Sphere{1}, {}, 0.5).rounding(), 1.5);
  EXPECT_EQ(Convex(Cone{1, 1}, {}, 0.5).rounding(), 0.5);
}

TEST(Convex, BadInputIsRefusedByName) {
  EXPECT_EQ(refusal([] {
              (void)Convex(Box{{1, -1, 1}});
            }),
            "shape: half_extents.y must be positive and finite, got -1");
  EXPECT_EQ(refusal([] {
              (void)Convex(Box{{1, 1, 1}}, {}, -0.1);
            }),
            "placed shape: rounding must be finite and not negative, got -0.1");
  EXPECT_EQ(refusal([] {
              (void)Convex(Box{{1, 1, 1}}, {}, std::nan(""));
            }),
            "placed shape: rounding must be finite and not negative, got nan");
  EXPECT_EQ(refusal([] {
              (void)Convex(Ellipsoid{{1, 1, 2}}, {}, 0.1);
            }),
            "placed shape: rounding must be 0 (an ellipsoid is smooth: rounding does not apply), got 0.1");
  EXPECT_EQ(refusal([] { (void)Convex(parallelepiped(Mat3::Identity(), Vec3::Zero())); }),
            "convex set: shape must be convex by its kind (take the hull of a mesh), got a triangle mesh");
}

}  // namespace
}  // namespace visviva::geometry
