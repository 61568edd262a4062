#include "visviva/collision/space.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <thread>

#include "random_pairs.hpp"
#include "tests/properties/count_allocations.hpp"
#include "visviva/collision/collide.hpp"
#include "visviva/collision/mesh.hpp"
#include "visviva/core/error.hpp"
#include "visviva/geometry/convex_hull.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::collision {
namespace {

using geometry::Solid;
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

/// All kinds of colliders, and every question answered by asking each of them.
struct Scene {
  RandomPairs random;
  Real spread;
  Vec3 middle;
  Space space;
  std::vector<ColliderId> alive;

  Scene(unsigned seed, Real spread_in, const Vec3& middle_in = Vec3::Zero())
      : random(seed), spread(spread_in), middle(middle_in), space({seed % 3 == 0 ? 0.0 : 0.1}) {}

  Collider random_collider() {
    const Real kind = random.uniform(0, 1);
    if (kind < 0.7) return Collider(random.convex());
    if (kind < 0.8) return Collider(geometry::unite(Solid(random.shape(), random.pose(1)), Solid(random.shape())));
    const geometry::TriangleMesh mesh = geometry::make_convex_hull(random.hull(10));
    if (kind < 0.9) return Collider(PlacedSurface{std::make_shared<const Mesh>(mesh), {}});
    return Collider(Solid(geometry::TriangleSurface{mesh.vertices, mesh.triangles, kind < 0.95}));
  }
  Pose random_pose() { return {random.rotation(), middle + random.in_cube(spread)}; }
  std::uint32_t bits() { return static_cast<std::uint32_t>(random.uniform(1, 16)); }
  ColliderDesc random_desc() {
    return {random_collider(),
            random_pose(),
            static_cast<Mobility>(static_cast<int>(random.uniform(0, 3))),
            {bits(), bits()},
            alive.size()};
  }
  std::size_t pick() { return static_cast<std::size_t>(random.uniform(0, static_cast<Real>(alive.size()))); }
  void fill(std::size_t count) {
    std::vector<ColliderDesc> descs;
    for (std::size_t i = 0; i < count; ++i) descs.push_back(random_desc());
    std::vector<ColliderId> ids(count);
    space.add(descs, ids);
    alive.insert(alive.end(), ids.begin(), ids.end());
  }
  void add_ground() {
    alive.push_back(space.add({Collider(geometry::Plane{random.unit(), -0.7 * spread}),
                               {Mat3::Identity(), middle},
                               Mobility::Static,
                               {bits(), 1},
                               0}));
    geometry::HeightField field{9, 9, Vec2(1, 1), {}};
    for (int i = 0; i < 81; ++i) field.heights.push_back(random.uniform(0, 1));
    alive.push_back(space.add({Collider(Solid(field)), random_pose(), Mobility::Static, {bits(), 1}, 0}));
  }
  void change() {
    for (int k = 0; k < 20; ++k) {
      const std::size_t i = pick();
      const Real choice = random.uniform(0, 1);
      if (choice < 0.2) {
        space.remove(alive[i]);
        alive[i] = space.add(random_desc());
      } else if (choice < 0.7) {
        space.move(alive[i], random_pose());
      } else if (choice < 0.8) {
        space.set_filter(alive[i], {bits(), bits()});
      } else {
        Pose pose = space.pose(alive[i]);
        pose.p += random.in_cube(0.05);
        space.move(alive[i], pose, random.in_cube(0.1));
      }
    }
  }

  template <class Cast>
  std::vector<SpaceHit> all_hits(const QueryFilter& filter, Cast&& cast) const {
    std::vector<SpaceHit> hits;
    for (const ColliderId id : alive) {
      if ((space.filter(id).category & filter.mask) == 0 || (filter.accepts && !filter.accepts(id))) continue;
      if (const auto hit = cast(space.collider(id), space.pose(id))) hits.push_back({*hit, id});
    }
    std::sort(hits.begin(), hits.end(), [](const SpaceHit& a, const SpaceHit& b) {
      return a.fraction != b.fraction ? a.fraction < b.fraction : a.id < b.id;
    });
    return hits;
  }
};

void expect_same(const std::vector<SpaceHit>& found, const std::vector<SpaceHit>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].id, expected[i].id);
    EXPECT_EQ(found[i].fraction, expected[i].fraction);
    EXPECT_EQ(found[i].normal, expected[i].normal);
    EXPECT_EQ(found[i].piece, expected[i].piece);
    EXPECT_EQ(found[i].triangle, expected[i].triangle);
  }
}

