#include "polytope_contact.hpp"

#include <algorithm>
#include <cmath>

namespace visviva::collision {
namespace {

using geometry::Polytope;
using Index = Polytope::Index;
using Kind = PolytopeAxis::Kind;

/// Sine of the angle below which two edges count as parallel when faces are chosen.
constexpr double kNearlyParallel = 0.1;

Real3 vertex(const Polytope& P, Index i) { return from_eigen(P.vertex(i)); }

/// How far the face at an edge is turned to `outward` (in P).
double facing(const Polytope& P, Index face, const Real3& outward) { return dot(from_eigen(P.normal(face)), outward); }

/// The direction from an edge into one of its faces.
Real3 inward(const Polytope& P, const Polytope::Edge& edge, bool left) {
  const Real3 m = from_eigen(P.normal(left ? edge.left : edge.right)),
              along = vertex(P, edge.to) - vertex(P, edge.from);
  return left ? cross(m, along) : cross(along, m);
}

/// The faces at two edges that meet: those turned to each other most; of parallel edges two on the same side, else they
/// would share nothing but the line.
void choose_edge_faces(const Polytope& A, const Polytope& B, const Place& X_AB, const PolytopeAxis& axis, Index& face_a,
                       Index& face_b) {
  const Polytope::Edge edge_a = A.edge(axis.a), edge_b = B.edge(axis.b);
  const Real3 into_b = -turn_back(X_AB.R, axis.n);
  const bool left_a = facing(A, edge_a.left, axis.n) >= facing(A, edge_a.right, axis.n);
  bool left_b = facing(B, edge_b.left, into_b) >= facing(B, edge_b.right, into_b);
  const Real3 along_a = vertex(A, edge_a.to) - vertex(A, edge_a.from);
  const Real3 along_b = X_AB.R * (vertex(B, edge_b.to) - vertex(B, edge_b.from));
  if (squared_norm(cross(along_a, along_b)) <
      kNearlyParallel * kNearlyParallel * squared_norm(along_a) * squared_norm(along_b)) {
    const Real3 inward_a = turn_back(X_AB.R, inward(A, edge_a, left_a));
    left_b = dot(inward(B, edge_b, true), inward_a) >= dot(inward(B, edge_b, false), inward_a);
  }
  face_a = left_a ? edge_a.left : edge_a.right;
  face_b = left_b ? edge_b.left : edge_b.right;
}

/// The point of the line a0 + t a where it passes the line b0 + s b, seen along both.
Real3 crossing(const Real3& a0, const Real3& a, const Real3& b0, const Real3& b) {
  const Real3 product = cross(a, b);
  const double t = dot(cross(b0 - a0, b), product) / squared_norm(product);
  return a0 + std::clamp(t, 0.0, 1.0) * a;
}

/// Squared radius around a vertex beyond which its polytope is more than `slack` away along u, or a negative number if
/// other vertices are not, or it parts too slowly.
double squared_radius_within(const Polytope& P, Index v, const Real3& u, double slack) {
  const Real3 p = vertex(P, v);
  double largest = 0;
  for (const Index w : P.neighbours_of(v)) {
    const Real3 e = vertex(P, w) - p;
    const double height = dot(u, e), height2 = height * height, across2 = squared_norm(e) - height2;
    if (!(height > slack && height2 >= kPointSlope * kPointSlope * across2)) return -1;
    if (across2 > largest * height2) largest = across2 / height2;
  }
  return slack * slack * largest;
}

/// Whether a point lies inside a face, seen along its normal, by more than the radius.
bool is_well_inside(const Polytope& P, Index face, const Real3& p, double radius2) {
  const Real3 n = from_eigen(P.normal(face));
  const auto corners = P.corners_of(face);
  Real3 from = vertex(P, corners.back());
  for (const Index c : corners) {
    const Real3 to = vertex(P, c), along = to - from;
    const double inward = dot(cross(n, along), p - from);
    if (!(inward > 0 && inward * inward > radius2 * squared_norm(along))) return false;
    from = to;
  }
  return true;
}

/// A vertex of Q on a face of P.
bool is_single_vertex(const Polytope& P, Index face, const Polytope& Q, Index v, const Place& X_PQ, double slack) {
  const double radius2 = squared_radius_within(Q, v, turn_back(X_PQ.R, from_eigen(P.normal(face))), slack);
  return radius2 >= 0 && is_well_inside(P, face, X_PQ * vertex(Q, v), radius2);
}

/// Squared tangent of the angle between n and the face at the edge that is turned to it most.
double squared_slope(const Polytope& P, Index edge, const Real3& n) {
  const Polytope::Edge e = P.edge(edge);
  const double facing = std::max(dot(from_eigen(P.normal(e.left)), n), dot(from_eigen(P.normal(e.right)), n));
  return (1 - facing * facing) / (facing * facing);
}

/// Crossing edges: along each of them the other body falls away by the sine of their angle times the slope of its face,
/// and must have done so by the slack before the edge ends.
bool is_single_crossing(const Polytope& A, const Polytope& B, const Place& X_AB, const PolytopeAxis& axis,
                        double slack) {
  const Polytope::Edge edge_a = A.edge(axis.a), edge_b = B.edge(axis.b);
  const Real3 a0 = vertex(A, edge_a.from), a = vertex(A, edge_a.to) - a0;
  const Real3 b0 = X_AB * vertex(B, edge_b.from), b = X_AB.R * (vertex(B, edge_b.to) - vertex(B, edge_b.from));
  const Real3 product = cross(a, b), apart = b0 - a0;
  const double area2 = squared_norm(product), a2 = squared_norm(a), b2 = squared_norm(b);
  const double fall_a = area2 * squared_slope(B, axis.b, -turn_back(X_AB.R, axis.n));  // times a² b²
  const double fall_b = area2 * squared_slope(A, axis.a, axis.n);
  if (!(std::min(fall_a, fall_b) >= kPointSlope * kPointSlope * a2 * b2)) return false;
  const double t = dot(cross(apart, b), product) / area2, s = dot(cross(apart, a), product) / area2;
  const double end_a = std::min(t, 1 - t), end_b = std::min(s, 1 - s), slack2 = slack * slack;
  return end_a > 0 && end_b > 0 && end_a * end_a * fall_a > slack2 * b2 && end_b * end_b * fall_b > slack2 * a2;
}

}  // namespace

bool set_single_point(const Polytope& A, const Polytope& B, const Place& X_AB, const PolytopeAxis& axis,
                      const Contact& contact, Manifold& manifold) {
  const double slack = contact.farthest() - axis.gap;
  std::uint32_t feature = 0;
  if (axis.kind == Kind::FaceOfA) {
    if (!is_single_vertex(A, axis.a, B, axis.b, X_AB, slack)) return false;
    feature = make_feature(Meeting::VertexOfB, axis.a, axis.b);
  } else if (axis.kind == Kind::FaceOfB) {
    const Place X_BA{transposed(X_AB.R), -turn_back(X_AB.R, X_AB.p)};
    if (!is_single_vertex(B, axis.b, A, axis.a, X_BA, slack)) return false;
    feature = make_feature(Meeting::VertexOfA, axis.a, axis.b);
  } else {
    if (!is_single_crossing(A, B, X_AB, axis, slack)) return false;
    feature = make_feature(Meeting::Sides, axis.a, axis.b);
  }
  put_single_point(contact, feature, manifold);
  return true;
}

ContactView view_of(const Contact& contact, const Place& X_AS, bool is_b, const Real3& touch) {
  return {{contact.R_CS * X_AS.R, contact.R_CS * (X_AS.p - contact.p_SC)},
          move_back(X_AS, touch),
          contact.farthest() - contact.core_distance,
          is_b};
}

void set_frame(const Polytope& A, const Polytope& B, const Place& X_AB, const PolytopeAxis& axis, Contact& contact) {
  contact.R_CS = frame_along(axis.n);
  contact.core_distance = axis.gap;
  const Real3 half = 0.5 * axis.gap * axis.n;
  if (axis.kind == Kind::FaceOfA) {
    contact.p_SC = X_AB * vertex(B, axis.b) - half;
  } else if (axis.kind == Kind::FaceOfB) {
    contact.p_SC = vertex(A, axis.a) + half;
  } else {
    const Polytope::Edge a = A.edge(axis.a), b = B.edge(axis.b);
    contact.p_SC = half + crossing(vertex(A, a.from), vertex(A, a.to) - vertex(A, a.from), X_AB * vertex(B, b.from),
                                   X_AB.R * (vertex(B, b.to) - vertex(B, b.from)));
  }
}

void find_patches(const Polytope& A, const Polytope& B, const Place& X_AB, const PolytopeAxis& axis,
                  const Contact& contact, ContactArea& area) {
  const ContactView view_a = {
      {contact.R_CS, -(contact.R_CS * contact.p_SC)}, contact.p_SC, contact.farthest() - contact.core_distance, false};
  const ContactView view_b = view_of(contact, X_AB, true, contact.p_SC);
  Index face_a = axis.a, face_b = axis.b;
  if (axis.kind == Kind::Edges) choose_edge_faces(A, B, X_AB, axis, face_a, face_b);
  if (axis.kind == Kind::FaceOfB)
    find_patch_at(A, axis.a, view_a, area.a);
  else
    set_face_patch(A, face_a, view_a, area.a);
  if (axis.kind == Kind::FaceOfA)
    find_patch_at(B, axis.b, view_b, area.b);
  else
    set_face_patch(B, face_b, view_b, area.b);
}

}  // namespace visviva::collision
