#pragma once

#include <span>

#include "visviva/impact/problem.hpp"
#include "visviva/impact/result.hpp"
#include "visviva/impact/settings.hpp"

namespace visviva {
class TaskSystem;
}

namespace visviva::impact {

/// Solves one impact. Never throws on a bad problem (see Status); bad settings throw
/// InvalidArgument.
[[nodiscard]] ImpactResult solve(const ImpactProblem& problem, const ImpactSettings& settings = {});

struct BatchSettings {
  ImpactSettings impact;        ///< law; the method must be Exact
  int threads = 1;              ///< the results do not depend on it
  TaskSystem* tasks = nullptr;  ///< an application's own scheduler, in place of `threads`
};

/// Solves many impacts in SIMD lanes: results[i] answers problems[i]. The same bits for any number
/// of threads and any lane width; accurate to about 2e-11 (99 of 100; 1e-7
/// near degenerate directions) where `solve` is accurate to rounding.
void solve(std::span<const ImpactProblem> problems, std::span<ImpactResult> results,
           const BatchSettings& settings = {});

}  // namespace visviva::impact
