#pragma once

#include <optional>

#include "visviva/collision/distance.hpp"

namespace visviva::collision {

/// A rigid motion over an interval of time, as far as a search for touches needs it.
class Path {
 public:
  virtual ~Path() = default;
  /// X_WB at time t [s].
  [[nodiscard]] virtual Pose pose(Real t) const = 0;
  /// Point about which the bounds below hold, in the moving frame B: the centre of mass [m].
  [[nodiscard]] virtual Vec3 reference_point() const = 0;
  /// Velocity of the reference point at t, world [m/s].
  [[nodiscard]] virtual Vec3 velocity(Real t) const = 0;
  [[nodiscard]] virtual Vec3 angular_velocity(Real t) const = 0;  ///< world [rad/s]
  /// Bounds over the whole interval: |acceleration of the reference point| [m/s²], |ω| [rad/s].
  [[nodiscard]] virtual Real max_acceleration() const = 0;
  [[nodiscard]] virtual Real max_angular_speed() const = 0;
};

struct ImpactTime {
  Real time = 0;  ///< first time at which the distance is at most the tolerance, never later than the touch [s]
  Separation separation;
  int evaluations = 0;
};

struct TimeOfImpactSettings {
  Real tolerance = 1e-11;     ///< the distance at the time found lies in [0, tolerance·(1 + size of the pair)] [m]
  int max_iterations = 1000;  ///< of conservative advancement
};

/// First touch of two convex sets on their paths in [t0, t1], or nothing. Conservative advancement on the GJK
/// distance: the sum of closing speeds along the normal bounds how soon the gap can close, so no touch is missed,
/// however fast or spinning the bodies are; finished by a bracketing root finder where the gap closes monotonously.
/// Bodies that touch at t0 and separate are not a touch; if they overlap or close at t0, the time is t0.
[[nodiscard]] std::optional<ImpactTime> time_of_impact(const geometry::Convex& A, const Path& path_A,
                                                       const geometry::Convex& B, const Path& path_B, Real t0, Real t1,
                                                       const TimeOfImpactSettings& settings = {});

/// Of a half-space (A) and a convex set (B). The time is found to rounding.
[[nodiscard]] std::optional<ImpactTime> time_of_impact(const geometry::Plane& A, const Path& path_A,
                                                       const geometry::Convex& B, const Path& path_B, Real t0, Real t1,
                                                       const TimeOfImpactSettings& settings = {});

}  // namespace visviva::collision
