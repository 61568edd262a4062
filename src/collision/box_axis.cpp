#include <array>
#include <cmath>
#include <limits>

#include "box_contact.hpp"
#include "box_pair.hpp"
#include "polytope_axis.hpp"
#include "visviva/math/lanes.hpp"

namespace visviva::collision {
namespace {

using geometry::Core;
using Kind = PolytopeAxis::Kind;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Real3 unit_vector(int i, double sign) { return {i == 0 ? sign : 0, i == 1 ? sign : 0, i == 2 ? sign : 0}; }

/// Corner of a box that is farthest along u (in its frame), as make_box_polytope numbers them.
std::uint32_t corner_along(const Real3& u) {
  return (u.x >= 0 ? 1u : 0u) | (u.y >= 0 ? 2u : 0u) | (u.z >= 0 ? 4u : 0u);
}

/// make_box_polytope's edges: by axis and by either corner.
using EdgeTable = std::array<std::array<std::uint32_t, 8>, 3>;

EdgeTable make_edge_table() {
  EdgeTable table{};
  const geometry::Polytope box = geometry::make_box_polytope(Vec3::Zero(), Mat3::Identity());
  for (std::uint32_t e = 0; e < box.edge_count(); ++e) {
    const std::uint32_t from = box.edge(e).from, to = box.edge(e).to;
    const std::size_t axis = (from ^ to) / 2;  // 1, 2, 4
    table[axis][from] = table[axis][to] = e;
  }
  return table;
}

BoxSearch best_search() {
#if defined(VISVIVA_X86_LANES)
  // Four doubles fill no wider register.
  if (best_isa() != Isa::Baseline) return box_search_avx2();
#endif
  return box_search_baseline();
}

/// What the other axes say, in A's own frame.
void bound_others(const BoxPair& pair, const BoxGaps& gaps, PolytopeAxis& axis) {
  OtherAxes others;
  const Real3 t{pair.t[0], pair.t[1], pair.t[2]};
  // Both ways: that away from B's centre has the smaller gap, but by no more than the bodies are apart.
  const auto add = [&](double gap, const Real3& n) {
    const double apart = dot(n, t);
    others.add(gap, apart >= 0 ? n : -n);
    others.add(gap - 2 * std::abs(apart), apart >= 0 ? -n : n);
  };
  for (int j = 0; j < 3; ++j) {
    add(gaps.of_a[j], unit_vector(j, 1.0));
    add(gaps.of_b[j], pair.axis_of_b(j));
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const double length = std::sqrt(gaps.length2[i][j]);
      if (length > 0) add(gaps.product[i][j] / length, (1 / length) * cross(unit_vector(i, 1.0), pair.axis_of_b(j)));
    }
  others.bound(axis);
}

}  // namespace

std::uint32_t box_edge(int axis, std::uint32_t corner) {
  static const EdgeTable table = make_edge_table();
  return table[static_cast<std::size_t>(axis)][corner];
}

void BoxPair::search(double prefer_face, double enough, BoxGaps& gaps) const {
  static const BoxSearch best = best_search();
  best(*this, {prefer_face, kRounding * extent, enough}, gaps);
}

Real3 BoxPair::edge_normal(int i, int j, double& gap) const {
  const Real3 product = cross(unit_vector(i, 1.0), axis_of_b(j)), p{t[0], t[1], t[2]};
  const Real3 n = ((dot(product, p) >= 0 ? 1.0 : -1.0) / norm(product)) * product, u = into_b(n);
  const auto reach = [](const double* half, const Real3& d) {
    return half[0] * std::abs(d.x) + half[1] * std::abs(d.y) + half[2] * std::abs(d.z);
  };
  gap = dot(n, p) - reach(half_a, n) - reach(half_b, u);
  return n;
}

AxisSearch find_box_axis(const Core& A, const BoxPair& pair, const AxisQuestion& question, PolytopeAxis& axis) {
  BoxGaps gaps;
  const bool wants_others = question.slack > 0;
  pair.search(kPreferFace * pair.extent, wants_others ? kInfinity : question.stop_above, gaps);
  axis.gap = gaps.face;
  if (gaps.index < 3) {
    const int k = gaps.index;
    const bool up = pair.t[k] >= 0;
    axis.n = unit_vector(k, up ? 1.0 : -1.0);
    axis.kind = Kind::FaceOfA;
    axis.a = static_cast<std::uint32_t>(2 * k + (up ? 1 : 0));
    const double sign = up ? -1.0 : 1.0;
    axis.b = corner_along({sign * pair.R[k][0], sign * pair.R[k][1], sign * pair.R[k][2]});
  } else if (gaps.index < 6) {
    const int k = gaps.index - 3;
    const bool up = pair.t_b(k) >= 0;  // along B's own axis: it shows its negative face
    axis.n = (up ? 1.0 : -1.0) * pair.axis_of_b(k);
    axis.kind = Kind::FaceOfB;
    axis.a = corner_along(axis.n);
    axis.b = static_cast<std::uint32_t>(2 * k + (up ? 0 : 1));
  } else {
    const int i = gaps.index / 3 - 2, j = gaps.index % 3;
    axis.n = pair.edge_normal(i, j, axis.gap);
    axis.kind = Kind::Edges;
    axis.a = box_edge(i, corner_along(axis.n));
    axis.b = box_edge(j, corner_along(-pair.into_b(axis.n)));
  }
  if (wants_others) bound_others(pair, gaps, axis);
  if (A.turned) axis.n = from_eigen(A.X.R) * axis.n;
  return axis.gap > question.stop_above ? AxisSearch::Apart : AxisSearch::Found;
}

}  // namespace visviva::collision
