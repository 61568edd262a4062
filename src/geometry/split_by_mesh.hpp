#pragma once

#include <cstddef>
#include <vector>

#include "visviva/geometry/shapes.hpp"
#include "voronoi_cell.hpp"

namespace visviva::geometry {

/// What of a convex region lies within a closed mesh, as convex regions.
class MeshSplitter {
 public:
  /// Coordinates of order 1 (VoronoiCell).
  explicit MeshSplitter(const TriangleMesh& mesh);

  /// `planes` are n and d of all half-spaces n·p <= d that made the region from a box that holds the whole mesh. Stops
  /// beyond `most` parts.
  [[nodiscard]] std::vector<VoronoiCell> split(const VoronoiCell& region, const std::vector<Vec4>& planes,
                                               std::size_t most) const;
  [[nodiscard]] bool contains(const Vec3& point) const;

 private:
  const TriangleMesh& mesh_;
};

}  // namespace visviva::geometry
