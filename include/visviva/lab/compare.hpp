#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "visviva/lab/from_model.hpp"
#include "visviva/lab/world.hpp"

namespace visviva::lab {

/// Residual up to which a step counts as solved [m/s].
inline constexpr Real kConverged = 1e-6;

/// One way of moving a scene, and what came of it.
struct Comparison {
  Settings settings;
  int steps = 0;           ///< that were made
  std::string failure;     ///< why it ended early; empty if it did not
  Real error_max = 0;      ///< largest linear error of a joint after a step [m]
  Real error_rms = 0;      ///< root of the mean square over steps of the largest [m]
  Real error_angular = 0;  ///< largest angular one [rad]
  Real penetration = 0;    ///< deepest of a contact [m]
  Real energy_start = 0;   ///< [J]
  Real energy_drift = 0;   ///< at the end, as part of the largest energy there was, kinetic or from the start [-]
  Real energy_range = 0;   ///< largest |E - E0|, likewise [-]
  Real residual_max = 0;   ///< of the complementarity problem [m/s]
  Real residual_rms = 0;   ///< [m/s]
  Real converged = 0;      ///< share of the steps whose solver converged, to a residual of kConverged at most [-]
  int rows = 0;            ///< most of a sub-step
  Real iterations = 0;     ///< mean of a step
  Real milliseconds = 0;   ///< mean of a step
  // Over time, one entry a step and one for the start.
  std::vector<Real> time, error, energy_change, residual;  ///< [s], [m], [-], [m/s]
};

/// What springs of joints, servos and soft limits hold, if their targets stay; `energy` of bodies is without it [J].
[[nodiscard]] Real spring_energy(const World& world);

/// Runs a scene for so many steps h [s]; `after_step` is called after each. A run that has taken `most_seconds` of wall
/// time ends with the step that it is in, and has what came of it until then, with a failure.
[[nodiscard]] Comparison compare(const ModelSystem& start, const Settings& settings, Real h, int steps,
                                 const std::function<void()>& after_step = {},
                                 Real most_seconds = std::numeric_limits<Real>::infinity());

}  // namespace visviva::lab
