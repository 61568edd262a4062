#include "contact_patch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "polytope_lanes.hpp"
#include "visviva/geometry/core.hpp"
#include "visviva/geometry/polytope.hpp"

namespace visviva::collision {
namespace {

using geometry::Core;
using geometry::CoreKind;
using geometry::Polytope;
using Index = Polytope::Index;

/// A face whose normal has less than this along n is seen edge-on: its edge stands for it.
constexpr double kSteep = 0.1;
/// Of the radius. The 16-gon of a disc that is tilted by less than a thousandth stays behind its rim by less; the
/// points of a coin that lies flat do not run around with its lowest point.
constexpr double kFlatDisc = 2e-5;

/// cos and sin of sixteenths of a turn.
constexpr Real kC1 = 0.92387953251128676, kC2 = 0.70710678118654752, kC3 = 0.38268343236508977;
constexpr std::array<std::array<Real, 2>, 16> kSixteenths = {{{1, 0},
                                                              {kC1, kC3},
                                                              {kC2, kC2},
                                                              {kC3, kC1},
                                                              {0, 1},
                                                              {-kC3, kC1},
                                                              {-kC2, kC2},
                                                              {-kC1, kC3},
                                                              {-1, 0},
                                                              {-kC1, -kC3},
                                                              {-kC2, -kC2},
                                                              {-kC3, -kC1},
                                                              {0, -1},
                                                              {kC3, -kC1},
                                                              {kC2, -kC2},
                                                              {kC1, -kC3}}};

void set_corner(ContactPatch& patch, int i, const ContactView& view, const Real3& p_S, Index id) {
  const Real3 p = view.X_CS * p_S;
  patch.x[i] = p.x;
  patch.y[i] = p.y;
  patch.z[i] = p.z;
  patch.vertex_id[i] = id;
}

/// Heights over a polygon with the outward normal m and a corner p.
void set_plane(ContactPatch& patch, const ContactView& view, const Real3& m_S, const Real3& p_S) {
  const Real3 m = view.X_CS.R * m_S, p = view.X_CS * p_S;
  const double scale = -1 / m.z;
  patch.slope_x = scale * m.x;
  patch.slope_y = scale * m.y;
  patch.z0 = p.z - patch.slope_x * p.x - patch.slope_y * p.y;
}

void set_point(ContactPatch& patch, const ContactView& view) {
  patch.count = 1;
  set_corner(patch, 0, view, view.touch_S, 0);
}

void set_segment(ContactPatch& patch, const ContactView& view, const Real3& a, Index id_a, const Real3& b, Index id_b) {
  patch.count = 2;
  set_corner(patch, 0, view, a, id_a);
  set_corner(patch, 1, view, b, id_b);
}

/// The base disc of a cylinder or cone at height z.
void set_disc(ContactPatch& patch, const ContactView& view, const Core& core, Real z) {
  const Place X = to_place(core.X);
  const bool turn_back = view.is_b != (z < 0);  // counter-clockwise as seen along n
  const Index face = z < 0 ? 1 : 2;
  const double radius = core.size.x();
  patch.count = 16;
  patch.face_id = face;
  patch.sag = kFlatDisc * radius;
  for (Index i = 0; i < 16; ++i) {
    const Index k = turn_back ? 15 - i : i;
    const auto& [c, s] = kSixteenths[k];
    set_corner(patch, static_cast<int>(i), view, X * Real3{radius * c, radius * s, z}, face * 16 + k);
    patch.side_id[i] = face * 16 + (turn_back ? (k + 15) % 16 : k);
  }
  set_plane(patch, view, X.R * Real3{0, 0, z < 0 ? -1.0 : 1.0}, X * Real3{radius, 0, z});
}

void find_cylinder_patch(const Core& core, const ContactView& view, ContactPatch& patch) {
  const Place X = to_place(core.X);
  const Real3 u = turn_back(X.R, view.outward());
  const double across = std::sqrt(u.x * u.x + u.y * u.y), h = core.size.z(), scale = core.size.x() / across;
  if (std::abs(u.z) >= across) return set_disc(patch, view, core, u.z < 0 ? -h : h);
  set_segment(patch, view, X * Real3{scale * u.x, scale * u.y, -h}, 0, X * Real3{scale * u.x, scale * u.y, h}, 1);
  patch.round[0] = patch.round[1] = core.size.x() + core.rounding;
}

/// The flat face of an intersection, as the polygon of points around it.
void find_intersection_patch(const geometry::Convex& convex, const ContactView& view, ContactPatch& patch) {
  constexpr Real kFlat = 1e-9;  // of the size: how far behind the farthest point the face may be
  thread_local std::vector<Vec3> corners;
  const Real3 u = view.outward();
  convex.extreme_points(to_eigen(u), kFlat * convex.core().reach, corners);
  const int n = static_cast<int>(corners.size());
  if (n < 3 || n > ContactPatch::kMaxCorners) return set_point(patch, view);
  patch.count = n;
  for (int i = 0; i < n; ++i) {
    const int k = view.is_b ? n - 1 - i : i;  // counter-clockwise as seen along n
    set_corner(patch, i, view, from_eigen(corners[static_cast<std::size_t>(k)]), static_cast<Index>(k));
    patch.side_id[i] = static_cast<Index>(view.is_b ? (k + n - 1) % n : k);
  }
  set_plane(patch, view, u, from_eigen(corners[0]));
}

void find_cone_patch(const Core& core, const ContactView& view, ContactPatch& patch) {
  const Place X = to_place(core.X);
  const Real3 u = turn_back(X.R, view.outward());
  const double across = std::sqrt(u.x * u.x + u.y * u.y), h = core.size.z(), radius = core.size.x(),
               scale = radius / across;
  const double side = (2 * h * across + radius * u.z) / std::sqrt(4 * h * h + radius * radius);
  if (-u.z >= side) return set_disc(patch, view, core, -h);
  if (!(across > kSteep * std::abs(u.z))) return set_point(patch, view);  // the tip
  set_segment(patch, view, X * Real3{scale * u.x, scale * u.y, -h}, 0, X * Real3{0, 0, h}, 1);
  patch.round[0] = radius + core.rounding;
}

/// Of the faces at the vertex the one along which the surface falls away least: that one first whose corners next to
/// the vertex are within the slack too (an edge that lies flat has an end, and there a face that may be turned to n
/// more than those of the edge), then the one turned to n most.
struct FaceChoice {
  Index face = 0;
  double facing = -1, score = -10;
};

double reach(const Polytope& polytope, Index vertex, const Real3& u) {
  return dot(from_eigen(polytope.vertex(vertex)), u);
}

FaceChoice choose_face(const Polytope& polytope, Index vertex, const Real3& u, double slack) {
  FaceChoice best;
  const double top = reach(polytope, vertex, u) - slack;
  for (const Index e : polytope.edges_at(vertex)) {
    const Index f = Polytope::face_beside(polytope.edge(e), vertex);
    const auto corners = polytope.corners_of(f);
    const std::size_t n = corners.size();
    std::size_t k = 0;
    while (corners[k] != vertex) ++k;
    const double facing = dot(from_eigen(polytope.normal(f)), u);
    double score = facing;
    if (reach(polytope, corners[k + 1 == n ? 0 : k + 1], u) >= top) score += 2;
    if (reach(polytope, corners[k == 0 ? n - 1 : k - 1], u) >= top) score += 2;
    if (score > best.score) best = {f, facing, score};
  }
  return best;
}

/// The edge at the vertex that falls away least.
void set_edge_patch(const Polytope& polytope, Index vertex, const ContactView& view, ContactPatch& patch) {
  const Real3 u = view.outward();
  Index best = 0;
  double least = 2;
  for (const Index e : polytope.edges_at(vertex)) {
    const Polytope::Edge edge = polytope.edge(e);
    const Real3 along = from_eigen(polytope.vertex(edge.to)) - from_eigen(polytope.vertex(edge.from));
    const double fall = std::abs(dot(along, u)) / norm(along);
    if (fall < least) least = fall, best = e;
  }
  if (!(least < kSteep)) return set_point(patch, view);
  const Polytope::Edge edge = polytope.edge(best);
  set_segment(patch, view, from_eigen(polytope.vertex(edge.from)), edge.from, from_eigen(polytope.vertex(edge.to)),
              edge.to);
  patch.side_id[0] = best;
}

}  // namespace

bool faces_enough(double facing) { return facing >= kSteep; }

bool find_face_at(const Polytope& polytope, Index vertex, const Real3& u, double slack, Index& face) {
  const FaceChoice choice = choose_face(polytope, vertex, u, slack);
  face = choice.face;
  return faces_enough(choice.facing);
}

void find_patch_at(const Polytope& polytope, Index vertex, const ContactView& view, ContactPatch& patch) {
  Index face = 0;
  if (!find_face_at(polytope, vertex, view.outward(), view.slack, face))
    return set_edge_patch(polytope, vertex, view, patch);
  set_face_patch(polytope, face, view, patch);
}

void set_face_patch(const Polytope& polytope, Index face, const ContactView& view, ContactPatch& patch) {
  const auto corners = polytope.corners_of(face), sides = polytope.sides_of(face);
  const auto n = static_cast<Index>(corners.size());
  constexpr Index kMost = ContactPatch::kMaxCorners;
  const Index count = std::min(n, kMost);
  patch.count = static_cast<int>(count);
  patch.face_id = face;
  const Real3 &row_x = view.X_CS.R.row0, &row_y = view.X_CS.R.row1;
  for (Index i = 0; i < count; ++i) {
    // Seen along n the corners of B's face run clockwise. A side that skips corners has the name of its first part.
    const Index chosen = n <= kMost ? i : static_cast<Index>(std::uint64_t{i} * n / count);
    const Index k = view.is_b ? n - 1 - chosen : chosen;
    const Real3 p = from_eigen(polytope.vertex(corners[k]));
    patch.x[i] = dot(row_x, p) + view.X_CS.p.x;
    patch.y[i] = dot(row_y, p) + view.X_CS.p.y;
    patch.vertex_id[i] = corners[k];
    patch.side_id[i] = sides[!view.is_b ? k : k == 0 ? n - 1 : k - 1];
  }
  set_plane(patch, view, from_eigen(polytope.normal(face)), from_eigen(polytope.vertex(corners[0])));
}

void find_patch(const geometry::Convex& convex, const ContactView& view, ContactPatch& patch) {
  const Core& core = convex.core();
  patch.face_id = 0;
  patch.side_id[0] = 0;
  patch.sag = 0;
  patch.round[0] = patch.round[1] = core.rounding;
  switch (core.kind) {
    case CoreKind::Segment: {
      const Place X = to_place(core.X);
      return set_segment(patch, view, X * Real3{0, 0, -core.size.z()}, 0, X * Real3{0, 0, core.size.z()}, 1);
    }
    case CoreKind::Cylinder:
      return find_cylinder_patch(core, view, patch);
    case CoreKind::Cone:
      return find_cone_patch(core, view, patch);
    case CoreKind::Box:
    case CoreKind::Polytope: {
      const Polytope& polytope = *convex.polytope();
      const Real3 u = view.outward();
      const double direction[3] = {u.x, u.y, u.z};
      const Index vertex = polytope_lanes().farthest(polytope.coordinates(), polytope.vertex_stride(), direction).index;
      return find_patch_at(polytope, vertex, view, patch);
    }
    case CoreKind::Intersection:
      return find_intersection_patch(convex, view, patch);
    case CoreKind::Point:
    case CoreKind::Ellipsoid:
      return set_point(patch, view);
  }
}

}  // namespace visviva::collision
