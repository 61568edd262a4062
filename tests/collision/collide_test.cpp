#include "visviva/collision/collide.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numbers>

#include "random_pairs.hpp"
#include "random_surfaces.hpp"
#include "thrown_path.hpp"
#include "visviva/collision/height_field.hpp"
#include "visviva/collision/mesh.hpp"
#include "visviva/core/error.hpp"

namespace visviva::collision {
namespace {

using geometry::Box;
using geometry::Capsule;
using geometry::Cone;
using geometry::Convex;
using geometry::ConvexHull;
using geometry::Cylinder;
using geometry::Ellipsoid;
using geometry::HeightField;
using geometry::Plane;
using geometry::Solid;
using geometry::Sphere;
using geometry::TriangleSurface;

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

/// A flat square of 2 n² triangles, side length 2, facing up at z = 0.
TriangleSurface flat_grid(std::uint32_t n, bool two_sided = false) {
  TriangleSurface s =
      to_surface(HeightField{n + 1, n + 1, Vec2(2.0 / n, 2.0 / n), std::vector<Real>((n + 1) * (n + 1))});
  s.two_sided = two_sided;
  return s;
}

/// A shape whose highest point, or middle of the highest face, is the origin.
struct Kind {
  const char* name;
  Solid solid;
  enum { Body, Sheet, Ground } type = Body;
  bool flat_top = false;
};

Solid below(const geometry::Shape& shape, Real depth, Real rounding = 0) {
  return Solid(shape, {Mat3::Identity(), Vec3(0, 0, -depth)}, rounding);
}

std::vector<Kind> all_kinds() {
  const ConvexHull tent{{{1, 0, -1}, {-1, 0.5, -1}, {-0.5, -1, -1}, {0, 0, 0}}};
  std::vector<Kind> kinds = {
      {"sphere", below(Sphere{0.5}, 0.5)},
      {"ellipsoid", below(Ellipsoid{Vec3(1, 0.5, 0.25)}, 0.25)},
      {"box", below(Box{Vec3(0.5, 0.6, 0.7)}, 0.7), Kind::Body, true},
      {"capsule", below(Capsule{0.25, 0.5}, 0.75)},
      {"cylinder", below(Cylinder{0.5, 0.25}, 0.25), Kind::Body, true},
      {"cone", below(Cone{0.5, 0.5}, 0.5)},
      {"hull", Solid(tent)},
      {"rounded box", below(Box{Vec3(0.5, 0.5, 0.5)}, 0.75, 0.25), Kind::Body, true},
      {"rounded cone", below(Cone{0.5, 0.5}, 0.75, 0.25)},
      {"plane", Solid(Plane{}), Kind::Ground, true},
      {"mesh", below(dented_box_mesh(Vec3(0.5, 0.6, 0.7)), 0.7), Kind::Body, true},
      {"one-sided surface", Solid(flat_grid(4)), Kind::Sheet, true},
      {"two-sided surface", Solid(flat_grid(3, true)), Kind::Sheet, true},
      {"height field", Solid(HeightField{4, 5, Vec2(0.5, 0.7), std::vector<Real>(20)}), Kind::Ground, true},
      {"compound",
       unite(unite(below(Sphere{0.25}, 0.25), below(Box{Vec3(1, 0.2, 0.1)}, 1)),
             below(dented_box_mesh(Vec3(0.1, 0.1, 0.5)), 1)),
       Kind::Body},
      {"intersection", intersect(below(Box{Vec3(1, 1, 1)}, 1), below(Box{Vec3(0.3, 0.4, 2)}, 1)), Kind::Body, true},
      {"half ball", intersect(Solid(Sphere{0.5}), Solid(Plane{})), Kind::Body, true},
      {"bullet", intersect(below(Cylinder{0.4, 1}, 1), below(Ellipsoid{Vec3(0.6, 0.6, 1)}, 1))},
      {"lens", intersect(below(Sphere{1}, 1), Solid(Sphere{1}, {Mat3::Identity(), Vec3(0.1, 0, -1.1)}))},
  };
  kinds.back().solid = intersect(Solid(Sphere{1}, {Mat3::Identity(), Vec3(0, 0, -1)}),
                                 Solid(Sphere{1}, {Mat3::Identity(), Vec3(0, 0, 0.5)}));  // top at 0 by its first part
  return kinds;
}

/// An intersection whose support is that of a convex program, right to 1e-12.
bool is_program(const Kind& kind) {
  return std::string(kind.name) == "half ball" || std::string(kind.name) == "bullet";
}

/// Turned over, its top at `gap` above the origin.
Pose turned_over(Real gap) {
  Pose X{Mat3::Identity(), Vec3(0, 0, gap)};
  X.R.diagonal() = Vec3(1, -1, -1);
  return X;
}

class Table : public ::testing::Test {
 protected:
  template <class F>
  static void for_each_pair(F&& f) {
    const std::vector<Kind> kinds = all_kinds();
    std::vector<Collider> colliders;
    for (const Kind& kind : kinds) colliders.emplace_back(kind.solid);
    for (std::size_t i = 0; i < kinds.size(); ++i)
      for (std::size_t k = 0; k < kinds.size(); ++k) {
        SCOPED_TRACE(std::string(kinds[i].name) + " and " + kinds[k].name);
        f(kinds[i], colliders[i], kinds[k], colliders[k]);
      }
  }
  static bool never_meet(const Kind& a, const Kind& b) { return a.type == Kind::Ground && b.type == Kind::Ground; }
};

TEST_F(Table, EveryPairKnowsItsDistance) {
  for_each_pair([](const Kind& a, const Collider& A, const Kind& b, const Collider& B) {
    for (const Real gap : {1.0, 0.125, 1e-6}) {
      const Separation s = distance(A, {}, B, turned_over(gap));
      if (never_meet(a, b)) {
        EXPECT_EQ(s.distance, kInfinity);
        EXPECT_FALSE(overlap(A, {}, B, turned_over(gap)));
        continue;
      }
      EXPECT_NEAR(s.distance, gap, is_program(a) || is_program(b) ? 1e-12 : 1e-14);
      EXPECT_LT((s.normal - Vec3::UnitZ()).norm(), 1e-7) << s.normal.transpose();
      EXPECT_NEAR(s.point_a.z(), 0, 1e-13);
      EXPECT_NEAR(s.point_b.z(), gap, 1e-13);
      EXPECT_FALSE(overlap(A, {}, B, turned_over(gap)));
    }
  });
}

TEST_F(Table, EveryPairWithAFlatBodyKnowsHowDeepItOverlaps) {
  for_each_pair([](const Kind& a, const Collider& A, const Kind& b, const Collider& B) {
    if (never_meet(a, b)) return;
    // Two sheets, or a sheet under a tip, are left again: they have no inside.
    if (a.type == Kind::Sheet && b.type == Kind::Sheet) return;
    if (!(a.flat_top || b.flat_top)) return;
    const Real depth = 0.01;
    EXPECT_TRUE(overlap(A, {}, B, turned_over(-depth)));
    const Separation s = distance(A, {}, B, turned_over(-depth));
    EXPECT_NEAR(s.distance, -depth, 1e-12);
    EXPECT_LT((s.normal - Vec3::UnitZ()).norm(), 1e-9) << s.normal.transpose();
  });
}

TEST_F(Table, EveryPairHasManifolds) {
  for_each_pair([](const Kind& a, const Collider& A, const Kind& b, const Collider& B) {
    ContactCache cache;
    std::vector<PieceManifold> found;
    for (const Real gap : {0.001, 1e-9}) {
      find_manifolds(A, {}, B, turned_over(gap), 0.01, cache, found);
      if (never_meet(a, b)) {
        EXPECT_TRUE(found.empty());
        continue;
      }
      ASSERT_EQ(found.size(), 1u);
      const Manifold& m = found[0].manifold;
      EXPECT_NEAR(m.distance, gap, 1e-13);
      EXPECT_LT((m.normal - Vec3::UnitZ()).norm(), 1e-6) << m.normal.transpose();
      ASSERT_GE(m.count, a.flat_top && b.flat_top ? 3 : 1);
      for (int i = 0; i < m.count; ++i) {
        const ManifoldPoint& p = m.points[static_cast<std::size_t>(i)];
        EXPECT_LE(p.separation, 0.01);
        EXPECT_NEAR(p.point.z(), 0.5 * gap, 0.011);
        if (a.flat_top && b.flat_top) {
          EXPECT_NEAR(p.separation, gap, 1e-13);
        }
      }
      EXPECT_LT(m.center.head<2>().norm(), 0.3);
      find_manifolds(A, {}, B, turned_over(1), 0.01, cache, found);
      EXPECT_TRUE(found.empty());
    }
  });
}

TEST_F(Table, EveryPairKnowsItsTimeOfImpact) {
  for_each_pair([](const Kind& a, const Collider& A, const Kind& b, const Collider& B) {
    const ThrownPath rest, falls(turned_over(0.5), Vec3(0, 0, -2));
    const auto found = time_of_impact(A, rest, B, falls, 0, 1);
    if (never_meet(a, b)) {
      EXPECT_FALSE(found);
      return;
    }
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->converged);
    EXPECT_LE(found->time, 0.25 + 1e-15);
    EXPECT_NEAR(found->time, 0.25, 1e-10);
    EXPECT_LT((found->separation.normal - Vec3::UnitZ()).norm(), 1e-6) << found->separation.normal.transpose();
    EXPECT_FALSE(time_of_impact(A, rest, B, falls, 0, 0.249));
    const ThrownPath rises(turned_over(0.5), Vec3(0, 0, 2));
    EXPECT_FALSE(time_of_impact(A, rest, B, rises, 0, 1));
    // The one below moves, or both.
    const ThrownPath meets({}, Vec3(0, 0, 1)), comes(turned_over(0.5), Vec3(0, 0, -1));
    const auto both = time_of_impact(A, meets, B, comes, 0, 1);
    ASSERT_TRUE(both);
    EXPECT_NEAR(both->time, 0.25, 1e-10);
  });
}

TEST_F(Table, PairsAreSymmetric) {
  for_each_pair([](const Kind& a, const Collider& A, const Kind& b, const Collider& B) {
    if (never_meet(a, b)) return;
    RandomPairs random(7);
    for (int i = 0; i < 5; ++i) {
      const Pose X{random.rotation(), random.in_cube(0.3)};
      const Pose Y = X * Pose{turned_over(0).R, Vec3(0.05, -0.1, 0.4)};
      const Separation s = distance(A, X, B, Y), t = distance(B, Y, A, X);
      EXPECT_NEAR(s.distance, t.distance, 1e-12);
      EXPECT_LT((s.normal + t.normal).norm(), 1e-6);
      EXPECT_EQ(overlap(A, X, B, Y), overlap(B, Y, A, X));
      EXPECT_EQ(overlap(A, X, B, Y), s.distance <= 0);
    }
  });
}

// ------------------------------------------------------------------------------------- brute force

/// Least distance of the set from all triangles, each on its own.
Real brute_force(const Surface& surface, const Convex& set, const Pose& X) {
  geometry::ConvexTriangle triangle;
  Real least = kInfinity;
  for (std::uint32_t t = 0; t < surface.triangle_count(); ++t) {
    const Surface::Corners c = surface.corners(t);
    least = std::min(least, distance(triangle.set(c[0], c[1], c[2]), {}, set, X).distance);
  }
  return least;
}

TEST(SurfaceDistance, IsThatOfTheNearestOfAllTriangles) {
  RandomPairs random(21);
  const auto heights = std::make_shared<const Heights>(random_field(8, 9, Vec2(0.6, 0.5), 0.4, 5));
  geometry::TriangleMesh star = ball_mesh(1, 2);
  for (std::size_t i = 0; i < star.vertices.size(); i += 2) star.vertices[i] *= 0.6;
  const auto mesh = std::make_shared<const Mesh>(star);
  int apart = 0;
  for (int i = 0; i < 400; ++i) {
    const std::shared_ptr<const Surface> surface =
        i % 2 == 0 ? std::shared_ptr<const Surface>(heights) : std::shared_ptr<const Surface>(mesh);
    const Convex set = random.convex();
    const Pose X_WA = random.pose(5), X_SB{random.rotation(), random.in_cube(2) + Vec3(0, 0, i % 2 == 0 ? 1.5 : 0)};
    const Collider A(PlacedSurface{surface, {}}), B(set);
    const Separation s = distance(A, X_WA, B, X_WA * X_SB);
    const Real least = brute_force(*surface, set, X_SB);
    const bool inside = surface->contains(X_SB * set.center());
    if (least > 1e-12 && !inside) {
      ++apart;
      EXPECT_NEAR(s.distance, least, 1e-13) << i;
      EXPECT_NEAR((s.point_b - s.point_a).norm(), least, 1e-12) << i;
      EXPECT_FALSE(overlap(A, X_WA, B, X_WA * X_SB));
    } else {
      EXPECT_LE(s.distance, 1e-12) << i;
      EXPECT_TRUE(overlap(A, X_WA, B, X_WA * X_SB)) << i;
    }
  }
  EXPECT_GT(apart, 100);
}

TEST(SurfaceDistance, OfABallInsideASolidIsNegativeAndPushesItOut) {
  const Collider A = mesh_collider(ball_mesh(2, 3)), B(Solid(Sphere{0.1}));
  const Pose X{Mat3::Identity(), Vec3(0.3, 0.2, 1)};
  const Separation s = distance(A, {}, B, X);
  EXPECT_TRUE(overlap(A, {}, B, X));
  EXPECT_LT(s.distance, -0.1);
  const Pose out{X.R, X.p - (s.distance - 1e-9) * s.normal};
  EXPECT_GT(distance(A, {}, B, out).distance, -1e-12);
  EXPECT_FALSE(overlap(A, {}, B, out));
}

TEST(SurfaceDistance, AOneSidedSurfaceIsNotMetFromBehind) {
  const Collider front(Solid(flat_grid(4))), both(Solid(flat_grid(4, true))), ball(Solid(Sphere{0.25}));
  for (const Real z : {-0.5, -0.2, -0.01}) {
    const Pose X{Mat3::Identity(), Vec3(0.1, 0.2, z)};
    EXPECT_EQ(distance(front, {}, ball, X).distance, kInfinity);
    EXPECT_FALSE(overlap(front, {}, ball, X));
    const Separation s = distance(both, {}, ball, X);
    EXPECT_NEAR(s.distance, -z - 0.25, 1e-15);
    EXPECT_LT((s.normal + Vec3::UnitZ()).norm(), 1e-15);
    EXPECT_EQ(overlap(both, {}, ball, X), -z <= 0.25);
  }
  const ThrownPath rest, rises({Mat3::Identity(), Vec3(0.1, 0.2, -1)}, Vec3(0, 0, 1));
  EXPECT_FALSE(time_of_impact(front, rest, ball, rises, 0, 2));
  const auto found = time_of_impact(both, rest, ball, rises, 0, 2);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->time, 0.75, 2e-11);
  EXPECT_EQ(found->separation.normal, -Vec3::UnitZ());
}

