#pragma once

#include "visviva/impact/law.hpp"
#include "visviva/math/types.hpp"

namespace visviva::impact {

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
