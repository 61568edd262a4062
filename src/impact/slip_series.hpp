#pragma once

#include <array>
#include <cstddef>

namespace visviva::impact {

/// The sliding equation in the regularised variable σ, dIz = r dσ with r = |γ|:
///   γ_σ = -mu B γ + r d,   Iz_σ = r,   I⊥_σ = -mu γ,   vz_σ = W33 r - mu d·γ,   N_σ = vz r.
///   [theory/impact (9)]
/// Written in the frame of the current sliding direction (x along γ), with all rates divided by a
/// power of two L >= mu|B| + |d|: a unit of σ is about what changes γ. V is double or a pack of
/// SIMD lanes.
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
  std::array<V, Order + 1> gx, gy;  ///< γ
  std::array<V, Order + 1> r;       ///< |γ|
  std::array<V, Order + 1> dv;      ///< vz - vz(0)
  std::array<V, Order + 1> work;    ///< ∫ (vz - vz(0)) dIz, relative to r²
};

/// 1/k, so that no coefficient costs a division.
template <int Order>
inline constexpr std::array<double, Order + 2> kReciprocals = [] {
  std::array<double, Order + 2> reciprocals{};
  for (int k = 1; k < Order + 2; ++k) reciprocals[static_cast<std::size_t>(k)] = 1.0 / k;
  return reciprocals;
}();

/// Taylor series about γ = (1, 0). With ε = r - γx the identity r² = γx² + γy² reads ε (γx + r) =
/// γy², which gives ε order by order without cancellation, two orders ahead of γx: the chain of
/// dependent operations stays short. Cost: 2.5 Order² / 2 multiplications and additions.
template <class V, int Order>
[[gnu::always_inline]] inline void expand(const SlipField<V>& field, SlipSeries<V, Order>& s) {
  constexpr auto over = kReciprocals<Order>;
  std::array<V, Order + 1> eps, sum;  // sum = γx + r
  s.gx[0] = s.r[0] = V{} + 1.0;
  s.gy[0] = s.dv[0] = s.work[0] = eps[0] = V{};
  sum[0] = V{} + 2.0;
#pragma GCC unroll 32
  for (std::size_t k = 0; k < Order; ++k) {
    s.gx[k + 1] =
        (s.r[k] * field.d1 - (field.muB11 * s.gx[k] + field.muB12 * s.gy[k])) * over[k + 1];
    s.gy[k + 1] =
        (s.r[k] * field.d2 - (field.muB12 * s.gx[k] + field.muB22 * s.gy[k])) * over[k + 1];
    s.dv[k + 1] =
        (s.r[k] * field.W33 - (field.mud1 * s.gx[k] + field.mud2 * s.gy[k])) * over[k + 1];

    V work{};  // coefficient k of dv·r
#pragma GCC unroll 32
    for (std::size_t i = 1; i <= k; ++i) work = work + s.dv[i] * s.r[k - i];
    s.work[k + 1] = work * over[k + 1];

    V gy2{};  // coefficient k + 1 of γy²
#pragma GCC unroll 32
    for (std::size_t i = 1; 2 * i < k + 1; ++i) gy2 = gy2 + s.gy[i] * s.gy[k + 1 - i];
    gy2 = gy2 + gy2;
    if (k % 2 == 1) gy2 = gy2 + s.gy[(k + 1) / 2] * s.gy[(k + 1) / 2];
    V known{};  // coefficient k + 1 of ε·sum without ε[k + 1] sum[0]; ε[0] = ε[1] = 0
#pragma GCC unroll 32
    for (std::size_t i = 2; i <= k; ++i) known = known + eps[i] * sum[k + 1 - i];
    eps[k + 1] = (gy2 - known) * 0.5;
    s.r[k + 1] = s.gx[k + 1] + eps[k + 1];
    sum[k + 1] = s.gx[k + 1] + s.r[k + 1];
  }
}

}  // namespace visviva::impact
