#include "visviva/collision/broad_phase.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "random_pairs.hpp"
#include "tests/properties/count_allocations.hpp"
#include "visviva/core/error.hpp"

namespace visviva::collision {
namespace {

using Pairs = std::vector<ProxyPair>;

Bounds moved(const Bounds& box, const Vec3& way) { return {box.lower + way, box.upper + way}; }

/// A scene that is told the same as a BroadPhase, and looks at all pairs.
struct Scene {
  RandomPairs random;
  BroadPhase broad;
  Real spread;
  Vec3 middle;
  std::map<BroadProxyId, BroadProxyDesc> all;
  std::vector<BroadProxyId> alive;
  std::set<ProxyPair> pairs;  ///< as reported

  Scene(unsigned seed, Real spread_in, Vec3 middle_in = Vec3::Zero(), Real margin = 0.1)
      : random(seed), broad({margin}), spread(spread_in), middle(middle_in) {}

  BroadProxyDesc random_desc() {
    const Vec3 p = middle + random.in_cube(spread), h = 0.5 * random.lengths();
    const auto bits = [&] { return static_cast<std::uint32_t>(random.uniform(1, 16)); };
    return {{p - h, p + h}, static_cast<Mobility>(static_cast<int>(random.uniform(0, 3))), {bits(), bits() | 3u}, 5};
  }
  std::size_t pick() { return static_cast<std::size_t>(random.uniform(0, static_cast<Real>(alive.size()))); }
  void add(std::size_t count) {
    std::vector<BroadProxyDesc> descs(count);
    for (BroadProxyDesc& desc : descs) desc = random_desc();
    std::vector<BroadProxyId> ids(count);
    broad.insert(descs, ids);
    for (std::size_t i = 0; i < count; ++i) all[ids[i]] = descs[i];
    alive.insert(alive.end(), ids.begin(), ids.end());
  }
  void remove(std::size_t k) {
    broad.remove(alive[k]);
    all.erase(alive[k]);
    alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(k));
  }
  /// Some of them, each as one call or all in one.
  void move_some(Real fraction, Real far, bool in_bulk) {
    std::vector<BroadMove> moves;
    for (const BroadProxyId id : alive) {
      if (random.uniform(0, 1) > fraction) continue;
      const Vec3 way = random.in_cube(far);
      all[id].bounds = moved(all[id].bounds, way);
      moves.push_back({id, all[id].bounds, way});
    }
    if (in_bulk) {
      broad.move(moves);
    } else {
      for (const BroadMove& m : moves) broad.move(m.id, m.bounds, m.displacement);
    }
  }
  [[nodiscard]] std::set<ProxyPair> all_pairs() const {
    struct Item {
      BroadProxyId id;
      BroadProxyDesc desc;
      Bounds grown;
    };
    std::vector<Item> items;
    for (const auto& [id, desc] : all) items.push_back({id, desc, broad.grown_bounds(id)});
    const auto expected = [](const Item& a, const Item& b) {
      return overlap(a.grown, b.grown) &&
             (a.desc.mobility == Mobility::Dynamic || b.desc.mobility == Mobility::Dynamic) &&
             (a.desc.filter.category & b.desc.filter.mask) != 0 && (b.desc.filter.category & a.desc.filter.mask) != 0;
    };
    std::set<ProxyPair> found;
    for (std::size_t i = 0; i < items.size(); ++i)
      for (std::size_t j = i + 1; j < items.size(); ++j)  // in the order of ids
        if (expected(items[i], items[j])) found.insert({items[i].id, items[j].id});
    return found;
  }
  PairChanges update(TaskSystem* tasks = nullptr) {
    const PairChanges changes = broad.update(tasks);
    EXPECT_TRUE(std::is_sorted(changes.begun.begin(), changes.begun.end()));
    EXPECT_TRUE(std::is_sorted(changes.ended.begin(), changes.ended.end()));
    for (const ProxyPair& pair : changes.ended) EXPECT_EQ(pairs.erase(pair), 1u);
    for (const ProxyPair& pair : changes.begun) EXPECT_TRUE(pairs.insert(pair).second);
    return changes;
  }
};

void run_random_operations(unsigned seed, const Vec3& middle) {
  Scene scene(seed, 6, middle, seed % 3 == 0 ? 0 : 0.1);
  for (int step = 0; step < 60; ++step) {
    for (int k = 0; k < 3; ++k) {
      const Real choice = scene.random.uniform(0, 1);
      if (choice < 0.3 || scene.alive.empty()) {
        scene.add(choice < 0.1 ? 30 : 1);
      } else if (choice < 0.5) {
        scene.remove(scene.pick());
      } else if (choice < 0.8) {
        scene.move_some(scene.random.uniform(0, 1), choice < 0.6 ? 0.05 : 2, choice < 0.7);
      } else if (choice < 0.9) {
        const BroadProxyId id = scene.alive[scene.pick()];
        scene.broad.set_filter(id, scene.all[id].filter = scene.random_desc().filter);
      } else {
        const BroadProxyId id = scene.alive[scene.pick()];
        scene.broad.set_mobility(id, scene.all[id].mobility = scene.random_desc().mobility);
      }
    }
    scene.update();
    ASSERT_EQ(scene.pairs, scene.all_pairs()) << "seed " << seed << " step " << step;
    ASSERT_EQ(scene.broad.pair_count(), scene.pairs.size());
    for (const auto& [id, desc] : scene.all)
      EXPECT_TRUE(contains(scene.broad.grown_bounds(id), desc.bounds)) << "seed " << seed << " step " << step;
  }
  for (const BroadProxyId id : scene.alive) {
    std::set<BroadProxyId> partners;
    scene.broad.visit_partners(id, [&](BroadProxyId other) {
      EXPECT_TRUE(partners.insert(other).second);
      EXPECT_TRUE(scene.broad.are_paired(id, other));
    });
    const auto holds_id = [&](const ProxyPair& p) { return p.a == id || p.b == id; };
    EXPECT_EQ(partners.size(), std::count_if(scene.pairs.begin(), scene.pairs.end(), holds_id));
  }
}

TEST(BroadPhase, KeepsThePairsThatAllPairsGive) {
  for (unsigned seed = 1; seed <= 40; ++seed) run_random_operations(seed, Vec3::Zero());
}

TEST(BroadPhase, KeepsThemFarFromTheOrigin) {
  for (unsigned seed = 1; seed <= 10; ++seed) run_random_operations(seed, Vec3(1e6, 1e6, -1e6));
}

TEST(BroadPhase, GivesTheSameForAnyNumberOfThreads) {
  std::vector<Pairs> expected;
  for (const int threads : {0, 1, 2, 8}) {
    Scene scene(77, 10);
    const std::unique_ptr<TaskPool> tasks = threads > 0 ? std::make_unique<TaskPool>(threads) : nullptr;
    scene.add(3000);
    std::vector<Pairs> steps;
    for (int step = 0; step < 6; ++step) {
      const PairChanges changes = scene.update(tasks.get());
      steps.emplace_back(changes.begun.begin(), changes.begun.end());
      steps.emplace_back(changes.ended.begin(), changes.ended.end());
      scene.move_some(0.5, 0.3, step % 2 == 0);
    }
    EXPECT_GT(steps[0].size(), 1000u);
    EXPECT_GT(steps[3].size(), 100u);
    if (expected.empty()) expected = steps;
    EXPECT_EQ(steps, expected) << threads;
  }
}

TEST(BroadPhase, LooksOnlyAtWhatLeftItsMargin) {
  BroadPhase broad({0.5});
  const Bounds box{Vec3(0, 0, 0), Vec3(1, 1, 1)};
  const BroadProxyId a = broad.insert({box, Mobility::Dynamic, {}, 1});
  const BroadProxyId b = broad.insert({moved(box, Vec3(1.75, 0, 0)), Mobility::Static, {}, 2});
  const BroadProxyId c = broad.insert({moved(box, Vec3(3, 0, 0)), Mobility::Static, {}, 3});
  const auto first = broad.update();
  EXPECT_EQ(Pairs(first.begun.begin(), first.begun.end()), (Pairs{{a, b}}));  // b and c rest
  EXPECT_FALSE(broad.move(a, moved(box, Vec3(0.25, 0, 0))));
  EXPECT_TRUE(broad.update().begun.empty());
  EXPECT_TRUE(broad.move(a, moved(box, Vec3(1.25, 0, 0))));
  const auto next = broad.update();
  EXPECT_EQ(Pairs(next.begun.begin(), next.begun.end()), (Pairs{{a, c}}));
  EXPECT_TRUE(next.ended.empty());
  EXPECT_TRUE(broad.move(a, moved(box, Vec3(-5, 0, 0))));
  const auto last = broad.update();
  EXPECT_EQ(Pairs(last.ended.begin(), last.ended.end()), (Pairs{{a, b}, {a, c}}));
  EXPECT_EQ(broad.user_data(c), 3u);
}

TEST(BroadPhase, PairsWhatReachesIntoAHalfSpace) {
  RandomPairs random(8);
  BroadPhase broad({0.25});
  std::vector<BroadProxyId> balls;
  std::vector<Vec3> places;
  for (int i = 0; i < 300; ++i) {
    places.push_back(random.in_cube(10));
    const Bounds box{places.back().array() - 0.5, places.back().array() + 0.5};
    balls.push_back(broad.insert({box, i % 3 == 0 ? Mobility::Static : Mobility::Dynamic, {1, 3}, 0}));
  }
  geometry::Plane plane{random.unit(), 1};
  const BroadProxyId ground = broad.insert_unbounded(plane, Mobility::Static, {2, 1}, 9);
  const BroadProxyId unseen = broad.insert_unbounded(plane, Mobility::Static, {4, 1}, 9);
  const BroadProxyId everywhere = broad.insert_unbounded({Vec3::Zero(), 0}, Mobility::Kinematic, {2, 1}, 9);
  const auto check = [&] {
    for (std::size_t i = 0; i < balls.size(); ++i) {
      // Of the cube with half edge 0.75 about its place.
      const Real lowest = plane.normal.dot(places[i]) - 0.75 * plane.normal.lpNorm<1>();
      EXPECT_EQ(broad.are_paired(balls[i], ground), i % 3 != 0 && lowest <= plane.offset) << i;
      EXPECT_EQ(broad.are_paired(balls[i], everywhere), i % 3 != 0) << i;
      EXPECT_FALSE(broad.are_paired(balls[i], unseen)) << i;
    }
    EXPECT_FALSE(broad.are_paired(ground, everywhere));
  };
  static_cast<void>(broad.update());
  check();
  for (std::size_t i = 0; i < balls.size(); i += 2) {
    places[i] = random.in_cube(10);
    broad.move(balls[i], {places[i].array() - 0.5, places[i].array() + 0.5});
  }
  static_cast<void>(broad.update());
  check();
  plane = {random.unit(), -2};
  broad.move_unbounded(ground, plane);
  static_cast<void>(broad.update());
  check();
  EXPECT_FALSE(broad.is_bounded(ground));
  EXPECT_THROW(broad.move(ground, {Vec3::Zero(), Vec3::Zero()}), InvalidArgument);
  EXPECT_THROW(broad.move_unbounded(balls[0], plane), InvalidArgument);
  EXPECT_THROW(broad.insert_unbounded({Vec3(NAN, 0, 0), 0}, Mobility::Static, {}), InvalidArgument);
  const std::size_t before = broad.pair_count();
  broad.remove(everywhere);
  EXPECT_EQ(broad.update().ended.size(), 200u);
  EXPECT_EQ(broad.pair_count(), before - 200);
}

TEST(BroadPhase, TellsPairsOfRemovedProxiesByTheirOldIds) {
  BroadPhase broad;
  const Bounds box{Vec3(0, 0, 0), Vec3(1, 1, 1)};
  const BroadProxyId a = broad.insert({box, Mobility::Dynamic, {}, 0});
  const BroadProxyId b = broad.insert({box, Mobility::Dynamic, {}, 0});
  EXPECT_EQ(broad.update().begun.size(), 1u);
  broad.remove(b);
  const BroadProxyId c = broad.insert({box, Mobility::Dynamic, {}, 0});
  EXPECT_EQ(c.index, b.index);
  const auto changes = broad.update();
  EXPECT_EQ(Pairs(changes.ended.begin(), changes.ended.end()), (Pairs{{a, b}}));
  EXPECT_EQ(Pairs(changes.begun.begin(), changes.begun.end()), (Pairs{{a, c}}));
}

TEST(BroadPhase, AsksTheUser) {
  BroadPhase broad;
  const Bounds box{Vec3(0, 0, 0), Vec3(1, 1, 1)};
  std::vector<BroadProxyId> ids;
  for (std::uint64_t i = 0; i < 4; ++i) ids.push_back(broad.insert({box, Mobility::Dynamic, {}, i}));
  const auto even = [&](BroadProxyId a, BroadProxyId b) { return (broad.user_data(a) + broad.user_data(b)) % 2 == 0; };
  const auto changes = broad.update(nullptr, even);
  EXPECT_EQ(Pairs(changes.begun.begin(), changes.begun.end()), (Pairs{{ids[0], ids[2]}, {ids[1], ids[3]}}));
  // It changes its mind about one of them.
  broad.touch(ids[0]);
  const auto odd = [&](BroadProxyId a, BroadProxyId b) { return !even(a, b); };
  const auto next = broad.update(nullptr, odd);
  EXPECT_EQ(Pairs(next.begun.begin(), next.begun.end()), (Pairs{{ids[0], ids[1]}, {ids[0], ids[3]}}));
  EXPECT_EQ(Pairs(next.ended.begin(), next.ended.end()), (Pairs{{ids[0], ids[2]}}));
}

TEST(BroadPhase, RefusesWhatIsNoProxy) {
  EXPECT_THROW(BroadPhase({-1}), InvalidArgument);
  EXPECT_THROW(BroadPhase({NAN}), InvalidArgument);
  BroadPhase broad;
  const Bounds box{Vec3(0, 0, 0), Vec3(1, 1, 1)}, bad{Vec3(0, NAN, 0), Vec3(1, 1, 1)};
  const BroadProxyId a = broad.insert({box, Mobility::Dynamic, {}, 0});
  EXPECT_THROW(broad.insert({bad, Mobility::Dynamic, {}, 0}), InvalidArgument);
  EXPECT_THROW(broad.insert({box, static_cast<Mobility>(7), {}, 0}), InvalidArgument);
  EXPECT_THROW(broad.move(a, bad), InvalidArgument);
  const std::vector<BroadMove> moves = {{a, moved(box, Vec3(5, 0, 0)), Vec3::Zero()}, {a, bad, Vec3::Zero()}};
  EXPECT_THROW(broad.move(moves), InvalidArgument);
  EXPECT_EQ(broad.grown_bounds(a).lower, Vec3(-0.1, -0.1, -0.1));
  broad.remove(a);
  EXPECT_THROW(broad.remove(a), StaleId);
  EXPECT_THROW(broad.move(a, box), StaleId);
  EXPECT_THROW(broad.set_filter(a, {}), StaleId);
  EXPECT_THROW(static_cast<void>(broad.are_paired(a, a)), StaleId);
  EXPECT_EQ(broad.size(), 0u);
}

TEST(BroadPhase, AllocatesNothingOnceWarm) {
  Scene scene(3, 12);
  scene.add(2000);
  std::vector<BroadMove> moves;
  for (const BroadProxyId id : scene.alive) moves.push_back({id, scene.all[id].bounds, Vec3::Zero()});
  const auto swing = [&](int step) {
    for (std::size_t i = 0; i < moves.size(); ++i) {
      if (i % 16 > static_cast<std::size_t>(step % 8)) continue;  // few: one by one; many: a new tree
      const Vec3 way = (step % 2 == 0 ? 0.7 : -0.7) * Vec3(1, i % 3 == 0 ? 1 : -1, 0);
      moves[i].bounds = moved(moves[i].bounds, way);
    }
    scene.broad.move(moves);
    static_cast<void>(scene.broad.update());
  };
  for (int step = 0; step < 32; ++step) swing(step);
  const long before = allocation_count();
  for (int step = 0; step < 32; ++step) swing(step);
  EXPECT_EQ(allocation_count(), before);
}

}  // namespace
}  // namespace visviva::collision
