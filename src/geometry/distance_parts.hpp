#pragma once

#include "visviva/geometry/signed_distance.hpp"

/// The longer parts of signed_distance.
namespace visviva::geometry {

/// (x/a)² + (y/b)² + (z/c)² <= 1.
[[nodiscard]] SignedDistance ellipsoid_distance(const Vec3& semi_axes, const Vec3& point);

/// Of a closed mesh, outward. `convex`: it is the boundary of a convex hull.
[[nodiscard]] SignedDistance mesh_distance(const TriangleMesh& mesh, bool convex, const Vec3& point);

[[nodiscard]] inline SignedDistance without_gradient(Real value) { return {value, Vec3::Zero(), false}; }

}  // namespace visviva::geometry
