#include "visviva/math/so3.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "math/jacobi_eigen.hpp"
#include "math/rotation_coefficients.hpp"
#include "visviva/core/error.hpp"
#include "visviva/math/elementary.hpp"
#include "visviva/math/quaternion.hpp"
#include "visviva/math/skew.hpp"

namespace visviva {
namespace {

constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();

Real orthonormality_error(const Mat3& R) { return (R.transpose() * R - Mat3::Identity()).cwiseAbs().maxCoeff(); }

}  // namespace

bool is_rotation(const Mat3& R, Real tolerance) {
  // NaN is lost in maxCoeff, so it is looked for first.
  return R.allFinite() && orthonormality_error(R) <= tolerance && R.determinant() > 0;
}

void validate_rotation(const Mat3& R, std::string_view object, std::string_view field, Real tolerance) {
  if (is_rotation(R, tolerance)) return;  // without a message made ready
  require(R.allFinite(), object, field, "be a rotation", "an entry that is not finite");
  const Real error = orthonormality_error(R);
  require(error <= tolerance, object, field, fmt::format("be a rotation, orthonormal to {}", tolerance), error);
  require(R.determinant() > 0, object, field, "be a rotation", "a reflection");
}

std::optional<Mat3> nearest_rotation(const Mat3& A) {
  const Real scale = A.cwiseAbs().maxCoeff();
  if (!(A.allFinite() && scale > 0)) return std::nullopt;
  const Mat3 B = A / scale;

  // |R - B|² is least where tr(R^T B) is largest. With R of the unit quaternion q it is q^T K q, so
  // q is the eigenvector of the largest eigenvalue. [Horn1987]
  Mat4 K;
  K.diagonal() << B.trace(), B(0, 0) - B(1, 1) - B(2, 2), B(1, 1) - B(0, 0) - B(2, 2), B(2, 2) - B(0, 0) - B(1, 1);
  K(0, 1) = K(1, 0) = B(2, 1) - B(1, 2);
  K(0, 2) = K(2, 0) = B(0, 2) - B(2, 0);
  K(0, 3) = K(3, 0) = B(1, 0) - B(0, 1);
  K(1, 2) = K(2, 1) = B(0, 1) + B(1, 0);
  K(1, 3) = K(3, 1) = B(0, 2) + B(2, 0);
  K(2, 3) = K(3, 2) = B(1, 2) + B(2, 1);
  const auto [values, vectors] = jacobi_eigen<4>(K);

  // The gap to the next eigenvalue is 2 (sigma_2 + sigma_3 sign det A) in singular values.
  Eigen::Index best = 0;
  const Real largest = values.maxCoeff(&best);
  Real second = -std::numeric_limits<Real>::infinity();
  for (Eigen::Index i = 0; i < 4; ++i)
    if (i != best) second = std::max(second, values[i]);
  constexpr Real kRounding = 64 * kEpsilon;  // of eigenvalues, for entries of B up to 1
  if (!(largest - second > kRounding)) return std::nullopt;
  const Vec4 q = vectors.col(best);
  return rotation_from_quaternion({q[0], q[1], q[2], q[3]});
}

void validate(const AxisAngle& rotation) {
  const Real length2 = rotation.axis.squaredNorm();
  require(std::abs(length2 - 1) <= 2 * kRotationTolerance, "axis-angle", "axis", "be a unit vector",
          std::sqrt(length2));
  require(std::isfinite(rotation.angle), "axis-angle", "angle", "be finite", rotation.angle);
}

Vec3 rotate(const AxisAngle& rotation, const Vec3& x) {
  validate(rotation);
  const Vec3& a = rotation.axis;
  const auto [sin_alpha, cos_alpha] = sin_cos(rotation.angle);
  // R x = a (a·x) + cos(alpha) [x - a (a·x)] + sin(alpha) [a × x]          [havok III.1.4]
  return a * a.dot(x) + cos_alpha * (x - a * a.dot(x)) + sin_alpha * a.cross(x);
}

Mat3 rotation_from_axis_angle(const AxisAngle& rotation) {
  validate(rotation);
  const Vec3& a = rotation.axis;
  const auto [sin_alpha, cos_alpha] = sin_cos(rotation.angle);
  const Real sin_half = visviva::sin(0.5 * rotation.angle);
  // R = cos(alpha) I + (1 - cos(alpha)) a a^T + sin(alpha) S(a)            [havok III.1.5]
  return cos_alpha * Mat3::Identity() + 2 * sin_half * sin_half * a * a.transpose() + sin_alpha * skew(a);
}

// [havok III.1.6] divides by sin(alpha) and takes acos of the trace: no digits near 0 and pi. The
// quaternion has them everywhere.
AxisAngle axis_angle_from_rotation(const Mat3& R) { return axis_angle_from_quaternion(quaternion_from_rotation(R)); }

Real angle_between(const Mat3& R1, const Mat3& R2) { return axis_angle_from_rotation(R1.transpose() * R2).angle; }

Mat3 exp_so3(const Vec3& phi) {
  namespace k = rotation_coefficients;
  const Real t = phi.norm();
  const Mat3 S = skew(phi);
  // R = I + sin(t)/t S + (1 - cos(t))/t² S²                                    [lgvci (112)]
  return Mat3::Identity() + k::sinc(t) * S + k::two(t) * S * S;
}

Vec3 log_so3(const Mat3& R) { return log_quaternion(quaternion_from_rotation(R)); }

Mat3 left_jacobian_so3(const Vec3& phi) {
  namespace k = rotation_coefficients;
  const Real t = phi.norm();
  const Mat3 S = skew(phi);
  // J_l = I + (1 - cos(t))/t² S + (t - sin(t))/t³ S²
  return Mat3::Identity() + k::two(t) * S + k::three(t) * S * S;
}

Mat3 right_jacobian_so3(const Vec3& phi) { return left_jacobian_so3(-phi); }

Mat3 inverse_left_jacobian_so3(const Vec3& phi) {
  namespace k = rotation_coefficients;
  const Real t = phi.norm();
  require(t < 2 * std::numbers::pi, "inverse Jacobian of exp", "|phi|", "be below 2 pi", t);
  const Mat3 S = skew(phi);
  // J_l^-1 = I - 1/2 S + (1 - (t/2) cot(t/2))/t² S²
  return Mat3::Identity() - 0.5 * S + k::inverse_two(t) * S * S;
}

Mat3 inverse_right_jacobian_so3(const Vec3& phi) { return inverse_left_jacobian_so3(-phi); }

Mat3 cayley_so3(const Vec3& f) {
  const Mat3 S = skew(f);
  return Mat3::Identity() + 2 / (1 + f.squaredNorm()) * (S + S * S);  // [lgvci (117)]
}

std::optional<Vec3> inverse_cayley_so3(const Mat3& R) {
  const Quaternion q = quaternion_from_rotation(R);
  // q = (cos(t/2), sin(t/2) a) and f = tan(t/2) a. Rounding of R moves w by this much.
  if (std::abs(q.w) <= 2 * kEpsilon) return std::nullopt;
  return q.vec() / q.w;
}

}  // namespace visviva
