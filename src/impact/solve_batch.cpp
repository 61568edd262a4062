#include "impact/solve_batch.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "impact/slip_lanes.hpp"
#include "impact/solve_exact.hpp"
#include "impact/validity.hpp"
#include "visviva/core/error.hpp"
#include "visviva/core/task_pool.hpp"
#include "visviva/impact/solve.hpp"

// Many impacts. What is straight is solved one by one (ExactImpact); curved slip goes through SIMD lanes, eight impacts
// at a time, and an impact that ends makes room for the next. An impact never sees its neighbours: its bits depend on
// nothing but itself.
namespace visviva::impact {

SlipLanes slip_lanes_baseline();
#ifdef VISVIVA_X86_LANES
SlipLanes slip_lanes_avx2();
SlipLanes slip_lanes_avx512();
#endif

SlipLanes slip_lanes([[maybe_unused]] Isa isa) {
#ifdef VISVIVA_X86_LANES
  if (isa == Isa::Avx512) return slip_lanes_avx512();
  if (isa == Isa::Avx2) return slip_lanes_avx2();
#endif
  return slip_lanes_baseline();
}

namespace {

constexpr std::size_t kLanes = SlipBlock::kLanes;
/// Impacts that one task works on: many more than lanes.
constexpr std::size_t kGrain = 1024;
/// An impact that takes more rounds than this is left to the scalar solver.
constexpr int kMaxRounds = 1000;

/// An impact on its way through the lanes.
struct Traveller {
  std::optional<ExactImpact> impact;
  std::size_t index = 0;  ///< of its problem
  int rounds = 0;
};

void load(const SlipState& s, SlipBlock::State& to, std::size_t lane) {
  to.ux[lane] = s.u.x();
  to.uy[lane] = s.u.y();
  to.r[lane] = s.r;
  to.Ix[lane] = s.I.x();
  to.Iy[lane] = s.I.y();
  to.Iz[lane] = s.I.z();
  to.vz[lane] = s.vz;
  to.E[lane] = s.E;
}

SlipState read(const SlipBlock::State& s, std::size_t lane) {
  return {{s.ux[lane], s.uy[lane]}, s.r[lane], {s.Ix[lane], s.Iy[lane], s.Iz[lane]}, s.vz[lane], s.E[lane]};
}

void load(const ExactImpact& impact, SlipBlock& block, std::size_t lane) {
  const SlipProblem& p = impact.problem();
  block.B11[lane] = p.B(0, 0);
  block.B12[lane] = p.B(0, 1);
  block.B22[lane] = p.B(1, 1);
  block.d1[lane] = p.d.x();
  block.d2[lane] = p.d.y();
  block.W33[lane] = p.W33;
  block.mu[lane] = p.mu;
  block.rate_scale[lane] = p.rate_scale;
  block.over_L[lane] = over_scale(p);
  block.e[lane] = impact.restitution();
  block.unit_speed[lane] = impact.units().speed;
  block.unit_energy[lane] = impact.units().energy;
  block.steepest[lane] = impact.steepest();
  load(impact.state(), block.start, lane);
  block.Iz_end[lane] = impact.Iz_end();
  block.vz_end[lane] = impact.vz_end();
  block.vz_before[lane] = impact.vz_before();
  const SlipBlock::Bits bit = SlipBlock::Bits{1} << lane;
  block.monotone = (block.monotone & ~bit) | (impact.monotone() ? bit : 0);
  block.compressing = (block.compressing & ~bit) | (impact.compressing() ? bit : 0);
}

/// Travellers in the order in which they came.
class Queue {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  void push(Traveller* traveller) { items_[size_++] = traveller; }
  [[nodiscard]] Traveller* last() const { return items_[size_ - 1]; }
  void drop_last() { --size_; }
  /// Takes out the first, at most kLanes.
  std::size_t take(std::array<Traveller*, kLanes>& out) {
    const std::size_t count = std::min(size_, kLanes);
    std::copy_n(items_.begin(), count, out.begin());
    std::copy(items_.begin() + static_cast<std::ptrdiff_t>(count), items_.begin() + static_cast<std::ptrdiff_t>(size_),
              items_.begin());
    size_ -= count;
    return count;
  }

 private:
  std::array<Traveller*, 4 * kLanes> items_;
  std::size_t size_ = 0;
};

/// All travellers are free, or wait for one of three operations.
class Batch {
 public:
  Batch(std::span<const ImpactProblem> problems, std::span<ImpactResult> results, Law law, Isa isa)
      : problems_(problems), results_(results), law_(law), lanes_(slip_lanes(isa)) {
    for (Traveller& traveller : travellers_) free_.push(&traveller);
    // Lanes without a traveller compute too: with what is left in them, and at first with this.
    const ImpactProblem idle{.W = Mat3::Identity(), .v = {1, 0, -1}, .friction = 0.5, .restitution = 0.5};
    block_.monotone = block_.compressing = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) load(ExactImpact(idle, law), block_, lane);
  }

  void run() {
    for (;;) {
      fill();
      // The fuller a block, the less a lane costs; what is not full waits while others are.
      if (to_stop_.size() >= kLanes)
        try_to_stop();
      else if (to_locate_.size() >= kLanes)
        locate_events();
      else if (to_step_.size() >= kLanes)
        step();
      else if (to_stop_.size() > 0)
        try_to_stop();
      else if (to_step_.size() > 0)
        step();
      else if (to_locate_.size() > 0)
        locate_events();
      else
        return;
    }
  }

