#include "contact_patch.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "visviva/geometry/core.hpp"
#include "visviva/geometry/polytope.hpp"

namespace visviva::collision {
namespace {

using geometry::Core;
using geometry::CoreKind;
using geometry::Polytope;
using Index = Polytope::Index;

/// A face whose normal has less than this along n is seen edge-on: its edge stands for it.
constexpr Real kSteep = 0.1;

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

void set_corner(ContactPatch& patch, int i, const ContactView& view, const Vec3& p_S, Index id) {
  const Vec3 p = view.R_CS * p_S + view.p_CS;
  patch.x[i] = p.x();
  patch.y[i] = p.y();
  patch.z[i] = p.z();
  patch.vertex_id[i] = static_cast<std::uint16_t>(id);
}

/// Heights over a polygon with the outward normal m.
void set_plane(ContactPatch& patch, const ContactView& view, const Vec3& m_S) {
  const Vec3 m = view.R_CS * m_S;
  patch.slope_x = -m.x() / m.z();
  patch.slope_y = -m.y() / m.z();
  patch.z0 = patch.z[0] - patch.slope_x * patch.x[0] - patch.slope_y * patch.y[0];
}

void set_point(ContactPatch& patch, const ContactView& view) {
  patch.count = 1;
  set_corner(patch, 0, view, view.touch_S, 0);
}

void set_segment(ContactPatch& patch, const ContactView& view, const Vec3& a, Index id_a, const Vec3& b, Index id_b) {
  patch.count = 2;
  set_corner(patch, 0, view, a, id_a);
  set_corner(patch, 1, view, b, id_b);
}

/// The base disc of a cylinder or cone at height z.
void set_disc(ContactPatch& patch, const ContactView& view, const Core& core, Real z) {
  const bool turn_back = view.is_b != (z < 0);  // counter-clockwise as seen along n
  const Index face = z < 0 ? 1 : 2;
  patch.count = 16;
  patch.face_id = static_cast<std::uint16_t>(face);
  for (int i = 0; i < 16; ++i) {
    const int k = turn_back ? 15 - i : i;
    const auto& [c, s] = kSixteenths[static_cast<std::size_t>(k)];
    set_corner(patch, i, view, core.X * Vec3(core.size.x() * c, core.size.x() * s, z),
               face * 16 + static_cast<Index>(k));
    patch.side_id[i] = static_cast<std::uint16_t>(face * 16 + static_cast<Index>(turn_back ? (k + 15) % 16 : k));
  }
  set_plane(patch, view, (z < 0 ? -1 : 1) * core.X.R.col(2));
}

void find_cylinder_patch(const Core& core, const ContactView& view, ContactPatch& patch) {
  const Vec3 u = core.X.R.transpose() * view.outward();
  const Real across = u.head<2>().norm(), h = core.size.z();
  if (std::abs(u.z()) >= across) return set_disc(patch, view, core, u.z() < 0 ? -h : h);
  const Vec2 rim = core.size.x() / across * u.head<2>();
  set_segment(patch, view, core.X * Vec3(rim.x(), rim.y(), -h), 0, core.X * Vec3(rim.x(), rim.y(), h), 1);
  patch.curvature_radius = core.size.x() + core.rounding;
}

void find_cone_patch(const Core& core, const ContactView& view, ContactPatch& patch) {
  const Vec3 u = core.X.R.transpose() * view.outward();
  const Real across = u.head<2>().norm(), h = core.size.z(), radius = core.size.x();
  const Real side = (2 * h * across + radius * u.z()) / Vec2(2 * h, radius).norm();
  if (-u.z() >= side) return set_disc(patch, view, core, -h);
  if (!(across > kSteep * std::abs(u.z()))) return set_point(patch, view);  // the tip
  const Vec2 rim = radius / across * u.head<2>();
  set_segment(patch, view, core.X * Vec3(rim.x(), rim.y(), -h), 0, core.X * Vec3(0, 0, h), 1);
  patch.curvature_radius = radius / 2 + core.rounding;
}

Index farthest_vertex(const Polytope& polytope, const Vec3& u) {
  Index best = 0;
  Real farthest = polytope.vertices[0].dot(u);
  for (Index i = 1; i < polytope.vertices.size(); ++i) {
    const Real reach = polytope.vertices[i].dot(u);
    if (reach > farthest) farthest = reach, best = i;
  }
  return best;
}

/// Of the faces at the vertex the one along which the surface falls away least: that one first whose corners next to
/// the vertex are within the slack too (an edge that lies flat has an end, and there a face that may be turned to n
/// more than those of the edge), then the one turned to n most.
struct FaceChoice {
  Index face = 0;
  Real facing = -1;
  Real score = -10;
};

FaceChoice choose_face(const Polytope& polytope, Index vertex, const Vec3& u, Real slack) {
  FaceChoice best;
  const Real top = polytope.vertices[vertex].dot(u) - slack;
  for (const Index f : polytope.faces_at(vertex)) {
    const auto corners = polytope.corners_of(f);
    const std::size_t n = corners.size();
    const auto k = static_cast<std::size_t>(std::find(corners.begin(), corners.end(), vertex) - corners.begin());
    const Real facing = polytope.normal(f).dot(u);
    Real score = facing;
    if (polytope.vertices[corners[(k + 1) % n]].dot(u) >= top) score += 2;
    if (polytope.vertices[corners[(k + n - 1) % n]].dot(u) >= top) score += 2;
    if (score > best.score) best = {f, facing, score};
  }
  return best;
}

/// The edge at the vertex that falls away least.
void set_edge_patch(const Polytope& polytope, Index vertex, const ContactView& view, ContactPatch& patch) {
  const Vec3 u = view.outward();
  Index best = 0;
  Real least = 2;
  for (const Index f : polytope.faces_at(vertex))
    for (const Index e : polytope.sides_of(f)) {
      const Polytope::Edge& edge = polytope.edges[e];
      if (edge.from != vertex && edge.to != vertex) continue;
      const Real fall = std::abs((polytope.vertices[edge.to] - polytope.vertices[edge.from]).normalized().dot(u));
      if (fall < least) least = fall, best = e;
    }
  if (!(least < kSteep)) return set_point(patch, view);
  const Polytope::Edge& edge = polytope.edges[best];
  set_segment(patch, view, polytope.vertices[edge.from], edge.from, polytope.vertices[edge.to], edge.to);
  patch.side_id[0] = static_cast<std::uint16_t>(best);
}

void find_polytope_patch(const Polytope& polytope, const ContactView& view, ContactPatch& patch) {
  const Vec3 u = view.outward();
  const Index vertex = farthest_vertex(polytope, u);
  const FaceChoice choice = choose_face(polytope, vertex, u, view.slack);
  if (choice.facing < kSteep) return set_edge_patch(polytope, vertex, view, patch);
  set_face_patch(polytope, choice.face, view, patch);
}

}  // namespace

void set_face_patch(const Polytope& polytope, Index face, const ContactView& view, ContactPatch& patch) {
  const auto corners = polytope.corners_of(face), sides = polytope.sides_of(face);
  const int n = static_cast<int>(corners.size());
  patch.count = std::min(n, ContactPatch::kMaxCorners);
  patch.face_id = static_cast<std::uint16_t>(face);
  for (int i = 0; i < patch.count; ++i) {
    // Seen along n the corners of B's face run clockwise. A side that skips corners has the name of its first part.
    const int chosen = n <= ContactPatch::kMaxCorners ? i : static_cast<int>(std::int64_t{i} * n / patch.count);
    const auto k = static_cast<std::size_t>(view.is_b ? n - 1 - chosen : chosen);
    set_corner(patch, i, view, polytope.vertices[corners[k]], corners[k]);
    patch.side_id[i] = static_cast<std::uint16_t>(sides[view.is_b ? (k + sides.size() - 1) % sides.size() : k]);
  }
  set_plane(patch, view, polytope.normal(face));
}

void find_patch(const geometry::Convex& convex, const ContactView& view, ContactPatch& patch) {
  const Core& core = convex.core();
  patch.face_id = 0;
  patch.side_id[0] = 0;
  patch.curvature_radius = core.rounding;
  switch (core.kind) {
    case CoreKind::Segment:
      return set_segment(patch, view, core.X * Vec3(0, 0, -core.size.z()), 0, core.X * Vec3(0, 0, core.size.z()), 1);
    case CoreKind::Cylinder:
      return find_cylinder_patch(core, view, patch);
    case CoreKind::Cone:
      return find_cone_patch(core, view, patch);
    case CoreKind::Box:
    case CoreKind::Polytope:
      return find_polytope_patch(*convex.polytope(), view, patch);
    case CoreKind::Point:
    case CoreKind::Ellipsoid:
    case CoreKind::EllipsoidPair:
      return set_point(patch, view);
  }
}

}  // namespace visviva::collision
