#include "constraint/joint_parts.hpp"

namespace visviva::constraint {

template <class Writer>
void write_hinge(const JointView& view, Writer& writer) {
  lock_origins(view, writer);
  lock_swing(view.f, 2, writer);
  write_twist(view, 2, writer);
}

template <class Writer>
void write_cylindrical(const JointView& view, Writer& writer) {
  lock_onto_axis(view.f, writer);
  lock_swing(view.f, 2, writer);
  write_move(view, 2, writer);
  write_twist(view, 2, writer);
}

// Cylindrical, and C = z - pitch/2π θ.                                                    [theory/joints.md (14)]
template <class Writer>
void write_screw(const JointView& view, Writer& writer) {
  const JointFrames& f = view.f;
  const Real lead = view.joint.pitch / kTwoPi;  // [m/rad]
  const Vec3 z = f.R_a.col(2);
  const Real move = z.dot(f.x);
  // A nut that starts many turns up the thread is there without an error.
  if (!view.memory.is_set) view.memory.turn[0] = move / lead;
  const Real angle = view.memory.turn[0] = unwrap(twist_angle(f, 2), view.memory.turn[0]);
  const AngularRow turn = twist_row(f, 2);
  GenericRow thread{jacobian(row_fixed_in_a(f, z)), AtomKind::Generic};
  thread.J.w_a += lead * turn.d;
  thread.J.w_b -= lead * turn.d;

  lock_onto_axis(f, writer);
  lock_swing(f, 2, writer);
  writer.lock(thread, move - lead * angle);
  write_move(view, 2, writer);
  write_axis(view.joint.axes[model::kTurnZ], turn, angle, writer);
}

template void write_hinge(const JointView&, RowWriter&);
template void write_hinge(const JointView&, ErrorWriter&);
template void write_cylindrical(const JointView&, RowWriter&);
template void write_cylindrical(const JointView&, ErrorWriter&);
template void write_screw(const JointView&, RowWriter&);
template void write_screw(const JointView&, ErrorWriter&);

}  // namespace visviva::constraint
