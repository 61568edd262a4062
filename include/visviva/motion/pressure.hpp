#pragma once

#include "visviva/math/types.hpp"

namespace visviva::motion {

/// How an inelastic, frictionless touch at up to four points shares its impulse among them [N s]: the impulses x >= 0
/// with N x + u >= 0 and no work, N the response of the points' normal velocities to them [1/kg] (symmetric, of any
/// rank), u these velocities before [m/s]. Of several solutions the least; zero beyond `count`. Allocates nothing.
[[nodiscard]] Vec4 share_impulse(const Mat4& N, const Vec4& u, int count);

}  // namespace visviva::motion
