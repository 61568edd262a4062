#pragma once

#include <limits>

#include "simplex.hpp"

namespace visviva::collision {

/// What GJK found of the cores.
struct Nearest {
  DifferenceVertex points;  ///< the nearest pair, and their difference
  Direction best;           ///< of the largest lower bound
  Real upper = std::numeric_limits<Real>::infinity();
  Real rounding = 0;  ///< error of the bounds
  bool overlap = false;
  int iterations = 0;
  Simplex simplex;  ///< the last one; of an overlap with four vertices it holds 0

  [[nodiscard]] bool converged() const { return upper - best.d <= rounding; }
};

/// GJK from the unit direction n, with climb_by_newton where a core is curved. With `only_overlap` it ends at the first
/// direction whose gap exceeds that.
void run_gjk(const MinkowskiDifference& C, const Real3& n, Nearest& nearest,
             Real only_overlap = std::numeric_limits<Real>::infinity());

}  // namespace visviva::collision
