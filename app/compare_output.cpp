#include "compare_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "visviva/report/line_figure.hpp"

namespace visviva::app {

namespace {

using lab::Comparison;

/// What tells the runs apart: the words of all settings that are not the same in all of them.
std::vector<std::string> short_names(const std::vector<Comparison>& runs) {
  const auto words = [](const lab::Settings& s) {
    return std::array<std::string_view, 5>{to_string(s.solver), to_string(s.stabilisation), to_string(s.integrator),
                                           to_string(s.rotation), to_string(s.newton_euler)};
  };
  std::vector<std::string> names(runs.size());
  for (std::size_t k = 0; k < 5; ++k) {
    const bool differs = std::any_of(runs.begin(), runs.end(), [&](const Comparison& run) {
      return words(run.settings)[k] != words(runs.front().settings)[k];
    });
    if (!differs && k > 0) continue;
    for (std::size_t i = 0; i < runs.size(); ++i)
      names[i] += (names[i].empty() ? "" : ", ") + std::string(words(runs[i].settings)[k]);
  }
  return names;
}

constexpr std::array<report::Color, 7> kColors = {report::Color::Blue,  report::Color::Red,    report::Color::Green,
                                                  report::Color::Black, report::Color::Purple, report::Color::Sky,
                                                  report::Color::Gray};

report::Curve curve_of(const std::string& name, std::size_t index) {
  report::Curve curve;
  curve.name = name;
  curve.color = kColors[index % kColors.size()];
  curve.dashed = index >= kColors.size();
  return curve;
}

/// Of a number that JSON has: null if it is not finite.
nlohmann::json number(Real value) { return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr); }

}  // namespace

std::string comparison_table(const ComparedScene& scene) {
  std::string text = fmt::format("{}: {} steps of {:g} s\n\n", scene.name, scene.steps, scene.h);
  text +=
      fmt::format("{:<13}{:<24}{:<21}{:>10}{:>10}{:>10}{:>10}{:>10}{:>6}{:>8}{:>9}\n", "solver", "stabilisation",
                  "integrator", "error max", "rms [m]", "overlap", "energy", "residual", "rows", "iter.", "ms/step");
  for (const Comparison& run : scene.runs) {
    text += fmt::format("{:<13}{:<24}{:<21}{:>10.2e}{:>10.2e}{:>10.2e}{:>+10.2e}{:>10.2e}{:>6}{:>8.1f}{:>9.3f}\n",
                        to_string(run.settings.solver), to_string(run.settings.stabilisation),
                        to_string(run.settings.integrator), run.error_max, run.error_rms, run.penetration,
                        run.energy_drift, run.residual_max, run.rows, run.iterations, run.milliseconds);
    if (!run.failure.empty()) text += fmt::format("  ended early: {}\n", run.failure);
  }
  return text +
         "\nerror: of joints, largest [m]; overlap: of contacts [m]; energy: change at the end, relative; residual: of "
         "the\n"
         "complementarity problem, largest [m/s]. docs/compare.md says more.\n";
}

std::string comparison_json(const ComparedScene& scene) {
  nlohmann::ordered_json runs = nlohmann::json::array();
  for (const Comparison& run : scene.runs) {
    const lab::Settings& s = run.settings;
    nlohmann::ordered_json entry;
    entry["solver"] = to_string(s.solver);
    entry["stabilisation"] = to_string(s.stabilisation);
    entry["integrator"] = to_string(s.integrator);
    entry["rotation"] = to_string(s.rotation);
    entry["newton_euler"] = to_string(s.newton_euler);
    entry["iterations_allowed"] = s.iterations;
    entry["substeps"] = s.substeps;
    entry["steps"] = run.steps;
    entry["failure"] = run.failure.empty() ? nlohmann::json(nullptr) : nlohmann::json(run.failure);
    entry["error_max"] = number(run.error_max);
    entry["error_rms"] = number(run.error_rms);
    entry["error_angular"] = number(run.error_angular);
    entry["penetration"] = number(run.penetration);
    entry["energy_start"] = number(run.energy_start);
    entry["energy_drift"] = number(run.energy_drift);
    entry["energy_range"] = number(run.energy_range);
    entry["residual_max"] = number(run.residual_max);
    entry["residual_rms"] = number(run.residual_rms);
    entry["rows"] = run.rows;
    entry["iterations"] = number(run.iterations);
    entry["milliseconds"] = number(run.milliseconds);
    runs.push_back(entry);
  }
  nlohmann::ordered_json document;
  document["scene"] = scene.name;
  document["dt"] = scene.h;
  document["steps"] = scene.steps;
  document["runs"] = runs;
  return document.dump(2) + "\n";
}

std::string comparison_figure(const ComparedScene& scene) {
  constexpr Real kFloor = 1e-17;  // below it an error is as good as none, and a logarithm has no place for zero
  report::Panel errors{.title = "error of joints"}, energies{.title = "change of energy"},
      costs{.title = "error and cost"};
  errors.x = energies.x = {.symbol = "*t*", .unit = "s"};
  errors.y = {.symbol = "|*C*|", .unit = "m", .scale = report::AxisScale::Logarithmic};
  energies.y = {.symbol = "Δ*E*/*E*", .unit = ""};
  costs.x = {.symbol = "time of a step", .unit = "ms", .scale = report::AxisScale::Logarithmic};
  costs.y = errors.y;
  const std::vector<std::string> names = short_names(scene.runs);
  for (std::size_t i = 0; i < scene.runs.size(); ++i) {
    const Comparison& run = scene.runs[i];
    report::Curve error = curve_of(names[i], i), energy = curve_of("", i), cost = curve_of("", i);
    cost.marks = report::CurveMarks::Circles;
    for (std::size_t k = 0; k < run.time.size(); ++k) {
      error.points.emplace_back(run.time[k], std::max(run.error[k], kFloor));
      energy.points.emplace_back(run.time[k], run.energy_change[k]);
    }
    const Real ms = std::max(run.milliseconds, 1e-6), worst = std::max(run.error_max, kFloor);
    cost.points = {{ms, worst}, {ms * 1.02, worst}};
    errors.curves.push_back(error);
    energies.curves.push_back(energy);
    costs.curves.push_back(cost);
  }
  report::LineFigure figure;
  figure.title = "Comparison of " + scene.name;
  figure.panels = {errors, energies, costs};
  figure.column_widths = {460, 460, 380};
  return report::line_figure(figure);
}

}  // namespace visviva::app
