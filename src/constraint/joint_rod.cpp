#include "constraint/joint_parts.hpp"

namespace visviva::constraint {

// Discrete Cosserat rod: stretch along z_A, bending by the swing of z_B, twist about it, each as far as it has a
// stiffness.                                                                              [theory/ropes.md (1) to (4)]
template <class Writer>
void write_rod(const JointView& view, Writer& writer) {
  const model::RodDesc& rod = view.joint.rod;
  const JointFrames& f = view.f;
  if (rod.stretch_stiffness == model::kUnbounded) {
    lock_origins(view, writer);
  } else {
    lock_onto_axis(f, writer);
    const Vec3 z = f.R_a.col(2);
    writer.hold(row_fixed_in_a(f, z), z.dot(f.x), rod.stretch_stiffness, rod.stretch_damping);
  }
  if (rod.bend_stiffness > 0 || rod.bend_damping > 0) {
    const Swing s = swing(f.R_a.col(0), f.R_a.col(1), f.R_a.col(2), f.R_b.col(2));
    const Real damping = rod.bend_damping + view.memory.along;
    writer.hold(AngularRow{s.g_l}, s.l, rod.bend_stiffness, damping);
    writer.hold(AngularRow{s.g_m}, s.m, rod.bend_stiffness, damping);
  }
  if (rod.twist_stiffness > 0 || rod.twist_damping > 0)
    writer.hold(twist_row(f, 2), count_turns(twist_angle(f, 2), 0, view.memory), rod.twist_stiffness,
                rod.twist_damping);
}

template void write_rod(const JointView&, RowWriter&);
template void write_rod(const JointView&, ErrorWriter&);

}  // namespace visviva::constraint
