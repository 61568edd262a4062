// Problem    as solve_pgs, without a matrix: the velocities are carried along
// Method     row by row the impulse that brings J u to what the row asks for; what is bounded is the impulse so far,
// not
//            its change                                                                                  [havok II.2.3]
// Equal      to solve_pgs with ω = 1, iterate by iterate: J u - target + ελ is r                [theory/constraints.md]
// Cost       rows a sweep
#include <algorithm>
#include <cmath>

#include "lab/bounds.hpp"
#include "visviva/lab/problem.hpp"

namespace visviva::lab {

Solution solve_sequential(const Problem& p, const Settings& settings, const VecX& start) {
  const auto count = static_cast<Eigen::Index>(p.rows.size());
  Solution solution;
  VecX& lambda = solution.lambda;
  lambda = start.size() == count ? start : VecX::Zero(count);
  VecX target(count), response(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const Row& row = p.rows[static_cast<std::size_t>(i)];
    target[i] = p.eta[i] + row_velocity(row, p.u);
    response[i] = row_response(row, p.masses) + p.epsilon[i];
  }
  VecX u = p.u;
  for (Eigen::Index i = 0; i < count; ++i) apply_impulse(p.rows[static_cast<std::size_t>(i)], p.masses, lambda[i], u);
  for (solution.iterations = 0; solution.iterations < settings.iterations;) {
    ++solution.iterations;
    Real largest = 0;
    for (Eigen::Index i = 0; i < count; ++i) {
      if (!(response[i] > 0)) continue;
      const Row& row = p.rows[static_cast<std::size_t>(i)];
      const Real wanted = (target[i] - row_velocity(row, u) - p.epsilon[i] * lambda[i]) / response[i];
      const Real before = lambda[i];
      lambda[i] = bounds(row, lambda).clamp(before + wanted);
      apply_impulse(row, p.masses, lambda[i] - before, u);
      largest = std::max(largest, response[i] * std::abs(lambda[i] - before));
    }
    if (largest <= settings.tolerance) break;
  }
  for (Eigen::Index i = 0; i < count; ++i) {
    const Row& row = p.rows[static_cast<std::size_t>(i)];
    if (!(response[i] > 0)) continue;
    const Real r = row_velocity(row, u) + p.epsilon[i] * lambda[i] - target[i];
    const Real stays = bounds(row, lambda).clamp(lambda[i] - r / response[i]);
    solution.residual = std::max(solution.residual, response[i] * std::abs(lambda[i] - stays));
  }
  return solution;
}

}  // namespace visviva::lab
