#include "convex_mesh.hpp"

#include <Eigen/Geometry>
#include <algorithm>

namespace visviva::collision {
namespace {

using geometry::TriangleMesh;

/// What rounding may lift a vertex above a face, in units of the size.
constexpr Real kFlat = 1e-12;

std::vector<Vec3> used_vertices(const TriangleMesh& mesh) {
  std::vector<bool> used(mesh.vertices.size(), false);
  for (const auto& t : mesh.triangles)
    for (const std::uint32_t v : t) used[v] = true;
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i]) points.push_back(mesh.vertices[i]);
  return points;
}

Real size_of(const std::vector<Vec3>& points) {
  Real size = 0;
  for (const Vec3& p : points) size = std::max(size, (p - points.front()).lpNorm<Eigen::Infinity>());
  return size;
}

/// True if no point that find(n) gives lies before a triangle with the normal n. Triangles without area have none.
template <class Find>
bool all_behind(const TriangleMesh& mesh, Real slack, Find&& find) {
  return std::all_of(mesh.triangles.begin(), mesh.triangles.end(), [&](const TriangleMesh::Triangle& t) {
    const Vec3 &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
    const Vec3 n = (b - a).cross(c - a).stableNormalized();
    return n.isZero(0) || n.dot(find(n) - a) <= slack;
  });
}

bool has_volume(const TriangleMesh& mesh, const Vec3& origin, Real size) {
  Real sum = 0;
  for (const auto& t : mesh.triangles) {
    const Vec3 a = (mesh.vertices[t[0]] - origin) / size, b = (mesh.vertices[t[1]] - origin) / size,
               c = (mesh.vertices[t[2]] - origin) / size;
    sum += a.dot(b.cross(c));
  }
  return sum > kFlat;
}

}  // namespace

std::optional<geometry::Convex> convex_mesh(const TriangleMesh& mesh, const Pose& X_BS) {
  std::vector<Vec3> points = used_vertices(mesh);
  const Real size = size_of(points), slack = kFlat * size;
  if (!has_volume(mesh, points.front(), size)) return std::nullopt;
  // A few vertices first: they tell most meshes with hollows, which then need no hull.
  const std::size_t stride = std::max<std::size_t>(1, points.size() / 16);
  const auto farthest_of_few = [&](const Vec3& n) {
    Vec3 farthest = points.front();
    for (std::size_t i = 0; i < points.size(); i += stride)
      if (n.dot(points[i] - farthest) > 0) farthest = points[i];
    return farthest;
  };
  if (!all_behind(mesh, slack, farthest_of_few)) return std::nullopt;
  geometry::ConvexHull shape{std::move(points)};
  const geometry::Convex hull(shape);
  if (!all_behind(mesh, slack, [&](const Vec3& n) { return hull.support(n); })) return std::nullopt;
  return geometry::Convex(shape, X_BS);
}

}  // namespace visviva::collision
