#pragma once

#include <array>
#include <optional>

#include "visviva/model/joint.hpp"

namespace visviva::model {

/// The one or two coordinates that tell most of where the joint stands: those that its kind leaves free, of a wheel
/// suspension and rolling, of SixDof the first that are not locked.
[[nodiscard]] std::array<std::optional<Axis>, 2> main_axes(const JointDesc& joint);

}  // namespace visviva::model