void expect_first(const std::optional<SpaceHit>& first, const std::vector<SpaceHit>& all) {
  ASSERT_EQ(first.has_value(), !all.empty());
  if (!first) return;
  EXPECT_EQ(first->id, all.front().id);
  EXPECT_EQ(first->fraction, all.front().fraction);
}

void expect_casts_agree(Scene& scene, const QueryFilter& filter) {
  const Vec3 origin = scene.middle + scene.random.in_cube(2 * scene.spread);
  const Vec3 way = 2 * (scene.middle + scene.random.in_cube(scene.spread) - origin);
  std::vector<SpaceHit> hits;
  const Ray ray{origin, way};
  auto expected = scene.all_hits(filter, [&](const Collider& c, const Pose& X) { return cast_ray(ray, c, X); });
  scene.space.cast_ray(ray, hits, filter);
  expect_same(hits, expected);
  expect_first(scene.space.cast_ray(ray, filter), expected);

  const SphereCast ball{origin, way, scene.random.uniform(0, 1)};
  expected = scene.all_hits(filter, [&](const Collider& c, const Pose& X) { return cast_sphere(ball, c, X); });
  scene.space.cast_sphere(ball, hits, filter);
  expect_same(hits, expected);
  expect_first(scene.space.cast_sphere(ball, filter), expected);

  const geometry::Convex set = scene.random.convex();
  const ShapeCast shape{set, {scene.random.rotation(), origin}, way};
  expected = scene.all_hits(filter, [&](const Collider& c, const Pose& X) { return cast_shape(shape, c, X); });
  scene.space.cast_shape(shape, hits, filter);
  expect_same(hits, expected);
  expect_first(scene.space.cast_shape(shape, filter), expected);
}

void expect_places_agree(Scene& scene, const QueryFilter& filter) {
  const auto sees = [&](ColliderId id) {
    return (scene.space.filter(id).category & filter.mask) != 0 && (!filter.accepts || filter.accepts(id));
  };
  const Collider set = scene.random_collider();
  const Pose X = scene.random_pose();
  std::vector<ColliderId> found, expected;
  for (const ColliderId id : scene.alive)
    if (sees(id) && overlap(set, X, scene.space.collider(id), scene.space.pose(id))) expected.push_back(id);
  std::sort(expected.begin(), expected.end());
  scene.space.overlap(set, X, found, filter);
  EXPECT_EQ(found, expected);
  EXPECT_EQ(scene.space.overlaps_any(set, X, filter), !expected.empty());

  const Vec3 point = scene.middle + scene.random.in_cube(1.5 * scene.spread);
  const Real limit = scene.random.uniform(0, 1) < 0.5 ? kInfinity : scene.spread / 2;
  std::vector<SpacePoint> all, some;
  for (const ColliderId id : scene.alive)
    if (sees(id)) all.push_back({closest_point(point, scene.space.collider(id), scene.space.pose(id)), id});
  std::erase_if(all, [&](const SpacePoint& p) { return !(p.distance <= limit); });
  std::sort(all.begin(), all.end(), [](const SpacePoint& a, const SpacePoint& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.id < b.id;
  });
  const auto count = static_cast<std::size_t>(scene.random.uniform(0, 12));
  scene.space.nearest(point, count, some, limit, filter);
  ASSERT_EQ(some.size(), std::min(count, all.size()));
  for (std::size_t i = 0; i < some.size(); ++i) {
    EXPECT_EQ(some[i].id, all[i].id);
    EXPECT_EQ(some[i].distance, all[i].distance);
  }
  const auto nearest = scene.space.closest_point(point, limit, filter);
  ASSERT_EQ(nearest.has_value(), !all.empty());
  if (nearest) {
    EXPECT_EQ(nearest->id, all.front().id);
  }
}

void run(unsigned seed, const Vec3& middle) {
  Scene scene(seed, 5, middle);
  scene.fill(60);
  scene.add_ground();
  const auto even = [](ColliderId id) { return id.index % 2 == 0; };
  for (int round = 0; round < 15; ++round) {
    QueryFilter filter;
    if (round % 3 == 1) filter.mask = scene.bits();
    if (round % 3 == 2) filter.accepts = even;
    expect_casts_agree(scene, filter);
    expect_places_agree(scene, filter);
    if (::testing::Test::HasFailure()) FAIL() << "seed " << seed << " round " << round;
    scene.change();
  }
}

