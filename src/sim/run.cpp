#include "visviva/sim/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "visviva/core/error.hpp"
#include "visviva/core/timer.hpp"
#include "visviva/variational/world.hpp"

namespace visviva::sim {

namespace {

constexpr std::size_t kFirstEvents = 20;

/// Steps of a run at most: beyond it the times of steps would not differ in double.
constexpr Real kMaxSteps = 1e15;

/// Steps between two frames.
std::int64_t frame_stride(const model::Model& model) {
  return static_cast<std::int64_t>(std::clamp(std::round(model.frame_interval / model.stepper.dt()), 1.0, kMaxSteps));
}

/// Follows energy and momentum through a run.
class Auditor {
 public:
  explicit Auditor(const variational::World& world) : initial_(world.energies()) {}

  void look(const variational::World& world, const model::Energies& now) {
    const variational::World::Account account = world.account();
    const Real kinetic = now.kinetic_translation + now.kinetic_rotation;
    largest_energy_ = std::max({largest_energy_, std::abs(initial_.total()), kinetic, std::abs(now.potential)});
    linear_scale_ = std::max(linear_scale_, account.linear_scale);
    angular_scale_ = std::max(angular_scale_, account.angular_scale);
    // The terms cancel in the difference before they are added up.
    const Real change = (now.kinetic_translation - initial_.kinetic_translation) +
                        (now.kinetic_rotation - initial_.kinetic_rotation) + (now.potential - initial_.potential);
    raise(energy_, std::abs(change - account.energy_change), largest_energy_);
    raise(linear_, account.linear_residual.norm(), linear_scale_);
    raise(angular_, account.angular_residual.norm(), angular_scale_);
  }

  void report(model::RunSummary& summary) const {
    summary.energy_initial = initial_.total();
    summary.energy_max_relative_error = energy_;
    summary.linear_momentum_error = linear_;
    summary.angular_momentum_error = angular_;
  }

 private:
  static void raise(Real& largest, Real error, Real scale) {
    if (scale > 0) largest = std::max(largest, error / scale);
  }

  model::Energies initial_;
  Real largest_energy_ = 0, linear_scale_ = 0, angular_scale_ = 0;
  Real energy_ = 0, linear_ = 0, angular_ = 0;
};

/// One run of the variational world.
class Run {
 public:
  Run(const model::Model& model, Observer& observer, TaskSystem* tasks)
      : world_(model, tasks), auditor_(world_), observer_(observer) {
    summary_.scene = model.name;
    summary_.stepper = "variational";
    summary_.bodies = static_cast<std::int64_t>(model.bodies.size());
  }

  void show_frame() {
    if (shown_ == world_.time()) return;
    shown_ = world_.time();
    model::Energies energies = world_.energies();
    energies.penetration = world_.deepest_overlap();
    auditor_.look(world_, energies);
    summary_.energy_final = energies.total();
    is_finite_ = std::isfinite(energies.total());
    summary_.max_penetration = std::max(summary_.max_penetration, energies.penetration);
    observer_.on_frame(world_.frame(), energies);
  }

  void step() {
    report_ = world_.step();
    summary_.collisions += report_.impacts;
    for (const model::Event& event : world_.take_events()) {
      summary_.energy_added_by_contacts += std::max(Real(0), -event.energy_lost);
      if (summary_.first_events.size() < kFirstEvents) summary_.first_events.push_back(event);
      observer_.on_event(event);
    }
  }

  [[nodiscard]] bool stopped() const { return report_.stopped || !is_finite_; }
  [[nodiscard]] Real time() const { return world_.time(); }

  model::RunSummary finish(bool interrupted, double seconds) {
    auditor_.report(summary_);
    summary_.steps = world_.steps();
    summary_.simulated_time = world_.time();
    summary_.wall_seconds = seconds;
    summary_.hash = world_.hash();
    if (!is_finite_) {
      summary_.status = model::RunStatus::Failed;
      summary_.reason = "the energy is beyond the range of numbers";
    } else if (stopped()) {
      summary_.status = report_.status;
      summary_.reason = report_.reason;
    } else if (interrupted) {
      summary_.status = model::RunStatus::Interrupted;
      summary_.reason = "the run was interrupted";
    }
    return summary_;
  }

 private:
  variational::World world_;
  Auditor auditor_;
  Observer& observer_;
  variational::StepReport report_;
  model::RunSummary summary_;
  Real shown_ = -1;  // time of the last frame [s]
  bool is_finite_ = true;
};

}  // namespace

std::int64_t step_count(const model::Model& model) {
  const Real steps = model.duration / model.stepper.dt();
  // A duration of whole steps may miss them by the rounding of the quotient.
  const Real whole = std::round(steps);
  return static_cast<std::int64_t>(std::abs(steps - whole) <= 1e-9 * whole ? whole : std::ceil(steps));
}

std::vector<model::Fault> find_faults(const model::Model& model) {
  std::vector<model::Fault> faults = model::find_faults(model);
  if (!faults.empty()) return faults;
  if (!(model.duration / model.stepper.dt() <= kMaxSteps))
    return {{"/duration", fmt::format("duration must be at most {:g} steps of dt = {:g} s, got {:g} s", kMaxSteps,
                                      model.stepper.dt(), model.duration)}};
  if (model.stepper.kind != model::StepperKind::Variational)
    return {{"/stepper/kind", "the real-time stepper is not part of this version; take 'variational'"}};
  return variational::find_faults(model);
}

model::RunSummary run(const model::Model& model, Observer& observer, const RunSettings& settings) {
  require(model.stepper.kind == model::StepperKind::Variational, "scene '" + model.name + "'", "stepper kind",
          "be 'variational'", "realtime");
  require(model.duration / model.stepper.dt() <= kMaxSteps, "scene '" + model.name + "'", "duration",
          "be at most 1e15 steps", model.duration);
  const Timer timer;
  Run run(model, observer, settings.tasks);
  const std::int64_t steps = step_count(model);
  const std::int64_t stride = frame_stride(model);
  run.show_frame();
  bool interrupted = false;
  for (std::int64_t i = 1; i <= steps && !run.stopped(); ++i) {
    interrupted = settings.should_stop && settings.should_stop();
    if (!interrupted) run.step();
    if (interrupted || run.stopped() || i == steps || i % stride == 0) run.show_frame();
    if (interrupted) break;
    if (settings.on_step) settings.on_step(run.time());
  }
  return run.finish(interrupted, timer.seconds());
}

}  // namespace visviva::sim
