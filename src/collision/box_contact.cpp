#include "box_contact.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "box_pair.hpp"
#include "clip_rectangle.hpp"
#include "polytope_contact.hpp"

// All in the frame of box A. Where the contact is not a single point, B's face is projected along the normal onto the
// plane of A's face and cut there to A's rectangle. Coordinates x and y are those of A's axes in that plane, from A's
// nearest point; so A has the height -gap/2 along the normal everywhere and B is a linear function of x and y.
namespace visviva::collision {
namespace {

using geometry::Core;
using Kind = PolytopeAxis::Kind;

/// Sine of the angle of edges below which faces are chosen by polytope_contact.cpp, squared.
constexpr double kNearlyParallel2 = 0.01;

struct Boxes {
  const double (&R)[3][8];
  const double (&t)[4], (&half_a)[4], (&half_b)[8];
  double n[3];  ///< in A, from A to B
  double u[3];  ///< the same in B

  Boxes(const Core& A, const BoxPair& pair, const Real3& normal)
      : R(pair.R), t(pair.t), half_a(pair.half_a), half_b(pair.half_b) {
    const Real3 n_A = A.turned ? turn_back(from_eigen(A.X.R), normal) : normal, n_B = pair.into_b(n_A);
    n[0] = n_A.x, n[1] = n_A.y, n[2] = n_A.z;
    u[0] = n_B.x, u[1] = n_B.y, u[2] = n_B.z;
  }
};

constexpr int kNext[3] = {1, 2, 0}, kLast[3] = {2, 0, 1};

double signed_half(std::uint32_t corner, int axis, double half) { return (corner >> axis & 1u) != 0 ? half : -half; }

int largest_of(const double* v) {
  const double x = std::abs(v[0]), y = std::abs(v[1]), z = std::abs(v[2]);
  const int best = x >= y ? 0 : 1;
  return z > std::max(x, y) ? 2 : best;
}

/// As is_single_vertex of polytope_contact.cpp: the edges at the corner of a box of half extents `half` rise by the
/// sines `rise`, and it stands on a face, `end` away from the nearest side.
bool is_single_corner(const double* rise, const double* half, double end, double slack) {
  const double r0 = std::abs(rise[0]), r1 = std::abs(rise[1]), r2 = std::abs(rise[2]);
  const double least = std::min({r0, r1, r2}), least2 = least * least, across2 = 1 - least2;
  return least2 >= kPointSlope * kPointSlope * across2 &&
         2 * std::min({half[0] * r0, half[1] * r1, half[2] * r2}) > slack && end > 0 &&
         end * end * least2 > slack * slack * across2;
}

/// A corner of B on a face of A; `nearest` becomes A's nearest point.
bool touch_face_of_a(const Boxes& b, const PolytopeAxis& axis, double slack, double* nearest) {
  const int k = static_cast<int>(axis.a / 2), i = kNext[k], j = kLast[k];
  const double h0 = signed_half(axis.b, 0, b.half_b[0]), h1 = signed_half(axis.b, 1, b.half_b[1]),
               h2 = signed_half(axis.b, 2, b.half_b[2]);
  nearest[i] = b.t[i] + h0 * b.R[i][0] + h1 * b.R[i][1] + h2 * b.R[i][2];
  nearest[j] = b.t[j] + h0 * b.R[j][0] + h1 * b.R[j][1] + h2 * b.R[j][2];
  nearest[k] = b.n[k] > 0 ? b.half_a[k] : -b.half_a[k];
  const double end = std::min(b.half_a[i] - std::abs(nearest[i]), b.half_a[j] - std::abs(nearest[j]));
  return is_single_corner(b.u, b.half_b, end, slack);
}

/// A corner of A on a face of B.
bool touch_face_of_b(const Boxes& b, const PolytopeAxis& axis, double slack, double* nearest) {
  const int l = static_cast<int>(axis.b / 2), i = kNext[l], j = kLast[l];
  double x = 0, y = 0;
  for (int r = 0; r < 3; ++r) {
    nearest[r] = signed_half(axis.a, r, b.half_a[r]);
    const double d = nearest[r] - b.t[r];
    x += d * b.R[r][i];
    y += d * b.R[r][j];
  }
  const double end = std::min(b.half_b[i] - std::abs(x), b.half_b[j] - std::abs(y));
  return is_single_corner(b.n, b.half_a, end, slack);
}

/// Squared tangent of the angle between the normal and the face turned to it most.
double squared_slope(const double* n) {
  const double facing = std::abs(n[largest_of(n)]), facing2 = facing * facing;
  return (1 - facing2) / facing2;
}

/// An edge of each, along axes i of A and j of B; as is_single_crossing of polytope_contact.cpp.
bool touch_edges(const Boxes& b, int i, int j, double slack, double* nearest) {
  double d[3];  // between the middles of the edges
  for (int r = 0; r < 3; ++r) {
    nearest[r] = r == i ? 0 : b.n[r] >= 0 ? b.half_a[r] : -b.half_a[r];
    d[r] = b.t[r] - nearest[r];
  }
  for (int c = kNext[j]; c != j; c = kNext[c]) {
    const double h = b.u[c] <= 0 ? b.half_b[c] : -b.half_b[c];
    for (int r = 0; r < 3; ++r) d[r] += h * b.R[r][c];
  }
  const double cosine = b.R[i][j], sine2 = 1 - cosine * cosine;
  const double along_a = d[i], along_b = d[0] * b.R[0][j] + d[1] * b.R[1][j] + d[2] * b.R[2][j];
  const double on_a = (along_a - cosine * along_b) / sine2, on_b = (cosine * along_a - along_b) / sine2;
  const double end_a = b.half_a[i] - std::abs(on_a), end_b = b.half_b[j] - std::abs(on_b);
  nearest[i] = on_a;  // beyond the end too: only where the lines cross is B as far from A as the axis says
  const double fall_a = sine2 * squared_slope(b.u), fall_b = sine2 * squared_slope(b.n), slack2 = slack * slack;
  return std::min(fall_a, fall_b) >= kPointSlope * kPointSlope && end_a > 0 && end_b > 0 &&
         end_a * end_a * fall_a > slack2 && end_b * end_b * fall_b > slack2;
}

/// Corners and sides of a box's face.
struct FaceNames {
  std::uint32_t vertex[4], side[4];
};

constexpr int kSigns[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};

/// By axis, against it or along it; corners in the order of kSigns in the two next axes, or in these exchanged.
using NameTable = std::array<std::array<std::array<FaceNames, 2>, 2>, 3>;

NameTable make_names() {
  NameTable table;
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t up = 0; up < 2; ++up)
      for (std::size_t exchanged = 0; exchanged < 2; ++exchanged)
        for (int c = 0; c < 4; ++c) {
          const int m = exchanged != 0 ? kLast[k] : kNext[k], q = exchanged != 0 ? kNext[k] : kLast[k];
          const auto vertex = static_cast<std::uint32_t>(int(up) << k | kSigns[c][0] << m | kSigns[c][1] << q);
          table[k][up][exchanged].vertex[c] = vertex;
          table[k][up][exchanged].side[c] = box_edge(c % 2 == 0 ? m : q, vertex);
        }
  return table;
}

void set_names(int axis, bool up, bool exchanged, ContactPatch& patch) {
  static const NameTable table = make_names();
  const FaceNames& names = table[static_cast<std::size_t>(axis)][up ? 1 : 0][exchanged ? 1 : 0];
  patch.count = 4;
  patch.face_id = static_cast<std::uint32_t>(2 * axis) + (up ? 1u : 0u);
  std::copy(names.vertex, names.vertex + 4, patch.vertex_id);
  std::copy(names.side, names.side + 4, patch.side_id);
}

/// The part of `in` that is no farther away than asked for, as in clip_patches.cpp; `left` is what is left to that at
/// a corner.
template <class Left>
void cut_to_limit(const RegionPolygon& in, double slack, Left&& left, RegionPolygon& out) {
  const int n = in.count;
  for (int i = 0; i < n; ++i) {
    const RegionCorner &p = in[i], &q = in[i + 1 == n ? 0 : i + 1];
    const double dp = left(p), dq = left(q);
    const bool p_in = dp >= -slack, q_in = dq >= -slack;
    const bool crosses = p_in != q_in && (p_in ? dp : dq) > slack;
    if (p_in) out.push({p.x, p.y, q_in || crosses ? p.side : ContactRegion::kLimit, p.corner});
    if (crosses) {
      const double s = dp / (dp - dq);
      out.push({p.x + s * (q.x - p.x), p.y + s * (q.y - p.y), p_in ? ContactRegion::kLimit : p.side, -1});
    }
  }
}

/// B's face on the plane of A's, and the height of B over the plane.
struct Projected : Parallelogram {
  double gap, slope_x, slope_y;

