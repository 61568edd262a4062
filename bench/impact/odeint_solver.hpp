#pragma once

#include "visviva/impact/problem.hpp"
#include "visviva/impact/settings.hpp"

namespace visviva::bench {

/// What Boost.odeint offers for (31), as a user of it would choose.
enum class OdeintMethod {
  DenseDopri5,       ///< Dormand–Prince 5(4), dense output: events on the interpolant
  ControlledDopri5,  ///< the same without dense output: odeint's adaptive default
  CashKarp54,        ///< adaptive Runge–Kutta
  Fehlberg78,        ///< adaptive Runge–Kutta of high order
  RungeKutta4,       ///< fixed step
};

struct OdeintSettings {
  OdeintMethod method = OdeintMethod::DenseDopri5;
  impact::Law law = impact::Law::Stronge;
  /// Of velocities over |v-|, and of impulses and work likewise without unit [-].
  Real absolute = 1e-10;
  Real relative = 1e-10;
  /// Of Iz, in units of |v-| / W33; the first step of the adaptive methods [-].
  Real step = 0.02;
};

struct OdeintResult {
  bool solved = false;
  Vec3 impulse = Vec3::Zero();  ///< [N s]
  Real work_compression = 0;    ///< normal work [J]
  Real work_restitution = 0;    ///< normal work [J]
  int steps = 0;
};

/// Slip by odeint, with c, r and s located; straight slip, stick and resumed slip by closed form.
/// W positive definite, vz < 0.
[[nodiscard]] OdeintResult solve_odeint(const impact::ImpactProblem& problem, const OdeintSettings& settings = {});

}  // namespace visviva::bench
