#include "report/similar_meshes.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace visviva::report {

namespace {

using geometry::TriangleMesh;

Real size_of(const TriangleMesh& mesh) {
  Real size = 0;
  for (const Vec3& p : mesh.vertices) size = std::max(size, p.cwiseAbs().maxCoeff());
  return size;
}

/// How many times as large as `a` mesh `b` is; nothing if it is another one.
std::optional<Real> scale_between(const TriangleMesh& a, const TriangleMesh& b) {
  const Real size_a = size_of(a), size_b = size_of(b);
  if (a.vertices.size() != b.vertices.size() || !(size_a > 0 && size_b > 0)) return std::nullopt;
  const Real scale = size_b / size_a;
  constexpr Real kRounding = 3e-7;  // of the size: recordings hold vertices as floats
  for (std::size_t i = 0; i < a.vertices.size(); ++i)
    if (!((b.vertices[i] - scale * a.vertices[i]).cwiseAbs().maxCoeff() <= kRounding * size_b)) return std::nullopt;
  return scale;
}

}  // namespace

SimilarMeshes find_similar(std::span<const TriangleMesh> meshes) {
  SimilarMeshes found;
  std::map<std::vector<TriangleMesh::Triangle>, std::vector<std::size_t>> known;  // by triangles
  for (const TriangleMesh& mesh : meshes) {
    std::vector<std::size_t>& candidates = known[mesh.triangles];
    std::optional<Real> scale;
    for (const std::size_t candidate : candidates) {
      scale = scale_between(found.meshes[candidate], mesh);
      if (!scale) continue;
      found.mesh_of.push_back(candidate);
      found.scale_of.push_back(*scale);
      break;
    }
    if (scale) continue;
    candidates.push_back(found.meshes.size());
    found.mesh_of.push_back(found.meshes.size());
    found.scale_of.push_back(1);
    found.meshes.push_back(mesh);
  }
  return found;
}

}  // namespace visviva::report
