#pragma once

#include "visviva/lab/world.hpp"

namespace visviva::lab {

/// Where the parts of the velocity equation are taken, which is what tells the integrators apart.
struct Evaluation {
  const State& start;     ///< velocities from which the sub-step starts, and the errors C(q) that it has
  const State& place;     ///< J, M
  const State& forces;    ///< f
  Real theta = 1;         ///< rows that hold an equation ask for J (u + θ Δu): ½ of the midpoint rules
  bool predicts = false;  ///< velocity errors are those of C predicted at t + h
};

struct VelocityStep {
  VecX u;        ///< at the end of the sub-step
  VecX by_rows;  ///< M⁻¹ Jᵀ λ, the part of the change that the rows made
};

/// One sub-step of a world. Each stage stands in the file of its name.
struct Substep {
  World& world;
  Real h;  ///< [s]
  StepReport& report;

  void integrate();           // by the integrator of the settings
  void project_velocities();  // of the midpoint rules
  void substep_soft();        // instead of it, by one soft pass
  void project_positions();   // of Stabilisation::Post
  void finish();              // memories of joints, reactions, what breaks

  [[nodiscard]] VelocityStep solve_velocities(const Evaluation& at);
  /// Newton's method (Broyden 1965) on u = next(u); `next` is called once an iteration.
  [[nodiscard]] VecX solve_implicit(const VecX& first, const std::function<VecX(const VecX&)>& next);
  /// Impulses of the last sub-step for these rows, zero for new ones.
  [[nodiscard]] VecX warm_start(const std::vector<Row>& rows) const;
  void keep_impulses(std::vector<Row> rows, VecX lambda);
};

/// Contacts of all pairs of shapes within their margin, for a step of length h.
[[nodiscard]] std::vector<Contact> find_contacts(const System& system, const State& state, const Settings& settings,
                                                 Real h);

/// Rows at a state: of joints that are not broken, of the user, of contacts.
[[nodiscard]] std::vector<Row> collect_rows(const System& system, const State& state, Real h,
                                            std::vector<constraint::JointMemory>& memories,
                                            const std::vector<bool>& broken, const std::vector<Contact>& contacts);

/// How many of the rows that hold equations say what others say, at poses near this one that satisfy them all.
/// At a pose with errors such rows contradict each other a little, and exactly solved they would hold a mechanism fast
/// that can move; so their number is taken where there are none.                           [theory/constraints.md (11)]
[[nodiscard]] int count_redundant(const World& world, const State& state);

/// Part of an error that a sub-step takes out.
[[nodiscard]] Real error_reduction(const Settings& settings, Real h);

/// What aim_rows needs beside the rows.
struct AimInput {
  const Settings& settings;
  Real h;
  Real theta;
  bool predicts;
  const VecX& u0;  ///< at the start
  const VecX& ue;  ///< v_e
  VecX error;      ///< C at the start, of each row
  VecX predicted;  ///< C at t + h under u0 + ue; empty if not needed
  VecX rate;       ///< J̇ v - l̈; empty if not needed
};
/// η and ε of each row; rows that never act get bounds of zero.
void aim_rows(const AimInput& input, Problem& problem);

/// ε and target of a row that is a damped spring; false if it never acts.
[[nodiscard]] bool soften_row(const Row& row, Real error, Real response, Real h, Real& epsilon, Real& target);
/// Velocity that a hard one-sided row asks for at least.
[[nodiscard]] Real limit_target(const Row& row, Real error, Real push_rate, const Settings& settings, Real h,
                                Real velocity_start, Real velocity_free);

}  // namespace visviva::lab
