#include "box_contact.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "polytope_contact.hpp"

namespace visviva::collision {
namespace {

using geometry::Core;
using Kind = PolytopeAxis::Kind;

/// The box P whose face it is and the other one, Q, in the frame of P. The contact's x and y axes are two of P's, its z
/// axis is the normal from A to B.
struct BoxFace {
  double R[3][3], t[3], half_p[3], half_q[3];
  int k;          ///< axis of P's face
  double out;     ///< sign of the face along it
  double up;      ///< sign of the normal from A to B along it
  int i, j;       ///< axes of P that are x and y, right-handed with z
  int l;          ///< axis of Q whose face is turned to P most
  double sign_q;  ///< sign of that face
};

void fill(const Rotation3& R, const Real3& t, const Vec3& half_p, const Vec3& half_q, BoxFace& f) {
  const Real3 rows[3] = {R.row0, R.row1, R.row2};
  for (int r = 0; r < 3; ++r) f.R[r][0] = rows[r].x, f.R[r][1] = rows[r].y, f.R[r][2] = rows[r].z;
  f.t[0] = t.x, f.t[1] = t.y, f.t[2] = t.z;
  for (int r = 0; r < 3; ++r) f.half_p[r] = half_p[r], f.half_q[r] = half_q[r];
}

BoxFace make_face(const Core& A, const Core& B, const Place& X_AB, const PolytopeAxis& axis) {
  const Place X = between_cores(A, B, X_AB);
  const bool of_a = axis.kind == Kind::FaceOfA;
  BoxFace f;
  if (of_a)
    fill(X.R, X.p, A.size, B.size, f);
  else
    fill(transposed(X.R), -turn_back(X.R, X.p), B.size, A.size, f);
  const std::uint32_t face = of_a ? axis.a : axis.b;
  f.k = static_cast<int>(face / 2);
  f.out = face % 2 != 0 ? 1 : -1;
  f.up = of_a ? f.out : -f.out;
  f.i = (f.k + 1) % 3;
  f.j = (f.k + 2) % 3;
  if (f.up < 0) std::swap(f.i, f.j);
  const double* r = f.R[f.k];
  f.l = std::abs(r[0]) >= std::abs(r[1]) ? 0 : 1;
  if (std::abs(r[2]) > std::abs(r[f.l])) f.l = 2;
  f.sign_q = f.out * r[f.l] > 0 ? -1 : 1;
  return f;
}

/// Coordinates x, y of the corner of Q that lies deepest.
void deepest_corner(const BoxFace& f, double& x, double& y) {
  x = f.t[f.i];
  y = f.t[f.j];
  for (int c = 0; c < 3; ++c) {
    const double h = f.out * f.R[f.k][c] > 0 ? -f.half_q[c] : f.half_q[c];
    x += h * f.R[f.i][c];
    y += h * f.R[f.j][c];
  }
}

/// As is_single_vertex of polytope_contact.cpp.
bool is_single_corner(const BoxFace& f, double x, double y, double slack) {
  double radius2 = 0;
  for (int c = 0; c < 3; ++c) {
    const double rise = f.R[f.k][c], rise2 = rise * rise, across2 = 1 - rise2;
    if (!(2 * f.half_q[c] * std::abs(rise) > slack && rise2 >= kPointSlope * kPointSlope * across2)) return false;
    radius2 = std::max(radius2, across2 / rise2);
  }
  const double radius = slack * std::sqrt(radius2);
  return std::abs(x) + radius < f.half_p[f.i] && std::abs(y) + radius < f.half_p[f.j];
}

constexpr double kSigns[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};

std::uint32_t bit(int axis, double sign) { return sign > 0 ? 1u << axis : 0u; }

/// P's face, a rectangle about (-x, -y).
void set_rectangle(const BoxFace& f, double x, double y, double z, std::uint32_t face, ContactPatch& patch) {
  patch.count = 4;
  patch.face_id = face;
  patch.sag = patch.slope_x = patch.slope_y = 0;
  patch.z0 = z;
  for (int c = 0; c < 4; ++c) {
    patch.x[c] = kSigns[c][0] * f.half_p[f.i] - x;
    patch.y[c] = kSigns[c][1] * f.half_p[f.j] - y;
    patch.vertex_id[c] = bit(f.k, f.out) | bit(f.i, kSigns[c][0]) | bit(f.j, kSigns[c][1]);
    patch.side_id[c] = box_edge(c % 2 == 0 ? f.i : f.j, patch.vertex_id[c]);
  }
}

/// Q's face; z is measured from the middle between the nearest points, which have the heights -gap/2 and gap/2.
void set_quadrangle(const BoxFace& f, double x, double y, double z_nearest, ContactPatch& patch) {
  const int m = (f.l + 1) % 3, q = (f.l + 2) % 3;
  const double to_face = f.sign_q * f.half_q[f.l];
  const double cx = f.t[f.i] + to_face * f.R[f.i][f.l] - x, cy = f.t[f.j] + to_face * f.R[f.j][f.l] - y;
  const double x1 = f.half_q[m] * f.R[f.i][m], y1 = f.half_q[m] * f.R[f.j][m];
  const double x2 = f.half_q[q] * f.R[f.i][q], y2 = f.half_q[q] * f.R[f.j][q];
  const double up = f.up * f.R[f.k][f.l], scale = -1 / up;
  const bool forward = up > 0;
  patch.count = 4;
  patch.face_id = static_cast<std::uint32_t>(2 * f.l) + (f.sign_q > 0 ? 1u : 0u);
  patch.sag = 0;
  patch.slope_x = scale * f.R[f.i][f.l];
  patch.slope_y = scale * f.R[f.j][f.l];
  patch.z0 = z_nearest;  // the deepest corner is the origin
  for (int c = 0; c < 4; ++c) {
    const int s = forward ? c : 3 - c;
    patch.x[c] = cx + kSigns[s][0] * x1 + kSigns[s][1] * x2;
    patch.y[c] = cy + kSigns[s][0] * y1 + kSigns[s][1] * y2;
    patch.vertex_id[c] = bit(f.l, f.sign_q) | bit(m, kSigns[s][0]) | bit(q, kSigns[s][1]);
    // Forward the sides run along m, q, m, q; backward, from the last corner, they run along m again first.
    patch.side_id[c] = box_edge(c % 2 == 0 ? m : q, patch.vertex_id[c]);
  }
}

}  // namespace

bool set_box_contact(const Core& A, const Core& B, const Place& X_AB, const PolytopeAxis& axis, Contact& contact,
                     ContactArea& area, Manifold& manifold) {
  const BoxFace f = make_face(A, B, X_AB, axis);
  const bool of_a = axis.kind == Kind::FaceOfA;
  double x = 0, y = 0;
  deepest_corner(f, x, y);
  // P's face seen from its centre along the normal, and the middle between it and Q's corner.
  const double face = of_a ? f.half_p[f.k] : -f.half_p[f.k], middle = face + (of_a ? 0.5 : -0.5) * axis.gap;
  double origin[3];
  origin[f.i] = x, origin[f.j] = y, origin[f.k] = f.up * middle;
  const Core& P = of_a ? A : B;
  const Rotation3 R_SP = from_eigen(P.X.R), R_AP = of_a ? R_SP : X_AB.R * R_SP;
  const Real3 in_body = R_SP * Real3{origin[0], origin[1], origin[2]} + from_eigen(P.X.p);
  const Rotation3 columns = transposed(R_AP);
  const Real3 axes[3] = {columns.row0, columns.row1, columns.row2};
  contact.R_CS = {axes[f.i], axes[f.j], axis.n};
  contact.p_SC = of_a ? in_body : X_AB * in_body;
  contact.core_distance = axis.gap;
  if (is_single_corner(f, x, y, contact.farthest() - axis.gap)) {
    put_single_point(contact, make_feature(of_a ? Meeting::VertexOfB : Meeting::VertexOfA, axis.a, axis.b), manifold);
    return true;
  }
  const double half_gap = 0.5 * axis.gap;
  set_rectangle(f, x, y, of_a ? -half_gap : half_gap, of_a ? axis.a : axis.b, of_a ? area.a : area.b);
  set_quadrangle(f, x, y, of_a ? half_gap : -half_gap, of_a ? area.b : area.a);
  return false;
}

}  // namespace visviva::collision
