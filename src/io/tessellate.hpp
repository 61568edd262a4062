#pragma once

#include "visviva/geometry/solid.hpp"
#include "visviva/io/recording.hpp"

namespace visviva::io {

struct Tessellation {
  geometry::TriangleMesh mesh;  ///< triangles counter-clockwise from outside; not closed, if it is cut
  MeshFidelity fidelity = MeshFidelity::Exact;
};

/// Fine, to be looked at alone; coarse, a quarter of the triangles, for one of many.
enum class Detail { Fine, Coarse };

/// A solid as triangles to look at, in its frame B. Of a half-space a square of half-width `plane_half_width` [m]
/// about the point of its boundary that is nearest to the origin.
[[nodiscard]] Tessellation tessellate(const geometry::Solid& solid, Real plane_half_width,
                                      Detail detail = Detail::Fine);

}  // namespace visviva::io
