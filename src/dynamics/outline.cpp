#include "dynamics/outline.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "visviva/collision/surface.hpp"
#include "visviva/geometry/core.hpp"
#include "visviva/geometry/polytope.hpp"

namespace visviva::dynamics {

namespace {

using geometry::Convex;
using geometry::Core;
using geometry::CoreKind;
using geometry::Polytope;

/// Segments of a full turn; a multiple of four, so that the ends of the axes are among their ends.
constexpr int kTurn = 32;

/// Unit vectors of a full turn in the plane of two unit vectors.
template <class F>
void for_turn(const Vec3& u, const Vec3& v, F&& f) {
  constexpr Real kStep = 2 * 3.14159265358979323846 / kTurn;
  for (int i = 0; i <= kTurn; ++i) {
    const Real angle = i == kTurn ? 0 : kStep * i;  // ends where it began
    f(Vec3(std::cos(angle) * u + std::sin(angle) * v));
  }
}

class Outline {
 public:
  Outline(const Pose& X_WB, SegmentSink sink) : X_(X_WB), sink_(sink) {}

  void draw(const Convex& set) {
    if (const Polytope* polytope = set.polytope()) return draw(*polytope, set.rounding());
    const Core& core = set.core();
    const Mat3& R = core.X.R;
    const Vec3 x = R.col(0), y = R.col(1), z = R.col(2);
    const Real rounding = core.rounding, radius = core.size.x();
    const auto at = [&](Real height) { return Vec3(core.X.p + height * z); };
    switch (core.kind) {
      case CoreKind::Segment:
        for (const Real end : {-core.size.z(), core.size.z()}) draw_circle(at(end), x, y, rounding);
        break;
      case CoreKind::Cylinder:
      case CoreKind::Cone:
        for (const Real end : {-core.size.z(), core.size.z()}) {
          if (end > 0 && core.kind == CoreKind::Cone) continue;
          draw_circle(at(end), x, y, radius + rounding);
          if (rounding > 0) draw_circle(at(end + std::copysign(rounding, end)), x, y, radius);
        }
        break;
      default:  // Point, Ellipsoid, Intersection: seen along z too
        draw_contour(set, x, y);
    }
    draw_contour(set, x, z);
    draw_contour(set, y, z);
  }

  void draw(const collision::PlacedSurface& placed) {
    const collision::Surface& surface = *placed.surface;
    for (std::uint32_t t = 0; t < surface.triangle_count(); ++t) {
      const collision::Surface::Corners corners = surface.corners(t);
      for (int k = 0; k < 3; ++k) {
        const Vec3 &a = corners[static_cast<std::size_t>(k)], &b = corners[static_cast<std::size_t>((k + 1) % 3)];
        // Two triangles run along an inner edge, one each way.
        const bool first = std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
        if (first || surface.edge_kind(t, k) == collision::EdgeKind::Border) put(placed.X_BS * a, placed.X_BS * b);
      }
    }
  }

  void draw(const geometry::Plane& plane, Real width) {
    const Vec3 n = plane.normal, middle = plane.offset * n;
    const Vec3 u = width * n.unitOrthogonal(), v = n.cross(u);
    for (const Real s : {-1.0, 0.0, 1.0}) {
      put(middle - u + s * v, middle + u + s * v);
      put(middle - v + s * u, middle + v + s * u);
    }
    put(middle, middle + (width / 10) * n);
  }

 private:
  void put(const Vec3& a, const Vec3& b) { sink_(X_ * a, X_ * b); }

  /// With rounding, the borders of the flat faces.
  void draw(const Polytope& polytope, Real rounding) {
    for (Polytope::Index e = 0; e < polytope.edge_count(); ++e) {
      const Polytope::Edge edge = polytope.edge(e);
      const Vec3 a = polytope.vertex(edge.from), b = polytope.vertex(edge.to);
      if (rounding == 0) {
        put(a, b);
        continue;
      }
      for (const Polytope::Index face : {edge.left, edge.right}) {
        const Vec3 out = rounding * polytope.normal(face);
        put(a + out, b + out);
      }
    }
  }

  void draw_circle(const Vec3& center, const Vec3& u, const Vec3& v, Real radius) {
    draw_line(u, v, [&](const Vec3& d) { return Vec3(center + radius * d); });
  }
  /// The points of the surface whose normals lie in a plane: seen at a right angle to it, the silhouette.
  void draw_contour(const Convex& set, const Vec3& u, const Vec3& v) {
    draw_line(u, v, [&](const Vec3& d) { return Vec3(set.support(d) + set.rounding() * d); });
  }
  template <class F>
  void draw_line(const Vec3& u, const Vec3& v, F&& point) {
    std::optional<Vec3> last;
    for_turn(u, v, [&](const Vec3& d) {
      const Vec3 next = point(d);
      if (last && *last != next) put(*last, next);
      last = next;
    });
  }

  const Pose& X_;
  SegmentSink sink_;
};

}  // namespace

void draw_outline(const collision::Collider& collider, const Pose& X_WB, Real half_space_width, SegmentSink sink) {
  Outline outline(X_WB, sink);
  for (const collision::Collider::Piece& piece : collider.pieces()) {
    if (piece.convex() != nullptr)
      outline.draw(*piece.convex());
    else if (piece.plane() != nullptr)
      outline.draw(*piece.plane(), half_space_width);
    else
      outline.draw(*piece.surface());
  }
}

void draw_box(const collision::Bounds& box, SegmentSink sink) {
  const auto corner = [&](int i) {
    return Vec3((i & 1) != 0 ? box.upper.x() : box.lower.x(), (i & 2) != 0 ? box.upper.y() : box.lower.y(),
                (i & 4) != 0 ? box.upper.z() : box.lower.z());
  };
  for (int i = 0; i < 8; ++i)
    for (const int axis : {1, 2, 4})
      if ((i & axis) == 0) sink(corner(i), corner(i | axis));
}

}  // namespace visviva::dynamics