TEST(Surfaces, WithAFrontAreMetFromItByTwoSidedOnesInEitherOrder) {
  const Collider front(Solid(flat_grid(4))), both(Solid(flat_grid(4, true)));
  for (const Real z : {0.5, -0.5}) {
    const Pose X{Mat3::Identity(), Vec3(0.3, 0.2, z)};
    const Real expected = z > 0 ? 0.5 : kInfinity;
    EXPECT_DOUBLE_EQ(distance(front, {}, both, X).distance, expected);
    EXPECT_DOUBLE_EQ(distance(both, X, front, {}).distance, expected);
  }
}

TEST(Surfaces, AreAsFarApartInEitherOrder) {
  RandomPairs random(31);
  const auto soup = [&](bool two_sided) {
    geometry::TriangleSurface s;
    s.two_sided = two_sided;
    for (std::uint32_t i = 0; i < 5; ++i) {
      const Vec3 middle = random.in_cube(1);
      for (int k = 0; k < 3; ++k) s.vertices.push_back(middle + random.in_cube(i % 2 == 0 ? 0.3 : 0.01));
      s.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
    }
    return Collider(Solid(s));
  };
  int near = 0;
  for (int i = 0; i < 400; ++i) {
    const Collider A = soup(i % 2 == 0), B = soup(i / 2 % 2 == 0);
    const Pose X = random.pose(2);
    const Real d = distance(A, {}, B, X).distance, other = distance(B, X, A, {}).distance;
    EXPECT_EQ(std::isfinite(d), std::isfinite(other)) << i;
    if (!(std::isfinite(d) && d > 0)) continue;
    EXPECT_NEAR(d, other, 1e-13) << i;
    ++near;
  }
  EXPECT_GT(near, 200);
}

