#pragma once

#include <functional>

#include "visviva/geometry/shapes.hpp"
#include "visviva/geometry/signed_distance.hpp"

namespace visviva::io {

struct Box3 {
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();
};

/// The surface ψ = 0 within a box as triangles, counter-clockwise from where ψ > 0. Dual contouring on a grid: a vertex
/// in each cell that the surface crosses, where the tangent planes of the crossings meet best, so edges and corners
/// stay sharp; a quadrilateral across each crossed edge of the grid. ψ must be 1-Lipschitz, as signed distances and
/// their minima and maxima are: cells that the surface cannot reach are not looked at.              [Ju et al. 2002]
///
/// The longest side of the box takes `cells` cells, the others as many of about the same size but at least 8; what is
/// thinner than a cell may be lost. About 2 · 6 · cells² triangles at most for a surface without many folds.
[[nodiscard]] geometry::TriangleMesh contour(const std::function<geometry::SignedDistance(const Vec3&)>& distance,
                                             const Box3& box, int cells);

}  // namespace visviva::io
