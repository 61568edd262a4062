#pragma once

#include "samples.hpp"

/// Closed forms of support functions, to compare with.
namespace visviva::geometry {

inline Vec3 unit(Samples& samples) {
  for (;;) {
    const Vec3 v = samples.vector(-1, 1);
    if (v.norm() > 0.1 && v.norm() < 1) return v.normalized();
  }
}

/// max d·p over the shape, which is not a mesh.
inline Real reach(const Shape& shape, const Vec3& d) {
  const Real axis = d.head<2>().norm();
  if (const auto* s = std::get_if<Sphere>(&shape)) return s->radius;
  if (const auto* s = std::get_if<Ellipsoid>(&shape)) return s->semi_axes.cwiseProduct(d).norm();  // [lgvci (106)]
  if (const auto* s = std::get_if<Box>(&shape)) return s->half_extents.dot(d.cwiseAbs());
  if (const auto* s = std::get_if<Capsule>(&shape)) return s->half_height * std::abs(d.z()) + s->radius;
  if (const auto* s = std::get_if<Cylinder>(&shape)) return s->half_height * std::abs(d.z()) + s->radius * axis;
  if (const auto* s = std::get_if<Cone>(&shape))
    return std::max(s->half_height * d.z(), s->radius * axis - s->half_height * d.z());
  Real farthest = -1e9;
  for (const Vec3& p : std::get<ConvexHull>(shape).points) farthest = std::max(farthest, p.dot(d));
  return farthest;
}

}  // namespace visviva::geometry
