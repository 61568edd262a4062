#pragma once

#include "dynamics/substep_path.hpp"

/// What contacts make of bodies with locked axes. One that may move along x only gives way along a normal n by n_x²/m,
/// and does so by moving along x: 1/n_x times as fast as along n, as fast as one likes while n turns away from x.
namespace visviva::dynamics {

/// Part of the speed of its point that must be along the normal for a body to give way there: 1.8 degrees of tilt
/// against a locked plane. What a contact gives way by less counts as immovable                [theory/realtime.md
/// (17)]
inline constexpr Real kLeastAlong = 1.0 / 32;

[[nodiscard]] inline bool has_locks(const BodyMassData& mass) {
  return mass.locks || !(mass.inverse_mass.array() > 0).all();
}

/// Whether a body with locked axes gives way along n, if a unit impulse n changes the velocity of its point by W_n.
[[nodiscard]] inline bool gives_way(const Vec3& W_n, const Vec3& n) {
  const Real along = n.dot(W_n);
  return along > 0 && along >= kLeastAlong * W_n.norm();
}

}  // namespace visviva::dynamics
