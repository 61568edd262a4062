#include "bench/impact/odeint_solver.hpp"

#include <algorithm>
#include <array>
#include <boost/numeric/odeint/algebra/array_algebra.hpp>
#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/dense_output_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_cash_karp54.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#include <cmath>

#include "bench/impact/closed_forms.hpp"

#if defined(__GNUC__) && !defined(__clang__)
// odeint copies steppers whose scratch space has no value yet.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

// (31) is integrated for I⊥, of which γ = γ- + B I⊥ + Iz d is a linear function: with the normal
// work three unknowns, where γ, I⊥ and the work would be five. Everything is in units of |v-| and
// W33, so that one absolute tolerance fits all.
namespace visviva::bench {
namespace {

namespace odeint = boost::numeric::odeint;
using impact::Law;

using State = std::array<Real, 3>;  // Ix, Iy, normal work
using Algebra = odeint::array_algebra;
using Operations = odeint::default_operations;

constexpr int kMaxSteps = 1'000'000;

struct Slip {
  Real gx, gy, vz;
};

struct System {
  const Field<Real>* f;

  [[nodiscard]] Slip slip(const State& x, Real Iz) const {
    return {f->vx + f->B11 * x[0] + f->B12 * x[1] + f->d1 * Iz, f->vy + f->B12 * x[0] + f->B22 * x[1] + f->d2 * Iz,
            f->vz + f->d1 * x[0] + f->d2 * x[1] + f->W33 * Iz};
  }
  void operator()(const State& x, State& dxdt, Real Iz) const {
    const Slip s = slip(x, Iz);
    const Real r2 = s.gx * s.gx + s.gy * s.gy;
    const Real k = r2 > 0 ? -f->mu / std::sqrt(r2) : 0;
    dxdt = {k * s.gx, k * s.gy, s.vz};
  }
};

/// Steps with an interpolant.
class DenseOutput {
 public:
  DenseOutput(const System& system, const OdeintSettings& settings)
      : system_(system), stepper_(odeint::make_dense_output(settings.absolute, settings.relative, Stepper())) {
    stepper_.initialize(State{0, 0, 0}, 0, settings.step);
  }
  void advance() { stepper_.do_step(system_); }
  [[nodiscard]] Real from() const { return stepper_.previous_time(); }
  [[nodiscard]] Real to() const { return stepper_.current_time(); }
  [[nodiscard]] const State& start() const { return stepper_.previous_state(); }
  [[nodiscard]] const State& end() const { return stepper_.current_state(); }
  [[nodiscard]] State at(Real Iz) const {
    State x;
    stepper_.calc_state(Iz, x);
    return x;
  }
  /// The interpolant is of lower order than the step: what it found is confirmed by a step.
  [[nodiscard]] State confirmed_at(Real Iz) const {
    State x = start();
    Stepper().do_step(system_, x, from(), Iz - from());
    return x;
  }

 private:
  using Stepper = odeint::runge_kutta_dopri5<State, Real, State, Real, Algebra, Operations>;
  System system_;
  odeint::result_of::make_dense_output<Stepper>::type stepper_;
};

/// Adaptive steps without one: a point inside a step is a shorter step from its start.
template <class Stepper>
class Controlled {
 public:
  Controlled(const System& system, const OdeintSettings& settings)
      : system_(system),
        stepper_(odeint::make_controlled(settings.absolute, settings.relative, Stepper())),
        dt_(settings.step) {}
  void advance() {
    from_ = to_;
    start_ = end_;
    while (stepper_.try_step(system_, end_, to_, dt_) == odeint::fail) {
    }
  }
  [[nodiscard]] Real from() const { return from_; }
  [[nodiscard]] Real to() const { return to_; }
  [[nodiscard]] const State& start() const { return start_; }
  [[nodiscard]] const State& end() const { return end_; }
  [[nodiscard]] State at(Real Iz) const {
    State x = start_;
    Stepper stepper;
    stepper.do_step(system_, x, from_, Iz - from_);
    return x;
  }
  [[nodiscard]] State confirmed_at(Real Iz) const { return at(Iz); }

 private:
  System system_;
  typename odeint::result_of::make_controlled<Stepper>::type stepper_;
  Real dt_, from_ = 0, to_ = 0;
  State start_{0, 0, 0}, end_{0, 0, 0};
};

class Fixed {
 public:
  Fixed(const System& system, const OdeintSettings& settings) : system_(system), dt_(settings.step) {}
  void advance() {
    start_ = end_;
    from_ = to_;
    to_ = dt_ * ++count_;
    end_ = at(to_);
  }
  [[nodiscard]] Real from() const { return from_; }
  [[nodiscard]] Real to() const { return to_; }
  [[nodiscard]] const State& start() const { return start_; }
  [[nodiscard]] const State& end() const { return end_; }
  [[nodiscard]] State at(Real Iz) const {
    State x = start_;
    odeint::runge_kutta4<State, Real, State, Real, Algebra, Operations> stepper;
    stepper.do_step(system_, x, from_, Iz - from_);
    return x;
  }
  [[nodiscard]] State confirmed_at(Real Iz) const { return at(Iz); }

