#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

#include "visviva/math/types.hpp"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace visviva::bench {

/// Ticks of the finest clock there is.
inline std::uint64_t ticks() {
#if defined(__x86_64__)
  _mm_lfence();  // nothing measured may move out of its interval
  const std::uint64_t now = __rdtsc();
  _mm_lfence();
  return now;
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// Turns ticks into nanoseconds, less what reading the clock costs.
class Ticks {
 public:
  Ticks() {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const std::uint64_t first = ticks();
    while (Clock::now() - start < std::chrono::milliseconds(50)) {
    }
    const std::chrono::duration<Real, std::nano> passed = Clock::now() - start;
    ns_ = passed.count() / static_cast<Real>(ticks() - first);
    overhead_ = std::numeric_limits<std::uint64_t>::max();
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t a = ticks();
      overhead_ = std::min(overhead_, ticks() - a);
    }
  }
  [[nodiscard]] Real ns(std::uint64_t from, std::uint64_t to) const {
    const std::uint64_t passed = to - from;
    return passed > overhead_ ? ns_ * static_cast<Real>(passed - overhead_) : 0;
  }

 private:
  Real ns_ = 1;
  std::uint64_t overhead_ = 0;
};

/// The q-quantile; reorders `values`.
inline Real quantile(std::vector<Real>& values, Real q) {
  const auto index = static_cast<std::size_t>(q * static_cast<Real>(values.size() - 1));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(index);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace visviva::bench
