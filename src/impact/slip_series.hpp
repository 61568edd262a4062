#pragma once

#include <cstddef>

/// Series of slip for V = double or a pack of SIMD lanes. Included by lane files: nothing but what is forced inline.
namespace visviva::impact {

/// Below this e restitution starts with an expansion of its own: within that of compression, what is left of the
/// energy would drown in the rounding of what was stored.
inline constexpr double kSmallRestitution = 1.0 / 16;

/// The sliding equation in the regularised variable σ, dIz = r dσ with r = |γ|:
///   γ_σ = -mu B γ + r d,   Iz_σ = r,   I⊥_σ = -mu γ,   vz_σ = W33 r - mu d·γ,   N_σ = vz r.   [theory/impact (9)]
/// Written in the frame of the current sliding direction (x along γ), with all rates divided by a power of two
/// L >= mu|B| + |d|: a unit of σ is about what changes γ.
template <class V>
struct SlipField {
  V muB11, muB12, muB22;  ///< mu B / L
  V d1, d2;               ///< d / L
  V W33;                  ///< W33 / L
  V mud1, mud2;           ///< mu d / L
};

/// Coefficients of σ^k, relative to r at σ = 0.
template <class V, int Order>
struct SlipSeries {
  V gx[Order + 1], gy[Order + 1];  ///< γ
  V r[Order + 1];                  ///< |γ|
  V dv[Order + 1];                 ///< vz - vz(0)
  V work[Order + 1];               ///< ∫ (vz - vz(0)) dIz, relative to r²
};

/// 1/k, so that no coefficient costs a division.
template <int Order>
struct Reciprocals {
  double of[Order + 2];
  constexpr Reciprocals() : of{} {
    for (int k = 1; k < Order + 2; ++k) of[k] = 1.0 / k;
  }
};
template <int Order>
inline constexpr Reciprocals<Order> kReciprocals{};

/// Taylor series about γ = (1, 0). With ε = r - γx the identity r² = γx² + γy² reads ε (γx + r) = γy², which gives ε
/// order by order without cancellation, two orders ahead of γx: the chain of dependent operations stays short.
/// Cost: 2.5 Order² / 2 multiplications and additions.   [theory/impact (13)]
template <class V, int Order>
[[gnu::always_inline]] inline void expand(const SlipField<V>& field, SlipSeries<V, Order>& s) {
  constexpr const double* over = kReciprocals<Order>.of;
  V eps[Order + 1], sum[Order + 1];  // sum = γx + r
  const V zero(0.0);
  s.gx[0] = s.r[0] = V(1.0);
  s.gy[0] = s.dv[0] = s.work[0] = eps[0] = zero;
  sum[0] = V(2.0);
#pragma GCC unroll 32
  for (std::size_t k = 0; k < Order; ++k) {
    s.gx[k + 1] = (s.r[k] * field.d1 - (field.muB11 * s.gx[k] + field.muB12 * s.gy[k])) * over[k + 1];
    s.gy[k + 1] = (s.r[k] * field.d2 - (field.muB12 * s.gx[k] + field.muB22 * s.gy[k])) * over[k + 1];
    s.dv[k + 1] = (s.r[k] * field.W33 - (field.mud1 * s.gx[k] + field.mud2 * s.gy[k])) * over[k + 1];

    V work = zero;  // coefficient k of dv·r
#pragma GCC unroll 32
    for (std::size_t i = 1; i <= k; ++i) work = work + s.dv[i] * s.r[k - i];
    s.work[k + 1] = work * over[k + 1];

    V gy2 = zero;  // coefficient k + 1 of γy²
#pragma GCC unroll 32
    for (std::size_t i = 1; 2 * i < k + 1; ++i) gy2 = gy2 + s.gy[i] * s.gy[k + 1 - i];
    gy2 = gy2 + gy2;
    if (k % 2 == 1) gy2 = gy2 + s.gy[(k + 1) / 2] * s.gy[(k + 1) / 2];
    V known = zero;  // coefficient k + 1 of ε·sum without ε[k + 1] sum[0]; ε[0] = ε[1] = 0
#pragma GCC unroll 32
    for (std::size_t i = 2; i <= k; ++i) known = known + eps[i] * sum[k + 1 - i];
    eps[k + 1] = (gy2 - known) * 0.5;
    s.r[k + 1] = s.gx[k + 1] + eps[k + 1];
    sum[k + 1] = s.gx[k + 1] + s.r[k + 1];
  }
}

/// The series at one σ.
template <class V>
struct SlipPoint {
  V gx, gy;  ///< γ
  V z;       ///< ∫ r dσ
  V cx, cy;  ///< ∫ γ dσ
  V work;    ///< ∫ (vz - vz(0)) dIz
};

template <class V, int Order>
[[gnu::always_inline]] inline SlipPoint<V> evaluate(const SlipSeries<V, Order>& s, V sigma) {
  constexpr const double* over = kReciprocals<Order>.of;
  constexpr std::size_t n = Order;
  SlipPoint<V> p{s.gx[n], s.gy[n], s.r[n] * over[n + 1], s.gx[n] * over[n + 1], s.gy[n] * over[n + 1], s.work[n]};
  // Horner's rule by pairs of coefficients: half as long a chain of dependent operations.
  static_assert(Order % 2 == 0);
  const V sigma2 = sigma * sigma;
  for (std::size_t k = n; k > 0; k -= 2) {
    p.gx = p.gx * sigma2 + (s.gx[k - 1] * sigma + s.gx[k - 2]);
    p.gy = p.gy * sigma2 + (s.gy[k - 1] * sigma + s.gy[k - 2]);
    p.z = p.z * sigma2 + (s.r[k - 1] * over[k] * sigma + s.r[k - 2] * over[k - 1]);
    p.cx = p.cx * sigma2 + (s.gx[k - 1] * over[k] * sigma + s.gx[k - 2] * over[k - 1]);
    p.cy = p.cy * sigma2 + (s.gy[k - 1] * over[k] * sigma + s.gy[k - 2] * over[k - 1]);
    p.work = p.work * sigma2 + (s.work[k - 1] * sigma + s.work[k - 2]);
  }
  p.z = p.z * sigma;
  p.cx = p.cx * sigma;
  p.cy = p.cy * sigma;
  return p;
}

/// The slip near an attracting centripetal direction u, with n to its left. The b and A include mu.
template <class V>
struct ApproachField {
  V b11, b12, b22;  ///< mu u·Bu, mu u·Bn, mu n·Bn
  V d_u, d_n;       ///< d·u, d·n
  V lambda;         ///< rate of r on the ray, d_u - b11 < 0
  V A;              ///< g' on the ray, -(lambda + b22) < 0
};

/// What is left until γ = 0, relative to y = r/(1 + t²): Iz, -I⊥/mu along u and n; and, relative to y², ∫ y w dIz where
/// y w is what is left of vz.
template <class V>
struct ApproachSum {
  V k, c, s, z;
};

inline constexpr int kApproachTerms = 64;
/// Newton's method looks for the attracting direction up to kAttractorReach away, in at most so many iterations.
inline constexpr int kAttractorIterations = 8;
inline constexpr double kAttractorReach = 2.0;  ///< [rad]
/// Last move of that method: it squares the error, so that the next would be rounding [rad].
inline constexpr double kAttractorFound = 1e-9;

/// Whether kApproachTerms are likely to sum the series to rounding; whether they do, their size tells. The other roots
/// of g, those of P, bound its disc of convergence; none is closer than half of the smallest of |A/P1|, |A/P2|^(1/2),
/// |A/P3|^(1/3), and most are farther away than that.
template <class V>
[[gnu::always_inline]] inline auto is_within_reach(const ApproachField<V>& f, V abs_t) {
  const V x = abs_t * (1 / 0.8);
  const V A2 = f.A * f.A, P1 = f.b12 * 3.0 * x, P2 = (f.b22 - f.b11 - f.d_u) * x * x, P3 = f.b12 * x * x * x;
  return (P1 * P1 < A2) & (P2 * P2 < A2) & (P3 * P3 < A2);
}

/// Sums the series of the approach at t = tan(φ/2), φ the angle from u to γ.
///   dt/dσ = t P(t)/(1 + t²) and d ln y/dt = H(t)/(t P(t))   [theory/impact (14)]
///   H k + t P k' = -(1 + t²)², and -(1 - t⁴), -2t(1 + t²) for c and s   [theory/impact (15)]
///   2 H z + t P z' = -(1 + t²)² w   [theory/impact (16)]
/// Each coefficient follows from the three before it; lambda + A j never vanishes, since both are negative.
/// `is_done(term_k, sum_k, term_z, power)` is asked after each term; it may set the power of t to zero where the sum is
/// to stay as it is.
template <class V, class IsDone>
[[gnu::always_inline]] inline ApproachSum<V> sum_approach(const ApproachField<V>& f, V W33, V mu, V t,
                                                          IsDone& is_done) {
  const V P1 = f.b12 * 3.0, P2 = f.b22 - f.b11 - f.d_u, P3 = -f.b12;
  const V H1 = f.b12 * -2.0, H2 = f.b11 - f.b22 * 2.0 + f.d_u, H3 = f.b12 * 2.0;
  constexpr double kRightK[5] = {1, 0, 2, 0, 1}, kRightC[5] = {1, 0, 0, 0, -1}, kRightS[5] = {0, 2, 0, 2, 0};
  const V zero(0.0);
  V k1 = zero, k2 = zero, k3 = zero, c1 = zero, c2 = zero, c3 = zero, s1 = zero, s2 = zero, s3 = zero;  // earlier ones
  V z1 = zero, z2 = zero, z3 = zero, w1 = zero, w2 = zero, w3 = zero, w4 = zero;
  const V mud_u = mu * f.d_u, mud_n = mu * f.d_n;
  ApproachSum<V> sum{zero, zero, zero, zero};
  V power(1.0);
  for (int j = 0; j < kApproachTerms; ++j) {
    const double J = j;
    const V q1 = H1 + P1 * (J - 1), q2 = H2 + P2 * (J - 2), q3 = H3 + P3 * (J - 3);
    const V denominator_k = f.lambda + f.A * J, denominator_z = f.lambda + denominator_k;
    const V over_both = 1.0 / (denominator_k * denominator_z);  // one division for two
    const V over_k = over_both * denominator_z, over_z = over_both * denominator_k;
    V k = q3 * k3 + q2 * k2 + q1 * k1, c = q3 * c3 + q2 * c2 + q1 * c1, s = q3 * s3 + q2 * s2 + q1 * s1;
    if (j < 5) {
      k = k + kRightK[j];
      c = c + kRightC[j];
      s = s + kRightS[j];
    }
    k = -(k * over_k);
    c = -(c * over_k);
    s = -(s * over_k);
    const V w = W33 * k - (mud_u * c + mud_n * s);
    V z = (H3 + q3) * z3 + (H2 + q2) * z2 + (H1 + q1) * z1 + (w + w2 * 2.0 + w4);
    z = -(z * over_z);

    const V term_k = k * power, term_z = z * power;
    sum.k = sum.k + term_k;
    sum.c = sum.c + c * power;
    sum.s = sum.s + s * power;
    sum.z = sum.z + term_z;
    power = power * t;
    if (is_done(term_k, sum.k, term_z, power)) break;
    k3 = k2, k2 = k1, k1 = k;
    c3 = c2, c2 = c1, c1 = c;
    s3 = s2, s2 = s1, s1 = s;
    z3 = z2, z2 = z1, z1 = z;
    w4 = w3, w3 = w2, w2 = w1, w1 = w;
  }
  return sum;
}

}  // namespace visviva::impact
