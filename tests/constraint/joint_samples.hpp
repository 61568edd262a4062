#pragma once

#include <random>
#include <vector>

#include "visviva/constraint/joint.hpp"
#include "visviva/math/so3.hpp"

/// Joints of every kind and two moving bodies, drawn with a fixed seed.
namespace visviva::constraint::samples {

inline constexpr Real kPi = 3.14159265358979323846;
inline constexpr Real kTwoPi = 2 * kPi;

class Draw {
 public:
  explicit Draw(unsigned seed = 20261118) : random_(seed) {}

  Real real(Real low, Real high) { return low + (high - low) * uniform_(random_); }
  Vec3 vector(Real size = 1) {
    const Real x = real(-1, 1), y = real(-1, 1);
    return size * Vec3(x, y, real(-1, 1));
  }
  /// By up to `angle` about any axis.
  Mat3 rotation(Real angle = 3.1) { return exp_so3(real(0, angle) * vector().normalized()); }
  Pose pose(Real size = 1) {
    const Mat3 R = rotation();
    return {R, vector(size)};
  }
  Place place() {
    const Pose X = pose(2);
    return {X, X.p + vector(0.5)};
  }
  SideMotion motion() {
    const Vec3 v = vector();
    return {v, vector()};
  }

 private:
  std::mt19937_64 random_;
  std::uniform_real_distribution<Real> uniform_{0, 1};
};

/// Where a body is after the time t of a motion that is constant in the world.
inline Place moved(const Place& place, const SideMotion& u, Real t) {
  const Mat3 turn = exp_so3(t * u.w);
  const Vec3 center = place.center + t * u.v;
  return {{turn * place.X_W.R, center + turn * (place.X_W.p - place.center)}, center};
}

/// B placed so that J_B has the pose X in J_A.
inline Place place_at(const model::JointDesc& joint, const Place& A, const Pose& X, const Vec3& center_in_b) {
  const Pose X_W = A.X_W * joint.X_AJ * X * inverse(joint.X_BJ);
  return {X_W, X_W * center_in_b};
}

inline const std::vector<model::JointKind>& all_kinds() {
  using K = model::JointKind;
  static const std::vector<K> kinds = {
      K::Ball,          K::Hinge, K::Slider,       K::Cylindrical, K::Universal,   K::Fixed,  K::Distance,
      K::Spring,        K::Cone,  K::SwingTwist,   K::SixDof,      K::Wheel,       K::Pulley, K::Gear,
      K::RackAndPinion, K::Screw, K::PointOnPlane, K::PointOnPath, K::AngularLock, K::Drag,   K::Rod};
  return kinds;
}

/// The axes that a kind leaves free.
inline std::vector<model::Axis> free_axes(model::JointKind kind) {
  using enum model::Axis;
  std::vector<model::Axis> axes;
  for (const model::Axis axis : {kMoveX, kMoveY, kMoveZ, kTurnX, kTurnY, kTurnZ})
    if (leaves_free(kind, axis)) axes.push_back(axis);
  return axes;
}

/// A joint of the kind with what that kind needs.
inline model::JointDesc plain_joint(model::JointKind kind, Draw& draw) {
  model::JointDesc joint;
  joint.name = "sample";
  joint.kind = kind;
  joint.body_a = kind == model::JointKind::Drag ? model::kWorldBody : 0;
  joint.body_b = 1;
  joint.X_AJ = draw.pose();
  joint.X_BJ = draw.pose();
  joint.length = {0.5, 1.5, 0, 1};
  joint.rest_length = 0.7;
  joint.stiffness = 100;
  joint.damping = 2;
  joint.swing_limit = kind == model::JointKind::Cone ? std::array<Real, 2>{0.8, 0.8} : std::array<Real, 2>{0.5, 1.2};
  joint.ratio = 0.6;
  joint.pitch = 0.25;
  joint.wheels = {Vec3(0, 0, 5), Vec3(1, 0, 5)};
  joint.path = {Vec3(-2, 0, 0), Vec3(-1, 1, 0.3), Vec3(0.5, 0.8, 1), Vec3(2, -0.5, 0.4), Vec3(2.5, -2, 0)};
  joint.target = Vec3(0.3, -0.2, 1);
  joint.max_force = 50;
  joint.rod = {2000, 30, 20, 5, 0.3, 0.2};
  return joint;
}

/// Everything that can be limited, driven or rubbed is.
inline model::JointDesc dressed_joint(model::JointKind kind, Draw& draw) {
  model::JointDesc joint = plain_joint(kind, draw);
  for (const model::Axis i : free_axes(kind)) {
    model::AxisDesc& axis = joint.axes[i];
    axis.motion = model::AxisMotion::Limited;
    axis.limit = {-0.7, 0.9, i % 2 == 0 ? 0.0 : 8.0, 0.7};
    axis.motor.kind = i % 2 == 0 ? model::MotorKind::Position : model::MotorKind::Spring;
    axis.motor.target_position = 0.2;
    axis.motor.stiffness = 30;
    axis.motor.max_force = 12;
    axis.friction = 0.4;
  }
  return joint;
}

}  // namespace visviva::constraint::samples
