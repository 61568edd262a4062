#pragma once

#include "dynamics/world_data.hpp"

namespace visviva::dynamics {

/// A part of resolve_impacts: what two bodies that touch make of it. True if velocities have changed; both have new
/// paths then, from the touch on or from when a series of short bounces is over.
bool meet(World::Data& world, const Touch& touch);

}  // namespace visviva::dynamics
