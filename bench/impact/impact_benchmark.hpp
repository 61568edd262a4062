#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "visviva/math/types.hpp"

namespace visviva::bench {

struct ImpactBenchmarkSettings {
  std::size_t problems = 100'000;  ///< random_problem, >= 1
  std::uint64_t seed = 1;
  std::size_t integration_problems = 200;  ///< the first so many, for the method that takes ms
};

/// One method over random problems, on one core.
struct MethodResult {
  std::string method;
  std::size_t problems = 0;
  struct {
    Real median = 0, mean = 0, p99 = 0;
  } ns;  ///< time a problem; the batch's is that of its chunk over the chunk's size
  struct {
    Real median = 0, p99 = 0, max = 0;
  } error;              ///< |ΔI|/|I| against long double [-]
  Real per_second = 0;  ///< 1e9 / ns.mean
  /// Of Iz, of the methods with a fixed step, else 0: [N s] for integration_1e-6, over |vz-|/W33 for
  /// fixed and integration_1e-6_scaled.
  Real step = 0;
};

/// Methods "exact", "batch", "adaptive", "fixed", "integration_1e-6" (Euler steps of the one size
/// at which the median error is 1e-6), "odeint_1e-10" and, beside what was asked for,
/// "integration_1e-6_scaled", whose steps are in proportion to each problem. They take turns on chunks of the problems,
/// so that other work on the machine hits all alike, and of three times for a problem the least counts. `on_progress`
/// is told parts done of a whole.
[[nodiscard]] std::vector<MethodResult> run_impact_benchmark(
    const ImpactBenchmarkSettings& settings,
    const std::function<void(std::size_t done, std::size_t whole)>& on_progress = {});

/// Processor and compiler, for the record.
[[nodiscard]] std::string machine_description();

}  // namespace visviva::bench
