#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "visviva/math/types.hpp"

namespace visviva {

inline constexpr int kMaxGaussPoints = 64;

/// Nodes x_i, ascending, and weights w_i of ∫ f over [-1, 1] ≈ Σ w_i f(x_i), exact for polynomials of degree
/// 2n - 1. Each is rounded once from a value with 30 digits; the rule is symmetric to the last bit. [-]
struct GaussLegendre {
  int count = 0;
  std::array<Real, kMaxGaussPoints> node{};
  std::array<Real, kMaxGaussPoints> weight{};
};

/// The rule with n points, 1 <= n <= 64, else throws InvalidArgument. Computed at its first use (thread-safe, some
/// microseconds, no allocation), then kept.
[[nodiscard]] const GaussLegendre& gauss_legendre(int n);

/// ∫ f from a to b with n Gauss points, 1 <= n <= 64.
template <class F>
[[nodiscard]] Real integrate(F&& f, Real a, Real b, int n);

struct QuadratureSettings {
  Real absolute_tolerance = 0;
  Real relative_tolerance = 1e-12;  ///< of the integral; the larger of both counts, and never less than rounding
  int points = 10;                  ///< Gauss points a panel
  int max_evaluations = 10'000;     ///< of f
};

struct IntegralResult {
  Real value = 0;
  Real error = 0;  ///< estimate, far above the true error where f is smooth
  int evaluations = 0;
  bool converged = false;  ///< the error is within the tolerance; false if f gave infinity or NaN
};

/// ∫ f from a to b, finite, to a tolerance. Halves the panel with the largest error until the sum of the errors is
/// small enough; the error of a panel is the difference between the rule on it and on its halves, and the latter
/// is its value. Bounded by max_evaluations. Throws InvalidArgument if a or b is not finite.
template <class F>
[[nodiscard]] IntegralResult integrate_adaptive(F&& f, Real a, Real b, const QuadratureSettings& settings = {});

// --------------------------------------------------------------------------------- implementation

namespace quadrature_detail {

struct PanelSum {
  Real value = 0;
  Real magnitude = 0;  // Σ|w f|: the rounding error of `value` is a few 2^-53 of it
};

template <class F>
PanelSum apply(const GaussLegendre& rule, F&& f, Real a, Real b) {
  const Real center = 0.5 * a + 0.5 * b, half = 0.5 * b - 0.5 * a;
  PanelSum sum;
  for (int i = 0; i < rule.count; ++i) {
    const Real term = rule.weight.data()[i] * f(center + half * rule.node.data()[i]);
    sum.value += term;
    sum.magnitude += std::abs(term);
  }
  return {half * sum.value, std::abs(half) * sum.magnitude};
}

struct Panel {
  Real a = 0, b = 0;
  PanelSum left, right;
  Real error = 0;

  [[nodiscard]] Real middle() const { return 0.5 * a + 0.5 * b; }
};

template <class F>
Panel make_panel(const GaussLegendre& rule, F&& f, Real a, Real b, Real coarse) {
  Panel panel{a, b, {}, {}, 0};
  panel.left = apply(rule, f, a, panel.middle());
  panel.right = apply(rule, f, panel.middle(), b);
  panel.error = std::abs(panel.left.value + panel.right.value - coarse);
  return panel;
}

void check_limits(Real a, Real b);

/// Sums over all panels; `worst` is the one to halve next, -1 if the tolerance is met or nothing is left to halve.
struct Totals {
  IntegralResult result;
  int worst = -1;
};
[[nodiscard]] Totals total(const std::vector<Panel>& panels, const QuadratureSettings& settings, int evaluations);

}  // namespace quadrature_detail

template <class F>
Real integrate(F&& f, Real a, Real b, int n) {
  return quadrature_detail::apply(gauss_legendre(n), f, a, b).value;
}

template <class F>
IntegralResult integrate_adaptive(F&& f, Real a, Real b, const QuadratureSettings& settings) {
  using namespace quadrature_detail;
  check_limits(a, b);
  const GaussLegendre& rule = gauss_legendre(settings.points);
  std::vector<Panel> panels = {make_panel(rule, f, a, b, apply(rule, f, a, b).value)};
  int evaluations = 3 * rule.count;
  for (;;) {
    const Totals now = total(panels, settings, evaluations);
    if (now.worst < 0 || evaluations + 4 * rule.count > settings.max_evaluations) return now.result;
    Panel& panel = panels[static_cast<std::size_t>(now.worst)];
    const Panel right = make_panel(rule, f, panel.middle(), panel.b, panel.right.value);
    panel = make_panel(rule, f, panel.a, panel.middle(), panel.left.value);
    panels.push_back(right);
    evaluations += 4 * rule.count;
  }
}

}  // namespace visviva
