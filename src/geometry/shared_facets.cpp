#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "visviva/core/error.hpp"
#include "visviva/geometry/core.hpp"
#include "visviva/geometry/fracture.hpp"
#include "visviva/geometry/polytope.hpp"

namespace visviva::geometry {
namespace {

/// Faces whose normals are opposite within this angle may be one [rad]. Tilted by more, two faces of a metre would be
/// apart by a tenth of a millimetre somewhere.
constexpr Real kLargestTilt = 1e-4;
/// Of the square of the smaller size of the two pieces: what is smaller is a point or a line where pieces meet.
constexpr Real kLeastArea = 1e-6;

struct Bounds {
  Vec3 low, high;
};

Bounds bounds_of(const Polytope& polytope) {
  Bounds bounds{polytope.vertex(0), polytope.vertex(0)};
  for (Polytope::Index i = 1; i < polytope.vertex_count(); ++i) {
    bounds.low = bounds.low.cwiseMin(polytope.vertex(i));
    bounds.high = bounds.high.cwiseMax(polytope.vertex(i));
  }
  return bounds;
}

bool meet(const Bounds& a, const Bounds& b, Real gap) {
  return ((a.low.array() <= b.high.array() + gap) && (b.low.array() <= a.high.array() + gap)).all();
}

using Polygon = std::vector<Vec3>;

Polygon corners_of(const Polytope& polytope, Polytope::Index face) {
  Polygon polygon;
  for (const Polytope::Index corner : polytope.corners_of(face)) polygon.push_back(polytope.vertex(corner));
  return polygon;
}

/// What of a convex polygon lies where n·p <= d (Sutherland and Hodgman).
void clip(Polygon& polygon, const Vec3& n, Real d) {
  Polygon kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec3 &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
    const Real s = n.dot(p) - d, t = n.dot(q) - d;
    if (s <= 0) kept.push_back(p);
    if ((s < 0 && t > 0) || (s > 0 && t < 0)) kept.push_back(p + s / (s - t) * (q - p));
  }
  polygon.swap(kept);
}

/// The common part of two faces in one plane, in the plane of the first.
Polygon intersection(const Polygon& a, const Vec3& normal, Polygon b) {
  for (Vec3& p : b) p -= normal.dot(p - a.front()) * normal;
  std::reverse(b.begin(), b.end());
  for (std::size_t i = 0; i < a.size() && !b.empty(); ++i) {
    const Vec3 side = a[(i + 1) % a.size()] - a[i];
    const Real length = side.norm();
    if (length == 0) continue;
    const Vec3 outward = side.cross(normal) / length;
    clip(b, outward, outward.dot(a[i]));
  }
  return b;
}

/// Any unit vector across n, the same for the same n: along the longest axis of the world that is left.
Vec3 some_tangent(const Vec3& n) {
  int least = 0;
  n.cwiseAbs().minCoeff(&least);
  const Vec3 across = Vec3::Unit(least) - n(least) * n;
  return across.normalized();
}

}  // namespace

