#include "impact/approach_to_stop.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace visviva::impact {
namespace {

constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();
/// Farthest first guess of the attracting direction that is tried [rad].
constexpr Real kReach = 0.6;
/// Largest |t| over the estimated distance to the next root of g: kMaxTerms then reach rounding.
constexpr Real kConvergence = 0.42;
constexpr int kMaxTerms = 48;

/// The field in the frame of the attracting direction u, n. All but d_u, d_n include mu.
struct LocalField {
  Vec2 u, n;
  Real b11, b12, b22, d_u, d_n;
  Real lambda;  ///< rate of r on the ray, < 0
  Real A;       ///< g' on the ray, < 0
};

/// Newton's method on g(θ) = n·(-mu B u + d) from a direction close to a root.
std::optional<LocalField> attracting_centripetal(const SlipProblem& problem, Vec2 u) {
  const auto& [B, d, W33, mu, scale] = problem;
  LocalField field;
  for (int i = 0; i < 8; ++i) {
    const Vec2 n = left_of(u);
    const Vec2 Bu = B * u, Bn = B * n;
    field = {u, n, mu * u.dot(Bu), mu * u.dot(Bn), mu * n.dot(Bn), d.dot(u), d.dot(n), 0, 0};
    field.lambda = field.d_u - field.b11;
    field.A = -(field.lambda + field.b22);
    const Real g = field.d_n - field.b12;
    if (!(field.lambda < 0 && field.A < 0)) return std::nullopt;
    if (std::abs(g) <= 2 * kEpsilon * scale) return field;
    const Real turn = -g / field.A;
    if (!(std::abs(turn) < kReach)) return std::nullopt;
    u = (u + turn * n).normalized();
  }
  return field;
}

}  // namespace

std::optional<ApproachToStop> approach_to_stop(const SlipProblem& problem, const Vec2& direction, Real speed) {
  const auto& [B, d, W33, mu, scale] = problem;
  const auto found = attracting_centripetal(problem, direction);
  if (!found) return std::nullopt;
  const LocalField& f = *found;
  const Real cos_phi = f.u.dot(direction), sin_phi = f.n.dot(direction);
  if (!(cos_phi > 0)) return std::nullopt;
  const Real t = sin_phi / (1 + cos_phi);

  // dt/dσ = t P(t)/(1 + t²) and d ln y/dt = H(t)/(t P(t)) for y = r/(1 + t²).   [theory/impact
  // (14)]
  const std::array<Real, 4> P{f.A, 3 * f.b12, -(f.b11 - f.b22 + f.d_u), -f.b12};
  const std::array<Real, 4> H{f.lambda, -2 * f.b12, f.b11 - 2 * f.b22 + f.d_u, 2 * f.b12};
  // The roots of P bound the disc of convergence; none is closer than the smallest of these three
  // estimates.
  const Real reach = kConvergence / std::max(std::abs(t), std::numeric_limits<Real>::min());
  const Real size_A = std::abs(f.A) * reach;
  if (!(std::abs(P[1]) < size_A && std::abs(P[2]) < size_A * reach && std::abs(P[3]) < size_A * reach * reach))
    return std::nullopt;

  // y k, y c, y s: what is left of Iz and of -I⊥/mu along u and n.  H k + t P k' = -(1 + t²)², and
  // -(1 - t⁴), -2t(1 + t²) for c and s.   [theory/impact (15)]
  // y w: what is left of vz.  y² z: ∫ y w dIz, 2 H z + t P z' = -(1 + t²)² w.   [theory/impact
  // (16)]
  constexpr std::array<Real, 5> kRightK{1, 0, 2, 0, 1}, kRightC{1, 0, 0, 0, -1}, kRightS{0, 2, 0, 2, 0};
  std::array<Real, kMaxTerms> k, c, s, w, z;
  Real sum_k = 0, sum_c = 0, sum_s = 0, sum_z = 0, size_z = 0, power = 1;
  int small = 0;
  for (int j = 0; j < kMaxTerms; ++j) {
    const auto J = static_cast<std::size_t>(j);
    Real rk = J < 5 ? -kRightK[J] : 0, rc = J < 5 ? -kRightC[J] : 0, rs = J < 5 ? -kRightS[J] : 0;
    for (std::size_t i = 1; i <= std::min<std::size_t>(3, J); ++i) {
      const Real weight = H[i] + P[i] * static_cast<Real>(j - static_cast<int>(i));
      rk -= weight * k[J - i];
      rc -= weight * c[J - i];
      rs -= weight * s[J - i];
    }
    const Real over = 1 / (f.lambda + f.A * j);
    k[J] = rk * over;
    c[J] = rc * over;
    s[J] = rs * over;
    w[J] = W33 * k[J] - mu * (f.d_u * c[J] + f.d_n * s[J]);
    Real rz = -(w[J] + (J >= 2 ? 2 * w[J - 2] : 0) + (J >= 4 ? w[J - 4] : 0));
    for (std::size_t i = 1; i <= std::min<std::size_t>(3, J); ++i)
      rz -= (2 * H[i] + P[i] * static_cast<Real>(j - static_cast<int>(i))) * z[J - i];
    z[J] = rz / (2 * f.lambda + f.A * j);

    const Real term_k = k[J] * power, term_z = z[J] * power;
    sum_k += term_k;
    sum_c += c[J] * power;
    sum_s += s[J] * power;
    sum_z += term_z;
    size_z += std::abs(term_z);
    power *= t;
    const bool converged =
        std::abs(term_k) <= 0.25 * kEpsilon * std::abs(sum_k) && std::abs(term_z) <= 0.25 * kEpsilon * size_z;
    small = converged ? small + 1 : 0;
    if (small == 3 || (t == 0 && j == 0)) {
      const Real y = speed / (1 + t * t);
      ApproachToStop rest;
      rest.impulse_z = y * sum_k;
      rest.impulse_t = -mu * y * (sum_c * f.u + sum_s * f.n);
      rest.dv = W33 * rest.impulse_z + d.dot(rest.impulse_t);
      rest.work_about_stop = -y * y * sum_z;
      return rest;
    }
  }
  return std::nullopt;
}

}  // namespace visviva::impact
