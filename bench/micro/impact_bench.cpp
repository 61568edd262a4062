// Micro benchmarks of one impact. `visviva bench impact` compares methods and their errors; here
// one looks at what a single kind of impact costs.
#include <benchmark/benchmark.h>

#include <vector>

#include "bench/impact/odeint_solver.hpp"
#include "bench/impact/random_problem.hpp"
#include "visviva/impact/invariant_directions.hpp"
#include "visviva/impact/solve.hpp"

namespace visviva::bench {
namespace {

using impact::ImpactProblem;
using impact::ImpactResult;

std::vector<ImpactProblem> problems_of(Family family, std::size_t count) {
  Generator random(20240601);
  std::vector<ImpactProblem> problems;
  for (std::size_t i = 0; i < count; ++i) problems.push_back(random_problem(family, random));
  return problems;
}

void BM_impact_solve(benchmark::State& state) {
  const auto family = static_cast<Family>(state.range(0));
  const auto problems = problems_of(family, 1000);
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(impact::solve(problems[i]));
    i = (i + 1) % problems.size();
  }
  state.SetLabel(std::string(to_word(family)));
}
BENCHMARK(BM_impact_solve)->ArgName("family")->DenseRange(0, static_cast<int>(kFamilies.size()) - 1);

void BM_impact_solve_batch(benchmark::State& state) {
  const auto problems = problems_of(Family::Bodies, static_cast<std::size_t>(state.range(0)));
  std::vector<ImpactResult> results(problems.size());
  for (auto _ : state) {
    impact::solve(problems, results);
    benchmark::DoNotOptimize(results.data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_impact_solve_batch)->ArgName("problems")->RangeMultiplier(8)->Range(8, 4096);

void BM_impact_odeint(benchmark::State& state) {
  const auto problems = problems_of(Family::Bodies, 1000);
  OdeintSettings settings;
  settings.method = static_cast<OdeintMethod>(state.range(0));
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(solve_odeint(problems[i], settings));
    i = (i + 1) % problems.size();
  }
}
BENCHMARK(BM_impact_odeint)->ArgName("method")->DenseRange(0, static_cast<int>(OdeintMethod::RungeKutta4));

void BM_impact_invariant_directions(benchmark::State& state) {
  const auto problems = problems_of(Family::Bodies, 1000);
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(impact::invariant_directions(problems[i]));
    i = (i + 1) % problems.size();
  }
}
BENCHMARK(BM_impact_invariant_directions);

}  // namespace
}  // namespace visviva::bench