// ------------------------------------------------------------------------------------------ ghosts

/// Flat ground of triangles: as an open surface, a closed plate and a height field.
std::vector<Collider> flat_grounds() {
  return {Collider(Solid(flat_grid(16))), Collider(Solid(flat_grid(7, true))),
          Collider(Solid(HeightField{12, 17, Vec2(0.125, 0.2), std::vector<Real>(12 * 17)}))};
}

TEST(Ghosts, ABallThatSlidesOverFlatTrianglesHasOneContactAlongTheFaceNormal) {
  const Collider ball(Solid(Sphere{0.25}));
  RandomPairs random(1);
  for (const Collider& ground : flat_grounds())
    for (const Pose& X_WG : {Pose{}, Pose{random.rotation(), random.in_cube(3)}})
      for (const Real gap : {1e-3, 0.0, -1e-3, -0.1}) {
        ContactCache cache;
        std::vector<PieceManifold> found;
        for (int i = 0; i <= 200; ++i) {
          // Over corners and edges, too.
          const Vec3 p(-0.5 + i / 200.0, i % 2 == 0 ? 0.25 : 0.3 * i / 200, 0.25 + gap);
          find_manifolds(ground, X_WG, ball, X_WG * Pose{Mat3::Identity(), p}, 0.01, cache, found);
          ASSERT_EQ(found.size(), 1u) << i << " " << gap;
          const Manifold& m = found[0].manifold;
          EXPECT_LT((m.normal - X_WG.R.col(2)).norm(), 1e-15) << i;
          ASSERT_EQ(m.count, 1) << i;
          EXPECT_NEAR(m.points[0].separation, gap, 1e-14);
          EXPECT_LT((m.points[0].point - X_WG * Vec3(p.x(), p.y(), 0.5 * gap)).norm(), 1e-13);
        }
      }
}

