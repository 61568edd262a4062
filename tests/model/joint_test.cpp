#include "visviva/model/joint.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "visviva/core/error.hpp"

namespace visviva::model {
namespace {

const Real kNaN = std::nan("");

JointDesc joint_of(JointKind kind) {
  JointDesc joint;
  joint.name = "j";
  joint.kind = kind;
  joint.body_a = kind == JointKind::Drag ? kWorldBody : 0;
  joint.body_b = 1;
  joint.length = {0, 2, 0, 1};
  joint.swing_limit = {0.5, 0.5};
  joint.pitch = 0.1;
  joint.frequency = 3;
  joint.path = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0)};
  return joint;
}

/// Refused, naming the joint and the field.
void expect_refused(JointKind kind, const char* field, const std::function<void(JointDesc&)>& spoil) {
  JointDesc joint = joint_of(kind);
  spoil(joint);
  try {
    validate(joint);
    ADD_FAILURE() << to_string(kind) << ": bad " << field << " accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.object(), "joint 'j'");
    EXPECT_EQ(error.field(), field) << error.what();
  }
}

TEST(JointDesc, EveryKindIsAcceptedAsItShouldBe) {
  for (int i = 0; i < 21; ++i) EXPECT_NO_THROW(validate(joint_of(static_cast<JointKind>(i)))) << i;
}

TEST(JointDesc, AMessageReadsAsASentence) {
  JointDesc joint = joint_of(JointKind::Hinge);
  joint.name = "door";
  joint.axes[kTurnZ].limit = {1, -1};
  try {
    validate(joint);
    FAIL() << "accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "joint 'door': turn_z.limit.upper must be at least lower, 1, got -1");
  }
  joint.axes[kTurnZ] = {};
  joint.axes[kTurnX].friction = 1;
  try {
    validate(joint);
    FAIL() << "accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "joint 'door': turn_x must not be given, for a hinge does not leave it free, got a limit, a motor, "
                 "friction or a motion");
  }
}

TEST(JointDesc, BodiesAndFramesMustBeSound) {
  using K = JointKind;
  expect_refused(K::Ball, "bodies", [](JointDesc& j) { j.body_a = j.body_b = kWorldBody; });
  expect_refused(K::Ball, "bodies", [](JointDesc& j) { j.body_a = j.body_b; });
  expect_refused(K::Drag, "bodies", [](JointDesc& j) { j.body_a = 0; });
  expect_refused(K::Hinge, "frame_a.rotation", [](JointDesc& j) { j.X_AJ.R.setZero(); });
  expect_refused(K::Hinge, "frame_b.rotation", [](JointDesc& j) { j.X_BJ.R.col(2) *= -1; });
  expect_refused(K::Hinge, "frame_b.rotation", [](JointDesc& j) { j.X_BJ.R(0, 1) = kNaN; });
  expect_refused(K::Ball, "frame_a.position", [](JointDesc& j) { j.X_AJ.p.x() = kNaN; });
  expect_refused(K::Ball, "frame_b.position", [](JointDesc& j) { j.X_BJ.p.z() = kUnbounded; });
  expect_refused(K::Ball, "kind", [](JointDesc& j) { j.kind = static_cast<K>(21); });
}

TEST(JointDesc, RodsMustBeSound) {
  using K = JointKind;
  for (const Real bad : {0.0, -1.0, kNaN, 1e-13, 1e19})
    expect_refused(K::Rod, "rod.stretch_stiffness", [&](JointDesc& j) { j.rod.stretch_stiffness = bad; });
  for (const Real bad : {-1.0, kNaN, 1e-13, 1e19}) {
    expect_refused(K::Rod, "rod.bend_stiffness", [&](JointDesc& j) { j.rod.bend_stiffness = bad; });
    expect_refused(K::Rod, "rod.twist_stiffness", [&](JointDesc& j) { j.rod.twist_stiffness = bad; });
  }
  for (const Real bad : {-1.0, kNaN, kUnbounded}) {
    expect_refused(K::Rod, "rod.stretch_damping", [&](JointDesc& j) { j.rod.stretch_damping = bad; });
    expect_refused(K::Rod, "rod.bend_damping", [&](JointDesc& j) { j.rod.bend_damping = bad; });
    expect_refused(K::Rod, "rod.twist_damping", [&](JointDesc& j) { j.rod.twist_damping = bad; });
  }
}

