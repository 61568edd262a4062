#pragma once

#include <cstddef>
#include <vector>

namespace visviva::collision {

/// Asks for an array that will be read soon. In a scene of many bodies none of a pair's arrays is in the caches; asked
/// for together they are waited for once, else one after the other.
template <class T>
void fetch(const std::vector<T>& array) {
  constexpr std::size_t kLine = 64;
  const char* const bytes = reinterpret_cast<const char*>(array.data());
  for (std::size_t i = 0; i < array.size() * sizeof(T); i += kLine) __builtin_prefetch(bytes + i);
}

}  // namespace visviva::collision
