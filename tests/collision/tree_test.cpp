#include "visviva/collision/tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "random_pairs.hpp"
#include "visviva/core/error.hpp"

namespace visviva::collision {
namespace {

using Ids = std::vector<ProxyId>;
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

Bounds random_box(RandomPairs& random, Real spread, const Vec3& middle = Vec3::Zero()) {
  const Vec3 p = middle + random.in_cube(spread), h = 0.5 * random.lengths();
  return {p - h, p + h};
}

Ids overlaps(const Tree& tree, const Bounds& box, std::uint32_t mask = kEveryCategory) {
  Ids found;
  tree.visit_overlaps(box, mask, [&](ProxyId id, std::uint64_t) { found.push_back(id); });
  std::sort(found.begin(), found.end());
  return found;
}

/// Proxies by their ids, and all questions answered by looking at every one.
struct BruteForce {
  std::map<ProxyId, ProxyDesc> all;

  template <class Test>
  [[nodiscard]] Ids where(const Tree& tree, std::uint32_t mask, Test&& test) const {
    Ids found;
    for (const auto& [id, desc] : all)
      if ((desc.category & mask) != 0 && test(tree.grown_bounds(id))) found.push_back(id);
    return found;
  }
};

/// First fraction at which a box of half extents h that moves from p by d meets `box`, by long double slabs; none: inf.
Real enter(const Bounds& box, const BoxCast& cast, Real grow) {
  long double first = 0, last = 1;
  for (int i = 0; i < 3; ++i) {
    const long double lower = static_cast<long double>(box.lower[i]) - cast.half_extents[i] - cast.origin[i] - grow;
    const long double upper = static_cast<long double>(box.upper[i]) + cast.half_extents[i] - cast.origin[i] + grow;
    const long double d = cast.translation[i];
    if (d == 0) {
      if (lower > 0 || upper < 0) return kInfinity;
      continue;
    }
    first = std::max(first, std::min(lower / d, upper / d));
    last = std::min(last, std::max(lower / d, upper / d));
  }
  return first <= last ? static_cast<Real>(first) : kInfinity;
}

void expect_casts_agree(const Tree& tree, const BruteForce& brute, const BoxCast& cast, std::uint32_t mask,
                        Real rounding) {
  Ids found;
  tree.visit_cast(cast, mask, 1, [&](ProxyId id, std::uint64_t user_data, Real limit) {
    EXPECT_EQ(user_data, brute.all.at(id).user_data);
    found.push_back(id);
    return limit;
  });
  std::sort(found.begin(), found.end());
  const auto met = [&](Real grow) {
    return brute.where(tree, mask, [&](const Bounds& box) { return enter(box, cast, grow) <= 1; });
  };
  const Ids at_least = met(-rounding), at_most = met(rounding);
  EXPECT_TRUE(std::includes(found.begin(), found.end(), at_least.begin(), at_least.end()));
  EXPECT_TRUE(std::includes(at_most.begin(), at_most.end(), found.begin(), found.end()));
}

void expect_nearest_agree(const Tree& tree, const BruteForce& brute, const Bounds& box, std::uint32_t mask, Real limit,
                          Real rounding) {
  std::vector<Real> found, expected;
  tree.visit_nearest(box, mask, limit, [&](ProxyId id, std::uint64_t, Real now) {
    found.push_back(std::sqrt(squared_distance(tree.grown_bounds(id), box)));
    return now;
  });
  for (const auto& [id, desc] : brute.all)
    if ((desc.category & mask) != 0) expected.push_back(std::sqrt(squared_distance(tree.grown_bounds(id), box)));
  std::sort(expected.begin(), expected.end());
  expected.erase(std::upper_bound(expected.begin(), expected.end(), limit), expected.end());
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], rounding);  // in their order too
}

