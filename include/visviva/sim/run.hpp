#pragma once

#include <functional>
#include <string>
#include <vector>

#include "visviva/model/model.hpp"
#include "visviva/model/run.hpp"

namespace visviva {
class TaskSystem;
}

/// The one door: a model in, frames and events out.
namespace visviva::sim {

/// All that is wrong with a model for the stepper that it names: its own faults, or else what the stepper cannot do.
[[nodiscard]] std::vector<model::Fault> find_faults(const model::Model& model);

/// Receives a run as it goes. References are valid during the call only.
class Observer {
 public:
  virtual ~Observer() = default;
  /// At the start, then every frame_interval (every step, if that is 0), and at the end.
  virtual void on_frame(const model::Frame& /*frame*/, const model::Energies& /*energies*/) {}
  virtual void on_event(const model::Event& /*event*/) {}
};

struct RunSettings {
  TaskSystem* tasks = nullptr;  ///< threads; the result does not depend on it
  /// Points of lasting contacts that a frame tells at most: those with the largest forces. 0: they are only counted.
  std::size_t most_contacts = 2000;
  /// Asked before each step; true ends the run with RunStatus::Interrupted and all that was computed.
  std::function<bool()> should_stop;
  /// Told the simulated time [s] after each step.
  std::function<void(Real)> on_step;
};

/// Runs the model for its duration, rounded up to whole steps. Throws InvalidArgument if it has faults.
model::RunSummary run(const model::Model& model, Observer& observer, const RunSettings& settings = {});

/// Steps that a run of this model takes.
[[nodiscard]] std::int64_t step_count(const model::Model& model);

}  // namespace visviva::sim