TEST(Space, AnswersAsAskingEveryColliderDoes) {
  for (unsigned seed = 1; seed <= 12; ++seed) run(seed, Vec3::Zero());
}

TEST(Space, AnswersAsWellFarFromTheOrigin) {
  for (unsigned seed = 1; seed <= 6; ++seed) run(seed, Vec3(1e6, -1e6, 1e6));
}

TEST(Space, PairsMissNoOverlap) {
  Scene scene(21, 6);
  scene.fill(150);
  scene.add_ground();
  for (int round = 0; round < 10; ++round) {
    static_cast<void>(scene.space.update());
    int overlaps = 0;
    for (const ColliderId a : scene.alive)
      for (const ColliderId b : scene.alive) {
        const bool may =
            (scene.space.mobility(a) == Mobility::Dynamic || scene.space.mobility(b) == Mobility::Dynamic) &&
            may_meet(scene.space.filter(a), scene.space.filter(b));
        if (!(a < b) || !may) continue;
        if (!overlap(scene.space.collider(a), scene.space.pose(a), scene.space.collider(b), scene.space.pose(b)))
          continue;
        ++overlaps;
        EXPECT_TRUE(scene.space.are_paired(a, b));
      }
    EXPECT_GT(overlaps, 20);
    EXPECT_LT(scene.space.pair_count(), 150u * 150 / 8);
    scene.change();
  }
}

/// Flies straight and turns about an axis at constant rates.
class Throw final : public Path {
 public:
  Vec3 p, v, axis;
  Real rate = 0;
  [[nodiscard]] Pose pose(Real t) const override { return {exp_so3(t * rate * axis), p + t * v}; }
  [[nodiscard]] Vec3 reference_point() const override { return Vec3::Zero(); }
  [[nodiscard]] Vec3 velocity(Real) const override { return v; }
  [[nodiscard]] Vec3 angular_velocity(Real) const override { return rate * axis; }
  [[nodiscard]] Real max_acceleration() const override { return 0; }
  [[nodiscard]] Real max_angular_speed() const override { return rate; }
  [[nodiscard]] Real max_angular_acceleration() const override { return 0; }
};

TEST(Space, FindsTheFirstTouchOfWhatTurns) {
  Scene scene(51, 6);
  scene.fill(80);
  int touches = 0;
  for (int round = 0; round < 25; ++round) {
    Throw path;
    path.p = 12 * scene.random.unit();
    path.v = scene.random.in_cube(3) - path.p;
    path.axis = scene.random.unit();
    path.rate = scene.random.uniform(0, 10);
    const Collider set{scene.random.convex()};
    const auto impact = scene.space.time_of_impact(set, path, 0, 2);
    // Dense sampling: nothing overlaps before it, and at it the distance is within the tolerance.
    const Real last = impact ? impact->time : 2;
    if (scene.space.overlaps_any(set, path.pose(0))) continue;
    for (int k = 0; k < 300; ++k) EXPECT_FALSE(scene.space.overlaps_any(set, path.pose(last * k / 300))) << round;
    if (!impact) continue;
    ++touches;
    const ColliderId id = impact->id;
    const Separation s = distance(set, path.pose(last), scene.space.collider(id), scene.space.pose(id));
    EXPECT_GE(s.distance, -1e-12) << round;
    EXPECT_LE(s.distance, 1e-10) << round;
    // Without whom it touched, it touches later, and with a filter that is what it finds.
    const auto others = [&](ColliderId other) { return other != id; };
    const auto next = scene.space.time_of_impact(set, path, 0, 2, {.accepts = others});
    if (next) {
      EXPECT_GE(next->time, impact->time) << round;
      EXPECT_NE(next->id, id) << round;
    }
  }
  EXPECT_GT(touches, 10);
  EXPECT_THROW(static_cast<void>(scene.space.time_of_impact(scene.random_collider(), Throw{}, 1, 0)), InvalidArgument);
}

