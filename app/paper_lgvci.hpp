#pragma once

#include <functional>
#include <string>
#include <vector>

#include "paper_comparison.hpp"

/// What [lgvci] §7 prints and shows, computed again.
namespace visviva::app {

struct PaperFigure {
  std::string file;  ///< name: "figure_7.svg"
  std::string svg;
};

struct PaperPart {
  std::vector<PaperSection> sections;
  std::vector<PaperFigure> figures;
};

// One function a file, in the order of the text.
[[nodiscard]] PaperPart paper_lgvci_table();  ///< Table 1, and the first collisions
/// Collision counts of each system over 1e5 steps in `runs` runs that start 1e-9 m apart, runs >= 2. `done` is called
/// after each run, from any thread.
[[nodiscard]] PaperPart paper_lgvci_counts(int runs, const std::function<void()>& done = {});
[[nodiscard]] PaperPart paper_lgvci_paths();            ///< Fig. 6 and §7.1: snapshots and top views
[[nodiscard]] PaperPart paper_lgvci_energy();           ///< Figs 7 and 8
[[nodiscard]] PaperPart paper_lgvci_discrete_energy();  ///< E_d of (73) beside H
[[nodiscard]] PaperPart paper_lgvci_sensitivity();      ///< Figs 9 and 10

}  // namespace visviva::app
