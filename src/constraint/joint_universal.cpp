#include "constraint/joint_parts.hpp"

namespace visviva::constraint {

template <class Writer>
void write_universal(const JointView& view, Writer& writer) {
  const Cross c = cross(view.f, 0, 1);
  lock_origins(view, writer);
  writer.lock(AngularRow{c.bend.g}, c.bend.angle);
  write_turn(view, model::kTurnX, c.first, 0, writer);
  write_turn(view, model::kTurnY, c.last, 1, writer);
}

// The axle is y of B: steered about z of A, rolling about itself, and without a bend it stays level in A.
template <class Writer>
void write_wheel(const JointView& view, Writer& writer) {
  const Cross c = cross(view.f, 2, 1);
  const model::AxisDesc& steering = view.joint.axes[model::kTurnZ];
  lock_onto_axis(view.f, writer);
  writer.lock(AngularRow{c.bend.g}, c.bend.angle);
  if (!has_rows(steering)) writer.lock(AngularRow{c.first.g}, c.first.angle);
  write_move(view, 2, writer);
  write_turn(view, model::kTurnY, c.last, 1, writer);
  write_turn(view, model::kTurnZ, c.first, 0, writer);
}

template void write_universal(const JointView&, RowWriter&);
template void write_universal(const JointView&, ErrorWriter&);
template void write_wheel(const JointView&, RowWriter&);
template void write_wheel(const JointView&, ErrorWriter&);

}  // namespace visviva::constraint
