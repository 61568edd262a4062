#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "visviva/math/types.hpp"

namespace visviva::motion {

/// A body that is to stay where it is.
struct RestingBody {
  Vec3 center_of_mass = Vec3::Zero();  ///< world [m]
  Vec3 force = Vec3::Zero();           ///< at the centre of mass, such as its weight [N]
};

/// In place of a body: something that does not move.
inline constexpr std::uint32_t kFixed = std::numeric_limits<std::uint32_t>::max();

/// A point at which a body leans on another one, or on something that does not move.
struct Prop {
  Vec3 point = Vec3::Zero();    ///< world [m]
  Vec3 normal = Vec3::UnitZ();  ///< unit, towards the body
  Real friction = 0;            ///< μ [-]
  std::uint32_t body = 0;       ///< index, or kFixed
  std::uint32_t by = kFixed;    ///< what it leans on: index, or kFixed
};

/// Whether forces within the friction cones of the props can hold all bodies against their forces at once. The answer
/// is no if such forces were not found in kRestIterations iterations.
[[nodiscard]] bool can_rest(std::span<const RestingBody> bodies, std::span<const Prop> props);

inline constexpr int kRestIterations = 200;

}  // namespace visviva::motion
