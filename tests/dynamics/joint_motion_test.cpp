// Bodies on joints move as mechanics says: periods, forces, motors, limits, springs, and every joule of them.
#include <gtest/gtest.h>

#include <boost/math/special_functions/ellint_1.hpp>
#include <cmath>

#include "joint_parts.hpp"
#include "tests/sanitizer_size.hpp"

namespace visviva::dynamics {
namespace {

Real energy(const World& world) { return world.kinetic_energy() + world.potential_energy(); }

// T = 4 K(sin(θ0/2)) sqrt(I / (m g d)).
TEST(Pendulum, PeriodIsThatOfTheEllipticIntegralAndEnergyStays) {
  for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct}) {
    World world(without_sleep());
    const Real angle = 1.2;
    const Pendulum pendulum = make_pendulum(world, angle, solver);
    const geometry::MassProperties mass = world.mass_properties(pendulum.rod);
    const Real I = mass.inertia(1, 1) + mass.mass * kRodHalf * kRodHalf;
    const Real expected = 4 * boost::math::ellint_1(std::sin(angle / 2)) * std::sqrt(I / (mass.mass * kG * kRodHalf));
    const Real before = energy(world), swing = mass.mass * kG * kRodHalf * (1 - std::cos(angle));
    const int swings = sanitizer_size(100, 10);
    Real first = 0, last = 0, x_before = world.center_of_mass(pendulum.rod).x();
    for (int count = 0; count <= swings;) {
      static_cast<void>(world.step(kStep));
      const Real x = world.center_of_mass(pendulum.rod).x();
      if (x_before < 0 && x >= 0) {
        last = world.time() - kStep * x / (x - x_before);
        if (count++ == 0) first = last;
      }
      x_before = x;
      ASSERT_LT(world.time(), 400);
    }
    // The step's error is of first order in the phase and bounded in the energy: 480 sub-steps a second.
    EXPECT_NEAR((last - first) / swings, expected, 2e-4 * expected);
    EXPECT_NEAR(energy(world), before, 5e-3 * swing);
  }
}

TEST(Pendulum, HingeCarriesWeightAndCentripetalForce) {
  World world(without_sleep());
  const Pendulum pendulum = make_pendulum(world, 0);
  const Real m = world.mass_properties(pendulum.rod).mass;
  run_steps(world, 120);
  EXPECT_NEAR(world.joint_state(pendulum.hinge).force.z(), m * kG, 1e-4 * m * kG);
  EXPECT_LT(world.joint_state(pendulum.hinge).torque.norm(), 1e-4 * m * kG);
  // Set in motion at the lowest point: m g + m ω² d.
  const Real w = 2;
  world.set_angular_velocity(pendulum.rod, Vec3(0, w, 0));
  world.set_velocity(pendulum.rod, Vec3(0, w, 0).cross(Vec3(0, 0, -kRodHalf)));
  static_cast<void>(world.step(1e-4));
  EXPECT_NEAR(world.joint_state(pendulum.hinge).force.norm(), m * (kG + w * w * kRodHalf), 2e-3 * m * kG);
}

TEST(HeldBeam, FixedJointCarriesItsMoment) {
  World world(without_sleep());
  const BodyId beam = world.create_body(ghost(dynamic_body(Solid(Box{Vec3(0.5, 0.05, 0.05)}), at(0.5, 0, 0))));
  const JointId joint = world.create_joint({}, beam, joint_at(world, {}, beam, JointKind::Fixed, Vec3::Zero()));
  run_steps(world, 120);
  const Real weight = world.mass_properties(beam).mass * kG;
  const JointState state = world.joint_state(joint);
  EXPECT_NEAR(state.force.z(), weight, 1e-3 * weight);
  EXPECT_NEAR(state.torque.y(), -weight * 0.5, 1e-3 * weight);
  EXPECT_LT(world.center_of_mass(beam).z(), 0);
  EXPECT_GT(world.center_of_mass(beam).z(), -1e-3);
}

TEST(Motor, VelocityMotorGivesItsTorqueUntilItHasItsSpeed) {
  model::AxisDesc axis;
  axis.motor = {.kind = model::MotorKind::Velocity, .target_velocity = 5, .max_force = 20};
  Wheel wheel(axis);
  run_steps(wheel.world, 30);
  EXPECT_NEAR(wheel.speed(), 20 / wheel.inertia * 0.5, 1e-4);
  run_steps(wheel.world, 300);
  EXPECT_NEAR(wheel.speed(), 5, 1e-6);
}

TEST(Motor, ServoGoesToItsPositionOverSeveralTurns) {
  model::AxisDesc axis;
  axis.motor = {.kind = model::MotorKind::Position, .target_position = 20, .frequency = 1};
  Wheel wheel(axis);
  run_steps(wheel.world, 300);
  EXPECT_NEAR(wheel.angle(), 20, 1e-3);
}

