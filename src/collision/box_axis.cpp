#include <array>
#include <cmath>

#include "box_contact.hpp"
#include "polytope_axis.hpp"

namespace visviva::collision {
namespace {

using geometry::Core;
using Kind = PolytopeAxis::Kind;

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

/// Two boxes in the frame of A, with arrays to index: the rotation R[i][j] = axis i of A on axis j of B and its
/// absolute values, B's centre in A's axes and in B's, half extents.
struct BoxPair {
  double R[3][3], size[3][3], t_a[3], t_b[3], half_a[3], half_b[3];
  double extent;  ///< of both [m]

  BoxPair(const Core& A, const Core& B, const BoxPlace& X) {
    const Rotation3& M = *X.R;
    R[0][0] = M.row0.x, R[0][1] = M.row0.y, R[0][2] = M.row0.z;
    R[1][0] = M.row1.x, R[1][1] = M.row1.y, R[1][2] = M.row1.z;
    R[2][0] = M.row2.x, R[2][1] = M.row2.y, R[2][2] = M.row2.z;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) size[i][j] = std::abs(R[i][j]);
      half_a[i] = A.size[i], half_b[i] = B.size[i];
    }
    const Real3 t = turn_back(*X.R, X.p);
    t_a[0] = X.p.x, t_a[1] = X.p.y, t_a[2] = X.p.z;
    t_b[0] = t.x, t_b[1] = t.y, t_b[2] = t.z;
    extent = half_a[0] + half_a[1] + half_a[2] + half_b[0] + half_b[1] + half_b[2];
  }
  [[nodiscard]] Real3 axis_of_b(int j) const { return {R[0][j], R[1][j], R[2][j]}; }
  [[nodiscard]] double gap_of_a(int i) const {
    return std::abs(t_a[i]) - half_a[i] - (half_b[0] * size[i][0] + half_b[1] * size[i][1] + half_b[2] * size[i][2]);
  }
  [[nodiscard]] double gap_of_b(int j) const {
    return std::abs(t_b[j]) - half_b[j] - (half_a[0] * size[0][j] + half_a[1] * size[1][j] + half_a[2] * size[2][j]);
  }
  /// Edge i of A by edge j of B: e_i × R e_j has the components -R[v][j] along u and R[u][j] along v. The gap times the
  /// length of this product, whose square comes with it; less what rounding may add.
  struct Edges {
    double product, length2;
  };
  [[nodiscard]] Edges gap_of_edges(int i, int j) const {
    const int u = (i + 1) % 3, v = (i + 2) % 3, p = (j + 1) % 3, q = (j + 2) % 3;
    const double from_a = half_a[u] * size[v][j] + half_a[v] * size[u][j];
    const double from_b = half_b[p] * size[i][q] + half_b[q] * size[i][p];
    return {std::abs(t_a[v] * R[u][j] - t_a[u] * R[v][j]) - from_a - from_b - kRounding * extent,
            R[u][j] * R[u][j] + R[v][j] * R[v][j]};
  }
};

/// The best axis, and its gap if it is that of a face. 0 to 2: face normals of A, 3 to 5: of B, 6 + 3 i + j: edge i of
/// A by edge j of B.
struct BestAxis {
  double gap = -1e300;
  int index = 0;

  void try_face(double g, int k) {
    index = g > gap ? k : index;
    gap = g > gap ? g : gap;
  }
};

/// x² with the sign of x: grows with x.
double signed_square(double x) { return x * std::abs(x); }

/// Which axes' edges may beat the face found, one bit each, of the box that has it. Of boxes that overlap, an edge
/// between two faces above which the other's deepest corner is no higher than the gap does not.  [theory/collision.md]
unsigned edges_left(double gap, const double* corner, const double* half) {
  if (gap > 0) return 7;
  const bool x = std::abs(corner[0]) - half[0] > gap, y = std::abs(corner[1]) - half[1] > gap,
             z = std::abs(corner[2]) - half[2] > gap;
  return (y || z ? 1u : 0u) | (x || z ? 2u : 0u) | (x || y ? 4u : 0u);
}

/// Of B's corners the deepest below face k of A, in A.
unsigned edges_left_of_a(const BoxPair& p, double gap, int k) {
  const bool up = p.t_a[k] >= 0;
  double corner[3] = {p.t_a[0], p.t_a[1], p.t_a[2]};
  for (int j = 0; j < 3; ++j) {
    const double h = (p.R[k][j] > 0) == up ? -p.half_b[j] : p.half_b[j];
    for (int i = 0; i < 3; ++i) corner[i] += h * p.R[i][j];
  }
  corner[k] = 0;  // the face itself; its opposite is farther
  return edges_left(gap, corner, p.half_a);
}

/// The same with A and B exchanged.
unsigned edges_left_of_b(const BoxPair& p, double gap, int k) {
  const bool up = p.t_b[k] >= 0;
  double corner[3] = {p.t_b[0], p.t_b[1], p.t_b[2]};
  for (int i = 0; i < 3; ++i) {
    const double h = (p.R[i][k] > 0) == up ? p.half_a[i] : -p.half_a[i];
    for (int j = 0; j < 3; ++j) corner[j] -= h * p.R[i][j];
  }
  corner[k] = 0;
  return edges_left(gap, corner, p.half_b);
}

