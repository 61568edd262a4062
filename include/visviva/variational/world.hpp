#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "visviva/model/model.hpp"
#include "visviva/model/run.hpp"

namespace visviva {
class TaskSystem;
}

namespace visviva::variational {

/// What this world cannot do of a model, with places: joints, shapes without convex pieces, bodies that overlap at the
/// start. Expects a model without faults of its own (model::find_faults).
[[nodiscard]] std::vector<model::Fault> find_faults(const model::Model& model);

struct StepReport {
  bool stopped = false;  ///< the world cannot go on; see `reason`
  std::string reason;    ///< "body 'ball' would hit 'ground' infinitely often …"
  int impacts = 0;
  model::RunStatus status = model::RunStatus::Completed;  ///< Zeno or Failed if stopped
};

/// Event-driven motion of rigid bodies: exact or variational flow between impacts, impacts located in time and solved
/// one by one. The step is only the grid on which the flow is anchored and impacts are looked for.
class World {
 public:
  /// Throws InvalidArgument if the model has faults. `tasks` may be used for the search of touches; the result does
  /// not depend on it.
  explicit World(const model::Model& model, TaskSystem* tasks = nullptr);
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  /// To the next multiple of dt. After a stop it does nothing.
  StepReport step();

  [[nodiscard]] Real time() const;  ///< [s]
  [[nodiscard]] std::int64_t steps() const;
  [[nodiscard]] model::Frame frame() const;
  [[nodiscard]] model::Energies energies() const;  ///< with the ledger, without the penetration
  /// What happened since the last call, in order.
  [[nodiscard]] std::vector<model::Event> take_events();

  /// What must have become of energy and momentum.
  struct Account {
    Real energy_change = 0;                ///< since the start, by impacts, rest and bodies of given motion [J]
    Vec3 linear_residual = Vec3::Zero();   ///< what of the momentum no impulse and no gravity explains: rounding [N s]
    Real linear_scale = 0;                 ///< Σ|γ| now [N s]
    Vec3 angular_residual = Vec3::Zero();  ///< likewise about the origin [N m s]
    Real angular_scale = 0;                ///< Σ(|x × γ| + |Π|) now [N m s]
  };
  [[nodiscard]] Account account() const;
  [[nodiscard]] Real deepest_overlap() const;  ///< now, of any pair; 0 if none overlaps [m]
  [[nodiscard]] std::uint64_t hash() const;    ///< of all states, bit for bit

  struct Data;

 private:
  std::unique_ptr<Data> data_;
};

}  // namespace visviva::variational
