#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "impact/slip_series.hpp"
#include "visviva/math/types.hpp"

namespace visviva::impact {

inline Vec2 left_of(const Vec2& u) { return {-u.y(), u.x()}; }

inline constexpr int kOrder = 20;
using Polynomial = std::array<Real, kOrder + 1>;

[[nodiscard]] inline Real evaluate(const Polynomial& c, Real x) {
  Real value = c[kOrder];
  for (std::size_t k = kOrder; k-- > 0;) value = value * x + c[k];
  return value;
}

/// The zero in [a, b] of a polynomial that changes its sign there once: the parabola at each iterate, kept inside by
/// bisection.
[[nodiscard]] Real zero_between(const Polynomial& f, Real a, Real b);

/// What slip needs to know of an impact.
struct SlipProblem {
  Mat2 B;
  Vec2 d;
  Real W33, mu;
  Real rate_scale;  ///< mu tr B + |d|, a bound of |γ'|
};

/// 1/L, L a power of two above the rates: the coefficients of the series stay in range, and scaling by powers of two
/// stays exact.
[[nodiscard]] inline Real over_scale(const SlipProblem& problem) {
  constexpr std::int64_t kExponentBits = 0x7ff0'0000'0000'0000, kTwice = std::int64_t{1} << 52;
  return 1 / std::bit_cast<Real>((std::bit_cast<std::int64_t>(problem.rate_scale) & kExponentBits) + kTwice);
}

/// What errors are measured by. Two slips never drift apart (in the norm of B⁻¹, theory/impact (18)), so an error in γ
/// counts by its size, not by the size that γ has then.
struct SlipUnits {
  Real speed;   ///< |γ-|
  Real energy;  ///< of the impact
  /// What an error relative to a speed r counts. The bound keeps a step within its series' radius of convergence.
  [[nodiscard]] Real weight(Real r) const { return std::max(r / std::max(r, speed), 1e-6); }
};

/// State during slip.
struct SlipState {
  Vec2 u;   ///< direction of γ
  Real r;   ///< |γ|, > 0
  Vec3 I;   ///< impulse so far
  Real vz;  ///< normal velocity
  Real E;   ///< energy stored in the contact
};

/// One Taylor expansion of slip about a state: every quantity of the impact as a polynomial of σ in
/// [0, length()].
class SlipStep {
 public:
  SlipStep(const SlipProblem& problem, const SlipState& start, const SlipUnits& units)
      : problem_(problem), start_(start), n_(left_of(start.u)) {
    const Vec2& u = start.u;
    const Real over_L = over_scale(problem), mu_over_L = problem.mu * over_L;
    const Vec2 Bu = problem.B * u, Bn = problem.B * n_;
    const Real d_u = problem.d.dot(u), d_n = problem.d.dot(n_);
    const SlipField<Real> field{mu_over_L * u.dot(Bu), mu_over_L * u.dot(Bn), mu_over_L * n_.dot(Bn), over_L * d_u,
                                over_L * d_n,          problem.W33 * over_L,  mu_over_L * d_u,        mu_over_L * d_n};
    expand<Real, kOrder>(field, series_);
    unit_ = start.r * over_L;
    length_ = step_length(units.weight(start.r), std::min(start.r * unit_ / units.energy, 1.0));
  }

  [[nodiscard]] Real length() const { return length_; }

  [[nodiscard]] SlipState at(Real sigma) const {
    const SlipPoint<Real> p = evaluate(series_, sigma);
    const Vec2 g = p.gx * start_.u + p.gy * n_;
    const Vec2 dI = -(problem_.mu * unit_) * (p.cx * start_.u + p.cy * n_);
    const Real dIz = unit_ * p.z;
    const Real length = g.norm();
    return {g / length, start_.r * length, start_.I + Vec3(dI.x(), dI.y(), dIz),
            start_.vz + (problem_.W33 * dIz + problem_.d.dot(dI)),
            start_.E - (start_.vz * dIz + start_.r * unit_ * p.work)};
  }

  [[nodiscard]] Polynomial vz() const {
    Polynomial c;
    for (std::size_t k = 0; k <= kOrder; ++k) c[k] = start_.r * series_.dv[k];
    c[0] = start_.vz;
    return c;
  }
  [[nodiscard]] Polynomial vz_slope() const {
    Polynomial c;
    for (std::size_t k = 0; k < kOrder; ++k) c[k] = static_cast<Real>(k + 1) * series_.dv[k + 1];
    c[kOrder] = 0;
    return c;
  }
  /// γ × d, up to a factor: zero where γ ∥ d.
  [[nodiscard]] Polynomial cross_with_d() const {
    const Real d_u = problem_.d.dot(start_.u), d_n = problem_.d.dot(n_);
    Polynomial c;
    for (std::size_t k = 0; k <= kOrder; ++k) c[k] = series_.gx[k] * d_n - series_.gy[k] * d_u;
    return c;
  }
  [[nodiscard]] Polynomial Iz() const {
    Polynomial c;
    c[0] = start_.I.z();
    for (std::size_t k = 1; k <= kOrder; ++k) c[k] = unit_ * series_.r[k - 1] * kReciprocals<kOrder>.of[k];
    return c;
  }
  /// -E: rises to its zero as vz does.
  [[nodiscard]] Polynomial minus_E() const {
    Polynomial c;
    c[0] = -start_.E;
    for (std::size_t k = 1; k <= kOrder; ++k)
      c[k] = unit_ * (start_.r * series_.work[k] + start_.vz * series_.r[k - 1] * kReciprocals<kOrder>.of[k]);
    return c;
  }

 private:
  /// Size of the last term of each series at the end of a step; what is cut off is a fifth of it.
  static constexpr Real kLastTerm = 1e-15;

  [[nodiscard]] Real step_length(Real weight, Real work_weight) const {
    const auto size = [&](std::size_t k) {
      return weight * (std::abs(series_.gx[k]) + std::abs(series_.gy[k]) + std::abs(series_.r[k])) +
             work_weight * std::abs(series_.work[k]) + std::numeric_limits<Real>::min();
    };
    return std::min(rough_root(kLastTerm / size(kOrder), kOrder), rough_root(kLastTerm / size(kOrder - 1), kOrder - 1));
  }
  /// x^(1/n) to a few per cent for x > 0, from the bits of x: the same on every machine.
  static Real rough_root(Real x, int n) {
    constexpr std::int64_t kOne = 0x3ff0'0000'0000'0000;
    return std::bit_cast<Real>(kOne + (std::bit_cast<std::int64_t>(x) - kOne) / n);
  }

  SlipProblem problem_;
  SlipState start_;
  Vec2 n_;
  Real unit_;  ///< r / L: what Iz grows by in a unit of σ
  Real length_;
  SlipSeries<Real, kOrder> series_;
};

}  // namespace visviva::impact
