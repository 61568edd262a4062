// Figs 7 and 8 of [lgvci]: how energy passes between translation and rotation, and how well the sum is kept.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "paper_lgvci.hpp"
#include "paper_lgvci_systems.hpp"
#include "visviva/report/line_figure.hpp"

namespace visviva::app {

namespace {

using namespace paper_lgvci;
using variational::BounceCollision;
using variational::Bouncer;
using variational::BounceSettings;

constexpr std::int64_t kShortRun = 2000;  // steps: 20 s
const report::Axis kTime{"*t*", "s"};

// ------------------------------------------------------------------------------- Fig. 7

struct Exchange : variational::BounceObserver {
  explicit Exchange(const System& system) : body(system.free()) {}

  void add(Real t, const variational::BodyState& s) {
    const Real all = energy(body, s), rotation = kinetic_rotation(body.mass, s);
    total.push_back({t, all});
    translation.push_back({t, all - rotation});
    turning.push_back({t, rotation});
  }
  void step(const Bouncer& b) {
    if (b.collisions().empty() && !turning.empty())
      in_flight = std::max(in_flight, std::abs(kinetic_rotation(body.mass, b.state()) - turning.back().y()));
    add(b.time(), b.state());
  }
  void collision(const BounceCollision& c) {
    // Collisions come after the step that holds them: the curves get both sides of each jump in the order of time.
    const std::size_t at = turning.size();
    add(c.t, c.before);
    add(c.t, c.after);
    at_impacts = std::max(at_impacts, std::abs(turning[at + 1].y() - turning[at].y()));
  }