TEST(JointDesc, AxesMustBeSound) {
  using K = JointKind;
  expect_refused(K::Slider, "move_z.limit.lower", [](JointDesc& j) { j.axes[kMoveZ].limit.lower = kNaN; });
  expect_refused(K::Slider, "move_z.limit.frequency", [](JointDesc& j) { j.axes[kMoveZ].limit.frequency = -1; });
  expect_refused(K::Hinge, "turn_z.friction", [](JointDesc& j) { j.axes[kTurnZ].friction = -0.1; });
  expect_refused(K::Hinge, "turn_z.motor.max_force", [](JointDesc& j) { j.axes[kTurnZ].motor.max_force = -1; });
  expect_refused(K::Hinge, "turn_z.motor.max_force", [](JointDesc& j) { j.axes[kTurnZ].motor.max_force = 1e300; });
  expect_refused(K::Hinge, "turn_z.motor.target_velocity",
                 [](JointDesc& j) { j.axes[kTurnZ].motor.target_velocity = kNaN; });
  expect_refused(K::Hinge, "turn_z.motor.target_velocity",
                 [](JointDesc& j) { j.axes[kTurnZ].motor.target_velocity = -1e300; });
  expect_refused(K::Hinge, "turn_z.motor.target_position",
                 [](JointDesc& j) { j.axes[kTurnZ].motor.target_position = 1e12; });
  expect_refused(K::Hinge, "turn_z.motor.frequency",
                 [](JointDesc& j) { j.axes[kTurnZ].motor = {.kind = MotorKind::Position, .frequency = 0}; });
  expect_refused(K::Hinge, "turn_z.motor.stiffness",
                 [](JointDesc& j) { j.axes[kTurnZ].motor = {.kind = MotorKind::Spring, .stiffness = -1}; });
  expect_refused(K::Hinge, "turn_z.motion", [](JointDesc& j) { j.axes[kTurnZ].motion = AxisMotion::Locked; });
  expect_refused(K::Hinge, "turn_z.limit", [](JointDesc& j) { j.axes[kTurnZ].motion = AxisMotion::Limited; });
  expect_refused(K::SixDof, "turn_x.motion", [](JointDesc& j) { j.axes[kTurnX].limit.lower = 0; });
  expect_refused(K::SixDof, "move_y.motor", [](JointDesc& j) {
    j.axes[kMoveY].motion = AxisMotion::Locked;
    j.axes[kMoveY].motor.kind = MotorKind::Velocity;
  });
  expect_refused(K::Wheel, "turn_z.friction", [](JointDesc& j) { j.axes[kTurnZ].friction = 1; });
  // What a kind does not leave free is not ignored.
  for (int kind = 0; kind < 20; ++kind)
    for (const Axis axis : {kMoveX, kMoveY, kMoveZ, kTurnX, kTurnY, kTurnZ})
      if (!leaves_free(static_cast<K>(kind), axis))
        expect_refused(static_cast<K>(kind), to_string(axis),
                       [&](JointDesc& j) { j.axes[axis].motor.kind = MotorKind::Velocity; });
}

TEST(JointDesc, WhatAKindNeedsMustBeThere) {
  using K = JointKind;
  expect_refused(K::Distance, "length.upper", [](JointDesc& j) { j.length = {0, 0, 0, 1}; });
  expect_refused(K::Distance, "length.upper", [](JointDesc& j) { j.length = {2, 1, 0, 1}; });
  expect_refused(K::Distance, "length.lower", [](JointDesc& j) { j.length = {-1, 1, 0, 1}; });
  expect_refused(K::Distance, "length", [](JointDesc& j) { j.length = {0, kUnbounded, 0, 1}; });
  expect_refused(K::Pulley, "length.upper", [](JointDesc& j) { j.length.upper = kUnbounded; });
  expect_refused(K::Pulley, "ratio", [](JointDesc& j) { j.ratio = -1; });
  expect_refused(K::Pulley, "wheels.1", [](JointDesc& j) { j.wheels[1].y() = kNaN; });
  expect_refused(K::Gear, "ratio", [](JointDesc& j) { j.ratio = 0; });
  expect_refused(K::RackAndPinion, "ratio", [](JointDesc& j) { j.ratio = kNaN; });
  expect_refused(K::Screw, "pitch", [](JointDesc& j) { j.pitch = 0; });
  expect_refused(K::Spring, "stiffness", [](JointDesc& j) { j.frequency = 0; });
  expect_refused(K::Spring, "rest_length", [](JointDesc& j) { j.rest_length = -1; });
  expect_refused(K::Cone, "swing_limit", [](JointDesc& j) { j.swing_limit = {0.5, 0.6}; });
  expect_refused(K::Cone, "swing_limit", [](JointDesc& j) { j.swing_limit = {kUnbounded, kUnbounded}; });
  expect_refused(K::SwingTwist, "swing_limit", [](JointDesc& j) { j.swing_limit[1] = 3.2; });
  expect_refused(K::SwingTwist, "swing_limit", [](JointDesc& j) { j.swing_limit[0] = 0; });
  expect_refused(K::Drag, "frequency", [](JointDesc& j) { j.frequency = 0; });
  expect_refused(K::Drag, "max_force", [](JointDesc& j) { j.max_force = kNaN; });
  expect_refused(K::PointOnPath, "path", [](JointDesc& j) { j.path.resize(1); });
  expect_refused(K::PointOnPath, "path", [](JointDesc& j) { j.path.clear(); });
  expect_refused(K::PointOnPath, "path", [](JointDesc& j) { j.path.resize(2), j.closed_path = true; });
  expect_refused(K::PointOnPath, "path.1", [](JointDesc& j) { j.path[1] = j.path[0]; });
  expect_refused(K::PointOnPath, "path.2", [](JointDesc& j) { j.path[2].x() = kNaN; });
  expect_refused(K::PointOnPath, "path.1", [](JointDesc& j) { j.path[2] = Vec3(0.5, 0, 0); });
  expect_refused(K::Ball, "break_force", [](JointDesc& j) { j.break_force = 0; });
  expect_refused(K::Ball, "break_torque", [](JointDesc& j) { j.break_torque = kNaN; });
  expect_refused(K::Ball, "break_impulse", [](JointDesc& j) { j.break_impulse = -1; });
}

}  // namespace
}  // namespace visviva::model
