#pragma once

#include "clip_patches.hpp"
#include "visviva/collision/manifold.hpp"

namespace visviva::collision {

/// A contact in its frame C (x and y across the normal, z along it) with the origin midway between the nearest points
/// of the cores.
struct Contact {
  Pose X_WC;               ///< z axis: the normal
  Real core_distance = 0;  ///< signed, of the cores [m]
  Real rounding_a = 0, rounding_b = 0;
  Real margin = 0;  ///< of the surfaces [m]
  Real sag = 0;     ///< how far a region may miss the nearest points and still stand for them [m]
};

/// Up to four points of the region for the manifold, the deepest first, then those that span the largest area.
void set_points(const Contact& contact, const ContactRegion& region, Manifold& manifold);

/// Centre of pressure: mean of the region weighted by margin - separation where that is positive.  [collision.md (3)]
void set_center(const Contact& contact, const ContactRegion& region, Manifold& manifold);

}  // namespace visviva::collision
