#include "bench/variational/variational_benchmark.hpp"

#include <cmath>
#include <cstdlib>
#include <memory>

#include "bench/measure.hpp"
#include "bench/variational/runge_kutta.hpp"
#include "bench/variational/systems.hpp"
#include "visviva/core/timer.hpp"
#include "visviva/math/so3.hpp"
#include "visviva/motion/exact_rotation.hpp"
#include "visviva/variational/world.hpp"

namespace visviva::bench {
namespace {

using motion::BodyState;
using variational::BounceFlow;
using variational::Bouncer;
using variational::BounceSettings;

constexpr Real kStep = 0.01;       // [s]
constexpr int kBatch = 100;        // steps without a collision that are timed together, at least
constexpr Real kNudge = 1e-9;      // between starts of an ensemble [m]
constexpr Real kHigh = 1e4;        // no plane is met in a second of flight from there [m]
constexpr Real kStepRatio = 0.75;  // between the steps of Runge and Kutta that are tried
// Past the least error rounding grows as 1/√h: these many steps that are no better end the search.
constexpr int kStepsPastLeast = 3;
constexpr Real kSameError = 2;  // factor by which errors of rounding differ from run to run
// Timing needs no more steps than this, however fine they are.
constexpr std::int64_t kMaxTimedSteps = 400'000;

// ------------------------------------------------------------------------------- one interface for three steppers

struct BouncerStepper {
  BouncerStepper(const BounceSystem& system, const BounceSettings& settings)
      : bouncer(system.body, system.start, settings) {}
  int step() {
    bouncer.step();
    return static_cast<int>(bouncer.collisions().size());
  }
  [[nodiscard]] BodyState state() const { return bouncer.state(); }
  Bouncer bouncer;
};

struct RungeKuttaStepper {
  RungeKuttaStepper(const BounceSystem& system, Real h) : bouncer(system.body, system.start, h) {}
  int step() {
    bouncer.step();
    return bouncer.collisions();
  }
  [[nodiscard]] BodyState state() const { return bouncer.state(); }
  RungeKuttaBouncer bouncer;
};

struct WorldStepper {
  WorldStepper(const BounceSystem& system, model::Flow flow) : world(to_model(system, flow)), mass(system.body.mass) {}
  int step() {
    const int impacts = world.step().impacts;
    if (impacts > 0) (void)world.take_events();
    return impacts;
  }
  [[nodiscard]] BodyState state() const {
    const model::BodyFrame body = world.frame().bodies.at(0);
    const Mat3 R = rotation_from_quaternion(body.q);
    return {body.x, R, mass.mass * body.v, mass.J * (R.transpose() * body.w)};
  }
  variational::World world;
  motion::BodyMass mass;
};

// ------------------------------------------------------------------------------- errors

/// Largest relative error of the energy over a run.
template <class Make>
Real energy_error(const BounceSystem& system, const Make& make, std::int64_t steps) {
  auto stepper = make(system);
  const motion::BodyMass& mass = system.body.mass;
  Real E0 = 0, scale = 0, worst = 0;
  for (std::int64_t i = 0; i <= steps; ++i) {
    if (i > 0) stepper.step();
    const BodyState s = stepper.state();
    const Real kinetic = kinetic_translation(mass, s) + kinetic_rotation(mass, s);
    const Real potential = -mass.mass * system.body.gravity.dot(s.x);
    if (i == 0) E0 = kinetic + potential;
    scale = std::max({scale, std::abs(E0), kinetic, std::abs(potential)});
    worst = std::max(worst, std::abs(kinetic + potential - E0) / scale);
  }
  return worst;
}

/// Median of that over nearby starts: collisions are chaotic.
template <class Make>
Real typical_energy_error(const BounceSystem& system, const Make& make, std::int64_t steps, int starts) {
  std::vector<Real> errors;
  for (int k = 0; k < starts; ++k) {
    BounceSystem nudged = system;
    nudged.start.x.z() += kNudge * k;
    errors.push_back(energy_error(nudged, make, steps));
  }
  return quantile(errors, 0.5);
}

template <class Make>
Real attitude_error(const BounceSystem& system, const Make& make, Real h) {
  BounceSystem high = system;
  high.start.x.z() += kHigh;
  auto stepper = make(high);
  const std::int64_t steps = std::llround(1 / h);
  for (std::int64_t i = 0; i < steps; ++i) stepper.step();
  const motion::ExactRotation exact(system.body.mass.J, system.start.R, system.start.Pi);
  const Mat3 turn = exact.at(static_cast<Real>(steps) * h).R.transpose() * stepper.state().R;
  return (turn - turn.transpose()).norm() / std::sqrt(8.0);  // sine of the angle, which is small
}

// ------------------------------------------------------------------------------- times

/// Times of the parts of one run: they are the same parts in each repeat.
struct Parts {
  std::vector<Real> step_ns;            // a step, mean of each batch
  std::vector<Real> collision_step_ns;  // each step with a collision
};

/// Where the collisions of a run are.
struct Schedule {
  std::vector<std::int64_t> steps;
  std::vector<int> collisions;
};

template <class Make>
Schedule find_collisions(const BounceSystem& system, const Make& make, std::int64_t steps) {
  Schedule schedule;
  auto stepper = make(system);
  for (std::int64_t i = 0; i < steps; ++i)
    if (const int collisions = stepper.step(); collisions > 0) {
      schedule.steps.push_back(i);
      schedule.collisions.push_back(collisions);
    }
  return schedule;
}

template <class Make>
Parts time_parts(const BounceSystem& system, const Make& make, std::int64_t steps, const Schedule& schedule,
                 const Ticks& clock) {
  Parts parts;
  auto stepper = make(system);
  Real batch_ns = 0;
  std::int64_t batch = 0, i = 0;
  const auto time_flight = [&](std::int64_t end) {
    while (i < end) {
      const std::int64_t last = std::min(end, i + kBatch);
      batch += last - i;
      const std::uint64_t from = ticks();
      for (; i < last; ++i) stepper.step();
      batch_ns += clock.ns(from, ticks());
      if (batch < kBatch) continue;
      parts.step_ns.push_back(batch_ns / static_cast<Real>(batch));
      batch_ns = 0;
      batch = 0;
    }
  };
  for (const std::int64_t collision : schedule.steps) {
    time_flight(collision);
    const std::uint64_t from = ticks();
    stepper.step();
    parts.collision_step_ns.push_back(clock.ns(from, ticks()));
    ++i;
  }
  time_flight(steps);
  return parts;
}

template <class Make>
Real time_whole(const BounceSystem& system, const Make& make, std::int64_t steps) {
  auto stepper = make(system);
  const ThreadCpuTimer timer;
  for (std::int64_t i = 0; i < steps; ++i) stepper.step();
  return 1e9 * timer.seconds();
}

/// The median of each part over the repeats.
std::vector<Real> medians(const std::vector<Parts>& repeats, std::vector<Real> Parts::*field) {
  std::vector<Real> result;
  for (std::size_t i = 0; i < (repeats.front().*field).size(); ++i) {
    std::vector<Real> times;
    for (const Parts& repeat : repeats) times.push_back((repeat.*field)[i]);
    result.push_back(quantile(times, 0.5));
  }
  return result;
}

Spread spread(std::vector<Real> values) {
  if (values.empty()) return {};
  Real sum = 0;
  for (const Real value : values) sum += value;
  return {quantile(values, 0.5), sum / static_cast<Real>(values.size()), quantile(values, 0.99)};
}

// ------------------------------------------------------------------------------- contest

/// One method on one system.
class Contestant {
 public:
  virtual ~Contestant() = default;
  virtual void time_once(const Ticks& clock) = 0;
  [[nodiscard]] virtual BounceTiming timing() const = 0;
};

template <class Make>
class ContestantOf : public Contestant {
 public:
  /// `row` has names, step and energy error.
  ContestantOf(const BounceSystem& system, BounceTiming row, Make make, std::int64_t steps)
      : system_(system), row_(std::move(row)), make_(std::move(make)), steps_(std::min(steps, kMaxTimedSteps)) {
    row_.attitude_error = attitude_error(system, make_, row_.h);
    schedule_ = find_collisions(system, make_, steps_);
    for (const int count : schedule_.collisions) row_.collisions += count;
  }

