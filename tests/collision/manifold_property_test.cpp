// What must hold of every manifold. Seeds come from rapidcheck, shapes and poses from them.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "random_pairs.hpp"
#include "tests/properties/count_allocations.hpp"
#include "visviva/collision/distance.hpp"
#include "visviva/collision/manifold.hpp"
#include "visviva/geometry/core.hpp"
#include "visviva/geometry/polytope.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::collision {
namespace {

using geometry::Box;
using geometry::Convex;
using geometry::ConvexHull;
using geometry::CoreKind;
using geometry::Sphere;

constexpr Real kMargin = 0.02;

/// The same cases in every run; a set RC_PARAMS (to reproduce, to try more) goes first.
const int kFixedSeed = setenv("RC_PARAMS", "seed=20261116 max_success=1000", 0);

struct Pair {
  Convex A, B;
  Pose X_WA, X_WB;
};

/// Two sets whose distance lies between `low` and `high`.
Pair near_pair(RandomPairs& random, Convex A, Convex B, Real low, Real high) {
  Pair pair{std::move(A), std::move(B), random.pose(2), random.pose(2)};
  const Vec3 u = random.unit(), start = pair.X_WA * pair.A.center() - pair.X_WB.R * pair.B.center();
  const Real target = random.uniform(low, high);
  Real inside = 0, outside = 16;
  for (int i = 0; i < 50; ++i) {
    const Real middle = 0.5 * (inside + outside);
    pair.X_WB.p = start + middle * u;
    (distance(pair.A, pair.X_WA, pair.B, pair.X_WB).distance < target ? inside : outside) = middle;
  }
  return pair;
}

Pair random_pair(unsigned seed) {
  RandomPairs random(seed);
  return near_pair(random, random.convex(), random.convex(), -0.05, 0.9 * kMargin);
}

Convex random_hull(RandomPairs& random, int count) {
  ConvexHull hull;
  const Vec3 size = random.lengths();
  for (int i = 0; i < count; ++i) hull.points.push_back(random.in_cube(1).cwiseProduct(size));
  return Convex{hull, random.pose(0.3)};
}

Manifold manifold_of(const Pair& p) { return find_manifold(p.A, p.X_WA, p.B, p.X_WB, kMargin); }

/// Signed distance of a point from a set.
Real height_over(const Convex& convex, const Pose& X, const Vec3& p) {
  static const Convex kBall{Sphere{1e-3}};
  return distance(convex, X, kBall, {Mat3::Identity(), p}).distance + 1e-3;
}

bool is_curved(const Convex& c) { return c.polytope() == nullptr; }

RC_GTEST_PROP(ManifoldProperty, DistanceAndNormalAreThoseOfDistance, (unsigned seed)) {
  const Pair p = random_pair(seed);
  const Separation s = distance(p.A, p.X_WA, p.B, p.X_WB);
  const Manifold m = manifold_of(p);
  RC_ASSERT(std::abs(m.distance - s.distance) <= 1e-10);
  RC_ASSERT(m.count >= 1);
  RC_ASSERT(std::abs(m.normal.norm() - 1) <= 1e-14);
}

// Their cores are apart, and lines of edges that give the widest gap often cross beyond the ends of the edges.
RC_GTEST_PROP(ManifoldProperty, RoundedBoxesHaveTheirDistance, (unsigned seed)) {
  RandomPairs random(seed);
  const Convex A(Box{random.lengths()}, random.pose(0.3), 0.2), B(Box{random.lengths()}, random.pose(0.3));
  const Pair p = near_pair(random, A, B, -0.05, 0.9 * kMargin);
  RC_ASSERT(std::abs(manifold_of(p).distance - distance(p.A, p.X_WA, p.B, p.X_WB).distance) <= 1e-10);
}

/// A rotation whose third axis is about that of an edge or a face's normal of the hull, or lies in a face: where
/// features tie.
Mat3 special_rotation(RandomPairs& random, const Convex& hull) {
  const geometry::Polytope& P = *hull.polytope();
  const auto pick = [&](std::uint32_t count) {
    return static_cast<std::uint32_t>(random.uniform(0, static_cast<Real>(count) * (1 - 1e-9)));
  };
  const geometry::Polytope::Edge e = P.edge(pick(P.edge_count()));
  const Vec3 edge = (P.vertex(e.to) - P.vertex(e.from)).normalized(), normal = P.normal(e.left);
  const Real kind = random.uniform(0, 4);
  const Vec3 in_face = exp_so3(random.uniform(0, 6) * normal) * edge;
  const Vec3 z = kind < 1 ? edge : kind < 2 ? normal : kind < 3 ? in_face : random.unit();
  return Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), z).toRotationMatrix();
}

