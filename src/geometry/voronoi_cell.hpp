#pragma once

#include <memory>
#include <vector>

#include "visviva/math/types.hpp"

namespace visviva::geometry {

/// A convex region that planes cut, by voro++. Coordinates must be of order 1, as lengths below 1e-11 count as none.
class VoronoiCell {
 public:
  /// The box between two corners.
  VoronoiCell(const Vec3& low, const Vec3& high);
  VoronoiCell(const VoronoiCell& other);
  VoronoiCell& operator=(const VoronoiCell&) = delete;
  ~VoronoiCell();

  /// Leaves what has n·p <= d; n need not be unit. False if nothing is left: then the cell must not be used any more.
  [[nodiscard]] bool cut(const Vec3& n, Real d);
  [[nodiscard]] Real volume() const;
  [[nodiscard]] Vec3 centroid() const;
  [[nodiscard]] std::vector<Vec3> vertices() const;

 private:
  struct Cell;
  std::unique_ptr<Cell> cell_;
};

}  // namespace visviva::geometry
