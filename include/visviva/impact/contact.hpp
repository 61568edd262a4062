#pragma once

#include <string_view>

#include "visviva/impact/problem.hpp"

namespace visviva::impact {

/// Mass data and motion of one body, as far as an impact needs them.
struct BodyState {
  Real inverse_mass = 0;                 ///< 0 for an immovable body [1/kg]
  Mat3 inverse_inertia = Mat3::Zero();   ///< about the centre of mass, in world axes [1/(kg m²)]
  Vec3 center_of_mass = Vec3::Zero();    ///< p_W [m]
  Vec3 velocity = Vec3::Zero();          ///< of the centre of mass, in world axes [m/s]
  Vec3 angular_velocity = Vec3::Zero();  ///< in world axes [rad/s]
};

/// Throws InvalidArgument, naming the field.
void validate(const BodyState& body, std::string_view name);

/// From mass, inertia about the centre of mass in body axes, and R_WB.
[[nodiscard]] BodyState make_body(Real mass, const Mat3& inertia_body, const Mat3& R_WB);

/// Where two bodies touch. B is the text's B1, A its B2.
struct Contact {
  Vec3 point = Vec3::Zero();    ///< p_W [m]
  Vec3 normal = Vec3::UnitZ();  ///< unit to kRotationTolerance, from A to B, in world axes
};

/// R_WC: contact frame with z along the normal. x and y depend on the normal alone; for normal = z
/// it is the identity.
[[nodiscard]] Mat3 contact_frame(const Vec3& normal);

/// W (5) and v- (2) in the contact frame. Friction and restitution are the pair's.
[[nodiscard]] ImpactProblem make_problem(const BodyState& A, const BodyState& B, const Contact& contact, Real friction,
                                         Real restitution);

/// Velocities after the impulse (contact frame, on B) has acted. [impact (1)]
void apply_impulse(const Vec3& impulse_C, const Contact& contact, BodyState& A, BodyState& B);

/// The text's words (§2): central or eccentric, direct or oblique.
struct Configuration {
  bool central = false;  ///< the line of impact passes through both centres of mass: d = 0
  bool direct = false;   ///< both centres move along the line of impact
};
[[nodiscard]] Configuration classify(const BodyState& A, const BodyState& B, const Contact& contact);

}  // namespace visviva::impact
