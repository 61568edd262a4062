// Islands fall asleep and wake as one.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "scene_parts.hpp"

namespace visviva::dynamics {
namespace {

std::vector<BodyId> sorted(std::span<const BodyId> ids) {
  std::vector<BodyId> all(ids.begin(), ids.end());
  std::sort(all.begin(), all.end());
  return all;
}

/// Two stacks of three unit cubes, far apart; the second one falls from 1 m.
struct TwoStacks {
  World world;
  MaterialIndex material = make_material(world, 0.6, 0);
  BodyId ground = world.create_body(ground_box(material));
  std::vector<BodyId> first, second;

  TwoStacks() {
    for (int i = 0; i < 3; ++i)
      first.push_back(world.create_body(dynamic_body(cube_of(1), at(0, 0, 0.5 + i), material)));
    for (int i = 0; i < 3; ++i)
      second.push_back(world.create_body(dynamic_body(cube_of(1), at(10, 0, 1.5 + i), material)));
  }
  void step_until_asleep() {
    for (int i = 0; i < 600 && (world.is_awake(first[0]) || world.is_awake(second[0])); ++i)
      static_cast<void>(world.step(kStep));
    ASSERT_FALSE(world.is_awake(first[0]));
    ASSERT_FALSE(world.is_awake(second[0]));
  }
};

TEST(Sleep, IslandsFallAsleepAsOneAndByThemselves) {
  TwoStacks scene;
  Real first_time = 0, second_time = 0;
  for (int i = 0; i < 600; ++i) {
    const StepReport report = scene.world.step(kStep);
    const std::vector<BodyId> asleep = sorted(scene.world.events().fell_asleep);
    if (asleep == scene.first) first_time = scene.world.time();
    if (asleep == scene.second) second_time = scene.world.time();
    EXPECT_TRUE(asleep.empty() || asleep == scene.first || asleep == scene.second) << asleep.size();
    if (second_time > 0 && asleep.empty()) {
      EXPECT_EQ(report.awake_bodies, 0);
    }
  }
  const Real wait = scene.world.settings().sleep_time;
  EXPECT_GE(first_time, wait - 1e-9);
  EXPECT_LT(first_time, wait + 0.5);
  EXPECT_GE(second_time, wait + 0.45) << "it falls for 0.45 s";
  EXPECT_LT(second_time, wait + 0.45 + 3) << "and rocks until it lies still";
}

// Two balls sleep side by side, near but apart, each an island of its own. One of them is hit and thrown at the other:
// their contact slept with the one that fell asleep last, and must be looked at whichever wakes first.
TEST(Sleep, SleeperMeetsTheSleeperBesideIt) {
  for (const bool reversed : {false, true}) {
    World world;
    const MaterialIndex material = make_material(world, 0, 0);
    world.create_body(ground_plane(material));
    const Real r = 0.02, gap = 0.03;
    std::vector<BodyId> balls(3);
    const Real places[] = {-1.04, 0, 2 * r + gap};  // of the one that comes, and of the two that sleep
    for (const std::size_t i : reversed ? std::array<std::size_t, 3>{2, 1, 0} : std::array<std::size_t, 3>{0, 1, 2})
      balls[i] = world.create_body(dynamic_body(ball_of(r), at(places[i], 0, r), material));
    world.set_velocity(balls[0], Vec3::UnitX());
    while (world.time() < 0.9) static_cast<void>(world.step(kStep));
    ASSERT_FALSE(world.is_awake(balls[1]) || world.is_awake(balls[2]));
    while (world.time() < 2) {
      static_cast<void>(world.step(kStep));
      ASSERT_LT(world.deepest_overlap(), 1e-3) << world.time() << " s";
    }
    // Three equal balls that do not bounce go on together.
    for (const BodyId ball : balls) EXPECT_NEAR(world.velocity(ball).x(), 1.0 / 3, 0.01);
  }
}

TEST(Sleep, SleepersKeepTheirBits) {
  TwoStacks scene;
  scene.step_until_asleep();
  const std::uint64_t hash = scene.world.hash();
  run_steps(scene.world, 60);
  EXPECT_EQ(scene.world.hash(), hash);
  for (const BodyId id : scene.first) {
    EXPECT_EQ(scene.world.velocity(id), Vec3::Zero());
    EXPECT_EQ(scene.world.angular_velocity(id), Vec3::Zero());
  }
}

TEST(Sleep, ImpulseOnOneWakesItsIslandAndNoOther) {
  TwoStacks scene;
  scene.step_until_asleep();
  scene.world.apply_impulse(scene.first[2], Vec3(2000, 0, 0));
  static_cast<void>(scene.world.step(kStep));
  EXPECT_EQ(sorted(scene.world.events().woke), scene.first);
  for (const BodyId id : scene.first) EXPECT_TRUE(scene.world.is_awake(id));
  for (const BodyId id : scene.second) EXPECT_FALSE(scene.world.is_awake(id));
  EXPECT_GT(scene.world.velocity(scene.first[2]).x(), 1);
}

TEST(Sleep, EveryCallThatMovesABodyWakesIt) {
  using Change = void (*)(World&, BodyId);
  const Change changes[] = {
      [](World& w, BodyId b) { w.wake(b); },
      [](World& w, BodyId b) { w.set_velocity(b, Vec3(0, 0, 1)); },
      [](World& w, BodyId b) { w.set_angular_velocity(b, Vec3(0, 0, 1)); },
      [](World& w, BodyId b) { w.set_pose(b, at(0, 0, 3)); },
      [](World& w, BodyId b) { w.add_force(b, Vec3(0, 0, 1)); },
      [](World& w, BodyId b) { w.add_force_at(b, Vec3(0, 0, 1), Vec3::Zero()); },
      [](World& w, BodyId b) { w.add_torque(b, Vec3(0, 0, 1)); },
      [](World& w, BodyId b) { w.apply_impulse_at(b, Vec3(0, 0, 1), Vec3::Zero()); },
      [](World& w, BodyId b) { w.apply_angular_impulse(b, Vec3(0, 0, 1)); },
      [](World& w, BodyId b) { w.set_gravity_scale(b, 0.5); },
  };
  int number = 0;
  for (const Change change : changes) {
    TwoStacks scene;
    scene.step_until_asleep();
    change(scene.world, scene.first[2]);
    static_cast<void>(scene.world.step(kStep));
    EXPECT_TRUE(scene.world.is_awake(scene.first[2])) << "change " << number;
    EXPECT_FALSE(scene.world.is_awake(scene.second[2])) << "change " << number;
    ++number;
  }
}

TEST(Sleep, WhatHitsASleeperWakesItsIsland) {
  TwoStacks scene;
  scene.step_until_asleep();
  BodyDesc ball = dynamic_body(ball_of(0.2), at(-3, 0, 2.5), scene.material);
  ball.velocity.x() = 20;
  scene.world.create_body(ball);
  std::vector<BodyId> woken;
  for (int i = 0; i < 12; ++i) {
    static_cast<void>(scene.world.step(kStep));
    for (const BodyId id : scene.world.events().woke) woken.push_back(id);
  }
  std::sort(woken.begin(), woken.end());
  EXPECT_EQ(woken, scene.first);
  EXPECT_GT(scene.world.velocity(scene.first[2]).norm(), 0.05);
  EXPECT_FALSE(scene.world.is_awake(scene.second[0]));
}

TEST(Sleep, WhoLosesItsSupportWakesAndFalls) {
  TwoStacks scene;
  scene.step_until_asleep();
  scene.world.destroy_body(scene.first[0]);
  run_steps(scene.world, 30);
  EXPECT_TRUE(scene.world.is_awake(scene.first[1]));
  EXPECT_LT(scene.world.center_of_mass(scene.first[1]).z(), 1);
  scene.world.destroy_body(scene.ground);
  run_steps(scene.world, 30);
  EXPECT_LT(scene.world.center_of_mass(scene.second[0]).z(), 0);
}

// What a filter lets go has lost its support, asleep or not.
TEST(Sleep, WhoIsLetThroughByANewFilterWakesAndFalls) {
  World world;
  const BodyId ground = world.create_body(ground_box());
  const BodyId box = world.create_body(dynamic_body(cube_of(1), at(0, 0, 0.5)));
  run_steps(world, 120);
  ASSERT_FALSE(world.is_awake(box));
  world.set_pair_filter([&](ShapeId a, ShapeId b) { return world.body_of(a) != ground && world.body_of(b) != ground; });
  run_steps(world, 60);
  EXPECT_TRUE(world.is_awake(box));
  EXPECT_NEAR(world.center_of_mass(box).z(), 0.5 - kG / 2, 0.2);
  EXPECT_EQ(world.step(kStep).contacts, 0);
}

TEST(Sleep, OneWhoCannotSleepKeepsItsIslandAwake) {
  TwoStacks scene;
  scene.world.set_can_sleep(scene.first[1], false);
  run_steps(scene.world, 300);
  for (const BodyId id : scene.first) EXPECT_TRUE(scene.world.is_awake(id));
  EXPECT_FALSE(scene.world.is_awake(scene.second[0]));
  scene.world.set_can_sleep(scene.first[1], true);
  run_steps(scene.world, 120);
  EXPECT_FALSE(scene.world.is_awake(scene.first[0]));
}

TEST(Sleep, CanBeOrderedAndSwitchedOff) {
  TwoStacks scene;
  run_steps(scene.world, 5);
  scene.world.put_to_sleep(scene.first[1]);
  static_cast<void>(scene.world.step(kStep));
  for (const BodyId id : scene.first) EXPECT_FALSE(scene.world.is_awake(id));
  WorldSettings settings = scene.world.settings();
  settings.sleeping = false;
  scene.world.set_settings(settings);
  run_steps(scene.world, 300);
  for (const BodyId id : scene.second) EXPECT_TRUE(scene.world.is_awake(id));
}

TEST(Sleep, MovingLiftKeepsWhatItCarriesAwake) {
  World world;
  BodyDesc lift = static_body(Solid(Box{Vec3(2, 2, 0.25)}), at(0, 0, -0.25));
  lift.type = BodyType::Kinematic;
  lift.velocity.z() = 0.04;  // slower than the speed of sleep
  const BodyId lift_id = world.create_body(lift);
  const BodyId box = world.create_body(dynamic_body(cube_of(1), at(0, 0, 0.5)));
  run_steps(world, 300);
  EXPECT_TRUE(world.is_awake(box));
  EXPECT_NEAR(world.center_of_mass(box).z(), 0.5 + 0.04 * 5, 1e-3);
  world.set_velocity(lift_id, Vec3::Zero());
  run_steps(world, 120);
  EXPECT_FALSE(world.is_awake(box));
  world.set_velocity(lift_id, Vec3(0, 0, 1));
  run_steps(world, 30);
  EXPECT_TRUE(world.is_awake(box));
  EXPECT_NEAR(world.velocity(box).z(), 1, 0.01);
}

TEST(Sleep, BodyInFlightDoesNotSleepAtItsApex) {
  WorldSettings settings;
  settings.gravity = Vec3(0, 0, -0.01);  // slower than 0.05 m/s for 10 s
  World world(settings);
  const BodyId body = world.create_body(dynamic_body(ball_of(0.5), at(0, 0, 0)));
  world.set_velocity(body, Vec3(0, 0, 0.02));
  run_steps(world, 600);
  EXPECT_TRUE(world.is_awake(body));
  EXPECT_NEAR(world.velocity(body).z(), 0.02 - 0.1, 1e-12);
}

TEST(Sleep, StaticBodyMadeInsideASleeperWakesIt) {
  World world;
  const MaterialIndex material = make_material(world, 0.5, 0);
  world.create_body(ground_plane(material));
  const BodyId box = world.create_body(dynamic_body(cube_of(1), at(0, 0, 0.5), material));
  run_steps(world, 120);
  ASSERT_FALSE(world.is_awake(box));
  world.create_body(static_body(cube_of(1), at(0.9, 0, 0.5), material));
  run_steps(world, 1);
  EXPECT_TRUE(world.is_awake(box));
  run_steps(world, 120);
  EXPECT_LT(world.deepest_overlap(), 0.01);
}

// A contact that the callback drops, with a sleeper on its other side.
TEST(Sleep, BodyOnADroppedContactFallsAsleepAlone) {
  World world;
  const MaterialIndex material = make_material(world, 0.5, 0);
  world.create_body(ground_plane(material));
  const BodyId first = world.create_body(dynamic_body(cube_of(1), at(0, 0, 0.5), material));
  const BodyId second = world.create_body(dynamic_body(cube_of(1), at(0.95, 0, 0.5), material));
  world.set_pre_solve([&](PreSolveContact& contact) {
    return world.type(contact.body_a) == BodyType::Static || world.type(contact.body_b) == BodyType::Static;
  });
  run_steps(world, 1);
  world.put_to_sleep(first);
  world.put_to_sleep(second);
  EXPECT_FALSE(world.is_awake(first));
  EXPECT_FALSE(world.is_awake(second));
  run_steps(world, 10);
}

}  // namespace
}  // namespace visviva::dynamics
