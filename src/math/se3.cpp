#include "visviva/math/se3.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include "math/rotation_coefficients.hpp"
#include "visviva/core/error.hpp"
#include "visviva/math/skew.hpp"
#include "visviva/math/so3.hpp"

namespace visviva {
namespace {

/// [D U; 0 D], the form of the adjoint and of the Jacobians for twists (linear; angular).
Mat6 block_upper(const Mat3& D, const Mat3& U) {
  Mat6 M;
  M << D, U, Mat3::Zero(), D;
  return M;
}

Vec6 twist_from_parts(const Vec3& rho, const Vec3& phi) {
  Vec6 twist;
  twist << rho, phi;
  return twist;
}

/// The block of J_l that couples rotation into translation [Barfoot2017]:
///   Q = P/2 + k3 (SP + PS + SPS) + k4 (SSP + PSS - 3 SPS) + k5 (SPSS + SSPS)
/// with P = S(rho), S = S(phi) and the coefficients k of |phi|.
Mat3 coupling(const Vec3& rho, const Vec3& phi) {
  namespace k = rotation_coefficients;
  const Real t = phi.norm();
  const Mat3 P = skew(rho);
  const Mat3 S = skew(phi);
  const Mat3 SP = S * P, PS = P * S, SPS = SP * S;
  return 0.5 * P + k::three(t) * (SP + PS + SPS) + k::four(t) * (S * SP + PS * S - 3 * SPS) +
         k::five(t) * (SPS * S + S * SPS);
}

}  // namespace

Mat4 homogeneous_from_pose(const Pose& X) {
  Mat4 G = Mat4::Identity();
  G.topLeftCorner<3, 3>() = X.R;
  G.topRightCorner<3, 1>() = X.p;
  return G;
}

Pose pose_from_homogeneous(const Mat4& G) {
  const Pose X{G.topLeftCorner<3, 3>(), G.topRightCorner<3, 1>()};
  validate_rotation(X.R, "pose", "rotation");
  require(X.p.allFinite(), "pose", "position", "be finite", X.p.sum());
  const Eigen::Matrix<Real, 1, 4> last = G.row(3);
  require(last == Vec4(0, 0, 0, 1).transpose(), "pose", "last row", "be 0 0 0 1",
          fmt::format("{} {} {} {}", last[0], last[1], last[2], last[3]));
  return X;
}

Mat4 hat_se3(const Vec6& twist) {
  Mat4 V = Mat4::Zero();
  V.topLeftCorner<3, 3>() = skew(twist.tail<3>());
  V.topRightCorner<3, 1>() = twist.head<3>();
  return V;
}

Vec6 unhat_se3(const Mat4& V) { return twist_from_parts(V.topRightCorner<3, 1>(), unskew(V.topLeftCorner<3, 3>())); }

Mat6 adjoint(const Pose& X_AB) { return block_upper(X_AB.R, skew(X_AB.p) * X_AB.R); }

Mat6 adjoint(const Vec6& twist) { return block_upper(skew(twist.tail<3>()), skew(twist.head<3>())); }

Pose exp_se3(const Vec6& twist) {
  const Vec3 rho = twist.head<3>(), phi = twist.tail<3>();
  return {exp_so3(phi), left_jacobian_so3(phi) * rho};
}

Vec6 log_se3(const Pose& X) {
  const Vec3 phi = log_so3(X.R);
  return twist_from_parts(inverse_left_jacobian_so3(phi) * X.p, phi);
}

Mat6 left_jacobian_se3(const Vec6& twist) {
  const Vec3 rho = twist.head<3>(), phi = twist.tail<3>();
  return block_upper(left_jacobian_so3(phi), coupling(rho, phi));
}

Mat6 right_jacobian_se3(const Vec6& twist) { return left_jacobian_se3(-twist); }

Mat6 inverse_left_jacobian_se3(const Vec6& twist) {
  const Vec3 rho = twist.head<3>(), phi = twist.tail<3>();
  const Mat3 J_inv = inverse_left_jacobian_so3(phi);
  return block_upper(J_inv, -J_inv * coupling(rho, phi) * J_inv);
}

Mat6 inverse_right_jacobian_se3(const Vec6& twist) { return inverse_left_jacobian_se3(-twist); }

Pose cayley_se3(const Vec6& twist) {
  const Vec3 y = twist.head<3>(), f = twist.tail<3>();
  // (I - V)^-1 = [A Ay; 0 1] with A = (I - S(f))^-1, so that p = 2 A y;
  // A y = y + (f × y + f × (f × y)) / (1 + |f|²)                                  [lgvci (116)]
  const Vec3 f_x_y = f.cross(y);
  return {cayley_so3(f), 2 * (y + (f_x_y + f.cross(f_x_y)) / (1 + f.squaredNorm()))};
}

std::optional<Vec6> inverse_cayley_se3(const Pose& X) {
  const std::optional<Vec3> f = inverse_cayley_so3(X.R);
  if (!f) return std::nullopt;
  return twist_from_parts(0.5 * (X.p - f->cross(X.p)), *f);  // y = 1/2 (I - S(f)) p
}

}  // namespace visviva
