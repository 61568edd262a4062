#pragma once

#include "visviva/impact/problem.hpp"
#include "visviva/impact/result.hpp"
#include "visviva/impact/settings.hpp"

namespace visviva::impact {

/// Algorithm 1 of the text, for the methods Adaptive, Fixed and Integration. `problem` is valid,
/// approaching, with friction > 0 and W33 > 0. The sequence tells what the method saw: its l is
/// under a tolerance that shrinks with the step.
[[nodiscard]] ImpactResult solve_stepping(const ImpactProblem& problem, const ImpactSettings& settings);

}  // namespace visviva::impact
