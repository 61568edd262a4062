#include "bench/collision/collision_benchmark.hpp"

#include <cmath>
#include <ctime>

#include "bench/collision/moving_body.hpp"
#include "bench/collision/reference_distance.hpp"
#include "bench/measure.hpp"

namespace visviva::bench {

namespace {

struct QueryName {
  PairQuery query;
  const char* name;
};
constexpr QueryName kQueries[] = {{PairQuery::Distance, "distance"},
                                  {PairQuery::Penetration, "penetration"},
                                  {PairQuery::Manifold, "manifold"},
                                  {PairQuery::ManifoldWarm, "manifold_warm"},
                                  {PairQuery::TimeOfImpact, "toi"}};

Real thread_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<Real>(now.tv_sec) + static_cast<Real>(now.tv_nsec);
}

Real ask(PairEngine& engine, PairQuery query, std::size_t i, std::size_t step) {
  switch (query) {
    case PairQuery::Manifold:
      return engine.manifold(i);
    case PairQuery::ManifoldWarm:
      return engine.manifold_warm(i, step);
    case PairQuery::TimeOfImpact:
      return engine.time_of_impact(i);
    default:
      return engine.distance(i);
  }
}

/// Time of one query, all cases asked in turn, several times over: what other engines left in the caches must not
/// count.
Real measure(PairEngine& engine, PairQuery query, std::size_t cases) {
  constexpr int kPasses = 4;
  volatile Real sink = 0;
  const std::size_t steps = query == PairQuery::ManifoldWarm ? kWarmSteps : 1;
  const auto ask_all = [&] {
    for (std::size_t step = 0; step < steps; ++step)
      for (std::size_t i = 0; i < cases; ++i) sink = sink + ask(engine, query, i, step);
  };
  ask_all();
  const Real start = thread_nanoseconds();
  for (int pass = 0; pass < kPasses; ++pass) ask_all();
  return (thread_nanoseconds() - start) / static_cast<Real>(kPasses * cases * steps);
}

/// What an answer should have been, or how far it is from it.
class Truth {
 public:
  Truth(PairQuery query, std::span<const PairCase> cases, std::size_t references)
      : query_(query), cases_(cases), references_(std::min(references, cases.size())) {
    if (query == PairQuery::TimeOfImpact) return;
    for (std::size_t i = 0; i < references_; ++i)
      distances_.push_back(
          reference_distance(cases[i].a, cases[i].X_WA, cases[i].b,
                             query == PairQuery::ManifoldWarm ? cases[i].near_X_WB.back() : cases[i].X_WB));
  }
  void compare(PairEngine& engine, CollisionRow& row) const;

 private:
  [[nodiscard]] std::optional<Real> distance_at(std::size_t i, Real time) const {
    const PairCase& c = cases_[i];
    return reference_distance(c.a, c.X_WA, c.b, MovingBody(c).pose(time));
  }

  PairQuery query_;
  std::span<const PairCase> cases_;
  std::size_t references_;
  std::vector<std::optional<Real>> distances_;  ///< of the first cases
};

void Truth::compare(PairEngine& engine, CollisionRow& row) const {
  Real points = 0;
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    const Real answer = ask(engine, query_, i, kWarmSteps - 1);
    points += engine.points();
    if (!std::isfinite(answer)) {
      ++row.failures;
      continue;
    }
    if (i >= references_) continue;
    const std::optional<Real> d = query_ == PairQuery::TimeOfImpact ? distance_at(i, answer) : distances_[i];
    if (!d) continue;
    const Real truth = *d - engine.skin(i, query_);
    const Real error = std::abs(query_ == PairQuery::TimeOfImpact ? truth : answer - truth);
    row.error = std::max(row.error.value_or(0), error);
  }
  if (query_ == PairQuery::Manifold || query_ == PairQuery::ManifoldWarm)
    row.points = points / static_cast<Real>(cases_.size());
}

std::vector<std::unique_ptr<PairEngine>> all_engines(std::vector<std::string>& missing) {
  std::vector<std::unique_ptr<PairEngine>> engines;
  engines.push_back(make_visviva_engine());
  const auto add = [&](std::unique_ptr<PairEngine> engine, const char* name) {
    if (engine)
      engines.push_back(std::move(engine));
    else
      missing.emplace_back(name);
  };
  add(make_fcl_engine(), "fcl");
  add(make_libccd_engine(), "libccd");
  add(make_bullet_engine(), "bullet");
  return engines;
}

void run_query(const QueryName& query, const PairCases& cases, const CollisionBenchmarkSettings& settings,
               std::span<const std::unique_ptr<PairEngine>> engines, std::vector<CollisionRow>& rows) {
  const std::span<const PairCase> set = query.query == PairQuery::Distance ? cases.separated : cases.overlapping;
  std::vector<PairEngine*> running;
  for (const auto& engine : engines)
    if (engine->answers(query.query) && engine->take(set)) running.push_back(engine.get());
  std::vector<std::vector<Real>> times(running.size());
  for (int repeat = 0; repeat < settings.repeats; ++repeat)
    for (std::size_t k = 0; k < running.size(); ++k) times[k].push_back(measure(*running[k], query.query, set.size()));
  const Truth truth(query.query, set, settings.references);
  for (std::size_t k = 0; k < running.size(); ++k) {
    CollisionRow row{cases.pair, query.name, running[k]->name(), quantile(times[k], 0.5), {}, 0, 0};
    truth.compare(*running[k], row);
    rows.push_back(row);
  }
}

}  // namespace

CollisionBenchmark run_collision_benchmark(const CollisionBenchmarkSettings& settings,
                                           const std::function<void(std::size_t, std::size_t)>& on_progress) {
  CollisionBenchmark benchmark;
  const auto engines = all_engines(benchmark.missing);
  for (std::size_t p = 0; p < settings.pairs.size(); ++p) {
    const PairCases cases = make_pair_cases(settings.pairs[p], settings.cases, settings.seed);
    for (const QueryName& query : kQueries) run_query(query, cases, settings, engines, benchmark.rows);
    if (on_progress) on_progress(p + 1, settings.pairs.size());
  }
  return benchmark;
}

}  // namespace visviva::bench
