#pragma once

#include "visviva/math/types.hpp"

/// Elliptic integrals whose bits depend on nothing but their arguments (no C library but sqrt).
namespace visviva::motion {

/// Carlson's R_F(x, y, z) = 1/2 ∫ dt / sqrt((t+x)(t+y)(t+z)) over t > 0. Arguments >= 0, at most one of them 0.
[[nodiscard]] Real carlson_rf(Real x, Real y, Real z);

/// Legendre's F(φ | k²) for φ in [-π/2, π/2], from sin φ, cos φ >= 0 and k² + k'² = 1. Infinite at φ = ±π/2, k' = 0.
[[nodiscard]] Real incomplete_first(Real sine, Real cosine, Real complementary_k2);

/// K(k) = F(π/2 | k²), from k'. Infinite at k' = 0.
[[nodiscard]] Real complete_first(Real complementary_k);

/// ∫ (a cn²u + b sn²u) / (cn²u + p sn²u) du from 0 to K, from k' > 0; p > 0, a and b >= 0. Positive terms only. With
/// p = 1 − n it is Π(n, k) for a = b = 1, and K − Π(n, k) for a = 0, b = −n.
[[nodiscard]] Real complete_third(Real complementary_k, Real p, Real a, Real b);

}  // namespace visviva::motion