 private:
  /// Lets problems in until a block of curved slips waits.
  void fill() {
    while (to_step_.size() < kLanes && free_.size() > 0 && next_ < problems_.size()) {
      const std::size_t i = next_++;
      const ImpactProblem& problem = problems_[i];
      if (const auto answer = answer_without_impact(problem)) {
        results_[i] = *answer;
        continue;
      }
      Traveller* traveller = free_.last();
      traveller->impact.emplace(problem, law_);
      traveller->index = i;
      traveller->rounds = 0;
      if (traveller->impact->begin()) {
        free_.drop_last();
        (traveller->impact->is_near_stop() ? to_stop_ : to_step_).push(traveller);
      } else {
        traveller->impact->finish(results_[i]);
      }
    }
  }

  /// Slips that are near enough to γ = 0, or straight enough, go to their end at once.
  void try_to_stop() {
    std::array<Traveller*, kLanes> block;
    const std::size_t count = take(to_stop_, block);
    lanes_.approach_to_stop(block_);
    for (std::size_t lane = 0; lane < count; ++lane) {
      ExactImpact& impact = *block[lane]->impact;
      const bool reaches = is_set(block_.reaches, lane);
      const ApproachToStop rest{block_.rest_Iz[lane],
                                {block_.rest_Ix[lane], block_.rest_Iy[lane]},
                                block_.rest_vz[lane],
                                block_.rest_work_about_stop[lane]};
      if ((reaches && impact.jump_to_stop(rest)) || impact.slide_straight_to_end())
        leave(block[lane]);
      else
        to_step_.push(block[lane]);
    }
  }

  /// One expansion of each.
  void step() {
    std::array<Traveller*, kLanes> block;
    const std::size_t count = take(to_step_, block);
    lanes_.step(block_, law_);
    for (std::size_t lane = 0; lane < count; ++lane) {
      if (is_set(block_.has_event, lane)) {
        to_locate_.push(block[lane]);
        continue;
      }
      block[lane]->impact->advance(read(block_.at_end, lane));
      go_on(block[lane], is_set(block_.near_stop, lane));
    }
  }

  /// The same for expansions in which events lie.
  void locate_events() {
    std::array<Traveller*, kLanes> block;
    const std::size_t count = take(to_locate_, block);
    lanes_.locate_events(block_, law_);
    for (std::size_t lane = 0; lane < count; ++lane) {
      ExactImpact& impact = *block[lane]->impact;
      if (is_set(block_.too_curved, lane))
        leave_to_scalar(block[lane]);
      else if (advance(impact, lane))
        leave(block[lane]);
      else
        go_on(block[lane], true);
    }
  }

  void go_on(Traveller* traveller, bool near_stop) {
    traveller->impact->count_iteration();
    if (++traveller->rounds > kMaxRounds)
      leave_to_scalar(traveller);
    else
      (near_stop && traveller->impact->may_jump() ? to_stop_ : to_step_).push(traveller);
  }

  static bool is_set(SlipBlock::Bits bits, std::size_t lane) { return (bits >> lane & 1u) != 0; }

  std::size_t take(Queue& queue, std::array<Traveller*, kLanes>& block) {
    const std::size_t count = queue.take(block);
    for (std::size_t lane = 0; lane < count; ++lane) load(*block[lane]->impact, block_, lane);
    return count;
  }

  /// Takes over what the lanes found. True if the impact ended.
  bool advance(ExactImpact& impact, std::size_t lane) {
    if (is_set(block_.ends_compression, lane)) {
      if (impact.advance_to_compression_end(read(block_.at_c, lane))) return true;
      if (impact.restitution() < kSmallRestitution) return false;
    }
    if (is_set(block_.ends_restitution, lane)) {
      impact.advance_to_end(read(block_.at_end, lane));
      return true;
    }
    impact.advance(read(block_.at_end, lane));
    return false;
  }

  void leave(Traveller* traveller) {
    traveller->impact->finish(results_[traveller->index]);
    free_.push(traveller);
  }
  void leave_to_scalar(Traveller* traveller) {
    results_[traveller->index] = ExactImpact(problems_[traveller->index], law_).run();
    free_.push(traveller);
  }

  std::span<const ImpactProblem> problems_;
  std::span<ImpactResult> results_;
  Law law_;
  SlipLanes lanes_;
  std::array<Traveller, 4 * kLanes> travellers_;
  Queue free_, to_stop_, to_step_, to_locate_;
  std::size_t next_ = 0;
  SlipBlock block_;
};

}  // namespace

void solve_with(Isa isa, std::span<const ImpactProblem> problems, std::span<ImpactResult> results, Law law) {
  Batch(problems, results, law, isa).run();
}

void solve(std::span<const ImpactProblem> problems, std::span<ImpactResult> results, const BatchSettings& settings) {
  validate(settings.impact);
  require(settings.impact.method == Method::Exact, "impact batch", "method", "be Exact", "another");
  require(settings.threads >= 1, "impact batch", "threads", "be at least 1", settings.threads);
  require(results.size() == problems.size(), "impact batch", "results",
          fmt::format("have as many elements as problems ({})", problems.size()), results.size());
  const auto solve_range = [&](std::size_t begin, std::size_t end) {
    solve_with(best_isa(), problems.subspan(begin, end - begin), results.subspan(begin, end - begin),
               settings.impact.law);
  };
  if (settings.tasks) {
    parallel_for(*settings.tasks, problems.size(), kGrain, solve_range);
  } else if (settings.threads == 1) {
    solve_range(0, problems.size());
  } else {
    const std::size_t ranges = std::max<std::size_t>((problems.size() + kGrain - 1) / kGrain, 1);
    TaskPool pool(static_cast<int>(std::min(ranges, static_cast<std::size_t>(settings.threads))));
    parallel_for(pool, problems.size(), kGrain, solve_range);
  }
}

}  // namespace visviva::impact
