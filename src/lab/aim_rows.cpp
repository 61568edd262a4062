#include <algorithm>
#include <cmath>

#include "lab/substep.hpp"
#include "visviva/math/elementary.hpp"

namespace visviva::lab {

using constraint::AtomRole;

Real error_reduction(const Settings& settings, Real h) {
  switch (settings.stabilisation) {
    case Stabilisation::None:
    case Stabilisation::Post:
      return 0;
    // β = 1 - (1 - ERP)^(1/n), n = 1/h steps a second                                                [havok II.3.3.2]
    case Stabilisation::Erp:
      return -visviva::expm1(h * visviva::log1p(-settings.erp));
    default:
      return settings.beta;
  }
}

bool soften_row(const Row& row, Real error, Real response, Real h, Real& epsilon, Real& target) {
  const constraint::Softness soft = constraint::soften(row.spring, response > 0 ? 1 / response : 0, h);
  if (!(soft.mass_scale > 0)) return false;
  epsilon = response * soft.impulse_scale / soft.mass_scale;  // theory/constraints.md (18)
  target = row.bias - soft.bias_rate * error;
  return true;
}

Real limit_target(const Row& row, Real error, Real push_rate, const Settings& settings, Real h, Real velocity_start,
                  Real velocity_free) {
  const bool meets = error + h * velocity_free < 0;
  if (row.restitution > 0 && meets && velocity_start < -settings.restitution_speed)
    return -row.restitution * velocity_start;
  if (error >= 0) return -error / h;  // a gap closes no faster than it is wide
  return std::min(-push_rate * error, settings.max_push_velocity);
}

namespace {

bool is_spring(const Row& row) {
  const constraint::SpringLaw& s = row.spring;
  return row.role == AtomRole::Spring || s.stiffness > 0 || s.damping > 0 || s.frequency > 0;
}

/// η of a row that holds an equation, by the stabilisation.
Real aim_lock(const AimInput& in, const Row& row, Eigen::Index i, Real Ju0, Real Jue) {
  const Settings& s = in.settings;
  const Real h = in.h, C = row.holonomic ? in.error[i] : 0;
  const Real push = -error_reduction(s, h) * C / h;
  if (s.stabilisation == Stabilisation::BaumgarteAcceleration)
    // J a = -J̇ v + l̈ - α (J v - l̇) - β C, times h                                    theory/constraints.md (15)
    return h * (-in.rate[i] - s.alpha * (Ju0 - row.bias) - s.beta_acceleration * C) - Jue;
  if (in.predicts && row.holonomic) return push - (in.predicted[i] - C) / h;  // theory/constraints.md (17)
  if (s.stabilisation == Stabilisation::VelocityScaling) return s.kappa * (row.bias - Ju0 - Jue) + push;
  return (row.bias + push - Ju0) / in.theta - Jue;  // theory/constraints.md (9)
}

}  // namespace

void aim_rows(const AimInput& in, Problem& problem) {
  const auto count = static_cast<Eigen::Index>(problem.rows.size());
  problem.eta.resize(count);
  problem.epsilon = VecX::Zero(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    Row& row = problem.rows[static_cast<std::size_t>(i)];
    const Real Ju0 = row_velocity(row, in.u0), Jue = row_velocity(row, in.ue);
    if (row.role == AtomRole::Lock) {
      problem.eta[i] = aim_lock(in, row, i, Ju0, Jue);
      if (in.settings.stabilisation == Stabilisation::Cfm) problem.epsilon[i] = in.settings.cfm;
      continue;
    }
    Real target = row.bias;
    if (row.role == AtomRole::Limit && (in.error[i] >= 0 || !is_spring(row))) {
      target =
          limit_target(row, in.error[i], error_reduction(in.settings, in.h) / in.h, in.settings, in.h, Ju0, Ju0 + Jue);
    } else if (is_spring(row) &&
               !soften_row(row, in.error[i], row_response(row, problem.masses), in.h, problem.epsilon[i], target)) {
      row.lower = row.upper = 0;
    }
    problem.eta[i] = target - Ju0 - Jue;
  }
}

}  // namespace visviva::lab
