#pragma once

#include "visviva/model/joint.hpp"

namespace visviva::constraint {

/// Which turns SixDof locks. What the angles of the others mean depends on it: with one locked they are those of a
/// universal joint, with two the one of a hinge, with none swing and twist.                [theory/joints.md, 5]
struct LockedTurns {
  int count = 0;
  int only = 0;  ///< the one that is locked, if one is; the one that is not, if two are
};

[[nodiscard]] inline LockedTurns locked_turns(const model::JointDesc& joint) {
  LockedTurns locked;
  int sum = 0;
  for (int i = 0; i < 3; ++i)
    if (joint.axes[static_cast<std::size_t>(model::kTurnX + i)].motion == model::AxisMotion::Locked) {
      ++locked.count;
      sum += i;
    }
  locked.only = locked.count == 1 ? sum : 3 - sum;
  return locked;
}

}  // namespace visviva::constraint