  Projected(const Boxes& b, int i, int j, int k, int l, bool exchanged, const double* nearest, double gap_at_0) {
    const double ni = b.n[i] / b.n[k], nj = b.n[j] / b.n[k];
    const int m = exchanged ? kLast[l] : kNext[l], q = exchanged ? kNext[l] : kLast[l];
    const double hl = b.u[l] > 0 ? -b.half_b[l] : b.half_b[l], hm = b.half_b[m], hq = b.half_b[q];
    const double z = b.t[k] - nearest[k] + hl * b.R[k][l];
    x = b.t[i] - nearest[i] + hl * b.R[i][l] - z * ni;
    y = b.t[j] - nearest[j] + hl * b.R[j][l] - z * nj;
    x1 = hm * (b.R[i][m] - b.R[k][m] * ni);
    y1 = hm * (b.R[j][m] - b.R[k][m] * nj);
    x2 = hq * (b.R[i][q] - b.R[k][q] * ni);
    y2 = hq * (b.R[j][q] - b.R[k][q] * nj);
    const double scale = -1 / b.u[l];
    gap = gap_at_0;
    slope_x = scale * b.R[i][l];
    slope_y = scale * b.R[j][l];
  }
  [[nodiscard]] double gap_at(double px, double py) const { return gap + slope_x * px + slope_y * py; }
  [[nodiscard]] double largest_gap() const {
    return gap_at(x, y) + std::abs(slope_x * x1 + slope_y * y1) + std::abs(slope_x * x2 + slope_y * y2);
  }
};

/// Cuts B's face to A's and to the limit.
void clip(const Projected& b, const Rectangle& a, double farthest, double slack, ContactRegion& region) {
  RegionPolygon shared, near;
  const RegionPolygon* polygon = &shared;
  clip_to_rectangle(b, a, shared);
  if (b.largest_gap() > farthest + slack) {
    cut_to_limit(
        shared, slack, [&](const RegionCorner& c) { return farthest - b.gap_at(c.x, c.y); }, near);
    polygon = &near;
  }
  region.count = polygon->count;
  const double z_a = -0.5 * b.gap;
  for (int i = 0; i < polygon->count; ++i) {
    const RegionCorner& c = (*polygon)[i];
    region.x[i] = c.x;
    region.y[i] = c.y;
    region.side[i] = c.side;
    region.corner[i] = c.corner;
    region.z_a[i] = z_a;
    region.z_b[i] = z_a + b.gap_at(c.x, c.y);
  }
}

/// Lengths and slopes in the plane across the normal, of which x and y are skew coordinates.
void set_metric(double ni, double nj, double nk, const Projected& b, ContactRegion& region) {
  region.xx = 1 - ni * ni;
  region.yy = 1 - nj * nj;
  region.xy = -ni * nj;
  const double sx = b.slope_x, sy = b.slope_y;
  region.slope =
      std::sqrt(std::max(0.0, sx * sx * region.yy - 2 * sx * sy * region.xy + sy * sy * region.xx)) / std::abs(nk);
}

/// An axis of the box, in the frame of its body.
Real3 axis_of(const Core& A, int i) { return {A.X.R(0, i), A.X.R(1, i), A.X.R(2, i)}; }

void set_region(const Core& A, const Boxes& b, const double* nearest, Contact& contact, ContactArea& area) {
  const int k = largest_of(b.n), l = largest_of(b.u);
  const bool up_a = b.n[k] > 0, up_b = b.u[l] < 0;  // where the faces look
  int i = kNext[k], j = kLast[k];
  if (!up_a) std::swap(i, j);  // counter-clockwise as seen along the normal
  set_names(k, up_a, !up_a, area.a);
  set_names(l, up_b, up_b, area.b);
  const Projected projected(b, i, j, k, l, up_b, nearest, contact.core_distance);
  // A's face from its nearest point.
  const Rectangle rectangle = {-b.half_a[i] - nearest[i], b.half_a[i] - nearest[i], -b.half_a[j] - nearest[j],
                               b.half_a[j] - nearest[j]};
  contact.R_CS.row0 = axis_of(A, i);
  contact.R_CS.row1 = axis_of(A, j);
  set_metric(b.n[i], b.n[j], b.n[k], projected, area.region);
  clip(projected, rectangle, contact.farthest(), area.on_limit(contact), area.region);
}

/// The axis along which an edge runs.
int axis_of_edge(std::uint32_t edge) {
  static const std::array<int, 12> table = [] {
    std::array<int, 12> axes{};
    for (int axis = 0; axis < 3; ++axis)
      for (std::uint32_t corner = 0; corner < 8; ++corner) axes[box_edge(axis, corner)] = axis;
    return axes;
  }();
  return table[edge];
}

}  // namespace

