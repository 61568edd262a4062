#include "constraint/joint_parts.hpp"

namespace visviva::constraint {

namespace {

/// z of B stays within an ellipse of angles about z of A: C = min(lx, ly) (1 - ρ), ρ² = (sx/lx)² + (sy/ly)², s the
/// swing. With equal half axes C is the angle that is left.                                [theory/joints.md (8)]
template <class Writer>
void limit_swing(const JointView& view, Writer& writer) {
  constexpr Real kHalfTurn = 0.5 * kTwoPi;  // no swing is larger: what is unbounded ends there
  const auto [limit_x, limit_y] = view.joint.swing_limit;
  if (limit_x == model::kUnbounded && limit_y == model::kUnbounded) return;
  const Real lx = std::min(limit_x, kHalfTurn), ly = std::min(limit_y, kHalfTurn), scale = std::min(lx, ly);
  const JointFrames& f = view.f;
  const Swing s = swing(f.R_a.col(0), f.R_a.col(1), f.R_a.col(2), f.R_b.col(2));
  const Real ux = s.l / lx, uy = s.m / ly, rho = std::sqrt(ux * ux + uy * uy);
  // At the tip of the cone, far from its rim, no direction is right; any will do.
  constexpr Real kTip = 1e-9;
  const Vec3 g = rho > kTip ? Vec3(-scale / rho * (ux / lx * s.g_l + uy / ly * s.g_m)) : Vec3(f.R_a.col(0));
  writer.limit(AngularRow{g}, scale * (1 - rho), model::LimitDesc{});
}

}  // namespace

template <class Writer>
void write_cone(const JointView& view, Writer& writer) {
  lock_origins(view, writer);
  limit_swing(view, writer);
}

template <class Writer>
void write_swing_twist(const JointView& view, Writer& writer) {
  lock_origins(view, writer);
  limit_swing(view, writer);
  write_twist(view, 2, writer);
}

template void write_cone(const JointView&, RowWriter&);
template void write_cone(const JointView&, ErrorWriter&);
template void write_swing_twist(const JointView&, RowWriter&);
template void write_swing_twist(const JointView&, ErrorWriter&);

}  // namespace visviva::constraint
