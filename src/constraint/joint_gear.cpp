#include "constraint/joint_parts.hpp"

// Two bodies alone do not tell how far a gear has turned: that needs what it turns in. A gear's turn is counted from
// its first evaluation on, about its own axis, from one evaluation to the next; that of a pinion in its rack, about the
// axis that it had there first. Both are twists that are left when the axis is swung back.       [theory/joints.md
// (15)]
namespace visviva::constraint {

namespace {

/// The turn of the frame R since x and z were its axes, whole turns of `before` added; then R's axes are taken.
Real count_twist(const Mat3& R, Vec3& x, Vec3& z, Real& before) {
  before += twist_angle(x, z.cross(x), R.col(0), R.col(1));
  x = R.col(0);
  z = R.col(2);
  return before;
}

}  // namespace

// C = θ_B + ratio θ_A.
template <class Writer>
void write_gear(const JointView& view, Writer& writer) {
  const JointFrames& f = view.f;
  JointMemory& memory = view.memory;
  auto& [x_a, z_a, x_b, z_b] = memory.axis;
  if (!memory.is_set) memory.axis = {f.R_a.col(0), f.R_a.col(2), f.R_b.col(0), f.R_b.col(2)};
  const Real a = count_twist(f.R_a, x_a, z_a, memory.turn[0]), b = count_twist(f.R_b, x_b, z_b, memory.turn[1]);
  const Real ratio = view.joint.ratio;
  writer.lock(GenericRow{{Vec3::Zero(), ratio * z_a, Vec3::Zero(), z_b}, AtomKind::GenericAngular}, b + ratio * a);
}

// C = z_B·(p_b - p_a) - ratio θ, θ the turn of A in B.
template <class Writer>
void write_rack_and_pinion(const JointView& view, Writer& writer) {
  const JointFrames& f = view.f;
  JointMemory& memory = view.memory;
  if (!memory.is_set) memory.axis[0] = f.R_b.transpose() * f.R_a.col(2);
  const Vec3 n = f.R_b * memory.axis[0], l = f.R_b * perpendicular(memory.axis[0]), g = twist_gradient(n, f.R_a.col(2));
  const Real turn = count_turns(twist_angle(l, n.cross(l), f.R_a.col(0), f.R_a.col(1)), 0, memory);
  const Vec3 z = f.R_b.col(2);
  const Real C = z.dot(f.x) - view.joint.ratio * turn;
  if (!memory.is_set) memory.along = C;
  // z turns with B: the point of B is the one where p_a is now.
  GenericRow row{jacobian(LinearRow{z, f.p_a - f.c_a, f.p_a - f.c_b}), AtomKind::Generic};
  row.J.w_a -= view.joint.ratio * g;
  row.J.w_b += view.joint.ratio * g;
  writer.lock(row, C - memory.along);
}

template void write_gear(const JointView&, RowWriter&);
template void write_gear(const JointView&, ErrorWriter&);
template void write_rack_and_pinion(const JointView&, RowWriter&);
template void write_rack_and_pinion(const JointView&, ErrorWriter&);

}  // namespace visviva::constraint