BoxContact set_box_contact(const Core& A, const BoxPair& pair, const PolytopeAxis& axis, Contact& contact,
                           ContactArea& area, Manifold& manifold) {
  const Boxes boxes(A, pair, axis.n);
  const double slack = contact.farthest() - axis.gap;
  double nearest[3];
  bool single = false;
  Meeting meeting = Meeting::Sides;
  if (axis.kind == Kind::FaceOfA) {
    meeting = Meeting::VertexOfB;
    single = touch_face_of_a(boxes, axis, slack, nearest);
  } else if (axis.kind == Kind::FaceOfB) {
    meeting = Meeting::VertexOfA;
    single = touch_face_of_b(boxes, axis, slack, nearest);
  } else {
    const int i = axis_of_edge(axis.a), j = axis_of_edge(axis.b);
    const double cosine = boxes.R[i][j];
    if (1 - cosine * cosine < kNearlyParallel2) return BoxContact::Other;
    single = touch_edges(boxes, i, j, slack, nearest);
  }
  contact.R_CS.row2 = {axis.n.x, axis.n.y, axis.n.z};
  contact.core_distance = axis.gap;
  const Real3 p = {nearest[0], nearest[1], nearest[2]};
  contact.p_SC = (A.turned ? from_eigen(A.X.R) * p : p) + from_eigen(A.X.p) + 0.5 * axis.gap * axis.n;
  if (!single)
    set_region(A, boxes, nearest, contact, area);
  else
    put_single_point(contact, make_feature(meeting, axis.a, axis.b), manifold);
  return single ? BoxContact::Point : BoxContact::Region;
}

}  // namespace visviva::collision
