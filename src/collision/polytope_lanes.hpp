#pragma once

#include <cstdint>

namespace visviva::collision {

/// Two boxes: the rotation between them, R[i][j] = axis i of A on axis j of B, its transpose, B's centre in A's axes
/// and in B's, and half extents. Rows repeat themselves, so that shifted loads stay within.
struct BoxPair {
  double R[3][8], R_t[3][4];
  double t_a[4], t_b[4];
  double half_a[8], half_b[8];
  double rounding;     ///< what a gap of edges must beat its error by, before it is divided by the product's length
  double prefer_face;  ///< what it must beat the faces by [m]
};

/// The largest of the fifteen gaps.
struct BoxAxis {
  double gap;  ///< [m]
  int index;   ///< 0 to 2: face normals of A, 4 to 6: of B, 8 + 4 i + j: edge i of A by edge j of B
};

/// A candidate among many: the highest value and the first index that has it.
struct Highest {
  double value;
  std::uint32_t index;
};

/// Edges of a polytope: the outward normals of their two faces, their direction and one end, as arrays.
struct ArcArrays {
  static constexpr int kMost = 96;
  double value[12][kMost];  ///< x, y, z of the first normal, of the second, of the direction, of the end
  std::uint32_t edge[kMost];
  int count;
};

/// Loops over vertices and faces, several at a time. Chosen once by the processor; all give the same bits.
struct PolytopeLanes {
  /// Farthest of `stride` points along d.
  Highest (*farthest)(const double* x, std::uint32_t stride, const double* d);
  /// bound[f] = min(bound[f], n_f·p - offset_f) over all faces; the highest of them.
  Highest (*lower_bounds)(const double* planes, std::uint32_t stride, const double* p, double* bound);
  /// The faces with n_f·p - offset_f >= least among the first `count`, at most `room`; how many there are.
  std::uint32_t (*faces_above)(const double* planes, std::uint32_t stride, std::uint32_t count, const double* p,
                               double least, std::uint32_t* faces, std::uint32_t room);
  /// For an arc of A and the arcs of B: bit k of bits[i] is set if arc 8 i + k of B crosses it on the sphere.
  void (*crossing_arcs)(const double* arc, const ArcArrays& arcs, std::uint32_t* bits);
  /// Writes all twenty gaps, if wanted.
  BoxAxis (*box_axis)(const BoxPair& boxes, double* gaps);
};

PolytopeLanes polytope_lanes_baseline();
PolytopeLanes polytope_lanes_avx2();
PolytopeLanes polytope_lanes_avx512();

[[nodiscard]] const PolytopeLanes& polytope_lanes();

}  // namespace visviva::collision