TEST(Ghosts, ABoxThatSlidesOverFlatTrianglesStandsOnItsFourCornersWithTheFaceNormal) {
  const Vec3 h(0.3, 0.2, 0.1);
  const Collider box(Solid(Box{h}));
  for (const Collider& ground : flat_grounds())
    for (const Real gap : {1e-3, 0.0, -1e-3, -0.02}) {
      ContactCache cache;
      std::vector<PieceManifold> found;
      Vec3 last_center = Vec3::Zero();
      for (int i = 0; i <= 300; ++i) {
        const Vec3 p(-0.5 + i / 300.0, 0.1 * i / 300, h.z() + gap);
        const Real angle = 0.3 + i / 100.0;
        const Pose X{exp_so3(Vec3(0, 0, angle)), p};
        find_manifolds(ground, {}, box, X, 0.01, cache, found);
        ASSERT_EQ(found.size(), 1u) << i << " " << gap;
        const Manifold& m = found[0].manifold;
        EXPECT_EQ(m.normal, Vec3::UnitZ()) << i;
        ASSERT_EQ(m.count, 4) << i << " " << gap;
        for (const ManifoldPoint& point : m.points) {
          EXPECT_NEAR(point.separation, gap, 1e-14);
          const Vec3 q = X.R.transpose() * (point.point - p);
          EXPECT_NEAR(std::abs(q.x()), h.x(), 1e-12) << i << " " << gap;
          EXPECT_NEAR(std::abs(q.y()), h.y(), 1e-12) << i << " " << gap;
        }
        EXPECT_LT((m.center - Vec3(p.x(), p.y(), 0.5 * gap)).norm(), 1e-12) << i;
        if (i > 0) {
          EXPECT_LT((m.center - last_center).norm(), 0.005);
        }
        last_center = m.center;
      }
    }
}

