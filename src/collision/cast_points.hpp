#pragma once

#include <optional>

#include "contact_points.hpp"
#include "round_pairs.hpp"

namespace visviva::collision {

/// Where a line leaves a set: t, so that q + t u is the last of its points that lie in it. The unit u leads out of the
/// set, and q lies in its rounding or outside. Nothing if the line misses the set, or only grazes it, or the surface
/// lies more than `depth` behind q.
///
/// Newton's method on the distance f from the surface (of the core, less the rounding), which is convex along the line:
/// from where f >= 0 every step stays there and the next is nearer, and a step from below leads there.
[[nodiscard]] std::optional<double> leave_along(const geometry::Convex& set, const Real3& q, const Real3& u,
                                                double depth);

/// Nearest points of the cores that are aside of each other, as a search may leave them, become opposite each other
/// along the normal: this turns a little, or, where they nearly touch, the points become those on the line through the
/// one or the other, or midway, along which the cores are nearest. All in A.
void set_opposite(const geometry::Convex& A, const geometry::Convex& B, const Place& X_AB, CorePair& pair);

/// Unless they are aside of each other by no more than the slack.
inline void align_nearest(const geometry::Convex& A, const geometry::Convex& B, const Place& X_AB, double slack,
                          CorePair& pair) {
  const Real3 aside = pair.points.b - pair.points.a - pair.d * pair.n;
  if (squared_norm(aside) > slack * slack) set_opposite(A, B, X_AB, pair);
}

/// How far from q along u the surface is, if q lies on a feature of the core that is moved out by its rounding along u
/// (more than 0 where that is tilted), or beside a line of it (less).
[[nodiscard]] double rise_of_surface(const geometry::Convex& set, const Real3& q, const Real3& u);

/// Points found on features of the core of A (B if is_b) and moved out by its rounding along the normal: moved along
/// the normal onto the surface, which is higher there where the feature is tilted. All in a frame S.
void cast_points(const geometry::Convex& set, const Place& X_SB, bool is_b, const Contact& contact, Manifold& manifold);

/// Of both bodies, in A.
inline void cast_points(const geometry::Convex& A, const geometry::Convex& B, const Place& X_AB, const Contact& contact,
                        Manifold& manifold) {
  if (contact.rounding_a > 0) cast_points(A, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}}, false, contact, manifold);
  if (contact.rounding_b > 0) cast_points(B, X_AB, true, contact, manifold);
}

/// Ends of a stretch between two lines, the heights of which become those of the surfaces (less the rounding). Ends
/// that are not on both bodies are taken out.
void cast_lines(const geometry::Convex& A, const geometry::Convex& B, const Place& X_AB, const Contact& contact,
                ContactArea& area);

}  // namespace visviva::collision
