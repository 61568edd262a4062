// The farthest of many vertices, eight at a time. Included by one file for each instruction set; see
// visviva/math/lanes.hpp for what such a file may use.
#include "geometry/support_lanes.hpp"

namespace visviva::geometry {
inline namespace VISVIVA_LANES_NAMESPACE {
namespace {

using V = Lanes<double, 8>;

VISVIVA_LANES_INLINE double larger(double a, double b) { return b < a ? a : b; }

VISVIVA_LANES_INLINE V reach_at(const VertexLanes& v, std::uint32_t i, V dx, V dy, V dz) {
  return V::load(v.x + i) * dx + V::load(v.y + i) * dy + V::load(v.z + i) * dz;
}

VISVIVA_LANES_INLINE double largest_of(V a) {
  double r[8];
  a.store(r);
  return larger(larger(larger(r[0], r[1]), larger(r[2], r[3])), larger(larger(r[4], r[5]), larger(r[6], r[7])));
}

/// Lanes of block k that equal `most`, as bits of a word of four blocks.
VISVIVA_LANES_INLINE std::uint32_t equal_bits(V reach, V most, int k) { return to_bits(reach == most) << 8 * k; }

VISVIVA_LANES_INLINE std::uint32_t first_bit(std::uint32_t bits) {
  return bits != 0 ? static_cast<std::uint32_t>(__builtin_ctz(bits)) : 0u;
}

/// Up to 32 vertices stay in registers. What the search waits for is not the products but the way from them to one
/// index: so the largest reach comes first, and then where it is.
template <int blocks>
VISVIVA_LANES_INLINE std::uint32_t farthest_of_few(const VertexLanes& v, V dx, V dy, V dz) {
  V reach[blocks];
  for (int k = 0; k < blocks; ++k) reach[k] = reach_at(v, static_cast<std::uint32_t>(8 * k), dx, dy, dz);
  V most = reach[0];
  for (int k = 1; k < blocks; ++k) most = max(most, reach[k]);
  const V largest(largest_of(most));
  std::uint32_t bits = 0;
  for (int k = 0; k < blocks; ++k) bits |= equal_bits(reach[k], largest, k);
  return first_bit(bits);
}

std::uint32_t farthest_of_many(const VertexLanes& v, V dx, V dy, V dz) {
  double reach[kLanesAtMost];
  V most = reach_at(v, 0, dx, dy, dz), other = most;
  most.store(reach);
  std::uint32_t i = 8;
  for (; i + 8 < v.stride; i += 16) {
    const V p = reach_at(v, i, dx, dy, dz), q = reach_at(v, i + 8, dx, dy, dz);
    p.store(reach + i), q.store(reach + i + 8);
    most = max(most, p), other = max(other, q);
  }
  if (i < v.stride) {
    const V p = reach_at(v, i, dx, dy, dz);
    p.store(reach + i);
    most = max(most, p);
  }
  const V largest(largest_of(max(most, other)));
  for (i = 0; i < v.stride; i += 8) {
    const std::uint32_t bits = equal_bits(V::load(reach + i), largest, 0);
    if (bits != 0) return i + first_bit(bits);
  }
  return 0;
}

std::uint32_t farthest_vertex(const VertexLanes& v, double dx, double dy, double dz) {
  switch (v.stride / 8) {
    case 1:
      return farthest_of_few<1>(v, dx, dy, dz);
    case 2:
      return farthest_of_few<2>(v, dx, dy, dz);
    case 3:
      return farthest_of_few<3>(v, dx, dy, dz);
    case 4:
      return farthest_of_few<4>(v, dx, dy, dz);
    default:
      return farthest_of_many(v, dx, dy, dz);
  }
}

}  // namespace
}  // namespace VISVIVA_LANES_NAMESPACE
}  // namespace visviva::geometry