 private:
  System system_;
  Real dt_, from_ = 0, to_ = 0;
  int count_ = 0;
  State start_{0, 0, 0}, end_{0, 0, 0};
};

template <class Steps>
class OdeintImpact {
 public:
  OdeintImpact(const Field<Real>& f, const OdeintSettings& settings)
      : f_(f),
        system_{&f_},
        tolerance_(settings.absolute),
        at_rest_(std::max(0.01 * settings.absolute, 1e-14)),
        steps_(system_, settings) {
    p_.vz = f_.vz;
  }

  bool run(int& count) {
    if (f_.mu == 0 || (f_.vx == 0 && f_.vy == 0)) return finish_from(0, 0, 0);
    Slip before{f_.vx, f_.vy, f_.vz};
    if (finish_if_straight(before, 0, State{0, 0, 0})) return true;
    while (count < kMaxSteps) {
      ++count;
      steps_.advance();
      const State& x = steps_.end();
      const Slip s = system_.slip(x, steps_.to());
      if (passed_zero(before, s)) {
        move_to(steps_.from(), steps_.start(), before.vz);
        return finish_from(before.gx, before.gy, rate_of_slip(before));
      }
      Real from = steps_.from();
      if (p_.compressing && s.vz >= 0) {
        const Located c = locate(from, [this](const State&, const Slip& q) {
          return std::array{q.vz, f_.W33 - f_.mu * along_d(q)};
        });
        move_to(c.Iz, c.x, 0);
        p_.end_compression();
        from = c.Iz;
        if (!(f_.e > 0)) return true;
      }
      if (!p_.compressing && !(remaining(f_, p_, s.vz, steps_.to(), x[2]) > 0)) {
        const Located r = locate(from, [this](const State& y, const Slip& q) { return excess(y, q); });
        move_to(r.Iz, r.x, system_.slip(r.x, r.Iz).vz);
        return true;
      }
      if (finish_if_straight(s, steps_.to(), x)) return true;
      before = s;
    }
    return false;
  }

  [[nodiscard]] const Progress<Real>& progress() const { return p_; }

 private:
  void move_to(Real Iz, const State& x, Real vz) {
    p_.Ix = x[0];
    p_.Iy = x[1];
    p_.work = x[2];
    p_.Iz = Iz;
    p_.vz = vz;
  }
  [[nodiscard]] Real along_d(const Slip& s) const {
    return (f_.d1 * s.gx + f_.d2 * s.gy) / std::sqrt(s.gx * s.gx + s.gy * s.gy);
  }
  /// What is over the end of restitution, and its rate.
  [[nodiscard]] std::array<Real, 2> excess(const State& x, const Slip& s) const {
    if (f_.law == Law::Stronge) return {-remaining(f_, p_, s.vz, 0.0, x[2]), s.vz};
    return {-remaining(f_, p_, s.vz, Iz_, x[2]), f_.law == Law::Poisson ? 1 : f_.W33 - f_.mu * along_d(s)};
  }

  struct Located {
    Real Iz;
    State x;
  };
  /// The zero of a rising function in the current step after `from`: Newton's method in a bracket.
  template <class Function>
  Located locate(Real from, Function value_and_slope) {
    const auto evaluate = [&](Real Iz, const State& y) {
      Iz_ = Iz;
      return value_and_slope(y, system_.slip(y, Iz));
    };
    Real a = from, b = steps_.to();
    Real x = b;
    for (int i = 0; i < 60; ++i) {
      const auto [value, slope] = evaluate(x, i == 0 ? steps_.end() : steps_.at(x));
      (value > 0 ? b : a) = x;
      const Real newton = x - value / slope;
      const bool inside = newton > a && newton < b;
      const Real next = inside ? newton : (a + b) / 2;
      const Real moved = std::abs(next - x);
      x = next;
      // what is left is the square of this move, or the bracket
      if ((inside && moved <= kConverged * x) || b - a <= kConverged * kConverged * b) break;
    }
    State y = steps_.confirmed_at(x), rate;
    const auto [value, slope] = evaluate(x, y);
    const Real correction = -value / slope;
    system_(y, rate, x);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += correction * rate[i];
    return {x + correction, y};
  }

  /// Whether γ = 0 lies in the step: γ turned round, or is within the tolerances, falls, and moves by
  /// more than its size, where the step control lets it chatter about zero for ever.
  [[nodiscard]] bool passed_zero(const Slip& before, const Slip& after) const {
    if (before.gx * after.gx + before.gy * after.gy <= 0) return true;
    const Real r = std::sqrt(before.gx * before.gx + before.gy * before.gy);
    if (!(r <= 1000 * tolerance_)) return false;
    const Real k = f_.mu / r;
    const Real rate_x = f_.d1 - k * (f_.B11 * before.gx + f_.B12 * before.gy);
    const Real rate_y = f_.d2 - k * (f_.B12 * before.gx + f_.B22 * before.gy);
    const Real moved = std::sqrt(rate_x * rate_x + rate_y * rate_y) * (steps_.to() - steps_.from());
    return rate_of_slip(before) < 0 && moved >= r;
  }

