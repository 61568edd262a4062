#pragma once

#include <string>
#include <vector>

#include "visviva/impact/solve.hpp"

namespace visviva::impact {

/// One moment of an impact.
struct PathPoint {
  Vec3 impulse = Vec3::Zero();  ///< on B; z is Iz [N s]
  Vec3 v = Vec3::Zero();        ///< (x, y) is the hodograph γ [m/s]
  Real energy = 0;              ///< stored in the contact; drops by (1 - e²) at c under Stronge [J]
};

/// The exact impact as a curve: points by rising Iz from 0 to Iz_r, the events among them.
/// At c two points have the same Iz: before and after the loss.
[[nodiscard]] std::vector<PathPoint> sample_path(const ImpactProblem& problem, const ImpactSettings& settings = {},
                                                 int points_per_piece = 16);

/// The text's event label (Fig. 9), which calls an event what happens within a tolerance.
struct TextLabel {
  std::string sequence;  ///< one of cr, scr, csr, lscr, lcsr, lcr, clsr, clr; empty if there is no impact
  Real Iz_l = -1;        ///< where l happens under the tolerance; negative if it does not [N s]
  Real Iz_s = -1;        ///< likewise s [N s]
};
struct LabelTolerances {
  Real delta_l = 0.01;      ///< angle between γ and an invariant direction that counts as reached [rad]
  Real delta_s_rel = 0.01;  ///< |γ| / |v-| that counts as zero [-]
};
[[nodiscard]] TextLabel text_label(const ImpactProblem& problem, const ImpactSettings& settings = {},
                                   const LabelTolerances& tolerances = {});

}  // namespace visviva::impact
