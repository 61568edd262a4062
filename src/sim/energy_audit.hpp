#pragma once

#include <algorithm>
#include <cmath>

#include "visviva/model/run.hpp"

namespace visviva::sim {

/// Largest part of the energy that nothing explains, over a run.
class EnergyAudit {
 public:
  explicit EnergyAudit(const model::Energies& initial) : initial_(initial) {}

  /// `explained`: change of the energy since the start that is accounted for; NaN if nobody counted [J].
  void look(const model::Energies& now, Real explained) {
    const Real kinetic = now.kinetic_translation + now.kinetic_rotation;
    largest_energy_ = std::max({largest_energy_, std::abs(initial_.total()), kinetic, std::abs(now.potential)});
    // The terms cancel in the difference before they are added up.
    const Real change = (now.kinetic_translation - initial_.kinetic_translation) +
                        (now.kinetic_rotation - initial_.kinetic_rotation) + (now.potential - initial_.potential);
    if (std::isnan(explained)) is_known_ = false;
    if (largest_energy_ > 0) error_ = std::max(error_, std::abs(change - explained) / largest_energy_);
  }

  void report(model::RunSummary& summary) const {
    summary.energy_initial = initial_.total();
    summary.energy_max_relative_error = is_known_ ? error_ : model::kUnknown;
  }

 private:
  model::Energies initial_;
  Real largest_energy_ = 0, error_ = 0;
  bool is_known_ = true;
};

}  // namespace visviva::sim
