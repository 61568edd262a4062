#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "visviva/math/types.hpp"

// Boxes of a Tree's nodes. Nodes differ from other things with `lower` and `upper` floats only by their links, so these
// are templates.
namespace visviva::collision {

template <class Box>
void unite_with(Box& box, const Box& other) {
  for (std::size_t i = 0; i < 3; ++i) {
    box.lower[i] = std::min(box.lower[i], other.lower[i]);
    box.upper[i] = std::max(box.upper[i], other.upper[i]);
  }
}

/// Half the surface, in doubles: floats would overflow.
template <class Box>
[[nodiscard]] Real half_surface(const Box& box) {
  const Real x = static_cast<Real>(box.upper[0]) - static_cast<Real>(box.lower[0]);
  const Real y = static_cast<Real>(box.upper[1]) - static_cast<Real>(box.lower[1]);
  const Real z = static_cast<Real>(box.upper[2]) - static_cast<Real>(box.lower[2]);
  return x * y + y * z + z * x;
}

template <class Box>
[[nodiscard]] Real half_surface_of_both(Box a, const Box& b) {
  unite_with(a, b);
  return half_surface(a);
}

template <class Box>
[[nodiscard]] bool holds(const Box& outer, const Box& inner) {
  bool all = true;
  for (std::size_t i = 0; i < 3; ++i) all = all && outer.lower[i] <= inner.lower[i] && inner.upper[i] <= outer.upper[i];
  return all;
}

}  // namespace visviva::collision
