// Motors that the application drives: a controller of its own, and what becomes of answers that are none.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "joint_parts.hpp"
#include "visviva/core/error.hpp"

namespace visviva::dynamics {
namespace {

using model::MotorDesc;
using model::MotorKind;

/// A torque is a motor that never reaches its speed.
MotorDesc torque(Real value) {
  return {.kind = MotorKind::Velocity, .target_velocity = std::copysign(1e6, value), .max_force = std::abs(value)};
}

// A rod stands on its hinge, pushed out of balance. With I about the hinge the controller τ = -k q - c q̇ makes
// I q̈ = (m g d - k) q - c q̇ of it: with k = m g d + I ω² and c = 2 I ω critically damped, q = q₀ (1 + ωt) e^{-ωt}.
// It is asked 60 times a second, so it answers half a step late, by which q may differ by ω dt/2 of q₀.
TEST(MotorCallback, ControllerHoldsAnInvertedPendulum) {
  for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct}) {
    World world(without_sleep());
    const Real start = 0.2;
    const Pendulum pendulum = make_pendulum(world, kPi + start, solver);
    const geometry::MassProperties mass = world.mass_properties(pendulum.rod);
    const Real I = mass.inertia(1, 1) + mass.mass * kRodHalf * kRodHalf, w = 4;
    const Real k = mass.mass * kG * kRodHalf + I * w * w, c = 2 * I * w;
    int calls = 0;
    // The joint was made where the rod leans: there its coordinate is 0.
    world.set_motor_callback(pendulum.hinge, model::kTurnZ, [&](const MotorInput& input) {
      ++calls;
      EXPECT_EQ(input.joint, pendulum.hinge);
      EXPECT_EQ(input.axis, model::kTurnZ);
      EXPECT_EQ(input.time, world.time());
      EXPECT_NEAR(input.position, world.joint_coordinate(pendulum.hinge, model::kTurnZ), 1e-12);
      EXPECT_NEAR(input.velocity, world.angular_velocity(pendulum.rod).y(), 1e-6);
      return torque(-k * (input.position + start) - c * input.velocity);
    });
    for (int i = 0; i < 180; ++i) {
      run_steps(world, 1);
      const Real q = start + world.joint_coordinate(pendulum.hinge, model::kTurnZ), t = world.time();
      ASSERT_NEAR(q, start * (1 + w * t) * std::exp(-w * t), w * kStep / 2 * start) << "at " << t;
    }
    EXPECT_EQ(calls, 180);
    EXPECT_GT(world.center_of_mass(pendulum.rod).z(), kRodHalf - 1e-4);
    // Left alone it falls.
    world.set_motor_callback(pendulum.hinge, model::kTurnZ, nullptr);
    world.set_motor(pendulum.hinge, model::kTurnZ, {});
    world.set_angular_velocity(pendulum.rod, Vec3(0, 0.1, 0));
    run_steps(world, 120);
    EXPECT_EQ(calls, 180);
    EXPECT_LT(world.center_of_mass(pendulum.rod).z(), 0.4);
  }
}

// What set_motor would refuse by throwing is counted when a callback says it, and the last good motor stays.
TEST(MotorCallback, MotorsThatCannotBeAreCountedAndChangeNothing) {
  const Real nan = std::nan(""), infinity = std::numeric_limits<Real>::infinity();
  const std::vector<MotorDesc> nonsense = {
      {.kind = MotorKind::Velocity, .target_velocity = nan},
      {.kind = MotorKind::Velocity, .target_velocity = infinity},
      {.kind = MotorKind::Velocity, .target_position = nan},
      {.kind = MotorKind::Velocity, .max_force = -1},
      {.kind = MotorKind::Velocity, .max_force = nan},
      {.kind = MotorKind::Position, .frequency = 0},
      {.kind = MotorKind::Position, .frequency = infinity},
      {.kind = MotorKind::Position, .damping_ratio = -1},
      {.kind = MotorKind::Spring, .stiffness = -1},
      {.kind = MotorKind::Spring, .damping = nan},
      {.kind = static_cast<MotorKind>(9)},
  };
  World plain(without_sleep()), asked(without_sleep());
  const MotorDesc good = {.kind = MotorKind::Velocity, .target_velocity = 2, .max_force = 5};
  const Pendulum a = make_pendulum(plain, 1), b = make_pendulum(asked, 1);
  plain.set_motor(a.hinge, model::kTurnZ, good);
  asked.set_motor(b.hinge, model::kTurnZ, good);
  MotorDesc answer;
  asked.set_motor_callback(b.hinge, model::kTurnZ, [&](const MotorInput&) { return answer; });
  for (const MotorDesc& bad : nonsense) {
    EXPECT_THROW(plain.set_motor(a.hinge, model::kTurnZ, bad), InvalidArgument);
    answer = bad;
    run_steps(plain, 1);
    EXPECT_EQ(asked.step(kStep).refused_constraints, 1);
    EXPECT_EQ(asked.joint_desc(b.hinge).axes[model::kTurnZ].motor, good);
    EXPECT_EQ(asked.hash(), plain.hash());
  }
  answer = good;
  EXPECT_EQ(asked.step(kStep).refused_constraints, 0);
}

TEST(MotorCallback, AxisThatTheJointDoesNotLeaveFreeIsRefused) {
  World world;
  const Pendulum pendulum = make_pendulum(world, 1);
  EXPECT_THROW(world.set_motor_callback(pendulum.hinge, model::kMoveX, [](const MotorInput&) { return MotorDesc{}; }),
               InvalidArgument);
}

// The first that throws ends the asking: the step is made with the motors as they were, and then throws it on.
TEST(MotorCallback, WhatItThrowsIsThrownOnWhenTheStepIsDone) {
  World plain(without_sleep()), asked(without_sleep());
  const MotorDesc good = {.kind = MotorKind::Velocity, .target_velocity = 2, .max_force = 5};
  JointId joints[2];
  for (World* world : {&plain, &asked})
    for (JointId& id : joints) {
      id = make_pendulum(*world, 1).hinge;
      world->set_motor(id, model::kTurnZ, good);
    }
  run_steps(plain, 1);
  run_steps(asked, 1);
  asked.set_motor_callback(joints[0], model::kTurnZ,
                           [](const MotorInput&) -> MotorDesc { throw std::runtime_error("no motor"); });
  int others = 0;
  asked.set_motor_callback(joints[1], model::kTurnZ, [&](const MotorInput&) {
    ++others;
    return torque(100);
  });
  run_steps(plain, 1);
  EXPECT_THROW(static_cast<void>(asked.step(kStep)), std::runtime_error);
  EXPECT_EQ(others, 0);
  EXPECT_EQ(asked.steps(), plain.steps());
  EXPECT_EQ(asked.hash(), plain.hash());
  asked.set_motor_callback(joints[0], model::kTurnZ, nullptr);
  EXPECT_NO_THROW(static_cast<void>(asked.step(kStep)));
  EXPECT_EQ(others, 1);
}

// A callback may look at the world, and not change it.
TEST(MotorCallback, ChangesToTheWorldAreRefused) {
  World world(without_sleep());
  const Pendulum pendulum = make_pendulum(world, 1);
  world.set_motor_callback(pendulum.hinge, model::kTurnZ, [&](const MotorInput&) {
    world.set_motor(pendulum.hinge, model::kTurnZ, {});
    return MotorDesc{};
  });
  EXPECT_THROW(static_cast<void>(world.step(kStep)), InvalidState);
  EXPECT_EQ(world.steps(), 1u);
}

}  // namespace
}  // namespace visviva::dynamics
