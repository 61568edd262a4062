#pragma once

#include <span>

#include "visviva/impact/problem.hpp"
#include "visviva/impact/result.hpp"
#include "visviva/impact/settings.hpp"
#include "visviva/math/lanes.hpp"

namespace visviva::impact {

/// The batch solver on one thread, with an instruction set that the machine must have.
void solve_with(Isa isa, std::span<const ImpactProblem> problems, std::span<ImpactResult> results, Law law);

}  // namespace visviva::impact
