#include <array>
#include <cmath>

#include "box_contact.hpp"
#include "polytope_axis.hpp"
#include "polytope_lanes.hpp"

namespace visviva::collision {
namespace {

using geometry::Core;
using Kind = PolytopeAxis::Kind;

/// As those of polytope_axis.cpp.
constexpr double kPreferFace = 1e-12, kRounding = 4e-15;

void put_row(const Real3& row, double* r) {
  r[0] = row.x, r[1] = row.y, r[2] = row.z, r[3] = row.x, r[4] = row.y, r[5] = row.z;
  r[6] = r[7] = 0;
}

void put_four(const Real3& row, double* r) { r[0] = row.x, r[1] = row.y, r[2] = row.z, r[3] = 0; }

double component(const Real3& v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }

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
  for (std::uint32_t e = 0; e < box.edges.size(); ++e) {
    const std::uint32_t from = box.edges[e].from, to = box.edges[e].to;
    const std::size_t axis = (from ^ to) / 2;  // 1, 2, 4
    table[axis][from] = table[axis][to] = e;
  }
  return table;
}

/// What the other axes say, in A's own frame. `back` is R^T.
void bound_others(const double* gaps, const Place& X, const Rotation3& back, PolytopeAxis& axis) {
  OtherAxes others;
  const Real3 axes_b[3] = {back.row0, back.row1, back.row2};
  // Both ways: that away from B's centre has the smaller gap, but by no more than the bodies are apart.
  const auto add = [&](double gap, const Real3& n) {
    const double apart = dot(n, X.p);
    others.add(gap, apart >= 0 ? n : -n);
    others.add(gap - 2 * std::abs(apart), apart >= 0 ? -n : n);
  };
  for (int j = 0; j < 3; ++j) {
    add(gaps[j], unit_vector(j, 1.0));
    add(gaps[4 + j], axes_b[j]);
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const Real3 product = cross(unit_vector(i, 1.0), axes_b[j]);
      const double length = norm(product);
      if (length > 0) add(gaps[8 + 4 * i + j], (1 / length) * product);
    }
  others.bound(axis);
}

}  // namespace

Place between_cores(const Core& A, const Core& B, const Place& X_AB) {
  const Real3 p = X_AB * from_eigen(B.X.p) - from_eigen(A.X.p);
  if (!A.turned && !B.turned) return {X_AB.R, p};
  const Rotation3 R_AS = from_eigen(A.X.R), R_BT = from_eigen(B.X.R);
  return {transposed_times(R_AS, X_AB.R * R_BT), turn_back(R_AS, p)};
}

std::uint32_t box_edge(int axis, std::uint32_t corner) {
  static const EdgeTable table = make_edge_table();
  return table[static_cast<std::size_t>(axis)][corner];
}

AxisSearch find_box_axis(const Core& A, const Core& B, const Place& X_AB, const AxisQuestion& question,
                         PolytopeAxis& axis) {
  const Place X = between_cores(A, B, X_AB);
  const Rotation3 back = transposed(X.R);
  const Real3 half_a = from_eigen(A.size), half_b = from_eigen(B.size), t_b = back * X.p;
  BoxPair pair;
  put_row(X.R.row0, pair.R[0]);
  put_row(X.R.row1, pair.R[1]);
  put_row(X.R.row2, pair.R[2]);
  put_four(back.row0, pair.R_t[0]);
  put_four(back.row1, pair.R_t[1]);
  put_four(back.row2, pair.R_t[2]);
  put_four(X.p, pair.t_a);
  put_four(t_b, pair.t_b);
  put_row(half_a, pair.half_a);
  put_row(half_b, pair.half_b);
  const double size = half_a.x + half_a.y + half_a.z + half_b.x + half_b.y + half_b.z;
  pair.rounding = kRounding * size;
  pair.prefer_face = kPreferFace * size;
  double gaps[20];
  const BoxAxis best = polytope_lanes().box_axis(pair, question.slack > 0 ? gaps : nullptr);
  axis.gap = best.gap;

  const int j = best.index % 4;
  Real3 n;
  if (best.index < 4) {
    const bool up = component(X.p, j) >= 0;
    n = unit_vector(j, up ? 1.0 : -1.0);
    axis.kind = Kind::FaceOfA;
    axis.a = static_cast<std::uint32_t>(2 * j + (up ? 1 : 0));
    axis.b = corner_along(-(back * n));
  } else if (best.index < 8) {
    const bool up = component(t_b, j) >= 0;  // along B's own axis: it shows its negative face
    n = (up ? 1.0 : -1.0) * (j == 0 ? back.row0 : j == 1 ? back.row1 : back.row2);
    axis.kind = Kind::FaceOfB;
    axis.a = corner_along(n);
    axis.b = static_cast<std::uint32_t>(2 * j + (up ? 0 : 1));
  } else {
    const int i = best.index / 4 - 2;
    const Real3 product = cross(unit_vector(i, 1.0), j == 0 ? back.row0 : j == 1 ? back.row1 : back.row2);
    n = ((dot(product, X.p) >= 0 ? 1.0 : -1.0) / norm(product)) * product;
    const Real3 u = back * n;
    axis.kind = Kind::Edges;
    axis.gap = dot(n, X.p) - (half_a.x * std::abs(n.x) + half_a.y * std::abs(n.y) + half_a.z * std::abs(n.z)) -
               (half_b.x * std::abs(u.x) + half_b.y * std::abs(u.y) + half_b.z * std::abs(u.z));
    axis.a = box_edge(i, corner_along(n));
    axis.b = box_edge(j, corner_along(-u));
  }
  axis.n = n;
  if (question.slack > 0) bound_others(gaps, X, back, axis);
  if (A.turned) axis.n = from_eigen(A.X.R) * n;
  return axis.gap > question.stop_above ? AxisSearch::Apart : AxisSearch::Found;
}

}  // namespace visviva::collision
