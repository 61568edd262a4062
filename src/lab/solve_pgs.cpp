// Problem    r = Γλ - η, λ within its bounds, r of the right sign at a bound
// Method     Gauss–Seidel: row by row λ_i takes the value that makes r_i = 0, times ω, cut to its bounds [havok II.4,
// 5] Stops      after `iterations` sweeps, or when none of a sweep changed a velocity by more than `tolerance`
// Converges  for symmetric positive definite Γ, fixed bounds and ω in (0, 2) (Cryer 1971); with friction in practice
// Cost       entries of Γ a sweep
#include <algorithm>
#include <cmath>

#include "lab/bounds.hpp"
#include "visviva/lab/problem.hpp"

namespace visviva::lab {

Solution solve_pgs(const Mlcp& p, const Settings& settings, const VecX& start) {
  const Eigen::Index count = p.eta.size();
  Solution solution;
  VecX& lambda = solution.lambda;
  lambda = start.size() == count ? start : VecX::Zero(count);
  const VecX diagonals = p.Gamma.diagonal();
  for (solution.iterations = 0; solution.iterations < settings.iterations;) {
    ++solution.iterations;
    Real largest = 0;
    for (Eigen::Index i = 0; i < count; ++i) {
      const Real diagonal = diagonals[i];
      if (!(diagonal > 0)) continue;
      const Real r = p.Gamma.col(i).dot(lambda) - p.eta[i];  // Γ is symmetric
      const Real before = lambda[i];
      lambda[i] = bounds(p, i, lambda).clamp(before - settings.omega * r / diagonal);  // theory/constraints.md (13)
      largest = std::max(largest, diagonal * std::abs(lambda[i] - before));
    }
    if (largest <= settings.tolerance) break;
  }
  solution.residual = residual(p, lambda);
  return solution;
}

}  // namespace visviva::lab