TEST(Ghosts, SlidingInTouchIsNoImpact) {
  for (const Collider& ground : flat_grounds()) {
    const ThrownPath rest;
    const Collider ball(Solid(Sphere{0.25})), box(Solid(Box{Vec3(0.3, 0.2, 0.1)}));
    for (const Vec3& v : {Vec3(1, 0, 0), Vec3(0.3, 0.7, 0), Vec3(-1, 0.1, 1e-3)}) {
      EXPECT_FALSE(time_of_impact(ground, rest, ball, ThrownPath({Mat3::Identity(), Vec3(0, 0, 0.25)}, v), 0, 0.5));
      EXPECT_FALSE(time_of_impact(ground, rest, box, ThrownPath({Mat3::Identity(), Vec3(0, 0, 0.1)}, v), 0, 0.5));
      // Thrown up and back: the parabola comes down somewhere else, on time and along the normal.
      const ThrownPath bounce({Mat3::Identity(), Vec3(0, 0, 0.25)}, Vec3(v.x(), v.y(), 2), Vec3::Zero(),
                              Vec3(0, 0, -10));
      const auto found = time_of_impact(ground, rest, ball, bounce, 0, 0.5);
      ASSERT_TRUE(found);
      EXPECT_NEAR(found->time, 0.4, 1e-9);
      EXPECT_LE(found->time, 0.4 + 1e-13);
      EXPECT_EQ(found->separation.normal, Vec3::UnitZ());
    }
  }
}

