// What docs/joints.md says of servos and fast turns: they are as stiff as the inertia that they move, and counted by
// their change in a sub-step.
#include <gtest/gtest.h>

#include <cmath>

#include "joint_parts.hpp"

namespace visviva::dynamics {
namespace {

// k = I (2π f)²: a wheel of 0.58 kg m² on a servo of 12 Hz under 46 N m stands 0.8 degrees off; a spring of the
// stiffness that is wanted where it was told to.
TEST(PositionMotor, GivesWayByTheInertiaThatItMoves) {
  const Real inertia = 0.58, torque = 46, omega = 2 * kPi * 12;
  const auto turned = [&](const model::AxisDesc& axis) {
    Wheel wheel(axis, Wheel::density_of(inertia));
    for (int i = 0; i < 120; ++i) {
      wheel.world.add_torque(wheel.body, Vec3(0, 0, torque));
      static_cast<void>(wheel.world.step(kStep));
    }
    return wheel.angle();
  };
  model::AxisDesc servo, spring;
  servo.motor = {.kind = model::MotorKind::Position, .frequency = 12};
  EXPECT_NEAR(turned(servo), torque / (inertia * omega * omega), 1e-6);
  EXPECT_NEAR(turned(servo) * 180 / kPi, 0.8, 0.005);
  const Real allowed = 0.1 * kPi / 180, k = torque / allowed;
  spring.motor = {.kind = model::MotorKind::Spring, .stiffness = k, .damping = 2 * std::sqrt(k * inertia)};
  EXPECT_NEAR(turned(spring), allowed, 1e-6);
}

// A turn of π - 0.1 in a sub-step is counted; one of π + 0.1 is taken for π - 0.1 the other way round.
TEST(CountedTurns, MustStayBelowHalfATurnInASubStep) {
  const Real h = kStep / 8;
  for (const Real turn : {kPi - 0.1, kPi + 0.1}) {
    model::AxisDesc axis;
    axis.limit = {-1e6, 1e6};  // far off: it has the turns counted
    Wheel table(axis, Wheel::density_of(2));
    table.world.set_angular_velocity(table.body, Vec3(0, 0, turn / h));
    run_steps(table.world, 5);
    EXPECT_NEAR(table.angle(), 40 * (turn < kPi ? turn : turn - 2 * kPi), 1e-3);
  }
}

}  // namespace
}  // namespace visviva::dynamics
