#pragma once

#include <limits>
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
  /// Bound of |dω/dt| [rad/s²]; without one the search is as sure, but takes some ten times as many steps. For a free
  /// body |J^-1 (Jω × ω)| <= (J_max - J_min) / J_min ω².
  [[nodiscard]] virtual Real max_angular_acceleration() const { return std::numeric_limits<Real>::infinity(); }
};

/// A body that stays where it is.
class RestingPath final : public Path {
 public:
  explicit RestingPath(const Pose& X_WB) : X_WB_(X_WB) {}
  [[nodiscard]] Pose pose(Real) const override { return X_WB_; }
  [[nodiscard]] Vec3 reference_point() const override { return Vec3::Zero(); }
  [[nodiscard]] Vec3 velocity(Real) const override { return Vec3::Zero(); }
  [[nodiscard]] Vec3 angular_velocity(Real) const override { return Vec3::Zero(); }
  [[nodiscard]] Real max_acceleration() const override { return 0; }
  [[nodiscard]] Real max_angular_speed() const override { return 0; }
  [[nodiscard]] Real max_angular_acceleration() const override { return 0; }

 private:
  Pose X_WB_;
};

struct ImpactTime {
  Real time = 0;  ///< first time at which the distance is at most the tolerance, never later than the touch [s]
  Separation separation;
  int evaluations = 0;  ///< of pairs of poses
  /// False if the evaluations ran out. There is no touch before `time` even so, but perhaps none at it.
  bool converged = true;
};

struct TimeOfImpactSettings {
  /// The distance at the time found lies in [0, tolerance·(1 + size of the pair)], or within some steps of the rounding
  /// of coordinates and times, if these are wider: far from the origin, or fast at a late time [m].
  Real tolerance = 1e-11;
  int max_iterations = 1000;  ///< evaluations of pairs of poses
  /// radius_about(reference point) of A and B, if the caller keeps them; negative: computed here [m].
  Real radius_a = -1, radius_b = -1;
  SeparationCache* cache = nullptr;  ///< of the pair, or none
};

/// First touch of two convex sets on their paths in [t0, t1], or nothing. No touch is missed, however fast or spinning
/// the bodies are (src/collision/time_of_impact.cpp says why), and the time is never late.
/// Bodies that touch at t0 (distance within the tolerance) and separate are not a touch, and the next one is found,
/// however soon; if they overlap or close at t0, the time is t0.
[[nodiscard]] std::optional<ImpactTime> time_of_impact(const geometry::Convex& A, const Path& path_A,
                                                       const geometry::Convex& B, const Path& path_B, Real t0, Real t1,
                                                       const TimeOfImpactSettings& settings = {});

/// Of a half-space (A) and a convex set (B). The time is found to rounding, on the side where the distance is not
/// negative. A distance that dips to zero within rounding and rises again is not a touch. Only an overlap deeper than
/// the tolerance is a touch at t0 without closing.
[[nodiscard]] std::optional<ImpactTime> time_of_impact(const geometry::Plane& A, const Path& path_A,
                                                       const geometry::Convex& B, const Path& path_B, Real t0, Real t1,
                                                       const TimeOfImpactSettings& settings = {});

}  // namespace visviva::collision