  void time_once(const Ticks& clock) override {
    whole_ns_.push_back(time_whole(system_, make_, steps_));
    repeats_.push_back(time_parts(system_, make_, steps_, schedule_, clock));
  }

  [[nodiscard]] BounceTiming timing() const override {
    BounceTiming row = row_;
    row.ns_per_step = spread(medians(repeats_, &Parts::step_ns));
    std::vector<Real> extra = medians(repeats_, &Parts::collision_step_ns);
    for (std::size_t i = 0; i < extra.size(); ++i)
      extra[i] = (extra[i] - row.ns_per_step.median) / schedule_.collisions[i];
    row.ns_per_collision = spread(extra);
    std::vector<Real> whole = whole_ns_;
    row.ns_per_simulated_second = quantile(whole, 0.5) / (static_cast<Real>(steps_) * row.h);
    return row;
  }

 private:
  const BounceSystem& system_;
  BounceTiming row_;
  Make make_;
  std::int64_t steps_;
  Schedule schedule_;
  std::vector<Parts> repeats_;
  std::vector<Real> whole_ns_;
};

struct StepError {
  Real h, energy_error;
};

class SystemContest {
 public:
  SystemContest(const BounceSystem& system, const VariationalBenchmarkSettings& settings)
      : system_(system), settings_(settings) {}

