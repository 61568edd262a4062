#include "bench/impact/impact_benchmark.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <span>

#include "bench/impact/odeint_solver.hpp"
#include "bench/impact/random_problem.hpp"
#include "bench/impact/reference_long_double.hpp"
#include "bench/measure.hpp"
#include "visviva/core/timer.hpp"
#include "visviva/impact/solve.hpp"

namespace visviva::bench {
namespace {

using impact::ImpactProblem;
using impact::ImpactResult;
using impact::ImpactSettings;
using impact::Method;

constexpr std::size_t kChunk = 1000;
constexpr int kRepeats = 3;
/// Step of `fixed` over |vz-|/W33: a hundred steps a compression, as in the text's Table 1.
constexpr Real kFixedStep = 0.01;
/// h1 of `adaptive` over |v-|; its h2 is an angle and stays the default.
constexpr Real kAdaptiveStep = 0.01;
constexpr Real kIntegrationError = 1e-6;

Real unit_step(const ImpactProblem& problem) { return -problem.v.z() / problem.W(2, 2); }

/// A step of Iz: the same for all problems, or in proportion to what a problem takes.
struct StepRule {
  Real step;  ///< [N s], or over |vz-|/W33 [-]
  bool scaled;
  [[nodiscard]] Real for_problem(const ImpactProblem& p) const { return scaled ? step * unit_step(p) : step; }
};

Vec3 solve_integration(const ImpactProblem& problem, const StepRule& rule) {
  ImpactSettings settings;
  settings.method = Method::Integration;
  settings.step = rule.for_problem(problem);
  settings.max_iterations = std::numeric_limits<int>::max();
  return impact::solve(problem, settings).impulse;
}

/// One solver of one problem, and what it gave.
struct Contestant {
  std::string method;
  std::size_t count = 0;  ///< problems it is given
  std::function<void(std::size_t first, std::size_t last)> run;
  std::vector<Real> ns;
  std::vector<Vec3> impulses;
  Real step = 0;
};

class Contest {
 public:
  Contest(const ImpactBenchmarkSettings& settings, const std::function<void(std::size_t, std::size_t)>& on_progress)
      : settings_(settings), on_progress_(on_progress) {
    Generator random(settings.seed);
    problems_.reserve(settings.problems);
    references_.reserve(settings.problems);
    for (std::size_t i = 0; i < settings.problems; ++i) problems_.push_back(random_problem(random));
  }

  std::vector<MethodResult> run() {
    // Long double takes about half of the time, so the progress counts it as a half.
    const std::size_t n = problems_.size();
    for (std::size_t i = 0; i < n; ++i) {
      references_.push_back(solve_long_double(problems_[i]));
      if (on_progress_ && i % kChunk == 0) on_progress_(i / 2, n);
    }
    add_contestants();
    for (std::size_t first = 0; first < n; first += kChunk) {
      for (Contestant& c : contestants_)
        if (first < c.count) c.run(first, std::min(first + kChunk, c.count));
      if (on_progress_) on_progress_((n + first) / 2, n);
    }
    std::vector<MethodResult> results;
    for (Contestant& c : contestants_) results.push_back(summary(c));
    return results;
  }

 private:
  template <class Solver>
  Contestant& enter(const std::string& method, std::size_t count, Solver run) {
    Contestant& c = contestants_.emplace_back();
    c.method = method;
    c.count = count;
    c.run = run;
    c.ns.resize(count, std::numeric_limits<Real>::infinity());
    c.impulses.resize(count);
    return c;
  }

  template <class Solver>
  void add(const std::string& method, Solver solver) {
    const std::size_t index = contestants_.size();
    enter(method, problems_.size(), [this, index, solver](std::size_t first, std::size_t last) {
      Contestant& c = contestants_[index];
      for (int repeat = 0; repeat < kRepeats; ++repeat)
        for (std::size_t i = first; i < last; ++i) {
          const std::uint64_t start = ticks();
          const Vec3 impulse = solver(problems_[i]);
          const std::uint64_t end = ticks();
          c.impulses[i] = impulse;
          c.ns[i] = std::min(c.ns[i], clock_.ns(start, end));
        }
    });
  }

  /// A problem takes so long that other work interrupts it: the thread's CPU time counts, and once
  /// is enough.
  void add_integration(const std::string& method, bool scaled) {
    const std::size_t few = std::min(settings_.integration_problems, problems_.size());
    const StepRule rule = find_integration_step(few, scaled);
    const std::size_t index = contestants_.size();
    Contestant& entered = enter(method, few, [this, index, rule](std::size_t first, std::size_t last) {
      Contestant& c = contestants_[index];
      for (std::size_t i = first; i < last; ++i) {
        const ThreadCpuTimer timer;
        c.impulses[i] = solve_integration(problems_[i], rule);
        c.ns[i] = 1e9 * timer.seconds();
      }
    });
    entered.step = rule.step;
  }

