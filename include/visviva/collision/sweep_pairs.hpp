#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "visviva/collision/bounds.hpp"
#include "visviva/collision/time_of_impact.hpp"

namespace visviva::collision {

/// Bounds that hold a body of the given radius about its reference point on its path during [t0, t1]. It is the hull
/// of a ball that flies from t0 with constant velocity, grown by what the acceleration can add.
[[nodiscard]] Bounds swept_bounds(const Path& path, Real radius, Real t0, Real t1);

using IndexPair = std::pair<std::uint32_t, std::uint32_t>;

/// Memory of find_overlaps, kept by the caller so that no step allocates.
struct SweepWorkspace {
  std::vector<std::uint32_t> order;   ///< of the boxes along the sweep axis
  std::vector<std::uint32_t> starts;  ///< of each first index in the sorted pairs
  std::vector<IndexPair> unsorted;
};

/// All pairs (i, j), i < j, of overlapping boxes, in ascending order, which depends on nothing but the boxes. Sorts
/// along the axis on which the centres spread most and sweeps it: O(n log n + pairs that overlap along that axis).
/// Throws InvalidArgument if a box is not finite or its ends are exchanged.
void find_overlaps(std::span<const Bounds> boxes, SweepWorkspace& workspace, std::vector<IndexPair>& pairs);

}  // namespace visviva::collision
