// As the real-time world does: one pass of sequential impulses in which joints and contacts are stiff damped springs,
// positions by its velocities, then a pass without push-out that takes the velocity of it away.
// [theory/realtime.md (2), (3)], [theory/constraints.md (19)]
#include <algorithm>

#include "lab/substep.hpp"

namespace visviva::lab {

using constraint::AtomRole;

namespace {

/// η and ε of all rows; `push` with the springs that hold joints and contacts, else without.
void aim_softly(const Settings& settings, Real h, const VecX& u0, const VecX& ue, bool push, Problem& problem) {
  const constraint::Softness joint =
      constraint::make_softness(std::min(settings.soft_frequency, 1 / (4 * h)), settings.soft_damping_ratio, h);
  const auto count = static_cast<Eigen::Index>(problem.rows.size());
  problem.eta.resize(count);
  problem.epsilon = VecX::Zero(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    Row& row = problem.rows[static_cast<std::size_t>(i)];
    const Real response = row_response(row, problem.masses);
    const Real Ju0 = row_velocity(row, u0), free = Ju0 + row_velocity(row, ue);
    const bool has_spring = row.spring.stiffness > 0 || row.spring.damping > 0 || row.spring.frequency > 0;
    Real target = row.bias;
    if (row.role == AtomRole::Lock || (row.role == AtomRole::Limit && !has_spring && row.error < 0)) {
      if (push) problem.epsilon[i] = response * joint.impulse_scale / joint.mass_scale;
      const Real rate = push ? joint.bias_rate : 0;
      target = row.role == AtomRole::Lock ? row.bias - rate * (row.holonomic ? row.error : 0)
                                          : limit_target(row, row.error, rate, settings, h, Ju0, free);
    } else if (row.role == AtomRole::Limit && row.error >= 0) {
      target = limit_target(row, row.error, 0, settings, h, Ju0, free);
    } else if ((has_spring || row.role == AtomRole::Spring) &&
               !soften_row(row, row.error, response, h, problem.epsilon[i], target)) {
      row.lower = row.upper = 0;
    }
    problem.eta[i] = target - row_velocity(row, problem.u);
  }
}

}  // namespace

void Substep::substep_soft() {
  const System& system = world.system_;
  const VecX u0 = velocities(world.state_);
  Problem problem;
  problem.masses = inverse_masses(system, world.state_);
  const VecX ue = external_velocity(system, world.state_, problem.masses, world.settings_.newton_euler, h);
  problem.u = u0 + ue;
  problem.rows = world.rows_at(world.state_, h);
  Settings one_pass = world.settings_;
  one_pass.iterations = 1;

  const auto solve = [&](bool push, const VecX& start) {
    aim_softly(world.settings_, h, u0, ue, push, problem);
    Solution solution = solve_sequential(problem, one_pass, start);
    report.iterations += solution.iterations;
    VecX u = problem.u;
    for (std::size_t i = 0; i < problem.rows.size(); ++i)
      apply_impulse(problem.rows[i], problem.masses, solution.lambda[static_cast<Eigen::Index>(i)], u);
    return std::pair(std::move(solution), std::move(u));
  };
  const auto [pushed, u_path] = solve(true, warm_start(problem.rows));
  State next = advance(world.state_, u_path, h, world.settings_.rotation);
  auto [relaxed, u] = solve(false, pushed.lambda);
  set_velocities(next, u);
  next.time = world.state_.time + h;
  world.state_ = next;
  report.residual = std::max(report.residual, relaxed.residual);
  report.evaluations += 1;
  keep_impulses(std::move(problem.rows), std::move(relaxed.lambda));
}

}  // namespace visviva::lab