// A torsion spring swings with sqrt(k / I).
TEST(Motor, SpringSwingsWithItsFrequency) {
  model::AxisDesc axis;
  axis.motor = {.kind = model::MotorKind::Spring, .stiffness = 50};
  Wheel wheel(axis);
  wheel.world.set_angular_velocity(wheel.body, Vec3(0, 0, 1));
  const Real expected = 2 * kPi / std::sqrt(50 / wheel.inertia);
  Real last = 0, first = 0, before = 1e-9;
  for (int count = 0; count <= 5;) {
    static_cast<void>(wheel.world.step(1.0 / 240));
    const Real angle = wheel.angle();
    if (before < 0 && angle >= 0) {
      last = wheel.world.time() - angle / (angle - before) / 240;
      if (count++ == 0) first = last;
    }
    before = angle;
    ASSERT_LT(wheel.world.time(), 100);
  }
  EXPECT_NEAR((last - first) / 5, expected, 2e-3 * expected);  // implicit: frequency right to second order in h
}

// Its damping is 2 (ω h)³ of the critical one: 4e-6 at 1 Hz, 6e-4 at 5 Hz.                    [theory/joints.md (25)]
TEST(Motor, SpringThatTheStepFollowsKeepsItsEnergy) {
  for (const Real frequency : {0.2, 1.0, 5.0}) {
    const Real omega = 2 * kPi * frequency, h = kStep / 8;
    model::AxisDesc axis;
    Wheel wheel(axis);
    wheel.desc.axes[model::kTurnZ].motor = {.kind = model::MotorKind::Spring,
                                            .stiffness = wheel.inertia * omega * omega};
    wheel.world.set_joint(wheel.joint, wheel.desc);
    wheel.world.set_angular_velocity(wheel.body, Vec3(0, 0, omega * 0.5));
    Real largest = 0;
    while (wheel.world.time() < 10) {
      run_steps(wheel.world, 1);
      if (wheel.world.time() > 10 - 1 / frequency) largest = std::max(largest, std::abs(wheel.angle()));
    }
    const Real rate = 4 * std::pow(omega * h, 2) * omega * omega * h / 2;
    EXPECT_NEAR(largest / 0.5, std::exp(-rate * 10), 0.02) << frequency;
  }
}

// What no step could follow stays where the spring is slack.
TEST(Motor, SpringOfAnyStiffnessIsStable) {
  for (const Real frequency : {100.0, 1e3, 1e5}) {
    model::AxisDesc axis;
    Wheel wheel(axis);
    wheel.desc.axes[model::kTurnZ].motor = {.kind = model::MotorKind::Spring,
                                            .stiffness = wheel.inertia * std::pow(2 * kPi * frequency, 2)};
    wheel.world.set_joint(wheel.joint, wheel.desc);
    wheel.world.set_angular_velocity(wheel.body, Vec3(0, 0, 1));
    for (int i = 0; i < 600; ++i) {
      run_steps(wheel.world, 1);
      EXPECT_LT(std::abs(wheel.angle()), 2 / (2 * kPi * frequency) + 1e-6);
    }
    EXPECT_LT(std::abs(wheel.speed()), 1e-3) << frequency;
  }
}

TEST(JointFriction, BrakesWithItsTorqueAndThenHolds) {
  model::AxisDesc axis;
  axis.friction = 3;
  Wheel wheel(axis);
  wheel.world.set_angular_velocity(wheel.body, Vec3(0, 0, 4));
  run_steps(wheel.world, 30);
  EXPECT_NEAR(wheel.speed(), 4 - 3 / wheel.inertia * 0.5, 1e-4);
  wheel.world.set_angular_velocity(wheel.body, Vec3(0, 0, 0.01));
  run_steps(wheel.world, 60);
  EXPECT_NEAR(wheel.speed(), 0, 1e-9);
}

TEST(Limit, HingeStopsThereWithoutOvershoot) {
  model::AxisDesc axis;
  axis.limit = {-0.5, 1.0};
  Wheel wheel(axis);
  for (const Real w : {3.0, -7.0}) {
    wheel.world.set_angular_velocity(wheel.body, Vec3(0, 0, w));
    for (int i = 0; i < 120; ++i) {
      static_cast<void>(wheel.world.step(kStep));
      const Real angle = wheel.angle();
      ASSERT_LE(angle, 1.0 + 1e-4);
      ASSERT_GE(angle, -0.5 - 1e-4);
    }
    EXPECT_NEAR(wheel.angle(), w > 0 ? 1.0 : -0.5, 1e-3);
    EXPECT_NEAR(wheel.speed(), 0, 1e-6);
  }
}