TEST(Ghosts, OnARidgeNormalsLieBetweenThoseOfTheFaces) {
  // A roof along y, slopes of 45 degrees, each of many triangles.
  HeightField roof{9, 9, Vec2(0.25, 0.25), {}};
  for (int row = 0; row < 9; ++row)
    for (int column = 0; column < 9; ++column) roof.heights.push_back(-0.25 * std::abs(column - 4));
  const Vec3 left = Vec3(-1, 0, 1).normalized(), right = Vec3(1, 0, 1).normalized();
  const Collider ground{Solid(roof)}, ball{Solid(Sphere{0.2})};
  ContactCache cache;
  std::vector<PieceManifold> found;
  for (const Real gap : {1e-3, 0.0, -1e-3, -0.05})
    for (int i = -40; i <= 40; ++i) {
      // Around the ridge on an arc, then along the slopes.
      const Real angle = std::clamp(i / 20.0, -1.0, 1.0) * std::numbers::pi / 4;
      const Vec3 n(std::sin(angle), 0, std::cos(angle));
      const Real down = std::max(std::abs(i) - 20, 0) / 40.0;
      const Vec3 at = down * Vec3(i < 0 ? -1 : 1, 0, -1).normalized() + Vec3(0, 0.01 * i, 0);
      const Pose X{Mat3::Identity(), at + (0.2 + gap) * n};
      find_manifolds(ground, {}, ball, X, 0.01, cache, found);
      ASSERT_EQ(found.size(), 1u) << i << " " << gap;
      const Manifold& m = found[0].manifold;
      EXPECT_LT((m.normal - n).norm(), 1e-7) << i << " " << gap;
      EXPECT_NEAR(m.distance, gap, 1e-13) << i;
      EXPECT_GE(m.normal.dot(left), std::sqrt(0.5) * 0 - 1e-9);
      EXPECT_GE(m.normal.dot(right), -1e-9);
    }
}

TEST(Ghosts, ABoxOverTheRidgeOfATwoSidedSheetIsNotPushedThroughIt) {
  TriangleSurface roof;
  roof.vertices = {{-1, -1, -1}, {0, -1, 0}, {0, 1, 0}, {-1, 1, -1}, {1, -1, -1}, {1, 1, -1}};
  roof.triangles = {{0, 1, 2}, {0, 2, 3}, {1, 4, 5}, {1, 5, 2}};
  roof.two_sided = true;
  const Vec3 left = Vec3(-1, 0, 1).normalized(), along = Vec3(1, 0, 1).normalized();
  const Collider sheet{Solid(roof)}, box{Solid(Box{Vec3(0.2, 0.2, 0.1)})};
  ContactCache cache;
  std::vector<PieceManifold> found;
  Mat3 R;
  R << along, Vec3::UnitY(), along.cross(Vec3::UnitY());
  ASSERT_LT((R.col(2) - left).norm(), 1e-15);
  for (const Real gap : {1e-3, -1e-3, -0.02})
    for (int i = 0; i <= 40; ++i) {
      // Flat on the left slope, from below up over the ridge, as long as its middle is below it.
      const Pose X{R, (-0.45 + 0.44 * i / 40) * along + (0.1 + gap) * left + Vec3(0, 0.1, 0)};
      find_manifolds(sheet, {}, box, X, 0.01, cache, found);
      ASSERT_GE(found.size(), 1u) << i;
      EXPECT_LT((found[0].manifold.normal - left).norm(), 1e-12) << i << " " << gap;
      EXPECT_NEAR(found[0].manifold.distance, gap, 1e-12) << i;
      // What has sunk through the sheet may meet the back of the other slope, by no more than it sank.
      for (const PieceManifold& m : found) EXPECT_GE(m.manifold.distance, gap - 1e-12) << i << " " << gap;
    }
}

