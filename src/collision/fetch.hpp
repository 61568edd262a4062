#pragma once

#include <cstddef>

#include "visviva/geometry/polytope.hpp"

namespace visviva::collision {

/// Asks for numbers that will be read soon. In a scene of many bodies nothing of a pair is in the caches; asked for
/// together the lines are waited for once, else one after the other.
inline void fetch_lines(const Real* numbers, std::size_t lines) {
  constexpr std::size_t kLine = 8;
  for (std::size_t i = 0; i < lines; ++i) __builtin_prefetch(numbers + i * kLine);
}

/// All of a small polytope; of a large one its coordinates or planes, of which queries read all.
inline constexpr std::size_t kSmallPolytope = 64;  // cache lines

inline void fetch_coordinates(const geometry::Polytope& P) {
  const bool small = P.line_count() <= kSmallPolytope;
  fetch_lines(P.coordinates(), small ? P.line_count() : 3 * std::size_t{P.vertex_stride()} / 8);
}
inline void fetch_planes(const geometry::Polytope& P) {
  if (P.line_count() <= kSmallPolytope) return fetch_lines(P.coordinates(), P.line_count());
  fetch_lines(P.planes(), 4 * std::size_t{P.face_stride()} / 8);
}

}  // namespace visviva::collision
