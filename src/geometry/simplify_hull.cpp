#include <Eigen/Geometry>
#include <algorithm>

#include "distance_parts.hpp"
#include "visviva/core/error.hpp"
#include "visviva/geometry/convex_hull.hpp"

namespace visviva::geometry {

namespace {

/// The index with the largest score; of equal ones the first.
template <class Score>
std::size_t best_of(const std::vector<Vec3>& points, Score&& score) {
  std::size_t best = 0;
  Real highest = score(points[0]);
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Real s = score(points[i]);
    if (s > highest) highest = s, best = i;
  }
  return best;
}

/// Far apart: the two ends of the longest of the three axes, the point farthest from their line, and that farthest from
/// the plane of these three.
std::vector<std::size_t> large_tetrahedron(const std::vector<Vec3>& p) {
  Vec3 low = p[0], high = p[0];
  for (const Vec3& v : p) low = low.cwiseMin(v), high = high.cwiseMax(v);
  Eigen::Index axis = 0;
  (high - low).maxCoeff(&axis);
  const std::size_t a = best_of(p, [&](const Vec3& v) { return -v[axis]; });
  const std::size_t b = best_of(p, [&](const Vec3& v) { return v[axis]; });
  const Vec3 e = (p[b] - p[a]).normalized();
  const std::size_t c = best_of(p, [&](const Vec3& v) { return e.cross(v - p[a]).norm(); });
  const Vec3 n = e.cross(p[c] - p[a]).normalized();
  const std::size_t d = best_of(p, [&](const Vec3& v) { return std::abs(n.dot(v - p[a])); });
  return {a, b, c, d};
}

}  // namespace

ConvexHull simplify_hull(const ConvexHull& hull, std::size_t max_vertices, std::string_view name) {
  require(max_vertices >= 4, name, "max_vertices", "be at least 4", max_vertices);
  const std::vector<Vec3> vertices = make_convex_hull(hull, name).vertices;
  if (vertices.size() <= max_vertices) return {vertices};
  std::vector<std::size_t> chosen = large_tetrahedron(vertices);
  const auto hull_of_chosen = [&] {
    std::sort(chosen.begin(), chosen.end());
    ConvexHull result;
    for (const std::size_t i : chosen) result.points.push_back(vertices[i]);
    return result;
  };
  while (chosen.size() < max_vertices) {
    const TriangleMesh inner = make_convex_hull(hull_of_chosen(), name);
    const std::size_t farthest = best_of(vertices, [&](const Vec3& v) { return mesh_distance(inner, true, v).value; });
    if (std::find(chosen.begin(), chosen.end(), farthest) != chosen.end()) break;  // all others lie on it
    chosen.push_back(farthest);
  }
  return hull_of_chosen();
}

}  // namespace visviva::geometry
