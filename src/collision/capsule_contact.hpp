#pragma once

#include "contact_points.hpp"

namespace visviva::collision {

/// What set_capsule_contact has found.
enum class CapsuleContact {
  Point,    ///< a single point: the manifold is set
  Patches,  ///< both patches are set
  Other,    ///< no capsule on a polytope, or on a vertex of it: nothing is set
};

/// Has the processor fetch what set_capsule_contact will read, while the nearest points are searched: it waited for it
/// longer than it computed.
void fetch_capsule_contact(const geometry::Convex& A, const geometry::Convex& B);

/// Of a capsule and a polytope, whose nearest points, in A, tell the face without a search. Where an end of the capsule
/// stands over the inside of a face and rises so fast that nothing else lies within the margin, it is the manifold.
[[nodiscard]] CapsuleContact set_capsule_contact(const geometry::Convex& A, const geometry::Convex& B,
                                                 const Place& X_AB, const Real3& touch_a, const Real3& touch_b,
                                                 const Contact& contact, ContactArea& area, Manifold& manifold);

}  // namespace visviva::collision
