#include "visviva/math/quadrature.hpp"

#include <algorithm>
#include <mutex>

#include "math/double_double.hpp"
#include "visviva/core/error.hpp"
#include "visviva/math/elementary.hpp"

namespace visviva {
namespace {

/// P_n(x) and P_{n-1}(x) by (k+1) P_{k+1} = (2k+1) x P_k - k P_{k-1}.
struct LegendrePair {
  DoubleDouble p, previous;
};

LegendrePair legendre(int n, DoubleDouble x) {
  DoubleDouble p = x, previous = {1, 0};
  for (int k = 1; k < n; ++k) {
    const DoubleDouble sum =
        add(multiply(multiply(x, p), static_cast<Real>(2 * k + 1)), multiply(previous, static_cast<Real>(-k)));
    previous = p;
    p = divide(sum, DoubleDouble{static_cast<Real>(k + 1), 0});
  }
  return {p, previous};
}

/// Newton's method in double-double from the asymptotic cos(pi (i + 3/4)/(n + 1/2)), good to 1/n³: three steps reach
/// 30 digits, a fourth is for small n.
GaussLegendre make_rule(int n) {
  constexpr Real kPi = 3.14159265358979323846;
  GaussLegendre rule;
  rule.count = n;
  for (int i = 0; i < (n + 1) / 2; ++i) {
    const bool center = 2 * i + 1 == n;
    DoubleDouble x = {center ? 0.0 : cos(kPi * (i + 0.75) / (n + 0.5)), 0};
    for (int iteration = 0; iteration < 4 && !center; ++iteration) {
      const LegendrePair value = legendre(n, x);
      // P' = n (P_{n-1} - x P_n) / (1 - x²)
      const DoubleDouble slope = multiply(add(value.previous, negate(multiply(x, value.p))), static_cast<Real>(n));
      const DoubleDouble s2 = add(DoubleDouble{1, 0}, negate(multiply(x, x)));
      x = add(x, negate(divide(multiply(value.p, s2), slope)));
    }
    // w = 2 (1 - x²) / (n P_{n-1})²
    const DoubleDouble s2 = add(DoubleDouble{1, 0}, negate(multiply(x, x)));
    const DoubleDouble nP = multiply(legendre(n, x).previous, static_cast<Real>(n));
    const Real weight = 2 * divide(s2, multiply(nP, nP)).hi;
    rule.node.data()[i] = -x.hi;
    rule.node.data()[n - 1 - i] = x.hi;
    rule.weight.data()[i] = rule.weight.data()[n - 1 - i] = weight;
  }
  return rule;
}

}  // namespace

const GaussLegendre& gauss_legendre(int n) {
  require(1 <= n && n <= kMaxGaussPoints, "Gauss-Legendre rule", "number of points", "lie in [1, 64]", n);
  static GaussLegendre rules[kMaxGaussPoints];
  static std::once_flag made[kMaxGaussPoints];
  std::call_once(made[n - 1], [n] { rules[n - 1] = make_rule(n); });
  return rules[n - 1];
}

namespace quadrature_detail {

void check_limits(Real a, Real b) {
  require(std::isfinite(a), "integral", "lower limit", "be finite", a);
  require(std::isfinite(b), "integral", "upper limit", "be finite", b);
}

Totals total(const std::vector<Panel>& panels, const QuadratureSettings& settings, int evaluations) {
  // A panel whose error is at the rounding of its sum gains nothing from being halved.
  constexpr Real kRounding = 0x1p-50;
  Totals totals;
  IntegralResult& result = totals.result;
  result.evaluations = evaluations;
  Real magnitude = 0, largest = -1;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const Panel& panel = panels[i];
    const Real panel_magnitude = panel.left.magnitude + panel.right.magnitude;
    result.value += panel.left.value + panel.right.value;
    result.error += panel.error;
    magnitude += panel_magnitude;
    const Real m = panel.middle();
    const bool can_be_halved = std::min(panel.a, panel.b) < m && m < std::max(panel.a, panel.b);
    if (can_be_halved && panel.error > kRounding * panel_magnitude && panel.error > largest) {
      largest = panel.error;
      totals.worst = static_cast<int>(i);
    }
  }
  const Real tolerance = std::max(
      {settings.absolute_tolerance, settings.relative_tolerance * std::abs(result.value), kRounding * magnitude});
  result.converged = std::isfinite(result.value) && result.error <= tolerance;
  if (result.converged || !std::isfinite(result.value)) totals.worst = -1;
  return totals;
}

}  // namespace quadrature_detail
}  // namespace visviva
