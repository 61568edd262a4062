#pragma once

#include <optional>

#include "impact/slip_step.hpp"

namespace visviva::impact {

/// What is left of the slip until γ = 0, from a sliding velocity near an attracting centripetal direction.
struct ApproachToStop {
  Real impulse_z = 0;             ///< Iz(s) - Iz
  Vec2 impulse_t = Vec2::Zero();  ///< I⊥(s) - I⊥
  Real dv = 0;                    ///< vz(s) - vz
  Real work_about_stop = 0;       ///< ∫ (vz - vz(s)) dIz until s
};

/// Solves the rest of the slip in closed form up to one power series in the half-angle tangent t between γ and the
/// attracting direction: the remaining impulse is r K(t), where K obeys a linear equation with polynomial
/// coefficients, so that each coefficient follows from the three before it.   [theory/impact (14)–(16)]
/// nullopt if there is no such direction within reach of the series.
[[nodiscard]] std::optional<ApproachToStop> approach_to_stop(const SlipProblem& problem, const Vec2& direction,
                                                             Real speed);

}  // namespace visviva::impact
