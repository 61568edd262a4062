#include "motion/elliptic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace visviva::motion {
namespace {
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
constexpr int kMaxIterations = 1200;  // never reached: each one takes a square root of the ratio of the arguments
}  // namespace

// Duplication, [DLMF 19.36.1]: the series' first missing term is of order d⁸, d the largest relative deviation from
// the mean.
Real carlson_rf(Real x, Real y, Real z) {
  constexpr Real kClose = 0.008;  // d⁸ times the coefficients, which sum up to less than 1/10, is below rounding
  Real mean = (x + y + z) / 3;
  for (int i = 0; i < kMaxIterations; ++i) {
    if (std::max({std::abs(mean - x), std::abs(mean - y), std::abs(mean - z)}) <= kClose * mean) break;
    const Real a = std::sqrt(x), b = std::sqrt(y), c = std::sqrt(z);
    const Real lambda = a * (b + c) + b * c;
    x = (x + lambda) / 4;
    y = (y + lambda) / 4;
    z = (z + lambda) / 4;
    mean = (x + y + z) / 3;
  }
  const Real X = 1 - x / mean, Y = 1 - y / mean, Z = -(X + Y);
  const Real E2 = X * Y - Z * Z, E3 = X * Y * Z;
  const Real series = 1 - E2 / 10 + E3 / 14 + E2 * E2 / 24 - 3 * E2 * E3 / 44 - 5 * E2 * E2 * E2 / 208 +
                      3 * E3 * E3 / 104 + E2 * E2 * E3 / 16;
  return series / std::sqrt(mean);
}

Real incomplete_first(Real sine, Real cosine, Real complementary_k2) {
  const Real c2 = cosine * cosine, delta2 = c2 + complementary_k2 * sine * sine;  // 1 − k² sin²φ
  if (!(delta2 > 0)) return std::copysign(kInfinity, sine);
  return sine * carlson_rf(c2, delta2, 1);  // [DLMF 19.25.5]
}

// By the arithmetic-geometric mean.                                                      [DLMF 19.8.5]
Real complete_first(Real complementary_k) {
  if (!(complementary_k > 0)) return kInfinity;
  Real a = 1, b = complementary_k;
  for (int i = 0; i < kMaxIterations && std::abs(a - b) > 1e-8 * a; ++i) {
    const Real mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  return std::numbers::pi / (a + b);  // the next mean; its error is of order (a − b)²
}

// Bartky's transformation, as in Bulirsch's cel.                                          [Bulirsch1969]
Real complete_third(Real complementary_k, Real p, Real a, Real b) {
  p = std::sqrt(p);
  b /= p;
  Real k = complementary_k, m = 1, e = complementary_k;
  for (int i = 0; i < kMaxIterations; ++i) {
    const Real a_before = a;
    a += b / p;
    const Real g = e / p;
    b = 2 * (b + a_before * g);
    p += g;
    const Real m_before = m;
    m += k;
    if (std::abs(m_before - k) <= 1e-8 * m_before) break;  // the error is of the order of its square
    k = 2 * std::sqrt(e);
    e = k * m;
  }
  return std::numbers::pi / 2 * (a * m + b) / (m * (m + p));
}

}  // namespace visviva::motion
