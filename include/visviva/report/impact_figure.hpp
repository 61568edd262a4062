#pragma once

#include <span>
#include <string>

#include "visviva/impact/path.hpp"
#include "visviva/impact/problem.hpp"
#include "visviva/impact/settings.hpp"

namespace visviva::report {

/// One impact to draw. The curves are the exact ones, whatever the method of the settings.
struct FigureCase {
  std::string name;
  impact::ImpactProblem problem;
  impact::ImpactSettings settings;
  impact::LabelTolerances tolerances;
};

/// A figure as SVG text. One case: its hodograph, its impulse curve with the plane of compression
/// and the line of sticking, and the energy over the normal impulse. Many: hodographs alone, those
/// with equal W and mu together in one panel as a bundle.
[[nodiscard]] std::string impact_figure(std::span<const FigureCase> cases);

}  // namespace visviva::report
