#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "visviva/math/elementary.hpp"
#include "visviva/math/types.hpp"

/// The even functions of an angle t that stand before the powers of S(phi), t = |phi|, in exp, its
/// Jacobians and their SE(3) kin. Each is entire in t² and good to a few units in the last place
/// for every t: where the closed form cancels, its Taylor series in t² is summed instead.
namespace visviva::rotation_coefficients {

/// Below it the series. Relative error of the series: the first term left out, under 1e-17.
/// Relative error of the closed forms just above it: at most 2e-15, for five().
inline constexpr Real kSeriesAngle2 = 4;
inline constexpr std::size_t kTerms = 12;

using Series = std::array<Real, kTerms>;

/// Sum of c_k x^k.
[[nodiscard]] inline Real horner(const Series& c, Real x) {
  Real sum = c[kTerms - 1];
  for (std::size_t k = kTerms - 1; k-- > 0;) sum = c[k] + x * sum;
  return sum;
}

/// c_k = (-1)^k (k0 + k slope) / (2 k + m)!
[[nodiscard]] constexpr Series alternating_series(int m, Real k0, Real slope) {
  Series c{};
  Real inverse_factorial = 1;
  for (int n = 2; n <= m; ++n) inverse_factorial /= n;
  Real sign = 1;
  for (std::size_t k = 0; k < kTerms; ++k) {
    c[k] = sign * (k0 + static_cast<Real>(k) * slope) * inverse_factorial;
    const Real n = static_cast<Real>(2 * k) + m;
    inverse_factorial /= (n + 1) * (n + 2);
    sign = -sign;
  }
  return c;
}

/// sin(t) / t. It does not cancel; only t² = 0 (t below 1e-162 too) needs its limit.
[[nodiscard]] inline Real sinc(Real t) { return t > 0 ? visviva::sin(t) / t : 1; }

/// (1 - cos t) / t² = 1/2 sinc²(t/2), which does not cancel.
[[nodiscard]] inline Real two(Real t) {
  const Real s = sinc(0.5 * t);
  return 0.5 * s * s;
}

/// (t - sin t) / t³ = 1/6 - t²/120 + ...
[[nodiscard]] inline Real three(Real t) {
  static constexpr Series kSeries = alternating_series(3, 1, 0);
  const Real t2 = t * t;
  return t2 < kSeriesAngle2 ? horner(kSeries, t2) : (t - visviva::sin(t)) / (t2 * t);
}

/// (t²/2 - 1 + cos t) / t⁴ = 1/24 - t²/720 + ...
[[nodiscard]] inline Real four(Real t) {
  static constexpr Series kSeries = alternating_series(4, 1, 0);
  const Real t2 = t * t;
  return t2 < kSeriesAngle2 ? horner(kSeries, t2) : (0.5 - two(t)) / t2;
}

/// (2 t - 3 sin t + t cos t) / (2 t⁵) = 1/120 - t²/2520 + ...
[[nodiscard]] inline Real five(Real t) {
  static constexpr Series kSeries = alternating_series(5, 1, 1);
  const Real t2 = t * t;
  if (t2 < kSeriesAngle2) return horner(kSeries, t2);
  const SinCos sc = sin_cos(t);
  return (2 * t - 3 * sc.sin + t * sc.cos) / (2 * t2 * t2 * t);
}

/// (1 - (t/2) cot(t/2)) / t² = 1/12 + t²/720 + ..., for t < 2 pi, where it has a pole.
/// With h = t/2 it is g(h) / (4 sinc h), g = (sin h - h cos h) / h³ = 1/3 - h²/30 + ...
[[nodiscard]] inline Real inverse_two(Real t) {
  static constexpr Series kSeries = alternating_series(3, 2, 2);
  const Real h = 0.5 * t;
  const Real h2 = h * h;
  if (h2 < kSeriesAngle2) return horner(kSeries, h2) / (4 * sinc(h));
  const SinCos sc = sin_cos(h);
  return (1 - h * sc.cos / sc.sin) / (t * t);
}

}  // namespace visviva::rotation_coefficients
