// Where the points of manifolds lie: every kind of convex set on every other and on a half-space, as they fall and laid
// on each other's sides, bases, axes and edges with all tilts from none to steep. VISVIVA_PAIRS sets how many pairs of
// each two kinds there are; the worst errors are printed.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "random_pairs.hpp"
#include "visviva/collision/distance.hpp"
#include "visviva/collision/manifold.hpp"
#include "visviva/geometry/core.hpp"
#include "visviva/geometry/polytope.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::collision {
namespace {

using geometry::Convex;
using geometry::CoreKind;

enum Kind { kSphere, kCapsule, kTriangle, kBox, kHull, kEllipsoid, kCylinder, kCone, kLens, kKinds };
constexpr std::array<const char*, kKinds> kNames = {"sphere",    "capsule",  "triangle", "box", "hull",
                                                    "ellipsoid", "cylinder", "cone",     "lens"};

/// Of the size of the pair: how far a point may be off a surface, and the deepest point's separation off the distance.
constexpr Real kBound = 1e-9;

int pair_count() {
  const char* text = std::getenv("VISVIVA_PAIRS");
  return text != nullptr ? std::atoi(text) : 100;
}

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}

  Convex set(Kind kind, Real scale) {
    const Vec3 l = scale * random_.lengths();
    const Pose X{random_.rotation(), random_.in_cube(0.3 * scale)};
    const Real rounding = random_.uniform(0, 1) < 0.5 ? random_.uniform(0.01, 0.2) * scale : 0;
    switch (kind) {
      case kSphere:
        return Convex(geometry::Sphere{l.x()}, X);
      case kCapsule:
        return Convex(geometry::Capsule{l.x(), l.z()}, X);
      case kBox:
        return Convex(geometry::Box{l}, X, rounding);
      case kHull:
        return Convex(geometry::ConvexHull{random_.hull(14, scale).points}, X, rounding);
      case kEllipsoid:
        return Convex(geometry::Ellipsoid{l}, X);
      case kCylinder:
        return Convex(geometry::Cylinder{l.x(), l.z()}, X, rounding);
      case kCone:
        return Convex(geometry::Cone{l.x(), l.z()}, X, rounding);
      case kLens:
        return random_.lens(scale);
      default:
        break;
    }
    triangles_.push_back(std::make_unique<geometry::ConvexTriangle>());
    return triangles_.back()->set(random_.in_cube(scale), random_.in_cube(scale), random_.in_cube(scale));
  }

  /// A direction in which the set may lie: across a face or an edge, along an axis, across a line of its side.
  Vec3 outward(const Convex& set) {
    const geometry::Core& core = set.core();
    const Real kind = random_.uniform(0, 1), angle = random_.uniform(0, 6.3);
    if (core.kind == CoreKind::Polytope && core.count > 3) {
      const geometry::Polytope& P = *set.polytope();
      const auto e = P.edge(static_cast<std::uint32_t>(random_.uniform(0, P.edge_count() * (1 - 1e-9))));
      const Vec3 left = P.normal(e.left);
      return kind < 0.6 ? left : (left + P.normal(e.right)).normalized();
    }
    const Vec3 across(std::cos(angle), std::sin(angle), 0);
    if (core.kind == CoreKind::Cone && kind < 0.6) {
      const Real r = core.size.x(), h = 2 * core.size.z();
      return core.X.R * (h * across + r * Vec3::UnitZ()).normalized();
    }
    if (core.kind == CoreKind::Box)
      return core.X.R *
             Vec3(Vec3::Unit(static_cast<int>(kind * 2.999)) + (angle < 2 ? Vec3(0.6, 0.8, 0) : Vec3::Zero()))
                 .normalized();
    return core.X.R * (kind < 0.6 ? across : kind < 0.8 ? Vec3(0, 0, -1) : Vec3(0, 0, 1));
  }

  /// Angle of a tilt: none, or of any order of magnitude.
  Vec3 tilt() { return random_.uniform(0, 1) < 0.2 ? Vec3(Vec3::Zero()) : turn_of(std::pow(10, uniform(-10, -0.3))); }

  /// About any axis, by an angle [rad].
  Vec3 turn_of(Real angle) { return angle * random_.unit(); }

  Real uniform(Real low, Real high) { return random_.uniform(low, high); }
  Pose pose(Real half) { return random_.pose(half); }
  Vec3 unit() { return random_.unit(); }

 private:
  RandomPairs random_;
  std::vector<std::unique_ptr<geometry::ConvexTriangle>> triangles_;
};

