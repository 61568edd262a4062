#pragma once

#include "visviva/dynamics/body_desc.hpp"
#include "visviva/math/se3.hpp"
#include "visviva/model/joint.hpp"

namespace visviva::dynamics {

/// What a callback that drives a motor is told.
struct MotorInput {
  JointId joint;
  model::Axis axis = model::kTurnZ;
  Real position = 0;  ///< of the axis, whole turns counted [m], [rad]
  Real velocity = 0;  ///< [m/s], [rad/s]
  Real time = 0;      ///< of the world, at the start of the step [s]
};

/// What a joint does now.
struct JointState {
  BodyId body_a, body_b;  ///< null: the world
  bool broken = false;    ///< holds nothing any more
  Pose X_WJA, X_WJB;      ///< its two frames in the world
  // Means of the last sub-step, on B; A takes the negative. World. Impacts are not in them.
  Vec3 force = Vec3::Zero();   ///< [N]
  Vec3 torque = Vec3::Zero();  ///< about the origin of J_B [N m]
  // How far it is from holding.
  Real error = 0;          ///< [m]
  Real angular_error = 0;  ///< [rad]
};

}  // namespace visviva::dynamics
