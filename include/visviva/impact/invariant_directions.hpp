#pragma once

#include <array>

#include "visviva/impact/problem.hpp"

namespace visviva::impact {

/// A direction of sliding that keeps itself: s × (-mu B s + d) = 0.   [impact (33)]
struct InvariantDirection {
  Vec2 direction = Vec2::UnitX();  ///< unit, contact frame
  Real f = 0;                      ///< rate of the sliding speed along it, s·(-mu B s + d) [1/kg]
  Real dg = 0;                     ///< derivative of the turning rate over the angle [1/kg]
  [[nodiscard]] bool centrifugal() const { return f > 0; }
  bool attracts = false;  ///< at a double root neighbours on one side turn towards it, and it is false
  [[nodiscard]] bool attracting() const { return attracts; }  ///< neighbours turn towards it
};

struct InvariantDirections {
  bool all = false;  ///< B isotropic (or zero) and d = 0, or mu = 0 and d = 0: every direction is
                     ///< invariant
  int count = 0;     ///< distinct directions, by angle in [0, 2π)
  std::array<InvariantDirection, 4> directions;
  [[nodiscard]] const InvariantDirection* begin() const { return directions.data(); }
  [[nodiscard]] const InvariantDirection* end() const { return directions.data() + count; }
};

/// Theorem 5 and Theorem 8: two to four directions unless every one is invariant.
[[nodiscard]] InvariantDirections invariant_directions(const ImpactProblem& problem);

}  // namespace visviva::impact
