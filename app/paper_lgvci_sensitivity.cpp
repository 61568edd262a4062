// Figs 9 and 10 of [lgvci]: how fast two cubes part that start almost alike.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>

#include "paper_lgvci.hpp"
#include "paper_lgvci_systems.hpp"
#include "visviva/math/elementary.hpp"
#include "visviva/report/line_figure.hpp"

namespace visviva::app {

namespace {

using namespace paper_lgvci;
using variational::BodyState;
using variational::Bouncer;

constexpr Real kPi = 3.141592653589793;
constexpr std::int64_t kSteps = 3000;  // 30 s

/// Err of §7.4. Two rotations differ by a matrix with the singular values s, s, 0, so its induced norm is ‖·‖_F/√2.
Real error(const BodyState& a, const BodyState& b) { return (a.x - b.x).norm() + (a.R - b.R).norm() / std::sqrt(2.0); }

BodyState turned(BodyState state, Real angle) {
  const auto [sine, cosine] = sin_cos(angle);
  Mat3 delta;
  delta << cosine, 0, sine, 0, 1, 0, -sine, 0, cosine;
  state.R = state.R * delta;
  return state;
}

BodyState raised(BodyState state, Real height) {
  state.x.z() += height;
  return state;
}

struct Parting {
  std::vector<Vec2> height, errors;  ///< over time, of the perturbed run
  Real at_start = 0;
  int past_hundredth = 0, past_one = 0;  ///< collisions of the unperturbed run so far, when Err passed 0.01 and 1
};

struct Unperturbed {
  std::vector<Vec2> height;
  std::vector<BodyState> states;
  std::vector<int> collisions;  ///< so far
  std::vector<Real> impacts;    ///< [s]
};

Unperturbed run_unperturbed(const System& system) {
  Unperturbed result;
  Bouncer bouncer(system.body, system.start);
  int count = 0;
  for (std::int64_t i = 0; i <= kSteps; ++i) {
    result.states.push_back(bouncer.state());
    result.height.push_back({bouncer.time(), bouncer.state().x.z()});
    result.collisions.push_back(count);
    if (!bouncer.step()) break;
    for (const variational::BounceCollision& c : bouncer.collisions()) result.impacts.push_back(c.t);
    count = static_cast<int>(result.impacts.size());
  }
  return result;
}

Parting run_perturbed(const System& system, const BodyState& start, const Unperturbed& unperturbed) {
  Parting result;
  Bouncer bouncer(system.body, start);
  result.at_start = error(start, unperturbed.states.front());
  for (std::size_t i = 0; i < unperturbed.states.size(); ++i) {
    const Real err = error(bouncer.state(), unperturbed.states[i]);
    result.height.push_back({bouncer.time(), bouncer.state().x.z()});
    result.errors.push_back({bouncer.time(), err});
    if (err > 0.01 && result.past_hundredth == 0) result.past_hundredth = unperturbed.collisions[i];
    if (err > 1 && result.past_one == 0) result.past_one = unperturbed.collisions[i];
    if (!bouncer.step()) break;
  }
  return result;
}

report::LineFigure fig_9(const Unperturbed& plain, const Parting& position, const Parting& attitude) {
  using report::CurveMarks;
  const report::Panel panel{
      .title = "Case IV: height of the centre of mass",
      .x = {"*t*", "s"},
      .y = {"height", "m"},
      .curves = {{"(*x*_{0} + δ*x*, *R*_{0})", position.height, report::Color::Blue, 1.3, false, CurveMarks::Squares},
                 {"(*x*_{0}, *R*_{0}δ*R*)", attitude.height, report::Color::Red, 1.3, false, CurveMarks::Circles},
                 {"(*x*_{0}, *R*_{0})", plain.height, report::Color::Black, 1.6, true}}};
  return {"Sensitivity to the start: height", {panel}, {900}, 340};
}

report::LineFigure fig_10(const Unperturbed& plain, const Parting& position, const Parting& attitude) {
  const report::Panel panel{.title = "Case IV: distance from the unperturbed run",
                            .x = {"*t*", "s"},
                            .y = {"‖*x*_{per} − *x*‖ + ‖*R*_{per} − *R*‖", "", report::AxisScale::Logarithmic},
                            .curves = {{"perturbed position", position.errors, report::Color::Blue, 1.6},
                                       {"perturbed attitude", attitude.errors, report::Color::Red, 1.6}},
                            .verticals = plain.impacts,
                            .verticals_name = "impacts of the unperturbed run"};
  return {"Sensitivity to the start: error", {panel}, {900}, 340};
}

}  // namespace

PaperPart paper_lgvci_sensitivity() {
  const System cube = make_systems()[3];
  const BodyState &start = cube.start, by_text = turned(start, 1e-8 * kPi),
                  by_degrees = turned(start, 1e-6 * kPi / 180);
  const Unperturbed plain = run_unperturbed(cube);
  const Parting position = run_perturbed(cube, raised(start, 1e-8), plain);
  const Parting attitude = run_perturbed(cube, by_text, plain);
  PaperSection text{"Fig10", "Figs 9, 10, §7.4: a cube that starts 1e-8 m higher, or turned by θ about y", "", {}};
  text.comparisons = {
      compare("Err_pos(0)", {"1e-8"}, position.at_start),
      compare("Err_att(0), θ = 1e-8 π", {"1.75e-8"}, attitude.at_start, "it belongs to θ = 1e-6 degrees"),
      compare("Err_att(0), θ = 1e-6 degrees", {"1.75e-8"}, error(by_degrees, start)),
      compare("apart after collision: Err_pos > 0.01", "8", fmt::format("{}", position.past_hundredth),
              "the text means \"noticeably\" by eye"),
      compare("apart after collision: Err_att > 0.01", "8", fmt::format("{}", attitude.past_hundredth),
              "the text means \"noticeably\" by eye"),
  };
  PaperSection reference{"Fig10Reference", "The same beside an independent computation", "", {}, "reference"};
  reference.comparisons = {
      compare("Err_pos passes 1 after collision", "11", fmt::format("{}", position.past_one)),
      compare("Err_att passes 1 after collision", "11", fmt::format("{}", attitude.past_one)),
  };
  return {{text, reference},
          {{"figure_9.svg", report::line_figure(fig_9(plain, position, attitude))},
           {"figure_10.svg", report::line_figure(fig_10(plain, position, attitude))}}};
}

}  // namespace visviva::app
