#pragma once

#include <memory>

#include "visviva/model/model.hpp"
#include "visviva/model/run.hpp"
#include "visviva/sim/run.hpp"

namespace visviva::sim {

/// A world on its way through a run. Each stepper has its own, in the file of its name.
class WorldRun {
 public:
  virtual ~WorldRun() = default;
  /// Tells the observer how things are; nothing, if it knows them.
  virtual void show_frame() = 0;
  /// One step, and the observer is told what happened.
  virtual void step() = 0;
  [[nodiscard]] virtual bool stopped() const = 0;  ///< the world cannot go on
  [[nodiscard]] virtual Real time() const = 0;     ///< [s]
  /// All but the times that the run took.
  [[nodiscard]] virtual model::RunSummary finish(bool interrupted) = 0;
};

[[nodiscard]] std::unique_ptr<WorldRun> make_variational_run(const model::Model& model, Observer& observer,
                                                             TaskSystem* tasks);
/// `most_contacts`: see RunSettings.
[[nodiscard]] std::unique_ptr<WorldRun> make_realtime_run(const model::Model& model, Observer& observer,
                                                          TaskSystem* tasks, std::size_t most_contacts);

/// Of a summary.
inline constexpr std::size_t kFirstEvents = 20;

}  // namespace visviva::sim