// Two ways to one answer: from feature to feature, and by the search of distance(). The normal proves it by itself: the
// sets' supports along it are as far apart.
RC_GTEST_PROP(ManifoldProperty, CapsulesOnPolytopesHaveTheirDistanceAndANormalThatProvesIt, (unsigned seed)) {
  RandomPairs random(seed);
  const bool box = random.uniform(0, 1) < 0.3, first = random.uniform(0, 1) < 0.5;
  const Convex hull = box ? Convex(Box{random.lengths()}, random.pose(0.3)) : random_hull(random, 20);
  const Convex capsule(geometry::Capsule{random.uniform(0.1, 0.5), random.uniform(0.1, 1)}, random.pose(0.3));
  Pair p = near_pair(random, hull, capsule, -0.05, 0.9 * kMargin);
  p.X_WB.R = p.X_WA.R * special_rotation(random, hull) * capsule.core().X.R.transpose();
  // Out again along the normal, as far as the new orientation needs.
  const Separation now = distance(p.A, p.X_WA, p.B, p.X_WB);
  p.X_WB.p += (random.uniform(-0.05, 0.9 * kMargin) - now.distance) * now.normal;
  if (first) {
    std::swap(p.A, p.B);
    std::swap(p.X_WA, p.X_WB);
  }
  const Manifold m = manifold_of(p);
  const Real found = distance(p.A, p.X_WA, p.B, p.X_WB).distance;
  RC_ASSERT(std::abs(m.distance - found) <= 1e-12);
  const auto reach = [](const Convex& set, const Pose& X, const Vec3& n) {
    const Vec3 n_S = X.R.transpose() * n;
    return n.dot(X * set.support(n_S)) + set.rounding();
  };
  const Real gap = -reach(p.B, p.X_WB, -m.normal) - reach(p.A, p.X_WA, m.normal);
  RC_ASSERT(std::abs(gap - found) <= 1e-11);
  if (m.distance <= kMargin) RC_ASSERT(std::abs(m.points[0].separation - m.distance) <= 1e-9);
}

RC_GTEST_PROP(ManifoldProperty, TranslationByTheDepthSeparates, (unsigned seed)) {
  const Pair p = random_pair(seed);
  const Manifold m = manifold_of(p);
  RC_PRE(m.distance < 0);
  const Pose moved{p.X_WB.R, p.X_WB.p - m.distance * m.normal};
  RC_ASSERT(std::abs(distance(p.A, p.X_WA, p.B, moved).distance) <= 1e-9);
}

RC_GTEST_PROP(ManifoldProperty, PointsLieOnBothBodiesWithinTheMargin, (unsigned seed)) {
  const Pair p = random_pair(seed);
  const Manifold m = manifold_of(p);
  for (int i = 0; i < m.count; ++i) {
    const ManifoldPoint& q = m.points[static_cast<std::size_t>(i)];
    RC_ASSERT(q.separation <= kMargin + 1e-9);
    RC_ASSERT(q.separation >= m.distance - 1e-9);
    RC_ASSERT(q.separation >= m.points[0].separation - 1e-12);
    for (const bool on_b : {false, true}) {
      const Vec3 surface = q.point + (on_b ? 0.5 : -0.5) * q.separation * m.normal;
      const Real height = height_over(on_b ? p.B : p.A, on_b ? p.X_WB : p.X_WA, surface);
      RC_ASSERT(std::abs(height) <= 1e-9);
    }
  }
  RC_ASSERT(m.points[0].separation <= m.distance + 1e-9);
}

