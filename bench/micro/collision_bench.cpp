#include <benchmark/benchmark.h>

#include "bench/collision/pair_engine.hpp"

namespace visviva::bench {

namespace {

enum Which : std::int64_t { kDistance, kManifold, kManifoldWarm, kTimeOfImpact };

void BM_collision(benchmark::State& state, const std::string& pair, Which query) {
  constexpr std::size_t kCases = 200;
  const PairCases cases = make_pair_cases(pair, kCases, 1);
  const auto engine = make_visviva_engine();
  engine->take(query == kDistance ? cases.separated : cases.overlapping);
  std::size_t i = 0;
  for (auto _ : state) {
    switch (query) {
      case kDistance:
        benchmark::DoNotOptimize(engine->distance(i % kCases));
        break;
      case kManifold:
        benchmark::DoNotOptimize(engine->manifold(i % kCases));
        break;
      case kManifoldWarm:
        benchmark::DoNotOptimize(engine->manifold_warm(i % kCases, i / kCases % kWarmSteps));
        break;
      case kTimeOfImpact:
        benchmark::DoNotOptimize(engine->time_of_impact(i % kCases));
        break;
    }
    ++i;
  }
}

int add_all() {
  for (const std::string& pair : pair_names()) {
    const auto add = [&](const char* name, Which query) {
      benchmark::RegisterBenchmark(("BM_collision_" + std::string(name) + "/pair:" + pair).c_str(), BM_collision, pair,
                                   query);
    };
    add("distance", kDistance);
    add("manifold", kManifold);
    add("manifold_warm", kManifoldWarm);
    add("toi", kTimeOfImpact);
  }
  return 0;
}

[[maybe_unused]] const int kAdded = add_all();

}  // namespace

}  // namespace visviva::bench
