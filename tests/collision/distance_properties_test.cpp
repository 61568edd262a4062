// What holds of every pair, where a failure is worth shrinking: small numbers, many of them zero or equal, so that
// faces, edges and centres meet.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "visviva/collision/distance.hpp"
#include "visviva/collision/overlap.hpp"
#include "visviva/geometry/core.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::collision {
namespace {

using geometry::Convex;

constexpr Real kRounding = 1e-12;   ///< of lengths of order 10
constexpr Real kDepthError = 1e-9;  ///< of depths that are nearly the same along a circle of directions

Real quarter(int low, int high) { return 0.25 * *rc::gen::inRange(low, high + 1); }
Vec3 quarters(int low, int high) {
  const Real x = quarter(low, high), y = quarter(low, high);
  return {x, y, quarter(low, high)};
}

geometry::Shape any_shape() {
  const Vec3 l = quarters(1, 8);
  switch (*rc::gen::inRange(0, 7)) {
    case 0:
      return geometry::Sphere{l.x()};
    case 1:
      return geometry::Capsule{l.x(), l.y()};
    case 2:
      return geometry::Ellipsoid{l};
    case 3:
      return geometry::Box{l};
    case 4:
      return geometry::Cylinder{l.x(), l.y()};
    case 5:
      return geometry::Cone{l.x(), l.y()};
    default:
      break;
  }
  // A tetrahedron, and points of a grid that may lie in it.
  geometry::ConvexHull hull{{Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(-1, -1, -1)}};
  for (int i = *rc::gen::inRange(0, 8); i > 0; --i) hull.points.push_back(quarters(-4, 4));
  return hull;
}

Convex any_set() {
  const geometry::Shape shape = any_shape();
  const bool takes_rounding = !std::holds_alternative<geometry::Sphere>(shape) &&
                              !std::holds_alternative<geometry::Ellipsoid>(shape) &&
                              !std::holds_alternative<geometry::Capsule>(shape);
  return Convex(shape, {}, takes_rounding ? std::max(quarter(-4, 2), 0.0) : 0);
}

Pose any_pose() {
  // No turn, quarter turns, or any.
  const Mat3 R = exp_so3(0.5 * M_PI * Vec3(0, 0, *rc::gen::inRange(0, 4))) *
                 exp_so3(0.5 * M_PI * Vec3(*rc::gen::inRange(0, 4), 0, 0)) *
                 (*rc::gen::inRange(0, 2) == 0 ? Mat3(Mat3::Identity()) : exp_so3(quarters(-4, 4)));
  return {R, quarters(-8, 8)};
}

Real gap_along(const Convex& A, const Pose& X_WA, const Convex& B, const Pose& X_WB, const Vec3& n) {
  const Vec3 a = X_WA * A.support(X_WA.R.transpose() * n), b = X_WB * B.support(X_WB.R.transpose() * -n);
  return n.dot(b - a) - A.rounding() - B.rounding();
}

Vec3 some_unit() {
  const Vec3 v = quarters(-4, 4);
  return v.isZero(0) ? Vec3(Vec3::UnitX()) : Vec3(v.normalized());
}

struct Pair {
  Convex A, B;
  Pose X_WA, X_WB;
  Separation s;

