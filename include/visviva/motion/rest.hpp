#pragma once

#include <span>

#include "visviva/math/types.hpp"

namespace visviva::motion {

/// A point at which something that does not move may push a body.
struct Prop {
  Vec3 point = Vec3::Zero();    ///< world [m]
  Vec3 normal = Vec3::UnitZ();  ///< unit, towards the body
  Real friction = 0;            ///< μ [-]
};

/// Whether forces within the friction cones of the props can hold a body against `force` [N] at its centre of mass.
/// Cones are taken as pyramids of kConeEdges edges inside them, so what rests here would rest in truth.
[[nodiscard]] bool can_rest(const Vec3& center_of_mass, const Vec3& force, std::span<const Prop> props);

inline constexpr int kConeEdges = 16;

}  // namespace visviva::motion
