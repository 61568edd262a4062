#include "impact/solve_batch.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "impact/scaling.hpp"
#include "impact/slip_lanes.hpp"
#include "impact/solve_exact.hpp"
#include "visviva/core/error.hpp"
#include "visviva/core/task_pool.hpp"
#include "visviva/impact/solve.hpp"

// Many impacts. Slip that turns goes through SIMD lanes, eight impacts at a time, and an impact that ends makes room
// for the next; what needs no such slip, and rare or delicate cases, are solved one by one (ExactImpact). An impact
// never sees its neighbours: its bits depend on nothing but itself.
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

using LaneState = SlipLaneState<Real>;

/// An impact on its way through the lanes, in units in which W33 and |vz-| are between 1 and 2.
struct Traveller {
  SlipLaneProblem<Real> problem;
  LaneState state;
  PowerOfTwo impulse_out, velocity_out, energy_out;  ///< from these units to the caller's
  Real per_velocity;                                 ///< and back
  Real E_compression, E_restitution;                 ///< at c, before and after the loss
  Real try_stop_below;                               ///< speed below which the way to γ = 0 may be free of events
  std::size_t index;                                 ///< of the problem
  int rounds;

  // Number by number: a vector made of numbers just stored would have to wait for them.
  [[nodiscard]] Vec3 impulse(const LaneState& s) const {
    return {impulse_out(s.Ix), impulse_out(s.Iy), impulse_out(s.Iz)};
  }
  [[nodiscard]] Vec3 velocity(const LaneState& s) const {
    return {velocity_out(s.r * s.ux), velocity_out(s.r * s.uy), velocity_out(s.vz)};
  }
};

void load(const ImpactProblem& problem, SlipBlock& block, std::size_t lane) {
  for (std::size_t k = 0; k < 9; ++k) block.given_W[k][lane] = problem.W.data()[k];
  for (std::size_t k = 0; k < 3; ++k) block.given_v[k][lane] = problem.v.data()[k];
  block.given_mu[lane] = problem.friction;
  block.given_e[lane] = problem.restitution;
}

void load(const Traveller& traveller, SlipBlock& block, std::size_t lane) {
  const auto put = [lane](Real x, SlipBlock::Row& row) { row[lane] = x; };
  for_each_of_problem(traveller.problem, block.problem, put);
  for_each_of_state(traveller.state, block.start, put);
}

LaneState read(const SlipLaneState<SlipBlock::Row>& rows, std::size_t lane) {
  LaneState s;
  for_each_of_state(s, rows, [lane](Real& x, const SlipBlock::Row& row) { x = row[lane]; });
  return s;
}

/// Of a power of two.
int exponent(Real x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52) - 1023; }

/// What `begin` made of a problem.
void read(const SlipBlock& block, std::size_t lane, Traveller& to) {
  const auto get = [lane](Real& x, const SlipBlock::Row& row) { x = row[lane]; };
  for_each_of_problem(to.problem, block.problem, get);
  for_each_of_state(to.state, block.start, get);
  const int W = exponent(block.unit_W[lane]), v = exponent(block.unit_v[lane]);
  to.impulse_out = PowerOfTwo(v - W);
  to.velocity_out = PowerOfTwo(v);
  to.energy_out = PowerOfTwo(2 * v - W);
  to.per_velocity = 1 / block.unit_v[lane];
}

