#pragma once

#include "contact_points.hpp"
#include "polytope_axis.hpp"

namespace visviva::collision {

/// What polytope_contact.hpp does for a face of one of two boxes, in closed form: `axis` is of kind FaceOfA or FaceOfB
/// as find_box_axis gives it. Sets the contact's frame, and either the manifold, if that is a single point (true), or
/// both patches of the area.
[[nodiscard]] bool set_box_contact(const geometry::Core& A, const geometry::Core& B, const Place& X_AB,
                                   const PolytopeAxis& axis, Contact& contact, ContactArea& area, Manifold& manifold);

/// X_ST, between the boxes' own frames.
[[nodiscard]] Place between_cores(const geometry::Core& A, const geometry::Core& B, const Place& X_AB);

/// Number of the edge of make_box_polytope along an axis from or to a corner.
[[nodiscard]] std::uint32_t box_edge(int axis, std::uint32_t corner);

}  // namespace visviva::collision
