#include "compare_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "visviva/math/elementary.hpp"
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

constexpr std::array<std::string_view, 7> kFills = {"#0072b2", "#d55e00", "#009e73", "#1a1a1a",
                                                    "#aa4499", "#56b4e9", "#8c8c8c"};  // kColors, of areas

report::Curve curve_of(const std::string& name, std::size_t index, Real width) {
  report::Curve curve;
  curve.width = width;
  curve.name = name;
  curve.color = kColors[index % kColors.size()];
  curve.dashed = index >= kColors.size();
  return curve;
}

constexpr Real kColumnWidth = 430, kRowHeight = 310;  // [px]
/// Below it an error is as good as none, and is drawn there: rounding would take the room of all that matters, and a
/// logarithm has no place for zero.
constexpr Real kFloor = 1e-12;

/// Corners of a mark of radius 1, y upwards; another one for each run.
std::vector<Vec2> mark_shape(std::size_t index) {
  constexpr Real kTurn = 6.283185307179586;
  const auto polygon = [](int corners, Real first) {
    std::vector<Vec2> points;
    for (int k = 0; k < corners; ++k) {
      const Real angle = first + kTurn * k / corners;
      points.emplace_back(visviva::cos(angle), visviva::sin(angle));
    }
    return points;
  };
  switch (index % 7) {
    case 0:
      return polygon(24, 0);  // a disc
    case 1:
      return polygon(4, kTurn / 8);  // a square
    case 2:
      return polygon(3, kTurn / 4);  // a triangle
    case 3:
      return polygon(4, 0);  // a diamond
    case 4:
      return polygon(3, -kTurn / 4);
    case 5:
      return polygon(5, kTurn / 4);
    default:
      return polygon(6, 0);
  }
}

/// A number of each run over its cost, both logarithmic, as marks with names.
class CostPanel {
 public:
  CostPanel(std::string title, report::Axis y) : y_(std::move(y)), title_(std::move(title)) {}

  void add(Real milliseconds, Real value) {
    const auto decades = [](Real x) { return visviva::log(x) / visviva::log(10.0); };
    points_.emplace_back(decades(std::max(milliseconds, 1e-6)), decades(std::clamp(value, kFloor, 1e300)));
  }

  [[nodiscard]] report::Panel draw(const std::vector<std::string>& names) const {
    report::Panel panel{.title = title_};
    panel.x = {.symbol = "time of a step", .unit = "ms", .scale = report::AxisScale::Logarithmic};
    panel.y = y_;
    // Half a decade at least beside each mark, in whole decades: names need room.
    Vec2 low = points_.front(), high = low;
    for (const Vec2& p : points_) low = low.cwiseMin(p), high = high.cwiseMax(p);
    low = (low.array() - 0.5).floor(), high = (high.array() + 0.5).ceil();
    panel.x.range = Vec2(power(low.x()), power(high.x()));
    panel.y.range = Vec2(power(low.y()), power(high.y()));
    const Vec2 plot(kColumnWidth - 82, kRowHeight - 72);  // about, of the frame [px]
    const Vec2 pixel = (high - low).cwiseQuotient(plot);  // [decades]
    for (std::size_t i = 0; i < points_.size(); ++i) {
      // The first marks are the largest: one that lies under another shows around it.
      const Real radius = 6 + 2.5 * static_cast<Real>(std::min<std::size_t>(points_.size() - 1 - i, 3));
      report::Picture mark{.name = "", .areas = {{}}, .fill = std::string(kFills[i % kFills.size()]), .lines = {}};
      for (const Vec2& corner : mark_shape(i))
        mark.areas[0].push_back(at(points_[i] + radius * pixel.cwiseProduct(corner)));
      panel.pictures.push_back(mark);
      if (points_.size() > kMostNames) continue;
      const Real above = name_place(i, pixel);
      panel.labels.push_back({at(points_[i] + Vec2(0, above * pixel.y())), names[i]});
    }
    return panel;
  }

 private:
  static constexpr std::size_t kMostNames = 8;  // beyond it colours and the legend of the panels above must do

  static Real power(Real decades) { return visviva::exp(decades * visviva::log(10.0)); }
  static Vec2 at(const Vec2& decades) { return {power(decades.x()), power(decades.y())}; }

  /// How far from its mark a name stands, so that those of marks close by are a column [px].
  [[nodiscard]] Real name_place(std::size_t i, const Vec2& pixel) const {
    int below = 0;
    for (std::size_t k = 0; k < i; ++k) {
      const Vec2 apart = (points_[i] - points_[k]).cwiseQuotient(pixel).cwiseAbs();
      below += apart.x() < 80 && apart.y() < 40;
    }
    return below % 2 == 0 ? 22 + 7 * below : -22 - 7 * (below - 1);
  }

  report::Axis y_;
  std::string title_;
  std::vector<Vec2> points_;  // [decades]
};

/// Of a number that JSON has: null if it is not finite.
nlohmann::json number(Real value) { return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr); }

/// What of a run's choices differs between the lines, beyond solver, stabilisation and integrator.
class FurtherChoices {
 public:
  explicit FurtherChoices(const ComparedScene& scene) {
    for (const Comparison& run : scene.runs) {
      rotation_ |= run.settings.rotation != scene.runs[0].settings.rotation;
      newton_euler_ |= run.settings.newton_euler != scene.runs[0].settings.newton_euler;
    }
  }
  [[nodiscard]] std::string head() const { return columns("rotation", "Newton-Euler"); }
  [[nodiscard]] std::string of(const lab::Settings& settings) const {
    return columns(to_string(settings.rotation), to_string(settings.newton_euler));
  }

