#pragma once

#include <vector>

#include "visviva/impact/path.hpp"
#include "visviva/impact/problem.hpp"
#include "visviva/impact/result.hpp"
#include "visviva/impact/settings.hpp"

namespace visviva::impact {

/// The default method. `problem` is valid and approaching. If `path` is given it receives the
/// impact as a curve, `points_per_piece` points for each piece of the solution.
[[nodiscard]] ImpactResult solve_exact(const ImpactProblem& problem, Law law, std::vector<PathPoint>* path = nullptr,
                                       int points_per_piece = 16);

}  // namespace visviva::impact