  Pair() : A(any_set()), B(any_set()), X_WA(any_pose()), X_WB(any_pose()), s(distance(A, X_WA, B, X_WB)) {
    RC_LOG() << "kinds " << static_cast<int>(A.core().kind) << " " << static_cast<int>(B.core().kind) << " distance "
             << s.distance << "\n";
  }
};

/// What two answers for the same pair may differ by.
Real slack(const Separation& s, const Separation& r) {
  return s.distance > 0 ? kRounding + s.error + r.error : kDepthError;
}

RC_GTEST_PROP(DistanceProperties, AnswersAreFiniteAndTheNormalUnit, ()) {
  const Pair p;
  RC_ASSERT(std::isfinite(p.s.distance) && p.s.normal.allFinite() && p.s.point_a.allFinite() &&
            p.s.point_b.allFinite());
  RC_ASSERT(std::abs(p.s.normal.norm() - 1) < 1e-15);
}

RC_GTEST_PROP(DistanceProperties, TheErrorIsThatOfTheSlowestPairAtMost, ()) {
  const Pair p;
  RC_ASSERT(p.s.error < 1e-9);
}

RC_GTEST_PROP(DistanceProperties, TheNormalProvesTheDistance, ()) {
  const Pair p;
  RC_ASSERT(std::abs(gap_along(p.A, p.X_WA, p.B, p.X_WB, p.s.normal) - p.s.distance) < kRounding + p.s.error);
}

RC_GTEST_PROP(DistanceProperties, NoDirectionIsBetter, ()) {
  const Pair p;
  for (int i = 0; i < 8; ++i) RC_ASSERT(gap_along(p.A, p.X_WA, p.B, p.X_WB, some_unit()) <= p.s.distance + kRounding);
}

RC_GTEST_PROP(DistanceProperties, ThePointsLieOnTheirSurfacesAndTheNormalBetweenThem, ()) {
  const Pair p;
  RC_ASSERT(std::abs(p.s.normal.dot(p.s.point_b - p.s.point_a) - p.s.distance) < kRounding + p.s.error);
  const auto reach = [](const Convex& C, const Pose& X, const Vec3& n) {
    return n.dot(X * C.support(X.R.transpose() * n)) + C.rounding();
  };
  RC_ASSERT(std::abs(p.s.normal.dot(p.s.point_a) - reach(p.A, p.X_WA, p.s.normal)) < kRounding + p.s.error);
  RC_ASSERT(std::abs(-p.s.normal.dot(p.s.point_b) - reach(p.B, p.X_WB, -p.s.normal)) < kRounding + p.s.error);
}

RC_GTEST_PROP(DistanceProperties, ItIsALowerBoundForAnyTwoPoints, ()) {
  const Pair p;
  const Vec3 u = some_unit(), v = some_unit();
  const Vec3 a = p.X_WA * (p.A.support(u) + p.A.rounding() * u), b = p.X_WB * (p.B.support(v) + p.B.rounding() * v);
  RC_ASSERT((b - a).norm() >= p.s.distance - kRounding);
}

RC_GTEST_PROP(DistanceProperties, TheOrderOfThePairChangesTheSignOfTheNormalAlone, ()) {
  const Pair p;
  const Separation r = distance(p.B, p.X_WB, p.A, p.X_WA);
  RC_ASSERT(std::abs(r.distance - p.s.distance) < slack(p.s, r));
  if (p.s.distance > 0.01) RC_ASSERT((r.normal + p.s.normal).norm() < 1e-6);
}

RC_GTEST_PROP(DistanceProperties, ARigidMotionOfBothChangesNothing, ()) {
  const Pair p;
  const Pose X = any_pose();
  const Separation r = distance(p.A, X * p.X_WA, p.B, X * p.X_WB);
  RC_ASSERT(std::abs(r.distance - p.s.distance) < slack(p.s, r));
}

RC_GTEST_PROP(DistanceProperties, TheReportedTranslationEndsTheOverlap, ()) {
  const Pair p;
  RC_PRE(p.s.distance < -1e-6);
  Pose X_WB = p.X_WB;
  X_WB.p -= (p.s.distance - 1e-9) * p.s.normal;
  const Separation moved = distance(p.A, p.X_WA, p.B, X_WB);
  RC_ASSERT(std::abs(moved.distance - 1e-9) < kDepthError);
  RC_ASSERT(!overlap(p.A, p.X_WA, p.B, X_WB));
}

RC_GTEST_PROP(DistanceProperties, OverlapIsTheSignOfTheDistance, ()) {
  const Pair p;
  RC_PRE(std::abs(p.s.distance) > kRounding);
  SeparationCache cache{some_unit()};
  RC_ASSERT(overlap(p.A, p.X_WA, p.B, p.X_WB) == (p.s.distance < 0));
  RC_ASSERT(overlap(p.A, p.X_WA, p.B, p.X_WB, &cache) == (p.s.distance < 0));
}

RC_GTEST_PROP(DistanceProperties, ACacheChangesNothingBeyondRounding, ()) {
  const Pair p;
  SeparationCache cache{some_unit()};
  for (int i = 0; i < 2; ++i) {
    const Separation r = distance(p.A, p.X_WA, p.B, p.X_WB, &cache);
    RC_ASSERT(std::abs(r.distance - p.s.distance) < slack(p.s, r));
  }
}

}  // namespace
}  // namespace visviva::collision
