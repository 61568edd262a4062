#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "visviva/math/types.hpp"

namespace visviva::bench {

struct BroadPhaseBenchmarkSettings {
  std::vector<std::size_t> sizes = {1'000, 10'000, 100'000, 1'000'000};  ///< numbers of proxies
  int steps = 12;                                                        ///< of motion, each 1/60 s
  int rays = 20'000;
  int repeats = 3;  ///< of each size; medians count
};

struct BroadPhaseRow {
  std::size_t n = 0;
  /// "build": all proxies in one call; "pairs": the first update, which finds all of them; "insert": one by one;
  /// "update": a step of motion, all moves and the update; "ray": one ray to its first box.
  std::string operation;
  Real ns = 0;            ///< CPU time of the thread, a proxy; of "ray", a ray [ns]
  std::size_t pairs = 0;  ///< at that time
};

/// Boxes of 1 m, one in 4 m³ on average, moving at about 1 m/s in all directions, with a margin of 0.1 m.
[[nodiscard]] std::vector<BroadPhaseRow> run_broad_phase_benchmark(
    const BroadPhaseBenchmarkSettings& settings,
    const std::function<void(std::size_t done, std::size_t whole)>& on_progress = {});

}  // namespace visviva::bench
