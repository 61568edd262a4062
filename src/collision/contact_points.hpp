#pragma once

#include "clip_patches.hpp"
#include "visviva/collision/manifold.hpp"

namespace visviva::collision {

/// A contact in its frame C (x and y across the normal, z along it) with the origin midway between the nearest points
/// of the cores. S is the frame in which C is given: that of A, or the world.
struct Contact {
  Rotation3 R_CS;            ///< rows: the axes of C; the third is the normal, the others may be skew to it
  Real3 p_SC;                ///< origin of C [m]
  double core_distance = 0;  ///< signed, of the cores [m]
  double rounding_a = 0, rounding_b = 0;
  double margin = 0;   ///< of the surfaces [m]
  double sag = 0;      ///< what rounding makes of the height of a point that was meant to be the deepest [m]
  double rim_sag = 0;  ///< how far a region may miss the nearest points and still have them at one of its corners [m]

  [[nodiscard]] double farthest() const { return margin + rounding_a + rounding_b; }  ///< of the cores [m]
};

/// Both patches and what they share.
struct ContactArea {
  ContactPatch a, b;
  ContactRegion region;

  void clip(const Contact& contact) { clip_patches(a, b, contact.farthest(), on_limit(contact), region); }
  /// A corner as near to the limit as this lies on it [m].
  [[nodiscard]] static double on_limit(const Contact& contact) { return kOnLimit * contact.sag; }

 private:
  static constexpr double kOnLimit = 1e-4;  ///< of `sag`: rounding of heights
};

/// Normal and distance of the contact.
inline void set_contact_normal(const Contact& contact, Manifold& manifold) {
  manifold.normal = to_eigen(contact.R_CS.row2);
  manifold.distance = contact.core_distance - contact.rounding_a - contact.rounding_b;
}

/// Up to four points of the area for the manifold, the deepest first, then those that span the largest area; in S.
/// Returns the least gap of the cores in the area (infinite if it is empty).
double set_points(const Contact& contact, const ContactArea& area, Manifold& manifold);

/// The nearest points alone; normal and distance are set already.
inline void put_single_point(const Contact& contact, std::uint32_t feature, Manifold& manifold) {
  ManifoldPoint& point = manifold.points[0];
  const Real3 middle = contact.p_SC + 0.5 * (contact.rounding_a - contact.rounding_b) * contact.R_CS.row2;
  point.point = to_eigen(middle);
  point.separation = contact.core_distance - contact.rounding_a - contact.rounding_b;
  point.feature = feature;
  manifold.center = to_eigen(middle);
  manifold.count = 1;
}

/// Centre of pressure: mean of the region weighted by margin - separation, of its low sides where it is steep, and the
/// nearest points themselves where these are too; in S.                                       [theory/collision.md (3)]
void set_center(const Contact& contact, const ContactRegion& region, Manifold& manifold);

}  // namespace visviva::collision
