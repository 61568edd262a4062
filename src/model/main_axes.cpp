#include "visviva/model/main_axes.hpp"

namespace visviva::model {

std::array<std::optional<Axis>, 2> main_axes(const JointDesc& joint) {
  std::array<std::optional<Axis>, 2> axes;
  std::size_t count = 0;
  for (const Axis axis : {kMoveX, kMoveY, kMoveZ, kTurnX, kTurnY, kTurnZ}) {
    const bool locked = joint.kind == JointKind::SixDof && joint.axes[axis].motion == AxisMotion::Locked;
    if (count < 2 && leaves_free(joint.kind, axis) && !locked) axes[count++] = axis;
  }
  return axes;
}

}  // namespace visviva::model