  void run(const Ticks& clock, VariationalBenchmark& benchmark) {
    enter_ours();
    const std::size_t ours = contestants_.size();
    enter_runge_kutta();
    enter_world("world_variational", model::Flow::Variational);
    enter_world("world_exact", model::Flow::Exact);
    for (int repeat = 0; repeat < settings_.repeats; ++repeat)
      for (const auto& contestant : contestants_) contestant->time_once(clock);
    std::vector<BounceTiming> rows;
    for (const auto& contestant : contestants_) rows.push_back(contestant->timing());
    for (std::size_t i = 0; i < ours; ++i) benchmark.ratios.push_back(ratio(rows[i], rows));
    benchmark.results.insert(benchmark.results.end(), rows.begin(), rows.end());
  }

 private:
  /// Takes the time of steps of h; their energy error is found if it is not given. Returns the error.
  template <class Make>
  Real enter(const std::string& method, Real h, const Make& make, Real known_error = -1) {
    BounceTiming row;
    row.system = system_.name;
    row.method = method;
    row.h = h;
    const std::int64_t steps = steps_of(h);
    row.energy_error = known_error >= 0 ? known_error : typical_energy_error(system_, make, steps, settings_.starts);
    contestants_.push_back(std::make_unique<ContestantOf<Make>>(system_, row, make, steps));
    return row.energy_error;
  }

  void enter_bouncer(const std::string& method, const BounceSettings& settings) {
    const auto make = [settings](const BounceSystem& system) { return BouncerStepper(system, settings); };
    our_errors_.push_back(enter(method, settings.h, make));
  }

  void enter_ours() {
    BounceSettings settings;
    settings.h = kStep;
    enter_bouncer("variational_cayley", settings);
    BounceSettings other = settings;
    other.retraction = motion::Retraction::Exponential;
    enter_bouncer("variational_exponential", other);
    other = settings;
    other.flow = BounceFlow::VariationalOrder4;
    enter_bouncer("variational_order4", other);
    other = settings;
    other.flow = BounceFlow::Exact;
    enter_bouncer("exact", other);
    other = settings;
    other.root = variational::ImpactRoot::Bisection;
    enter_bouncer("variational_cayley_bisection", other);
  }

  void enter_world(const std::string& method, model::Flow flow) {
    enter(method, kStep, [flow](const BounceSystem& system) { return WorldStepper(system, flow); });
  }

  static auto runge_kutta(Real h) {
    return [h](const BounceSystem& system) { return RungeKuttaStepper(system, h); };
  }

