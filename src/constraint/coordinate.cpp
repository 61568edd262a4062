#include "constraint/joint_parts.hpp"
#include "constraint/locked_turns.hpp"
#include "visviva/core/error.hpp"

namespace visviva::constraint {

namespace {

/// About axis i, as SixDof with these turns locked means it.
Real turn_of(const JointView& view, int i, const LockedTurns& locked) {
  const JointFrames& f = view.f;
  const auto counted = [&](Real angle, std::size_t slot) { return count_turns(angle, slot, view.memory); };
  if (locked.count == 3) return attitude(f).phi[i];
  if (locked.count == 1) {
    const int first = (locked.only + 1) % 3, last = (locked.only + 2) % 3;
    const Cross c = cross(f, first, last);
    return i == first ? counted(c.first.angle, 0) : i == last ? counted(c.last.angle, 1) : c.bend.angle;
  }
  const int n = locked.count == 2 ? locked.only : 2;
  if (i == n) return counted(twist_angle(f, n), 0);
  const Swing s = swing(f.R_a.col((n + 1) % 3), f.R_a.col((n + 2) % 3), f.R_a.col(n), f.R_b.col(n));
  return i == (n + 1) % 3 ? s.l : s.m;
}

/// The axle of a wheel: steering, camber, rolling.
Real turn_of_wheel(const JointView& view, int i) {
  const Cross c = cross(view.f, 2, 1);
  if (i == 2) return count_turns(c.first.angle, 0, view.memory);
  if (i == 1) return count_turns(c.last.angle, 1, view.memory);
  return -c.bend.angle;  // which is about z × y
}

}  // namespace

Real coordinate(const model::JointDesc& joint, model::Axis axis, const Place& A, const Place& B,
                const JointMemory& memory) {
  using model::JointKind;
  require(axis <= model::kTurnZ, "joint", "axis", "be one of the six", static_cast<int>(axis));
  JointMemory copy = memory;
  const JointView view{joint, make_frames(joint, A, B, true), copy};
  if (joint.kind == JointKind::PointOnPath && axis == model::kMoveZ) return length_along_path(view);
  if (axis <= model::kMoveZ) return view.f.R_a.col(axis).dot(view.f.x);
  const int i = axis - model::kTurnX;
  switch (joint.kind) {
    case JointKind::SixDof:
      return turn_of(view, i, locked_turns(joint));
    case JointKind::Universal:
      return turn_of(view, i, {1, 2});
    case JointKind::Hinge:
    case JointKind::Cylindrical:
    case JointKind::Screw:
      return turn_of(view, i, {2, 2});
    case JointKind::Fixed:
    case JointKind::Slider:
    case JointKind::AngularLock:
      return turn_of(view, i, {3, 0});
    case JointKind::Wheel:
      return turn_of_wheel(view, i);
    default:
      return turn_of(view, i, {0, 0});
  }
}

}  // namespace visviva::constraint
