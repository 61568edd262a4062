#pragma once

#include "visviva/geometry/shapes.hpp"

namespace visviva::geometry {

/// Boundary of the convex hull: closed, outward, holding only the points that are its vertices, in
/// the order of the input. Throws InvalidArgument for fewer than four points, points that are not
/// finite, and points that span no volume.
///
/// Method: Qhull's quickhull with merged facets, triangulated. It works on the points moved and
/// scaled to the unit cube, so that neither a far origin nor the unit of length decides what is
/// flat: flat is a thickness of about 1e-14 of the extent.
[[nodiscard]] TriangleMesh make_convex_hull(const ConvexHull& hull, std::string_view name = "convex hull");

/// A hull of at most `max_vertices` (>= 4) of the vertices of this one, which therefore contains it: the same hull if
/// it has no more of them. Greedy: from a large tetrahedron on, the vertex that is farthest from what there is comes
/// next, so that the largest distance of the given hull from the answer (Hausdorff) falls in every step. Cost:
/// max_vertices hulls, and as many distances of all vertices. Throws InvalidArgument as make_convex_hull does, and for
/// too small a number.
[[nodiscard]] ConvexHull simplify_hull(const ConvexHull& hull, std::size_t max_vertices,
                                       std::string_view name = "convex hull");

}  // namespace visviva::geometry
