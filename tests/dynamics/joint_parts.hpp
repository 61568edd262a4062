#pragma once

#include <Eigen/Geometry>

#include "scene_parts.hpp"

/// Joints for the scenes of these tests.
namespace visviva::dynamics {

using model::Axis;
using model::JointDesc;
using model::JointKind;
using model::JointSolver;

/// A rotation that takes z to the axis.
inline Mat3 z_along(const Vec3& axis) {
  return Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), axis).toRotationMatrix();
}

/// Joins two bodies where they are, at a world point with z of J along a world axis. A null id is the world.
inline JointDesc joint_at(const World& world, BodyId a, BodyId b, JointKind kind, const Vec3& point,
                          const Vec3& axis = Vec3::UnitZ()) {
  JointDesc desc;
  desc.name = "joint";
  desc.kind = kind;
  const Pose X_WJ{z_along(axis), point};
  const auto seen_from = [&](BodyId id) {
    if (!id) return X_WJ;
    const Pose X = world.pose(id);
    return Pose{X.R.transpose() * X_WJ.R, X.R.transpose() * (X_WJ.p - X.p)};
  };
  desc.X_AJ = seen_from(a);
  desc.X_BJ = seen_from(b);
  return desc;
}

/// A shape that meets nothing.
inline BodyDesc ghost(BodyDesc desc) {
  for (ShapeDesc& shape : desc.shapes) shape.filter = {0, 0};
  return desc;
}

/// A thin rod of length 1 m that hangs from the origin on a hinge along y, turned by `angle` out of the vertical.
struct Pendulum {
  BodyId rod;
  JointId hinge;
};
inline constexpr Real kPi = 3.14159265358979323846;
inline constexpr Real kRodHalf = 0.5;
inline Pendulum make_pendulum(World& world, Real angle, JointSolver solver = JointSolver::Iterative) {
  const Mat3 R = Eigen::AngleAxisd(angle, Vec3::UnitY()).toRotationMatrix();
  const BodyId rod = world.create_body(
      ghost(dynamic_body(Solid(Box{Vec3(0.02, 0.02, kRodHalf)}), Pose{R, R * Vec3(0, 0, -kRodHalf)})));
  JointDesc desc = joint_at(world, {}, rod, JointKind::Hinge, Vec3::Zero(), Vec3::UnitY());
  desc.solver = solver;
  return {rod, world.create_joint({}, rod, desc)};
}

inline WorldSettings awake_without_gravity() {
  WorldSettings settings = without_gravity();
  settings.sleeping = false;
  return settings;
}

/// A block of 72 kg on a hinge along z in the world, without weight, or one that has another inertia about the hinge.
struct Wheel {
  World world{awake_without_gravity()};
  BodyId body;
  JointDesc desc;
  JointId joint;
  Real inertia = 0;  ///< [kg m²]

  explicit Wheel(const model::AxisDesc& axis, Real density = 1000) {
    BodyDesc block = ghost(dynamic_body(Solid(Box{Vec3(0.3, 0.3, 0.1)}), {}));
    block.shapes[0].density = density;
    body = world.create_body(block);
    desc = joint_at(world, {}, body, JointKind::Hinge, Vec3::Zero());
    desc.axes[model::kTurnZ] = axis;
    joint = world.create_joint({}, body, desc);
    inertia = world.mass_properties(body).inertia(2, 2);
  }
  /// Of the block, as its density goes [kg/m³].
  static Real density_of(Real inertia) { return inertia / (0.6 * 0.6 * 0.2 * (0.3 * 0.3 + 0.3 * 0.3) / 3); }
  [[nodiscard]] Real speed() const { return world.angular_velocity(body).z(); }
  [[nodiscard]] Real angle() const { return world.joint_coordinate(joint, model::kTurnZ); }
};

}  // namespace visviva::dynamics