TEST(Ghosts, InAValleyABallTouchesBothSlopesAndABoxItsFloorAndWall) {
  HeightField valley{5, 5, Vec2(0.5, 0.5), {}};
  for (int row = 0; row < 5; ++row)
    for (int column = 0; column < 5; ++column) valley.heights.push_back(0.5 * std::abs(column - 2));
  const Vec3 left = Vec3(1, 0, 1).normalized(), right = Vec3(-1, 0, 1).normalized();
  ContactCache cache;
  std::vector<PieceManifold> found;
  const Real r = 0.2;
  find_manifolds(Collider(Solid(valley)), {}, Collider(Solid(Sphere{r})),
                 {Mat3::Identity(), Vec3(0, 0.1, r * std::sqrt(2.0) - 1e-3)}, 0.01, cache, found);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NE(found[0].manifold.normal, found[1].manifold.normal);
  for (const PieceManifold& m : found) {
    EXPECT_LT(std::min((m.manifold.normal - left).norm(), (m.manifold.normal - right).norm()), 1e-14);
    EXPECT_NEAR(m.manifold.distance, -1e-3 * std::sqrt(0.5), 1e-14);
  }
  // Floor and wall of a closed mesh's notch: an open sheet bent upwards.
  TriangleSurface bent;
  bent.vertices = {{-1, -1, 0}, {0, -1, 0}, {0, 1, 0}, {-1, 1, 0}, {0, -1, 1}, {0, 1, 1}};
  bent.triangles = {{0, 1, 2}, {0, 2, 3}, {1, 4, 5}, {1, 5, 2}};
  find_manifolds(Collider(Solid(bent)), {}, Collider(Solid(Box{Vec3(0.1, 0.1, 0.1)})),
                 {Mat3::Identity(), Vec3(-0.099, 0.02, 0.098)}, 0.01, cache, found);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].manifold.normal, Vec3::UnitZ());
  EXPECT_NEAR(found[0].manifold.distance, -0.002, 1e-15);
  EXPECT_EQ(found[0].manifold.count, 4);
  EXPECT_EQ(found[1].manifold.normal, -Vec3::UnitX());
  EXPECT_NEAR(found[1].manifold.distance, -0.001, 1e-15);
  EXPECT_EQ(found[1].manifold.count, 4);
}

TEST(Ghosts, ABoxAgainstTheSideOfAMeshIsPushedSidewaysWhateverItsTilt) {
  // Near the top edge the top triangles are cut as well; their normal would push it up by half its height.
  const Collider block = mesh_collider(box_mesh(Vec3(1, 1, 1))), box(Solid(Box{Vec3(0.5, 0.5, 0.5)}));
  ContactCache cache;
  std::vector<PieceManifold> found;
  RandomPairs random(9);
  for (int i = 0; i < 300; ++i) {
    const Pose X{exp_so3(1e-3 * random.in_cube(1)), Vec3(1.499, random.uniform(-0.4, 0.4), random.uniform(0.4, 1.4))};
    find_manifolds(block, {}, box, X, 0.01, cache, found);
    ASSERT_GE(found.size(), 1u) << i;
    for (const PieceManifold& m : found) {
      EXPECT_GT(m.manifold.normal.x(), 0.99) << i;
      EXPECT_GT(m.manifold.distance, -0.003) << i;
    }
  }
}

TEST(Colliders, RefusePosesThatAreNotFinite) {
  geometry::TriangleSurface sheet;
  sheet.vertices = {Vec3(-1, -1, 0), Vec3(1, -1, 0), Vec3(0, 1, 0)};
  sheet.triangles = {{0, 1, 2}};
  const Collider A{geometry::Solid(sheet)}, B{geometry::Solid(geometry::Box{})};
  const Pose bad{Mat3::Identity(), Vec3(0, std::numeric_limits<Real>::quiet_NaN(), 0)};
  ContactCache cache;
  std::vector<PieceManifold> found;
  EXPECT_THROW((void)distance(A, {}, B, bad), InvalidArgument);
  EXPECT_THROW((void)overlap(A, bad, B, {}), InvalidArgument);
  EXPECT_THROW(find_manifolds(A, {}, B, bad, 0.01, cache, found), InvalidArgument);
}

