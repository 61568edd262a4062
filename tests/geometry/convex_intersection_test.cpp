#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "samples.hpp"
#include "visviva/geometry/convex.hpp"
#include "visviva/geometry/signed_distance.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::geometry {
namespace {

Convex convex_of(const Solid& solid) {
  const ConvexPieces pieces = ConvexPieces::of(solid);
  EXPECT_FALSE(pieces.refusal) << pieces.refusal.value_or("");
  EXPECT_EQ(pieces.convex.size(), 1u);
  return pieces.convex.at(0);
}

Solid placed(const Shape& shape, const Vec3& p, const Vec3& turn = Vec3::Zero(), Real rounding = 0) {
  return Solid(shape, {exp_so3(turn), p}, rounding);
}

/// Inactive, but enough to leave the closed forms.
Solid far_around() { return placed(Sphere{50}, {1, 2, 3}); }

TEST(ConvexIntersection, OfABallAndAHalfSpaceHasTheClosedForm) {
  const Convex half = convex_of(intersect(placed(Sphere{2}, {1, 0, 0}), Solid(Plane{Vec3::UnitZ(), 0.5})));
  Samples samples(1);
  for (int i = 0; i < 500; ++i) {
    const Vec3 d = samples.vector(-1, 1).normalized();
    // Down or flat: the ball's own point; steeper than the rim: the rim.
    const Real rim = std::sqrt(4 - 0.25), across = d.head<2>().norm();
    const Real expected = d.x() + (2 * d.z() <= 0.5 ? 2 : 0.5 * d.z() + rim * across);
    const Vec3 p = half.support(d);
    EXPECT_NEAR(d.dot(p), expected, 1e-12) << d.transpose();
    EXPECT_LT(p.z(), 0.5 + 1e-12);
    EXPECT_LT((p - Vec3(1, 0, 0)).norm(), 2 + 1e-12);
  }
  std::vector<Vec3> face;
  half.extreme_points(Vec3::UnitZ(), 1e-9, face);
  ASSERT_EQ(face.size(), 8u);
  for (const Vec3& p : face) EXPECT_NEAR((p - Vec3(1, 0, 0.5)).norm(), std::sqrt(4 - 0.25), 1e-6);
  half.extreme_points(-Vec3::UnitZ(), 1e-9, face);
  EXPECT_EQ(face.size(), 1u);
}

TEST(ConvexIntersection, AgreesWithTheClosedFormsOfEllipsoidsAndPolytopes) {
  Samples samples(2);
  const Solid lens = intersect(placed(Ellipsoid{Vec3(1, 2, 3)}, {0, 0, 0}, {0.3, 0.2, 0.1}),
                               placed(Ellipsoid{Vec3(2, 1, 1.5)}, {0.5, 0.3, 1}, {-0.5, 0.9, 0}));
  const Solid block = intersect(placed(Box{Vec3(1, 2, 3)}, {0, 0, 0}, {0.3, 0.2, 0.1}),
                                placed(Box{Vec3(2, 1, 1.5)}, {0.5, 0.3, 1}, {-0.5, 0.9, 0}));
  for (const Solid& solid : {lens, block}) {
    const Convex closed = convex_of(solid), general = convex_of(intersect(solid, far_around()));
    for (int i = 0; i < 500; ++i) {
      const Vec3 d = samples.vector(-1, 1).normalized();
      EXPECT_NEAR(d.dot(closed.support(d)), d.dot(general.support(d)), 1e-11) << i;
    }
  }
}

TEST(ConvexIntersection, OfTwoCrossedCylindersHasTheClosedForm) {
  // x² + z² <= 1 and y² + z² <= 1: |x| and |y| are at most √(1 - z²), so h = √((|dx| + |dy|)² + dz²).
  const Real quarter = std::acos(-1.0) / 2;
  const Convex both = convex_of(intersect(placed(Cylinder{1, 2}, {0, 0, 0}, {quarter, 0, 0}),
                                          placed(Cylinder{1, 2}, {0, 0, 0}, {0, quarter, 0})));
  Samples samples(4);
  for (int i = 0; i < 2000; ++i) {
    Vec3 d = samples.vector(-1, 1);
    if (i % 4 == 1) d.x() = 0;     // a whole line is equally far
    if (i % 4 == 2) d.z() = 0;     // the corner of four walls
    if (i % 4 == 3) d.z() *= 1e4;  // near the top, where the two walls touch
    d.normalize();
    const Real expected = std::hypot(std::abs(d.x()) + std::abs(d.y()), d.z());
    const Vec3 p = both.support(d);
    EXPECT_NEAR(d.dot(p), expected, 1e-12) << d.transpose();
    EXPECT_LT(std::max(p.head<2>().cwiseAbs().maxCoeff(), 0.0), std::sqrt(std::max(0.0, 1 - p.z() * p.z())) + 1e-9);
  }
}

TEST(ConvexIntersection, OfACylinderAndABoxHasTheClosedForm) {
  // Above a rectangle that cuts the circle, and one that touches it all around: there the box holds nothing.
  const auto flat_support = [](const Vec2& half, const Vec2& d) {
    // Of the circle if that lies in the rectangle, else of the best side: its ends are cut by the circle.
    if (std::abs(d.x()) <= half.x() * d.norm() && std::abs(d.y()) <= half.y() * d.norm()) return d.norm();
    const auto on_side = [](Real at, Real other, Real d_at, Real d_other) {
      return std::abs(d_at) * at + std::abs(d_other) * std::min(other, std::sqrt(std::max(0.0, 1 - at * at)));
    };
    return std::max(on_side(half.x(), half.y(), d.x(), d.y()), on_side(half.y(), half.x(), d.y(), d.x()));
  };
  Samples samples(6);
  for (const Vec2& half : {Vec2(0.6, 0.9), Vec2(1, 1), Vec2(0.5, 0.5), Vec2(0.6, 0.8)}) {
    const Convex both = convex_of(
        intersect(placed(Cylinder{1, 2}, {0, 0, 0}), placed(Box{Vec3(half.x(), half.y(), 0.7)}, {0, 0, 0.2})));
    for (int i = 0; i < 1000; ++i) {
      Vec3 d = samples.vector(-1, 1);
      if (i % 5 == 1) d[i % 3] = 0;
      if (i % 5 == 2) d = d[i % 3] * Vec3::Unit(i % 3);
      if (i % 5 == 3) d[i % 3] *= 1e-7;
      d.normalize();
      const Real expected = flat_support(half, d.head<2>()) + 0.2 * d.z() + 0.7 * std::abs(d.z());
      EXPECT_NEAR(d.dot(both.support(d)), expected, 2e-13) << half.transpose() << ": " << d.transpose();
    }
  }
}

/// Two to four parts of any kind that share the origin.
Solid random_intersection(Samples& samples) {
  const auto random_part = [&] {
    const Vec3 p = 0.4 * samples.vector(-1, 1), turn = samples.vector(-2, 2);
    const Vec3 size = Vec3::Constant(1.2) + samples.vector(-0.4, 1);
    switch (static_cast<int>(samples.real(0, 8))) {
      case 0:
        return placed(Sphere{size.x()}, p);
      case 1:
        return placed(Ellipsoid{size}, p, turn);
      case 2:
        return placed(Box{size}, p, turn);
      case 3:
        return placed(Capsule{size.x(), size.y()}, p, turn);
      case 4:
        return placed(Cylinder{size.x(), size.y()}, p, turn);
      case 5:
        return placed(Cone{2 * size.x(), 2 * size.y()}, p, turn);
      case 6:
        return placed(Box{0.8 * size}, p, turn, 0.4);
      default:
        return Solid(Plane{samples.vector(-1, 1).normalized(), samples.real(0.3, 1)});
    }
  };
  Solid solid = placed(Sphere{3}, {0.1, 0.2, 0.3});
  for (int k = 0; k < 3; ++k) solid = intersect(solid, random_part());
  return solid;
}

TEST(ConvexIntersection, OfAnyPartsHasNoPointBeyondItsSupport) {
  Samples samples(3);
  for (int i = 0; i < 60; ++i) {
    const Solid solid = random_intersection(samples);
    const Convex convex = convex_of(solid);
    EXPECT_LT(signed_distance(solid, convex.center()).value, 0);
    for (int k = 0; k < 10; ++k) {
      const Vec3 d = samples.vector(-1, 1).normalized(), p = convex.support(d);
      // On the boundary, by another implementation of what the solid is.
      EXPECT_NEAR(signed_distance(solid, p).value, 0, 1e-11) << i;
      // Points near it that are inside are not farther, on any scale.
      for (Real scale = 1; scale > 1e-6; scale /= 4)
        for (int j = 0; j < 30; ++j) {
          const Vec3 q = p + scale * samples.vector(-1, 1);
          if (!(d.dot(q - p) > 1e-11)) continue;
          ASSERT_GT(signed_distance(solid, q).value, 0) << i << " " << scale;
        }
    }
  }
}

TEST(ConvexIntersection, NamesWhatCannotBeDone) {
  const auto refusal = [](const Solid& solid) { return ConvexPieces::of(solid).refusal.value_or(""); };
  EXPECT_EQ(refusal(intersect(placed(Sphere{1}, {0, 0, 0}), placed(Cylinder{1, 1}, {0, 0, 0}, {0, 0, 0}, 0.1))),
            "an intersection with a rounded cylinder is not done");
  EXPECT_EQ(refusal(intersect(placed(Sphere{1}, {0, 0, 0}), placed(Cone{1, 1}, {0, 0, 0}, {0, 0, 0}, 0.1))),
            "an intersection with a rounded cone is not done");
  EXPECT_EQ(refusal(intersect(placed(Sphere{1}, {0, 0, 0}), placed(Cylinder{1, 1}, {5, 0, 0}))),
            "the parts of an intersection share no volume");
  EXPECT_EQ(refusal(intersect(placed(Sphere{1}, {0, 0, 0}), Solid(Plane{Vec3::UnitZ(), -1.0 - 1e-6}))),
            "the parts of an intersection share no volume");
  EXPECT_EQ(refusal(intersect(Solid(Plane{}), Solid(Plane{-Vec3::UnitZ(), 1}))),
            "an intersection of half-spaces alone has no bounds");
}

}  // namespace
}  // namespace visviva::geometry
