#pragma once

#include <string_view>

#include "visviva/geometry/mass_properties.hpp"

namespace visviva::geometry {

/// ∫dV, ∫r dV and ∫rrᵀ dV, where r leads from a reference point to the volume element.
struct VolumeMoments {
  Real volume = 0;             ///< [m³]
  Vec3 first = Vec3::Zero();   ///< [m⁴]
  Mat3 second = Mat3::Zero();  ///< symmetric [m⁵]
  Vec3 origin = Vec3::Zero();  ///< the reference point [m]
};

/// Throws InvalidArgument unless the density is positive.
void require_density(Real density, std::string_view name);

[[nodiscard]] MassProperties to_mass_properties(const VolumeMoments& moments, Real density);

/// Exact moments of the solid within a mesh that `validate` accepts. Throws InvalidArgument if it
/// is inside out or encloses nothing.
[[nodiscard]] VolumeMoments polyhedron_moments(const TriangleMesh& mesh, std::string_view name);

}  // namespace visviva::geometry
