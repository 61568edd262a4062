#pragma once

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "visviva/impact/contact.hpp"

namespace visviva::impact {

/// Random bodies and impacts of a fixed seed.
class RandomImpacts {
 public:
  explicit RandomImpacts(unsigned seed) : engine_(seed) {}

  Real uniform(Real lo, Real hi) { return std::uniform_real_distribution<Real>(lo, hi)(engine_); }
  Real log_uniform(Real lo, Real hi) { return std::exp(uniform(std::log(lo), std::log(hi))); }
  Vec3 vector() {
    std::normal_distribution<Real> normal;
    const Real x = normal(engine_), y = normal(engine_), z = normal(engine_);
    return {x, y, z};
  }
  Mat3 rotation() {
    const Vec3 axis = vector();
    return Eigen::Quaterniond(vector().x(), axis.x(), axis.y(), axis.z()).normalized().toRotationMatrix();
  }
  /// An ellipsoid's inertia, of size about 1.
  BodyState body(Real mass) {
    const Vec3 a2(uniform(0.1, 1), uniform(0.1, 1), uniform(0.1, 1));
    const Vec3 J = mass / 5 * (a2.sum() * Vec3::Ones() - a2);
    BodyState state = make_body(mass, J.asDiagonal(), rotation());
    state.center_of_mass = 0.5 * vector();
    state.velocity = vector();
    state.angular_velocity = vector();
    return state;
  }
  Contact contact() { return {.point = 0.3 * vector(), .normal = vector().normalized()}; }
  /// Two bodies of mass ratio up to 1e±3 that approach each other.
  ImpactProblem problem(Real largest_friction = 3) {
    const BodyState A = body(1);
    const BodyState B = body(log_uniform(1e-3, 1e3));
    ImpactProblem p = make_problem(A, B, contact(), uniform(0, largest_friction), uniform(0, 1));
    p.v.z() = -std::abs(p.v.z());
    return p;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace visviva::impact
