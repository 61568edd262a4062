#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "visviva/math/types.hpp"

namespace visviva::bench {

struct VariationalBenchmarkSettings {
  std::int64_t steps = 100'000;  ///< of 0.01 s: the simulated time of all runs; >= 1000
  int repeats = 5;               ///< of each timing, odd; medians count
  int starts = 3;                ///< odd; starts that differ by 1e-9 m, the median of their energy errors counts
  Real least_step = 1e-4;        ///< of Runge and Kutta [s]
};
/// For tests and a first look: a few seconds.
[[nodiscard]] VariationalBenchmarkSettings quick_variational_benchmark();

struct Spread {
  Real median = 0, mean = 0, p99 = 0;
};

/// One method on one system, on one core.
struct BounceTiming {
  std::string system;  ///< "I" … "IV"
  std::string method;
  Real h = 0;               ///< [s]
  Spread ns_per_step;       ///< of steps without a collision, over batches of 100 or more
  Spread ns_per_collision;  ///< what a step with a collision takes beyond the median step, over the collisions in it
  std::int64_t collisions = 0;
  Real energy_error = 0;    ///< largest of the run, as below [-]
  Real attitude_error = 0;  ///< angle after 1 s of free flight [rad]
  Real ns_per_simulated_second = 0;
};

/// A method beside the classical Runge-Kutta method that has the same energy error after the same simulated time.
struct EqualErrorRatio {
  std::string system, method;
  Real energy_error = 0;
  Real ns_per_simulated_second = 0;
  Real rk4_h = 0;  ///< the largest step that is as good; if none is, the largest within twice the least error [s]
  Real rk4_energy_error = 0;  ///< its error [-]
  Real rk4_ns_per_simulated_second = 0;
  bool reached = false;  ///< false: rounding keeps Runge and Kutta from that error, or it takes less than least_step
  Real ratio = 0;        ///< cost of Runge and Kutta over ours
};

struct VariationalBenchmark {
  Real simulated_time = 0;  ///< [s]
  Real load = 0;            ///< processes that were running on the machine, mean of the last minute, at the start
  std::vector<BounceTiming> results;
  std::vector<EqualErrorRatio> ratios;
};

/// The four systems of [lgvci §7] with h = 0.01 s. Methods: "variational_cayley", "variational_exponential",
/// "variational_order4", "exact" and, with bisection in place of the secant, "variational_cayley_bisection"; "rk4" is
/// the method of Runge and Kutta with the same step, "rk4_equal_error" with the steps of the ratios;
/// "world_variational" and "world_exact" are variational::World, which knows many bodies. Energy error is |E − E0| over
/// the largest of |E0|, kinetic and potential energy so far. Methods take turns. Costs of a simulated second are CPU
/// time of the thread; steps and collisions are timed by the processor's clock, each several times, and the median
/// counts, so that other work on the machine does not.
[[nodiscard]] VariationalBenchmark run_variational_benchmark(
    const VariationalBenchmarkSettings& settings,
    const std::function<void(std::size_t done, std::size_t whole)>& on_progress = {});

}  // namespace visviva::bench
