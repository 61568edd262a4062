#pragma once

#include <optional>

#include "visviva/math/types.hpp"

/// Rigid motions. A twist is the Vec6 (linear; angular), the order of (dp/dt; w) in [havok II.1]
/// and of (y, Omega) in [lgvci (9)].
namespace visviva {

/// X_AB, the pose of frame B in frame A: p_A = R_AB p_B + p_AB. Adjacent letters match in a
/// product: X_AC = X_AB * X_BC and p_AQ = X_AB * p_BQ.
struct Pose {
  Mat3 R = Mat3::Identity();  ///< rotation R_AB [-]
  Vec3 p = Vec3::Zero();      ///< origin of B in A [m]
};

/// Composition.                                                                       [lgvci (8a)]
[[nodiscard]] inline Pose operator*(const Pose& X_AB, const Pose& X_BC) {
  return {X_AB.R * X_BC.R, X_AB.R * X_BC.p + X_AB.p};
}

/// Action on a point.                                                                 [lgvci (8b)]
[[nodiscard]] inline Vec3 operator*(const Pose& X_AB, const Vec3& p_BQ) { return X_AB.R * p_BQ + X_AB.p; }

/// Action on a vector (a velocity, a direction): it turns, but does not move.
[[nodiscard]] inline Vec3 transform_vector(const Pose& X_AB, const Vec3& v_B) { return X_AB.R * v_B; }

/// X_BA.
[[nodiscard]] inline Pose inverse(const Pose& X_AB) { return {X_AB.R.transpose(), -(X_AB.R.transpose() * X_AB.p)}; }

/// Homogeneous matrix [R p; 0 1].
[[nodiscard]] Mat4 homogeneous_from_pose(const Pose& X);
/// Throws InvalidArgument unless the upper left block is a rotation and the last row 0 0 0 1.
[[nodiscard]] Pose pose_from_homogeneous(const Mat4& G);

/// [S(phi) rho; 0 0] of the twist (rho; phi), an element of se(3).                     [lgvci (9)]
[[nodiscard]] Mat4 hat_se3(const Vec6& twist);
/// Inverse of hat_se3; V must have its form.
[[nodiscard]] Vec6 unhat_se3(const Mat4& V);

/// Ad_X, which takes a twist from frame B to frame A: X exp(xi) X^-1 = exp(Ad_X xi).
[[nodiscard]] Mat6 adjoint(const Pose& X_AB);
/// ad_xi, the derivative of Ad at the identity: ad_xi zeta is the Lie bracket [xi, zeta].
[[nodiscard]] Mat6 adjoint(const Vec6& twist);

/// Screw motion along the twist (rho; phi), |phi| in [rad], rho in [m].
[[nodiscard]] Pose exp_se3(const Vec6& twist);
/// The twist with the smallest angle; at exactly half a turn as log_so3.
[[nodiscard]] Vec6 log_se3(const Pose& X);

/// J_l: exp(xi + d) = exp(J_l d) exp(xi) to first order in d.
[[nodiscard]] Mat6 left_jacobian_se3(const Vec6& twist);
/// J_r: exp(xi + d) = exp(xi) exp(J_r d) to first order in d.
[[nodiscard]] Mat6 right_jacobian_se3(const Vec6& twist);
/// Inverses of the above; they throw InvalidArgument unless |phi| < 2 pi.
[[nodiscard]] Mat6 inverse_left_jacobian_se3(const Vec6& twist);
[[nodiscard]] Mat6 inverse_right_jacobian_se3(const Vec6& twist);

/// Cay V = (I + V) (I - V)^-1 of V = hat_se3(twist): rotation Cay S(f), as cayley_so3.
[[nodiscard]] Pose cayley_se3(const Vec6& twist);
/// Empty at half a turn, as inverse_cayley_so3.
[[nodiscard]] std::optional<Vec6> inverse_cayley_se3(const Pose& X);

}  // namespace visviva
