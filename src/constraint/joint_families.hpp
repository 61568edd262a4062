#pragma once

#include "constraint/joint_angles.hpp"
#include "constraint/row_writer.hpp"

/// The kinds of joints, one function each, in files by family. A function writes the rows of its kind, locked ones
/// first, and brings the memory up to date.
namespace visviva::constraint {

/// A joint at two places.
struct JointView {
  const model::JointDesc& joint;
  JointFrames f;
  JointMemory& memory;
};

// joint_point.cpp
template <class Writer>
void write_ball(const JointView& view, Writer& writer);
// joint_fixed.cpp
template <class Writer>
void write_fixed(const JointView& view, Writer& writer);
template <class Writer>
void write_angular_lock(const JointView& view, Writer& writer);
template <class Writer>
void write_slider(const JointView& view, Writer& writer);
// joint_hinge.cpp
template <class Writer>
void write_hinge(const JointView& view, Writer& writer);
// joint_length.cpp
template <class Writer>
void write_distance(const JointView& view, Writer& writer);

/// Origins coincide: along the axes of the world, so that the rows stay the same while the bodies turn.
template <class Writer>
void lock_origins(const JointFrames& f, Writer& writer) {
  for (int i = 0; i < 3; ++i) writer.lock(row_between_origins(f, Vec3::Unit(i)), f.x[i]);
}

/// The origin of B stays on the z axis of A.
template <class Writer>
void lock_onto_axis(const JointFrames& f, Writer& writer) {
  for (int i = 0; i < 2; ++i) writer.lock(row_fixed_in_a(f, f.R_a.col(i)), f.R_a.col(i).dot(f.x));
}

/// Motion along z of A.
template <class Writer>
void write_move_z(const JointView& view, Writer& writer) {
  const Vec3 z = view.f.R_a.col(2);
  write_axis(view.joint.axes[model::kMoveZ], row_fixed_in_a(view.f, z), z.dot(view.f.x), writer);
}

/// Turn about z, counted in slot 0 of the memory.
template <class Writer>
void write_turn_z(const JointView& view, Writer& writer) {
  const model::AxisDesc& axis = view.joint.axes[model::kTurnZ];
  if (!Writer::kKeepsMemory && !has_rows(axis)) return;
  const Real angle = count_turns(twist_about_z(view.f), 0, view.memory);
  if (has_rows(axis)) write_axis(axis, twist_row(view.f), angle, writer);
}

}  // namespace visviva::constraint