// A mass on a spring: sinks by m g / k and swings with sqrt(k / m).
TEST(Spring, HangsWhereHookeSays) {
  World world(without_sleep());
  const BodyId ball = world.create_body(ghost(dynamic_body(ball_of(0.1), at(0, 0, -1))));
  JointDesc desc = joint_at(world, {}, ball, JointKind::Spring, Vec3::Zero());
  desc.X_BJ = {};
  desc.rest_length = 1;
  desc.stiffness = 500;
  desc.damping = 20;
  world.create_joint({}, ball, desc);
  run_steps(world, 1200);
  const Real m = world.mass_properties(ball).mass;
  EXPECT_NEAR(world.center_of_mass(ball).z(), -1 - m * kG / 500, 1e-6);
}

TEST(Rope, IsSlackUntilItIsTight) {
  World world(without_sleep());
  const BodyId ball = world.create_body(ghost(dynamic_body(ball_of(0.1), at(0, 0, -0.2))));
  JointDesc desc = joint_at(world, {}, ball, JointKind::Distance, Vec3::Zero());
  desc.X_BJ = {};
  desc.length = {0, 1, 0, 1};
  const JointId rope = world.create_joint({}, ball, desc);
  // Free fall over 0.8 m takes 0.404 s.
  run_steps(world, 23);
  EXPECT_NEAR(world.center_of_mass(ball).z(), -0.2 - kG / 2 * world.time() * world.time(), 5e-3);
  EXPECT_EQ(world.joint_state(rope).force.norm(), 0);
  run_steps(world, 60);
  EXPECT_NEAR(world.center_of_mass(ball).z(), -1, 1e-3);
  EXPECT_NEAR(world.joint_state(rope).force.z(), world.mass_properties(ball).mass * kG, 1e-2 * kG);
}

// All kinds of entries at once: a driven arm with a friction joint, a spring, a limit and a swinging end.
TEST(JointLedger, EveryJouleOfMotorsSpringsAndFrictionIsBooked) {
  WorldSettings settings = without_sleep();
  settings.keep_ledger = true;
  World world(settings);
  const BodyId arm = world.create_body(ghost(dynamic_body(Solid(Box{Vec3(0.5, 0.05, 0.08)}), at(0.5, 0, 0))));
  const BodyId fore = world.create_body(ghost(dynamic_body(Solid(Box{Vec3(0.4, 0.04, 0.06)}), at(1.4, 0, 0))));
  const BodyId ball = world.create_body(ghost(dynamic_body(ball_of(0.1), at(1.8, 0.3, -0.5))));
  JointDesc shoulder = joint_at(world, {}, arm, JointKind::Hinge, Vec3::Zero(), Vec3::UnitY());
  shoulder.axes[model::kTurnZ].motor = {.kind = model::MotorKind::Velocity, .target_velocity = 3, .max_force = 400};
  world.create_joint({}, arm, shoulder);
  JointDesc elbow = joint_at(world, arm, fore, JointKind::Hinge, Vec3(1, 0, 0), Vec3::UnitY());
  elbow.axes[model::kTurnZ].friction = 2;
  elbow.axes[model::kTurnZ].limit = {-1, 1};
  world.create_joint(arm, fore, elbow);
  JointDesc spring = joint_at(world, fore, ball, JointKind::Spring, Vec3(1.8, 0, 0));
  spring.X_BJ = {};
  spring.rest_length = 0.4;
  spring.stiffness = 200;
  spring.damping = 1;
  world.create_joint(fore, ball, spring);
  for (int i = 0; i < 300; ++i) {
    static_cast<void>(world.step(kStep));
    const EnergyLedger ledger = world.ledger();
    ASSERT_LT(std::abs(ledger.remainder()), 1e-6 * ledger.scale()) << "step " << i;
  }
  const EnergyLedger ledger = world.ledger();
  EXPECT_GT(ledger.motors, 100);
  EXPECT_LT(ledger.friction, -1);
  EXPECT_NE(ledger.springs, 0);
}

// Precession of a gyroscope whose axle is held at one end: Ω = m g d / (I ω), for ω >> Ω.
TEST(Gyroscope, PrecessesAtTheRateOfTheory) {
  World world(without_sleep());
  const Real d = 0.5, w = 200;
  const BodyId wheel = world.create_body(
      ghost(dynamic_body(Solid(geometry::Cylinder{0.3, 0.05}), Pose{z_along(Vec3::UnitX()), Vec3(d, 0, 0)})));
  const geometry::MassProperties mass = world.mass_properties(wheel);
  const Real I = mass.inertia(2, 2), rate = mass.mass * kG * d / (I * w);
  world.set_angular_velocity(wheel, Vec3(w, 0, rate));
  world.set_velocity(wheel, Vec3(0, rate * d, 0));
  world.create_joint({}, wheel, joint_at(world, {}, wheel, JointKind::Ball, Vec3::Zero()));
  run_steps(world, 120);
  const Vec3 x = world.center_of_mass(wheel);
  EXPECT_NEAR(std::atan2(x.y(), x.x()), std::remainder(rate * 2.0, 2 * kPi), 0.02 * rate * 2);
  EXPECT_NEAR(x.z(), 0, 0.02);  // it does not fall
}

}  // namespace
}  // namespace visviva::dynamics