void expect_queries_agree(const Tree& tree, const BruteForce& brute, RandomPairs& random, Real spread,
                          const Vec3& middle) {
  const Real rounding = 0x1p-48 * (middle.lpNorm<Eigen::Infinity>() + spread);
  const std::uint32_t mask = random.uniform(0, 1) < 0.5 ? kEveryCategory : 1u << static_cast<int>(random.uniform(0, 4));
  const Bounds box = random_box(random, spread, middle);
  EXPECT_EQ(overlaps(tree, box, mask), brute.where(tree, mask, [&](const Bounds& b) { return overlap(b, box); }));
  BoxCast cast{middle + random.in_cube(spread), random.in_cube(2 * spread), Vec3::Zero()};
  if (random.uniform(0, 1) < 0.3) cast.translation[static_cast<int>(random.uniform(0, 3))] = 0;
  if (random.uniform(0, 1) < 0.5) cast.half_extents = random.lengths();
  expect_casts_agree(tree, brute, cast, mask, rounding);
  expect_nearest_agree(tree, brute, box, mask, random.uniform(0, 1) < 0.5 ? kInfinity : spread / 4, rounding);
}

/// Some hundred random operations, each followed by a look at the links and now and then by queries.
void run_random_operations(unsigned seed, const Vec3& middle) {
  RandomPairs random(seed);
  const Real spread = random.uniform(2, 30);
  Tree tree(random.uniform(0, 1) < 0.3 ? 0 : 0.1);
  BruteForce brute;
  Ids alive, gone;
  const auto random_desc = [&] {
    return ProxyDesc{random_box(random, spread, middle), static_cast<std::uint64_t>(random.uniform(0, 1e9)),
                     1u << static_cast<int>(random.uniform(0, 4))};
  };
  const auto pick = [&] { return static_cast<std::size_t>(random.uniform(0, static_cast<Real>(alive.size()))); };
  for (int step = 0; step < 300; ++step) {
    const Real choice = random.uniform(0, 1);
    if (choice < 0.3 || alive.empty()) {
      const ProxyDesc desc = random_desc();
      alive.push_back(tree.insert(desc));
      brute.all[alive.back()] = desc;
    } else if (choice < 0.35) {
      std::vector<ProxyDesc> descs(static_cast<std::size_t>(random.uniform(0, 40)));
      for (ProxyDesc& desc : descs) desc = random_desc();
      Ids ids(descs.size());
      tree.insert(descs, ids);
      for (std::size_t i = 0; i < ids.size(); ++i) brute.all[ids[i]] = descs[i];
      alive.insert(alive.end(), ids.begin(), ids.end());
    } else if (choice < 0.55) {
      const std::size_t k = pick();
      tree.remove(alive[k]);
      brute.all.erase(alive[k]);
      gone.push_back(alive[k]);
      alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(k));
    } else if (choice < 0.9) {
      const ProxyId id = alive[pick()];
      Bounds& box = brute.all[id].bounds;
      const Bounds before = tree.grown_bounds(id);
      const Vec3 way = random.in_cube(choice < 0.7 ? 0.05 : spread);
      box = {box.lower + way, box.upper + way};
      const bool left = tree.move(id, box, 2 * way);
      EXPECT_TRUE(contains(tree.grown_bounds(id), box));
      EXPECT_TRUE(left || (before.lower == tree.grown_bounds(id).lower && before.upper == tree.grown_bounds(id).upper));
    } else if (choice < 0.93) {
      const ProxyId id = alive[pick()];
      tree.set_category(id, brute.all[id].category = 1u << static_cast<int>(random.uniform(0, 4)));
    } else if (choice < 0.97) {
      tree.optimize(5);
    } else if (choice < 0.99) {
      tree.rebuild();
    } else {
      gone.insert(gone.end(), alive.begin(), alive.end());
      tree.clear();
      alive.clear();
      brute.all.clear();
    }
    ASSERT_NO_THROW(tree.check()) << "seed " << seed << " step " << step;
    ASSERT_EQ(tree.size(), alive.size());
    if (step % 10 == 0) expect_queries_agree(tree, brute, random, spread, middle);
    if (::testing::Test::HasFailure()) FAIL() << "seed " << seed << " step " << step;
  }
  for (const ProxyId id : gone) EXPECT_THROW(static_cast<void>(tree.user_data(id)), StaleId);
}

TEST(Tree, AnswersAsALookAtEveryProxyDoes) {
  for (unsigned seed = 1; seed <= 60; ++seed) run_random_operations(seed, Vec3::Zero());
}

TEST(Tree, AnswersAsWellFarFromTheOrigin) {
  for (unsigned seed = 1; seed <= 20; ++seed) run_random_operations(seed, Vec3(1e6, -1e6, 1e6));
  for (unsigned seed = 1; seed <= 10; ++seed) run_random_operations(seed, Vec3(3e8, 0, -1e9));
}