/// [Gottschalk1996]. Gaps of edges are compared by the squares of what they are quotients of; no root is taken.
BestAxis find_best(const BoxPair& pair) {
  BestAxis best;
  for (int i = 0; i < 3; ++i) best.try_face(pair.gap_of_a(i), i);
  for (int j = 0; j < 3; ++j) best.try_face(pair.gap_of_b(j), 3 + j);
  const unsigned of_a = best.index < 3 ? edges_left_of_a(pair, best.gap, best.index) : 7;
  const unsigned of_b = best.index < 3 ? 7 : edges_left_of_b(pair, best.gap, best.index - 3);
  if (of_a == 0 || of_b == 0) return best;
  double most2 = signed_square(best.gap + kPreferFace * pair.extent), length2 = 1;
  for (int i = 0; i < 3; ++i) {
    if ((of_a >> i & 1u) == 0) continue;
    for (int j = 0; j < 3; ++j) {
      const BoxPair::Edges edges = pair.gap_of_edges(i, j);
      const double product2 = signed_square(edges.product);
      if ((of_b >> j & 1u) == 0 || !(product2 * length2 > most2 * edges.length2)) continue;
      best.index = 6 + 3 * i + j;
      most2 = product2;
      length2 = edges.length2;
    }
  }
  return best;
}

/// What the other axes say, in A's own frame.
void bound_others(const BoxPair& pair, const Real3& t, PolytopeAxis& axis) {
  OtherAxes others;
  // Both ways: that away from B's centre has the smaller gap, but by no more than the bodies are apart.
  const auto add = [&](double gap, const Real3& n) {
    const double apart = dot(n, t);
    others.add(gap, apart >= 0 ? n : -n);
    others.add(gap - 2 * std::abs(apart), apart >= 0 ? -n : n);
  };
  for (int j = 0; j < 3; ++j) {
    add(pair.gap_of_a(j), unit_vector(j, 1.0));
    add(pair.gap_of_b(j), pair.axis_of_b(j));
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const BoxPair::Edges edges = pair.gap_of_edges(i, j);
      const double length = std::sqrt(edges.length2);
      if (length > 0) add(edges.product / length, (1 / length) * cross(unit_vector(i, 1.0), pair.axis_of_b(j)));
    }
  others.bound(axis);
}

/// The axis of edge i of A by edge j of B.
Real3 set_edge_axis(const BoxPair& pair, const BoxPlace& X, int i, int j, PolytopeAxis& axis) {
  const Real3 product = cross(unit_vector(i, 1.0), pair.axis_of_b(j));
  const Real3 n = ((dot(product, X.p) >= 0 ? 1.0 : -1.0) / norm(product)) * product, u = turn_back(*X.R, n);
  const auto reach = [](const double* half, const Real3& d) {
    return half[0] * std::abs(d.x) + half[1] * std::abs(d.y) + half[2] * std::abs(d.z);
  };
  axis.kind = Kind::Edges;
  axis.gap = dot(n, X.p) - reach(pair.half_a, n) - reach(pair.half_b, u);
  axis.a = box_edge(i, corner_along(n));
  axis.b = box_edge(j, corner_along(-u));
  return n;
}

}  // namespace

std::uint32_t box_edge(int axis, std::uint32_t corner) {
  static const EdgeTable table = make_edge_table();
  return table[static_cast<std::size_t>(axis)][corner];
}

AxisSearch find_box_axis(const Core& A, const Core& B, const BoxPlace& X, const AxisQuestion& question,
                         PolytopeAxis& axis) {
  const BoxPair pair(A, B, X);
  const BestAxis best = find_best(pair);
  axis.gap = best.gap;
  if (best.index < 3) {
    const int k = best.index;
    const bool up = pair.t_a[k] >= 0;
    axis.n = unit_vector(k, up ? 1.0 : -1.0);
    axis.kind = Kind::FaceOfA;
    axis.a = static_cast<std::uint32_t>(2 * k + (up ? 1 : 0));
    axis.b = corner_along(-turn_back(*X.R, axis.n));
  } else if (best.index < 6) {
    const int k = best.index - 3;
    const bool up = pair.t_b[k] >= 0;  // along B's own axis: it shows its negative face
    axis.n = (up ? 1.0 : -1.0) * pair.axis_of_b(k);
    axis.kind = Kind::FaceOfB;
    axis.a = corner_along(axis.n);
    axis.b = static_cast<std::uint32_t>(2 * k + (up ? 0 : 1));
  } else {
    axis.n = set_edge_axis(pair, X, best.index / 3 - 2, best.index % 3, axis);
  }
  if (question.slack > 0) bound_others(pair, X.p, axis);
  if (A.turned) axis.n = from_eigen(A.X.R) * axis.n;
  return axis.gap > question.stop_above ? AxisSearch::Apart : AxisSearch::Found;
}

}  // namespace visviva::collision
