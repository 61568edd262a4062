#include "visviva/impact/solve.hpp"

#include "impact/solve_exact.hpp"
#include "impact/solve_stepping.hpp"
#include "impact/validity.hpp"

namespace visviva::impact {

ImpactResult solve(const ImpactProblem& problem, const ImpactSettings& settings) {
  validate(settings);
  ImpactResult result;
  result.v = problem.v;
  if (!is_valid(problem)) {
    result.status = Status::InvalidProblem;
    return result;
  }
  if (!(problem.v.z() < 0)) return result;
  if (problem.W(2, 2) == 0) {
    result.status = Status::Immovable;
    return result;
  }
  if (settings.method == Method::Exact || problem.friction == 0) return ExactImpact(problem, settings.law).run();
  return solve_stepping(problem, settings);
}

}  // namespace visviva::impact
