#pragma once

#include "visviva/collision/time_of_impact.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::collision {

/// A throw: constant acceleration of the origin, constant spin.
class ThrownPath final : public Path {
 public:
  Pose start;
  Vec3 v = Vec3::Zero(), a = Vec3::Zero(), w = Vec3::Zero();

  explicit ThrownPath(const Pose& X = {}, const Vec3& velocity_0 = Vec3::Zero(), const Vec3& spin = Vec3::Zero(),
                      const Vec3& acceleration = Vec3::Zero())
      : start(X), v(velocity_0), a(acceleration), w(spin) {}

  [[nodiscard]] Pose pose(Real t) const override {
    return {w.isZero(0) ? start.R : Mat3(exp_so3(t * w) * start.R), start.p + t * v + 0.5 * t * t * a};
  }
  [[nodiscard]] Vec3 reference_point() const override { return Vec3::Zero(); }
  [[nodiscard]] Vec3 velocity(Real t) const override { return v + t * a; }
  [[nodiscard]] Vec3 angular_velocity(Real) const override { return w; }
  [[nodiscard]] Real max_acceleration() const override { return a.norm(); }
  [[nodiscard]] Real max_angular_speed() const override { return w.norm(); }
  [[nodiscard]] Real max_angular_acceleration() const override { return 0; }
};

}  // namespace visviva::collision
