#include "visviva/motion/body_state.hpp"

#include <Eigen/Geometry>
#include <limits>

#include "visviva/core/error.hpp"
#include "visviva/math/inertia.hpp"

namespace visviva::motion {

BodyMass make_body_mass(Real mass, const Mat3& J, std::string_view name) {
  require(mass > 0 && mass < std::numeric_limits<Real>::infinity(), name, "mass", "be finite and > 0", mass);
  validate_inertia(J, name);
  BodyMass body;
  body.mass = mass;
  body.J = (J + J.transpose()) / 2;
  // By way of the principal axes, as the rotation maps see J: what they conserve is then the energy that
  // kinetic_rotation measures, to rounding, and a diagonal J has an exactly diagonal inverse.
  const PrincipalInertia principal = principal_inertia(body.J);
  body.J_inverse = rotate_inertia(principal.R, Mat3(principal.moments.cwiseInverse().asDiagonal()));
  require(body.J_inverse.allFinite(), name, "inertia", "have a finite inverse", principal.moments[0]);
  return body;
}

impact::BodyState to_impact_body(const BodyMass& body, const BodyState& s) {
  impact::BodyState b;
  b.inverse_mass = 1 / body.mass;
  b.inverse_inertia = rotate_inertia(s.R, body.J_inverse);
  b.center_of_mass = s.x;
  b.velocity = velocity(body, s);
  b.angular_velocity = angular_velocity_world(body, s);
  return b;
}

void apply_impulse(const BodyMass& /*body*/, const Vec3& impulse, const Vec3& point, BodyState& s) {
  s.gamma += impulse;
  s.Pi += s.R.transpose() * (point - s.x).cross(impulse);
}

}  // namespace visviva::motion
