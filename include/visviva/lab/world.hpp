#pragma once

#include <map>
#include <vector>

#include "visviva/lab/problem.hpp"

namespace visviva::lab {

/// Rows up to which the lab is of use (contacts and implicit rules have dense matrices); a run that needs more ends.
inline constexpr int kMostRows = 2000;

/// A point at which two bodies touch or nearly so, held for a step: its normal and levers stay, its gap follows the
/// bodies to first order in their turn.                                                       [theory/realtime.md (4)]
struct Contact {
  int a = kWorld, b = kWorld;
  Vec3 normal = Vec3::UnitZ();                ///< from A to B, world
  Vec3 tangents[2];                           ///< world
  Vec3 point = Vec3::Zero();                  ///< world [m]
  Vec3 ra = Vec3::Zero(), rb = Vec3::Zero();  ///< from the centres of mass [m]
  Real separation = 0;                        ///< at the start of the step [m]
  BodyMotion a0, b0;                          ///< of the bodies then
  Real friction = 0, restitution = 0;
  std::array<std::uint32_t, 4> key{};
};

/// What a step did.
struct StepReport {
  int rows = 0;         ///< most of a sub-step
  int iterations = 0;   ///< of the solver, all sub-steps together
  int evaluations = 0;  ///< of the equations of motion: more than one a sub-step for implicit rules
  Real residual = 0;    ///< largest of a sub-step, see lab::residual [m/s]
  bool converged = true;
  bool finite = true;  ///< of the state
};

struct Errors {
  Real linear = 0;       ///< largest of a joint or holonomic user row [m]
  Real angular = 0;      ///< likewise [rad]
  Real penetration = 0;  ///< of contacts of the last step [m]
};

/// Of a joint, on B; A takes the negative.
struct Reaction {
  Vec3 force = Vec3::Zero();   ///< world [N]
  Vec3 torque = Vec3::Zero();  ///< about the origin of J_B, world [N m]
};

class World {
 public:
  /// Throws InvalidArgument, naming object and field.
  World(System system, State state, const Settings& settings);

  /// h > 0 [s].
  StepReport step(Real h);

  [[nodiscard]] const System& system() const { return system_; }
  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] const State& state() const { return state_; }
  void set_state(const State& state);
  [[nodiscard]] Energy energy() const { return lab::energy(system_, state_); }

  /// At the state as it is.
  [[nodiscard]] Errors errors() const;
  [[nodiscard]] constraint::JointError joint_error(std::size_t joint) const;
  [[nodiscard]] Real coordinate(std::size_t joint, model::Axis axis) const;
  /// Mean of the last sub-step; zero of a broken joint.
  [[nodiscard]] Reaction reaction(std::size_t joint) const { return reactions_[joint]; }
  /// Whether its break_force, break_torque or break_impulse was met.
  [[nodiscard]] bool is_broken(std::size_t joint) const { return broken_[joint]; }

  /// Of the last step.
  [[nodiscard]] const std::vector<Contact>& contacts() const { return contacts_; }
  /// Rows and impulses of the last sub-step.
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  [[nodiscard]] const VecX& impulses() const { return lambda_; }

  /// Rows that say what others say, at poses near the start that satisfy all.
  [[nodiscard]] int redundant() const { return redundant_; }

  /// All rows at a state near this one; memories of joints stay as they are.
  [[nodiscard]] std::vector<Row> rows_at(const State& state, Real h) const;

 private:
  friend struct Substep;

  System system_;
  State state_;
  Settings settings_;
  std::vector<constraint::JointMemory> memories_;
  std::vector<bool> broken_;
  int redundant_ = 0;
  std::vector<Contact> contacts_;
  std::vector<Row> rows_;
  VecX lambda_;
  std::vector<Reaction> reactions_;
  std::map<std::array<std::uint32_t, 4>, Real> warm_;  ///< impulses of the last sub-step, by key
};

}  // namespace visviva::lab
