// The text's event label. Exactly, no path ever reaches an invariant ray [theory/impact], and s is
// where γ = 0; the text calls it l when γ is within an angle of an *attracting* direction, and s when
// |γ| is a small part of |v-|, whichever comes first. A start exactly on a ray is l at Iz = 0. c and r
// are those of the exact impact.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "impact/slip_step.hpp"
#include "impact/solve_exact.hpp"
#include "impact/validity.hpp"
#include "visviva/core/error.hpp"
#include "visviva/impact/invariant_directions.hpp"
#include "visviva/impact/path.hpp"
#include "visviva/math/elementary.hpp"

namespace visviva::impact {
namespace {

// Below this part of |v-| the tail of the way to γ = 0 is left to the exact solution.
constexpr Real kTail = 1e-12;
// |γ| may dip and rise within an expansion: it is looked at so many times.
constexpr int kLooks = 16;
// More than any path takes whose impulse is not astronomical, as next to a jam.
constexpr int kMaxSteps = 1000;

// Follows the exact hodograph from γ- and finds where the two tolerances are met. Units as in the
// exact solver: W33 and |vz-| between 1 and 2, by powers of two.
class LabelledPath {
 public:
  LabelledPath(const ImpactProblem& problem, const LabelTolerances& tolerances) {
    const Mat3 W = symmetric_part(problem.W);
    // An entry 2^400 times its reference must not overflow when squared.
    const int exponent_W = std::max(std::ilogb(W(2, 2)), std::ilogb(W.cwiseAbs().maxCoeff()) - 400);
    const int exponent_v = std::max(std::ilogb(problem.v.z()), std::ilogb(problem.v.cwiseAbs().maxCoeff()) - 400);
    unit_Iz_ = exponent_v - exponent_W;
    ImpactProblem scaled = problem;
    scaled.W = W.unaryExpr([=](Real x) { return std::scalbn(x, -exponent_W); });
    scaled.v = problem.v.unaryExpr([=](Real x) { return std::scalbn(x, -exponent_v); });
    slip_ = {scaled.B(), scaled.d(), scaled.W(2, 2), scaled.friction, 0};
    slip_.rate_scale = slip_.mu * slip_.B.trace() + slip_.d.norm();
    const Vec2 gamma = scaled.v.head<2>();
    const Real r = gamma.norm();
    state_ = {r > 0 ? Vec2(gamma / r) : Vec2(Vec2::UnitX()), r, Vec3::Zero(), scaled.v.z(), 0};
    small_ = tolerances.delta_s_rel * scaled.v.norm();
    tail_ = std::max(small_, kTail * scaled.v.norm());
    chord_ = 2 * visviva::sin(0.5 * tolerances.delta_l);
    directions_ = invariant_directions(scaled);
  }

  // Up to Iz_end. A start on a ray needs no search for l.
  void follow(Real Iz_end, bool on_ray) {
    const Real end = std::scalbn(Iz_end, -unit_Iz_);
    if (is_slow(state_))
      s_ = 0;
    else if (on_ray || is_invariant(state_))
      l_ = 0;
    for (int i = 0; i < kMaxSteps && !s_ && state_.r > tail_ && state_.I.z() < end; ++i) {
      // The direction counts as much as the impulse: errors are measured by |γ| as it is.
      const SlipStep step(slip_, state_, {state_.r, 1});
      Real from = 0;
      for (int k = 1; k <= kLooks && !s_; ++k) {
        const Real to = step.length() * k / kLooks;
        look(step, from, to);
        from = to;
      }
      if (!s_) state_ = step.at(step.length());
    }
  }

  [[nodiscard]] std::optional<Real> l() const { return unscaled(l_); }
  [[nodiscard]] std::optional<Real> s() const { return unscaled(s_); }

 private:
  [[nodiscard]] std::optional<Real> unscaled(std::optional<Real> Iz) const {
    return Iz ? std::optional(std::scalbn(*Iz, unit_Iz_)) : std::nullopt;
  }