/// Travellers in the order in which they came.
class Queue {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  void push(Traveller* traveller) { items_[size_++] = traveller; }
  Traveller* pop() { return items_[--size_]; }
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
    for (std::size_t lane = 0; lane < kLanes; ++lane) load(idle, block_, lane);
    lanes_.begin(block_, law_);
  }

  void run() {
    for (;;) {
      while (to_step_.size() < kLanes && free_.size() >= kLanes && next_ < problems_.size()) begin();
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
  /// Lets problems in.
  void begin() {
    const std::size_t first = next_, count = std::min(problems_.size() - first, kLanes);
    next_ += count;
    for (std::size_t lane = 0; lane < count; ++lane) load(problems_[first + lane], block_, lane);
    lanes_.begin(block_, law_);
    for (std::size_t lane = 0; lane < count; ++lane) {
      if (!is_set(block_.curved, lane)) {
        solve_scalar(first + lane);
        continue;
      }
      Traveller* traveller = free_.pop();
      read(block_, lane, *traveller);
      traveller->index = first + lane;
      traveller->rounds = 0;
      traveller->try_stop_below = std::numeric_limits<Real>::infinity();
      results_[first + lane] = {};
      (is_set(block_.near_stop, lane) ? to_stop_ : to_step_).push(traveller);
    }
  }

  /// Slips near an attracting centripetal direction go to γ = 0 and then to their end at once.
  void try_to_stop() {
    std::array<Traveller*, kLanes> block;
    const std::size_t count = take(to_stop_, block);
    lanes_.stop(block_, law_);
    for (std::size_t lane = 0; lane < count; ++lane) {
      Traveller& traveller = *block[lane];
      if (is_set(block_.left_to_scalar, lane)) {
        leave_to_scalar(traveller);
      } else if (is_set(block_.stops, lane)) {
        record(EventKind::Stop, traveller, read(block_.at_s, lane));
        if (is_set(block_.ends_compression, lane)) end_compression(traveller, read(block_.at_c, lane));
        leave(traveller, read(block_.at_end, lane));
      } else {
        // An event comes first, or may: the next try waits until the bounds are tighter.
        traveller.try_stop_below = 0.25 * traveller.state.r;
        to_step_.push(&traveller);
      }
    }
  }

  /// One expansion of each.
  void step() {
    std::array<Traveller*, kLanes> block;
    const std::size_t count = take(to_step_, block);
    lanes_.step(block_, law_);
    for (std::size_t lane = 0; lane < count; ++lane) {
      if (is_set(block_.has_event, lane))
        to_locate_.push(block[lane]);
      else
        go_on(*block[lane], read(block_.at_end, lane), is_set(block_.near_stop, lane));
    }
  }

  /// The same for expansions in which events lie.
  void locate_events() {
    std::array<Traveller*, kLanes> block;
    const std::size_t count = take(to_locate_, block);
    lanes_.locate_events(block_, law_);
    for (std::size_t lane = 0; lane < count; ++lane) {
      Traveller& traveller = *block[lane];
      if (is_set(block_.left_to_scalar, lane)) {
        leave_to_scalar(traveller);
        continue;
      }
      if (is_set(block_.ends_compression, lane)) {
        LaneState at_c = read(block_.at_c, lane);
        at_c.vz = 0;
        end_compression(traveller, at_c);
        at_c.E = traveller.E_restitution;
        if (is_over(traveller, at_c)) {
          leave(traveller, at_c);
          continue;
        }
        if (traveller.problem.e < kSmallRestitution) {
          go_on(traveller, at_c, true);
          continue;
        }
      }
      if (is_set(block_.ends_restitution, lane))
        leave(traveller, read(block_.at_end, lane));
      else
        go_on(traveller, read(block_.at_end, lane), is_set(block_.near_stop, lane));
    }
  }

  void go_on(Traveller& traveller, const LaneState& next, bool near_stop) {
    traveller.state = next;
    if (++traveller.rounds > kMaxRounds)
      leave_to_scalar(traveller);
    else
      (near_stop && next.r <= traveller.try_stop_below ? to_stop_ : to_step_).push(&traveller);
  }

  static bool is_set(SlipBlock::Bits bits, std::size_t lane) { return (bits >> lane & 1u) != 0; }

  std::size_t take(Queue& queue, std::array<Traveller*, kLanes>& block) {
    const std::size_t count = queue.take(block);
    for (std::size_t lane = 0; lane < count; ++lane) load(*block[lane], block_, lane);
    return count;
  }

  void record(EventKind kind, const Traveller& traveller, const LaneState& s) {
    results_[traveller.index].sequence.push(
        {kind, traveller.impulse(s), traveller.velocity(s), traveller.energy_out(s.E)});
  }

  void end_compression(Traveller& traveller, const LaneState& at_c) {
    record(EventKind::Compression, traveller, at_c);
    const Real e = traveller.problem.e;
    traveller.E_compression = at_c.E;
    traveller.E_restitution = law_ == Law::Stronge ? e * e * at_c.E : at_c.E;
    traveller.problem.Iz_end = (1 + e) * at_c.Iz;
    traveller.problem.vz_end = -e * traveller.problem.vz_before;
    traveller.try_stop_below = std::numeric_limits<Real>::infinity();
  }

  /// At c: whether e is so small that nothing is left of restitution but rounding.
  [[nodiscard]] bool is_over(const Traveller& traveller, const LaneState& at_c) const {
    return law_ == Law::Stronge   ? !(at_c.E > 0)
           : law_ == Law::Poisson ? !(traveller.problem.Iz_end > at_c.Iz)
                                  : !(traveller.problem.vz_end > 0);
  }

  void leave(Traveller& traveller, LaneState s) {
    if (law_ == Law::Stronge) s.E = 0;
    record(EventKind::Restitution, traveller, s);
    ImpactResult& result = results_[traveller.index];
    result.status = Status::Solved;
    result.impulse = traveller.impulse(s);
    result.v = traveller.velocity(s);
    result.iterations = traveller.rounds;
    // Until c all normal work is stored, and what is released after it comes from what the loss leaves.
    const Real restitution = traveller.E_restitution - s.E;
    result.work_compression = traveller.energy_out(-traveller.E_compression);
    result.work_restitution = traveller.energy_out(restitution);
    // All work changes kinetic energy: friction's is what the normal work leaves.   [theory/impact (8)]
    const Vec3& v = problems_[traveller.index].v;
    const Real all =
        0.5 * (s.Ix * (v.x() * traveller.per_velocity + s.r * s.ux) +
               s.Iy * (v.y() * traveller.per_velocity + s.r * s.uy) + s.Iz * (traveller.problem.vz_before + s.vz));
    result.work_friction = traveller.energy_out(std::min(all - (restitution - traveller.E_compression), 0.0));
    free_.push(&traveller);
  }
  void leave_to_scalar(Traveller& traveller) {
    solve_scalar(traveller.index);
    free_.push(&traveller);
  }
  void solve_scalar(std::size_t i) {
    if (const auto answer = answer_without_impact(problems_[i]))
      results_[i] = *answer;
    else
      results_[i] = ExactImpact(problems_[i], law_).run();
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
