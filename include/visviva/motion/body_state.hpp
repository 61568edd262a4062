#pragma once

#include <string_view>

#include "visviva/impact/contact.hpp"
#include "visviva/math/types.hpp"

namespace visviva::motion {

/// What does not change of a dynamic body. Frame B has its origin at the centre of mass here.
struct BodyMass {
  Real mass = 1;                      ///< [kg]
  Mat3 J = Mat3::Identity();          ///< inertia about the centre of mass, body frame [kg m²]
  Mat3 J_inverse = Mat3::Identity();  ///< [1/(kg m²)]
};

/// Throws InvalidArgument as validate_inertia does; J is made exactly symmetric.
[[nodiscard]] BodyMass make_body_mass(Real mass, const Mat3& J, std::string_view name = "body");

/// State of a body in the variables of [lgvci (51)].
struct BodyState {
  Vec3 x = Vec3::Zero();      ///< centre of mass, world [m]
  Mat3 R = Mat3::Identity();  ///< R_WB
  Vec3 gamma = Vec3::Zero();  ///< linear momentum, world [kg m/s]
  Vec3 Pi = Vec3::Zero();     ///< angular momentum about the centre of mass, body frame [kg m²/s]
};

[[nodiscard]] inline Vec3 velocity(const BodyMass& body, const BodyState& s) { return s.gamma / body.mass; }
[[nodiscard]] inline Vec3 angular_velocity_body(const BodyMass& body, const BodyState& s) {
  return body.J_inverse * s.Pi;
}
[[nodiscard]] inline Vec3 angular_velocity_world(const BodyMass& body, const BodyState& s) {
  return s.R * (body.J_inverse * s.Pi);
}
[[nodiscard]] inline Real kinetic_translation(const BodyMass& body, const BodyState& s) {
  return s.gamma.squaredNorm() / (2 * body.mass);
}
[[nodiscard]] inline Real kinetic_rotation(const BodyMass& body, const BodyState& s) {
  return s.Pi.dot(body.J_inverse * s.Pi) / 2;
}

/// As the impact room wants it.
[[nodiscard]] impact::BodyState to_impact_body(const BodyMass& body, const BodyState& s);

/// An impulse [N s] in world axes at a world point.
void apply_impulse(const BodyMass& body, const Vec3& impulse, const Vec3& point, BodyState& s);

}  // namespace visviva::motion
