// The discrete energy E_d of [lgvci (73)], which (74a), (77a) and (80a) keep at impacts, beside H, which the jump
// keeps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "paper_lgvci.hpp"
#include "paper_lgvci_systems.hpp"
#include "visviva/report/line_figure.hpp"

namespace visviva::app {

namespace {

using namespace paper_lgvci;
using variational::BodyState;
using variational::BounceCollision;
using variational::configuration;

/// Part of a step, from one impact or end of the step to the next.
struct Segment {
  Real begin = 0, end = 0;  ///< [s]
  Real E_d = 0;             ///< [J]
  /// E_d rounds as eps over the square of its length: shorter ones say nothing.
  [[nodiscard]] bool usable() const { return end - begin > 0.01 * kStep; }
};

struct ImpactJump {
  Real E_d = 0;  ///< E_d⁺ − E_d⁻ [J]
  Real H = 0;    ///< H⁺ − H⁻ [J]
};

struct DiscreteEnergy {
  Real E0 = 0;                    ///< H at the start [J]
  std::vector<Vec2> curve;        ///< E_d − E0 over time, a step function
  std::vector<Vec2> kept;         ///< H − E0 over time
  std::vector<ImpactJump> jumps;  ///< of impacts between usable segments
  Real largest_jump = 0, largest_change_of_H = 0;
  Real largest_kinetic = 0;  ///< [J]
};

/// The segments of the step that was just made, `from` its start.
std::vector<Segment> segments_of(const variational::FreeBody& body, const variational::Bouncer& bouncer, BodyState from,
                                 Real begin) {
  std::vector<Segment> segments;
  const auto add = [&](Real end, const BodyState& to) {
    const Real E_d = end > begin ? discrete_energy(body, configuration(from), configuration(to), end - begin) : 0;
    segments.push_back({begin, end, E_d});
    begin = end;
  };
  for (const BounceCollision& c : bouncer.collisions()) {
    add(c.t, c.before);
    from = c.after;
  }
  add(bouncer.time(), bouncer.state());
  return segments;
}

DiscreteEnergy follow(const System& system, std::int64_t steps) {
  const variational::FreeBody body = system.free();
  variational::Bouncer bouncer(system.body, system.start);
  DiscreteEnergy result;
  result.E0 = energy(body, system.start);
  for (std::int64_t i = 0; i < steps; ++i) {
    const BodyState from = bouncer.state();
    const Real begin = bouncer.time();
    if (!bouncer.step()) break;
    const std::vector<Segment> segments = segments_of(body, bouncer, from, begin);
    for (const Segment& s : segments) {
      if (!s.usable()) continue;
      result.curve.push_back({s.begin, s.E_d - result.E0});
      result.curve.push_back({s.end, s.E_d - result.E0});
    }
    result.kept.push_back({bouncer.time(), energy(body, bouncer.state()) - result.E0});
    for (std::size_t k = 0; k < bouncer.collisions().size(); ++k) {
      const BounceCollision& c = bouncer.collisions()[k];
      if (!segments[k].usable() || !segments[k + 1].usable()) continue;
      const ImpactJump jump{segments[k + 1].E_d - segments[k].E_d, energy(body, c.after) - energy(body, c.before)};
      result.jumps.push_back(jump);
      const Real kinetic = kinetic_translation(body.mass, c.after) + kinetic_rotation(body.mass, c.after);
      result.largest_kinetic = std::max(result.largest_kinetic, kinetic);
      result.largest_jump = std::max(result.largest_jump, std::abs(jump.E_d));
      result.largest_change_of_H = std::max(result.largest_change_of_H, std::abs(jump.H));
    }
  }
  return result;
}

}  // namespace

PaperPart paper_lgvci_discrete_energy() {
  constexpr std::int64_t kShown = 2000;  // steps: 20 s
  constexpr Real kKept = 1e-14;          // of the kinetic energy: rounding
  constexpr std::size_t kListed = 4;     // impacts
  const std::string why =
      "the jump (61) keeps H; E_d differs from H by terms of the order of h² that depend on Π and on the length of the "
      "part of the step";
  PaperSection section{"Eq73",
                       "(73), (74a): change of the discrete energy E_d and of H at impacts [J]",
                       "The largest over 1e5 steps depend on the run, which is chaotic.",
                       {}};
  report::LineFigure figure{"Discrete energy and energy", {}, {480, 480}, 300};
  for (const System& system : make_systems()) {
    const DiscreteEnergy all = follow(system, kLongRun), shown = follow(system, kShown);
    if (figure.panels.empty())
      for (std::size_t k = 0; k < std::min(kListed, all.jumps.size()); ++k)
        section.comparisons.push_back(claim(fmt::format("{}: E_d at impact {}", system.name, k + 1), "0",
                                            fmt::format("{:.4f}", all.jumps[k].E_d), std::abs(all.jumps[k].E_d) < 1e-6,
                                            why));
    section.comparisons.push_back(claim(fmt::format("{}: E_d, largest in 1e5 steps", system.name), "0",
                                        fmt::format("{:.2f}", all.largest_jump), all.largest_jump < 1e-6, why));
    section.comparisons.push_back(claim(fmt::format("{}: H, largest in 1e5 steps", system.name), "0",
                                        fmt::format("{:.0e}", all.largest_change_of_H),
                                        all.largest_change_of_H <= kKept * all.largest_kinetic));
    figure.panels.push_back({.title = fmt::format("{}: {}", system.name, system.what),
                             .x = {"*t*", "s"},
                             .y = {"energy − *H*(0)", "J"},
                             .curves = {{"discrete energy *E*_{d}", shown.curve, report::Color::Red, 1.6},
                                        {"energy *H*", shown.kept, report::Color::Black, 1.6}}});
  }
  return {{section}, {{"discrete_energy.svg", report::line_figure(figure)}}};
}

}  // namespace visviva::app
