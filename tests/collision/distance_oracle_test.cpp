// Every kind of convex set against every other, with sizes from a millimetre to ten kilometres, aligned and concentric,
// thin, slender, deep inside each other and far from the origin. VISVIVA_PAIRS sets how many pairs of each kind there
// are (1000 unless told; the long run has a million), and the worst errors are printed.
#include "distance_oracle.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>

#include "random_pairs.hpp"
#include "visviva/collision/distance.hpp"
#include "visviva/collision/overlap.hpp"
#include "visviva/geometry/core.hpp"

namespace visviva::collision {
namespace {

using geometry::Convex;
using geometry::TriangleMesh;

enum Kind { kSphere, kCapsule, kTriangle, kBox, kHull, kEllipsoid, kCylinder, kCone, kLens, kKinds };
constexpr std::array<const char*, kKinds> kNames = {"sphere",    "capsule",  "triangle", "box", "hull",
                                                    "ellipsoid", "cylinder", "cone",     "lens"};

/// Of the size of the pair; what is asked for is 1e-9. The normal of a facet that is a thousandth as wide as the size
/// carries a thousand times the rounding, 1e-13.
constexpr Real kPolytopeError = 1e-12, kCurvedError = 1e-10;
/// A depth that is nearly the same along a whole circle of directions (concentric bodies of revolution) is found less
/// well: 3e-8 is the worst that was seen in half a million pairs.
constexpr Real kCircleError = 1e-7;

int pair_count() {
  const char* text = std::getenv("VISVIVA_PAIRS");
  return text != nullptr ? std::atoi(text) : 1000;
}

/// A convex set and, if its core is a polytope, the core.
struct Drawn {
  Convex set;
  std::optional<TriangleMesh> core;
};

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}

  /// Lengths of one set: of order 1, or a plate, a needle, a cube.
  Vec3 lengths(Real scale) {
    const Vec3 l = random_.lengths();
    switch (random_.uniform(0, 1) < 0.5 ? 0 : 1 + static_cast<int>(random_.uniform(0, 3))) {
      case 1:
        return scale * Vec3(l.x(), l.y(), 1e-5);
      case 2:
        return scale * Vec3(1e-3, 1e-3, l.z());
      case 3:
        return Vec3::Constant(scale);
      default:
        return scale * l;
    }
  }

  Drawn set(Kind kind, Real scale) {
    const Vec3 l = lengths(scale);
    const Pose X = random_.uniform(0, 1) < 0.5 ? Pose{} : Pose{random_.rotation(), random_.in_cube(0.3 * scale)};
    const Real rounding = random_.uniform(0, 1) < 0.25 ? 0.1 * scale : 0;
    switch (kind) {
      case kSphere:
        return {Convex(geometry::Sphere{l.x()}, X), mesh({Vec3::Zero()}, X)};
      case kCapsule:
        return {Convex(geometry::Capsule{l.x(), l.z()}, X), mesh({Vec3(0, 0, -l.z()), Vec3(0, 0, l.z())}, X)};
      case kBox:
        return {Convex(geometry::Box{l}, X, rounding), hull(box_corners(l), X)};
      case kHull: {
        std::vector<Vec3> points;
        for (int i = 0; i < 12; ++i) points.push_back(random_.in_cube(1).cwiseProduct(l));
        return {Convex(geometry::ConvexHull{points}, X, rounding), hull(points, X)};
      }
      case kEllipsoid:
        return {Convex(geometry::Ellipsoid{l}, X), {}};
      case kCylinder:
        return {Convex(geometry::Cylinder{l.x(), l.z()}, X, rounding), {}};
      case kCone:
        return {Convex(geometry::Cone{l.x(), l.z()}, X, rounding), {}};
      case kLens:
        return {random_.lens(scale), {}};
      default:
        break;
    }
    triangles_.push_back(std::make_unique<geometry::ConvexTriangle>());
    const Vec3 a = random_.in_cube(scale), b = random_.in_cube(scale), c = random_.in_cube(scale);
    TriangleMesh flat;
    flat.vertices = {a, b, c};
    flat.triangles = {{0, 1, 2}};
    return {triangles_.back()->set(a, b, c), flat};
  }

  Pose pose(Real half, int mode) {
    Pose X = random_.pose(half);
    if (mode % 3 == 0) X.R = Mat3::Identity();
    if (mode % 5 == 0) X.p = Vec3::Zero();
    return X;
  }
  Real uniform(Real low, Real high) { return random_.uniform(low, high); }
  Vec3 unit() { return random_.unit(); }
  void forget() { triangles_.clear(); }

 private:
  static std::vector<Vec3> box_corners(const Vec3& h) {
    std::vector<Vec3> corners;
    for (int i = 0; i < 8; ++i)
      corners.emplace_back(i & 1 ? h.x() : -h.x(), i & 2 ? h.y() : -h.y(), i & 4 ? h.z() : -h.z());
    return corners;
  }
  static TriangleMesh mesh(std::vector<Vec3> vertices, const Pose& X) {
    TriangleMesh m;
    for (const Vec3& v : vertices) m.vertices.push_back(X * v);
    return m;
  }
  static TriangleMesh hull(const std::vector<Vec3>& points, const Pose& X) {
    TriangleMesh m = geometry::make_convex_hull(geometry::ConvexHull{points});
    for (Vec3& v : m.vertices) v = X * v;
    return m;
  }
  RandomPairs random_;
  std::vector<std::unique_ptr<geometry::ConvexTriangle>> triangles_;
};