TEST(Tree, KeepsQuietWithinTheMargin) {
  Tree tree(0.5);
  const ProxyId id = tree.insert({{Vec3(0, 0, 0), Vec3(1, 1, 1)}, 7, 1});
  EXPECT_EQ(tree.grown_bounds(id).lower, Vec3(-0.5, -0.5, -0.5));
  EXPECT_FALSE(tree.move(id, {Vec3(0.5, 0, 0), Vec3(1.5, 1, 1)}));
  EXPECT_TRUE(tree.move(id, {Vec3(0.625, 0, 0), Vec3(1.625, 1, 1)}, Vec3(2, 0, -1)));
  EXPECT_EQ(tree.grown_bounds(id).lower, Vec3(0.125, -0.5, -1.5));
  EXPECT_EQ(tree.grown_bounds(id).upper, Vec3(4.125, 1.5, 1.5));
  // It stops: the margins that its speed gave it are given up.
  EXPECT_TRUE(tree.move(id, {Vec3(0.625, 0, 0), Vec3(1.625, 1, 1)}));
  EXPECT_EQ(tree.grown_bounds(id).upper, Vec3(2.125, 1.5, 1.5));
}

TEST(Tree, StaysShallowAndGood) {
  // 20 000 boxes put in along a line, one by one: a tree without care would be a list.
  Tree line;
  for (int i = 0; i < 20000; ++i) line.insert({{Vec3(i, 0, 0), Vec3(i + 0.5, 1, 1)}, 0, 1});
  EXPECT_LE(line.height(), 3 * 15);
  line.rebuild();
  EXPECT_LE(line.height(), 20);

  // All at one place: no split by place exists.
  Tree heap;
  std::vector<ProxyDesc> same(5000, {{Vec3(0, 0, 0), Vec3(1, 1, 1)}, 0, 1});
  Ids ids(same.size());
  heap.insert(same, ids);
  EXPECT_EQ(heap.height(), 13);
  heap.check();

  // Sizes and places over 60 powers of two: depth ends in halves.
  Tree scales;
  for (int i = 0; i < 3000; ++i) {
    const Real s = std::ldexp(1.0, i % 60 - 30);
    scales.insert({{Vec3(s, s, s), Vec3(2 * s, 2 * s, 2 * s)}, 0, 1});
  }
  scales.rebuild();
  scales.check();
  EXPECT_LE(scales.height(), 48 + 13);
}

TEST(Tree, IsNotWornOutByMotion) {
  RandomPairs random(5);
  Tree tree(0.1);
  Ids ids;
  std::vector<Bounds> boxes;
  for (int i = 0; i < 3000; ++i) {
    boxes.push_back(random_box(random, 20));
    ids.push_back(tree.insert({boxes.back(), 0, 1}));
  }
  tree.rebuild();
  const Real fresh = tree.cost();
  for (int step = 0; step < 100; ++step)
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Vec3 way = random.in_cube(0.5);
      const Vec3 back = -0.02 * center(boxes[i]);  // they stay within the cube, but mix
      boxes[i] = {boxes[i].lower + way + back, boxes[i].upper + way + back};
      tree.move(ids[i], boxes[i]);
    }
  const Real moved = tree.cost();
  tree.rebuild();
  EXPECT_LE(moved, 1.35 * tree.cost()) << fresh;
}

TEST(Tree, SameCallsGiveTheSameOrder) {
  const auto run = [] {
    RandomPairs random(9);
    Tree tree(0.1);
    Ids order;
    for (int i = 0; i < 500; ++i) {
      const ProxyId id = tree.insert({random_box(random, 5), 0, 1});
      if (i % 3 == 0) tree.remove(id);
    }
    tree.visit_overlaps({Vec3(-3, -3, -3), Vec3(3, 3, 3)}, 1, [&](ProxyId id, std::uint64_t) { order.push_back(id); });
    tree.visit_cast({Vec3(-9, 0, 0), Vec3(18, 1, 1), Vec3::Zero()}, 1, 1, [&](ProxyId id, std::uint64_t, Real limit) {
      order.push_back(id);
      return limit;
    });
    return order;
  };
  const Ids first = run();
  EXPECT_GT(first.size(), 100u);
  EXPECT_EQ(first, run());
}

