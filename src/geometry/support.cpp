#include <atomic>

#include "support_lanes.hpp"
#include "visviva/geometry/core.hpp"

namespace visviva::geometry {

namespace {

FarthestScan scan_of([[maybe_unused]] Isa isa) {
#ifdef VISVIVA_X86_LANES
  // Eight doubles in one register would save nothing: the way to one index is what takes the time.
  if (isa != Isa::Baseline) return farthest_scan_avx2();
#endif
  return farthest_scan_baseline();
}

std::uint32_t first_scan(const VertexLanes& vertices, double dx, double dy, double dz);

/// Chosen at the first call.
std::atomic<FarthestScan> scan{first_scan};

std::uint32_t first_scan(const VertexLanes& vertices, double dx, double dy, double dz) {
  const FarthestScan best = scan_of(best_isa());
  scan.store(best, std::memory_order_relaxed);
  return best(vertices, dx, dy, dz);
}

/// On a convex polytope a vertex that no neighbour exceeds is farthest. Each round goes strictly up, so it ends.
std::uint32_t climb(const Core& core, Real dx, Real dy, Real dz) {
  const Real *x = core.x(), *y = core.y(), *z = core.z();
  std::uint32_t best = 0;
  Real farthest = x[0] * dx + y[0] * dy + z[0] * dz;
  const auto look_at = [&](std::uint32_t i) {
    const Real reach = x[i] * dx + y[i] * dy + z[i] * dz;
    if (reach > farthest) farthest = reach, best = i;
  };
  for (const std::uint32_t i : core.seeds) look_at(i);
  for (std::uint32_t here = core.count; here != best;) {
    here = best;
    for (std::uint32_t k = core.first_neighbour[here]; k < core.first_neighbour[here + 1]; ++k)
      look_at(core.neighbours[k]);
  }
  return best;
}

}  // namespace

std::uint32_t farthest_vertex(const Core& core, Real dx, Real dy, Real dz) {
  if (core.climbs) return climb(core, dx, dy, dz);
  return scan.load(std::memory_order_relaxed)({core.x(), core.y(), core.z(), core.stride}, dx, dy, dz);
}

}  // namespace visviva::geometry