 private:
  [[nodiscard]] std::string columns(std::string_view rotation, std::string_view newton_euler) const {
    std::string text;
    if (rotation_) text += fmt::format("{:<14}", rotation);
    if (newton_euler_) text += fmt::format("{:<14}", newton_euler);
    return text;
  }
  bool rotation_ = false, newton_euler_ = false;
};

}  // namespace

std::string comparison_table(const ComparedScene& scene) {
  const FurtherChoices further(scene);
  std::string text = fmt::format("{}: {} steps of {:g} s\n", scene.name, scene.steps, scene.h);
  for (const std::string& remark : scene.remarks) text += fmt::format("Remark: {}\n", remark);
  text += '\n';
  text += fmt::format("{:<13}{:<24}{:<21}{}{:>10}{:>10}{:>10}{:>10}{:>10}{:>7}{:>6}{:>8}{:>9}\n", "solver",
                      "stabilisation", "integrator", further.head(), "error max", "rms [m]", "overlap", "energy",
                      "residual", "conv.", "rows", "iter.", "ms/step");
  for (const Comparison& run : scene.runs) {
    text += fmt::format(
        "{:<13}{:<24}{:<21}{}{:>10.2e}{:>10.2e}{:>10.2e}{:>+10.2e}{:>10.2e}{:>6.0f}%{:>6}{:>8.1f}{:>9.3f}\n",
        to_string(run.settings.solver), to_string(run.settings.stabilisation), to_string(run.settings.integrator),
        further.of(run.settings), run.error_max, run.error_rms, run.penetration, run.energy_drift, run.residual_max,
        100 * run.converged, run.rows, run.iterations, run.milliseconds);
    if (!run.failure.empty()) text += fmt::format("  ended early: {}\n", run.failure);
  }
  return text +
         "\nerror: of joints, largest [m]; overlap: of contacts [m]; energy: change at the end, relative; residual: of "
         "the\n"
         "complementarity problem, largest [m/s]; conv.: steps that were solved to 1e-6 m/s. docs/compare.md says "
         "more.\n";
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
    entry["converged"] = run.converged;
    entry["rows"] = run.rows;
    entry["iterations"] = number(run.iterations);
    entry["milliseconds"] = number(run.milliseconds);
    runs.push_back(entry);
  }
  nlohmann::ordered_json document;
  document["scene"] = scene.name;
  document["dt"] = scene.h;
  document["steps"] = scene.steps;
  document["remarks"] = scene.remarks;
  document["runs"] = runs;
  return document.dump(2) + "\n";
}

std::string comparison_figure(const ComparedScene& scene) {
  report::Panel error{.title = "error of joints (10^{−12} and less: at 10^{−12})"}, energy{.title = "change of energy"},
      residual{.title = "residual"};
  error.y = {.symbol = "|*C*|", .unit = "m", .scale = report::AxisScale::Logarithmic};
  energy.y = {.symbol = "Δ*E*/*E*", .unit = ""};
  residual.y = {.symbol = "*r*", .unit = "m/s", .scale = report::AxisScale::Logarithmic};
  error.x = energy.x = residual.x = {.symbol = "*t*", .unit = "s"};
  CostPanel error_cost("largest error, and cost", error.y), residual_cost("largest residual, and cost", residual.y),
      energy_cost("largest change of energy, and cost",
                  {.symbol = "|Δ*E*/*E*|", .unit = "", .scale = report::AxisScale::Logarithmic});
  const std::vector<std::string> names = short_names(scene.runs);
  for (std::size_t i = 0; i < scene.runs.size(); ++i) {
    const Comparison& run = scene.runs[i];
    // Runs that agree lie on each other: the first ones are wide, so that they show beside the last.
    const Real width = 1.3 + 1.4 * static_cast<Real>(std::min<std::size_t>(scene.runs.size() - 1 - i, 3));
    report::Curve C = curve_of(names[i], i, width), E = curve_of("", i, width), r = curve_of("", i, width);
    for (std::size_t k = 0; k < run.time.size(); ++k) {
      C.points.emplace_back(run.time[k], std::max(run.error[k], kFloor));
      E.points.emplace_back(run.time[k], run.energy_change[k]);
      if (k > 0) r.points.emplace_back(run.time[k], std::max(run.residual[k], kFloor));  // no solution before the first
    }
    error.curves.push_back(C);
    energy.curves.push_back(E);
    residual.curves.push_back(r);
    error_cost.add(run.milliseconds, run.error_max);
    energy_cost.add(run.milliseconds, run.energy_range);
    residual_cost.add(run.milliseconds, run.residual_max);
  }
  report::LineFigure figure;
  figure.title = "Comparison of " + scene.name;
  figure.panels = {error, energy, residual, error_cost.draw(names), energy_cost.draw(names), residual_cost.draw(names)};
  figure.column_widths = {kColumnWidth, kColumnWidth, kColumnWidth};
  figure.row_height = kRowHeight;
  return report::line_figure(figure);
}

}  // namespace visviva::app