TEST(Tree, VisitorsShortenAndEndQueries) {
  Tree tree;
  for (int i = 0; i < 100; ++i) tree.insert({{Vec3(i, 0, 0), Vec3(i + 0.5, 1, 1)}, static_cast<std::uint64_t>(i), 1});
  int calls = 0;
  tree.visit_overlaps({Vec3(0, 0, 0), Vec3(99, 1, 1)}, 1, [&](ProxyId, std::uint64_t) { return ++calls < 5; });
  EXPECT_EQ(calls, 5);
  // The first box is met at fraction 0.1; once it is known, nothing behind it is asked for.
  calls = 0;
  const Real limit = tree.visit_cast({Vec3(-100, 0.5, 0.5), Vec3(1000, 0, 0), Vec3::Zero()}, 1, 1,
                                     [&](ProxyId, std::uint64_t i, Real) {
                                       ++calls;
                                       return (100 + static_cast<Real>(i)) / 1000;
                                     });
  EXPECT_EQ(limit, 0.1);
  EXPECT_EQ(calls, 1);
  std::vector<std::uint64_t> nearest;
  tree.visit_nearest({Vec3(50.75, 0, 0), Vec3(50.75, 0, 0)}, 1, kInfinity, [&](ProxyId, std::uint64_t i, Real now) {
    nearest.push_back(i);
    return nearest.size() < 4 ? now : -1;
  });
  EXPECT_EQ(nearest, (std::vector<std::uint64_t>{50, 51, 49, 52}));
}

TEST(Tree, RefusesWhatIsNoBox) {
  EXPECT_THROW(Tree(-1), InvalidArgument);
  EXPECT_THROW(Tree(NAN), InvalidArgument);
  Tree tree;
  const ProxyId id = tree.insert({{Vec3(0, 0, 0), Vec3(1, 1, 1)}, 0, 1});
  const std::vector<Bounds> bad = {{Vec3(0, 0, NAN), Vec3(1, 1, 1)},
                                   {Vec3(0, 0, 2), Vec3(1, 1, 1)},
                                   {Vec3(0, 0, 0), Vec3(1, kInfinity, 1)},
                                   {Vec3(-1e31, 0, 0), Vec3(1, 1, 1)}};
  for (const Bounds& box : bad) {
    EXPECT_THROW(tree.insert({box, 0, 1}), InvalidArgument);
    EXPECT_THROW(tree.move(id, box), InvalidArgument);
    const std::vector<ProxyDesc> descs = {{{Vec3(0, 0, 0), Vec3(1, 1, 1)}, 0, 1}, {box, 0, 1}};
    Ids ids(2);
    EXPECT_THROW(tree.insert(descs, ids), InvalidArgument);
    EXPECT_THROW(tree.visit_overlaps(box, 1, [](ProxyId, std::uint64_t) {}), InvalidArgument);
    EXPECT_THROW(tree.visit_nearest(box, 1, 1, [](ProxyId, std::uint64_t, Real now) { return now; }), InvalidArgument);
  }
  EXPECT_EQ(tree.size(), 1u);
  EXPECT_NO_THROW(tree.check());
  EXPECT_THROW(tree.move(id, {Vec3(0, 0, 0), Vec3(1, 1, 1)}, Vec3(NAN, 0, 0)), InvalidArgument);
  const auto go_on = [](ProxyId, std::uint64_t, Real limit) { return limit; };
  EXPECT_THROW(tree.visit_cast({Vec3(NAN, 0, 0), Vec3(1, 0, 0), Vec3::Zero()}, 1, 1, go_on), InvalidArgument);
  EXPECT_THROW(tree.visit_cast({Vec3::Zero(), Vec3(kInfinity, 0, 0), Vec3::Zero()}, 1, 1, go_on), InvalidArgument);
  EXPECT_THROW(tree.visit_cast({Vec3::Zero(), Vec3(1, 0, 0), Vec3(-1, 0, 0)}, 1, 1, go_on), InvalidArgument);
  tree.remove(id);
  EXPECT_THROW(tree.remove(id), StaleId);
  EXPECT_THROW(tree.move(id, {Vec3(0, 0, 0), Vec3(1, 1, 1)}), StaleId);
  EXPECT_THROW(tree.remove({}), StaleId);
}

}  // namespace
}  // namespace visviva::collision
