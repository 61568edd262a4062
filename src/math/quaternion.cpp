#include "visviva/math/quaternion.hpp"

#include <algorithm>
#include <limits>

#include "math/rotation_coefficients.hpp"
#include "visviva/core/error.hpp"
#include "visviva/math/elementary.hpp"
#include "visviva/math/skew.hpp"

namespace visviva {
namespace {

Real checked_squared_norm(const Quaternion& a) {
  const Real n2 = squared_norm(a);
  // Below the least normal number the square has lost digits.
  require(n2 >= std::numeric_limits<Real>::min() && n2 <= std::numeric_limits<Real>::max(), "quaternion",
          "squared norm", "be positive and finite", n2);
  return n2;
}

/// The one of q and -q whose angle is at most pi; at exactly pi the one whose first non-zero
/// component is positive.
Quaternion shortest(const Quaternion& q) {
  const Real first = q.w != 0 ? q.w : q.x != 0 ? q.x : q.y != 0 ? q.y : q.z;
  return first < 0 ? -q : q;
}

/// Turns r by the increment, on the side that the frame of w asks for, and makes up for rounding.
/// Both factors are unit but for the increment's own scale.
Quaternion compose(const Quaternion& increment, const Quaternion& r, RateFrame frame) {
  const Quaternion turned = frame == RateFrame::World ? increment * r : r * increment;
  return (1 / norm(turned)) * turned;
}

}  // namespace

Quaternion reciprocal(const Quaternion& a) { return (1 / checked_squared_norm(a)) * conjugate(a); }

Quaternion normalized(const Quaternion& a) { return (1 / std::sqrt(checked_squared_norm(a))) * a; }

Mat3 rotation_from_quaternion(const Quaternion& q) {
  const Real s = 2 / squared_norm(q);
  const auto [w, x, y, z] = q;
  Mat3 R;
  R << 1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),  //
      s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x),   //
      s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y);
  return R;
}

Quaternion quaternion_from_rotation(const Mat3& R) {
  // 4 w² = 1 + tr R, 4 x² = 1 + R00 - R11 - R22, ..., and 4 wx = R21 - R12, 4 xy = R10 + R01, ...
  // One of the squares is at least 1/4: its row of products, 4 c (w, x, y, z), is normalised.
  const Real trace = R.trace();
  Quaternion q;
  if (trace >= R.diagonal().maxCoeff())
    q = {1 + trace, R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)};
  else if (R(0, 0) >= R(1, 1) && R(0, 0) >= R(2, 2))
    q = {R(2, 1) - R(1, 2), 1 + R(0, 0) - R(1, 1) - R(2, 2), R(1, 0) + R(0, 1), R(0, 2) + R(2, 0)};
  else if (R(1, 1) >= R(2, 2))
    q = {R(0, 2) - R(2, 0), R(1, 0) + R(0, 1), 1 + R(1, 1) - R(0, 0) - R(2, 2), R(2, 1) + R(1, 2)};
  else
    q = {R(1, 0) - R(0, 1), R(0, 2) + R(2, 0), R(2, 1) + R(1, 2), 1 + R(2, 2) - R(0, 0) - R(1, 1)};
  return (1 / norm(q)) * q;
}

Quaternion quaternion_from_axis_angle(const AxisAngle& rotation) {
  validate(rotation);
  const auto [sin_half, cos_half] = sin_cos(0.5 * rotation.angle);
  return Quaternion::from_parts(cos_half, sin_half * rotation.axis);
}

AxisAngle axis_angle_from_quaternion(const Quaternion& q) {
  const Quaternion p = shortest(q);
  const Real sin_half = p.vec().stableNorm();
  if (sin_half == 0) return {};
  return {p.vec() / sin_half, 2 * visviva::atan2(sin_half, p.w)};
}

Real angle_between(const Quaternion& a, const Quaternion& b) {
  return axis_angle_from_quaternion(conjugate(a) * b).angle;
}

Quaternion exp_quaternion(const Vec3& phi) {
  const Real half = 0.5 * phi.norm();
  return Quaternion::from_parts(visviva::cos(half), 0.5 * rotation_coefficients::sinc(half) * phi);
}

Vec3 log_quaternion(const Quaternion& q) {
  const Quaternion p = shortest(q);
  const Real sin_half2 = p.vec().squaredNorm();
  // phi = 2 atan(|v| / w) v / |v| = 2 v / w (1 - |v|²/(3 w²) + ...). Below the threshold the second
  // term is lost in rounding, and |v|² may underflow.
  constexpr Real kTinyTangent2 = 1e-17;
  if (sin_half2 < kTinyTangent2 * p.w * p.w) return 2 / p.w * p.vec();
  const Real sin_half = std::sqrt(sin_half2);
  return 2 * visviva::atan2(sin_half, p.w) / sin_half * p.vec();
}

Quaternion slerp(const Quaternion& a, const Quaternion& b, Real t) {
  return a * exp_quaternion(t * log_quaternion(conjugate(a) * b));
}

Mat43 quaternion_rate_matrix(const Quaternion& q, RateFrame frame) {
  const Real side = frame == RateFrame::World ? -1 : 1;
  Mat43 B;
  B.row(0) = -q.vec().transpose();
  B.bottomRows<3>() = q.w * Mat3::Identity() + side * skew(q.vec());
  return B;
}

Quaternion quaternion_rate(const Quaternion& q, const Vec3& w, RateFrame frame) {
  const Quaternion Q_w = Quaternion::from_parts(0, w);
  return 0.5 * (frame == RateFrame::World ? Q_w * q : q * Q_w);  // [havok II.1]
}

Vec3 angular_velocity(const Quaternion& q, const Quaternion& q_rate, RateFrame frame) {
  const Quaternion half_w = frame == RateFrame::World ? q_rate * conjugate(q) : conjugate(q) * q_rate;
  return 2 * half_w.vec();
}

Quaternion integrate_first_order(const Quaternion& r, const Vec3& w, Real h, RateFrame frame) {
  // r + h dr/dt = (1 + p) r with p = Q(w) h / 2
  return compose(Quaternion::from_parts(1, 0.5 * h * w), r, frame);
}

Quaternion integrate_second_order(const Quaternion& r, const Vec3& w, Real h, RateFrame frame) {
  // r + h dr/dt + h²/2 d²r/dt² = (1 + p + p²/2) r with p = Q(w) h / 2, p² = -|p|²
  const Vec3 p = 0.5 * h * w;
  return compose(Quaternion::from_parts(1 - 0.5 * p.squaredNorm(), p), r, frame);
}

Quaternion integrate_cayley(const Quaternion& r, const Vec3& w, Real h, RateFrame frame) {
  // (1 - p)^-1 (1 + p) r with p = Q(w) h / 4: what the implicit midpoint rule gives for r
  const Vec3 p = 0.25 * h * w;
  const Real p2 = p.squaredNorm();
  const Quaternion increment = Quaternion::from_parts((1 - p2) / (1 + p2), 2 / (1 + p2) * p);
  return frame == RateFrame::World ? increment * r : r * increment;
}

Quaternion integrate_exponential(const Quaternion& r, const Vec3& w, Real h, RateFrame frame) {
  return compose(exp_quaternion(h * w), r, frame);
}

}  // namespace visviva
