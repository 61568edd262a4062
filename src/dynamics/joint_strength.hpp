#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <span>

#include "dynamics/world_data.hpp"

/// What joints bear. An impulse P within a sub-step h is a mean force P/h, whoever gave it: rows or impacts. So a joint
/// gives at most min(break_impulse, h break_force) along and h break_torque about, a row of a user at most h strength;
/// then it breaks.                                                                              [theory/joints.md (27)]
namespace visviva::dynamics {

/// Impulse on B, and about the origin of J_B [N s], [N m s].
struct JointLoad {
  Vec3 along = Vec3::Zero(), about = Vec3::Zero();

  void add(const constraint::JacobianRow& J, const Vec3& arm, Real impulse) {
    along += impulse * J.v_b;
    about += impulse * (J.w_b - arm.cross(J.v_b));
  }
};

/// From the centre of mass of B to the origin of J_B, world [m].
[[nodiscard]] inline Vec3 arm_of(const World::Data& world, const Joint& joint) {
  if (joint.body_b == kNone) return joint.desc.X_BJ.p;
  const Body& body = world.bodies[joint.body_b];
  return body.pose() * joint.desc.X_BJ.p - body.x;
}

[[nodiscard]] inline Real most_along(const Joint& joint, Real h) {
  return std::min(joint.desc.break_impulse, h * joint.desc.break_force);
}
[[nodiscard]] inline Real most_about(const Joint& joint, Real h) { return h * joint.desc.break_torque; }

/// Whether anything could break it; `rows` are its own.
[[nodiscard]] inline bool can_break(const Joint& joint, std::span<const JointRow> rows) {
  const auto is_weak = [](const JointRow& row) { return std::isfinite(row.strength); };
  return std::isfinite(most_along(joint, 1)) || std::isfinite(most_about(joint, 1)) ||
         (joint.user && std::any_of(rows.begin(), rows.end(), is_weak));
}

/// Largest part s of `more`, in [0, 1], with |base + s more| <= most.
[[nodiscard]] inline Real share_within(const Vec3& base, const Vec3& more, Real most) {
  if ((base + more).norm() <= most) return 1;
  // s² a + 2 s b + c = 0; of the two forms of its larger root the one that does not cancel.
  const Real a = more.squaredNorm(), b = base.dot(more), c = base.squaredNorm() - most * most;
  if (!(c < 0)) return 0;
  const Real root = std::sqrt(b * b - a * c);
  return std::clamp(b > 0 ? -c / (b + root) : (root - b) / a, 0.0, 1.0);
}
[[nodiscard]] inline Real share_within(Real base, Real more, Real most) {
  return share_within(Vec3(base, 0, 0), Vec3(more, 0, 0), most);
}

/// Counts an impulse of an impact.
inline void add_shock(Joint& joint, std::size_t row, const constraint::JacobianRow& J, const Vec3& arm, Real impulse) {
  JointLoad load{joint.shock, joint.shock_about};
  load.add(J, arm, impulse);
  joint.shock = load.along;
  joint.shock_about = load.about;
  if (joint.user) joint.shocks[row] += impulse;
}

}  // namespace visviva::dynamics