Mat3 rotation_between(const Vec3& from, const Vec3& to) {
  return Eigen::Quaterniond::FromTwoVectors(from, to).normalized().toRotationMatrix();
}

/// B laid on A: faces, sides and axes that look at each other, or axes along each other, all but a tilt.
Mat3 laid_on(Draw& draw, const Convex& A, const Convex& B, const Mat3& R_WA, Vec3& from_a) {
  const Vec3 a = R_WA * draw.outward(A), axis_a = R_WA * A.core().X.R.col(2), axis_b = B.core().X.R.col(2);
  from_a = a;
  Mat3 R = exp_so3(draw.uniform(0, 6.3) * a) * rotation_between(draw.outward(B), -a);
  if (draw.uniform(0, 1) < 0.5) {  // axes side by side
    R = rotation_between(R * axis_b, draw.uniform(0, 1) < 0.5 ? axis_a : Vec3(-axis_a)) * R;
    const Vec3 across = axis_a.cross(draw.unit());
    if (draw.uniform(0, 1) < 0.5 && across.norm() > 0.1) from_a = across.normalized();
  }
  return exp_so3(draw.tilt()) * R;
}

/// Signed distance of a point from a set.
Real height_over(const Convex& convex, const Pose& X, const Vec3& p) {
  static const Convex kBall{geometry::Sphere{1}};
  return distance(convex, X, kBall, {Mat3::Identity(), p}).distance + 1;
}

struct Worst {
  Real off = 0;      ///< of a point from a surface
  Real deepest = 0;  ///< of the deepest point's separation from the distance
  int met = 0;       ///< pairs
  int several = 0;   ///< those with more than one point
};

/// The points of one manifold; what lies on A is told by `height_a`.
template <class HeightA>
void look_at(const Manifold& m, const Convex& B, const Pose& X_WB, Real margin, Real size, const std::string& name,
             HeightA&& height_a, Worst& worst) {
  ASSERT_GE(m.count, 1) << name;
  ++worst.met;
  worst.several += m.count > 1;
  const Real deepest = std::abs(m.points[0].separation - m.distance) / size;
  worst.deepest = std::max(worst.deepest, deepest);
  EXPECT_LE(deepest, kBound) << name;
  for (int i = 0; i < m.count; ++i) {
    const ManifoldPoint& q = m.points[static_cast<std::size_t>(i)];
    EXPECT_LE(q.separation, margin + kBound * size) << name;
    EXPECT_GE(q.separation, m.points[0].separation - kBound * size) << name;
    const Vec3 half = 0.5 * q.separation * m.normal;
    const Real off_a = std::abs(height_a(Vec3(q.point - half))) / size,
               off_b = std::abs(height_over(B, X_WB, q.point + half)) / size;
    worst.off = std::max({worst.off, off_a, off_b});
    EXPECT_LE(off_a, kBound) << name << ", point " << i << " of " << m.count << " on A";
    EXPECT_LE(off_b, kBound) << name << ", point " << i << " of " << m.count << " on B";
  }
}

