#include <algorithm>
#include <cmath>

#include "sim/energy_audit.hpp"
#include "sim/world_run.hpp"
#include "visviva/variational/world.hpp"

namespace visviva::sim {

namespace {

/// Follows the momentum through a run.
class MomentumAudit {
 public:
  void look(const variational::World::Account& account) {
    linear_scale_ = std::max(linear_scale_, account.linear_scale);
    angular_scale_ = std::max(angular_scale_, account.angular_scale);
    raise(linear_, account.linear_residual.norm(), linear_scale_);
    raise(angular_, account.angular_residual.norm(), angular_scale_);
  }

  void report(model::RunSummary& summary) const {
    summary.linear_momentum_error = linear_;
    summary.angular_momentum_error = angular_;
  }

 private:
  static void raise(Real& largest, Real error, Real scale) {
    if (scale > 0) largest = std::max(largest, error / scale);
  }

  Real linear_scale_ = 0, angular_scale_ = 0;
  Real linear_ = 0, angular_ = 0;
};

class VariationalRun final : public WorldRun {
 public:
  VariationalRun(const model::Model& model, Observer& observer, TaskSystem* tasks)
      : world_(model, tasks), energy_(world_.energies()), observer_(observer) {
    summary_.scene = model.name;
    summary_.stepper = "variational";
    summary_.bodies = static_cast<std::int64_t>(model.bodies.size());
  }

  void show_frame() override {
    if (shown_ == world_.time()) return;
    shown_ = world_.time();
    model::Energies energies = world_.energies();
    energies.penetration = world_.deepest_overlap();
    const variational::World::Account account = world_.account();
    energy_.look(energies, account.energy_change);
    momentum_.look(account);
    summary_.energy_final = energies.total();
    is_finite_ = std::isfinite(energies.total());
    summary_.max_penetration = std::max(summary_.max_penetration, energies.penetration);
    observer_.on_frame(world_.frame(), energies);
  }

  void step() override {
    report_ = world_.step();
    summary_.collisions += report_.impacts;
    for (const model::Event& event : world_.take_events()) {
      summary_.energy_added_by_contacts += std::max(Real(0), -event.energy_lost);
      if (summary_.first_events.size() < kFirstEvents) summary_.first_events.push_back(event);
      observer_.on_event(event);
    }
  }

  [[nodiscard]] bool stopped() const override { return report_.stopped || !is_finite_; }
  [[nodiscard]] Real time() const override { return world_.time(); }

  [[nodiscard]] model::RunSummary finish(bool interrupted) override {
    energy_.report(summary_);
    momentum_.report(summary_);
    summary_.steps = world_.steps();
    summary_.simulated_time = world_.time();
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
  EnergyAudit energy_;
  MomentumAudit momentum_;
  Observer& observer_;
  variational::StepReport report_;
  model::RunSummary summary_;
  Real shown_ = -1;  // time of the last frame [s]
  bool is_finite_ = true;
};

}  // namespace

std::unique_ptr<WorldRun> make_variational_run(const model::Model& model, Observer& observer, TaskSystem* tasks) {
  return std::make_unique<VariationalRun>(model, observer, tasks);
}

}  // namespace visviva::sim