RC_GTEST_PROP(ManifoldProperty, ExchangedBodiesGiveTheMirrorImage, (unsigned seed)) {
  const Pair p = random_pair(seed);
  const Manifold m = manifold_of(p), mirror = find_manifold(p.B, p.X_WB, p.A, p.X_WA, kMargin);
  RC_ASSERT(std::abs(m.distance - mirror.distance) <= 1e-10);
  RC_ASSERT(std::abs(m.points[0].separation - mirror.points[0].separation) <= 1e-9);
  RC_ASSERT((m.normal + mirror.normal).norm() <= 1e-5);
  // The same points, as far as there is no choice.
  if (m.count > 3 || mirror.count > 3) return;
  RC_ASSERT(m.count == mirror.count);
  for (int i = 0; i < m.count; ++i) {
    const Vec3 q = m.points[static_cast<std::size_t>(i)].point;
    RC_ASSERT(std::any_of(mirror.points.begin(), mirror.points.begin() + mirror.count,
                          [&](const ManifoldPoint& r) { return (r.point - q).norm() <= 1e-5; }));
  }
}

RC_GTEST_PROP(ManifoldProperty, MovesAlongWithBothBodies, (unsigned seed)) {
  const Pair p = random_pair(seed);
  RandomPairs random(seed ^ 0x5a5a5a5au);
  const Pose X = random.pose(5);
  const Manifold m = manifold_of(p), moved = find_manifold(p.A, X * p.X_WA, p.B, X * p.X_WB, kMargin);
  // distance() knows depths between curved surfaces and edges to 1e-10.
  RC_ASSERT(std::abs(m.distance - moved.distance) <= (is_curved(p.A) || is_curved(p.B) ? 1e-10 : 1e-12));
  RC_ASSERT((X.R * m.normal - moved.normal).norm() <= 1e-6);
  RC_ASSERT((X * m.center - moved.center).norm() <= 1e-5);
}

RC_GTEST_PROP(ManifoldProperty, ScalesWithTheBodies, (unsigned seed)) {
  RandomPairs random(seed);
  const Real scale = std::exp2(std::floor(random.uniform(-9, 13)));  // 1 mm to 10 km, exact
  const Vec3 a = random.lengths(), b = random.lengths();
  const Pair p = near_pair(random, Convex{Box{a}}, Convex{Box{b}}, -0.05, 0.9 * kMargin);
  const Pair big{
      Convex{Box{scale * a}}, Convex{Box{scale * b}}, {p.X_WA.R, scale * p.X_WA.p}, {p.X_WB.R, scale * p.X_WB.p}};
  const Manifold m = manifold_of(p), large = find_manifold(big.A, big.X_WA, big.B, big.X_WB, scale * kMargin);
  RC_ASSERT(large.count == m.count);
  RC_ASSERT(std::abs(large.distance - scale * m.distance) <= 1e-14 * scale);
  for (int i = 0; i < m.count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    RC_ASSERT((large.points[k].point - scale * m.points[k].point).norm() <= 1e-12 * scale);
    RC_ASSERT(large.points[k].feature == m.points[k].feature);
  }
}

// ------------------------------------------------------------------------------------ depth, by brute force

using Long = long double;
using Vec3L = Eigen::Matrix<Long, 3, 1>;