  [[nodiscard]] Real rate_of_slip(const Slip& s) const {
    const Real r = std::sqrt(s.gx * s.gx + s.gy * s.gy);
    const Real ux = s.gx / r, uy = s.gy / r;
    return ux * (f_.d1 - f_.mu * (f_.B11 * ux + f_.B12 * uy)) + uy * (f_.d2 - f_.mu * (f_.B12 * ux + f_.B22 * uy));
  }

  /// If γ falls to zero along an invariant direction, or so near to one that what it turns until
  /// then is below the tolerance: the rest in closed form along that direction.
  bool finish_if_straight(const Slip& s, Real Iz, const State& x) {
    const Real r = std::sqrt(s.gx * s.gx + s.gy * s.gy);
    const Real ux = s.gx / r, uy = s.gy / r;
    const Real rate_x = f_.d1 - f_.mu * (f_.B11 * ux + f_.B12 * uy);
    const Real rate_y = f_.d2 - f_.mu * (f_.B12 * ux + f_.B22 * uy);
    const Real f = ux * rate_x + uy * rate_y, g = ux * rate_y - uy * rate_x;
    if (!(f < 0)) return false;
    const Real nBn = f_.B11 * uy * uy - 2 * f_.B12 * ux * uy + f_.B22 * ux * ux;
    const Real slope = -(f + f_.mu * nBn);  // of g over the angle; negative: γ turns to the root
    Real turn = 0;
    if (g != 0 && r > at_rest_) {
      turn = -g / slope;
      // I⊥ misses mu times the angle, which fades over r/|slope| of Iz
      if (!(slope < 0 && std::abs(turn) < kNear && f_.mu * r * std::abs(turn) <= -slope * tolerance_)) return false;
    }
    move_to(Iz, x, s.vz);
    const Slip along{s.gx - turn * s.gy, s.gy + turn * s.gx, s.vz};
    return finish_from(along.gx, along.gy, rate_of_slip(along));
  }

  /// From γ, which falls straight to zero at the rate f; γ = 0 is at rest.
  bool finish_from(Real gx, Real gy, Real f) {
    const Real r = std::sqrt(gx * gx + gy * gy);
    if (f_.mu == 0) return follow_line<Real>(f_, p_, 0, 0, kInfinity);
    if (r > 0 && follow_line(f_, p_, -f_.mu * gx / r, -f_.mu * gy / r, f < 0 ? -r / f : kInfinity)) return true;
    follow_from_rest(f_, p_);
    return true;
  }

  static constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  static constexpr Real kNear = 1e-3;       // one Newton step finds the root to its square
  static constexpr Real kConverged = 1e-6;  // Newton's next move is its square

  Field<Real> f_;
  System system_;
  Real tolerance_;
  Real at_rest_;  // slip that tolerance and rounding do not tell from none
  Steps steps_;
  Progress<Real> p_;
  Real Iz_ = 0;  // where `locate` looks
};

template <class Steps>
OdeintResult solve_with(const Field<Real>& f, const OdeintSettings& settings) {
  OdeintResult result;
  OdeintImpact<Steps> impact(f, settings);
  result.solved = impact.run(result.steps);
  const Progress<Real>& p = impact.progress();
  result.impulse << p.Ix, p.Iy, p.Iz;
  result.work_compression = p.work_c;
  result.work_restitution = p.work - p.work_c;
  return result;
}

OdeintResult dispatch(const Field<Real>& f, const OdeintSettings& settings) {
  using Dopri5 = odeint::runge_kutta_dopri5<State, Real, State, Real, Algebra, Operations>;
  using CashKarp = odeint::runge_kutta_cash_karp54<State, Real, State, Real, Algebra, Operations>;
  using Fehlberg = odeint::runge_kutta_fehlberg78<State, Real, State, Real, Algebra, Operations>;
  switch (settings.method) {
    case OdeintMethod::DenseDopri5:
      return solve_with<DenseOutput>(f, settings);
    case OdeintMethod::ControlledDopri5:
      return solve_with<Controlled<Dopri5>>(f, settings);
    case OdeintMethod::CashKarp54:
      return solve_with<Controlled<CashKarp>>(f, settings);
    case OdeintMethod::Fehlberg78:
      return solve_with<Controlled<Fehlberg>>(f, settings);
    case OdeintMethod::RungeKutta4:
      return solve_with<Fixed>(f, settings);
  }
  return {};
}

}  // namespace

OdeintResult solve_odeint(const impact::ImpactProblem& problem, const OdeintSettings& settings) {
  // In units of |v-| and W33: velocity 1, W33 = 1, impulse |v-|/W33, work |v-|²/W33.
  const Real speed = problem.v.norm(), W33 = problem.W(2, 2);
  impact::ImpactProblem scaled = problem;
  scaled.v /= speed;
  scaled.W /= W33;
  OdeintResult result = dispatch(Field<Real>(scaled, settings.law), settings);
  result.impulse *= speed / W33;
  result.work_compression *= speed * speed / W33;
  result.work_restitution *= speed * speed / W33;
  return result;
}

}  // namespace visviva::bench
