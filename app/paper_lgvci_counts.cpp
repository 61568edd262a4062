// How often the bodies of [lgvci] §7.3 collide. One count says little, since the motion is chaotic: ensembles are
// compared.
#include <fmt/format.h>

#include <cmath>

#include "paper_lgvci.hpp"
#include "paper_lgvci_systems.hpp"
#include "visviva/core/error.hpp"
#include "visviva/core/task_pool.hpp"

namespace visviva::app {

namespace {

using namespace paper_lgvci;

struct Ensemble {
  std::vector<Real> counts;
  Real mean = 0, deviation = 0;
};

Ensemble run_ensemble(const System& system, int runs, TaskPool& pool, const std::function<void()>& done) {
  constexpr Real kApart = 1e-9;  // start of one run above the other [m]
  Ensemble ensemble;
  ensemble.counts.resize(static_cast<std::size_t>(runs));
  parallel_for(pool, ensemble.counts.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      variational::BodyState start = system.start;
      start.x.z() += kApart * static_cast<Real>(k);
      ensemble.counts[k] =
          static_cast<Real>(variational::run(system.body, start, kLongRun, variational::BounceSettings{}).collisions);
      if (done) done();
    }
  });
  for (const Real count : ensemble.counts) ensemble.mean += count / runs;
  Real squares = 0;
  for (const Real count : ensemble.counts) squares += (count - ensemble.mean) * (count - ensemble.mean);
  ensemble.deviation = std::sqrt(squares / (runs - 1));
  return ensemble;
}

Comparison within_spread(std::string quantity, std::string printed, std::string ours, Real value, bool within) {
  Comparison c = claim(std::move(quantity), std::move(printed), std::move(ours), within);
  if (within) c.mark = Mark::WithinSpread;
  c.value = value;
  return c;
}

}  // namespace

PaperPart paper_lgvci_counts(int runs, const std::function<void()>& done) {
  require(runs >= 2, "paper lgvci", "runs", "be at least 2", runs);
  constexpr Real kLikely = 3;  // standard deviations
  constexpr int kReferenceRuns = 80;
  PaperSection text{"Counts",
                    fmt::format("§7.3: collisions in 1e5 steps, mean ± standard deviation of {} runs", runs),
                    "The runs start 1e-9 m apart in height. One run says little: after fifteen collisions it is noise.",
                    {}};
  PaperSection reference{"CountsReference", "The same beside an independent computation, 80 runs", "", {}, "reference"};
  TaskPool pool;
  for (const System& system : make_systems()) {
    const Ensemble ours = run_ensemble(system, runs, pool, done);
    const std::string shown = fmt::format("{:.1f} ± {:.1f}", ours.mean, ours.deviation);
    const KnownCounts& known = system.counts;
    if (!known.text.text.empty()) {
      const bool likely = std::abs(known.text.value() - ours.mean) <= kLikely * ours.deviation;
      text.comparisons.push_back(within_spread(fmt::format("{}, {}", system.name, system.what),
                                               fmt::format("roughly {}", known.text.text), shown, ours.mean, likely));
    }
    const Real uncertainty = known.deviation * std::sqrt(1.0 / runs + 1.0 / kReferenceRuns);
    reference.comparisons.push_back(within_spread(
        fmt::format("{}, {}", system.name, system.what), fmt::format("{:.0f} ± {:.0f}", known.mean, known.deviation),
        shown, ours.mean, std::abs(ours.mean - known.mean) <= kLikely * uncertainty));
  }
  return {{text, reference}, {}};
}

}  // namespace visviva::app
