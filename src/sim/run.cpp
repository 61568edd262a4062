#include "visviva/sim/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/world_run.hpp"
#include "visviva/core/error.hpp"
#include "visviva/core/timer.hpp"
#include "visviva/dynamics/from_model.hpp"
#include "visviva/variational/world.hpp"

namespace visviva::sim {

namespace {

/// Steps of a run at most: beyond it the times of steps would not differ in double.
constexpr Real kMaxSteps = 1e15;

/// Steps between two frames.
std::int64_t frame_stride(const model::Model& model) {
  return static_cast<std::int64_t>(std::clamp(std::round(model.frame_interval / model.stepper.dt()), 1.0, kMaxSteps));
}

bool is_variational(const model::Model& model) { return model.stepper.kind == model::StepperKind::Variational; }

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
  return is_variational(model) ? variational::find_faults(model) : dynamics::find_faults(model);
}

model::RunSummary run(const model::Model& model, Observer& observer, const RunSettings& settings) {
  require(model.duration / model.stepper.dt() <= kMaxSteps, "scene '" + model.name + "'", "duration",
          "be at most 1e15 steps", model.duration);
  const Timer timer;
  const std::unique_ptr<WorldRun> run =
      is_variational(model) ? make_variational_run(model, observer, settings.tasks)
                            : make_realtime_run(model, observer, settings.tasks, settings.most_contacts);
  const std::int64_t steps = step_count(model);
  const std::int64_t stride = frame_stride(model);
  run->show_frame();
  bool interrupted = false;
  Real step_seconds = 0;
  for (std::int64_t i = 1; i <= steps && !run->stopped(); ++i) {
    interrupted = settings.should_stop && settings.should_stop();
    const Timer step_timer;
    if (!interrupted) run->step();
    step_seconds += step_timer.seconds();
    if (interrupted || run->stopped() || i == steps || i % stride == 0) run->show_frame();
    if (interrupted) break;
    if (settings.on_step) settings.on_step(run->time());
  }
  model::RunSummary summary = run->finish(interrupted);
  summary.wall_seconds = timer.seconds();
  summary.step_seconds = step_seconds;
  return summary;
}

}  // namespace visviva::sim