/// The largest gap over all normals of faces and products of all edges, with all vertices, in long double.
Long brute_force_gap(const Pair& p) {
  const geometry::Polytope &a = *p.A.polytope(), &b = *p.B.polytope();
  const auto in_world = [](const geometry::Polytope& P, const Pose& X) {
    std::vector<Vec3L> points;
    for (geometry::Polytope::Index i = 0; i < P.vertex_count(); ++i)
      points.push_back(X.R.cast<Long>() * P.vertex(i).cast<Long>() + X.p.cast<Long>());
    return points;
  };
  const std::vector<Vec3L> pa = in_world(a, p.X_WA), pb = in_world(b, p.X_WB);
  Long best = -1e30L;
  const auto consider = [&](const Vec3L& direction) {
    const Long length = direction.norm();
    if (!(length > 1e-9L)) return;
    for (const Long sign : {-1.0L, 1.0L}) {
      const Vec3L n = sign / length * direction;
      Long high_a = -1e30L, low_b = 1e30L;
      for (const Vec3L& v : pa) high_a = std::max(high_a, n.dot(v));
      for (const Vec3L& v : pb) low_b = std::min(low_b, n.dot(v));
      best = std::max(best, low_b - high_a);
    }
  };
  const auto face_normals = [&](const geometry::Polytope& P, const std::vector<Vec3L>& points) {
    for (geometry::Polytope::Index f = 0; f < P.face_count(); ++f) {
      const auto c = P.corners_of(f);
      consider((points[c[1]] - points[c[0]]).cross(points[c[2]] - points[c[0]]).normalized());
    }
  };
  face_normals(a, pa);
  face_normals(b, pb);
  for (geometry::Polytope::Index i = 0; i < a.edge_count(); ++i)
    for (geometry::Polytope::Index j = 0; j < b.edge_count(); ++j) {
      const geometry::Polytope::Edge e = a.edge(i), g = b.edge(j);
      consider((pa[e.to] - pa[e.from]).normalized().cross((pb[g.to] - pb[g.from]).normalized()));
    }
  return best;
}

TEST(ManifoldDepth, OfBoxesIsThatOfAllFifteenAxes) {
  RandomPairs random(11);
  for (int i = 0; i < 2000; ++i) {
    const Real low = i % 4 == 0 ? -2 : -0.1;  // deep ones too
    const Pair p = near_pair(random, Convex{Box{random.lengths()}, random.pose(0.3)},
                             Convex{Box{random.lengths()}, random.pose(0.3)}, low, -1e-6);
    EXPECT_NEAR(manifold_of(p).distance, static_cast<Real>(brute_force_gap(p)), 1e-13);
  }
}

TEST(ManifoldDepth, OfHullsIsThatOfAllPairsOfFeatures) {
  RandomPairs random(12);
  for (int i = 0; i < 300; ++i) {
    const Real low = i % 4 == 0 ? -1 : -0.1;
    Convex A = random_hull(random, 8 + i % 12),
           B = i % 5 == 0 ? Convex{Box{random.lengths()}} : random_hull(random, 15);
    const Pair p = near_pair(random, std::move(A), std::move(B), low, -1e-6);
    EXPECT_NEAR(manifold_of(p).distance, static_cast<Real>(brute_force_gap(p)), 1e-11) << i;
  }
}

TEST(ManifoldDepth, OfNeedlesAndPlatesIsThatOfAllAxes) {
  RandomPairs random(13);
  const std::array<Vec3, 4> sizes = {Vec3(50, 50, 0.0005), Vec3(0.0005, 0.0005, 5), Vec3(1, 1, 1),
                                     Vec3(0.001, 20, 0.3)};
  for (int i = 0; i < 400; ++i) {
    const Pair p = near_pair(random, Convex{Box{sizes[static_cast<std::size_t>(i % 4)]}},
                             Convex{Box{sizes[static_cast<std::size_t>(i / 4 % 4)]}}, -2e-4, -1e-7);
    EXPECT_NEAR(manifold_of(p).distance, static_cast<Real>(brute_force_gap(p)), 1e-12) << i;
  }
}

// ------------------------------------------------------------------------------------ completeness

using Polygon = std::vector<Vec2>;

Real area_of(const Polygon& p) {
  Real sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Vec2 &a = p[i], &b = p[(i + 1) % p.size()];
    sum += 0.5 * (a.x() * b.y() - a.y() * b.x());
  }
  return sum;
}

/// Hull of points in the plane by gift wrapping.
Polygon hull_of(const Polygon& points) {
  Polygon hull;
  if (points.size() < 3) return hull;
  std::size_t start = 0;
  for (std::size_t i = 1; i < points.size(); ++i)
    if (points[i].x() < points[start].x()) start = i;
  std::size_t here = start;
  do {
    hull.push_back(points[here]);
    std::size_t next = here == 0 ? 1 : 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Vec2 u = points[next] - points[here], v = points[i] - points[here];
      if (u.x() * v.y() - u.y() * v.x() < 0) next = i;
    }
    here = next;
  } while (here != start && hull.size() <= points.size());
  return hull;
}