  void add_contestants() {
    add("exact", [](const ImpactProblem& p) { return impact::solve(p).impulse; });
    add_batch();
    add("adaptive", [](const ImpactProblem& p) {
      ImpactSettings settings;
      settings.method = Method::Adaptive;
      settings.h1 = kAdaptiveStep * p.v.norm();
      return impact::solve(p, settings).impulse;
    });
    add("fixed", [](const ImpactProblem& p) {
      ImpactSettings settings;
      settings.method = Method::Fixed;
      settings.step = kFixedStep * unit_step(p);
      return impact::solve(p, settings).impulse;
    });
    contestants_.back().step = kFixedStep;
    add_integration("integration_1e-6", false);
    add("odeint_1e-10", [](const ImpactProblem& p) { return solve_odeint(p).impulse; });
    add_integration("integration_1e-6_scaled", true);
  }

  void add_batch() {
    const std::size_t n = problems_.size(), index = contestants_.size();
    batch_results_.resize(std::min(n, kChunk));
    enter("batch", n, [this, index](std::size_t first, std::size_t last) {
      Contestant& c = contestants_[index];
      const std::span<const ImpactProblem> in(&problems_[first], last - first);
      const std::span<ImpactResult> out(batch_results_.data(), last - first);
      Real least = std::numeric_limits<Real>::infinity();
      for (int repeat = 0; repeat < kRepeats; ++repeat) {
        const std::uint64_t start = ticks();
        impact::solve(in, out);
        const std::uint64_t end = ticks();
        least = std::min(least, clock_.ns(start, end) / static_cast<Real>(last - first));
      }
      for (std::size_t i = first; i < last; ++i) {
        c.ns[i] = least;
        c.impulses[i] = out[i - first].impulse;
      }
    });
  }

  /// The step at which the median error of Euler's method is 1e-6: the error is proportional to the
  /// step, so proportion finds it, from coarse (cheap) to fine.
  [[nodiscard]] StepRule find_integration_step(std::size_t count, bool scaled) const {
    StepRule rule{1e-3, scaled};
    for (int i = 0; i < 8; ++i) {
      std::vector<Real> errors;
      for (std::size_t k = 0; k < count; ++k)
        errors.push_back(relative_error(solve_integration(problems_[k], rule), references_[k]));
      const Real ratio = kIntegrationError / quantile(errors, 0.5);
      if (ratio > 0.9 && ratio < 1.1) break;
      rule.step *= std::clamp(ratio, 0.01, 100.0);
    }
    return rule;
  }

  [[nodiscard]] MethodResult summary(Contestant& c) const {
    MethodResult result;
    result.method = c.method;
    result.problems = c.count;
    result.step = c.step;
    std::vector<Real> errors;
    for (std::size_t i = 0; i < c.count; ++i) errors.push_back(relative_error(c.impulses[i], references_[i]));
    result.error = {quantile(errors, 0.5), quantile(errors, 0.99), *std::max_element(errors.begin(), errors.end())};
    Real sum = 0;
    for (const Real ns : c.ns) sum += ns;
    result.ns = {quantile(c.ns, 0.5), sum / static_cast<Real>(c.count), quantile(c.ns, 0.99)};
    result.per_second = 1e9 / result.ns.mean;
    return result;
  }

  ImpactBenchmarkSettings settings_;
  std::function<void(std::size_t, std::size_t)> on_progress_;
  Ticks clock_;
  std::vector<ImpactProblem> problems_;
  std::vector<ReferenceResult> references_;
  std::vector<ImpactResult> batch_results_;
  std::vector<Contestant> contestants_;
};

}  // namespace

std::vector<MethodResult> run_impact_benchmark(const ImpactBenchmarkSettings& settings,
                                               const std::function<void(std::size_t, std::size_t)>& on_progress) {
  return Contest(settings, on_progress).run();
}

std::string machine_description() {
  std::string processor = "unknown processor";
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) {
      processor = line.substr(std::min(line.find(':') + 2, line.size()));
      break;
    }
#if defined(__clang__)
  return processor + ", clang " __clang_version__;
#else
  return processor + ", g++ " __VERSION__;
#endif
}

}  // namespace visviva::bench
