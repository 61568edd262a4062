#pragma once

#include <optional>
#include <vector>

#include "visviva/geometry/solid.hpp"

namespace visviva::geometry {

/// Intersection of a convex polytope, given as the boundary that make_convex_hull gives, with half-spaces; its hull
/// again. Empty if the two share no volume (relative thickness below about 1e-12).
///
/// Method: duality. About an interior point c the plane n·(x - c) = o is the point n/o, and the vertices of the
/// intersection are the faces of the hull of these points: exact up to rounding, and no vertex too many.
[[nodiscard]] std::optional<TriangleMesh> intersect_half_spaces(const TriangleMesh& hull,
                                                                const std::vector<Plane>& half_spaces);

/// The planes of the faces of a hull, coplanar triangles once.
[[nodiscard]] std::vector<Plane> face_planes(const TriangleMesh& hull);

}  // namespace visviva::geometry
