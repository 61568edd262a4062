#include "visviva/collision/triangle_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "random_pairs.hpp"
#include "visviva/core/error.hpp"

namespace visviva::collision {
namespace {

std::vector<Bounds> random_boxes(RandomPairs& random, std::size_t count) {
  std::vector<Bounds> boxes;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 p = random.in_cube(10), q = p + random.in_cube(0.5);
    boxes.push_back({p.cwiseMin(q), p.cwiseMax(q)});
  }
  return boxes;
}

std::vector<std::uint32_t> brute_force(const std::vector<Bounds>& boxes, const Bounds& query) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < boxes.size(); ++i)
    if (overlap(boxes[i], query)) found.push_back(i);
  return found;
}

void expect_same(const TriangleTree& tree, const std::vector<Bounds>& boxes, RandomPairs& random) {
  for (int i = 0; i < 200; ++i) {
    const Vec3 p = random.in_cube(10), q = p + random.in_cube(4);
    const Bounds query{p.cwiseMin(q), p.cwiseMax(q)};
    std::vector<std::uint32_t> found;
    tree.visit(query, [&](std::uint32_t t) { found.push_back(t); });
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, brute_force(boxes, query));
  }
}

TEST(TriangleTree, FindsWhatBruteForceFindsAfterBuildRefitAndRebuild) {
  RandomPairs random(5);
  for (const std::size_t count : {0u, 1u, 4u, 5u, 17u, 1000u}) {
    std::vector<Bounds> boxes = random_boxes(random, count);
    TriangleTree tree(boxes);
    EXPECT_EQ(tree.size(), count);
    expect_same(tree, boxes, random);
    boxes = random_boxes(random, count);
    tree.refit(boxes);
    expect_same(tree, boxes, random);
    const Real refitted = tree.cost();
    tree.rebuild(boxes);
    expect_same(tree, boxes, random);
    if (count == 1000) {
      EXPECT_LT(tree.cost(), 0.5 * refitted);  // thrown together anew, a refitted tree is poor
    }
  }
}

TEST(TriangleTree, StandsManyBoxesInOnePlace) {
  std::vector<Bounds> boxes(5000, Bounds{Vec3::Zero(), Vec3::Ones()});
  // And a series of sizes that no grid of bins divides well.
  for (int i = 0; i < 900; ++i) {
    const Vec3 p = Vec3::Constant(std::ldexp(1.0, i % 300 - 150));
    boxes.push_back({p, p});
  }
  const TriangleTree tree(boxes);
  std::size_t count = 0;
  tree.visit(boxes.front(), [&](std::uint32_t) { ++count; });
  EXPECT_EQ(count, brute_force(boxes, boxes.front()).size());
}

TEST(TriangleTree, RefusesBoxesThatAreNone) {
  EXPECT_THROW(TriangleTree(std::vector<Bounds>{{Vec3::Ones(), Vec3::Zero()}}), InvalidArgument);
  TriangleTree tree(std::vector<Bounds>(3));
  EXPECT_THROW(tree.refit(std::vector<Bounds>(2)), InvalidArgument);
}

}  // namespace
}  // namespace visviva::collision
