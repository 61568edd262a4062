#pragma once

#include <optional>
#include <string_view>

#include "visviva/math/types.hpp"

/// Rotations as 3×3 matrices. R_AB takes the components of a vector from frame B to frame A; it is
/// also the rotation that turns the axes of A into those of B. Angles in radians, right-handed.
///
/// Functions that take a rotation matrix trust it (is_rotation to within rounding). Check what
/// comes from outside with validate_rotation, or repair it with nearest_rotation.
namespace visviva {

/// A frame in which an angular velocity is expressed.
enum class RateFrame {
  World,  ///< dR/dt = S(w) R
  Body,   ///< dR/dt = R S(w)
};

/// Rotation by `angle` about `axis`.
struct AxisAngle {
  Vec3 axis = Vec3::UnitX();  ///< unit [-]
  Real angle = 0;             ///< [rad]
};

/// How far a matrix that comes from outside may be from orthonormal, and the norm of a unit vector or
/// quaternion from 1: enough for seven printed digits (six decimals of a unit vector), and too little
/// for any slip (transposed pairs, degrees, scale) to pass.
inline constexpr Real kRotationTolerance = 1e-6;

/// True if every entry of R^T R - I is within `tolerance` and det R > 0. Reflections, NaN and
/// infinities are refused.                                                       [havok III.1.2]
[[nodiscard]] bool is_rotation(const Mat3& R, Real tolerance = kRotationTolerance);

/// Throws InvalidArgument, naming object and field, and whether R is not finite, not orthonormal or
/// a reflection.
void validate_rotation(const Mat3& R, std::string_view object, std::string_view field,
                       Real tolerance = kRotationTolerance);

/// The rotation with the least Frobenius distance to A: the rotation factor of the polar
/// decomposition if det A > 0. Empty if there is no single nearest one (A of rank below 2, or a
/// reflection whose two smallest singular values are equal) or A is not finite.
[[nodiscard]] std::optional<Mat3> nearest_rotation(const Mat3& A);

// --- Axis and angle
// -------------------------------------------------------------------------------

/// Throws InvalidArgument unless the axis is unit to kRotationTolerance and the angle finite.
void validate(const AxisAngle& rotation);

/// x turned by `angle` about `axis`, Rodrigues' formula. Validates.              [havok III.1.4]
[[nodiscard]] Vec3 rotate(const AxisAngle& rotation, const Vec3& x);

/// Validates.                                                                    [havok III.1.5]
[[nodiscard]] Mat3 rotation_from_axis_angle(const AxisAngle& rotation);

/// Angle in [0, pi] and unit axis. At angle 0 the axis is x. At exactly pi, where both signs of the
/// axis are right, its first non-zero component is positive. Good to rounding everywhere.
[[nodiscard]] AxisAngle axis_angle_from_rotation(const Mat3& R);

/// Angle in [0, pi] of the rotation R1^T R2 that leads from one to the other [rad].
[[nodiscard]] Real angle_between(const Mat3& R1, const Mat3& R2);

// --- Exponential map
// ------------------------------------------------------------------------------

/// exp S(phi): rotation by |phi| about phi [rad].
[[nodiscard]] Mat3 exp_so3(const Vec3& phi);

/// The shortest phi with exp_so3(phi) = R, |phi| <= pi [rad]. At exactly pi its first non-zero
/// component is positive. Good to rounding everywhere.
[[nodiscard]] Vec3 log_so3(const Mat3& R);

/// J_l: exp(phi + d) = exp(J_l(phi) d) exp(phi) to first order in d, so that w_W = J_l dphi/dt.
[[nodiscard]] Mat3 left_jacobian_so3(const Vec3& phi);
/// J_r: exp(phi + d) = exp(phi) exp(J_r(phi) d) to first order in d, so that w_B = J_r dphi/dt.
[[nodiscard]] Mat3 right_jacobian_so3(const Vec3& phi);
/// Inverses of the above. They exist for |phi| < 2 pi (a logarithm has |phi| <= pi) and throw
/// InvalidArgument beyond.
[[nodiscard]] Mat3 inverse_left_jacobian_so3(const Vec3& phi);
[[nodiscard]] Mat3 inverse_right_jacobian_so3(const Vec3& phi);

// --- Cayley map
// -----------------------------------------------------------------------------------

/// Cay S(f) = (I + S(f)) (I - S(f))^-1: rotation by 2 atan |f| about f [-]. No square root, no
/// transcendental function.                                                          [lgvci (117)]
[[nodiscard]] Mat3 cayley_so3(const Vec3& f);

/// f = tan(angle / 2) axis. Empty within rounding (1e-15 rad) of half a turn, which no f reaches.
[[nodiscard]] std::optional<Vec3> inverse_cayley_so3(const Mat3& R);

}  // namespace visviva
