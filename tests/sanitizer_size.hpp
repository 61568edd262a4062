#pragma once

namespace visviva {

/// The size of a test: `full`, or `small` in a build with sanitizers, which run ten to fifty times slower. The small
/// size must still reach every branch that the test is about. CMake defines VISVIVA_SANITIZED where VISVIVA_SANITIZE is
/// set.
template <class T>
[[nodiscard]] constexpr T sanitizer_size([[maybe_unused]] T full, [[maybe_unused]] T small) {
#ifdef VISVIVA_SANITIZED
  return small;
#else
  return full;
#endif
}

}  // namespace visviva
