#pragma once

#include "contact_points.hpp"
#include "polytope_axis.hpp"

namespace visviva::collision {

/// How fast surfaces must part from a point, height over distance, for that point to be the whole contact.
inline constexpr double kPointSlope = 0.2;

/// The contact frame of an axis: its origin lies midway between the vertex or edges that give the gap.
void set_frame(const geometry::Polytope& A, const geometry::Polytope& B, const Place& X_AB, const PolytopeAxis& axis,
               Contact& contact);

/// Where the surfaces part so fast from the nearest points that nothing else lies within the margin: a corner well
/// inside a face, or edges that cross. Then these are the manifold; else false, and nothing has changed.
[[nodiscard]] bool set_single_point(const geometry::Polytope& A, const geometry::Polytope& B, const Place& X_AB,
                                    const PolytopeAxis& axis, const Contact& contact, Manifold& manifold);

/// The patches that meet along the axis.
void find_patches(const geometry::Polytope& A, const geometry::Polytope& B, const Place& X_AB, const PolytopeAxis& axis,
                  const Contact& contact, ContactArea& area);

/// A body as the contact sees it; `X_AS` is its place in A, `touch` the nearest point of its core in A.
[[nodiscard]] ContactView view_of(const Contact& contact, const Place& X_AS, bool is_b, const Real3& touch);

}  // namespace visviva::collision
