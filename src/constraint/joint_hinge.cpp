#include "constraint/joint_families.hpp"

namespace visviva::constraint {

namespace {

/// z of B stays along z of A.                                                               [theory/joints.md (7)]
template <class Writer>
void lock_swing(const JointFrames& f, Writer& writer) {
  const Swing s = swing(f.R_a.col(0), f.R_a.col(1), f.R_a.col(2), f.R_b.col(2));
  writer.lock(AngularRow{s.g_l}, s.l);
  writer.lock(AngularRow{s.g_m}, s.m);
}

}  // namespace

template <class Writer>
void write_hinge(const JointView& view, Writer& writer) {
  lock_origins(view.f, writer);
  lock_swing(view.f, writer);
  write_turn_z(view, writer);
}

template void write_hinge(const JointView&, RowWriter&);
template void write_hinge(const JointView&, ErrorWriter&);

}  // namespace visviva::constraint