  void enter_runge_kutta() {
    find_runge_kutta_errors();
    enter_runge_kutta("rk4", tried_.front());
    std::vector<Real> steps;
    for (const Real error : our_errors_) steps.push_back(equal_error(error).h);
    for (const StepError& tried : tried_)
      if (std::find(steps.begin(), steps.end(), tried.h) != steps.end()) enter_runge_kutta("rk4_equal_error", tried);
  }

  void enter_runge_kutta(const std::string& method, const StepError& tried) {
    enter(method, tried.h, runge_kutta(tried.h), tried.energy_error);
  }

  /// From the step of ours, for with larger ones impacts are missed, down to where rounding grows.
  void find_runge_kutta_errors() {
    const Real wanted = *std::min_element(our_errors_.begin(), our_errors_.end());
    Real least = std::numeric_limits<Real>::infinity();
    int past_least = 0;
    for (Real h = kStep; h >= settings_.least_step && past_least < kStepsPastLeast && least > wanted; h *= kStepRatio) {
      const Real error = typical_energy_error(system_, runge_kutta(h), steps_of(h), settings_.starts);
      tried_.push_back({h, error});
      past_least = error < least ? 0 : past_least + 1;
      least = std::min(least, error);
    }
  }

  /// The largest step with at most this error. If none has it, the largest one with about the least error.
  [[nodiscard]] StepError equal_error(Real error) const {
    const auto at_most = [&](Real limit) {
      return std::find_if(tried_.begin(), tried_.end(), [&](const StepError& t) { return t.energy_error <= limit; });
    };
    if (const auto found = at_most(error); found != tried_.end()) return *found;
    Real least = std::numeric_limits<Real>::infinity();
    for (const StepError& tried : tried_) least = std::min(least, tried.energy_error);
    return *at_most(kSameError * least);
  }

  [[nodiscard]] EqualErrorRatio ratio(const BounceTiming& ours, const std::vector<BounceTiming>& rows) const {
    const StepError equal = equal_error(ours.energy_error);
    EqualErrorRatio r;
    r.system = ours.system;
    r.method = ours.method;
    r.energy_error = ours.energy_error;
    r.ns_per_simulated_second = ours.ns_per_simulated_second;
    r.rk4_h = equal.h;
    r.rk4_energy_error = equal.energy_error;
    r.reached = equal.energy_error <= ours.energy_error;
    for (const BounceTiming& row : rows)
      if (row.method == "rk4_equal_error" && row.h == equal.h)
        r.rk4_ns_per_simulated_second = row.ns_per_simulated_second;
    r.ratio = r.rk4_ns_per_simulated_second / r.ns_per_simulated_second;
    return r;
  }

  [[nodiscard]] std::int64_t steps_of(Real h) const {
    return std::llround(static_cast<Real>(settings_.steps) * kStep / h);
  }

  const BounceSystem& system_;
  const VariationalBenchmarkSettings& settings_;
  std::vector<std::unique_ptr<Contestant>> contestants_;
  std::vector<Real> our_errors_;
  std::vector<StepError> tried_;  // from the largest step down
};

}  // namespace

VariationalBenchmarkSettings quick_variational_benchmark() {
  VariationalBenchmarkSettings settings;
  settings.steps = 5000;
  settings.repeats = 3;
  settings.starts = 1;
  return settings;
}

VariationalBenchmark run_variational_benchmark(
    const VariationalBenchmarkSettings& settings,
    const std::function<void(std::size_t done, std::size_t whole)>& on_progress) {
  VariationalBenchmark benchmark;
  benchmark.simulated_time = static_cast<Real>(settings.steps) * kStep;
  Real load[1] = {0};
  if (getloadavg(load, 1) == 1) benchmark.load = load[0];
  const Ticks clock;
  const std::vector<BounceSystem> systems = lgvci_systems();
  for (std::size_t i = 0; i < systems.size(); ++i) {
    SystemContest(systems[i], settings).run(clock, benchmark);
    if (on_progress) on_progress(i + 1, systems.size());
  }
  return benchmark;
}

}  // namespace visviva::bench
