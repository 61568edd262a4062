#include "polytope_intersection.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "visviva/core/error.hpp"
#include "visviva/geometry/convex_hull.hpp"

namespace visviva::geometry {
namespace {

Vec3 mean(const std::vector<Vec3>& points) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& p : points) sum += p;
  return sum / static_cast<Real>(points.size());
}

Real extent(const std::vector<Vec3>& points) {
  const Vec3 middle = mean(points);
  Real largest = 0;
  for (const Vec3& p : points) largest = std::max(largest, (p - middle).cwiseAbs().maxCoeff());
  return largest;
}

/// The hull, or nothing if the points span no volume.
std::optional<TriangleMesh> try_hull(std::vector<Vec3> points) {
  if (points.size() < 4) return std::nullopt;
  try {
    return make_convex_hull(ConvexHull{std::move(points)});
  } catch (const InvalidArgument&) {
    return std::nullopt;
  }
}

/// What is left of the hull below the plane. New vertices may lie within edges, where the plane cuts a diagonal of a
/// triangulated face: good enough to find an interior point.
std::optional<TriangleMesh> clipped(const TriangleMesh& hull, const Plane& plane) {
  const auto height = [&](std::uint32_t i) { return plane.normal.dot(hull.vertices[i]) - plane.offset; };
  std::vector<Vec3> points;
  for (std::uint32_t i = 0; i < hull.vertices.size(); ++i)
    if (height(i) <= 0) points.push_back(hull.vertices[i]);
  if (points.size() == hull.vertices.size()) return hull;
  for (const auto& t : hull.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t i = t[k], j = t[(k + 1) % 3];  // each edge once with i below and j above
      const Real below = height(i), above = height(j);
      if (below < 0 && above > 0)
        points.push_back(hull.vertices[i] + below / (below - above) * (hull.vertices[j] - hull.vertices[i]));
    }
  return try_hull(std::move(points));
}

void add_once(std::vector<Vec3>& points, const Vec3& p, Real same) {
  for (const Vec3& q : points)
    if ((p - q).cwiseAbs().maxCoeff() <= same) return;
  points.push_back(p);
}

}  // namespace

std::vector<Plane> face_planes(const TriangleMesh& hull) {
  constexpr Real kSame = 1e-12;  // a few hundred times the rounding of a triangle's normal
  const Real size = extent(hull.vertices);
  std::vector<Plane> planes;
  std::vector<Real> areas;
  for (const auto& t : hull.triangles) {
    const Vec3 &a = hull.vertices[t[0]], &b = hull.vertices[t[1]], &c = hull.vertices[t[2]];
    const Vec3 cross = (b - a).cross(c - a);
    const Real area = cross.norm();
    if (!(area > 0)) continue;
    const Vec3 n = cross / area;
    const Plane plane{n, n.dot(a)};
    bool known = false;
    for (std::size_t i = 0; i < planes.size() && !known; ++i) {
      const Plane& p = planes[i];
      // Seen along the known plane, all corners of the triangle lie in it.
      known = p.normal.dot(n) > 0.5;
      for (const Vec3* v : {&a, &b, &c}) known = known && std::abs(p.normal.dot(*v) - p.offset) <= kSame * size;
      if (known && area > areas[i]) planes[i] = plane, areas[i] = area;  // the larger triangle knows better
    }
    if (known) continue;
    planes.push_back(plane);
    areas.push_back(area);
  }
  return planes;
}

std::optional<TriangleMesh> intersect_half_spaces(const TriangleMesh& hull, const std::vector<Plane>& half_spaces) {
  std::optional<TriangleMesh> rest = hull;
  for (const Plane& plane : half_spaces) {
    rest = clipped(*rest, plane);
    if (!rest) return std::nullopt;
  }
  const Vec3 c = mean(rest->vertices);
  const Real size = extent(rest->vertices);
  std::vector<Plane> planes = face_planes(hull);
  planes.insert(planes.end(), half_spaces.begin(), half_spaces.end());
  std::vector<Vec3> dual_points;
  constexpr Real kThin = 1e-12;
  for (const Plane& plane : planes) {
    const Real offset = plane.offset - plane.normal.dot(c);
    if (!(offset > kThin * size)) return std::nullopt;
    dual_points.push_back(plane.normal * (size / offset));
  }
  const std::optional<TriangleMesh> dual = try_hull(std::move(dual_points));
  if (!dual) return std::nullopt;
  std::vector<Vec3> vertices;
  constexpr Real kSame = 1e-11;
  for (const Plane& face : face_planes(*dual)) add_once(vertices, c + face.normal * (size / face.offset), kSame * size);
  return try_hull(std::move(vertices));
}

}  // namespace visviva::geometry
