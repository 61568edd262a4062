#pragma once

#include <cstdint>

namespace visviva::collision {

/// A candidate among many: the highest value and the first index that has it.
struct Highest {
  double value;
  std::uint32_t index;
};

/// Edges of a polytope: the outward normals of their two faces, their direction and one end, as arrays.
struct ArcArrays {
  static constexpr int kMost = 96;
  /// x, y, z of the first normal, of the second, of the direction, of the end. Aligned, so that no load of eight
  /// crosses a cache line, wherever on the stack the arrays are.
  alignas(64) double value[12][kMost];
  std::uint32_t edge[kMost];
  int count;
};

/// Loops over vertices and faces, several at a time. Chosen once by the processor; all give the same bits.
struct PolytopeLanes {
  /// Farthest of `stride` points along d.
  Highest (*farthest)(const double* x, std::uint32_t stride, const double* d);
  /// The highest of n_f·p - offset_f over all faces.
  Highest (*highest_face)(const double* planes, std::uint32_t stride, const double* p);
  /// The highest of the lesser of n_f·p - offset_f and n_f·q - offset_f.
  Highest (*highest_face_below)(const double* planes, std::uint32_t stride, const double* p, const double* q);
  /// bound[f] = min(bound[f], n_f·p - offset_f) over all faces; the highest of them.
  Highest (*lower_bounds)(const double* planes, std::uint32_t stride, const double* p, double* bound);
  /// The faces with n_f·p - offset_f >= least among the first `count`, at most `room`; how many there are.
  std::uint32_t (*faces_above)(const double* planes, std::uint32_t stride, std::uint32_t count, const double* p,
                               double least, std::uint32_t* faces, std::uint32_t room);
  /// For an arc of A and the arcs of B: bit k of bits[i] is set if arc 8 i + k of B crosses it on the sphere.
  void (*crossing_arcs)(const double* arc, const ArcArrays& arcs, std::uint32_t* bits);
};

PolytopeLanes polytope_lanes_baseline();
PolytopeLanes polytope_lanes_avx2();
PolytopeLanes polytope_lanes_avx512();

[[nodiscard]] const PolytopeLanes& polytope_lanes();

}  // namespace visviva::collision
