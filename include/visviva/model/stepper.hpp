#pragma once

#include <optional>

#include "visviva/math/types.hpp"

namespace visviva::model {

enum class StepperKind { Variational, Realtime };

enum class Flow {
  Exact,        ///< closed form between impacts; dt is only the spacing of checks and frames
  Variational,  ///< discrete Moser–Veselov in steps of dt                                          [lgvci (70)]
};
enum class RetractionKind { Cayley, Exponential };
/// What an impact makes of contacts that its bodies have already.
enum class Propagation {
  Sequential,    ///< nothing at once: they answer after it, one after the other, each with its own restitution
  Simultaneous,  ///< they take part in it: all are solved together
};
enum class OnZeno {
  Stop,  ///< the run ends, with time, body and reason
  Rest,  ///< a body whose bounces have died out and which is in equilibrium is put to rest until something hits it
};

/// Settings of the event-driven world.
struct VariationalSettings {
  Real dt = 0.01;  ///< > 0 [s]
  Flow flow = Flow::Exact;
  RetractionKind retraction = RetractionKind::Cayley;
  int order = 2;  ///< of the variational flow: 2, or 4 with modified inertia
  OnZeno on_zeno = OnZeno::Stop;
  int max_impacts_per_step = 10000;  ///< of one body in one dt; beyond it is Zeno
};

/// Settings of the real-time world. What is not given is what dynamics::WorldSettings has, which says more of each.
struct RealtimeSettings {
  Real dt = 1.0 / 60;                         ///< > 0 [s]
  std::optional<int> substeps;                ///< >= 1
  std::optional<int> relax_iterations;        ///< >= 0
  std::optional<Real> contact_frequency;      ///< > 0 [Hz]
  std::optional<Real> contact_damping_ratio;  ///< > 0 [-]
  std::optional<Real> max_push_velocity;      ///< > 0 [m/s]
  std::optional<Real> margin;                 ///< > 0 [m]
  std::optional<Real> impact_speeds;          ///< > 0 [-]
  std::optional<Propagation> propagation;
  std::optional<bool> sleeping;
  std::optional<int> max_pieces;        ///< of all breakables, >= 1
  std::optional<Real> debris_mass;      ///< >= 0 [kg]
  std::optional<Real> debris_lifetime;  ///< >= 0 [s]
  std::optional<int> max_debris;        ///< >= 0
  bool ledger = true;                   ///< of energy: what a scene gives is recorded, and worth the tenth of a step
};

/// Both are kept, so that one word changes the clock.
struct StepperDesc {
  StepperKind kind = StepperKind::Variational;
  VariationalSettings variational;
  RealtimeSettings realtime;

  [[nodiscard]] Real dt() const { return kind == StepperKind::Variational ? variational.dt : realtime.dt; }
};

}  // namespace visviva::model
