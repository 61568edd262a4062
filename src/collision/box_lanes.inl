// The fifteen axes of two boxes, in lanes of B's axes; included by the files that compile it for one instruction set
// each.
#pragma once

#include "collision/box_lanes.hpp"
#include "visviva/math/lanes.hpp"

namespace visviva::collision {
inline namespace VISVIVA_LANES_NAMESPACE {
namespace {

using Four = Lanes<double, 4>;  ///< the fourth is the first again

/// x² with the sign of x: grows with x.
VISVIVA_LANES_INLINE Four signed_square(Four x) { return x * abs(x); }

/// Axes of A and of B; the largest gap.
VISVIVA_LANES_INLINE void look_at_faces(const BoxNumbers& b, const Four* R, const Four* size, BoxGaps& gaps) {
  const Four half_b = Four::load(b.half_b);
  const Four t_b = Four(b.t[0]) * R[0] + Four(b.t[1]) * R[1] + Four(b.t[2]) * R[2];
  const Four reach = Four(b.half_a[0]) * size[0] + Four(b.half_a[1]) * size[1] + Four(b.half_a[2]) * size[2];
  (abs(t_b) - half_b - reach).store(gaps.of_b);
  double between[4], of_b[3][4];
  (abs(Four::load(b.t)) - Four::load(b.half_a)).store(between);
  for (int i = 0; i < 3; ++i) (half_b * size[i]).store(of_b[i]);
  for (int i = 0; i < 3; ++i) gaps.of_a[i] = between[i] - (of_b[i][0] + of_b[i][1] + of_b[i][2]);
  gaps.face = gaps.of_a[0];
  gaps.index = 0;
  for (int k = 1; k < 6; ++k) {
    const double gap = k < 3 ? gaps.of_a[k] : gaps.of_b[k - 3];
    gaps.index = gap > gaps.face ? k : gaps.index;
    gaps.face = gap > gaps.face ? gap : gaps.face;
  }
}

/// Edge i of A by all of B: e_i × R e_j has the components -R[v][j] along u and R[u][j] along v. Gaps are compared by
/// their squares: no root is taken.
VISVIVA_LANES_INLINE Four look_at_edges(const BoxNumbers& b, int i, const Four* R, const Four* size, double rounding,
                                        BoxGaps& gaps) {
  const int u = i == 2 ? 0 : i + 1, v = i == 0 ? 2 : i - 1;
  const Four next_b = Four::load(b.half_b + 1), last_b = Four::load(b.half_b + 2);
  const Four next = abs(Four::load(b.R[i] + 1)), last = abs(Four::load(b.R[i] + 2));
  const Four of_a = Four(b.half_a[u]) * size[v] + Four(b.half_a[v]) * size[u];
  const Four of_b = next_b * last + last_b * next;
  const Four product = abs(Four(b.t[v]) * R[u] - Four(b.t[u]) * R[v]) - of_a - of_b - Four(rounding);
  const Four length2 = R[u] * R[u] + R[v] * R[v];
  product.store(gaps.product[i]);
  length2.store(gaps.length2[i]);
  return signed_square(product) / length2;  // of parallel edges -infinity
}

void search_box_axes(const BoxNumbers& b, const BoxQuestion& question, BoxGaps& gaps) {
  Four R[3], size[3];
  for (int i = 0; i < 3; ++i) {
    R[i] = Four::load(b.R[i]);
    size[i] = abs(R[i]);
  }
  look_at_faces(b, R, size, gaps);
  if (gaps.face > question.enough) return;
  const double numbers[3][4] = {{6, 7, 8, 6}, {9, 10, 11, 9}, {12, 13, 14, 12}};
  Four best = signed_square(Four(gaps.face + question.prefer_face)), index(-1.0);
  for (int i = 0; i < 3; ++i) {
    const Four gap2 = look_at_edges(b, i, R, size, question.rounding, gaps);
    const auto better = gap2 > best;
    best = select(better, gap2, best);
    index = select(better, Four::load(numbers[i]), index);
  }
  double value[4], number[4];
  best.store(value);
  index.store(number);
  for (int j = 1; j < 3; ++j) {
    number[0] = value[j] > value[0] ? number[j] : number[0];
    value[0] = value[j] > value[0] ? value[j] : value[0];
  }
  gaps.index = number[0] > 0 ? static_cast<int>(number[0]) : gaps.index;
}

}  // namespace
}  // namespace VISVIVA_LANES_NAMESPACE
}  // namespace visviva::collision
