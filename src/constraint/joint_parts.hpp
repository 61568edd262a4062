#pragma once

#include "constraint/joint_angles.hpp"
#include "constraint/joint_families.hpp"

/// What several kinds of joints have in common.
namespace visviva::constraint {

/// The largest cube in the unit ball has corners at 1/√3: forces along three axes that each stay below this part of a
/// bound stay below it together.
inline constexpr Real kCubeInBall = 0.57735026918962576451;

/// Of Spring and Drag.
[[nodiscard]] inline SpringLaw spring_law(const model::JointDesc& joint) {
  if (joint.frequency > 0) return {0, 0, joint.frequency, joint.damping_ratio};
  return {joint.stiffness, joint.damping, 0, 0};
}

/// Along which x = p_b - p_a is measured. Between two bodies, axes of A: both impulses of a row then act at p_b, and
/// make no couple however far the origins are apart. Against the world, its axes: rows stay the same while the body
/// turns.
template <class F>
void along_axes(const JointView& view, F&& f) {
  const JointFrames& at = view.f;
  if (view.joint.body_a == model::kWorldBody || view.joint.body_b == model::kWorldBody)
    for (int i = 0; i < 3; ++i) f(row_between_origins(at, Vec3::Unit(i)), at.x[i]);
  else
    for (int i = 0; i < 3; ++i) f(row_fixed_in_a(at, at.R_a.col(i)), at.R_a.col(i).dot(at.x));
}

/// Origins coincide.
template <class Writer>
void lock_origins(const JointView& view, Writer& writer) {
  along_axes(view, [&](const LinearRow& row, Real C) { writer.lock(row, C); });
}

/// The origin of B stays on the z axis of A.
template <class Writer>
void lock_onto_axis(const JointFrames& f, Writer& writer) {
  for (int i = 0; i < 2; ++i) writer.lock(row_fixed_in_a(f, f.R_a.col(i)), f.R_a.col(i).dot(f.x));
}

/// C = log(R_Aᵀ R_B).                                                                       [theory/joints.md (4)]
template <class Writer>
void lock_attitude(const JointFrames& f, Writer& writer) {
  const Attitude a = attitude(f);
  for (int i = 0; i < 3; ++i) writer.lock(AngularRow{a.g[i]}, a.phi[i]);
}

/// Axis n of B stays along axis n of A; 2 is z.                                             [theory/joints.md (6)]
template <class Writer>
void lock_swing(const JointFrames& f, int n, Writer& writer) {
  const Swing s = swing(f.R_a.col((n + 1) % 3), f.R_a.col((n + 2) % 3), f.R_a.col(n), f.R_b.col(n));
  writer.lock(AngularRow{s.g_l}, s.l);
  writer.lock(AngularRow{s.g_m}, s.m);
}

/// Motion along axis i of A.
template <class Writer>
void write_move(const JointView& view, int i, Writer& writer) {
  const model::AxisDesc& axis = view.joint.axes[static_cast<std::size_t>(i)];
  if (!has_rows(axis)) return;
  const Vec3 d = view.f.R_a.col(i);
  write_axis(axis, row_fixed_in_a(view.f, d), d.dot(view.f.x), writer);
}

/// Keeps count of the turns of an axis without rows. Its angle is needed only within half a turn, to count, so an
/// arctangent is taken only when it is a right angle away from the last one (whose cosine and sine are in axis[0]).
inline void watch_twist(const JointFrames& f, int n, JointMemory& memory) {
  const int l = (n + 1) % 3, m = (n + 2) % 3;
  const Real c = f.R_a.col(l).dot(f.R_b.col(l)) + f.R_a.col(m).dot(f.R_b.col(m));
  const Real s = f.R_a.col(m).dot(f.R_b.col(l)) - f.R_a.col(l).dot(f.R_b.col(m));
  if (memory.is_set && c * memory.axis[0].x() + s * memory.axis[0].y() > 0) return;
  memory.axis[0] = Vec3(c, s, 0);
  count_turns(visviva::atan2(s, c), 0, memory);
}

/// Turn about axis n once the swing is undone, counted in slot 0 of the memory.
template <class Writer>
void write_twist(const JointView& view, int n, Writer& writer) {
  const model::AxisDesc& axis = view.joint.axes[static_cast<std::size_t>(model::kTurnX + n)];
  if (has_rows(axis))
    write_axis(axis, twist_row(view.f, n), count_turns(twist_angle(view.f, n), 0, view.memory), writer);
  else if (Writer::kKeepsMemory)
    watch_twist(view.f, n, view.memory);
}

/// A turn whose angle and gradient are known, counted in slot i of the memory.
template <class Writer>
void write_turn(const JointView& view, model::Axis which, const Turn& turn, std::size_t i, Writer& writer) {
  write_axis(view.joint.axes[which], AngularRow{turn.g}, count_turns(turn.angle, i, view.memory), writer);
}

}  // namespace visviva::constraint
