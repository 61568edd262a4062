#pragma once

#include <vector>

#include "paper_comparison.hpp"
#include "visviva/impact/problem.hpp"

namespace visviva::app {

// The sections of `visviva paper impact`, in the order of the text.
[[nodiscard]] std::vector<PaperSection> paper_impact_bodies();   ///< Figs 2, 3, (13)–(15), (23), §2.4, §4
[[nodiscard]] std::vector<PaperSection> paper_impact_figures();  ///< Figs 4–8, 10
[[nodiscard]] std::vector<PaperSection> paper_impact_pin();      ///< Fig. 11
[[nodiscard]] std::vector<PaperSection> paper_impact_table();    ///< Table 1 without its times
[[nodiscard]] std::vector<PaperSection> paper_impact_times();    ///< those of Table 1 and of §6.4, measured

// The impacts of the text, as far as they can be known.
[[nodiscard]] impact::ImpactProblem icosa_tetra_problem();  ///< W as printed in (13), v⁻ by (2)
[[nodiscard]] impact::ImpactProblem icosa_tetra_problem(const Vec3& V1, Real mu);
[[nodiscard]] impact::ImpactProblem pin_ball_problem();  ///< W as printed, v⁻ fitted to the printed impulse

[[nodiscard]] Mat3 printed_matrix(const std::array<std::array<Printed, 3>, 3>& rows);

}  // namespace visviva::app
