#include "constraint/joint_families.hpp"

namespace visviva::constraint {

namespace {

// C = log(R_Aᵀ R_B).                                                                         [theory/joints.md (5)]
template <class Writer>
void lock_attitude(const JointFrames& f, Writer& writer) {
  const Attitude a = attitude(f);
  for (int i = 0; i < 3; ++i) writer.lock(AngularRow{a.g[i]}, a.phi[i]);
}

}  // namespace

template <class Writer>
void write_fixed(const JointView& view, Writer& writer) {
  lock_origins(view.f, writer);
  lock_attitude(view.f, writer);
}

template <class Writer>
void write_angular_lock(const JointView& view, Writer& writer) {
  lock_attitude(view.f, writer);
}

template <class Writer>
void write_slider(const JointView& view, Writer& writer) {
  lock_onto_axis(view.f, writer);
  lock_attitude(view.f, writer);
  write_move_z(view, writer);
}

template void write_fixed(const JointView&, RowWriter&);
template void write_fixed(const JointView&, ErrorWriter&);
template void write_angular_lock(const JointView&, RowWriter&);
template void write_angular_lock(const JointView&, ErrorWriter&);
template void write_slider(const JointView&, RowWriter&);
template void write_slider(const JointView&, ErrorWriter&);

}  // namespace visviva::constraint
