#pragma once

namespace visviva::collision {

/// Two boxes in the frame of A: the rotation R[i][j] = axis i of A on axis j of B, B's centre and the half extents [m].
/// What belongs to B's axes stands there twice: read from the second or third on, the axes are exchanged in turn.
struct BoxNumbers {
  alignas(64) double R[3][8];
  double half_b[8];
  double t[4], half_a[4];
};

/// Gaps along the axes of two boxes [m], and which is the best.
struct BoxGaps {
  double of_a[4], of_b[4];  ///< normals of A's and of B's faces
  /// Edge i of A by edge j of B: the gap times the length of their product, less what rounding may add, and the square
  /// of this length. Not set if a face is enough.
  double product[3][4], length2[3][4];
  double face;  ///< the largest of the faces
  int index;    ///< 0 to 2: face normals of A, 3 to 5: of B, 6 + 3 i + j: edge i of A by edge j of B
};

/// What a search of boxes' axes is told.
struct BoxQuestion {
  double prefer_face;  ///< an axis of edges must be better by this [m]
  double rounding;     ///< of a product of edges [m]
  double enough;       ///< a face with a larger gap ends the search [m]
};

/// The separating axes of two boxes [Gottschalk1996]: B's axes or edges at a time. The same bits with every instruction
/// set.
using BoxSearch = void (*)(const BoxNumbers& boxes, const BoxQuestion& question, BoxGaps& gaps);

[[nodiscard]] BoxSearch box_search_baseline();
[[nodiscard]] BoxSearch box_search_avx2();

}  // namespace visviva::collision