/// d(n), from the definition.
Real gap_along(const Convex& A, const Pose& X_WA, const Convex& B, const Pose& X_WB, const Vec3& n) {
  const Vec3 a = X_WA.R * A.support(X_WA.R.transpose() * n), b = X_WB.R * B.support(X_WB.R.transpose() * -n);
  return n.dot(b - a + (X_WB.p - X_WA.p)) - A.rounding() - B.rounding();
}

oracle::Long exact_distance(const Drawn& A, const Pose& X_WA, const Drawn& B, const Pose& X_WB) {
  const auto a = oracle::polytope_of(*A.core, X_WA, X_WA.p), b = oracle::polytope_of(*B.core, X_WB, X_WA.p);
  const std::size_t faces = a.triangles.size() + b.triangles.size();
  // Sets whose difference is flat never overlap by more than a touch.
  const bool flat = faces == 0 || (faces == 1 && (a.edges.empty() || b.edges.empty()));
  const oracle::Long cores = flat ? oracle::feature_distance(a, b) : oracle::signed_distance(a, b);
  return cores - (A.set.rounding() + B.set.rounding());
}

struct Worst {
  Real distance = 0;  ///< against the oracle
  Real better = 0;    ///< how much a sampled direction exceeds the answer
  Real normal = 0;    ///< how far the normal is from proving the distance
  Real points = 0;    ///< n·(b - a) against the distance
  int overlapping = 0;
};

void look_at(Draw& draw, const Drawn& A, const Pose& X_WA, const Drawn& B, const Pose& X_WB, const std::string& name,
             Worst& worst) {
  const Separation s = distance(A.set, X_WA, B.set, X_WB);
  const Real size = A.set.core().reach + B.set.core().reach + (X_WB.p - X_WA.p).norm() + A.set.center().norm() +
                    B.set.center().norm();
  const auto note = [size](Real error, Real& into) { into = std::max(into, error / size); };
  ASSERT_NEAR(s.normal.norm(), 1, 1e-15) << name;
  worst.overlapping += s.distance < 0;
  const Real gap = gap_along(A.set, X_WA, B.set, X_WB, s.normal);
  const Real far = 0x1p-50 * (X_WA.p.norm() + X_WB.p.norm());  // rounding of world coordinates
  note(std::abs(gap - s.distance), worst.normal);
  note(std::max(std::abs(s.normal.dot(s.point_b - s.point_a) - s.distance) - far, 0.0), worst.points);
  ASSERT_LE(std::abs(gap - s.distance), kCurvedError * size) << name << " " << s.distance;
  ASSERT_NEAR(s.normal.dot(s.point_b - s.point_a), s.distance, kCurvedError * size + far) << name;
  for (int i = 0; i < 64; ++i) {
    const Real better = gap_along(A.set, X_WA, B.set, X_WB, draw.unit()) - s.distance;
    note(std::max(better, 0.0), worst.better);
    ASSERT_LE(better, kCircleError * size) << name << " " << s.distance;
  }
  // An answer within rounding of a touch may be either.
  const bool overlaps = overlap(A.set, X_WA, B.set, X_WB);
  if (std::abs(s.distance) > 1e-12 * size) {
    ASSERT_EQ(overlaps, s.distance < 0) << name << " " << s.distance;
  }
  if (!A.core || !B.core) return;
  const Real exact = static_cast<Real>(exact_distance(A, X_WA, B, X_WB));
  note(std::abs(s.distance - exact), worst.distance);
  ASSERT_NEAR(s.distance, exact, kPolytopeError * size) << name;
}

TEST(DistanceOracle, EveryPairOfKindsIsExactInAnyPose) {
  const int count = pair_count();
  std::cout << "worst errors in units of the size of the pair, over " << count
            << " pairs of each kind with any other\n";
  Draw draw(2026);
  for (int k = 0; k < kKinds; ++k) {
    Worst worst;
    for (int i = 0; i < count; ++i) {
      const Kind other = static_cast<Kind>(i % kKinds);
      const Real scale = std::pow(10.0, draw.uniform(-3, 4));
      const Drawn A = draw.set(static_cast<Kind>(k), scale), B = draw.set(other, scale);
      Pose X_WA = draw.pose(0.2 * scale, i / kKinds), X_WB = draw.pose((i % 2 ? 0.5 : 2) * scale, i / (2 * kKinds));
      if (i % 4 == 0) X_WA.p += Vec3(1e6, -2e6, 3e5), X_WB.p += Vec3(1e6, -2e6, 3e5);
      look_at(
          draw, A, X_WA, B, X_WB,
          std::string(kNames[static_cast<std::size_t>(k)]) + " and " + kNames[other] + ", pair " + std::to_string(i),
          worst);
      if (HasFatalFailure()) return;
      draw.forget();
    }
    std::cout << kNames[static_cast<std::size_t>(k)] << ": distance " << worst.distance << ", better direction "
              << worst.better << ", normal " << worst.normal << ", points " << worst.points << ", overlapping "
              << worst.overlapping << "\n";
    EXPECT_GT(worst.overlapping, count / 10);
    EXPECT_LT(worst.overlapping, count);
  }
}

}  // namespace
}  // namespace visviva::collision
