// The centrifugal direction: s = (mu B + lambda)⁻¹ d with the one lambda > 0 for which ‖s‖ = 1.
// ‖(A + lambda)⁻¹ d‖ falls strictly from ‖A⁻¹d‖ to 0, A = mu B, so it exists, once, iff
// ‖B⁻¹d‖ > mu. With 2x2 matrices (A + lambda)⁻¹ = (adj A + lambda)/p, p = det(A + lambda), so
// no inverse is taken and A may be singular. 1/‖s‖ is concave and rises in lambda: Newton from
// below never passes the root. Stops when lambda no longer grows; about four steps.
#include "impact/centrifugal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace visviva::impact {
namespace {

constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();
// Newton takes fewer than 20 steps on every problem met; the bound is against rounding that cycles.
constexpr int kMaxNewton = 64;

// ab - cd to rounding (Kahan): whether a contact sticks hangs on such a difference.
Real difference_of_products(Real a, Real b, Real c, Real d) {
  const Real cd = c * d;
  return std::fma(a, b, -cd) - std::fma(c, d, -cd);
}

// A symmetric positive semidefinite A with a vector d, scaled by a power of two to about 1: then
// fourth powers neither overflow nor underflow, and the answer has the same bits for any such
// scale.
struct Secular {
  Real a, b, c;    // A = [a b; b c]
  Vec2 d;          //
  Real trace;      //
  Real det;        // >= 0
  Real largest;    // eigenvalue
  Vec2 adj_A_d;    //
  Real norm_d;     //
  bool reduced;    // A has rank one and d lies in its range, to rounding
  Vec2 direction;  // unit, of that range, if reduced
};

Secular make_secular(const Mat2& A, const Vec2& d) {
  Secular m;
  const Real size = A(0, 0) + A(1, 1) + std::abs(d.x()) + std::abs(d.y());
  int exponent = 0;
  std::frexp(size, &exponent);
  // Halves, since 2^1074 itself is no double.
  const Real scale = std::ldexp(Real{1}, -exponent / 2);
  const Real rest = std::ldexp(Real{1}, -exponent - (-exponent / 2));
  m.a = A(0, 0) * scale * rest;
  m.b = 0.5 * (A(0, 1) + A(1, 0)) * scale * rest;
  m.c = A(1, 1) * scale * rest;
  m.d = d * scale * rest;
  m.trace = m.a + m.c;
  m.det = std::max(Real{0}, difference_of_products(m.a, m.c, m.b, m.b));
  const Real half_gap = 0.5 * (m.a - m.c);
  const Real radius = std::sqrt(half_gap * half_gap + m.b * m.b);
  m.largest = 0.5 * m.trace + radius;
  m.norm_d = m.d.norm();
  m.adj_A_d = {difference_of_products(m.c, m.d.x(), m.b, m.d.y()), difference_of_products(m.a, m.d.y(), m.b, m.d.x())};
  m.reduced = false;
  if (m.det <= kRankTolerance * m.largest * m.largest && m.largest > 0) {
    // Eigenvector of the larger eigenvalue, from the row without cancellation.
    m.direction = half_gap >= 0 ? Vec2(half_gap + radius, m.b) : Vec2(m.b, radius - half_gap);
    m.direction.normalize();
    const Real outside = m.direction.x() * m.d.y() - m.direction.y() * m.d.x();
    m.reduced = std::abs(outside) <= kRankTolerance * (m.largest + m.norm_d);
  }
  return m;
}

// 1/‖(A + lambda)⁻¹d‖ = 1 by Newton from below.
Real solve_secular(const Secular& m) {
  Real lambda = std::max(Real{0}, m.norm_d - m.largest);
  for (int i = 0; i < kMaxNewton; ++i) {
    const Vec2 w = m.adj_A_d + lambda * m.d;
    const Real p = (lambda + m.trace) * lambda + m.det;
    const Real norm2 = w.squaredNorm();
    const Real slope = (2 * lambda + m.trace) - p * w.dot(m.d) / norm2;
    const Real step = (std::sqrt(norm2) - p) / slope;
    if (!(step > kEpsilon * lambda)) break;
    lambda += step;
  }
  return lambda;
}

}  // namespace

Vec2 sticking_rate(const Mat2& B, const Vec2& d) {
  const Secular m = make_secular(B, d);
  if (m.reduced) return -m.direction.dot(m.d) / m.largest * m.direction;
  if (!(m.det > 0)) return Vec2::Zero();
  return -m.adj_A_d / m.det;
}

std::optional<Vec2> centrifugal_direction(const Mat2& B, const Vec2& d, Real mu) {
  const Secular m = make_secular(mu * B, d);
  if (m.reduced) {
    const Real along = m.direction.dot(m.d);
    if (std::abs(along) <= m.largest) return std::nullopt;
    return along > 0 ? m.direction : Vec2(-m.direction);
  }
  if (!(m.norm_d > 0)) return std::nullopt;
  if (!(m.largest > 0)) return Vec2(m.d / m.norm_d);
  // ‖B⁻¹d‖ <= mu. [impact Theorem 5 (iii)]
  if (m.adj_A_d.squaredNorm() <= m.det * m.det) return std::nullopt;
  const Vec2 w = m.adj_A_d + solve_secular(m) * m.d;
  return Vec2(w / w.norm());
}

Real rate_of_speed(const Mat2& B, const Vec2& d, Real mu, const Vec2& u) {
  const Real f = u.dot(d - mu * (B * u));
  // Its rounding, term by term: where B is stiff across u, that of γ' is far more and would hide a stop.
  const Vec2 size = u.cwiseAbs();
  const Real rounding = 4 * kEpsilon * size.dot(mu * (B.cwiseAbs() * size) + d.cwiseAbs());
  return std::abs(f) <= rounding ? 0 : f;
}

}  // namespace visviva::impact
