// Every joule has its entry, and what is left is rounding.
#include "visviva/dynamics/ledger.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "crowd.hpp"

namespace visviva::dynamics {
namespace {

WorldSettings with_ledger(const Vec3& gravity = Vec3(0, 0, -kG)) {
  WorldSettings settings;
  settings.gravity = gravity;
  settings.keep_ledger = true;
  return settings;
}

void expect_balanced(const World& world) {
  const EnergyLedger ledger = world.ledger();
  EXPECT_LE(std::abs(ledger.remainder()), 1e-6 * ledger.scale())
      << "at " << world.time() << " s: remainder " << ledger.remainder() << ", scale " << ledger.scale()
      << "\n  initial " << ledger.initial << " applied " << ledger.applied << " friction " << ledger.friction
      << " restitution " << ledger.restitution << " contacts " << ledger.contacts << " stabilisation "
      << ledger.stabilisation << " damping " << ledger.damping << " kinematic " << ledger.kinematic << " sleep "
      << ledger.sleep << " user " << ledger.user << " created " << ledger.created << " integrator " << ledger.integrator
      << " kinetic " << ledger.kinetic << " potential " << ledger.potential;
  EXPECT_NEAR(ledger.kinetic, world.kinetic_energy(), 1e-12 * ledger.scale());
  EXPECT_NEAR(ledger.potential, world.potential_energy(), 1e-12 * ledger.scale());
}

void run_balanced(World& world, int steps) {
  for (int i = 0; i < steps; ++i) {
    static_cast<void>(world.step(kStep));
    expect_balanced(world);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Ledger, ScaleIsTheSumOfAllEntries) {
  EnergyLedger ledger;
  ledger.kinetic = 1;
  ledger.initial = -2;
  ledger.friction = -4;
  ledger.integrator = 8;
  EXPECT_EQ(ledger.explained(), 2);
  EXPECT_EQ(ledger.remainder(), -1);
  EXPECT_EQ(ledger.scale(), 15);
}

TEST(Ledger, FreeFallNeedsNoEntry) {
  World world(with_ledger());
  world.create_body(dynamic_body(cube_of(1), at(0, 0, 10)));
  run_balanced(world, 60);
  const EnergyLedger ledger = world.ledger();
  EXPECT_LE(std::abs(ledger.integrator), 1e-9 * ledger.scale());
  EXPECT_EQ(ledger.contacts, 0);
  EXPECT_EQ(ledger.friction, 0);
}

TEST(Ledger, BouncingBallLosesItsHeightToRestitution) {
  World world(with_ledger());
  const MaterialIndex material = make_material(world, 0, 0.6);
  world.create_body(ground_plane(material));
  const BodyId ball = world.create_body(dynamic_body(ball_of(0.5), at(0, 0, 2.5), material));
  run_balanced(world, 360);
  const Real lost = world.mass_properties(ball).mass * kG * 2;
  EXPECT_NEAR(world.ledger().restitution, -lost, 1e-3 * lost);
  EXPECT_NEAR(world.ledger().friction, 0, 1e-9 * lost);
}

TEST(Ledger, SlidingBrickLosesItsSpeedToFriction) {
  World world(with_ledger());
  const MaterialIndex material = make_material(world, 0.4, 0);
  world.create_body(ground_plane(material));
  BodyDesc brick = dynamic_body(Solid(Box{Vec3(0.2, 0.2, 0.05)}), at(0, 0, 0.05), material);
  brick.velocity.x() = 3;
  const BodyId id = world.create_body(brick);
  const Real kinetic = world.kinetic_energy(id);
  run_balanced(world, 120);
  EXPECT_NEAR(world.ledger().friction, -kinetic, 0.01 * kinetic);
}

TEST(Ledger, LiftPaysForWhatItRaises) {
  World world(with_ledger());
  BodyDesc lift = static_body(Solid(Box{Vec3(2, 2, 0.25)}), at(0, 0, -0.25));
  lift.type = BodyType::Kinematic;
  lift.velocity.z() = 0.5;
  world.create_body(lift);
  BodyDesc box = dynamic_body(cube_of(1), at(0, 0, 0.5));
  box.velocity.z() = 0.5;
  world.create_body(box);
  run_balanced(world, 240);
  const Real raised = 1000 * kG * 0.5 * 4;
  EXPECT_NEAR(world.ledger().kinematic, raised, 0.01 * raised);
}

TEST(Ledger, ConveyorPaysForSpeedAndHeat) {
  World world(with_ledger());
  const MaterialIndex material = make_material(world, 0.3, 0);
  BodyDesc belt = static_body(Solid(Box{Vec3(20, 1, 0.1)}), at(0, 0, -0.1), material);
  belt.shapes[0].surface_velocity.x() = 1.5;
  world.create_body(belt);
  world.create_body(dynamic_body(cube_of(0.5), at(0, 0, 0.25), material));
  run_balanced(world, 120);
  const Real kinetic = 125 * 1.5 * 1.5 / 2;
  EXPECT_NEAR(world.ledger().kinematic, 2 * kinetic, 0.02 * kinetic) << "half of it goes into heat";
  EXPECT_NEAR(world.ledger().friction, -kinetic, 0.02 * kinetic);
}

TEST(Ledger, DampingAndForcesHaveTheirEntries) {
  World world(with_ledger(Vec3::Zero()));
  const BodyId body = world.create_body(dynamic_body(cube_of(1), at(0, 0, 0)));
  world.set_velocity(body, Vec3(1, 0, 0));
  for (int i = 0; i < 60; ++i) {
    world.add_force(body, Vec3(1000, 0, 0));
    world.add_torque(body, Vec3(0, 100, 30));
    run_balanced(world, 1);
  }
  const Real turning = world.kinetic_energy(body) - 1000 * 4 / 2.0;
  EXPECT_NEAR(world.ledger().applied, 1500 + turning, 1e-6 * 1500);
  EXPECT_NEAR(world.ledger().user, 500, 1e-9);
  const Real before = world.kinetic_energy();
  world.set_damping(body, 0.8, 0.8);
  run_balanced(world, 60);
  EXPECT_NEAR(world.ledger().damping, world.kinetic_energy() - before, 1e-6 * before);
  const Real applied = world.ledger().applied;
  world.apply_impulse(body, Vec3(0, 0, 300));
  run_balanced(world, 1);
  EXPECT_NEAR(world.ledger().applied - applied, 45, 1e-6);
}

TEST(Ledger, SleepTakesWhatWasLeft) {
  World world(with_ledger());
  add_crowd(world, 12);
  run_balanced(world, 900);
  std::vector<BodyId> ids;
  world.bodies(ids);
  int asleep = 0;
  for (const BodyId id : ids) asleep += world.is_awake(id) ? 0 : 1;
  EXPECT_GE(asleep, 5);
  EXPECT_LE(world.ledger().sleep, 0);
}

TEST(Ledger, BalancesInAPile) {
  World world(with_ledger());
  add_crowd(world, 64);
  run_balanced(world, 240);
  const EnergyLedger ledger = world.ledger();
  EXPECT_LT(ledger.friction, 0);
  EXPECT_LT(ledger.restitution, 0);
}

// Small balls and bricks whose bounces are so short that they are pressed together, and that meet others before the
// sub-step ends: each part of their paths has its entry.
TEST(Ledger, PartsOfPathsHaveTheirEntries) {
  WorldSettings settings = with_ledger();
  settings.sleeping = false;
  World world(settings);
  const MaterialIndex material = make_material(world, 0.4, 0.5);
  world.create_body(ground_plane(material));
  std::mt19937 random(0);
  const auto number = [&] { return static_cast<Real>(random()) / 2147483648.0 - 1; };
  const auto vector = [&](Real size) {
    const Real x = number(), y = number(), z = number();
    return Vec3(size * x, size * y, size * z);
  };
  for (int i = 0; i < 60; ++i) {
    const Solid solid = i % 2 == 0 ? ball_of(0.02) : Solid(Box{Vec3(0.02, 0.012, 0.008)});
    BodyDesc body = dynamic_body(solid, at(0.06 * (i % 3), 0.06 * (i / 3 % 3), 0.03 + 0.05 * (i / 9)), material);
    body.velocity = vector(1);
    body.angular_velocity = vector(20);
    world.create_body(body);
  }
  for (int i = 0; i < 200; ++i) {
    static_cast<void>(world.step(kStep));
    ASSERT_LT(std::abs(world.ledger().remainder()), 1e-6 * world.ledger().scale()) << i;
  }
}

TEST(Ledger, KnowsWhatTheUserDid) {
  World world(with_ledger());
  add_crowd(world, 16);
  std::vector<BodyId> ids;
  for (int i = 0; i < 60; ++i) {
    run_balanced(world, 2);
    world.bodies(ids);
    const BodyId id = ids[1 + static_cast<std::size_t>(i) % (ids.size() - 1)];
    switch (i % 6) {
      case 0:
        world.set_velocity(id, Vec3(1, 0, 3));
        break;
      case 1:
        world.set_pose(id, {exp_so3(Vec3(0.1, 0.2, 0.3)), Vec3(0, 0, 8 + 0.5 * i)});
        break;
      case 2:
        world.destroy_body(id);
        break;
      case 3:
        world.create_body(dynamic_body(cube_of(0.5), at(0, 0, 6 + 0.5 * i)));
        break;
      case 4:
        world.set_mass(id, {.mass = 50, .inertia = 5 * Mat3::Identity()});
        break;
      default:
        world.set_gravity_scale(id, 0.9);
    }
    expect_balanced(world);
    if (HasFailure()) FAIL() << "after change " << i;
  }
  world.set_gravity(Vec3(1, 0, -5));
  run_balanced(world, 10);
}

TEST(Ledger, SwitchedOffCountsNothing) {
  World world;
  add_crowd(world, 8);
  run_steps(world, 60);
  const EnergyLedger ledger = world.ledger();
  EXPECT_EQ(ledger.explained(), 0);
  EXPECT_EQ(ledger.kinetic, world.kinetic_energy());
  EXPECT_EQ(ledger.potential, world.potential_energy());
}

TEST(Ledger, ChangesNoBit) {
  std::uint64_t hashes[2];
  for (const bool keep : {false, true}) {
    WorldSettings settings;
    settings.keep_ledger = keep;
    World world(settings);
    add_crowd(world, 32);
    run_steps(world, 180);
    hashes[keep ? 1 : 0] = world.hash();
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

}  // namespace
}  // namespace visviva::dynamics
