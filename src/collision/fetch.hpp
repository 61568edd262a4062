#pragma once

#include <cstddef>

#include "visviva/geometry/convex.hpp"
#include "visviva/geometry/core.hpp"
#include "visviva/geometry/polytope.hpp"

namespace visviva::collision {

/// Asks for numbers that will be read soon. In a scene of many bodies nothing of a pair is in the caches; asked for
/// together the lines are waited for once, else one after the other.
inline void fetch_lines(const Real* numbers, std::size_t lines) {
  constexpr std::size_t kLine = 8;
  for (std::size_t i = 0; i < lines; ++i) __builtin_prefetch(numbers + i * kLine);
}

/// What every query reads of a set first, and its polytope's own lines. Early: they are waited for together with the
/// poses.
inline void fetch_core(const geometry::Convex& set) {
  constexpr std::size_t kLines = sizeof(geometry::Core) / 64 + 1;
  const char* const begin = reinterpret_cast<const char*>(&set.core());
  for (const std::size_t line : {std::size_t{0}, std::size_t{1}, std::size_t{2}, kLines - 1})
    __builtin_prefetch(begin + 64 * line);
}

/// Of a small polytope its surface: what says how faces, edges and vertices hang together.
inline void fetch_surface(const geometry::Polytope& P) {
  constexpr std::size_t kSmall = 24;  // cache lines
  const std::size_t numbers = P.number_line_count(), lines = P.line_count() - numbers;
  if (lines <= kSmall) fetch_lines(P.coordinates() + 8 * numbers, lines);
}
inline void fetch_coordinates(const geometry::Polytope& P) {
  fetch_lines(P.coordinates(), 3 * std::size_t{P.vertex_stride()} / 8);
}
inline void fetch_planes(const geometry::Polytope& P) { fetch_lines(P.planes(), 4 * std::size_t{P.face_stride()} / 8); }

}  // namespace visviva::collision
