#include <cmath>

#include "constraint/joint_families.hpp"

namespace visviva::constraint {

namespace {

template <class Writer>
void write_rows(const JointView& view, Writer& writer) {
  using model::JointKind;
  switch (view.joint.kind) {
    case JointKind::Ball:
      return write_ball(view, writer);
    case JointKind::Hinge:
      return write_hinge(view, writer);
    case JointKind::Slider:
      return write_slider(view, writer);
    case JointKind::Cylindrical:
      return write_cylindrical(view, writer);
    case JointKind::Universal:
      return write_universal(view, writer);
    case JointKind::Fixed:
      return write_fixed(view, writer);
    case JointKind::Distance:
      return write_distance(view, writer);
    case JointKind::Spring:
      return write_spring(view, writer);
    case JointKind::Cone:
      return write_cone(view, writer);
    case JointKind::SwingTwist:
      return write_swing_twist(view, writer);
    case JointKind::SixDof:
      return write_six_dof(view, writer);
    case JointKind::Wheel:
      return write_wheel(view, writer);
    case JointKind::Pulley:
      return write_pulley(view, writer);
    case JointKind::Gear:
      return write_gear(view, writer);
    case JointKind::RackAndPinion:
      return write_rack_and_pinion(view, writer);
    case JointKind::Screw:
      return write_screw(view, writer);
    case JointKind::PointOnPlane:
      return write_point_on_plane(view, writer);
    case JointKind::PointOnPath:
      return write_point_on_path(view, writer);
    case JointKind::AngularLock:
      return write_angular_lock(view, writer);
    case JointKind::Drag:
      return write_drag(view, writer);
    case JointKind::Rod:
      return write_rod(view, writer);
  }
}

}  // namespace

void evaluate(const model::JointDesc& joint, const Place& A, const Place& B, Real h, JointMemory& memory,
              JointRows& rows) {
  RowWriter writer(rows, h);
  write_rows({joint, make_frames(joint, A, B, needs_axes(joint.kind)), memory}, writer);
  memory.is_set = true;
}

void predict_errors(const model::JointDesc& joint, const Place& A, const Place& B, const JointMemory& memory,
                    std::array<Real, kMaxAtoms>& errors) {
  JointMemory copy = memory;
  ErrorWriter writer(errors);
  write_rows({joint, make_frames(joint, A, B, needs_axes(joint.kind)), copy}, writer);
}

JointError joint_error(const JointRows& rows) {
  Real linear2 = 0, angular2 = 0;
  for (int i = 0; i < rows.locked; ++i) {
    const Atom& atom = rows.atoms[static_cast<std::size_t>(i)];
    if (is_spring(atom.spring)) continue;  // a shape that it has, no gap
    const bool is_linear = atom.kind == AtomKind::Linear || atom.kind == AtomKind::Generic;
    (is_linear ? linear2 : angular2) += atom.error * atom.error;
  }
  return {std::sqrt(linear2), std::sqrt(angular2)};
}

}  // namespace visviva::constraint
