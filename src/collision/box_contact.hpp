#pragma once

#include "contact_points.hpp"
#include "polytope_axis.hpp"

namespace visviva::collision {

/// What set_box_contact has found.
enum class BoxContact {
  Point,   ///< a single point: the manifold is set
  Region,  ///< the area's region is set, and the names in its patches
  Other,   ///< edges about parallel: nothing is set, polytope_contact.hpp chooses better faces
};

/// What polytope_contact.hpp does, for two boxes, in closed form. `axis` as find_box_axis gives it,
/// and not farther than asked for. Sets the contact's frame: x and y are the axes of A's face, which need not be
/// orthogonal to its z axis, the normal.
[[nodiscard]] BoxContact set_box_contact(const geometry::Core& A, const BoxPair& pair, const PolytopeAxis& axis,
                                         Contact& contact, ContactArea& area, Manifold& manifold);

/// Number of the edge of make_box_polytope along an axis from or to a corner.
[[nodiscard]] std::uint32_t box_edge(int axis, std::uint32_t corner);

}  // namespace visviva::collision
