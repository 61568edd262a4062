#include "visviva/lab/settings.hpp"

#include <cmath>

#include "visviva/core/error.hpp"

namespace visviva::lab {

std::string_view to_string(SolverKind kind) { return kSolverNames[static_cast<std::size_t>(kind)]; }
std::string_view to_string(Stabilisation kind) { return kStabilisationNames[static_cast<std::size_t>(kind)]; }
std::string_view to_string(Integrator kind) { return kIntegratorNames[static_cast<std::size_t>(kind)]; }
std::string_view to_string(Rotation kind) { return kRotationNames[static_cast<std::size_t>(kind)]; }
std::string_view to_string(NewtonEuler kind) { return kNewtonEulerNames[static_cast<std::size_t>(kind)]; }

void validate(const Settings& s) {
  constexpr std::string_view kObject = "lab settings";
  const auto at_least_0 = [&](Real value, std::string_view field) {
    require(value >= 0 && std::isfinite(value), kObject, field, "be finite and at least 0", value);
  };
  const auto positive = [&](Real value, std::string_view field) {
    require(value > 0 && std::isfinite(value), kObject, field, "be finite and positive", value);
  };
  require(s.substeps >= 1, kObject, "substeps", "be at least 1", s.substeps);
  require(s.iterations >= 1, kObject, "iterations", "be at least 1", s.iterations);
  require(0 < s.omega && s.omega < 2, kObject, "omega", "lie in (0, 2)", s.omega);
  require(0 <= s.erp && s.erp < 1, kObject, "erp", "lie in [0, 1)", s.erp);
  require(0 < s.kappa && s.kappa <= 1, kObject, "kappa", "lie in (0, 1]", s.kappa);
  at_least_0(s.tolerance, "tolerance");
  at_least_0(s.beta, "beta");
  at_least_0(s.alpha, "alpha");
  at_least_0(s.beta_acceleration, "beta_acceleration");
  at_least_0(s.cfm, "cfm");
  at_least_0(s.contact_margin, "contact_margin");
  at_least_0(s.restitution_speed, "restitution_speed");
  positive(s.soft_frequency, "soft_frequency");
  positive(s.soft_damping_ratio, "soft_damping_ratio");
  positive(s.max_push_velocity, "max_push_velocity");
}

}  // namespace visviva::lab
