#include "constraint/joint_parts.hpp"

// Two bodies alone do not tell how far a gear has turned: that needs what it turns in. A gear's turn is counted from
// its first evaluation: in the world, about the axis that it had then; that of a pinion in its rack. Both are the twist
// that is left when the axis is swung back, so they are functions of the poses, with exact gradients.
//                                                                                         [theory/joints.md (15)]
namespace visviva::constraint {

namespace {

/// The turn of the frame R about its z, from `axis` on, which z had first; both in the world.
Turn turn_from(const Vec3& axis, const Vec3& l, const Mat3& R) {
  return {twist_angle(l, axis.cross(l), R.col(0), R.col(1)), twist_gradient(axis, R.col(2))};
}

}  // namespace

// C = θ_B + ratio θ_A.
template <class Writer>
void write_gear(const JointView& view, Writer& writer) {
  const JointFrames& f = view.f;
  JointMemory& memory = view.memory;
  if (!memory.is_set) memory.axis = {f.R_a.col(2), f.R_b.col(2)};
  const Turn a = turn_from(memory.axis[0], perpendicular(memory.axis[0]), f.R_a);
  const Turn b = turn_from(memory.axis[1], perpendicular(memory.axis[1]), f.R_b);
  const Real C = count_turns(b.angle, 1, memory) + view.joint.ratio * count_turns(a.angle, 0, memory);
  if (!memory.is_set) memory.along = C;
  writer.lock(GenericRow{{Vec3::Zero(), view.joint.ratio * a.g, Vec3::Zero(), b.g}, AtomKind::GenericAngular},
              C - memory.along);
}

// C = z_B·(p_b - p_a) - ratio θ, θ the turn of A in B.
template <class Writer>
void write_rack_and_pinion(const JointView& view, Writer& writer) {
  const JointFrames& f = view.f;
  JointMemory& memory = view.memory;
  if (!memory.is_set) memory.axis[0] = f.R_b.transpose() * f.R_a.col(2);
  const Turn turn = turn_from(f.R_b * memory.axis[0], f.R_b * perpendicular(memory.axis[0]), f.R_a);
  const Vec3 z = f.R_b.col(2);
  const Real C = z.dot(f.x) - view.joint.ratio * count_turns(turn.angle, 0, memory);
  if (!memory.is_set) memory.along = C;
  // z turns with B: the point of B is the one where p_a is now.
  GenericRow row{jacobian(LinearRow{z, f.p_a - f.c_a, f.p_a - f.c_b}), AtomKind::Generic};
  row.J.w_a -= view.joint.ratio * turn.g;
  row.J.w_b += view.joint.ratio * turn.g;
  writer.lock(row, C - memory.along);
}

template void write_gear(const JointView&, RowWriter&);
template void write_gear(const JointView&, ErrorWriter&);
template void write_rack_and_pinion(const JointView&, RowWriter&);
template void write_rack_and_pinion(const JointView&, ErrorWriter&);

}  // namespace visviva::constraint
