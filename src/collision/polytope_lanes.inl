// The lanes' part of the search for an axis; included by the files that compile it for one instruction set each.
#pragma once

#include "collision/polytope_lanes.hpp"
#include "visviva/math/lanes.hpp"

namespace visviva::collision {
inline namespace VISVIVA_LANES_NAMESPACE {
namespace {

using Eight = Lanes<double, 8>;

/// The first of the highest.
VISVIVA_LANES_INLINE Highest highest_of(Eight value, Eight index) {
  double v[8], k[8];
  value.store(v);
  index.store(k);
  const auto higher = [](double a, double b) VISVIVA_LANES_LAMBDA { return a > b ? a : b; };
  const double high =
      higher(higher(higher(v[0], v[1]), higher(v[2], v[3])), higher(higher(v[4], v[5]), higher(v[6], v[7])));
  std::uint32_t bits = to_bits(value == Eight(high));
  double first = k[__builtin_ctz(bits | 0x80u)];
  for (bits &= bits - 1; bits != 0; bits &= bits - 1) {
    const double other = k[__builtin_ctz(bits)];
    first = other < first ? other : first;
  }
  return {high, static_cast<std::uint32_t>(first)};
}

VISVIVA_LANES_INLINE Eight first_indices() {
  const double numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  return Eight::load(numbers);
}

Highest farthest(const double* x, std::uint32_t stride, const double* d) {
  const Eight dx(d[0]), dy(d[1]), dz(d[2]);
  const double *y = x + stride, *z = y + stride;
  Eight index = first_indices();
  Eight best_index = index;
  Eight best = Eight::load(x) * dx + Eight::load(y) * dy + Eight::load(z) * dz;
  for (std::uint32_t i = 8; i < stride; i += 8) {
    index += Eight(8.0);
    const Eight reach = Eight::load(x + i) * dx + Eight::load(y + i) * dy + Eight::load(z + i) * dz;
    const auto farther = reach > best;
    best = select(farther, reach, best);
    best_index = select(farther, index, best_index);
  }
  return highest_of(best, best_index);
}

VISVIVA_LANES_INLINE Eight above(const double* planes, std::uint32_t stride, std::uint32_t i, Eight px, Eight py,
                                 Eight pz) {
  return Eight::load(planes + i) * px + Eight::load(planes + stride + i) * py +
         Eight::load(planes + 2 * stride + i) * pz - Eight::load(planes + 3 * stride + i);
}

Highest highest_face(const double* planes, std::uint32_t stride, const double* p) {
  const Eight px(p[0]), py(p[1]), pz(p[2]);
  Eight index = first_indices();
  Eight best_index = index;
  Eight best = above(planes, stride, 0, px, py, pz);
  for (std::uint32_t i = 8; i < stride; i += 8) {
    index += Eight(8.0);
    const Eight height = above(planes, stride, i, px, py, pz);
    const auto higher = height > best;
    best = select(higher, height, best);
    best_index = select(higher, index, best_index);
  }
  return highest_of(best, best_index);
}

Highest highest_face_below(const double* planes, std::uint32_t stride, const double* p, const double* q) {
  const Eight px(p[0]), py(p[1]), pz(p[2]), qx(q[0]), qy(q[1]), qz(q[2]);
  Eight index = first_indices();
  Eight best_index = index;
  Eight best = min(above(planes, stride, 0, px, py, pz), above(planes, stride, 0, qx, qy, qz));
  for (std::uint32_t i = 8; i < stride; i += 8) {
    index += Eight(8.0);
    const Eight height = min(above(planes, stride, i, px, py, pz), above(planes, stride, i, qx, qy, qz));
    const auto higher = height > best;
    best = select(higher, height, best);
    best_index = select(higher, index, best_index);
  }
  return highest_of(best, best_index);
}

Highest lower_bounds(const double* planes, std::uint32_t stride, const double* p, double* bound) {
  const Eight px(p[0]), py(p[1]), pz(p[2]);
  Eight index = first_indices();
  Eight best_index = index;
  Eight best = min(Eight::load(bound), above(planes, stride, 0, px, py, pz));
  best.store(bound);
  for (std::uint32_t i = 8; i < stride; i += 8) {
    index += Eight(8.0);
    const Eight b = min(Eight::load(bound + i), above(planes, stride, i, px, py, pz));
    b.store(bound + i);
    const auto higher = b > best;
    best = select(higher, b, best);
    best_index = select(higher, index, best_index);
  }
  return highest_of(best, best_index);
}

std::uint32_t faces_above(const double* planes, std::uint32_t stride, std::uint32_t count, const double* p,
                          double least, std::uint32_t* faces, std::uint32_t room) {
  const Eight px(p[0]), py(p[1]), pz(p[2]);
  std::uint32_t found = 0;
  for (std::uint32_t i = 0; i < stride; i += 8) {
    std::uint32_t bits = to_bits(above(planes, stride, i, px, py, pz) >= Eight(least));
    for (; bits != 0; bits &= bits - 1) {
      const std::uint32_t f = i + static_cast<std::uint32_t>(__builtin_ctz(bits));
      if (f >= count) break;
      if (found < room) faces[found] = f;
      ++found;
    }
  }
  return found;
}

/// Arcs cross if each ends on both sides of the other's great circle, and they are not on opposite sides of the sphere.
void crossing_arcs(const double* arc, const ArcArrays& arcs, std::uint32_t* bits) {
  const auto dot = [](const Eight* a, const Eight* b)
                       VISVIVA_LANES_LAMBDA { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; };
  Eight a[9];
  for (int k = 0; k < 9; ++k) a[k] = Eight(arc[k]);
  for (int i = 0; i < arcs.count; i += 8) {
    Eight b[9];
    for (int k = 0; k < 9; ++k) b[k] = Eight::load(arcs.value[k] + i);
    const Eight b1 = dot(b, a + 6), b2 = dot(b + 3, a + 6), a1 = dot(a, b + 6), a2 = dot(a + 3, b + 6);
    // Where the circles cross: |a2| n1 + |a1| n2 of A, and the same of B.
    Eight same(0.0);
    for (int k = 0; k < 3; ++k) same += (abs(a2) * a[k] + abs(a1) * a[3 + k]) * (abs(b2) * b[k] + abs(b1) * b[3 + k]);
    const auto crosses = (b1 * b2 < Eight(0.0)) & (a1 * a2 < Eight(0.0)) & (same > Eight(0.0));
    const int left = arcs.count - i;
    bits[i / 8] = to_bits(crosses) & (left < 8 ? (1u << left) - 1u : 0xffu);
  }
}

}  // namespace
}  // namespace VISVIVA_LANES_NAMESPACE
}  // namespace visviva::collision
