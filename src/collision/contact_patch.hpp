#pragma once

#include <cstdint>

#include "place.hpp"
#include "visviva/geometry/convex.hpp"

namespace visviva::collision {

/// The part of a core's surface that faces along a direction n: a polygon, a segment or a point of the surface, seen
/// along n. Coordinates are those of the contact frame: x and y across n, z along it. All lie on the core exactly; a
/// disc is the 16-gon on its rim.
struct ContactPatch {
  static constexpr int kMaxCorners = 32;  ///< a face with more keeps evenly chosen ones

  int count = 0;  ///< 1: point, 2: segment, else polygon, counter-clockwise
  std::uint32_t face_id = 0;
  double slope_x = 0, slope_y = 0, z0 = 0;  ///< polygon: z = z0 + slope_x x + slope_y y
  double round[2] = {0, 0};                 ///< segment: radius of the surface across it at its ends [m]
  double sag = 0;         ///< how far the patch may stay behind the farthest point of the core: a disc's 16-gon [m]
  double x[kMaxCorners];  ///< [m]
  double y[kMaxCorners];  ///< [m]
  double z[kMaxCorners];  ///< of a segment or point only [m]
  std::uint32_t vertex_id[kMaxCorners];
  std::uint32_t side_id[kMaxCorners];  ///< of the side from corner i to the next

  [[nodiscard]] double mean_round() const { return 0.5 * (round[0] + round[1]); }
  [[nodiscard]] double height(double px, double py) const { return z0 + slope_x * px + slope_y * py; }
};

/// One of the bodies, S, as the contact frame C sees it.
struct ContactView {
  Place X_CS;
  Real3 touch_S;  ///< the nearest point known of the core, in the body's frame [m]
  double slack;   ///< how far behind the farthest point contacts still count [m]
  bool is_b;      ///< n points into the body: its surface faces -n

  [[nodiscard]] Real3 outward() const { return is_b ? -X_CS.R.row2 : X_CS.R.row2; }
};

/// Only patches that are not too steep against n: the heights along n stay well defined. Never empty.
void find_patch(const geometry::Convex& convex, const ContactView& view, ContactPatch& patch);

/// The face at a vertex of a polytope that is the farthest along the unit u: that along which the surface falls away
/// least. False if it is too steep for a patch.
[[nodiscard]] bool find_face_at(const geometry::Polytope& polytope, std::uint32_t vertex, const Real3& u, double slack,
                                std::uint32_t& face);
/// Whether a face is not too steep for a patch, by the cosine of the angle between its normal and the outward
/// direction.
[[nodiscard]] bool faces_enough(double facing);

/// The patch of a polytope's face.
void set_face_patch(const geometry::Polytope& polytope, std::uint32_t face, const ContactView& view,
                    ContactPatch& patch);

/// The patch at a vertex of a polytope that is the farthest along n.
void find_patch_at(const geometry::Polytope& polytope, std::uint32_t vertex, const ContactView& view,
                   ContactPatch& patch);

}  // namespace visviva::collision
