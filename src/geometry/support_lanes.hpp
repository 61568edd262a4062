#pragma once

#include <cstdint>

#include "visviva/math/lanes.hpp"

namespace visviva::geometry {

/// Vertices as three arrays of `stride` numbers, a multiple of kCoreLanes.
struct VertexLanes {
  const double *x, *y, *z;
  std::uint32_t stride;
};

/// `stride` at most.
inline constexpr std::uint32_t kLanesAtMost = 256;

/// Index of the vertex with the largest x dx + y dy + z dz; of several the first; 0 if nothing compares. The same for
/// every instruction set.
using FarthestScan = std::uint32_t (*)(const VertexLanes& vertices, double dx, double dy, double dz);

[[nodiscard]] FarthestScan farthest_scan_baseline();
[[nodiscard]] FarthestScan farthest_scan_avx2();

}  // namespace visviva::geometry
