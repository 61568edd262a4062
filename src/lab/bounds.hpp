#pragma once

#include <algorithm>

#include "visviva/lab/problem.hpp"

namespace visviva::lab {

/// Of one impulse. Those of friction move with the normal impulse.
struct Bounds {
  Real lower = 0, upper = 0;
  [[nodiscard]] Real clamp(Real lambda) const { return std::clamp(lambda, lower, upper); }
};

[[nodiscard]] inline Bounds friction_bounds(Real friction, Real normal_impulse) {
  const Real limit = friction * std::max<Real>(0, normal_impulse);
  return {-limit, limit};
}

[[nodiscard]] inline Bounds bounds(const Row& row, const VecX& lambda) {
  return row.normal >= 0 ? friction_bounds(row.friction, lambda[row.normal]) : Bounds{row.lower, row.upper};
}

[[nodiscard]] inline Bounds bounds(const Mlcp& p, Eigen::Index i, const VecX& lambda) {
  const int n = p.normal[static_cast<std::size_t>(i)];
  return n >= 0 ? friction_bounds(p.friction[i], lambda[n]) : Bounds{p.lower[i], p.upper[i]};
}

}  // namespace visviva::lab
