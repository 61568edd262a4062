// Times of Table 1 and of the comparison with general solvers in §6.4, measured here and now, with the error of each.
#include <fmt/format.h>

#include <algorithm>

#include "bench/impact/odeint_solver.hpp"
#include "bench/impact/reference_long_double.hpp"
#include "paper_impact.hpp"
#include "paper_impact_data.hpp"
#include "paper_impact_methods.hpp"
#include "visviva/core/timer.hpp"

namespace visviva::app {

namespace {

using namespace paper_impact;

/// Seconds a call, at least over kMeasured: the least of three means.
template <class Call>
Real seconds(Call call) {
  constexpr double kMeasured = 0.02;
  Real best = 1e300;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const Timer timer;
    int calls = 0;
    do {
      call();
      ++calls;
    } while (timer.seconds() < kMeasured);
    best = std::min(best, timer.seconds() / calls);
  }
  return best;
}

/// What the caller reads keeps the work from being optimised away.
volatile Real sink = 0;

Real time_of(const impact::ImpactProblem& problem, const impact::ImpactSettings& settings) {
  return seconds([&] { sink = impact::solve(problem, settings).impulse.z(); });
}

Comparison exact_time(const impact::ImpactProblem& problem, Real time) {
  const impact::ImpactResult result = impact::solve(problem);
  const Real error = bench::relative_error(result.impulse, bench::solve_long_double(problem)) * result.impulse.norm();
  return measured("exact, ours [s]", "", time,
                  fmt::format("{} series; error {:.2g} N s, against long double", result.iterations, error));
}

PaperSection table(const std::string& key, const std::string& title, std::span<const TableColumn> columns,
                   const impact::ImpactProblem& problem) {
  PaperSection section{key, title, "The text ran Mathematica 10.3 on a Core i3-3120M.", {}};
  const Vec3 exact = impact::solve(problem).impulse;
  const Real ours = time_of(problem, {});
  for (const TableColumn& column : columns) {
    const Real time = time_of(problem, text_settings(column));
    const Real error = (impact::solve(problem, text_settings(column)).impulse - exact).norm();
    section.comparisons.push_back(
        measured(fmt::format("{} [s]", column.name), std::string(column.time), time,
                 fmt::format("{:.3g} times the exact method; error {:.2g} N s", time / ours, error)));
  }
  section.comparisons.push_back(exact_time(problem, ours));
  return section;
}

struct Scheme {
  std::string_view name;
  bench::OdeintMethod method;
  Real tolerance;
};
/// Tolerances of NDSolve's default, about 1e-8; and of the error that VS has.
constexpr std::array<Scheme, 6> kSchemes{{
    {"odeint default, adaptive Dormand–Prince, 1e-8", bench::OdeintMethod::ControlledDopri5, 1e-8},
    {"adaptive Runge–Kutta (Cash–Karp), 1e-8", bench::OdeintMethod::CashKarp54, 1e-8},
    {"fixed Runge–Kutta, fourth order", bench::OdeintMethod::RungeKutta4, 1e-8},
    {"dense Dormand–Prince, 1e-10", bench::OdeintMethod::DenseDopri5, 1e-10},
    {"adaptive Dormand–Prince, 1e-3", bench::OdeintMethod::ControlledDopri5, 1e-3},
    {"adaptive Fehlberg 7(8), 1e-12", bench::OdeintMethod::Fehlberg78, 1e-12},
}};

PaperSection general_solvers() {
  const impact::ImpactProblem problem = icosa_tetra_problem();
  const Vec3 exact = impact::solve(problem).impulse;
  const Real ours = time_of(problem, {});
  PaperSection section{"Sec64",
                       "§6.4: general solvers on (31), icosahedron and tetrahedron",
                       "The text: NDSolve of Mathematica. Here: Boost.odeint in C++, with closed forms after s.",
                       {}};
  const auto row = [&](const std::string& name, std::string printed, Real time, Real error) {
    section.comparisons.push_back(
        measured(name + " [s]", std::move(printed), time,
                 fmt::format("{:.3g} times the exact method; error {:.2g} N s", time / ours, error)));
  };
  for (std::size_t i = 0; i < kSchemes.size(); ++i) {
    bench::OdeintSettings settings;
    settings.method = kSchemes[i].method;
    settings.absolute = settings.relative = kSchemes[i].tolerance;
    const Real time = seconds([&] { sink = bench::solve_odeint(problem, settings).impulse.z(); });
    row(std::string(kSchemes[i].name), i < kNdSolve.size() ? std::string(kNdSolve[i].text) : "", time,
        (bench::solve_odeint(problem, settings).impulse - exact).norm());
  }
  const impact::ImpactSettings adaptive = text_settings(kIcosaTetra[3]);
  row("VS", std::string(kIcosaTetra[3].time), time_of(problem, adaptive),
      (impact::solve(problem, adaptive).impulse - exact).norm());
  section.comparisons.push_back(exact_time(problem, ours));
  return section;
}

}  // namespace

std::vector<PaperSection> paper_impact_times() {
  return {table("TimesIcosa", "Table 1, times: icosahedron and tetrahedron", kIcosaTetra, icosa_tetra_problem()),
          table("TimesPin", "Table 1, times: pin and ball (v⁻ fitted)", kPinBall, pin_ball_problem()),
          general_solvers()};
}

}  // namespace visviva::app
