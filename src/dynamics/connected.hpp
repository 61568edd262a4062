#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

/// Things that are connected, as a forest: each knows one before it, the first of each set itself.
namespace visviva::dynamics {

/// The first of the set that i belongs to; paths get shorter as they are walked.
[[nodiscard]] inline std::uint32_t root_of(std::vector<std::uint32_t>& parents, std::uint32_t i) {
  while (parents[i] != i) i = parents[i] = parents[parents[i]];
  return i;
}

/// Both belong to one set from now on.
inline void connect(std::vector<std::uint32_t>& parents, std::uint32_t i, std::uint32_t k) {
  const std::uint32_t a = root_of(parents, i), b = root_of(parents, k);
  if (a != b) parents[std::max(a, b)] = std::min(a, b);
}

}  // namespace visviva::dynamics