TEST(ManifoldPoints, LieOnBothBodiesAndTheDeepestHasTheDepth) {
  const int count = pair_count();
  for (int k = 0; k < kKinds; ++k)
    for (int l = 0; l < kKinds; ++l) {
      Worst worst;
      for (int i = 0; i < count; ++i) {
        Draw draw(static_cast<unsigned>((k * kKinds + l) * 1000000 + i));
        const Real scale = std::pow(10.0, draw.uniform(-3, 4)), margin = 0.02 * scale;
        const Convex A = draw.set(static_cast<Kind>(k), scale), B = draw.set(static_cast<Kind>(l), scale);
        const Pose X_WA = draw.pose(scale);
        Pose X_WB = draw.pose(scale);
        Vec3 u = draw.unit();
        if (i % 4 != 0) X_WB.R = laid_on(draw, A, B, X_WA.R, u);
        const Real aside = 0.3 * std::min(A.core().reach, B.core().reach);
        X_WB.p += X_WA * A.center() - X_WB * B.center() + 3 * (A.core().reach + B.core().reach) * u +
                  draw.uniform(0, aside) * u.cross(draw.unit());
        // Along u until they are a little apart, then as far as they shall overlap.
        for (int step = 0; step < 60; ++step) {
          const Real apart = distance(A, X_WA, B, X_WB).distance;
          if (apart <= 0.9 * margin) break;
          X_WB.p -= (apart - 0.5 * margin) * u;
        }
        const Separation s = distance(A, X_WA, B, X_WB);
        X_WB.p += (draw.uniform(-0.03, 0.9) * margin - s.distance) * s.normal;
        if (distance(A, X_WA, B, X_WB).distance > margin) continue;  // one passed by the other
        const Real size = A.core().reach + B.core().reach;
        const std::string name = std::string(kNames[static_cast<std::size_t>(k)]) + " and " +
                                 kNames[static_cast<std::size_t>(l)] + ", pair " + std::to_string(i);
        look_at(
            find_manifold(A, X_WA, B, X_WB, margin), B, X_WB, margin, size, name,
            [&](const Vec3& p) { return height_over(A, X_WA, p); }, worst);
      }
      std::cout << kNames[static_cast<std::size_t>(k)] << " and " << kNames[static_cast<std::size_t>(l)]
                << ": points off a surface " << worst.off << ", deepest " << worst.deepest << ", several points "
                << worst.several << " of " << worst.met << "\n";
      EXPECT_GT(worst.met, 0.9 * count) << "most pairs are to meet";
    }
}

TEST(ManifoldPoints, OnAHalfSpaceLieOnItAndOnTheBody) {
  const int count = 9 * pair_count();
  for (int k = 0; k < kKinds; ++k) {
    Worst worst;
    for (int i = 0; i < count; ++i) {
      Draw draw(static_cast<unsigned>((kKinds * kKinds + k) * 1000000 + i));
      const Real scale = std::pow(10.0, draw.uniform(-3, 4)), margin = 0.02 * scale;
      const Convex B = draw.set(static_cast<Kind>(k), scale);
      const Vec3 n = draw.unit();
      const geometry::Plane plane{n, draw.uniform(-1, 1) * scale};
      const Mat3 R = exp_so3(draw.tilt()) * rotation_between(draw.outward(B), -n);
      Pose X_WB{R, draw.pose(scale).p};
      X_WB.p += (draw.uniform(-0.5, 0.9) * margin - distance(plane, {}, B, X_WB).distance) * n;
      look_at(
          find_manifold(plane, {}, B, X_WB, margin), B, X_WB, margin, B.core().reach,
          std::string(kNames[static_cast<std::size_t>(k)]) + " on a half-space, pair " + std::to_string(i),
          [&](const Vec3& p) { return n.dot(p) - plane.offset; }, worst);
    }
    std::cout << "half-space and " << kNames[static_cast<std::size_t>(k)] << ": points off a surface " << worst.off
              << ", deepest " << worst.deepest << ", several points " << worst.several << " of " << count << "\n";
  }
}

}  // namespace
}  // namespace visviva::collision
