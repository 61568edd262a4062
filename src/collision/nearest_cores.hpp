#pragma once

#include "place.hpp"
#include "round_pairs.hpp"

namespace visviva::collision {

/// What distance() finds, of the cores and in the frame of A; `w` is not set.
void find_nearest_cores(const geometry::Convex& A, const geometry::Convex& B, const Place& X_AB, CorePair& pair);

}  // namespace visviva::collision
