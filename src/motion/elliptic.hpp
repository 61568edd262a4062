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

/// Π(n, k) = ∫ du / (1 − n sn²u) from 0 to K, for n <= 0, from k' > 0. Positive terms only.
[[nodiscard]] Real complete_third(Real n, Real complementary_k);

}  // namespace visviva::motion
