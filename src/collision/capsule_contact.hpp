#pragma once

#include "contact_points.hpp"

namespace visviva::collision {

/// Of a capsule whose axis is outside of a polytope: the nearest points from feature to feature, with a proof, in place
/// of a search, and the axis cut to the face below. Sets the manifold as find_manifold wants it, in A. False, and
/// nothing of use in `contact` and `manifold`, for any other pair, or if the features do not give the answer.
[[nodiscard]] bool set_capsule_contact(const geometry::Convex& A, const geometry::Convex& B, const Place& X_AB,
                                       Contact& contact, Manifold& manifold);

}  // namespace visviva::collision
