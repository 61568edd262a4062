#pragma once

#include "visviva/math/types.hpp"

namespace visviva::impact {

/// When restitution ends. Newton's and Poisson's laws can create energy with friction; Stronge's
/// cannot.
enum class Law {
  Stronge,  ///< the normal work of restitution is e² of that of compression
  Poisson,  ///< Iz_r = (1 + e) Iz_c
  Newton,   ///< vz+ = -e vz-
};

enum class Method {
  Exact,        ///< Taylor series in the regularised variable: to rounding, a few steps
  Adaptive,     ///< Algorithm 1 with Euler steps of size (36): the text's VS
  Fixed,        ///< Algorithm 1 with Euler steps of fixed size: the text's FS
  Integration,  ///< Euler steps of fixed size to the end, no closed forms: the text's NI
};

struct ImpactSettings {
  Law law = Law::Stronge;
  Method method = Method::Exact;

  // Adaptive: the step of Iz is epsilon h1/|γ'| + (1 - epsilon) h2/(|κ||γ'|)   [impact (36)]
  Real h1 = 0.01;      ///< arc length of the hodograph a step [m/s]
  Real h2 = 0.01;      ///< turn of the hodograph's tangent a step [rad]
  Real epsilon = 0.5;  ///< weight of the first, in (0, 1) [-]
  // Fixed, Integration
  Real step = 1e-3;  ///< step of Iz [N s]

  int max_iterations = 10'000'000;  ///< then Status::IterationLimit
};

/// Throws InvalidArgument, naming the field.
void validate(const ImpactSettings& settings);

}  // namespace visviva::impact