// With u, v about the centroid and I_uu = ∫u² dA, I_vv = ∫v² dA, I_uv = ∫uv dA, the principal axes are turned by θ with
// tan 2θ = 2 I_uv/(I_uu - I_vv). cos 2θ and half-angle formulas give cos θ and sin θ by square roots alone.
SharedFacet make_facet(std::span<const Vec3> corners, const Vec3& normal) {
  SharedFacet facet;
  facet.normal = normal;
  const Vec3 u = some_tangent(normal), v = normal.cross(u), origin = corners.empty() ? Vec3::Zero() : corners[0];
  std::vector<Vec2> points;
  for (const Vec3& p : corners) points.emplace_back(u.dot(p - origin), v.dot(p - origin));
  Real twice = 0, Iuu = 0, Ivv = 0, Iuv = 0;
  Vec2 first = Vec2::Zero();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec2 &p = points[i], &q = points[(i + 1) % points.size()];
    const Real D = p.x() * q.y() - q.x() * p.y();
    twice += D;
    first += D * (p + q);
  }
  if (!(twice > 0)) return facet;
  facet.area = twice / 2;
  const Vec2 middle = first / (3 * twice);
  facet.center = origin + middle.x() * u + middle.y() * v;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec2 p = points[i] - middle, q = points[(i + 1) % points.size()] - middle;
    const Real D = p.x() * q.y() - q.x() * p.y();
    Iuu += D / 12 * (p.x() * p.x() + p.x() * q.x() + q.x() * q.x());
    Ivv += D / 12 * (p.y() * p.y() + p.y() * q.y() + q.y() * q.y());
    Iuv += D / 24 * (2 * p.x() * p.y() + p.x() * q.y() + q.x() * p.y() + 2 * q.x() * q.y());
  }
  const Real half = (Iuu - Ivv) / 2, size = std::sqrt(half * half + Iuv * Iuv);
  Real c = 1, s = 0;
  if (size > 1e-12 * (Iuu + Ivv)) {  // else all axes are principal
    c = std::sqrt((1 + std::min(1.0, std::abs(half) / size)) / 2);
    s = std::copysign(std::sqrt(std::max(0.0, 1 - c * c)), half >= 0 ? Iuv : -Iuv);
  }
  facet.axis_u = (c * u + s * v).normalized();
  for (const Vec2& p : points) {
    const Vec2 r = p - middle;
    facet.outline.emplace_back(c * r.x() + s * r.y(), -s * r.x() + c * r.y());
  }
  facet.I_v = c * c * Iuu + 2 * c * s * Iuv + s * s * Ivv;
  facet.I_u = s * s * Iuu - 2 * c * s * Iuv + c * c * Ivv;
  return facet;
}

namespace {

/// Where two pieces touch, the largest such area; area 0 if they do not.
SharedFacet facet_between(const Polytope& A, const Polytope& B, Real gap) {
  SharedFacet found;
  for (Polytope::Index i = 0; i < A.face_count(); ++i) {
    const Vec3 n = A.normal(i);
    for (Polytope::Index j = 0; j < B.face_count(); ++j) {
      // Both ways, as unit vectors: |n_A + n_B| is the angle by which they are off.
      if (!((n + B.normal(j)).squaredNorm() < kLargestTilt * kLargestTilt)) continue;
      const Polygon a = corners_of(A, i), b = corners_of(B, j);
      Real apart = 0;
      for (const Vec3& p : b) apart = std::max(apart, std::abs(n.dot(p) - A.offset(i)));
      if (apart > gap) continue;
      const Polygon common = intersection(a, n, b);
      if (common.size() < 3) continue;
      SharedFacet facet = make_facet(common, n);
      if (facet.area > found.area) found = std::move(facet);
    }
  }
  return found;
}

}  // namespace

std::vector<SharedFacet> find_shared_facets(std::span<const Convex> pieces, Real gap, std::string_view name) {
  require(gap >= 0 && std::isfinite(gap), name, "gap", "be finite and not negative", gap);
  std::vector<Bounds> bounds;
  for (const Convex& piece : pieces) {
    require(piece.polytope() != nullptr && piece.rounding() == 0, name, "solid",
            "be boxes or convex hulls without rounding, to have faces that touch", "another shape");
    bounds.push_back(bounds_of(*piece.polytope()));
  }
  // Sorted along x; who begins before another ends may meet it.
  std::vector<std::uint32_t> order(pieces.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) {
    return bounds[i].low.x() != bounds[j].low.x() ? bounds[i].low.x() < bounds[j].low.x() : i < j;
  });
  std::vector<SharedFacet> facets;
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i + 1; j < order.size() && bounds[order[j]].low.x() <= bounds[order[i]].high.x() + gap; ++j) {
      const std::uint32_t a = std::min(order[i], order[j]), b = std::max(order[i], order[j]);
      if (!meet(bounds[a], bounds[b], gap)) continue;
      SharedFacet facet = facet_between(*pieces[a].polytope(), *pieces[b].polytope(), gap);
      const Real size = std::min((bounds[a].high - bounds[a].low).norm(), (bounds[b].high - bounds[b].low).norm());
      if (!(facet.area > kLeastArea * size * size)) continue;
      facet.a = a;
      facet.b = b;
      facets.push_back(std::move(facet));
    }
  std::sort(facets.begin(), facets.end(),
            [](const SharedFacet& f, const SharedFacet& g) { return f.a != g.a ? f.a < g.a : f.b < g.b; });
  return facets;
}

}  // namespace visviva::geometry
