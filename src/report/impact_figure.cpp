#include "visviva/report/impact_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/panels.hpp"
#include "visviva/core/error.hpp"

namespace visviva::report {

namespace {

constexpr Real kMargin = 14, kTitle = 40, kGap = 10;  // [px]

struct LegendItem {
  std::string text;  ///< markup
  Stroke stroke;     ///< a line, if it has a width
  char letter;       ///< else the mark of this event
};

/// What the panels of a figure use.
std::vector<LegendItem> legend_items(std::span<const Trace> traces, bool single) {
  bool centrifugal = false, centripetal = false;
  std::string letters;
  for (const Trace& trace : traces) {
    for (const impact::InvariantDirection& s : impact::invariant_directions(trace.input->problem))
      (s.centrifugal() ? centrifugal : centripetal) = true;
    for (const TraceEvent& event : trace.events) letters += event.letter;
  }
  std::vector<LegendItem> items{{"compression", kCompressionStroke, ' '}, {"restitution", kRestitutionStroke, ' '}};
  if (centripetal) items.push_back({"centripetal direction", {ink::kBlue, 1.1, "5 3.5"}, ' '});
  if (centrifugal) items.push_back({"centrifugal direction", {ink::kRed, 1.1, "5 3.5"}, ' '});
  constexpr std::pair<char, std::string_view> kWords[] = {{'-', "start"},
                                                          {'l', "direction settles (l)"},
                                                          {'s', "sliding stops (s)"},
                                                          {'c', "compression ends (c)"},
                                                          {'r', "impact ends (r)"}};
  for (const auto& [letter, words] : kWords)
    if (letters.find(letter) != std::string::npos) items.push_back({std::string(words), {ink::kBlack, 0}, letter});
  if (single) {
    items.push_back({"*P*_{c} plane of compression", {ink::kBlue, 0.7}, ' '});
    items.push_back({"*L*_{s} line of sticking", {ink::kPurple, 1.2, "7 2.5 1.5 2.5"}, ' '});
  }
  return items;
}

/// Items in rows of the given width; returns the height. Draws only if `svg` is given.
Real lay_out_legend(const std::vector<LegendItem>& items, Svg* svg, const Vec2& corner, Real width) {
  constexpr Real kSize = 10.5, kRow = 18, kSample = 24, kSpace = 16;
  Real x = 0, y = 0;
  for (const LegendItem& item : items) {
    const bool is_line = item.stroke.width > 0;
    const Real sample = is_line ? kSample : 14;
    const Real needed = sample + 5 + text_width(item.text, kSize);
    if (x > 0 && x + needed > width) {
      x = 0;
      y += kRow;
    }
    if (svg) {
      const Vec2 at = corner + Vec2(x, y + 0.5 * kRow);
      if (is_line)
        svg->line(at, at + Vec2(sample, 0), item.stroke);
      else
        svg->mark(event_mark(item.letter), at + Vec2(0.5 * sample, 0), event_color(item.letter));
      svg->text(at + Vec2(sample + 5, 3.8), item.text, {kSize});
    }
    x += needed + kSpace;
  }
  return y + kRow;
}

std::string parameters(const Trace& trace) {
  constexpr std::string_view kLaws[] = {"Stronge", "Poisson", "Newton"};
  const impact::ImpactProblem& problem = trace.input->problem;
  return fmt::format("*\u03bc* = {:.4g}, *e* = {:.4g} ({}), {}", problem.friction, problem.restitution,
                     kLaws[static_cast<int>(trace.input->settings.law)], events_text(trace));
}

/// A user's title: smaller if it is too long for the panel, and cut if that does not do.
void draw_name(Svg& svg, const Vec2& at, Real width, const std::string& name) {
  constexpr Real kLargest = 12.5, kSmallest = 8.5;
  const Real needed = plain_text_width(name, 1) * 1.08;  // bold is wider
  const Real size = std::clamp(width / std::max(needed, 1.0), kSmallest, kLargest);
  std::string shown = name;
  if (needed * size > width) {
    auto keep = static_cast<std::size_t>(static_cast<Real>(name.size()) * width / (needed * size));
    while (keep > 0 && (static_cast<unsigned char>(name[keep]) & 0xC0) == 0x80) --keep;
    shown = name.substr(0, keep) + "\u2026";
  }
  svg.plain_text(at, shown, {size, ink::kBlack, Anchor::Middle, true});
}

/// Title lines of a panel: a case's own, or what a bundle shares.
void draw_title(Svg& svg, const Vec2& corner, Real width, std::span<const Trace> traces) {
  const TextStyle light{11, ink::kAxis, Anchor::Middle};
  const Vec2 first = corner + Vec2(0.5 * width, 15), second = corner + Vec2(0.5 * width, 31);
  if (traces.size() == 1) {
    draw_name(svg, first, width, traces.front().input->name);
    svg.text(second, parameters(traces.front()), light);
    return;
  }
  const impact::ImpactProblem& problem = traces.front().input->problem;
  const bool same_vz = std::all_of(traces.begin(), traces.end(),
                                   [&](const Trace& t) { return t.input->problem.v.z() == problem.v.z(); });
  const bool same_e = std::all_of(traces.begin(), traces.end(),
                                  [&](const Trace& t) { return t.input->problem.restitution == problem.restitution; });
  const auto stopped = std::count_if(traces.begin(), traces.end(), [](const Trace& t) {
    return t.result.sequence.find(impact::EventKind::Stop) != nullptr;
  });
  std::string shared = fmt::format("*\u03bc* = {:.4g}", problem.friction);
  if (same_e) shared += fmt::format(", *e* = {:.4g}", problem.restitution);
  if (same_vz)
    shared += fmt::format(", *v*_{{z}} = {}{:.4g} m/s", problem.v.z() < 0 ? "\u2212" : "", std::abs(problem.v.z()));
  draw_name(svg, first, width,
            fmt::format("{} hodographs, {} {} the origin", traces.size(), stopped, stopped == 1 ? "reaches" : "reach"));
  svg.text(second, shared, light);
}

std::string draw_one(std::span<const Trace> trace, const std::vector<LegendItem>& legend) {
  constexpr Real kPanel = 372, kHeight = 372;
  const Real width = 3 * kPanel + 2 * kGap + 2 * kMargin, inner = width - 2 * kMargin - 20;
  const Real legend_height = lay_out_legend(legend, nullptr, Vec2::Zero(), inner);
  const Real top = kMargin + kTitle;
  Svg svg(width, top + kHeight + kGap + legend_height + kMargin, trace.front().input->name);
  draw_title(svg, {kMargin, kMargin}, width - 2 * kMargin, trace);
  const Vec2 size(kPanel, kHeight);
  const auto box = [&](int i) { return PanelBox{{kMargin + i * (kPanel + kGap), top}, size}; };
  draw_hodograph(svg, box(0), trace);
  draw_impulse(svg, box(1), trace.front());
  draw_energy(svg, box(2), trace.front());
  lay_out_legend(legend, &svg, {kMargin + 20, top + kHeight + kGap}, inner);
  return svg.finish();
}

/// Cases that share W and mu, and start from different sliding velocities: one panel.
std::vector<std::vector<Trace>> group(std::span<const FigureCase> cases) {
  std::vector<std::vector<Trace>> panels;
  for (const FigureCase& input : cases) {
    const auto fits = [&](const std::vector<Trace>& panel) {
      const impact::ImpactProblem& first = panel.front().input->problem;
      return first.W == input.problem.W && first.friction == input.problem.friction &&
             std::none_of(panel.begin(), panel.end(),
                          [&](const Trace& t) { return t.input->problem.v.head<2>() == input.problem.v.head<2>(); });
    };
    auto panel = std::find_if(panels.begin(), panels.end(), fits);
    if (panel == panels.end()) panel = panels.insert(panels.end(), std::vector<Trace>());
    panel->push_back(make_trace(input));
  }
  return panels;
}

std::string draw_many(const std::vector<std::vector<Trace>>& panels, const std::vector<LegendItem>& legend) {
  const auto count = static_cast<int>(panels.size());
  const int columns = count <= 3 ? count : static_cast<int>(std::ceil(std::sqrt(count)));
  const int rows = (count + columns - 1) / columns;
  const Real panel = count == 1 ? 560 : count == 2 ? 440 : 360;
  const Real cell = panel + kTitle;
  const Real width = columns * panel + (columns - 1) * kGap + 2 * kMargin;
  const Real inner = width - 2 * kMargin - 20;
  const Real bottom = kMargin + rows * cell + (rows - 1) * kGap;
  const Real legend_height = lay_out_legend(legend, nullptr, Vec2::Zero(), inner);
  Svg svg(width, bottom + kGap + legend_height + kMargin, "Hodographs");
  for (int i = 0; i < count; ++i) {
    const std::vector<Trace>& traces = panels[static_cast<std::size_t>(i)];
    const int row = i / columns, column = i % columns;
    const Vec2 corner(kMargin + column * (panel + kGap), kMargin + row * (cell + kGap));
    draw_title(svg, corner + Vec2(46, 0), panel - 46, traces);
    draw_hodograph(svg, {corner + Vec2(0, kTitle), Vec2(panel, panel)}, traces);
  }
  lay_out_legend(legend, &svg, {kMargin + 20, bottom + kGap}, inner);
  return svg.finish();
}

}  // namespace

std::string impact_figure(std::span<const FigureCase> cases) {
  require(!cases.empty(), "impact figure", "cases", "hold at least one case", 0);
  const std::vector<std::vector<Trace>> panels = group(cases);
  std::vector<Trace> all;
  for (const std::vector<Trace>& panel : panels) all.insert(all.end(), panel.begin(), panel.end());
  const std::vector<LegendItem> legend = legend_items(all, cases.size() == 1);
  return cases.size() == 1 ? draw_one(all, legend) : draw_many(panels, legend);
}

}  // namespace visviva::report
