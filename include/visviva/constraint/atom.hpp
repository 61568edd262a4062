#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "visviva/math/types.hpp"

/// Constraints as lists of scalar rows. An atom is one row between two rigid bodies A and B: a joint is a list of them,
/// a limit one with a one-sided bound, a motor one with a target velocity and a bounded force; contacts of the
/// real-time world are made of them too. Impulses act on B, A takes the negative. World axes.
namespace visviva::constraint {

enum class AtomKind : std::uint8_t {
  Linear,          ///< velocity of a point of B relative to a point of A, along a direction
  Angular,         ///< angular velocity of B relative to A, about an axis
  Generic,         ///< any row: Atom::J
  GenericAngular,  ///< likewise, of a coordinate that is an angle: its impulse is a torque's
};

/// What a row is there for, and so how a solver treats it. u are velocities, C = Atom::error.
enum class AtomRole : std::uint8_t {
  Lock,      ///< C = 0 and J u = bias; no bounds; as stiff as the solver holds joints
  Limit,     ///< C >= 0: J u >= -C/h while there is room, and pushed out below 0; impulse in [0, upper]
  Motor,     ///< J u = bias within its bounds; with a spring, drawn to C = 0 by it
  Friction,  ///< J u = 0 within its bounds
  Spring,    ///< force of `spring`, within its bounds
};

/// A damped spring as stiffness and damping, or, if `frequency` is above 0, by the mass m that the row feels:
/// stiffness m (2π f)², damping 2 ζ m 2π f.
struct SpringLaw {
  Real stiffness = 0, damping = 0;        ///< [N/m], [N s/m]; [N m/rad], [N m s/rad]
  Real frequency = 0, damping_ratio = 0;  ///< [Hz], [-]
};

[[nodiscard]] inline bool is_spring(const SpringLaw& spring) {
  return spring.stiffness > 0 || spring.damping > 0 || spring.frequency > 0;
}

/// A row that gives way like a damped spring instead of holding at once; see make_softness. By default it holds.
struct Softness {
  Real bias_rate = 0;      ///< part of the error that it takes out in a second [1/s]
  Real mass_scale = 1;     ///< [-]
  Real impulse_scale = 0;  ///< of the accumulated impulse, which it gives back [-]
};

[[nodiscard]] inline bool gives_way(const Softness& softness) {
  return softness.bias_rate != 0 || softness.mass_scale != 1 || softness.impulse_scale != 0;
}

/// The four parts of J.
struct JacobianRow {
  Vec3 v_a = Vec3::Zero(), w_a = Vec3::Zero(), v_b = Vec3::Zero(), w_b = Vec3::Zero();
};

/// One row J u = bias, u = (v_A, w_A, v_B, w_B) the velocities of the centres of mass and the angular ones:
///   Linear    J = (-d, -ra × d, d, rb × d)
///   Angular   J = (0, -d, 0, d)                                                                      [havok II.3.1]
struct Atom {
  AtomKind kind = AtomKind::Linear;
  AtomRole role = AtomRole::Lock;
  Vec3 d = Vec3::UnitZ();                     ///< Linear: unit direction, world; Angular: axis, of any length but 0
  Vec3 ra = Vec3::Zero(), rb = Vec3::Zero();  ///< Linear: anchors, from the centres of mass of A and B, world [m]
  Real bias = 0;                              ///< velocity that it asks for [m/s], [rad/s]
  Real lower = -std::numeric_limits<Real>::infinity();  ///< of its impulse [N s], [N m s]
  Real upper = std::numeric_limits<Real>::infinity();
  Softness softness;                                      ///< of a row without a spring
  Real error = 0;                                         ///< C, of which J u - bias is the rate [m], [rad]
  SpringLaw spring;                                       ///< of springs, servos and soft limits; all zero: none
  Real strength = std::numeric_limits<Real>::infinity();  ///< force at which its joint breaks, >= 0 [N], [N m]
  JacobianRow J{};                                        ///< Generic only
  Real restitution = 0;  ///< of a Limit without a spring: J u⁺ = -e J u⁻ where it is met, in [0, 1] [-]
};

/// Throws InvalidArgument, naming `object` and the field: d must have length 1 within 1e-9 (of an angular atom, any but
/// 0), anchors, bias, error and J be finite, lower <= upper, strength >= 0.
void validate(const Atom& atom, std::string_view object = "atom");

/// What one of the two bodies makes of an impulse; zero for one that cannot be moved.
struct SideMass {
  Vec3 inverse_mass = Vec3::Zero();     ///< along the world's axes: zero where it is locked [1/kg]
  Mat3 inverse_inertia = Mat3::Zero();  ///< about the centre of mass, world [1/(kg m²)]
};
struct SideMotion {
  Vec3 v = Vec3::Zero();  ///< of the centre of mass, world [m/s]
  Vec3 w = Vec3::Zero();  ///< world [rad/s]
};

[[nodiscard]] JacobianRow jacobian(const Atom& atom);

/// J u.
[[nodiscard]] Real velocity(const Atom& atom, const SideMotion& A, const SideMotion& B);

/// J_i M⁻¹ J_kᵀ: what a unit impulse of atom k does to the velocity of atom i, both between A and B.
[[nodiscard]] Real response(const Atom& i, const Atom& k, const SideMass& A, const SideMass& B);

/// 1 / (J M⁻¹ Jᵀ), the mass that the atom feels; 0 if nothing can move [kg], [kg m²].
[[nodiscard]] Real effective_mass(const Atom& atom, const SideMass& A, const SideMass& B);

/// Of a damped spring with a frequency [Hz] and a damping ratio [-], both > 0, over a sub-step h [s], implicit: the
/// impulse that takes an error s out is mass_scale·m·(J u + bias_rate·s) + impulse_scale·λ less than λ, the one so far.
/// [theory/realtime.md (2)]
[[nodiscard]] Softness make_softness(Real frequency, Real damping_ratio, Real h);

/// Of a spring on a row that feels the mass `mass` [kg], [kg m²], implicit over h: all zero is a damper of none, that
/// never acts (mass_scale 0).
[[nodiscard]] Softness soften(const SpringLaw& spring, Real mass, Real h);

}  // namespace visviva::constraint