/// All corners of the overlap of two convex polygons: corners inside the other and crossings of sides.
Polygon overlap_of(const Polygon& a, const Polygon& b) {
  Polygon points;
  const auto inside = [](const Polygon& p, const Vec2& q) {
    for (std::size_t i = 0; i < p.size(); ++i) {
      const Vec2 e = p[(i + 1) % p.size()] - p[i], d = q - p[i];
      if (e.x() * d.y() - e.y() * d.x() < 0) return false;
    }
    return true;
  };
  for (const Vec2& q : a)
    if (inside(b, q)) points.push_back(q);
  for (const Vec2& q : b)
    if (inside(a, q)) points.push_back(q);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) {
      const Vec2 u = a[(i + 1) % a.size()] - a[i], v = b[(j + 1) % b.size()] - b[j], w = b[j] - a[i];
      const Real d = u.x() * v.y() - u.y() * v.x(), s = (w.x() * v.y() - w.y() * v.x()) / d,
                 t = (w.x() * u.y() - w.y() * u.x()) / d;
      if (s > 0 && s < 1 && t > 0 && t < 1) points.push_back(a[i] + s * u);
    }
  return hull_of(points);
}

TEST(ManifoldCompleteness, FourPointsSpanAtLeastHalfOfTheOverlap) {
  RandomPairs random(14);
  const auto prism = [&](Polygon& base) {
    Polygon points;
    const int n = 3 + static_cast<int>(random.uniform(0, 12));
    const Vec2 size(random.uniform(0.1, 1), random.uniform(0.1, 1));
    for (int i = 0; i < n; ++i) {
      const Real angle = random.uniform(0, 2 * M_PI);
      points.emplace_back(size.x() * std::cos(angle), size.y() * std::sin(angle));
    }
    base = hull_of(points);
    ConvexHull hull;
    for (const Vec2& p : base)
      for (const Real z : {-0.5, 0.5}) hull.points.emplace_back(p.x(), p.y(), z);
    return hull;
  };
  int checked = 0;
  for (int i = 0; i < 3000; ++i) {
    Polygon a, b;
    const ConvexHull hull_a = prism(a), hull_b = prism(b);
    if (area_of(a) < 0.01 || area_of(b) < 0.01) continue;
    const Vec2 offset(random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5));
    for (Vec2& p : b) p += offset;
    const Polygon overlap = overlap_of(a, b);
    const Real area = overlap.empty() ? 0 : area_of(overlap);
    if (area < 0.01) continue;
    const Pose X_WB{Mat3::Identity(), Vec3(offset.x(), offset.y(), 1 - 0.001)};
    const Manifold m = find_manifold(Convex{hull_a}, {}, Convex{hull_b}, X_WB, kMargin);
    ASSERT_NEAR(m.distance, -0.001, 1e-12);
    Polygon points;
    for (int k = 0; k < m.count; ++k) points.push_back(m.points[static_cast<std::size_t>(k)].point.head<2>());
    EXPECT_GE(area_of(hull_of(points)), 0.5 * area) << i;
    EXPECT_EQ(m.count, overlap.size() == 3 ? 3 : 4) << i;
    ++checked;
  }
  EXPECT_GT(checked, 1000);
}

// ------------------------------------------------------------------------------------ memory

TEST(ManifoldAllocation, NoneOnceAThreadIsWarm) {
  RandomPairs random(15);
  std::vector<Pair> pairs;
  for (int i = 0; i < 300; ++i) {
    Convex A = i % 3 == 0 ? random_hull(random, 40) : random.convex(), B = random.convex();
    pairs.push_back(near_pair(random, std::move(A), std::move(B), i % 2 == 0 ? -0.3 : -0.01, 0.015));
  }
  std::vector<ManifoldCache> caches(pairs.size());
  Real sum = 0;
  const auto run = [&] {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const Pair& p = pairs[i];
      sum += manifold_of(p).distance + find_manifold(p.A, p.X_WA, p.B, p.X_WB, kMargin, &caches[i]).distance;
    }
  };
  run();
  const long before = allocation_count();
  run();
  EXPECT_EQ(allocation_count(), before);
  EXPECT_TRUE(std::isfinite(sum));
}

}  // namespace
}  // namespace visviva::collision