TEST(Space, VisitorsShortenSkipAndEnd) {
  Space space;
  std::vector<ColliderId> ids;
  for (int i = 0; i < 20; ++i)
    ids.push_back(space.add({Collider(Solid(geometry::Sphere{0.5})), {Mat3::Identity(), Vec3(3 * i + 3, 0, 0)}}));
  const Ray ray{Vec3::Zero(), Vec3(100, 0, 0)};
  int calls = 0;
  space.cast_ray(ray, [&](const SpaceHit&, Real) { return ++calls < 3 ? 1.0 : -1.0; });
  EXPECT_EQ(calls, 3);
  std::set<ColliderId> near;
  space.cast_ray(ray, [&](const SpaceHit& hit, Real limit) {
    near.insert(hit.id);
    return std::min(limit, 0.2);  // no farther than 20 m from now on
  });
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(near.contains(ids[static_cast<std::size_t>(i)]));
  EXPECT_LE(near.size(), 7u);
  const auto all_but_first = [&](ColliderId id) { return id != ids[0]; };
  EXPECT_EQ(space.cast_ray(ray, {.accepts = all_but_first})->id, ids[1]);
  // A visitor and a filter may ask again.
  int inner = 0;
  const auto asks = [&](ColliderId id) {
    if (space.closest_point(space.pose(id).p)) ++inner;
    return true;
  };
  std::vector<SpacePoint> nearest;
  space.nearest(Vec3(30, 5, 0), 4, nearest, kInfinity, {.accepts = asks});
  EXPECT_EQ(nearest.size(), 4u);
  EXPECT_EQ(nearest[0].id, ids[9]);
  EXPECT_GE(inner, 4);
}

TEST(Space, MayBeAskedFromManyThreadsAtOnce) {
  Scene scene(31, 8);
  scene.fill(300);
  scene.add_ground();
  const Scene& shared = scene;
  const auto ask = [&shared](unsigned seed) {
    RandomPairs random(seed);
    Real sum = 0;
    std::vector<SpaceHit> hits;
    std::vector<SpacePoint> points;
    std::vector<ColliderId> ids;
    const Collider set{random.convex()};
    const geometry::Convex convex = random.convex();
    for (int i = 0; i < 150; ++i) {
      const Vec3 origin = random.in_cube(10), way = random.in_cube(20);
      shared.space.cast_ray({origin, way}, hits);
      for (const SpaceHit& hit : hits) sum += hit.fraction;
      if (const auto hit = shared.space.cast_sphere({origin, way, 0.5})) sum += hit->fraction;
      if (const auto hit = shared.space.cast_shape({convex, {random.rotation(), origin}, way})) sum += hit->fraction;
      shared.space.nearest(origin, 3, points);
      for (const SpacePoint& p : points) sum += p.distance;
      shared.space.overlap(set, {random.rotation(), origin}, ids);
      sum += static_cast<Real>(ids.size());
    }
    return sum;
  };
  std::vector<Real> alone, together(8);
  for (unsigned k = 0; k < 8; ++k) alone.push_back(ask(k));
  std::vector<std::thread> threads;
  for (unsigned k = 0; k < 8; ++k) threads.emplace_back([&, k] { together[k] = ask(k); });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(alone, together);
}

TEST(Space, AllocatesNothingOnceWarm) {
  Scene scene(41, 8);
  scene.fill(200);
  scene.add_ground();
  const geometry::Convex convex{geometry::Box{Vec3(0.3, 0.4, 0.5)}, {}, 0.1};
  std::vector<SpaceHit> hits;
  std::vector<SpacePoint> points;
  const auto ask = [&] {
    RandomPairs random(1);
    for (int i = 0; i < 100; ++i) {
      const Vec3 origin = random.in_cube(10), way = random.in_cube(20);
      scene.space.cast_ray({origin, way}, hits);
      static_cast<void>(scene.space.cast_sphere({origin, way, 0.5}));
      scene.space.cast_shape({convex, {random.rotation(), origin}, way}, hits);
      scene.space.nearest(origin, 5, points);
      static_cast<void>(scene.space.closest_point(origin));
    }
  };
  ask();
  const long before = allocation_count();
  ask();
  EXPECT_EQ(allocation_count(), before);
}

