#pragma once

#include <string>
#include <vector>

#include "visviva/lab/compare.hpp"

namespace visviva::app {

/// A scene and its runs, of equal steps h [s].
struct ComparedScene {
  std::string name;
  Real h = 0;
  int steps = 0;
  std::vector<std::string> remarks = {};  ///< what of the scene was left out
  std::vector<lab::Comparison> runs = {};
};

[[nodiscard]] std::string comparison_table(const ComparedScene& scene);
[[nodiscard]] std::string comparison_json(const ComparedScene& scene);
/// Error of joints, change of energy and residual, over time and over the cost of a step: SVG.
[[nodiscard]] std::string comparison_figure(const ComparedScene& scene);

}  // namespace visviva::app
