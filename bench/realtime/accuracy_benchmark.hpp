#pragma once

#include "visviva/math/types.hpp"

/// How right the real-time world is where the truth is known.
namespace visviva::bench {

/// A1: a free body with three different moments of inertia spins for 100 s at 1/60 s.
struct FreeSpinAccuracy {
  Real energy = 0;            ///< largest |E − E₀|/E₀ [-]
  Real angular_momentum = 0;  ///< largest |L − L₀|/|L₀|, of the vector in the world [-]
};
[[nodiscard]] FreeSpinAccuracy measure_free_spin();

/// A2: the ellipsoid of [lgvci §7.1] bounces without loss, dt = 0.01 s. Largest |E − E₀|/E₀ up to that time.
struct BounceAccuracy {
  Real t10 = 0, t100 = 0, t1000 = 0;  ///< [-]
};
[[nodiscard]] BounceAccuracy measure_elastic_ellipsoid();

/// A3: random bodies hit the ground with one point, with friction and restitution uniform in [0, 1].
struct ImpactAccuracy {
  int impacts = 0;
  int missed = 0;         ///< bodies of which the world told no impact, or several
  int gaining = 0;        ///< impacts after which there is more energy than before
  Real largest_gain = 0;  ///< (E⁺ − E⁻)/E⁻, if positive [-]
  Real velocity_error =
      0;  ///< largest difference of v and ω (times 1 m) to impact::solve, relative to those before [-]
};
[[nodiscard]] ImpactAccuracy measure_impacts(int count = 1000);

}  // namespace visviva::bench
