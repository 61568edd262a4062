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

/// GJK from the unit direction n, with climb_by_newton where a core is curved.
void run_gjk(const MinkowskiDifference& C, const Real3& n, Nearest& nearest);

/// Newton's method alone, from the unit direction n, for two cores that are smooth. With a gap d(n) > 0 every maximum
/// is the distance. With an overlap, a point w of the surface of C in which w = d n is the nearest one to 0 if -d is no
/// more than all radii of curvature of C: a ball of that radius rolls freely inside C [Blaschke1916], so there is one
/// that touches at w and holds 0, and all other points of the surface lie outside of it. False, and `nearest` is of no
/// use, if it ends otherwise.
[[nodiscard]] bool climb_alone(const MinkowskiDifference& C, const Real3& n, Nearest& nearest);

/// Whether the cores are at most `radius` apart, as far as rounding knows. n: unit, where to begin; then the last
/// direction, which separates them if there is one.
[[nodiscard]] bool are_within(const MinkowskiDifference& C, Real radius, Real3& n);

}  // namespace visviva::collision
