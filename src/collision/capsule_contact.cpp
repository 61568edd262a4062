#include "capsule_contact.hpp"

#include <algorithm>
#include <cmath>

#include "capsule_features.hpp"
#include "cast_points.hpp"
#include "fetch.hpp"
#include "minkowski_difference.hpp"
#include "visviva/geometry/core.hpp"

namespace visviva::collision {
namespace {

using geometry::Core;
using geometry::CoreKind;
using geometry::Polytope;

/// The polytope that a capsule may lie on, or nullptr.
const Polytope* polytope_beside_capsule(const geometry::Convex& A, const geometry::Convex& B) {
  const Polytope* P = A.core().kind == CoreKind::Segment   ? B.polytope()
                      : B.core().kind == CoreKind::Segment ? A.polytope()
                                                           : nullptr;
  return P == nullptr || P->flat() ? nullptr : P;
}

/// Nearest points of the axis and the polytope, in the polytope.
struct Touch {
  Real3 on_axis{}, n{};  ///< n: unit, from the polytope
  double d = 0;          ///< [m]
  AxisOverEdge edge;     ///< if it is not a face
  bool on_face = false;
};

/// The lowest point of the axis, if it lies over the face: then the plane says that the distance is at least the gap,
/// and the point that it is at most its height.
bool touch_face(const AxisOverFace& over, double rounding, Touch& touch) {
  const SegmentCut& part = over.part;
  const int end = over.at(part.t[1]) < over.at(part.t[0]) ? 1 : 0;
  touch.d = over.at(part.t[end]);
  touch.n = over.n;
  touch.on_axis = over.point(part.t[end]);
  touch.on_face = touch.d <= over.height[over.low()] + rounding && (part.cut_by[end] >= 0 || over.low_inside);
  return touch.on_face;
}

bool find_touch(const Polytope& P, AxisOverFace& over, double rounding, Touch& touch) {
  if (!(over.height[over.low()] > rounding)) return false;
  if (over.cut(P) && touch_face(over, rounding, touch)) return true;
  const std::uint32_t first = P.sides_of(over.face)[static_cast<std::size_t>(over.nearest_side)];
  if (!walk_edges(P, over.end, first, touch.edge)) return false;
  touch.on_axis = touch.edge.pair.on_b;
  touch.n = touch.edge.pair.n;
  touch.d = touch.edge.pair.d;
  return true;
}

/// The face below the axis where it touches an edge: of the two there that which is turned to n more, at an end of the
/// edge as contact_patch.cpp chooses it. False if all are too steep.
bool choose_face(const Polytope& P, const AxisOverEdge& touch, double slack, std::uint32_t& face) {
  const Polytope::Edge edge = P.edge(touch.edge);
  if (touch.pair.end_a != 0)
    return find_face_at(P, touch.pair.end_a < 0 ? edge.from : edge.to, touch.pair.n, slack, face);
  const double left = dot(from_eigen(P.normal(edge.left)), touch.pair.n),
               right = dot(from_eigen(P.normal(edge.right)), touch.pair.n);
  face = left > right ? edge.left : edge.right;
  return faces_enough(std::max(left, right));
}

/// The part of the axis over the face as the region of the contact; x runs along it, from the nearest point on.
void set_region(const Polytope& P, const AxisOverFace& over, const Touch& touch, const Real3& level, bool capsule_is_b,
                ContactArea& area) {
  ContactRegion& region = area.region;
  const SegmentCut& part = over.part;
  region.count = part.t[0] < part.t[1] ? 2 : 1;
  for (int i = 0; i < region.count; ++i) {
    const Real3 from_touch = over.point(part.t[i]) - touch.on_axis;
    const double axis = 0.5 * touch.d + dot(over.n, from_touch), face = axis - over.at(part.t[i]);  // heights
    region.x[i] = dot(level, from_touch);
    region.y[i] = 0;
    region.z_a[i] = capsule_is_b ? face : -axis;
    region.z_b[i] = capsule_is_b ? axis : -face;
    // As clip_patches names them.
    const bool is_end = part.cut_by[i] < 0;
    const auto end = static_cast<std::uint32_t>(is_end ? i : 0);
    const std::uint32_t of_face = is_end ? over.face : P.sides_of(over.face)[static_cast<std::size_t>(part.cut_by[i])];
    const Meeting vertex = capsule_is_b ? Meeting::VertexOfB : Meeting::VertexOfA;
    const Meeting meeting = is_end ? vertex : Meeting::Sides;
    region.name[i] = capsule_is_b ? make_feature(meeting, of_face, end) : make_feature(meeting, end, of_face);
  }
  area.a.count = area.b.count = 2;  // a region of segments: `name` counts
}

/// Unit, across n: the direction of the axis, or any if that is as good as parallel to n.
Real3 level_of(const Real3& axis, const Real3& n) {
  constexpr double kUpright = 1e-6;
  const Real3 across = axis - dot(axis, n) * n;
  const double across2 = squared_norm(across);
  return across2 > kUpright * kUpright * squared_norm(axis) ? (1 / std::sqrt(across2)) * across : tangents(n).t1;
}

}  // namespace

bool set_capsule_contact(const geometry::Convex& A, const geometry::Convex& B, const Place& X_AB, Contact& contact,
                         Manifold& manifold) {
  const Polytope* const P = polytope_beside_capsule(A, B);
  if (P == nullptr) return false;
  fetch_planes(*P);
  fetch_surface(*P);
  fetch_coordinates(*P);
  const bool capsule_is_b = B.core().kind == CoreKind::Segment;
  const Core& segment = capsule_is_b ? B.core() : A.core();
  const Place X = to_place(segment.X);
  const auto in_polytope = [&](double z) {
    const Real3 p = X * Real3{0, 0, z};
    return capsule_is_b ? X_AB * p : move_back(X_AB, p);
  };
  const Real3 ends[2] = {in_polytope(-segment.size.z()), in_polytope(segment.size.z())};
  const double rounding = kSupportRounding * std::max({largest(ends[0]), largest(ends[1]), largest(X_AB.p)});
  AxisOverFace over(*P, ends);
  Touch touch;
  if (!find_touch(*P, over, rounding, touch)) return false;

  const Real3 level = level_of(ends[1] - ends[0], touch.n), middle = touch.on_axis - 0.5 * touch.d * touch.n;
  contact.core_distance = touch.d;
  contact.p_SC = capsule_is_b ? middle : X_AB * middle;
  contact.R_CS = {capsule_is_b ? level : X_AB.R * level, {0, 0, 0}, capsule_is_b ? touch.n : -(X_AB.R * touch.n)};
  set_contact_normal(contact, manifold);
  manifold.center = to_eigen(contact.p_SC + 0.5 * (contact.rounding_a - contact.rounding_b) * contact.R_CS.row2);
  if (!(manifold.distance <= contact.margin)) return true;
  ContactArea area;
  area.region.count = 0;
  if (touch.on_face) {
    set_region(*P, over, touch, level, capsule_is_b, area);
  } else {
    std::uint32_t face = 0;
    if (!choose_face(*P, touch.edge, contact.farthest() - touch.d, face)) return false;
    AxisOverFace along(*P, ends, face, touch.n);
    if (along.cut(*P)) set_region(*P, along, touch, level, capsule_is_b, area);
  }
  set_points(contact, area, manifold);
  cast_points(A, B, X_AB, contact, manifold);
  set_center(contact, area.region, manifold);
  return true;
}

}  // namespace visviva::collision
