#pragma once

#include <cstddef>

#include "visviva/math/types.hpp"

namespace visviva::dynamics {

/// What a rope does now.
struct RopeState {
  std::size_t segments = 0;
  Real start = 0;             ///< arc length of its first point along the rope that it was cut from, else 0 [m]
  Real rest_length = 0;       ///< without load [m]
  Real length = 0;            ///< from node to node, now [m]
  Real greatest_tension = 0;  ///< of its nodes; below 0 only if it is compressed everywhere [N]
  Real greatest_gap = 0;      ///< of its joints across the rope, and along it if it does not stretch [m]
};

}  // namespace visviva::dynamics
