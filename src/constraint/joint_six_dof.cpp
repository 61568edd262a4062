#include "constraint/joint_parts.hpp"
#include "constraint/locked_turns.hpp"

namespace visviva::constraint {

namespace {

using model::Axis;

Axis turn_axis(int i) { return static_cast<Axis>(model::kTurnX + i); }

/// No turn is locked: swing about x and y, twist about z.
template <class Writer>
void write_free_turns(const JointView& view, Writer& writer) {
  const JointFrames& f = view.f;
  const auto& axes = view.joint.axes;
  if (has_rows(axes[model::kTurnX]) || has_rows(axes[model::kTurnY])) {
    const Swing s = swing(f.R_a.col(0), f.R_a.col(1), f.R_a.col(2), f.R_b.col(2));
    write_axis(axes[model::kTurnX], AngularRow{s.g_l}, s.l, writer);
    write_axis(axes[model::kTurnY], AngularRow{s.g_m}, s.m, writer);
  }
  write_twist(view, 2, writer);
}

}  // namespace

template <class Writer>
void write_six_dof(const JointView& view, Writer& writer) {
  const JointFrames& f = view.f;
  const auto is_locked = [&](int i) {
    return view.joint.axes[static_cast<std::size_t>(i)].motion == model::AxisMotion::Locked;
  };
  for (int i = 0; i < 3; ++i)
    if (is_locked(i)) writer.lock(row_fixed_in_a(f, f.R_a.col(i)), f.R_a.col(i).dot(f.x));

  const LockedTurns locked = locked_turns(view.joint);
  const int first = (locked.only + 1) % 3, last = (locked.only + 2) % 3;
  Cross c;
  if (locked.count == 1) {
    c = cross(f, first, last);
    writer.lock(AngularRow{c.bend.g}, c.bend.angle);
  }
  if (locked.count == 2) lock_swing(f, locked.only, writer);
  if (locked.count == 3) lock_attitude(f, writer);

  for (int i = 0; i < 3; ++i)
    if (!is_locked(i)) write_move(view, i, writer);
  if (locked.count == 0) write_free_turns(view, writer);
  if (locked.count == 1) {
    write_turn(view, turn_axis(first), c.first, 0, writer);
    write_turn(view, turn_axis(last), c.last, 1, writer);
  }
  if (locked.count == 2) write_twist(view, locked.only, writer);
}

template void write_six_dof(const JointView&, RowWriter&);
template void write_six_dof(const JointView&, ErrorWriter&);

}  // namespace visviva::constraint
