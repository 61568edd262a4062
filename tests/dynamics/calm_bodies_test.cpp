// Slow bodies on lasting contacts, which the solver's lanes lead through a step: they move as the others do.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "scene_parts.hpp"

namespace visviva::dynamics {
namespace {

StepReport step(World& world) { return world.step(kStep); }

struct OnTable {
  World world;
  MaterialIndex material;
  BodyId id;

  OnTable(Solid solid, Real height, Real friction, const WorldSettings& settings = without_sleep())
      : world(settings), material(make_material(world, friction, 0)) {
    world.create_body(ground_plane(material));
    id = world.create_body(dynamic_body(std::move(solid), at(0, 0, height), material));
    run_steps(world, 60);  // it sinks in as far as its contacts are soft
  }
};

TEST(CalmBodies, AreThoseOfAStackAtRest) {
  World world(without_sleep());
  const MaterialIndex material = make_material(world, 0.5, 0);
  world.create_body(ground_plane(material));
  for (int i = 0; i < 8; ++i) world.create_body(dynamic_body(cube_of(1), at(0, 0, 0.5 + i), material));
  run_steps(world, 120);
  const StepReport report = step(world);
  EXPECT_EQ(report.awake_bodies, 8);
  EXPECT_EQ(report.calm_bodies, 8);
}

TEST(CalmBodies, AreNoneWhereSomethingFliesOrBounces) {
  World world(without_sleep());
  const MaterialIndex hard = make_material(world, 0, 1);
  world.create_body(ground_plane(hard));
  world.create_body(dynamic_body(ball_of(0.5), at(0, 0, 1), hard));
  world.create_body(dynamic_body(ball_of(0.5), at(5, 0, 100), hard));
  for (int i = 0; i < 120; ++i) EXPECT_EQ(step(world).calm_bodies, 0);
}

// v/(1 + hc) in each sub-step, and the way at these velocities.
TEST(CalmBodies, DampedSlideFollowsTheClosedForm) {
  for (const bool keep_ledger : {false, true}) {
    WorldSettings settings = without_sleep();
    settings.keep_ledger = keep_ledger;
    OnTable table(cube_of(1), 0.5, 0, settings);
    constexpr Real kSpeed = 0.03, kDamping = 0.7;
    const Real h = kStep / settings.substeps;
    const Real x = table.world.center_of_mass(table.id).x();
    table.world.set_damping(table.id, kDamping, 0);
    table.world.set_velocity(table.id, Vec3(kSpeed, 0, 0));
    const EnergyLedger before = table.world.ledger();
    Real v = kSpeed, way = 0;
    for (int i = 0; i < 120; ++i) {
      EXPECT_EQ(step(table.world).calm_bodies, 1) << i;
      for (int k = 0; k < settings.substeps; ++k) {
        v /= 1 + h * kDamping;
        way += h * v;
      }
      EXPECT_NEAR(table.world.velocity(table.id).x(), v, 1e-7 * kSpeed);
      EXPECT_NEAR(table.world.center_of_mass(table.id).x() - x, way, 1e-7 * kSpeed);
    }
    if (!keep_ledger) continue;
    const EnergyLedger ledger = table.world.ledger();
    const Real m = table.world.mass_properties(table.id).mass;
    EXPECT_NEAR(ledger.damping - before.damping, m * (v * v - kSpeed * kSpeed) / 2, 1e-6 * m * kSpeed * kSpeed);
    EXPECT_LT(std::abs(ledger.remainder()), 1e-6 * ledger.scale());
  }
}

TEST(CalmBodies, BrickOnItsFlatSideTurnsAtItsRate) {
  OnTable table(Solid(Box{Vec3(0.5, 0.3, 0.1)}), 0.1, 0);
  constexpr Real kRate = 0.05;
  table.world.set_angular_velocity(table.id, Vec3(0, 0, kRate));
  const Mat3 R = table.world.pose(table.id).R;
  for (int i = 1; i <= 600; ++i) {
    EXPECT_EQ(step(table.world).calm_bodies, 1);
    const Mat3 turned = table.world.pose(table.id).R * R.transpose();
    EXPECT_LT((turned - exp_so3(Vec3(0, 0, i * kStep * kRate))).norm(), 1e-6);
  }
}

// A cylinder that rolls on its side with its axis turning about the vertical is moved by its own moments: what rolls on
// a plane without rolling friction keeps its spin about the vertical, and its energy.
TEST(CalmBodies, SlowRollingKeepsItsEnergy) {
  OnTable table(Solid(geometry::Cylinder{0.5, 0.5}), 0.5, 0.5);
  table.world.set_pose(table.id, {exp_so3(Vec3(std::numbers::pi / 2, 0, 0)), Vec3(0, 0, 0.5)});
  run_steps(table.world, 60);
  table.world.set_velocity(table.id, Vec3(0.02, 0, 0));
  table.world.set_angular_velocity(table.id, Vec3(0, 0.04, 0));
  const Real energy = table.world.kinetic_energy();
  int calm = 0;
  for (int i = 0; i < 300; ++i) calm += step(table.world).calm_bodies;
  EXPECT_GT(calm, 250);
  EXPECT_NEAR(table.world.kinetic_energy(), energy, 1e-3 * energy);
}

// It falls by less than its contact's margin, and is led by lanes until it is too fast for that.
TEST(CalmBodies, FallsOnTheParabolaUntilItTouches) {
  WorldSettings settings = without_sleep();
  settings.gravity = Vec3(0, 0, -0.1);
  World world(settings);
  const MaterialIndex material = make_material(world, 0.5, 0);
  world.create_body(ground_plane(material));
  constexpr Real kHeight = 0.505;
  const BodyId id = world.create_body(dynamic_body(cube_of(1), at(0, 0, kHeight), material));
  for (int i = 1; i <= 18; ++i) {  // 4.5 mm
    static_cast<void>(step(world));
    const Real t = i * kStep;
    EXPECT_NEAR(world.center_of_mass(id).z(), kHeight - 0.05 * t * t, 1e-9) << i;
    EXPECT_NEAR(world.velocity(id).z(), -0.1 * t, 1e-8) << i;
  }
}

TEST(CalmBodies, AreStruckAsOthersAre) {
  constexpr Real kSpeed = 5;
  OnTable table(cube_of(1), 0.5, 0);
  const MaterialIndex elastic = table.world.create_material(
      {.name = "elastic", .friction = 0, .restitution = 1, .restitution_rule = model::CombineRule::Maximum});
  const BodyId ball = table.world.create_body(dynamic_body(ball_of(0.25), at(-1.5, 0, 0.5), elastic));
  EXPECT_EQ(step(table.world).calm_bodies, 1);
  const Real height = table.world.center_of_mass(table.id).z();
  table.world.set_pose(ball, at(-1.5, 0, height));
  table.world.set_gravity_scale(ball, 0);
  table.world.set_velocity(ball, Vec3(kSpeed, 0, 0));
  const Real m = table.world.mass_properties(ball).mass, M = table.world.mass_properties(table.id).mass;
  run_steps(table.world, 30);
  EXPECT_NEAR(table.world.velocity(ball).x(), kSpeed * (m - M) / (m + M), 1e-6);
  EXPECT_NEAR(table.world.velocity(table.id).x(), kSpeed * 2 * m / (m + M), 1e-6);
  EXPECT_NEAR(table.world.center_of_mass(table.id).z(), height, 1e-5);
}

// Each bounce elsewhere takes all bodies out of the lanes for the rest of its step.
TEST(CalmBodies, GoOnAsTheyDidWhenSomethingElseBounces) {
  Real x[2], angle[2];
  for (const bool disturbed : {false, true}) {
    OnTable table(Solid(Box{Vec3(0.5, 0.3, 0.1)}), 0.1, 0);
    const MaterialIndex elastic = table.world.create_material(
        {.name = "elastic", .friction = 0, .restitution = 1, .restitution_rule = model::CombineRule::Maximum});
    if (disturbed) table.world.create_body(dynamic_body(ball_of(0.25), at(20, 0, 0.3), elastic));
    table.world.set_velocity(table.id, Vec3(0.03, 0, 0));
    table.world.set_angular_velocity(table.id, Vec3(0, 0, 0.05));
    run_steps(table.world, 600);
    x[disturbed ? 1 : 0] = table.world.center_of_mass(table.id).x();
    const Mat3 R = table.world.pose(table.id).R;
    angle[disturbed ? 1 : 0] = std::atan2(R(1, 0), R(0, 0));
  }
  EXPECT_NEAR(x[0], x[1], 1e-6);
  EXPECT_NEAR(angle[0], angle[1], 1e-6);
  EXPECT_NEAR(angle[1], 0.5, 1e-5);
}

}  // namespace
}  // namespace visviva::dynamics