/// Placed without new bounds, within those of the last move: seen where it is, and paired as before.
TEST(Space, SeesWhatIsPlacedWithinItsBoundsWhereItIs) {
  constexpr Real kRoom = 0.1, kEdge = 1;
  Space space({0.0});
  const Collider cube(Solid(geometry::Box{Vec3::Constant(kEdge / 2)}));
  const ColliderId id = space.add({cube, {}, Mobility::Dynamic, {}, 0});
  space.move(std::vector<ColliderMove>{{id, {}, Vec3::Zero(), Vec3::Zero(), kRoom}});
  const ColliderId other =
      space.add({cube, {Mat3::Identity(), Vec3(kEdge + kRoom / 2, 0, 0)}, Mobility::Static, {}, 0});
  static_cast<void>(space.update());
  EXPECT_TRUE(space.are_paired(id, other));
  for (const Real x : {0.02, -0.09, 0.07}) {
    const Pose X_WB{exp_so3(Vec3(0, 0, 0.01)), Vec3(x, 0, 0)};
    space.place(id, X_WB);
    EXPECT_EQ(space.pose(id).p, X_WB.p);
    const std::optional<SpaceHit> hit = space.cast_ray({Vec3(x, 0, 5), Vec3(0, 0, -10)});
    ASSERT_TRUE(hit.has_value());
    EXPECT_EQ(hit->id, id);
    // The side at x - 1/2, seen from the left at y = 0: cos of the turn puts it off by 1/cos.
    const std::optional<SpaceHit> side = space.cast_ray({Vec3(-5, 0, 0), Vec3(10, 0, 0)});
    ASSERT_TRUE(side.has_value());
    EXPECT_NEAR(-5 + 10 * side->fraction, x - kEdge / 2 / std::cos(0.01), 1e-12);
    EXPECT_TRUE(space.update().ended.empty());
    EXPECT_TRUE(space.are_paired(id, other));
  }
}

TEST(Space, PlacesAHalfSpaceWithItsPairs) {
  Space space;
  const ColliderId ground = space.add({Collider(geometry::Plane{Vec3::UnitZ(), 0}), {}, Mobility::Kinematic, {}, 0});
  const ColliderId ball =
      space.add({Collider(Solid(geometry::Sphere{0.5})), {Mat3::Identity(), Vec3(0, 0, 10)}, Mobility::Dynamic, {}, 0});
  static_cast<void>(space.update());
  EXPECT_FALSE(space.are_paired(ground, ball));
  space.place(ground, {Mat3::Identity(), Vec3(0, 0, 9.8)});
  static_cast<void>(space.update());
  EXPECT_TRUE(space.are_paired(ground, ball));
}

TEST(Space, RefusesWhatHasNoPlace) {
  Space space;
  const Collider ball{Solid(geometry::Sphere{0.5})};
  const Pose bad{Mat3::Identity(), Vec3(NAN, 0, 0)}, mirror{-Mat3::Identity(), Vec3::Zero()};
  EXPECT_THROW(space.add({ball, bad}), InvalidArgument);
  EXPECT_THROW(space.add({ball, mirror}), InvalidArgument);
  EXPECT_THROW(space.add({ball, {}, static_cast<Mobility>(9)}), InvalidArgument);
  EXPECT_THROW(space.add({ball, {Mat3::Identity(), Vec3(2e30, 0, 0)}}), InvalidArgument);
  EXPECT_EQ(space.size(), 0u);
  const ColliderId a = space.add({ball}), b = space.add({ball, {Mat3::Identity(), Vec3(3, 0, 0)}});
  const std::vector<ColliderMove> moves = {{a, {Mat3::Identity(), Vec3(9, 0, 0)}, Vec3::Zero()},
                                           {b, bad, Vec3::Zero()}};
  EXPECT_THROW(space.move(moves), InvalidArgument);
  EXPECT_THROW(space.place(a, bad), InvalidArgument);
  EXPECT_EQ(space.pose(a).p, Vec3(0, 0, 0));
  EXPECT_THROW(static_cast<void>(space.cast_ray({Vec3(NAN, 0, 0), Vec3::UnitX()})), InvalidArgument);
  try {
    static_cast<void>(space.cast_sphere({Vec3::Zero(), Vec3::UnitX(), -1}));
    ADD_FAILURE() << "a ball of radius -1 was cast";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("radius must be finite and not negative, got -1"), std::string::npos);
  }
  EXPECT_THROW(static_cast<void>(space.closest_point(Vec3(0, NAN, 0))), InvalidArgument);
  EXPECT_THROW(static_cast<void>(space.closest_point(Vec3(0, 0, 0), -1)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(space.overlaps_any(ball, bad)), InvalidArgument);
  space.remove(a);
  EXPECT_THROW(space.remove(a), StaleId);
  EXPECT_THROW(static_cast<void>(space.pose(a)), StaleId);
  EXPECT_THROW(space.move(a, {}), StaleId);
  EXPECT_THROW(space.place(a, {}), StaleId);
  EXPECT_EQ(space.user_data(b), 0u);
}

}  // namespace
}  // namespace visviva::collision