TEST(FindManifolds, RefusesABadMargin) {
  ContactCache cache;
  std::vector<PieceManifold> found;
  const Collider ball(Solid(Sphere{1}));
  EXPECT_THROW(find_manifolds(ball, {}, ball, {}, -1, cache, found), InvalidArgument);
  EXPECT_THROW(find_manifolds(ball, {}, ball, {}, std::nan(""), cache, found), InvalidArgument);
}

// --------------------------------------------------------------------------------- time of impact

TEST(SurfaceImpact, IsNeverLateAndEndsAtATouch) {
  RandomPairs random(31);
  const auto heights = std::make_shared<const Heights>(random_field(10, 10, Vec2(0.5, 0.5), 0.3, 7));
  const Collider ground(PlacedSurface{heights, {}});
  const ThrownPath rest;
  int hits = 0;
  for (int i = 0; i < 120; ++i) {
    const Convex set = random.convex();
    const Real size = set.radius_about(Vec3::Zero());
    const Pose start{random.rotation(), random.in_cube(1) + Vec3(0, 0, 1.5 + size)};
    const ThrownPath path(start, random.in_cube(2) + Vec3(0, 0, -4), random.in_cube(6), Vec3(0, 0, -9.81));
    const Collider body(set);
    const auto found = time_of_impact(ground, rest, body, path, 0, 0.6);
    const Real end = found ? found->time : 0.6;
    // Dense sampling: apart all the way.
    for (int k = 0; k < 40; ++k) {
      const Real t = end * k / 40;
      EXPECT_GT(brute_force(*heights, set, path.pose(t)), -1e-12) << i << " " << t;
    }
    if (!found) continue;
    ++hits;
    EXPECT_TRUE(found->converged);
    EXPECT_NEAR(brute_force(*heights, set, path.pose(end)), 0, 2e-10) << i;
    EXPECT_NEAR(found->separation.distance, 0, 2e-10) << i;
  }
  EXPECT_GT(hits, 60);
}

TEST(SurfaceImpact, OfAFastBallOnALargeLandscapeIsThatOfThePlane) {
  // A flat field of 80 000 triangles, tilted; the ball crosses a good part of it.
  const auto heights = std::make_shared<const Heights>(HeightField{201, 201, Vec2(1, 1), std::vector<Real>(201 * 201)});
  const Pose X_WG{exp_so3(Vec3(0.3, 0.2, 0.1)), Vec3(5, 6, 7)};
  const Collider ground(PlacedSurface{heights, {}}), ball(Solid(Sphere{0.25}));
  const Vec3 from(-50, 20, 10.25), v(400, -100, -50);
  const auto found =
      time_of_impact(ground, ThrownPath(X_WG), ball, ThrownPath({Mat3::Identity(), X_WG * from}, X_WG.R * v), 0, 1);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->time, 0.2, 1e-12);
  EXPECT_LT((found->separation.normal - X_WG.R.col(2)).norm(), 1e-15);
}

TEST(SurfaceImpact, AtAnInnerEdgeHasTheNormalOfAFace) {
  const Collider ground(Solid(flat_grid(4)));
  const ThrownPath rest;
  // Down on an edge, on a corner, and just beside them, with a fast slide.
  for (const Vec2& at : {Vec2(0, 0.25), Vec2(0, 0), Vec2(1e-9, 0.25), Vec2(-1e-8, 1e-8), Vec2(0.25, 0.25)}) {
    const Vec3 v(3, -1, -1);
    const ThrownPath ball_path({Mat3::Identity(), Vec3(at.x(), at.y(), 0.25) - 0.1 * v}, v);
    const auto ball = time_of_impact(ground, rest, Collider(Solid(Sphere{0.25})), ball_path, 0, 1);
    ASSERT_TRUE(ball);
    EXPECT_NEAR(ball->time, 0.1, 1e-10);
    EXPECT_LE(ball->time, 0.1 + 1e-15);
    EXPECT_EQ(ball->separation.normal, Vec3::UnitZ());
    const auto box = time_of_impact(ground, rest, Collider(Solid(Box{Vec3::Constant(0.25)})), ball_path, 0, 1);
    ASSERT_TRUE(box);
    EXPECT_NEAR(box->time, 0.1, 1e-10);
    EXPECT_EQ(box->separation.normal, Vec3::UnitZ());
  }
}

}  // namespace
}  // namespace visviva::collision
