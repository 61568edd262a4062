// Micro benchmarks of the bouncing body. `visviva bench variational` compares with Runge and Kutta and measures errors;
// here one looks at what a part of a step costs.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "bench/variational/runge_kutta.hpp"
#include "bench/variational/systems.hpp"
#include "visviva/motion/exact_rotation.hpp"
#include "visviva/motion/moser_veselov.hpp"
#include "visviva/variational/world.hpp"

namespace visviva::bench {
namespace {

using motion::BodyState;
using variational::BounceFlow;
using variational::Bouncer;
using variational::BounceSettings;

constexpr Real kH = 0.01;  // [s]

const BounceSystem& system_of(const benchmark::State& state) {
  static const std::vector<BounceSystem> systems = lgvci_systems();
  return systems[static_cast<std::size_t>(state.range(0))];
}

BounceSystem lifted(BounceSystem system) {
  system.start.x.z() += 1e6;  // falls for minutes of simulated time before it meets the plane
  return system;
}

/// Free flight alone: the clock is stopped to begin a new one before the ground comes near.
template <class Make>
void step_in_flight(benchmark::State& state, const Make& make) {
  constexpr int kFlight = 10'000;  // 100 s, a fall of 49 km
  auto stepper = make();
  int steps = 0;
  for (auto _ : state) {
    if (++steps == kFlight) [[unlikely]] {
      state.PauseTiming();
      stepper = make();
      steps = 0;
      state.ResumeTiming();
    }
    stepper.step();
  }
}

void BM_variational_step(benchmark::State& state, BounceSettings settings) {
  const BounceSystem system = lifted(system_of(state));
  step_in_flight(state, [&] { return Bouncer(system.body, system.start, settings); });
  state.SetLabel("case " + system.name);
}
BounceSettings with(BounceFlow flow, motion::Retraction retraction = motion::Retraction::Cayley) {
  BounceSettings settings;
  settings.h = kH;
  settings.flow = flow;
  settings.retraction = retraction;
  return settings;
}
BENCHMARK_CAPTURE(BM_variational_step, cayley, with(BounceFlow::Variational))->ArgName("case")->DenseRange(0, 3);
BENCHMARK_CAPTURE(BM_variational_step, exponential, with(BounceFlow::Variational, motion::Retraction::Exponential))
    ->ArgName("case")
    ->DenseRange(0, 3);
BENCHMARK_CAPTURE(BM_variational_step, order4, with(BounceFlow::VariationalOrder4))->ArgName("case")->DenseRange(0, 3);
BENCHMARK_CAPTURE(BM_variational_step, exact, with(BounceFlow::Exact))->ArgName("case")->DenseRange(0, 3);

void BM_variational_step_runge_kutta(benchmark::State& state) {
  const BounceSystem system = lifted(system_of(state));
  step_in_flight(state, [&] { return RungeKuttaBouncer(system.body, system.start, kH); });
}
BENCHMARK(BM_variational_step_runge_kutta)->ArgName("case")->DenseRange(0, 3);

void BM_variational_step_world(benchmark::State& state, model::Flow flow) {
  const BounceSystem system = lifted(system_of(state));
  step_in_flight(state, [&] { return variational::World(to_model(system, flow)); });
}
BENCHMARK_CAPTURE(BM_variational_step_world, variational, model::Flow::Variational)->ArgName("case")->DenseRange(0, 3);
BENCHMARK_CAPTURE(BM_variational_step_world, exact, model::Flow::Exact)->ArgName("case")->DenseRange(0, 3);

/// The rotation alone, (70c–e).
void BM_variational_rotation(benchmark::State& state, motion::MoserVeselovSettings settings) {
  const BounceSystem& system = system_of(state);
  const motion::MoserVeselov map(system.body.mass.J, settings);
  Mat3 R = system.start.R;
  Vec3 Pi = system.start.Pi;
  for (auto _ : state) benchmark::DoNotOptimize(map.step(kH, R, Pi));
}
BENCHMARK_CAPTURE(BM_variational_rotation, cayley, {motion::Retraction::Cayley, 2})->ArgName("case")->DenseRange(0, 3);
BENCHMARK_CAPTURE(BM_variational_rotation, exponential, {motion::Retraction::Exponential, 2})
    ->ArgName("case")
    ->DenseRange(0, 3);

/// The states from which the next step holds a collision.
std::vector<BodyState> states_before_collisions(const BounceSystem& system, const BounceSettings& settings,
                                                std::size_t count) {
  Bouncer bouncer(system.body, system.start, settings);
  std::vector<BodyState> states;
  while (states.size() < count) {
    const BodyState before = bouncer.state();
    if (!bouncer.step()) break;
    if (!bouncer.collisions().empty()) states.push_back(before);
  }
  return states;
}

/// A whole step that holds a collision. `root` 0 is bisection, 1 the secant.
void BM_variational_collision(benchmark::State& state, BounceFlow flow) {
  const BounceSystem& system = system_of(state);
  BounceSettings settings = with(flow);
  settings.root = static_cast<variational::ImpactRoot>(state.range(1));
  const std::vector<BodyState> states = states_before_collisions(system, settings, 64);
  std::vector<Bouncer> bouncers;
  for (auto _ : state) {
    state.PauseTiming();
    bouncers.clear();
    for (const BodyState& s : states) bouncers.emplace_back(system.body, s, settings);
    state.ResumeTiming();
    for (Bouncer& bouncer : bouncers) bouncer.step();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(states.size()));
  state.counters["per_collision"] = benchmark::Counter(
      static_cast<double>(states.size()), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(BM_variational_collision, variational, BounceFlow::Variational)
    ->ArgNames({"case", "root"})
    ->ArgsProduct({{0, 1, 2, 3}, {0, 1}});
BENCHMARK_CAPTURE(BM_variational_collision, exact, BounceFlow::Exact)
    ->ArgNames({"case", "root"})
    ->ArgsProduct({{0, 1, 2, 3}, {0, 1}});

/// To begin an exact flight, and to go to a time on it.
void BM_variational_exact_flow(benchmark::State& state, bool begin) {
  const BounceSystem& system = system_of(state);
  const motion::ExactRotation rotation(system.body.mass.J, system.start.R, system.start.Pi);
  Vec3 Pi = system.start.Pi;
  Real t = 0;
  for (auto _ : state) {
    if (begin) {
      benchmark::DoNotOptimize(Pi);
      benchmark::DoNotOptimize(motion::ExactRotation(system.body.mass.J, system.start.R, Pi));
    } else {
      t = t < 2 ? t + kH : 0;
      benchmark::DoNotOptimize(rotation.at(t));
    }
  }
}
BENCHMARK_CAPTURE(BM_variational_exact_flow, begin, true)->ArgName("case")->DenseRange(0, 3);
BENCHMARK_CAPTURE(BM_variational_exact_flow, at, false)->ArgName("case")->DenseRange(0, 3);

/// Φ, one after the other, and its nearest point with derivatives.
void BM_variational_detection(benchmark::State& state, bool derivatives) {
  const BounceSystem& system = system_of(state);
  const variational::Detection& detection = system.body.detection;
  std::vector<BodyState> states;
  Bouncer bouncer(system.body, system.start);
  for (int i = 0; i < 256; ++i) {
    bouncer.step();
    states.push_back(bouncer.state());
  }
  std::size_t i = 0;
  for (auto _ : state) {
    const BodyState& s = states[i = (i + 1) % states.size()];
    if (derivatives)
      benchmark::DoNotOptimize(detection.nearest(s.R));
    else
      benchmark::DoNotOptimize(detection.phi(s.x, s.R));
  }
}
BENCHMARK_CAPTURE(BM_variational_detection, phi, false)->ArgName("case")->DenseRange(0, 3);
BENCHMARK_CAPTURE(BM_variational_detection, nearest, true)->ArgName("case")->DenseRange(0, 3);

}  // namespace
}  // namespace visviva::bench
