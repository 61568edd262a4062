#include "visviva/collision/distance.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "random_pairs.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::collision {
namespace {

using geometry::Box;
using geometry::Capsule;
using geometry::Convex;
using geometry::ConvexHull;
using geometry::Cylinder;
using geometry::Ellipsoid;
using geometry::Plane;
using geometry::Sphere;

constexpr Real kUnit = 0x1p-52;

/// Where a curved surface meets an edge, neither is Newton's method at home nor does GJK end.
constexpr Real kSlowError = 1e-10;

Pose at(Real x, Real y, Real z) { return {Mat3::Identity(), Vec3(x, y, z)}; }

/// What must hold of every answer: unit normal, points d n apart, and inside the slabs that n cuts.
void expect_consistent(const Convex& A, const Pose& X_WA, const Convex& B, const Pose& X_WB, const Separation& s,
                       Real size) {
  EXPECT_NEAR(s.normal.norm(), 1, 4 * kUnit);
  // Depths are found to 1e-13 of the size.
  const Real slack = 64 * kUnit * size + (s.distance > 0 ? s.error : 1e-12 * size);
  EXPECT_NEAR(s.normal.dot(s.point_b - s.point_a), s.distance, slack);
  const auto reach = [](const Convex& C, const Pose& X, const Vec3& n) {
    return n.dot(X * C.support(X.R.transpose() * n)) + C.rounding();
  };
  const Real gap = -reach(B, X_WB, -s.normal) - reach(A, X_WA, s.normal);
  EXPECT_GE(gap, s.distance - slack);  // the normal proves the distance
  if (s.distance > 0) {
    EXPECT_LE(gap, s.distance + 64 * kUnit * size);
    // A lower bound that is right to `error` fixes the normal to its square root only.
    EXPECT_LE((s.point_b - s.point_a).norm(), s.distance + 64 * kUnit * size + std::sqrt(2 * size * s.error));
  }
}

// ------------------------------------------------------------------------------------ closed forms

TEST(Distance, OfSpheresIsThatOfTheirCentresLessTheRadii) {
  const Convex A{Sphere{0.5}}, B{Sphere{0.25}};
  const Separation s = distance(A, at(1, 2, 3), B, at(4, 6, 15));
  EXPECT_DOUBLE_EQ(s.distance, 13 - 0.75);
  EXPECT_LT((s.normal - Vec3(3, 4, 12) / 13).norm(), 2 * kUnit);
  EXPECT_LT((s.point_a - (Vec3(1, 2, 3) + 0.5 * Vec3(3, 4, 12) / 13)).norm(), 1e-15);
  EXPECT_LT((s.point_b - (Vec3(4, 6, 15) - 0.25 * Vec3(3, 4, 12) / 13)).norm(), 1e-14);
}

TEST(Distance, OfOverlappingSpheresIsNegativeAlongTheirCentres) {
  const Separation s = distance(Convex{Sphere{1}}, at(0, 0, 0), Convex{Sphere{1}}, at(0, 0.5, 0));
  EXPECT_DOUBLE_EQ(s.distance, -1.5);
  EXPECT_EQ(s.normal, Vec3(0, 1, 0));
}

TEST(Distance, OfConcentricSpheresHasSomeUnitNormal) {
  const Separation s = distance(Convex{Sphere{1}}, at(1, 1, 1), Convex{Sphere{2}}, at(1, 1, 1));
  EXPECT_DOUBLE_EQ(s.distance, -3);
  EXPECT_DOUBLE_EQ(s.normal.norm(), 1);
}

TEST(Distance, OfSphereAndBoxKnowsFaceEdgeAndCorner) {
  const Convex box{Box{Vec3(1, 2, 3)}}, ball{Sphere{0.5}};
  EXPECT_DOUBLE_EQ(distance(box, {}, ball, at(0.3, -0.4, 5)).distance, 1.5);
  EXPECT_NEAR(distance(box, {}, ball, at(4, 6, 1)).distance, 4.5, 4 * kUnit);
  EXPECT_NEAR(distance(box, {}, ball, at(3, 5, 9)).distance, 6.5, 4 * kUnit);
  EXPECT_NEAR(distance(box, {}, ball, at(0.5, 0, 0)).distance, -1, 4 * kUnit);  // deep: out through the nearest face
  EXPECT_LT((distance(box, {}, ball, at(0.5, 0, 0)).normal - Vec3::UnitX()).norm(), 4 * kUnit);
}

TEST(Distance, OfCapsulesIsThatOfTheirSegments) {
  const Convex A{Capsule{0.25, 1}}, B{Capsule{0.5, 2}};
  const Pose crossed{exp_so3(Vec3(0, M_PI / 2, 0)), Vec3(0.3, 2, 0.1)};
  EXPECT_NEAR(distance(A, {}, B, crossed).distance, 2 - 0.75, 4 * kUnit);
  EXPECT_NEAR(distance(A, {}, B, at(0, 3, 1.5)).distance, 3 - 0.75, 4 * kUnit);  // parallel
  EXPECT_NEAR(distance(A, {}, B, at(0, 0, 7)).distance, 4 - 0.75, 4 * kUnit);    // end to end
  const Separation through = distance(A, {}, B, {crossed.R, Vec3(0.3, 0, 0.1)});
  EXPECT_NEAR(through.distance, -0.75, 4 * kUnit);  // crossing segments: out across both
  EXPECT_NEAR(std::abs(through.normal.y()), 1, 4 * kUnit);
}

TEST(Distance, OfBoxesKnowsFaceEdgeAndCorner) {
  const Convex A{Box{Vec3(1, 1, 1)}}, B{Box{Vec3(1, 2, 3)}};
  EXPECT_NEAR(distance(A, {}, B, at(4, 0.5, -0.25)).distance, 2, 4 * kUnit);
  EXPECT_NEAR(distance(A, {}, B, at(5, 7, 0)).distance, 5, 8 * kUnit);
  EXPECT_NEAR(distance(A, {}, B, at(4, 6, 10)).distance, 7, 8 * kUnit);
  const Real h = std::sqrt(2.0);
  const Pose on_edge{exp_so3(Vec3(0, 0, M_PI / 4)), Vec3(1 + h + 0.5, 0, 0)};
  EXPECT_NEAR(distance(A, {}, A, on_edge).distance, 0.5, 8 * kUnit);
  const Pose crossed_edges{exp_so3(Vec3(M_PI / 4, 0, 0)) * exp_so3(Vec3(0, 0, M_PI / 4)), Vec3(0, 0, 2 * h + 0.5)};
  const Pose tilted{exp_so3(Vec3(0, M_PI / 4, 0)), Vec3::Zero()};
  const Separation s = distance(A, tilted, A, {exp_so3(Vec3(M_PI / 4, 0, 0)), crossed_edges.p});
  EXPECT_NEAR(s.distance, 0.5, 16 * kUnit);
  EXPECT_LT((s.normal - Vec3::UnitZ()).norm(), 16 * kUnit);
}

TEST(Distance, OfConcentricSetsIsTheShortestWayOut) {
  const auto depth = [](const geometry::Shape& shape, const Mat3& R = Mat3::Identity()) {
    const Convex set{shape};
    const Separation s = distance(set, {}, set, {R, Vec3::Zero()});
    EXPECT_NEAR(s.normal.norm(), 1, 4 * kUnit);
    EXPECT_NEAR(s.normal.dot(s.point_b - s.point_a), s.distance, 1e-14);
    return -s.distance;
  };
  EXPECT_DOUBLE_EQ(depth(Sphere{0.75}), 1.5);
  EXPECT_NEAR(depth(Box{Vec3(1, 2, 3)}), 2, 8 * kUnit);
  EXPECT_NEAR(depth(Ellipsoid{Vec3(1, 2, 3)}), 2, 8 * kUnit);
  EXPECT_NEAR(depth(Ellipsoid{Vec3(1, 1, 1)}), 2, 8 * kUnit);
  EXPECT_NEAR(depth(Ellipsoid{Vec3(2, 2, 1)}), 2, 8 * kUnit);
  EXPECT_NEAR(depth(Cylinder{1, 3}), 2, 8 * kUnit);
  EXPECT_NEAR(depth(Cylinder{3, 1}), 2, 8 * kUnit);
  EXPECT_NEAR(depth(Capsule{0.5, 2}), 1, 8 * kUnit);                                 // one in the other
  EXPECT_NEAR(depth(Capsule{0.5, 2}, exp_so3(Vec3(M_PI / 2, 0, 0))), 1, 8 * kUnit);  // crossing at their middles
  EXPECT_NEAR(depth(Box{Vec3(1, 2, 3)}, exp_so3(Vec3(0, 0, M_PI / 4))), 1 + 3 * std::sqrt(0.5), 8 * kUnit);
}

TEST(Distance, OfPlatesOfAMillimetreByAHundredMetresIsExact) {
  const Convex plate{Box{Vec3(50, 50, 0.0005)}};
  EXPECT_NEAR(distance(plate, {}, plate, at(20, 30, 0.0004)).distance, -0.0006, 64 * kUnit * 50);
  EXPECT_NEAR(distance(plate, {}, plate, at(20, 30, 0.0014)).distance, 0.0004, 64 * kUnit * 50);
  const Pose upright{exp_so3(Vec3(M_PI / 2, 0, 0)), Vec3(0, 10, 20)};
  EXPECT_NEAR(distance(plate, {}, plate, upright).distance, -30.0005, 64 * kUnit * 50);  // up and out
}

TEST(Distance, OfTouchingFacesIsZeroWithTheFacesNormal) {
  const Convex A{Box{Vec3(1, 1, 1)}};
  for (const Real gap : {0.0, 1e-15, 1e-13, 1e-11, 1e-8}) {
    const Separation s = distance(A, {}, A, at(0.3, 0.4, 2 + gap));
    EXPECT_NEAR(s.distance, gap, 8 * kUnit);
    EXPECT_LT((s.normal - Vec3::UnitZ()).norm(), 1e-14) << gap;
  }
}

TEST(Distance, OfThinPlateAndNeedleIsExact) {
  const Convex plate{Box{Vec3(50, 50, 0.0005)}}, needle{Box{Vec3(0.0001, 0.0001, 5)}};
  const Separation s = distance(plate, {}, needle, at(33, -17, 5.0015));
  EXPECT_NEAR(s.distance, 0.001, 64 * kUnit);
  EXPECT_LT((s.normal - Vec3::UnitZ()).norm(), 1e-13);
  const Pose beside{exp_so3(Vec3(0, M_PI / 2, 0)), Vec3(56, 1, 0)};
  EXPECT_NEAR(distance(plate, {}, needle, beside).distance, 1, 64 * kUnit * 50);
  const Separation pierced = distance(plate, {}, needle, at(33, -17, 0));
  EXPECT_NEAR(pierced.distance, -5.0005, 64 * kUnit * 50);  // out lengthwise is shorter than to the plate's rim
}

TEST(Distance, FarFromTheOriginKeepsTheDigitsOfTheDifference) {
  const Convex A{Box{Vec3(1, 1, 1)}}, B{Ellipsoid{Vec3(0.5, 1, 2)}};
  const Vec3 far(0x1p30, -0x1p29, 0x1p28);
  const Pose X_WA{exp_so3(Vec3(1, 2, 3)), Vec3(0.5, 0.25, 0.75)}, X_WB{exp_so3(Vec3(-1, 1, 2)), Vec3(4, 3, -2)};
  const Separation near = distance(A, X_WA, B, X_WB);
  const Separation moved = distance(A, {X_WA.R, X_WA.p + far}, B, {X_WB.R, X_WB.p + far});
  EXPECT_EQ(moved.distance, near.distance);
  EXPECT_EQ(moved.normal, near.normal);
}

TEST(PlaneDistance, OfEllipsoidIsTheSupportFunction) {
  const Convex B{Ellipsoid{Vec3(2, 3, 4)}};
  const Plane A{Vec3(0, 0, 1), 1.5};
  const Mat3 R = exp_so3(Vec3(0.3, -0.7, 1.1));
  const Separation s = distance(A, {}, B, {R, Vec3(7, 8, 9)});
  const Vec3 u = R.transpose() * Vec3::UnitZ();
  const Real reach = std::sqrt(4 * u.x() * u.x() + 9 * u.y() * u.y() + 16 * u.z() * u.z());  // [lgvci (85)]
  EXPECT_NEAR(s.distance, 9 - 1.5 - reach, 16 * kUnit);
  EXPECT_NEAR(s.point_a.z(), 1.5, 16 * kUnit);
  EXPECT_NEAR((s.point_b - s.point_a).dot(s.normal), s.distance, 16 * kUnit);
}

TEST(PlaneDistance, OfTiltedMovedPlaneAndRoundedBoxIsRight) {
  const Convex B(Box{Vec3(1, 1, 1)}, {}, 0.25);
  const Vec3 n = Vec3(1, 2, 2) / 3;
  const Pose X_WA{exp_so3(Vec3(0.1, 0.2, 0.3)), Vec3(1, 1, 1)};
  const Vec3 n_W = X_WA.R * n;
  const Separation s = distance(Plane{n, 0.5}, X_WA, B, {Mat3::Identity(), X_WA.p + 10 * n_W});
  EXPECT_NEAR(s.distance, 10 - 0.5 - 0.25 - n_W.lpNorm<1>(), 32 * kUnit);
  EXPECT_LT((s.normal - n_W).norm(), 4 * kUnit);
}

// ---------------------------------------------------------------------------- independent solvers

using Long3 = Eigen::Matrix<long double, 3, 1>;

struct BoxMesh {
  std::array<Long3, 8> v;
  Eigen::Matrix<long double, 3, 3> R;
  Long3 h;
};

BoxMesh box_mesh(const Vec3& half, const Pose& X) {
  BoxMesh m;
  m.R = X.R.cast<long double>();
  m.h = half.cast<long double>();
  for (unsigned i = 0; i < 8; ++i) {
    const Long3 s(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    m.v[i] = m.R * s.cwiseProduct(m.h) + X.p.cast<long double>();
  }
  return m;
}

long double point_box(const Long3& p, const BoxMesh& box) {
  const Long3 centre = (box.v[0] + box.v[7]) / 2;
  const Long3 q = box.R.transpose() * (p - centre);
  return (q.cwiseAbs() - box.h).cwiseMax(0.0L).norm();
}

long double edge_edge(const Long3& p1, const Long3& q1, const Long3& p2, const Long3& q2) {
  const Long3 d1 = q1 - p1, d2 = q2 - p2, r = p1 - p2;
  const long double a = d1.squaredNorm(), e = d2.squaredNorm(), f = d2.dot(r), c = d1.dot(r), b = d1.dot(d2);
  const long double det = a * e - b * b;
  long double s = det > 0 ? std::clamp((b * f - c * e) / det, 0.0L, 1.0L) : 0.0L;
  const long double t = std::clamp((b * s + f) / e, 0.0L, 1.0L);
  s = std::clamp((b * t - c) / a, 0.0L, 1.0L);
  return (p1 + s * d1 - p2 - t * d2).norm();
}

/// Of disjoint boxes: corners against the other box, edges against edges.
long double box_distance(const BoxMesh& A, const BoxMesh& B) {
  long double best = 1e30L;
  for (unsigned i = 0; i < 8; ++i) best = std::min({best, point_box(A.v[i], B), point_box(B.v[i], A)});
  for (unsigned i = 0; i < 8; ++i)
    for (unsigned j = 1; j < 8; j *= 2)
      for (unsigned k = 0; k < 8; ++k)
        for (unsigned l = 1; l < 8; l *= 2)
          if (!(i & j) && !(k & l)) best = std::min(best, edge_edge(A.v[i], A.v[i | j], B.v[k], B.v[k | l]));
  return best;
}

/// Largest gap over the fifteen axes of two boxes; below zero it is minus the penetration depth.
long double box_axes_gap(const BoxMesh& A, const BoxMesh& B) {
  long double best = -1e30L;
  const auto look = [&](const Long3& axis) {
    if (!(axis.norm() > 1e-12L)) return;
    const Long3 n = axis.normalized();
    const long double apart = std::abs(n.dot((B.v[0] + B.v[7] - A.v[0] - A.v[7]) / 2));
    const long double reach = (A.R.transpose() * n).cwiseAbs().dot(A.h) + (B.R.transpose() * n).cwiseAbs().dot(B.h);
    best = std::max(best, apart - reach);
  };
  for (int i = 0; i < 3; ++i) {
    look(A.R.col(i));
    look(B.R.col(i));
    for (int j = 0; j < 3; ++j) look(A.R.col(i).cross(B.R.col(j)));
  }
  return best;
}

TEST(Distance, OfRandomBoxesIsThatOfAllTheirFeatures) {
  RandomPairs random(1);
  int overlapping = 0;
  for (int i = 0; i < 3000; ++i) {
    const Vec3 h_A = random.lengths(), h_B = random.lengths();
    const Pose X_WA = random.pose(0.5), X_WB = random.pose(2.5);
    const BoxMesh a = box_mesh(h_A, X_WA), b = box_mesh(h_B, X_WB);
    const Separation s = distance(Convex{Box{h_A}}, X_WA, Convex{Box{h_B}}, X_WB);
    const long double gap = box_axes_gap(a, b);
    overlapping += gap < 0;
    EXPECT_NEAR(s.distance, static_cast<Real>(gap < 0 ? gap : box_distance(a, b)), 1e-14) << i;
    EXPECT_LT(s.error, 1e-13) << i;
    expect_consistent(Convex{Box{h_A}}, X_WA, Convex{Box{h_B}}, X_WB, s, 8);
  }
  EXPECT_GT(overlapping, 500);
  EXPECT_LT(overlapping, 2500);
}

TEST(Distance, OfRandomEllipsoidsSatisfiesTheConditionsOfTheOptimum) {
  RandomPairs random(2);
  for (int i = 0; i < 3000; ++i) {
    const Vec3 a = random.lengths(), b = random.lengths();
    const Pose X_WA = random.pose(0.5), X_WB = random.pose(4);
    const Convex A{Ellipsoid{a}}, B{Ellipsoid{b}};
    const Separation s = distance(A, X_WA, B, X_WB);
    expect_consistent(A, X_WA, B, X_WB, s, 8);
    // Both points lie on their surfaces, whose normals are n and -n: of a convex problem that is sufficient; of an
    // overlap it is necessary.
    const auto outward = [](const Vec3& axes, const Pose& X, const Vec3& p) {
      const Vec3 q = X.R.transpose() * (p - X.p);
      EXPECT_NEAR(q.cwiseQuotient(axes).squaredNorm(), 1, 1e-12);
      return Vec3((X.R * q.cwiseQuotient(axes.cwiseAbs2())).normalized());
    };
    // A turn of n by one unit moves the point by the radius of curvature, at most 4/0.1. The depth may be nearly
    // the same in all directions, and then does not fix one.
    const Real slack = s.distance > 0 ? 1e-12 : 1e-7;
    EXPECT_LT((outward(a, X_WA, s.point_a) - s.normal).norm(), slack) << i << " " << s.distance;
    EXPECT_LT((outward(b, X_WB, s.point_b) + s.normal).norm(), slack) << i << " " << s.distance;
    EXPECT_LT(s.error, 1e-13);
  }
}

TEST(Distance, OfAnyRandomPairIsProvedByItsNormalAndPoints) {
  RandomPairs random(3);
  int apart = 0;
  for (int i = 0; i < 5000; ++i) {
    const Convex A = random.convex(), B = random.convex();
    const Pose X_WA = random.pose(0.5), X_WB = random.pose(4);
    const Separation s = distance(A, X_WA, B, X_WB);
    expect_consistent(A, X_WA, B, X_WB, s, 8);
    EXPECT_LE(s.error, kSlowError) << i << " " << s.distance;
    apart += s.distance > 0;
  }
  EXPECT_GT(apart, 1500);
  EXPECT_LT(apart, 4900);
}

TEST(Distance, OfSmallGapsIsProvedToRounding) {
  RandomPairs random(4);
  for (int i = 0; i < 3000; ++i) {
    const Convex A = random.convex(), B = random.convex();
    const Pose X_WA = random.pose(0.5);
    Pose X_WB = random.pose(4);
    const Separation s = distance(A, X_WA, B, X_WB);
    if (!(s.distance > 0.01)) continue;
    for (const Real gap : {1e-6, 1e-9, 1e-11}) {
      X_WB.p += (gap - distance(A, X_WA, B, X_WB).distance) * s.normal;
      const Separation close = distance(A, X_WA, B, X_WB);
      EXPECT_NEAR(close.distance, gap, kSlowError) << i;
      EXPECT_LT(close.error, kSlowError) << i;
      expect_consistent(A, X_WA, B, X_WB, close, 8);
    }
  }
}

// -------------------------------------------------------------------------------------- invariance

TEST(Distance, DoesNotDependOnTheOrder) {
  RandomPairs random(5);
  for (int i = 0; i < 2000; ++i) {
    const Convex A = random.convex(), B = random.convex();
    const Pose X_WA = random.pose(0.5), X_WB = random.pose(4);
    const Separation s = distance(A, X_WA, B, X_WB), r = distance(B, X_WB, A, X_WA);
    if (s.distance > 0) {
      EXPECT_NEAR(s.distance, r.distance, 1e-13 + s.error + r.error);
    }
    EXPECT_EQ(s.distance > 0, r.distance > 0) << i;
  }
}

TEST(Distance, DoesNotDependOnTheFrame) {
  RandomPairs random(6);
  for (int i = 0; i < 2000; ++i) {
    const Convex A = random.convex(), B = random.convex();
    const Pose X_WA = random.pose(0.5), X_WB = random.pose(4), X = random.pose(10);
    const Separation s = distance(A, X_WA, B, X_WB), moved = distance(A, X * X_WA, B, X * X_WB);
    if (s.distance > 0) {
      EXPECT_NEAR(s.distance, moved.distance, 1e-13 + s.error + moved.error) << i;
    }
  }
}

TEST(Distance, ScalesExactlyByPowersOfTwo) {
  RandomPairs random(7);
  for (int i = 0; i < 500; ++i) {
    const Vec3 a = random.lengths(), b = random.lengths();
    const Pose X_WA = random.pose(0.5), X_WB = random.pose(4);
    for (const Real scale : {0x1p-40, 0x1p40}) {
      const Separation s = distance(Convex{Box{a}}, X_WA, Convex{Ellipsoid{b}}, X_WB);
      const Separation r = distance(Convex{Box{scale * a}}, {X_WA.R, scale * X_WA.p}, Convex{Ellipsoid{scale * b}},
                                    {X_WB.R, scale * X_WB.p});
      EXPECT_EQ(r.distance, scale * s.distance);
      EXPECT_EQ(r.normal, s.normal);
    }
  }
}

/// The shape in other units.
geometry::Shape scaled(geometry::Shape shape, Real scale) {
  if (auto* s = std::get_if<Sphere>(&shape)) s->radius *= scale;
  if (auto* s = std::get_if<Ellipsoid>(&shape)) s->semi_axes *= scale;
  if (auto* s = std::get_if<Box>(&shape)) s->half_extents *= scale;
  if (auto* s = std::get_if<Capsule>(&shape)) s->radius *= scale, s->half_height *= scale;
  if (auto* s = std::get_if<Cylinder>(&shape)) s->radius *= scale, s->half_height *= scale;
  if (auto* s = std::get_if<geometry::Cone>(&shape)) s->radius *= scale, s->half_height *= scale;
  if (auto* s = std::get_if<ConvexHull>(&shape))
    for (Vec3& p : s->points) p *= scale;
  return shape;
}

TEST(Distance, OfTheSmallestAndLargestBodiesIsThatOfOrdinaryOnesInOtherUnits) {
  RandomPairs random(17);
  for (int i = 0; i < 1000; ++i) {
    const geometry::Shape a = random.shape(), b = random.shape();
    const Pose X_WA = random.pose(0.5), X_WB = random.pose(i % 2 == 0 ? 0.5 : 4);
    const Separation s = distance(Convex{a}, X_WA, Convex{b}, X_WB);
    for (const Real scale : {0x1p-95, 0x1p95}) {
      const Separation r = distance(Convex{scaled(a, scale)}, {X_WA.R, scale * X_WA.p}, Convex{scaled(b, scale)},
                                    {X_WB.R, scale * X_WB.p});
      EXPECT_NEAR(r.distance / scale, s.distance, 1e-9) << i << " " << scale;
      EXPECT_NEAR(r.normal.norm(), 1, 1e-14) << i;
    }
  }
}

TEST(Distance, IsTheSameFromAnySeed) {
  RandomPairs random(8);
  for (int i = 0; i < 2000; ++i) {
    const Convex A = random.convex(), B = random.convex();
    const Pose X_WA = random.pose(0.5), X_WB = random.pose(4);
    SeparationCache cache{random.unit()};
    const Separation s = distance(A, X_WA, B, X_WB), r = distance(A, X_WA, B, X_WB, &cache);
    if (s.distance > 0) {
      EXPECT_NEAR(s.distance, r.distance, 1e-13 + s.error + r.error);
    }
    EXPECT_EQ(cache.normal, r.normal);
  }
}

}  // namespace
}  // namespace visviva::collision
