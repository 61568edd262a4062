// The bound under which manifolds are reused between steps, and that they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "random_pairs.hpp"
#include "visviva/collision/distance.hpp"
#include "visviva/collision/manifold.hpp"
#include "visviva/geometry/core.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::collision {
namespace {

using geometry::Box;
using geometry::Capsule;
using geometry::Convex;
using geometry::ConvexHull;
using geometry::Cylinder;
using geometry::Ellipsoid;

static_assert(std::is_trivially_copyable_v<ManifoldCache>);
static_assert(sizeof(ManifoldCache) <= 352);

constexpr Real kMargin = 0.02;

Real tolerance_of(const Convex& A, const Convex& B) {
  return std::min(1e-3, 0.01 * std::min(A.core().thickness, B.core().thickness));
}

/// Lets B wander from X_WB by random steps of a size and compares each answer with the full test's.
int wander(RandomPairs& random, const Convex& A, const Pose& X_WA, const Convex& B, Pose X_WB, Real step, int steps) {
  ManifoldCache cache;
  const Real tolerance = tolerance_of(A, B) + 1e-12;
  for (int i = 0; i < steps; ++i) {
    const Manifold m = find_manifold(A, X_WA, B, X_WB, kMargin, &cache);
    const Separation truth = distance(A, X_WA, B, X_WB);
    if (m.count > 0) {
      EXPECT_NEAR(m.distance, truth.distance, tolerance);
      for (int k = 0; k < m.count; ++k) EXPECT_LE(m.points[static_cast<std::size_t>(k)].separation, kMargin + 1e-9);
    } else {
      EXPECT_GT(truth.distance, kMargin - tolerance);
      EXPECT_LE(m.distance, truth.distance + 1e-12);  // a lower bound
      EXPECT_GT(m.distance, kMargin - 1e-12);
    }
    EXPECT_TRUE(m.normal.allFinite() && m.center.allFinite());
    X_WB.R = exp_so3(step * random.in_cube(1)) * X_WB.R;
    X_WB.p += step * random.in_cube(1);
  }
  return static_cast<int>(cache.full_tests);
}

/// B moved along a direction until the signed distance is `target`.
Pose place(RandomPairs& random, const Convex& A, const Pose& X_WA, const Convex& B, Real target) {
  Pose X{random.rotation(), {}};
  const Vec3 u = random.unit(), start = X_WA * A.center() - X.R * B.center();
  Real inside = 0, outside = 200;
  for (int i = 0; i < 60; ++i) {
    const Real middle = 0.5 * (inside + outside);
    X.p = start + middle * u;
    (distance(A, X_WA, B, X).distance < target ? inside : outside) = middle;
  }
  return X;
}

TEST(ManifoldReuse, KeepsTheDistanceWithinTheBoundForAllKinds) {
  RandomPairs random(21);
  for (int i = 0; i < 1500; ++i) {
    const Convex A = random.convex(), B = random.convex();
    const Pose X_WA = random.pose(3);
    const Pose X_WB = place(random, A, X_WA, B, random.uniform(-0.2, 0.05));
    wander(random, A, X_WA, B, X_WB, std::exp2(random.uniform(-16, -5)), 12);
  }
}

TEST(ManifoldReuse, KeepsTheDistanceWithinTheBoundForNeedlesPlatesAndDeepOverlap) {
  RandomPairs random(22);
  const std::array<Convex, 5> sets = {Convex{Box{Vec3(50, 50, 0.0005)}}, Convex{Box{Vec3(0.0005, 0.0005, 5)}},
                                      Convex{Box{Vec3(1, 1, 1)}}, Convex{Capsule{0.001, 10}},
                                      Convex{Cylinder{20, 0.001}}};
  for (int i = 0; i < 500; ++i) {
    const Convex &A = sets[static_cast<std::size_t>(i % 5)], &B = sets[static_cast<std::size_t>(i / 5 % 5)];
    const Pose X_WA = random.pose(3);
    const Real deep = i % 3 == 0 ? -0.4 * std::min(A.core().thickness, B.core().thickness) : 0.01;
    const Pose X_WB = place(random, A, X_WA, B, random.uniform(deep, 0.01));
    wander(random, A, X_WA, B, X_WB, std::exp2(random.uniform(-24, -8)), 10);
  }
}

TEST(ManifoldReuse, OfAPairThatDoesNotMoveIsTheSame) {
  RandomPairs random(23);
  for (int i = 0; i < 200; ++i) {
    const Convex A = random.convex(), B = random.convex();
    const Pose X_WA = random.pose(3), X_WB = place(random, A, X_WA, B, random.uniform(-0.1, 0.015));
    ManifoldCache cache;
    const Manifold first = find_manifold(A, X_WA, B, X_WB, kMargin, &cache);
    const Manifold again = find_manifold(A, X_WA, B, X_WB, kMargin, &cache);
    EXPECT_EQ(cache.full_tests, 1u);
    ASSERT_EQ(first.count, again.count);
    EXPECT_EQ(first.normal, again.normal);
    EXPECT_EQ(first.center, again.center);
    EXPECT_EQ(first.distance, again.distance);
    for (std::size_t k = 0; k < static_cast<std::size_t>(first.count); ++k) {
      EXPECT_EQ(first.points[k].point, again.points[k].point);
      EXPECT_EQ(first.points[k].feature, again.points[k].feature);
    }
  }
}

TEST(ManifoldReuse, OfARestingBoxTestsOnce) {
  RandomPairs random(24);
  const Convex A{Box{Vec3(2, 2, 0.5)}}, B{Box{Vec3(0.5, 0.4, 0.3)}};
  EXPECT_LE(wander(random, A, {}, B, {Mat3::Identity(), Vec3(0.1, 0.2, 0.799)}, 1e-6, 200), 2);
}

TEST(ManifoldReuse, OfHullsOfAnySizeIsMade) {
  RandomPairs random(25);
  for (int i = 0; i < 60; ++i) {
    ConvexHull a, b;
    for (int k = 0; k < (i % 2 == 0 ? 20 : 100); ++k) {
      a.points.push_back(random.unit());
      b.points.push_back(random.unit());
    }
    const Convex A{a}, B{b};
    const Pose X_WA = random.pose(3), X_WB = place(random, A, X_WA, B, random.uniform(-0.3, 0.01));
    EXPECT_LE(wander(random, A, X_WA, B, X_WB, 1e-6, 50), 2);
  }
}

TEST(ManifoldReuse, OfASlidingBoxTestsRarelyAndClipsExactly) {
  const Convex A{Box{Vec3(2, 2, 0.5)}}, B{Box{Vec3(0.5, 0.4, 0.3)}};
  ManifoldCache cache;
  for (int i = 0; i < 200; ++i) {  // 4 mm a step, as at 1 m/s
    const Pose X_WB{exp_so3(Vec3(0, 0, 1e-4 * i)), Vec3(-1 + 0.004 * i, 0.2, 0.799)};
    const Manifold m = find_manifold(A, {}, B, X_WB, kMargin, &cache);
    const Manifold full = find_manifold(A, {}, B, X_WB, kMargin);
    ASSERT_EQ(m.count, 4);
    EXPECT_NEAR(m.distance, -0.001, 1e-12);
    EXPECT_LT((m.center - full.center).norm(), 1e-12);
  }
  EXPECT_LE(cache.full_tests, 200u / 3);
}

TEST(ManifoldReuse, KeepsFeaturesOfAHullThatRocks) {
  ConvexHull hull;
  for (int i = 0; i < 8; ++i)
    for (const Real z : {-0.2, 0.2}) hull.points.emplace_back(std::cos(i * M_PI / 4), std::sin(i * M_PI / 4), z);
  const Convex A{Box{Vec3(3, 3, 0.5)}}, B{hull};
  ManifoldCache cache;
  std::array<std::uint32_t, 4> features{};
  for (int i = 0; i < 100; ++i) {
    const Real t = 2e-5 * std::sin(0.3 * i);
    const Pose X_WB{exp_so3(Vec3(t, -t, 0)), Vec3(0.1, 0.2, 0.6995)};
    const Manifold m = find_manifold(A, {}, B, X_WB, kMargin, &cache);
    ASSERT_EQ(m.count, 4);
    std::array<std::uint32_t, 4> now{};
    for (std::size_t k = 0; k < 4; ++k) now[k] = m.points[k].feature;
    std::sort(now.begin(), now.end());
    if (i > 0) {
      EXPECT_EQ(now, features) << i;
    }
    features = now;
  }
  EXPECT_LE(cache.full_tests, 3u);
}

// Near the middle the way out along an axis is almost as short in both directions, and motion along it exchanges them.
TEST(ManifoldReuse, NearTheMiddleTheOppositeWayOutCountsToo) {
  RandomPairs random(71);
  for (int pair = 0; pair < 200; ++pair) {
    const Convex A{Box{random.lengths()}}, B{Box{random.lengths()}};
    const Mat3 R = random.rotation();
    const Vec3 start = random.in_cube(1e-3), way = random.unit();
    ManifoldCache cache;
    for (int k = 0; k <= 60; ++k) {
      const Pose X_WB{R, start + 1e-4 * k * way};
      const Real truth = distance(A, {}, B, X_WB).distance;
      ASSERT_NEAR(find_manifold(A, {}, B, X_WB, 1e-3, &cache).distance, truth, tolerance_of(A, B) + 1e-12)
          << pair << " " << k;
    }
  }
}

// ------------------------------------------------------------------------------------ the centre

/// Largest step of the centre per step of the motion, over a path of poses.
template <class Path>
Real largest_jump(const Convex& A, const Convex& B, int steps, Path&& path) {
  Vec3 last = Vec3::Zero();
  Real largest = 0;
  for (int i = 0; i <= steps; ++i) {
    const Manifold m = find_manifold(A, {}, B, path(static_cast<Real>(i) / steps), kMargin);
    EXPECT_GT(m.count, 0);
    if (i > 0) largest = std::max(largest, (m.center - last).norm());
    last = m.center;
  }
  return largest;
}

TEST(ManifoldCenter, SlidesWithoutJumps) {
  const Convex A{Box{Vec3(2, 2, 0.5)}}, B{Box{Vec3(0.5, 0.4, 0.3)}}, C{Cylinder{0.4, 0.3}};
  // Over the rim of the table, turning: the overlap loses corners and gains crossings.
  const auto slide = [](Real t) { return Pose{exp_so3(Vec3(1e-4, 2e-4, 2 * t)), Vec3(1 + 1.3 * t, 0.3, 0.799)}; };
  EXPECT_LT(largest_jump(A, B, 20000, slide), 4.0 / 20000 + 1e-6);
  EXPECT_LT(largest_jump(A, C, 20000, slide), 4.0 / 20000 + 1e-6);
}

TEST(ManifoldCenter, TiltsAndRollsWithoutJumps) {
  const Convex A{Box{Vec3(2, 2, 0.5)}}, B{Box{Vec3(0.5, 0.4, 0.3)}};
  // From its bottom over an edge to its side, always touching: the nearer face changes half way.
  const auto roll = [&](Real t) {
    const Mat3 R = exp_so3(Vec3(t * M_PI / 2, 0, 0)) * exp_so3(Vec3(0, 1e-5, 0));
    const Real low = (R.row(2).cwiseAbs() * Vec3(0.5, 0.4, 0.3))(0);
    return Pose{R, Vec3(0.1, 0.2, 0.5 + low - 0.001)};
  };
  // A tilt of margin over width takes the centre from the middle to the edge: 0.4 m in 0.03 rad, and back.
  EXPECT_LT(largest_jump(A, B, 200000, roll), 200 * (M_PI / 2) / 200000);
}

}  // namespace
}  // namespace visviva::collision
