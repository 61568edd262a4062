#include "visviva/lab/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "visviva/core/timer.hpp"

namespace visviva::lab {

namespace {

/// Largest energies so far: what changes are measured against.
struct EnergyScale {
  Real start = 0, kinetic = 0, largest_change = 0;
  [[nodiscard]] Real unit() const { return std::max({std::abs(start), kinetic, 1e-300}); }
};

}  // namespace

Comparison compare(const ModelSystem& scene, const Settings& settings, Real h, int steps) {
  Comparison result;
  result.settings = settings;
  World world(scene.system, scene.state, settings);
  EnergyScale scale;
  result.energy_start = scale.start = world.energy().total();
  scale.kinetic = world.energy().kinetic;
  Real squares = 0, residual_squares = 0, seconds = 0, change = 0, iterations = 0;
  std::vector<Real> changes;
  const auto note = [&] {
    const Errors errors = world.errors();
    const Energy energy = world.energy();
    result.error_max = std::max(result.error_max, errors.linear);
    result.error_angular = std::max(result.error_angular, errors.angular);
    result.penetration = std::max(result.penetration, errors.penetration);
    squares += errors.linear * errors.linear;
    scale.kinetic = std::max(scale.kinetic, energy.kinetic);
    change = energy.total() - scale.start;
    scale.largest_change = std::max(scale.largest_change, std::abs(change));
    result.time.push_back(world.state().time);
    result.error.push_back(errors.linear);
    changes.push_back(change);
  };
  note();
  for (int k = 0; k < steps; ++k) {
    const Timer timer;
    const StepReport report = world.step(h);
    seconds += timer.seconds();
    if (!report.finite) {
      result.failure = fmt::format("the state is not finite after {} steps", k + 1);
      break;
    }
    ++result.steps;
    result.rows = std::max(result.rows, report.rows);
    iterations += report.iterations;
    result.residual_max = std::max(result.residual_max, report.residual);
    residual_squares += report.residual * report.residual;
    note();
    if (report.rows > kMostRows) {
      result.failure = fmt::format("{} rows: the lab is dense, and made for {} at most", report.rows, kMostRows);
      break;
    }
  }
  const Real count = std::max(1, result.steps);
  result.error_rms = std::sqrt(squares / count);
  result.residual_rms = std::sqrt(residual_squares / count);
  result.iterations = iterations / count;
  result.milliseconds = 1e3 * seconds / count;
  result.energy_drift = change / scale.unit();
  result.energy_range = scale.largest_change / scale.unit();
  for (const Real difference : changes) result.energy_change.push_back(difference / scale.unit());
  return result;
}

}  // namespace visviva::lab
