// Who meets whom, and what is told of it: filters, sensors, callbacks, events, queries.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "scene_parts.hpp"
#include "visviva/core/task_pool.hpp"

namespace visviva::dynamics {
namespace {

ShapeId only_shape(const World& world, BodyId body) {
  std::vector<ShapeId> shapes;
  world.shapes(body, shapes);
  return shapes.at(0);
}

/// A ball of 0.5 m over the ground, 0.5 m above it.
struct BallOverGround {
  World world;
  MaterialIndex material;
  BodyId ground, ball;

  explicit BallOverGround(Real restitution = 0, const WorldSettings& settings = {}) : world(settings) {
    material = make_material(world, 0.5, restitution);
    ground = world.create_body(ground_box(material));
    ball = world.create_body(dynamic_body(ball_of(0.5), at(0, 0, 1), material));
  }
  [[nodiscard]] Real height() const { return world.center_of_mass(ball).z() - 0.5; }
};

TEST(WorldContacts, CategoriesAndMasksDecideWhoMeets) {
  BallOverGround s;
  s.world.set_filter(only_shape(s.world, s.ball), {.category = 2, .mask = 2});
  run_steps(s.world, 60);
  EXPECT_LT(s.height(), -2);

  BallOverGround t;
  t.world.set_filter(only_shape(t.world, t.ball), {.category = 2, .mask = 1});
  run_steps(t.world, 60);
  EXPECT_NEAR(t.height(), 0, 1e-3);
  t.world.set_filter(only_shape(t.world, t.ball), {.category = 2, .mask = 2});  // while it lies there
  run_steps(t.world, 60);
  EXPECT_LT(t.height(), -2);
}

TEST(WorldContacts, PairFilterIsAsked) {
  BallOverGround s;
  int asked = 0;
  const ShapeId ball = only_shape(s.world, s.ball), ground = only_shape(s.world, s.ground);
  s.world.set_pair_filter([&](ShapeId a, ShapeId b) {
    ++asked;
    EXPECT_TRUE((a == ball && b == ground) || (a == ground && b == ball));
    return false;
  });
  run_steps(s.world, 60);
  EXPECT_GE(asked, 1);
  EXPECT_LT(s.height(), -2);
}

TEST(WorldContacts, PreSolveMayDropAContact) {
  BallOverGround s;
  s.world.set_pre_solve([](PreSolveContact&) { return false; });
  run_steps(s.world, 60);
  EXPECT_LT(s.height(), -2);

  BallOverGround t;
  int told = 0;
  t.world.set_pre_solve([&](PreSolveContact& contact) {
    ++told;
    EXPECT_NEAR(std::abs(contact.normal.z()), 1, 1e-9);
    EXPECT_NEAR(contact.surface.friction, 0.5, 1e-15);
    return true;
  });
  run_steps(t.world, 60);
  EXPECT_GT(told, 10);
  EXPECT_NEAR(t.height(), 0, 1e-3);
}

TEST(WorldContacts, PreSolveMayChangeASurface) {
  BallOverGround s(0);
  s.world.set_pre_solve([](PreSolveContact& contact) {
    contact.surface = {.friction = 0, .restitution = 1};
    return true;
  });
  const Real energy = s.world.kinetic_energy() + s.world.potential_energy();
  run_steps(s.world, 120);
  EXPECT_NEAR(s.world.kinetic_energy() + s.world.potential_energy(), energy, 1e-6 * energy);

  World world;
  world.create_body(ground_box());
  const BodyId box = world.create_body(dynamic_body(cube_of(1), at(0, 0, 0.5)));
  world.set_pre_solve([&](PreSolveContact& contact) {
    // B's surface relative to A's: the box is carried along +x by the ground.
    contact.surface_velocity = Vec3(contact.body_b == box ? -1 : 1, 0, 0);
    return true;
  });
  run_steps(world, 120);
  EXPECT_NEAR(world.velocity(box).x(), 1, 1e-3);
}

TEST(WorldContacts, BeginAndEndAreToldOnce) {
  BallOverGround s;
  const ShapeId ball = only_shape(s.world, s.ball), ground = only_shape(s.world, s.ground);
  int begun = 0, ended = 0;
  const auto run = [&](int steps) {
    for (int i = 0; i < steps; ++i) {
      static_cast<void>(s.world.step(kStep));
      for (const TouchEvent& e : s.world.events().begun) {
        ++begun;
        EXPECT_TRUE((e.shape_a == ball && e.shape_b == ground) || (e.shape_a == ground && e.shape_b == ball));
        EXPECT_EQ(s.world.body_of(e.shape_a), e.body_a);
        EXPECT_EQ(s.world.body_of(e.shape_b), e.body_b);
      }
      ended += static_cast<int>(s.world.events().ended.size());
    }
  };
  run(15);
  EXPECT_EQ(begun, 0) << "it falls for 0.32 s";
  run(60);
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(ended, 0);
  s.world.set_velocity(s.ball, Vec3(0, 0, 5));
  run(30);
  EXPECT_EQ(ended, 1);
  run(60);
  EXPECT_EQ(begun, 2);
  s.world.destroy_body(s.ball);
  static_cast<void>(s.world.step(kStep));
  ASSERT_EQ(s.world.events().ended.size(), 1u);
  const TouchEvent& last = s.world.events().ended[0];
  EXPECT_TRUE(last.shape_a == ball || last.shape_b == ball);
  EXPECT_FALSE(s.world.is_alive(ball));
}

TEST(WorldContacts, TouchesAreNotToldIfNotAsked) {
  WorldSettings settings;
  settings.record_contacts = false;
  BallOverGround s(0, settings);
  for (int i = 0; i < 60; ++i) {
    static_cast<void>(s.world.step(kStep));
    EXPECT_TRUE(s.world.events().begun.empty());
  }
}

TEST(WorldContacts, ImpactTellsImpulseWorkAndLoss) {
  for (const Real restitution : {0.0, 0.6, 1.0}) {
    BallOverGround s(restitution);
    s.world.set_velocity(s.ball, Vec3(1, 0, 0));
    const Real mass = s.world.mass_properties(s.ball).mass, landing = std::sqrt(2 * 0.5 / kG);
    while (s.world.time() < landing) static_cast<void>(s.world.step(kStep));
    ASSERT_EQ(s.world.events().impacts.size(), 1u) << restitution;
    const ImpactEvent& e = s.world.events().impacts[0];
    const Real speed = std::sqrt(2 * kG * 0.5), up = e.body_b == s.ball ? 1 : -1;
    EXPECT_NEAR(e.time, landing, 1e-9);
    // A touch is located to 1e-9 m.
    EXPECT_NEAR(e.approach_speed, speed, 1e-8);
    EXPECT_NEAR(e.rebound_speed, restitution * speed, 1e-8);
    EXPECT_LT((e.normal - Vec3(0, 0, up)).norm(), 1e-9);
    EXPECT_LT((e.point - Vec3(landing, 0, 0)).norm(), 1e-8);
    EXPECT_EQ(e.surface.restitution, restitution);
    // A solid sphere that slides at 1 m/s: 2/7 of it is taken within mu (1 + e) v, so it rolls off.
    const Vec3 impulse = mass * Vec3(-2.0 / 7, 0, (1 + restitution) * speed);
    EXPECT_LT((up * e.impulse - impulse).norm(), 1e-9 * impulse.norm());
    EXPECT_NEAR(e.restitution_loss, mass / 2 * speed * speed * (1 - restitution * restitution), 1e-8 * mass * speed);
    EXPECT_NEAR(e.friction_loss, mass / 7, 1e-9 * mass) << "½ m s² 2/7";
    EXPECT_EQ(e.bounces, 1);
    if (restitution > 0) {
      const Vec3 velocity(1 - 2.0 / 7, 0, restitution * speed - kG * (s.world.time() - landing));
      EXPECT_LT((s.world.velocity(s.ball) - velocity).norm(), 1e-8) << "momentum changes by the impulse";
    }
  }
}

TEST(WorldContacts, SensorTellsWhoEntersAndLeavesAndTouchesNothing) {
  World world;
  BodyDesc gate = static_body(cube_of(1), at(0, 0, 0), 0, "gate");
  gate.shapes[0].is_sensor = true;
  const ShapeId sensor = only_shape(world, world.create_body(gate));
  const BodyId ball = world.create_body(dynamic_body(ball_of(0.2), at(0, 0, 2)));
  int entered = 0, left = 0;
  Real entry = 0, exit = 0;
  for (int i = 0; i < 120; ++i) {
    static_cast<void>(world.step(kStep));
    for (const SensorEvent& e : world.events().entered) {
      EXPECT_EQ(e.sensor, sensor);
      EXPECT_EQ(world.body_of(e.other), ball);
      ++entered;
      entry = world.time();
    }
    if (!world.events().left.empty()) exit = world.time();
    left += static_cast<int>(world.events().left.size());
    EXPECT_TRUE(world.events().impacts.empty());
    EXPECT_TRUE(world.events().begun.empty());
  }
  EXPECT_EQ(entered, 1);
  EXPECT_EQ(left, 1);
  // Its lowest point enters at z = 0.5, and the step in which it does so tells it; its highest leaves at -0.5, which
  // the step after that tells.
  EXPECT_NEAR(entry, kStep * std::ceil(std::sqrt(2 * 1.3 / kG) / kStep), 1e-12);
  EXPECT_NEAR(exit, std::sqrt(2 * 2.7 / kG), 2 * kStep);
  EXPECT_NEAR(world.center_of_mass(ball).z(), 2 - kG * 2, 1e-10);
}

/// Counts what a sensor tells.
struct Sensed {
  int entered = 0, left = 0;
  Real entry = -1;
  void step(World& world, int count) {
    for (int i = 0; i < count; ++i) {
      static_cast<void>(world.step(kStep));
      if (!world.events().entered.empty()) entry = world.time();
      entered += static_cast<int>(world.events().entered.size());
      left += static_cast<int>(world.events().left.size());
    }
  }
};

BodyDesc thin_sensor(Real x, BodyType type = BodyType::Static) {
  BodyDesc gate = static_body(Solid(Box{Vec3(0.01, 1, 1)}), at(x, 0, 0), 0, "gate");
  gate.type = type;
  gate.shapes[0].is_sensor = true;
  return gate;
}

// In one step they go 3.3 m and more; a rod that turns is seen as well as a ball.
TEST(WorldContacts, ThinSensorSeesWhatPassesWithinAStep) {
  for (const Real speed : {20.0, 200.0, 2000.0})
    for (const bool is_ball : {true, false}) {
      World world(without_gravity());
      world.create_body(thin_sensor(3));
      const Solid solid = is_ball ? ball_of(0.05) : Solid(Box{Vec3(0.05, 0.01, 0.01)});
      const BodyId body = world.create_body(dynamic_body(solid, at(-1.7, 0, 0)));
      world.set_velocity(body, Vec3(speed, 0, 0));
      if (!is_ball) world.set_angular_velocity(body, Vec3(0, 0, 100));
      Sensed sensed;
      sensed.step(world, 40);
      EXPECT_EQ(sensed.entered, 1) << speed << is_ball;
      EXPECT_EQ(sensed.left, 1) << speed << is_ball;
      if (!is_ball) continue;
      EXPECT_NEAR(sensed.entry, kStep * std::ceil((4.7 - 0.06) / speed / kStep), 1e-12) << speed;
    }
}

// Paths end at impacts: one that is thrown back before the sensor is not told, one that is thrown back behind it is.
TEST(WorldContacts, SensorSeesThePathsBetweenImpacts) {
  for (const Real gate : {2.0, 4.0}) {
    World world(without_gravity());
    const MaterialIndex material = make_material(world, 0, 1);
    world.create_body(thin_sensor(gate));
    world.create_body(static_body(Solid(Plane{-Vec3::UnitX(), -3}), {}, material));
    const BodyId ball = world.create_body(dynamic_body(ball_of(0.05), at(0.5, 0, 0), material));
    world.set_velocity(ball, Vec3(400, 0, 0));  // 0.83 m in a sub-step
    Sensed sensed;
    sensed.step(world, 3);
    EXPECT_LT(world.velocity(ball).x(), 0);
    EXPECT_EQ(sensed.entered, gate < 3 ? 1 : 0);
    EXPECT_EQ(sensed.left, sensed.entered);
  }
}

TEST(WorldContacts, SensorThatMovesSeesWhatItPasses) {
  World world(without_gravity());
  BodyDesc gate = thin_sensor(5, BodyType::Kinematic);
  gate.velocity = Vec3(-300, 0, 0);
  world.create_body(gate);
  world.create_body(dynamic_body(ball_of(0.05), at(0, 0, 0)));
  Sensed sensed;
  sensed.step(world, 10);
  EXPECT_EQ(sensed.entered, 1);
  EXPECT_EQ(sensed.left, 1);
}

// What slides on a floor over a sensor that ends at the floor's surface touches it by rounding alone.
TEST(WorldContacts, SensorFlushWithTheFloorDoesNotFlicker) {
  World world(without_sleep());
  const MaterialIndex material = make_material(world, 0, 0);
  world.create_body(ground_plane(material));
  BodyDesc plate = static_body(Solid(Box{Vec3(1, 1, 0.5)}), at(0, 0, -0.5));
  plate.shapes[0].is_sensor = true;
  world.create_body(plate);
  const BodyId box = world.create_body(dynamic_body(cube_of(0.5), at(-3, 0, 0.25), material));
  world.set_velocity(box, Vec3(2, 0, 0));
  Sensed sensed;
  sensed.step(world, 240);
  EXPECT_LE(sensed.entered, 1);
  EXPECT_EQ(sensed.left, sensed.entered);
}

TEST(WorldContacts, LastingContactsTellTheirForces) {
  World world(without_sleep());
  world.create_body(ground_box());
  const BodyId box = world.create_body(dynamic_body(cube_of(1), at(0, 0, 0.5)));
  run_steps(world, 60);
  for (int i = 0; i < 30; ++i) {
    world.add_force(box, Vec3(2000, 0, 0));  // less than friction can hold
    run_steps(world, 1);
  }
  std::vector<ContactState> contacts;
  world.contacts(contacts);
  ASSERT_EQ(contacts.size(), 1u);
  const ContactState& c = contacts[0];
  EXPECT_EQ(c.count, 4);
  Real force = 0;
  for (int i = 0; i < c.count; ++i) {
    const ContactPointState& point = c.points[static_cast<std::size_t>(i)];
    EXPECT_NEAR(std::abs(point.point.x()), 0.5, 1e-2);
    EXPECT_NEAR(point.separation, 0, 1e-3);
    force += point.force;
  }
  EXPECT_NEAR(force, 1000 * kG, 0.01 * 1000 * kG);
  const Real sign = c.body_b == box ? 1 : -1;
  EXPECT_NEAR(sign * c.friction.x(), -2000, 20);
  EXPECT_NEAR(sign * c.normal.z(), 1, 1e-6);
}

TEST(WorldContacts, SpaceAnswersQueriesAboutShapes) {
  World world;
  world.create_body(ground_plane());
  BodyDesc crate = dynamic_body(cube_of(1), at(3, 0, 0.5));
  crate.shapes[0].user_data = 12;
  const BodyId id = world.create_body(crate);
  const auto hit = world.space().cast_ray({Vec3(0, 0, 0.5), Vec3(10, 0, 0)});
  ASSERT_TRUE(hit.has_value());
  EXPECT_NEAR(hit->fraction, 0.25, 1e-12);
  const ShapeId shape = world.shape_at(world.space().user_data(hit->id));
  EXPECT_EQ(world.body_of(shape), id);
  EXPECT_EQ(world.user_data(shape), 12u);
  // After a step and after a move the space knows.
  world.set_velocity(id, Vec3(0, 0, 3));
  run_steps(world, 20);
  EXPECT_FALSE(world.space().cast_ray({Vec3(0, 0, 0.3), Vec3(10, 0, 0)}).has_value());
  world.set_pose(id, at(5, 0, 0.5));
  EXPECT_NEAR(world.space().cast_ray({Vec3(0, 0, 0.5), Vec3(10, 0, 0)})->fraction, 0.45, 1e-12);
  world.destroy_body(id);
  EXPECT_FALSE(world.space().cast_ray({Vec3(0, 0, 0.5), Vec3(10, 0, 0)}).has_value());
}

TEST(WorldContacts, ShapesOfNoColliderAreRefused) {
  World world;
  const BodyId id = world.create_body(dynamic_body(cube_of(1), at(0, 0, 0)));
  std::vector<ShapeId> shapes;
  world.shapes(id, shapes);
  EXPECT_EQ(world.shape_at(shapes[0].index), shapes[0]);
  for (const std::uint64_t data : {std::uint64_t{1}, std::uint64_t{1} << 32, ~std::uint64_t{0}})
    EXPECT_THROW(static_cast<void>(world.shape_at(data)), InvalidArgument) << data;
  world.destroy_body(id);
  EXPECT_THROW(static_cast<void>(world.shape_at(shapes[0].index)), StaleId);
}

TEST(WorldContacts, DeepestOverlapIsExact) {
  World world(without_gravity());
  world.create_body(dynamic_body(ball_of(0.5), at(0, 0, 0)));
  EXPECT_EQ(world.deepest_overlap(), 0);
  world.create_body(dynamic_body(ball_of(0.5), at(0.9, 0, 0)));
  world.create_body(static_body(ball_of(0.5), at(0, 0.95, 0)));
  EXPECT_NEAR(world.deepest_overlap(), 0.1, 1e-9);
}

TEST(WorldContacts, CompoundsOfSeveralShapesTouchWithEach) {
  // A dumb-bell: two balls of one body.
  World world;
  world.create_body(ground_box());
  BodyDesc dumbbell = dynamic_body(Solid(Sphere{0.3}, at(-1, 0, 0)), at(0, 0, 1));
  dumbbell.shapes.push_back(shape_of(Solid(Sphere{0.3}, at(1, 0, 0))));
  const BodyId id = world.create_body(dumbbell);
  run_steps(world, 120);
  EXPECT_NEAR(world.center_of_mass(id).z(), 0.3, 2e-3);
  EXPECT_LT(angle_between(world.pose(id).R, Mat3::Identity()), 1e-2);
}

// A light ball that rests has bounds that end near it. Thrown by a heavy one it flies metres within the same step.
TEST(WorldContacts, WhatAnImpactThrowsMeetsAThinWallInTheSameStep) {
  World world(without_gravity());
  const MaterialIndex material = make_material(world, 0, 1);
  world.create_body(static_body(Solid(Box{Vec3(0.001, 2, 2)}), at(0.6, 0, 0), material, "wall"));
  const BodyId light = world.create_body(dynamic_body(ball_of(0.1), at(0, 0, 0), material, "light"));
  BodyDesc heavy = dynamic_body(ball_of(1), at(-1.2, 0, 0), material, "heavy");
  heavy.velocity.x() = 30;
  world.create_body(heavy);
  const Real energy = world.kinetic_energy();
  static_cast<void>(world.step(kStep));
  // The heavy one comes after 1/300 s; the light one leaves with almost 60 m/s, and has 0.499 m to the wall.
  const auto impacts = world.events().impacts;
  ASSERT_GE(impacts.size(), 2u);
  EXPECT_NEAR(impacts[0].time, 0.1 / 30, 1e-9);
  EXPECT_EQ(world.name(impacts[1].body_a) == "wall", world.name(impacts[1].body_b) != "wall");
  EXPECT_NEAR(impacts[1].time, 0.1 / 30 + 0.499 / (2 * 1000 / 1001.0 * 30), 1e-9);
  EXPECT_LT(world.center_of_mass(light).x(), 0.5);
  EXPECT_NEAR(world.kinetic_energy(), energy, 1e-12 * energy);
}

// Between a hammer and a thin wall: more impacts than one could follow, and none of them may let it through.
TEST(WorldContacts, SqueezedBallDoesNotPassAThinWall) {
  for (const Real e : {0.0, 0.3, 0.6, 1.0})
    for (const Real speed : {5.0, 12.0, 20.0, 60.0})
      for (const Real gap : {0.0, 0.03, 0.1}) {
        World world(without_gravity());
        const MaterialIndex material = make_material(world, 0.3, e);
        world.create_body(static_body(Solid(Box{Vec3(0.01, 2, 2)}), {}, material));
        const BodyId ball = world.create_body(dynamic_body(ball_of(0.05), at(-0.06 - gap, 0, 0), material));
        BodyDesc hammer = dynamic_body(ball_of(0.2), at(-0.06 - gap - 0.25 - gap, 0, 0), material);
        hammer.velocity.x() = speed;
        world.create_body(hammer);
        run_steps(world, 30);
        EXPECT_LT(world.center_of_mass(ball).x(), 0) << "e " << e << " speed " << speed << " gap " << gap;
      }
}

TEST(WorldContacts, StrongForceDoesNotPressABallThroughAFloor) {
  for (const Real e : {0.0, 0.5}) {
    World world(without_gravity());
    const MaterialIndex material = make_material(world, 0.5, e);
    world.create_body(static_body(Solid(Box{Vec3(5, 5, 0.01)}), at(0, 0, -0.01), material));
    const BodyId ball = world.create_body(dynamic_body(ball_of(0.05), at(0, 0, 0.08), material));
    const Real weight = world.mass_properties(ball).mass * kG;
    for (int i = 0; i < 120; ++i) {
      world.add_force(ball, Vec3(0, 0, -300 * weight));
      static_cast<void>(world.step(kStep));
      EXPECT_GT(world.center_of_mass(ball).z(), 0.03) << "step " << i << ", e " << e;
    }
  }
}

// The callback drops the wall; a fast ball meets it in a step at whose start it was far.
TEST(WorldContacts, CallbackIsAskedBeforeATouchThatWasNotNear) {
  World world(without_gravity());
  const MaterialIndex material = make_material(world, 0, 1);
  world.create_body(static_body(Solid(Box{Vec3(0.01, 2, 2)}), at(1, 0, 0), material));
  BodyDesc fast = dynamic_body(ball_of(0.1), at(0, 0, 0), material);
  fast.velocity.x() = 100;
  const BodyId ball = world.create_body(fast);
  world.set_pre_solve([](PreSolveContact&) { return false; });
  run_steps(world, 3);
  EXPECT_NEAR(world.velocity(ball).x(), 100, 1e-12);
}

TEST(WorldContacts, NumbersThatCannotBeAreNotTakenFromACallback) {
  World world(without_sleep());
  const MaterialIndex material = make_material(world, 0.5, 0);
  world.create_body(ground_plane(material));
  const BodyId box = world.create_body(dynamic_body(cube_of(1), at(0, 0, 0.5), material));
  world.set_pre_solve([](PreSolveContact& contact) {
    contact.surface.friction = std::numeric_limits<Real>::quiet_NaN();
    contact.surface.restitution = 5;
    return true;
  });
  StepReport report;
  for (int i = 0; i < 10; ++i) report = world.step(kStep);
  EXPECT_EQ(report.refused_contacts, 1);
  EXPECT_TRUE(report.finite);
  world.set_pre_solve([](PreSolveContact& contact) {
    contact.surface.law = static_cast<model::RestitutionLaw>(77);
    return true;
  });
  EXPECT_EQ(world.step(kStep).refused_contacts, 1);
  EXPECT_NEAR(world.center_of_mass(box).z(), 0.5, 1e-3);
}

// The first ball throws the second at a sleeper that nothing came near at the start of the step.
TEST(WorldContacts, SleeperHitByWhatAnImpactThrewMovesInTheSameStep) {
  WorldSettings settings = without_gravity();
  settings.sleeping = true;
  World world(settings);
  const MaterialIndex material = make_material(world, 0, 1);
  const BodyId sleeper = world.create_body(dynamic_body(ball_of(0.1), at(1, 0, 0), material));
  const BodyId thrown = world.create_body(dynamic_body(ball_of(0.1), at(0, 0, 0), material));
  world.put_to_sleep(sleeper);
  BodyDesc first = dynamic_body(ball_of(0.1), at(-0.25, 0, 0), material);
  first.velocity.x() = 200;
  const BodyId thrower = world.create_body(first);
  static_cast<void>(world.step(kStep));
  // Equal balls hand the speed on: after 0.05 m and 0.8 m of way the third has the rest of the step.
  EXPECT_NEAR(world.velocity(sleeper).x(), 200, 1e-9);
  EXPECT_NEAR(world.center_of_mass(sleeper).x(), 1 + 200 * kStep - 0.85, 1e-9);
  EXPECT_NEAR(world.center_of_mass(thrown).x(), 0.8, 1e-9);
  EXPECT_NEAR(world.velocity(thrown).norm() + world.velocity(thrower).norm(), 0, 1e-9);
  EXPECT_TRUE(world.is_awake(sleeper));
  ASSERT_EQ(world.events().impacts.size(), 2u);
}

TEST(WorldContacts, FastBodiesDoNotPassThroughThinWalls) {
  World world(without_gravity());
  const MaterialIndex material = make_material(world, 0, 1);
  world.create_body(static_body(Solid(Box{Vec3(0.001, 2, 2)}), {}, material, "wall"));
  BodyDesc bullet = dynamic_body(ball_of(0.01), at(-7.3, 0.2, 0.1), material);
  bullet.velocity.x() = 900;
  const BodyId id = world.create_body(bullet);
  run_steps(world, 3);
  EXPECT_NEAR(world.velocity(id).x(), -900, 1e-6);
  // What spins fast hits with its tip: a rod whose centre rests beside the wall.
  World spinning(without_gravity());
  const MaterialIndex surface = make_material(spinning, 0, 1);
  spinning.create_body(static_body(Solid(Box{Vec3(0.001, 2, 2)}), {}, surface, "wall"));
  BodyDesc rod = dynamic_body(Solid(Box{Vec3(0.05, 1, 0.05)}), at(-0.5, 0, 0), surface);
  rod.angular_velocity.z() = 100;  // a quarter turn in a step
  spinning.create_body(rod);
  const Real energy = spinning.kinetic_energy();
  int impacts = 0;
  for (int i = 0; i < 5; ++i) impacts += spinning.step(kStep).impacts;
  EXPECT_GE(impacts, 1);
  EXPECT_NEAR(spinning.kinetic_energy(), energy, 1e-9 * energy);
  EXPECT_LT(spinning.deepest_overlap(), 1e-3);
}

/// The hash of each of the first steps of bodies that were all created at one place.
std::vector<std::uint64_t> part_from_one_place(const Solid& solid, Real restitution, TaskSystem* tasks) {
  constexpr int kBodies = 100;  // each has more contacts than there are colours
  World world;
  const MaterialIndex material = make_material(world, 0.5, restitution);
  world.create_body(ground_plane(material));
  for (int i = 0; i < kBodies; ++i) world.create_body(dynamic_body(solid, at(0, 0, 2), material));
  std::vector<std::uint64_t> hashes;
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(world.step(kStep, tasks).finite);
    hashes.push_back(world.hash());
  }
  if (tasks != nullptr) return hashes;
  for (int i = 0; i < 160; ++i) EXPECT_TRUE(world.step(kStep).finite);
  EXPECT_LT(world.deepest_overlap(), 0.01);
  EXPECT_LT(largest_speed(world), 100);
  std::vector<BodyId> ids;
  world.bodies(ids);
  for (const BodyId id : ids) EXPECT_GT(world.center_of_mass(id).z(), -0.01);
  return hashes;
}

TEST(WorldContacts, BodiesCreatedAtOnePlacePart) {
  TaskPool pool(4);
  for (const Solid& solid : {ball_of(0.1), cube_of(0.2)})
    for (const Real restitution : {0.0, 1.0})
      EXPECT_EQ(part_from_one_place(solid, restitution, nullptr), part_from_one_place(solid, restitution, &pool));
}

}  // namespace
}  // namespace visviva::dynamics
