#include "visviva/impact/solve.hpp"

#include "impact/solve_exact.hpp"
#include "impact/solve_stepping.hpp"
#include "impact/validity.hpp"

namespace visviva::impact {

std::optional<ImpactResult> answer_without_impact(const ImpactProblem& problem) {
  ImpactResult result;
  result.v = problem.v;
  if (!is_valid(problem))
    result.status = Status::InvalidProblem;
  else if (!(problem.v.z() < 0))
    result.status = Status::NotApproaching;
  else if (problem.W(2, 2) == 0)
    result.status = Status::Immovable;
  else
    return std::nullopt;
  return result;
}

ImpactResult solve(const ImpactProblem& problem, const ImpactSettings& settings) {
  validate(settings);
  if (const auto answer = answer_without_impact(problem)) return *answer;
  if (settings.method == Method::Exact || problem.friction == 0) return ExactImpact(problem, settings.law).run();
  return solve_stepping(problem, settings);
}

}  // namespace visviva::impact
