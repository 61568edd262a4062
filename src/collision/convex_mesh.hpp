#pragma once

#include <optional>

#include "visviva/geometry/convex.hpp"

namespace visviva::collision {

/// The hull of a closed mesh if that is what the mesh is: no vertex lies before a face by more than 1e-12 of the size.
/// Else nothing. O(n log n); a mesh with hollows is mostly found out after a few triangles.
[[nodiscard]] std::optional<geometry::Convex> convex_mesh(const geometry::TriangleMesh& mesh, const Pose& X_BS);

}  // namespace visviva::collision
