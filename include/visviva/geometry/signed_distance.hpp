#pragma once

#include "visviva/geometry/solid.hpp"

namespace visviva::geometry {

struct SignedDistance {
  Real value = 0;                ///< > 0 outside, < 0 inside [m]                                   [lgvci (86)]
  Vec3 gradient = Vec3::Zero();  ///< unit outward direction, zero if not defined
  bool gradient_defined = true;  ///< false where two nearest points compete (centre of a sphere, a ridge)
};

/// Distance of a point from the surface of a shape, to rounding; ‖∇ψ‖ = 1. Throws InvalidArgument if the shape is not
/// valid. A hull is built anew and a mesh checked at each call: for many points of one hull, give its boundary
/// (make_convex_hull) as a mesh in a Solid.                                                         [lgvci (86)]
[[nodiscard]] SignedDistance signed_distance(const Shape& shape, const Vec3& point);
/// n·z − offset.                                                                                    [lgvci (82)]
[[nodiscard]] SignedDistance signed_distance(const Plane& plane, const Vec3& point);

/// Of a solid: rounding shrinks ψ by ε (91), union is the minimum (95), intersection the maximum (97), complement the
/// negative (99). For a single shape it is exact everywhere; for unions outside and for intersections inside it is
/// exact, elsewhere a bound of it (as in the text) whose zero set is right. The gradient is that of the part which
/// decides, and is not defined where two parts tie with different gradients (96), (98).
[[nodiscard]] SignedDistance signed_distance(const Solid& solid, const Vec3& point);

}  // namespace visviva::geometry
