#pragma once

#include <span>
#include <vector>

#include "visviva/geometry/shapes.hpp"

namespace visviva::report {

/// Meshes without those that are others at another size: of many balls one is enough.
struct SimilarMeshes {
  std::vector<geometry::TriangleMesh> meshes;
  std::vector<std::size_t> mesh_of;  ///< of each given mesh, into `meshes`
  std::vector<Real> scale_of;        ///< it is that mesh, times this, about the origin
};

/// Two meshes count as similar if their triangles are the same and their vertices agree to the rounding of floats.
[[nodiscard]] SimilarMeshes find_similar(std::span<const geometry::TriangleMesh> meshes);

}  // namespace visviva::report