  [[nodiscard]] bool is_invariant(const SlipState& x) const {
    if (chord_ == 0) return false;  // rounding alone would reach the ray
    for (const InvariantDirection& ray : directions_)
      if (ray.attracting() && (x.u - ray.direction).norm() <= chord_) return true;
    return false;
  }
  [[nodiscard]] bool is_slow(const SlipState& x) const { return x.r <= small_; }
  [[nodiscard]] bool gains_speed(const SlipState& x) const {
    return x.u.dot(slip_.d - slip_.mu * (slip_.B * x.u)) >= 0;
  }

  // The first σ in (from, to] with the property, which it has at `to` and not at `from`.
  template <class Property>
  static Real bisect(const SlipStep& step, Real from, Real to, Property has) {
    while (true) {
      const Real middle = 0.5 * (from + to);
      if (!(from < middle && middle < to)) return to;
      (has(step.at(middle)) ? to : from) = middle;
    }
  }

  void look(const SlipStep& step, Real from, Real to) {
    const auto slow = [this](const SlipState& x) { return is_slow(x); };
    std::optional<Real> slow_at;
    if (slow(step.at(to))) {
      slow_at = bisect(step, from, to, slow);
    } else if (!gains_speed(step.at(from)) && gains_speed(step.at(to))) {
      const Real lowest = bisect(step, from, to, [this](const SlipState& x) { return gains_speed(x); });
      if (slow(step.at(lowest))) slow_at = bisect(step, from, lowest, slow);
    }
    if (!l_ && is_invariant(step.at(to))) {
      const Real at = bisect(step, from, to, [this](const SlipState& x) { return is_invariant(x); });
      if (!slow_at || at < *slow_at) l_ = step.at(at).I.z();
    }
    if (slow_at) s_ = step.at(*slow_at).I.z();
  }

  int unit_Iz_;
  SlipProblem slip_;
  SlipState state_;
  Real small_, tail_, chord_;
  InvariantDirections directions_;
  std::optional<Real> l_, s_;
};

Real Iz_of(const ImpactResult& result, EventKind kind) {
  const ImpactEvent* event = result.sequence.find(kind);
  return event ? event->impulse.z() : -1;
}

}  // namespace

TextLabel text_label(const ImpactProblem& problem, const ImpactSettings& settings, const LabelTolerances& tolerances) {
  require(tolerances.delta_l >= 0 && tolerances.delta_l <= 1.5, "label tolerances", "delta_l", "lie in [0, 1.5]",
          tolerances.delta_l);
  require(tolerances.delta_s_rel >= 0 && tolerances.delta_s_rel <= 1, "label tolerances", "delta_s_rel",
          "lie in [0, 1]", tolerances.delta_s_rel);
  ImpactSettings exact = settings;
  exact.method = Method::Exact;
  const ImpactResult result = solve(problem, exact);
  TextLabel label;
  if (result.status != Status::Solved) return label;
  const Real Iz_c = Iz_of(result, EventKind::Compression);
  const Real Iz_r = Iz_of(result, EventKind::Restitution);
  label.Iz_l = Iz_of(result, EventKind::Slide);
  label.Iz_s = Iz_of(result, EventKind::Stop);
  if (problem.friction > 0) {
    LabelledPath path(problem, tolerances);
    path.follow(Iz_r, label.Iz_l >= 0);
    if (path.s() && *path.s() <= Iz_r) label.Iz_s = *path.s();
    label.Iz_l = path.l() && *path.l() <= Iz_r ? *path.l() : -1;
  }
  // Ties as in Fig. 9: l, s, c, r.
  struct Mark {
    Real Iz;
    char letter;
  };
  std::array<Mark, 4> marks{{{label.Iz_l, 'l'}, {label.Iz_s, 's'}, {Iz_c, 'c'}, {Iz_r, 'r'}}};
  std::stable_sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.Iz < b.Iz; });
  for (const Mark& mark : marks)
    if (mark.Iz >= 0) label.sequence += mark.letter;
  return label;
}

}  // namespace visviva::impact
