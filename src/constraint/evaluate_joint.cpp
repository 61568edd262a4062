#include <cmath>

#include "constraint/joint_families.hpp"
#include "visviva/core/assert.hpp"

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
    case JointKind::Fixed:
      return write_fixed(view, writer);
    case JointKind::Distance:
      return write_distance(view, writer);
    case JointKind::AngularLock:
      return write_angular_lock(view, writer);
    default:
      VISVIVA_ASSERT(false);
  }
}

}  // namespace

void evaluate(const model::JointDesc& joint, const Place& A, const Place& B, Real h, JointMemory& memory,
              JointRows& rows) {
  RowWriter writer(rows, h);
  write_rows({joint, make_frames(joint, A, B), memory}, writer);
  memory.is_set = true;
}

void predict_errors(const model::JointDesc& joint, const Place& A, const Place& B, const JointMemory& memory,
                    std::array<Real, kMaxAtoms>& errors) {
  JointMemory copy = memory;
  ErrorWriter writer(errors);
  write_rows({joint, make_frames(joint, A, B), copy}, writer);
}

Real coordinate(const model::JointDesc& joint, model::Axis axis, const Place& A, const Place& B,
                const JointMemory& memory) {
  const JointFrames f = make_frames(joint, A, B);
  if (axis <= model::kMoveZ) return f.R_a.col(axis).dot(f.x);
  JointMemory copy = memory;
  return count_turns(twist_about_z(f), 0, copy);
}

JointError joint_error(const JointRows& rows) {
  Real linear2 = 0, angular2 = 0;
  for (int i = 0; i < rows.locked; ++i) {
    const Atom& atom = rows.atoms[static_cast<std::size_t>(i)];
    const bool is_linear = atom.kind == AtomKind::Linear || atom.kind == AtomKind::Generic;
    (is_linear ? linear2 : angular2) += atom.error * atom.error;
  }
  return {std::sqrt(linear2), std::sqrt(angular2)};
}

}  // namespace visviva::constraint
