#include "visviva/collision/sweep_pairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "random_pairs.hpp"
#include "visviva/core/error.hpp"

namespace visviva::collision {
namespace {

std::vector<IndexPair> all_pairs(const std::vector<Bounds>& boxes) {
  std::vector<IndexPair> pairs;
  for (std::uint32_t i = 0; i < boxes.size(); ++i)
    for (std::uint32_t j = i + 1; j < boxes.size(); ++j) {
      bool overlap = true;
      for (int k = 0; k < 3; ++k)
        overlap = overlap && boxes[i].lower[k] <= boxes[j].upper[k] && boxes[j].lower[k] <= boxes[i].upper[k];
      if (overlap) pairs.emplace_back(i, j);
    }
  return pairs;
}

std::vector<IndexPair> overlaps(const std::vector<Bounds>& boxes) {
  SweepWorkspace workspace;
  std::vector<IndexPair> pairs;
  find_overlaps(boxes, workspace, pairs);
  return pairs;
}

TEST(FindOverlaps, GivesWhatAllPairsGive) {
  RandomPairs random(21);
  for (int round = 0; round < 60; ++round) {
    const Vec3 spread(random.uniform(0.1, 10), random.uniform(0.1, 10), random.uniform(0.1, 10));
    std::vector<Bounds> boxes(static_cast<std::size_t>(random.uniform(0, 200)));
    for (Bounds& box : boxes) {
      box.lower = spread.cwiseProduct(random.in_cube(1));
      // On a grid in every other round, so that faces meet and starts are equal.
      if (round % 2 == 0) box.lower = box.lower.array().round();
      const Vec3 size = random.in_cube(1).cwiseAbs();
      box.upper = box.lower + (round % 2 == 0 ? Vec3(size.array().round()) : size);
    }
    EXPECT_EQ(overlaps(boxes), all_pairs(boxes)) << round;
  }
}

TEST(FindOverlaps, DoesNotDependOnWhatTheWorkspaceHeld) {
  const std::vector<Bounds> two = {{Vec3(0, 0, 0), Vec3(1, 1, 1)}, {Vec3(1, 1, 1), Vec3(2, 2, 2)}};
  SweepWorkspace workspace;
  std::vector<IndexPair> pairs;
  find_overlaps(std::vector<Bounds>(20, two[0]), workspace, pairs);
  EXPECT_EQ(pairs.size(), 190u);
  find_overlaps(two, workspace, pairs);
  EXPECT_EQ(pairs, (std::vector<IndexPair>{{0, 1}}));
  find_overlaps({}, workspace, pairs);
  EXPECT_TRUE(pairs.empty());
}

TEST(FindOverlaps, RefusesBoxesThatAreNone) {
  EXPECT_THROW(overlaps({{Vec3(0, 0, 1), Vec3(1, 1, 0)}}), InvalidArgument);
  EXPECT_THROW(overlaps({{Vec3(0, 0, NAN), Vec3(1, 1, 1)}}), InvalidArgument);
}

/// A parabola; what turns does not matter for a ball.
class Parabola final : public Path {
 public:
  Vec3 p, v, a;
  [[nodiscard]] Pose pose(Real t) const override { return {Mat3::Identity(), p + t * v + 0.5 * t * t * a}; }
  [[nodiscard]] Vec3 reference_point() const override { return Vec3::Zero(); }
  [[nodiscard]] Vec3 velocity(Real t) const override { return v + t * a; }
  [[nodiscard]] Vec3 angular_velocity(Real) const override { return Vec3::Zero(); }
  [[nodiscard]] Real max_acceleration() const override { return a.norm(); }
  [[nodiscard]] Real max_angular_speed() const override { return 0; }
};

TEST(SweptBounds, HoldTheBodyAtEveryTime) {
  RandomPairs random(22);
  for (int i = 0; i < 200; ++i) {
    Parabola path;
    path.p = random.in_cube(5);
    path.v = random.in_cube(5);
    path.a = random.in_cube(10);
    const Bounds box = swept_bounds(path, 0.5, 0.25, 1);
    Vec3 lowest = box.upper, highest = box.lower;
    for (int k = 0; k <= 100; ++k) {
      const Vec3 x = path.pose(0.25 + 0.75 * k / 100).p;
      lowest = lowest.cwiseMin(x.array().matrix() - Vec3::Constant(0.5));
      highest = highest.cwiseMax(x + Vec3::Constant(0.5));
    }
    EXPECT_TRUE((box.lower.array() <= lowest.array()).all() && (highest.array() <= box.upper.array()).all()) << i;
    // Not larger than twice what the acceleration can add.
    EXPECT_TRUE(((lowest - box.lower).array() <= path.a.norm() * 0.75 * 0.75 + 1e-14).all()) << i;
  }
}

}  // namespace
}  // namespace visviva::collision
