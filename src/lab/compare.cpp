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

/// Of a force k|C| that grows no further than to `most`: ½ k C² up to there, then most·|C| less a triangle.
Real stored(Real k, Real C, Real most) {
  const Real stretch = std::abs(C);
  return k * stretch <= most ? k * C * C / 2 : most * (stretch - most / (2 * k));
}

}  // namespace

Real spring_energy(const World& world) {
  const std::vector<constraint::SideMass> masses = inverse_masses(world.system(), world.state());
  Real sum = 0;
  for (const Row& row : world.rows_at(world.state(), 1)) {  // h = 1 s: bounds of impulses are those of forces
    if (row.role == constraint::AtomRole::Lock || (row.role == constraint::AtomRole::Limit && row.error >= 0)) continue;
    Real k = row.spring.stiffness;
    if (row.spring.frequency > 0) {  // by the mass that the row feels, as constraint::soften
      const Real response = row_response(row, masses), omega = 2 * 3.14159265358979323846 * row.spring.frequency;
      k = response > 0 ? omega * omega / response : 0;
    }
    if (k > 0) sum += stored(k, row.error, row.error < 0 ? row.upper : -row.lower);
  }
  return sum;
}

Comparison compare(const ModelSystem& scene, const Settings& settings, Real h, int steps,
                   const std::function<void()>& after_step, Real most_seconds) {
  Comparison result;
  result.settings = settings;
  World world(scene.system, scene.state, settings);
  EnergyScale scale;
  result.energy_start = scale.start = world.energy().total() + spring_energy(world);
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
    change = energy.total() + spring_energy(world) - scale.start;
    scale.largest_change = std::max(scale.largest_change, std::abs(change));
    result.time.push_back(world.state().time);
    result.error.push_back(errors.linear);
    changes.push_back(change);
  };
  note();
  result.residual.push_back(0);
  int converged = 0;
  for (int k = 0; k < steps; ++k) {
    const Timer timer;
    const StepReport report = world.step(h);
    seconds += timer.seconds();
    if (after_step) after_step();
    if (!report.finite) {
      result.failure = fmt::format("the state is not finite after {} steps", k + 1);
      break;
    }
    ++result.steps;
    result.rows = std::max(result.rows, report.rows);
    iterations += report.iterations;
    result.residual_max = std::max(result.residual_max, report.residual);
    residual_squares += report.residual * report.residual;
    result.residual.push_back(report.residual);
    converged += report.converged && report.residual <= kConverged;
    note();
    if (report.rows > kMostRows) {
      result.failure = fmt::format("{} rows: the lab is made for {} at most", report.rows, kMostRows);
      break;
    }
    if (seconds > most_seconds && k + 1 < steps) {
      result.failure =
          fmt::format("{} of {} steps took {:.0f} s, and a run may take {:g} s", k + 1, steps, seconds, most_seconds);
      break;
    }
  }
  const Real count = std::max(1, result.steps);
  result.error_rms = std::sqrt(squares / count);
  result.residual_rms = std::sqrt(residual_squares / count);
  result.converged = converged / count;
  result.iterations = iterations / count;
  result.milliseconds = 1e3 * seconds / count;
  result.energy_drift = change / scale.unit();
  result.energy_range = scale.largest_change / scale.unit();
  for (const Real difference : changes) result.energy_change.push_back(difference / scale.unit());
  return result;
}

}  // namespace visviva::lab
