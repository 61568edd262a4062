#pragma once

#include "constraint/joint_frames.hpp"
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
template <class Writer>
void write_point_on_plane(const JointView& view, Writer& writer);
template <class Writer>
void write_drag(const JointView& view, Writer& writer);
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
template <class Writer>
void write_cylindrical(const JointView& view, Writer& writer);
template <class Writer>
void write_screw(const JointView& view, Writer& writer);
// joint_swing.cpp
template <class Writer>
void write_cone(const JointView& view, Writer& writer);
template <class Writer>
void write_swing_twist(const JointView& view, Writer& writer);
// joint_universal.cpp
template <class Writer>
void write_universal(const JointView& view, Writer& writer);
template <class Writer>
void write_wheel(const JointView& view, Writer& writer);
// joint_six_dof.cpp
template <class Writer>
void write_six_dof(const JointView& view, Writer& writer);
// joint_length.cpp
template <class Writer>
void write_distance(const JointView& view, Writer& writer);
template <class Writer>
void write_spring(const JointView& view, Writer& writer);
template <class Writer>
void write_pulley(const JointView& view, Writer& writer);
// joint_gear.cpp
template <class Writer>
void write_gear(const JointView& view, Writer& writer);
template <class Writer>
void write_rack_and_pinion(const JointView& view, Writer& writer);
// joint_path.cpp
template <class Writer>
void write_point_on_path(const JointView& view, Writer& writer);

// joint_rod.cpp
template <class Writer>
void write_rod(const JointView& view, Writer& writer);

/// Length along the curve of PointOnPath [m].
[[nodiscard]] Real length_along_path(const JointView& view);

}  // namespace visviva::constraint
