#pragma once

#include <string_view>

#include "visviva/math/types.hpp"

/// Inertia matrices. J = ∫ S(rho)^T S(rho) dm is the standard one, J_d = ∫ rho rho^T dm the
/// nonstandard one; both in [kg m²], symmetric, about a stated point in a stated frame.
namespace visviva {

/// J_d = 1/2 tr[J] I - J.                                                              [lgvci (41)]
[[nodiscard]] Mat3 nonstandard_from_standard_inertia(const Mat3& J);
/// J = tr[J_d] I - J_d.                                                                [lgvci (41)]
[[nodiscard]] Mat3 standard_from_nonstandard_inertia(const Mat3& J_d);

/// Parallel axes: J about a point that lies at -c from the centre of mass (so c leads from the
/// point to the centre of mass; its sign does not matter). Mass in [kg], c in [m].
[[nodiscard]] Mat3 move_inertia_from_centre(const Mat3& J_centre, Real mass, const Vec3& c);
/// The inverse: J about the centre of mass, from J about the point. Cancels if |c| is large.
[[nodiscard]] Mat3 move_inertia_to_centre(const Mat3& J_point, Real mass, const Vec3& c);

/// R J R^T: components in frame A of the inertia with components J_B in frame B. Exactly symmetric.
[[nodiscard]] Mat3 rotate_inertia(const Mat3& R_AB, const Mat3& J_B);

struct PrincipalInertia {
  Vec3 moments = Vec3::Zero();  ///< ascending [kg m²]
  Mat3 R = Mat3::Identity();    ///< right-handed; columns are the axes: J = R diag(moments) R^T
};

/// Principal moments and axes of the symmetric matrix J (its lower triangle is read). Equal moments
/// keep the order of the coordinate axes they lie next to; in each of the first two axes the
/// component of largest magnitude (the first of them) is positive, and the third axis is their
/// cross product. Cyclic Jacobi rotations: the moments are good to rounding of the largest, a
/// diagonal J is exact, and the same J gives the same bits everywhere.
[[nodiscard]] PrincipalInertia principal_inertia(const Mat3& J);

/// Whether a zero moment (a thin rod about its axis, a point mass) is acceptable. J then has no
/// inverse. A flat body, whose moments obey J1 + J2 = J3, is always acceptable.
enum class ZeroMoment { Refuse, Allow };

/// Slack in symmetry and triangle inequality, relative to the largest entry or moment: what six
/// printed digits of a flat body need.
inline constexpr Real kInertiaTolerance = 2e-6;

/// Throws InvalidArgument, naming the object, its field "inertia" and which demand fails, unless J
/// is
/// - finite,
/// - symmetric, within kInertiaTolerance,
/// - positive: the least moment above rounding of the largest (or not below it, if zero is
/// allowed),
/// - an inertia of some mass distribution: J1 + J2 >= J3, within kInertiaTolerance.
void validate_inertia(const Mat3& J, std::string_view object, ZeroMoment zero_moment = ZeroMoment::Refuse);

}  // namespace visviva
