#include "visviva/impact/path.hpp"

#include "impact/solve_exact.hpp"
#include "impact/validity.hpp"
#include "visviva/core/error.hpp"

namespace visviva::impact {

std::vector<PathPoint> sample_path(const ImpactProblem& problem, const ImpactSettings& settings, int points_per_piece) {
  validate(settings);
  validate(problem);
  require(points_per_piece >= 1, "sample_path", "points_per_piece", "be at least 1", points_per_piece);
  std::vector<PathPoint> path;
  if (problem.v.z() < 0 && problem.W(2, 2) > 0) {
    const ImpactResult result = ExactImpact(problem, settings.law, &path, points_per_piece).run();
    if (result.status != Status::Solved) path.resize(1);
  }
  return path;
}

}  // namespace visviva::impact