  variational::FreeBody body;
  std::vector<Vec2> total, translation, turning;
  Real in_flight = 0, at_impacts = 0;  ///< largest changes of the rotational energy [J]
};

PaperPart fig_7(const std::array<System, 4>& systems) {
  PaperSection section{"Fig7",
                       "Fig. 7, §7.2: exchange of energy, first 20 s",
                       "T.E. total; T.P.E. translation and potential; R.E. rotation.",
                       {}};
  report::LineFigure figure{"Exchange of energy", {}, {480, 480}, 300};
  for (const System& system : systems) {
    Exchange exchange(system);
    (void)variational::run(system.body, system.start, kShortRun, {}, exchange);
    Real lost = 0;
    for (const Vec2& point : exchange.total) lost = std::max(lost, std::abs(point.y() - exchange.total[0].y()));
    const std::string name(system.name);
    section.comparisons.push_back(claim(name + ": R.E. in flight", "constant",
                                        fmt::format("changes by {:.0e} J at most", exchange.in_flight),
                                        exchange.in_flight < 1e-12));
    section.comparisons.push_back(claim(name + ": R.E. at impacts", "jumps",
                                        fmt::format("jumps by up to {:.1f} J", exchange.at_impacts),
                                        exchange.at_impacts > 1));
    section.comparisons.push_back(claim(name + ": T.E.", "conserved",
                                        fmt::format("{:.4f} J, kept to {:.0e} J", exchange.total[0].y(), lost),
                                        lost < 1e-11));
    figure.panels.push_back({.title = fmt::format("{}: {}", system.name, system.what),
                             .x = kTime,
                             .y = {"energy", "J", report::AxisScale::Linear, Vec2(0, 185)},
                             .curves = {{"T.E.", exchange.total, report::Color::Black, 1.8},
                                        {"T.P.E.", exchange.translation, report::Color::Blue, 1.8},
                                        {"R.E.", exchange.turning, report::Color::Red, 1.8}}});
  }
  return {{section}, {{"figure_7.svg", report::line_figure(figure)}}};
}

// ------------------------------------------------------------------------------- Fig. 8

struct ErrorCurve : variational::BounceObserver {
  explicit ErrorCurve(const System& system) : body(system.free()), E0(energy(body, system.start)) {}
  void step(const Bouncer& b) {
    const Real error = std::abs(energy(body, b.state()) - E0);
    largest = std::max(largest, error);
    points.push_back({b.time(), error});
  }
  void collision(const BounceCollision& c) {
    impacts.push_back(c.t);
    at_impact = std::max(at_impact, std::abs(energy(body, c.after) - energy(body, c.before)));
  }
  variational::FreeBody body;
  Real E0;
  std::vector<Vec2> points;
  std::vector<Real> impacts;
  Real largest = 0;    ///< |E − E0| [J]
  Real at_impact = 0;  ///< |E⁺ − E⁻| [J]
};

/// As the text: (70a) added step by step, bisection, one look at the end of each step.
BounceSettings settings_of_text() {
  BounceSettings settings;
  settings.anchored = false;
  settings.find_all = false;
  settings.root = variational::ImpactRoot::Bisection;
  return settings;
}

ErrorCurve run_errors(const System& system, std::int64_t steps, const BounceSettings& settings) {
  ErrorCurve curve(system);
  (void)variational::run(system.body, system.start, steps, settings, curve);
  return curve;
}

report::Panel error_panel(const System& system, const ErrorCurve& text, const ErrorCurve& anchored) {
  const auto name = [](const char* what, const ErrorCurve& curve) {
    return fmt::format("{}, at most {:.1e} J", what, curve.largest);
  };
  return {.title = fmt::format("{}: {}", system.name, system.what),
          .x = kTime,
          .y = {"|*E* − *E*_{0}|", "J"},
          .curves = {{name("(70a) step by step, as in the text", text), text.points, report::Color::Blue, 1.3},
                     {name("anchored flight", anchored), anchored.points, report::Color::Black, 1.3}}};
}

PaperPart fig_8(const std::array<System, 4>& systems) {
  PaperSection section{"Fig8",
                       "Fig. 8, §7.3: energy error |E − E0| [J], I and II for 20 s, III and IV for 1e5 steps",
                       "The text prints no numbers. Its drift is made again, then one cause after the other is taken "
                       "away.",
                       {}};
  report::LineFigure figure{"Energy error", {}, {480, 480}, 310};
  for (std::size_t i = 0; i < systems.size(); ++i) {
    const System& system = systems[i];
    const bool brief = i < 2;
    const std::int64_t steps = brief ? kShortRun : kLongRun;
    BounceSettings secant = settings_of_text(), anchored = settings_of_text();
    secant.root = variational::ImpactRoot::Secant;
    anchored.anchored = true;
    const ErrorCurve of_text = run_errors(system, steps, settings_of_text());
    const ErrorCurve of_secant = run_errors(system, steps, secant), of_anchored = run_errors(system, steps, anchored);
    figure.panels.push_back(error_panel(system, of_text, of_anchored));
    const std::string name(system.name);
    const auto at_most = [](Real value) { return fmt::format("at most {:.1e}", value); };
    if (brief) {
      figure.panels.back().verticals = of_text.impacts;
      figure.panels.back().verticals_name = "impacts";
      section.comparisons.push_back(claim(name + ": an impact changes E", "no more than the flow",
                                          at_most(of_text.at_impact), of_text.at_impact <= of_text.largest));
      continue;
    }
    const bool drifts = of_text.largest > 10 * of_anchored.largest;
    section.comparisons.push_back(claim(name + ": as in the text, (70a) step by step, bisection", "drifts",
                                        fmt::format("drifts, {:.1e}", of_text.largest), drifts));
    section.comparisons.push_back(claim(name + ": the same with a secant", "less drift, if it is bias",
                                        fmt::format("drifts, {:.1e}", of_secant.largest),
                                        of_secant.largest < 0.1 * of_text.largest,
                                        "the drift does not come from the bias of bisection"));
    section.comparisons.push_back(
        claim(name + ": bisection, but each flight one parabola", "drifts", at_most(of_anchored.largest), !drifts,
              "the same map, impacts and bisection keep the energy once x is not rounded in every step: neither the "
              "impacts nor a modified Hamiltonian drift"));
  }
  return {{section}, {{"figure_8.svg", report::line_figure(figure)}}};
}

}  // namespace

PaperPart paper_lgvci_energy() {
  const std::array<System, 4> systems = make_systems();
  PaperPart exchange = fig_7(systems), errors = fig_8(systems);
  return {{exchange.sections[0], errors.sections[0]}, {exchange.figures[0], errors.figures[0]}};
}

}  // namespace visviva::app
