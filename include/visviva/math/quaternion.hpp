#pragma once

#include <Eigen/Geometry>
#include <cmath>

#include "visviva/math/so3.hpp"
#include "visviva/math/types.hpp"

namespace visviva {

using Mat43 = Eigen::Matrix<Real, 4, 3>;

/// w + x i + y j + z k with i² = j² = k² = ijk = -1. A unit quaternion q stands for the rotation
/// v -> q v q^c, and q and -q for the same one; q p is "first p, then q".        [havok III.1.7]
struct Quaternion {
  Real w = 1;  ///< scalar part [-]
  Real x = 0;
  Real y = 0;
  Real z = 0;

  [[nodiscard]] Vec3 vec() const { return {x, y, z}; }
  [[nodiscard]] Vec4 coefficients() const { return {w, x, y, z}; }  ///< in the order w, x, y, z
  [[nodiscard]] static Quaternion from_parts(Real w, const Vec3& v) { return {w, v.x(), v.y(), v.z()}; }

  friend bool operator==(const Quaternion&, const Quaternion&) = default;
};

// --- Algebra, for quaternions of any length
// -------------------------------------------------------

[[nodiscard]] inline Quaternion operator+(const Quaternion& a, const Quaternion& b) {
  return {a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z};
}
[[nodiscard]] inline Quaternion operator-(const Quaternion& a, const Quaternion& b) {
  return {a.w - b.w, a.x - b.x, a.y - b.y, a.z - b.z};
}
[[nodiscard]] inline Quaternion operator-(const Quaternion& a) { return {-a.w, -a.x, -a.y, -a.z}; }
[[nodiscard]] inline Quaternion operator*(Real s, const Quaternion& a) { return {s * a.w, s * a.x, s * a.y, s * a.z}; }
[[nodiscard]] inline Quaternion operator*(const Quaternion& a, Real s) { return s * a; }

/// Hamilton's product.
[[nodiscard]] inline Quaternion operator*(const Quaternion& a, const Quaternion& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

[[nodiscard]] inline Quaternion conjugate(const Quaternion& a) { return {a.w, -a.x, -a.y, -a.z}; }
[[nodiscard]] inline Real dot(const Quaternion& a, const Quaternion& b) {
  return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}
[[nodiscard]] inline Real squared_norm(const Quaternion& a) { return dot(a, a); }
[[nodiscard]] inline Real norm(const Quaternion& a) { return std::sqrt(squared_norm(a)); }

/// a^c / |a|², so that a^-1 a = a a^-1 = 1. Throws InvalidArgument unless 0 < |a|² < infinity.
[[nodiscard]] Quaternion reciprocal(const Quaternion& a);

/// a / |a|. Throws InvalidArgument unless 0 < |a|² < infinity.
[[nodiscard]] Quaternion normalized(const Quaternion& a);

// --- Rotation
// -------------------------------------------------------------------------------------

/// q v q^c of a unit quaternion.
[[nodiscard]] inline Vec3 rotate(const Quaternion& q, const Vec3& v) {
  const Vec3 t = 2 * q.vec().cross(v);
  return v + q.w * t + q.vec().cross(t);
}

/// Rotation matrix of q / |q|; q need only be non-zero.
[[nodiscard]] Mat3 rotation_from_quaternion(const Quaternion& q);

/// Unit quaternion with its largest component positive (Shepperd 1978: divides by that one, which
/// is at least 1/2, so no rotation is special).
[[nodiscard]] Quaternion quaternion_from_rotation(const Mat3& R);

/// Validates its argument.
[[nodiscard]] Quaternion quaternion_from_axis_angle(const AxisAngle& rotation);

/// Angle in [0, pi]; the axis as in axis_angle_from_rotation. q need only be non-zero.
[[nodiscard]] AxisAngle axis_angle_from_quaternion(const Quaternion& q);

/// Angle in [0, pi] of the rotation from one to the other [rad].
[[nodiscard]] Real angle_between(const Quaternion& a, const Quaternion& b);

/// Unit quaternion of the rotation by |phi| about phi: exp(phi / 2) in the algebra. phi in [rad].
[[nodiscard]] Quaternion exp_quaternion(const Vec3& phi);

/// The shortest phi whose rotation is that of q, |phi| <= pi [rad]. At exactly half a turn its
/// first non-zero component is positive. q need only be non-zero.
[[nodiscard]] Vec3 log_quaternion(const Quaternion& q);

/// a at t = 0, b or -b (the nearer) at t = 1, with constant angular velocity between and beyond.
/// Exactly half a turn apart, the way follows log_quaternion(a^c b).
[[nodiscard]] Quaternion slerp(const Quaternion& a, const Quaternion& b, Real t);

// --- Rates
// ----------------------------------------------------------------------------------------

/// B(q) in R^{4×3}, rows in the order w, x, y, z, with dq/dt = 1/2 B(q) w and B^T B = |q|² I.
///
/// [havok II.1] prints other entries and a quaternion in place of w. From dq/dt = 1/2 Q(w) q with
/// q = (s, v): Q(w) q = (-v·w, s w - v × w), and in the body frame q Q(w) = (-v·w, s w + v × w).
[[nodiscard]] Mat43 quaternion_rate_matrix(const Quaternion& q, RateFrame frame);

/// dq/dt of a body that turns with angular velocity w [rad/s], in [1/s].
[[nodiscard]] Quaternion quaternion_rate(const Quaternion& q, const Vec3& w, RateFrame frame);

/// Inverse of quaternion_rate: the angular velocity [rad/s] at unit q with rate dq/dt [1/s]. What
/// of the rate is along q (a change of length) has no part in it.
[[nodiscard]] Vec3 angular_velocity(const Quaternion& q, const Quaternion& q_rate, RateFrame frame);

// --- Turning r by w for a time h
// ------------------------------------------------------------------ Four approximations of exp(w h
// / 2) r [havok I.1.2.1]. All turn about w exactly and return a unit quaternion; they differ in the
// angle, theta = |w| h, of one step:
//
//   first order   normalise r + h dr/dt               2 atan(theta/2)     = theta - theta³/12 + ...
//   second order  normalise r + h dr/dt + h²/2 d²r/dt²                    = theta + theta³/24 - ...
//   Cayley        implicit midpoint, no square root   4 atan(theta/4)     = theta - theta³/48 + ...
//   exponential   exact for constant w                theta
//
// Normalising raises the first-order sum to second order; it is then the Cayley map of SO(3), while
// the Cayley map here is that of the unit quaternions. r must be unit; none of them throws.

[[nodiscard]] Quaternion integrate_first_order(const Quaternion& r, const Vec3& w, Real h,
                                               RateFrame frame = RateFrame::World);
[[nodiscard]] Quaternion integrate_second_order(const Quaternion& r, const Vec3& w, Real h,
                                                RateFrame frame = RateFrame::World);
[[nodiscard]] Quaternion integrate_cayley(const Quaternion& r, const Vec3& w, Real h,
                                          RateFrame frame = RateFrame::World);
[[nodiscard]] Quaternion integrate_exponential(const Quaternion& r, const Vec3& w, Real h,
                                               RateFrame frame = RateFrame::World);

}  // namespace visviva
