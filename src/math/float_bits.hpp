#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "visviva/math/types.hpp"

/// Exponents of doubles by their bits: faster than frexp and ldexp, and inlined.
namespace visviva {

inline std::uint64_t to_bits(Real x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

inline Real from_bits(std::uint64_t bits) {
  Real x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

/// 2^n for -1022 <= n <= 1023.
inline Real power_of_two(int n) { return from_bits(static_cast<std::uint64_t>(n + 1023) << 52); }

/// x 2^n for any n, rounded once if |x| is in [2^-900, 2^900].
inline Real scale(Real x, int n) {
  if (n > 1023) return x * power_of_two(1023) * power_of_two(std::min(n - 1023, 1023));
  if (n < -1022) return x * power_of_two(std::max(n + 1000, -1022)) * power_of_two(-1000);
  return x * power_of_two(n);
}

/// e with 2^(e-1) <= |x| < 2^e; x finite and not 0.
inline int exponent_of(Real x) {
  const int biased = static_cast<int>((to_bits(x) >> 52) & 0x7ff);
  return biased != 0 ? biased - 1022 : static_cast<int>((to_bits(x * 0x1p54) >> 52) & 0x7ff) - 1022 - 54;
}

}  // namespace visviva
