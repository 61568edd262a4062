#pragma once

#include "dynamics/impact_pair.hpp"

namespace visviva::dynamics {

/// What carry_series has done.
struct CarriedSeries {
  bool carried = false;
  Real duration = 0;  ///< by which the bodies are later than the touch now [s]
  Real force = 0;     ///< mean force of the bounces in that time [N]
};

/// A part of resolve_impacts: central bounces that are too short to follow, until the end of the sub-step or until one
/// of the two meets something else. Their contact is settled if they end before.
CarriedSeries carry_series(ImpactPair& pair, Real restitution, Real speed);

}  // namespace visviva::dynamics
