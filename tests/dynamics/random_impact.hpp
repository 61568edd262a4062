#pragma once

#include <cmath>
#include <random>

#include "visviva/geometry/mass_properties.hpp"
#include "visviva/math/so3.hpp"

/// Bodies with any inertia, for impacts at one point.
namespace visviva::dynamics {

class RandomImpact {
 public:
  explicit RandomImpact(unsigned seed) : engine_(seed) {}

  Real uniform(Real low, Real high) { return std::uniform_real_distribution<Real>(low, high)(engine_); }
  Vec3 vector(Real half_width) {
    const Real x = uniform(-half_width, half_width), y = uniform(-half_width, half_width);
    return {x, y, uniform(-half_width, half_width)};
  }
  Vec3 unit() {
    Vec3 v;
    do v = vector(1);
    while (v.norm() < 0.1 || v.norm() > 1);
    return v.normalized();
  }
  Mat3 rotation() { return exp_so3(uniform(0, 3) * unit()); }

  /// Of a few mass points: any inertia that a body can have, and a centre of mass away from the origin.
  geometry::MassProperties mass() {
    geometry::MassProperties body;
    body.mass = std::exp(uniform(-2, 2));
    body.center_of_mass = vector(0.3);
    for (int i = 0; i < 5; ++i) {
      const Vec3 r = vector(0.6);
      body.inertia += body.mass / 5 * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
    }
    return body;
  }

 private:
  std::mt19937 engine_;
};

}  // namespace visviva::dynamics
