#include "constraint/joint_parts.hpp"

namespace visviva::constraint {

template <class Writer>
void write_fixed(const JointView& view, Writer& writer) {
  lock_origins(view, writer);
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
  write_move(view, 2, writer);
}

template void write_fixed(const JointView&, RowWriter&);
template void write_fixed(const JointView&, ErrorWriter&);
template void write_angular_lock(const JointView&, RowWriter&);
template void write_angular_lock(const JointView&, ErrorWriter&);
template void write_slider(const JointView&, RowWriter&);
template void write_slider(const JointView&, ErrorWriter&);

}  // namespace visviva::constraint
