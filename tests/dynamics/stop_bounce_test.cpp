// Limits of joints with restitution: what comes to them goes back.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "joint_parts.hpp"
#include "visviva/core/error.hpp"

namespace visviva::dynamics {
namespace {

constexpr std::array kSolvers = {JointSolver::Iterative, JointSolver::Direct};

/// A rod of 1 m that hangs from the origin on a hinge along y, between stops.
struct Flap {
  World world;
  Pendulum pendulum;

  Flap(const WorldSettings& settings, Real angle, const model::LimitDesc& limit, JointSolver solver)
      : world(settings), pendulum(make_pendulum(world, angle, solver)) {
    JointDesc desc = world.joint_desc(pendulum.hinge);
    desc.axes[model::kTurnZ].limit = limit;
    world.set_joint(pendulum.hinge, desc);
  }
  /// So that it turns about its hinge.
  void spin(Real w) {
    world.set_angular_velocity(pendulum.rod, Vec3(0, w, 0));
    world.set_velocity(pendulum.rod, Vec3(0, w, 0).cross(world.center_of_mass(pendulum.rod)));
  }
  [[nodiscard]] Real turn() const { return world.angular_velocity(pendulum.rod).y(); }
  /// Out of the vertical.
  [[nodiscard]] Real angle() const {
    const Vec3 x = world.center_of_mass(pendulum.rod);
    return std::atan2(-x.x(), -x.z());
  }
};

WorldSettings with_ledger(WorldSettings settings) {
  settings.keep_ledger = true;
  settings.sleeping = false;
  return settings;
}

// Without weight it goes to and fro between its stops: ω e after each.
TEST(BouncingStop, GivesBackItsPartOfTheSpeed) {
  for (const JointSolver solver : kSolvers)
    for (const Real e : {1.0, 0.9}) {
      Flap flap(with_ledger(without_gravity()), 0, {-0.4, 0.3, 0, 1, e}, solver);
      flap.spin(3);
      Real last = flap.turn();
      int bounces = 0;
      for (int i = 0; i < 1200; ++i) {
        run_steps(flap.world, 1);
        if (flap.turn() * last < 0) ++bounces;
        last = flap.turn();
        ASSERT_LT(std::abs(flap.angle()), 0.4 + 1e-3);
      }
      EXPECT_GT(bounces, 20);
      EXPECT_NEAR(std::abs(last), 3 * std::pow(e, bounces), 1e-4 * 3 * std::pow(e, bounces));
      const EnergyLedger ledger = flap.world.ledger();
      // The solver's floats know velocities relative to the start of the step, and each bounce turns them round.
      EXPECT_LT(std::abs(ledger.remainder()), (1e-6 + 2e-7 * bounces) * ledger.scale());
      EXPECT_NEAR(ledger.restitution, flap.world.kinetic_energy() - ledger.user, 1e-3 * ledger.user);
    }
}

// It falls onto a stop below: of the height that it had it goes up e² again.
TEST(BouncingStop, FlapRisesToTheHeightOfItsRestitution) {
  for (const JointSolver solver : kSolvers)
    for (const Real e : {0.5, 0.8}) {
      Flap flap(with_ledger({}), 1, {-1, model::kUnbounded, 0, 1, e}, solver);  // its zero is where it starts
      const Real height = 1 - std::cos(flap.angle());
      const Real sign = flap.angle();
      int turns = 0;
      Real before = flap.turn(), highest = 0;
      for (int i = 0; i < 240 && turns < 2; ++i) {
        run_steps(flap.world, 1);
        if (flap.turn() * before < 0) ++turns;  // at the stop, and at the top of what follows
        if (turns == 1) highest = std::max(highest, 1 - std::cos(flap.angle()));
        EXPECT_GT(flap.angle() * sign, -1e-3);
        before = flap.turn();
      }
      EXPECT_NEAR(highest, e * e * height, 0.01 * height) << e;
      EXPECT_LT(std::abs(flap.world.ledger().remainder()), 1e-6 * flap.world.ledger().scale());
    }
}

// On a stop that its weight presses it against, bounces end, and it lies there.
TEST(BouncingStop, ComesToRestWhereWeightPresses) {
  for (const JointSolver solver : kSolvers) {
    Flap flap(with_ledger({}), 1, {-0.5, model::kUnbounded, 0, 1, 0.6}, solver);
    run_steps(flap.world, 300);
    EXPECT_NEAR(flap.turn(), 0, 1e-6);
    EXPECT_NEAR(flap.angle(), 0.5, 1e-3);
    EXPECT_LT(flap.world.ledger().restitution, -1);
  }
}

// Two links: of all that hangs together nothing is lost at e = 1, although the other joint takes part in each blow.
TEST(BouncingStop, ChainKeepsItsEnergy) {
  for (const JointSolver solver : kSolvers) {
    Flap flap(with_ledger(without_gravity()), 0, {-0.4, 0.3, 0, 1, 1}, solver);
    const BodyId link =
        flap.world.create_body(ghost(dynamic_body(Solid(Box{Vec3(0.02, 0.02, kRodHalf)}), at(0, 0, -3 * kRodHalf))));
    JointDesc elbow = joint_at(flap.world, flap.pendulum.rod, link, JointKind::Hinge, Vec3(0, 0, -1), Vec3::UnitY());
    elbow.solver = solver;
    elbow.axes[model::kTurnZ].limit = {-0.5, 0.5, 0, 1, 1};
    flap.world.create_joint(flap.pendulum.rod, link, elbow);
    flap.spin(2);
    flap.world.set_velocity(link, Vec3(-2, 0, 0));
    run_steps(flap.world, 1);
    const Real energy = flap.world.kinetic_energy();
    run_steps(flap.world, 600);
    // Iterative joints begin a sub-step with the impulses of the last one, which a blow has made wrong.
    EXPECT_NEAR(flap.world.kinetic_energy(), energy, (solver == JointSolver::Direct ? 1e-3 : 0.1) * energy);
    EXPECT_NEAR(flap.world.ledger().restitution, 0, 1e-6 * energy);
    EXPECT_LT(std::abs(flap.world.ledger().remainder()), 1e-5 * flap.world.ledger().scale());
  }
}

// A ball falls into a rope of 1 m and is thrown back by it.
TEST(BouncingStop, RopeThrowsBack) {
  for (const JointSolver solver : kSolvers) {
    World world(with_ledger({}));
    const BodyId ball = world.create_body(ghost(dynamic_body(ball_of(0.1), at(0, 0, -0.2))));
    JointDesc desc = joint_at(world, {}, ball, JointKind::Distance, Vec3::Zero());
    desc.X_BJ = {};
    desc.length = {0, 1, 0, 1, 0.5};
    desc.solver = solver;
    world.create_joint({}, ball, desc);
    Real lowest = 0, highest = -1;
    for (int i = 0; i < 60; ++i) {
      run_steps(world, 1);
      const Real z = world.center_of_mass(ball).z();
      lowest = std::min(lowest, z);
      if (world.velocity(ball).z() > 0) highest = std::max(highest, z);
    }
    EXPECT_GT(lowest, -1 - 1e-3);
    EXPECT_NEAR(highest, -1 + 0.25 * 0.8, 0.02);
  }
}

// With e = 1 a ball on a vertical rail comes up to its height again and again.
TEST(BouncingStop, ElasticStopKeepsTheHeightUnderWeight) {
  for (const JointSolver solver : kSolvers) {
    World world(with_ledger({}));
    const BodyId ball = world.create_body(ghost(dynamic_body(ball_of(0.1), at(0, 0, 1))));
    JointDesc desc = joint_at(world, {}, ball, JointKind::Slider, Vec3(0, 0, 1));
    desc.axes[model::kMoveZ].limit = {-1, model::kUnbounded, 0, 1, 1};
    desc.solver = solver;
    world.create_joint({}, ball, desc);
    int bounces = 0;
    Real last = 0, highest = 0;
    for (int i = 0; i < 6000; ++i) {
      run_steps(world, 1);
      const Real v = world.velocity(ball).z();
      if (last < 0 && v > 0) {
        ++bounces;
        highest = 0;
      }
      last = v;
      highest = std::max(highest, world.center_of_mass(ball).z());
      if (bounces > 0 && v < 0) {
        EXPECT_NEAR(highest, 1, 0.01) << bounces;
      }
    }
    EXPECT_GT(bounces, 100);
    EXPECT_LT(std::abs(world.ledger().remainder()), 1e-6 * world.ledger().scale());
  }
}

// Between stops that leave it no room it stands, and nothing is given back that did not come.
TEST(BouncingStop, BetweenShutStopsItStands) {
  for (const JointSolver solver : kSolvers)
    for (const JointKind kind : {JointKind::Slider, JointKind::Hinge})
      for (const Real room : {0.0, 1e-6}) {
        World world(with_ledger(without_gravity()));
        const BodyId car = world.create_body(ghost(dynamic_body(cube_of(0.2), {})));
        JointDesc desc = joint_at(world, {}, car, kind, Vec3::Zero());
        const model::Axis axis = kind == JointKind::Slider ? model::kMoveZ : model::kTurnZ;
        desc.axes[axis].limit = {-room / 2, room / 2, 0, 1, 1};
        desc.solver = solver;
        const JointId id = world.create_joint({}, car, desc);
        world.set_velocity(car, Vec3(0, 0, kind == JointKind::Slider ? 1 : 0));
        world.set_angular_velocity(car, Vec3(0, 0, kind == JointKind::Hinge ? 1 : 0));
        run_steps(world, 10);
        EXPECT_NEAR(world.kinetic_energy(), 0, 1e-12);
        EXPECT_NEAR(world.joint_coordinate(id, axis), 0, 1e-5);
        EXPECT_LT(std::abs(world.ledger().remainder()), 1e-6 * world.ledger().scale());
      }
}

// A blow of m v (1 + e) within a sub-step is a mean force: a joint that bears less breaks by it.
TEST(BouncingStop, BreaksByTheMeanForceOfItsBlow) {
  for (const Real strength : {0.9, 1.1}) {
    World world(awake_without_gravity());
    const BodyId car = world.create_body(ghost(dynamic_body(cube_of(0.2), {})));
    const Real m = world.mass_properties(car).mass, h = kStep / world.settings().substeps;
    JointDesc desc = joint_at(world, {}, car, JointKind::Slider, Vec3::Zero());
    desc.axes[model::kMoveZ].limit = {-1, 0.1, 0, 1, 0.5};
    desc.break_force = strength * m * 2 * 1.5 / h;
    const JointId id = world.create_joint({}, car, desc);
    world.set_velocity(car, Vec3(0, 0, 2));
    run_steps(world, 10);
    EXPECT_EQ(world.joint_state(id).broken, strength < 1);
    EXPECT_NEAR(world.velocity(car).z(), 2 - 3 * std::min(strength, 1.0), 1e-4);
  }
}

TEST(BouncingStop, RestitutionOutOfRangeIsRefused) {
  for (const Real e : {-0.1, 1.1, std::nan("")}) {
    World world;
    const BodyId ball = world.create_body(dynamic_body(ball_of(0.1), {}));
    JointDesc desc = joint_at(world, {}, ball, JointKind::Hinge, Vec3::Zero());
    desc.axes[model::kTurnZ].limit = {-1, 1, 0, 1, e};
    try {
      world.create_joint({}, ball, desc);
      FAIL() << e;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find("turn_z.limit.restitution"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace visviva::dynamics
