#include "visviva/math/se3.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <limits>

#include "sample_rotations.hpp"
#include "visviva/core/error.hpp"
#include "visviva/math/skew.hpp"
#include "visviva/math/so3.hpp"

namespace visviva {
namespace {

using samples::kEps;
using samples::kPi;
using samples::max_difference;
using samples::vector_in_box;

// Positions up to 2 and rotation entries up to 1, in sums of up to four products.
constexpr Real kRounding = 32 * kEps;

Vec6 make_twist(const Vec3& rho, const Vec3& phi) {
  Vec6 twist;
  twist << rho, phi;
  return twist;
}

Vec6 random_twist(std::mt19937_64& random, Real angle_limit) {
  const Vec3 rho = vector_in_box(random);
  return make_twist(rho, samples::uniform(random, 0, angle_limit) * samples::unit_vector(random));
}

Pose random_pose(std::mt19937_64& random) {
  const Vec3 p = vector_in_box(random);
  return {exp_so3(vector_in_box(random, 3)), p};
}

Real difference(const Pose& X, const Pose& Y) {
  return max_difference(homogeneous_from_pose(X), homogeneous_from_pose(Y));
}

/// exp V by its power series, after halving V until it is small, then squaring back.
Mat4 matrix_exponential(const Mat4& V) {
  Mat4 sum = Mat4::Identity(), term = Mat4::Identity();
  for (int k = 1; k < 30; ++k) sum += term = term * V / (4 * k);
  const Mat4 squared = sum * sum;
  return squared * squared;
}

TEST(Pose, ComposesAsHomogeneousMatrices_Eq8a) {
  std::mt19937_64 random(1);
  for (int n = 0; n < 100; ++n) {
    const Pose X_AB = random_pose(random), X_BC = random_pose(random);
    EXPECT_LE(
        max_difference(homogeneous_from_pose(X_AB * X_BC), homogeneous_from_pose(X_AB) * homogeneous_from_pose(X_BC)),
        kRounding);
  }
}

TEST(Pose, ActsOnPointsAndVectors_Eq8b) {
  std::mt19937_64 random(2);
  for (int n = 0; n < 100; ++n) {
    const Pose X_AB = random_pose(random), X_BC = random_pose(random);
    const Vec3 p_CQ = vector_in_box(random);
    Vec4 point, vector;
    point << p_CQ, 1;
    vector << p_CQ, 0;
    const Mat4 G = homogeneous_from_pose(X_BC);
    EXPECT_LE(max_difference(X_BC * p_CQ, (G * point).head<3>()), kRounding);
    EXPECT_LE(max_difference(transform_vector(X_BC, p_CQ), (G * vector).head<3>()), kRounding);
    EXPECT_LE(max_difference((X_AB * X_BC) * p_CQ, X_AB * (X_BC * p_CQ)), kRounding);
  }
}

TEST(Pose, InverseUndoesIt) {
  std::mt19937_64 random(3);
  for (int n = 0; n < 100; ++n) {
    const Pose X = random_pose(random);
    EXPECT_LE(difference(X * inverse(X), Pose{}), kRounding);
    EXPECT_LE(difference(inverse(X) * X, Pose{}), kRounding);
    EXPECT_LE(max_difference(homogeneous_from_pose(inverse(X)), homogeneous_from_pose(X).inverse()), kRounding);
  }
}

TEST(Pose, ReturnsFromItsMatrixAndRefusesOthers) {
  std::mt19937_64 random(4);
  const Pose X = random_pose(random);
  const Mat4 G = homogeneous_from_pose(X);
  EXPECT_EQ(pose_from_homogeneous(G).R, X.R);
  EXPECT_EQ(pose_from_homogeneous(G).p, X.p);
  for (const auto& [i, j] : {std::pair(0, 0), std::pair(0, 3), std::pair(3, 0), std::pair(3, 3)}) {
    Mat4 bad = G;
    bad(i, j) = std::numeric_limits<Real>::quiet_NaN();
    EXPECT_THROW(static_cast<void>(pose_from_homogeneous(bad)), InvalidArgument);
  }
  Mat4 mirrored = G;
  mirrored.col(0) *= -1;
  EXPECT_THROW(static_cast<void>(pose_from_homogeneous(mirrored)), InvalidArgument);
  Mat4 projective = G;
  projective(3, 0) = 0.1;
  EXPECT_THROW(static_cast<void>(pose_from_homogeneous(projective)), InvalidArgument);
}

TEST(Twist, HatAndUnhatAreInverse_Eq9) {
  const Vec6 twist = make_twist({1, 2, 3}, {4, 5, 6});
  Mat4 V;
  V << 0, -6, 5, 1, 6, 0, -4, 2, -5, 4, 0, 3, 0, 0, 0, 0;
  EXPECT_EQ(hat_se3(twist), V);
  EXPECT_EQ(unhat_se3(V), twist);
}

TEST(Twist, InnerProductIsTheDotProduct_Eq10) {
  std::mt19937_64 random(5);
  for (int n = 0; n < 100; ++n) {
    const Vec6 a = random_twist(random, 1), b = random_twist(random, 1);
    const Mat3 A = skew(a.tail<3>()), B = skew(b.tail<3>());
    EXPECT_NEAR(b.dot(a), b.head<3>().dot(a.head<3>()) + 0.5 * (B.transpose() * A).trace(), kRounding);
  }
}

TEST(Twist, AdjointMovesItToAnotherFrame) {
  std::mt19937_64 random(6);
  for (int n = 0; n < 100; ++n) {
    const Pose X = random_pose(random), Y = random_pose(random);
    const Vec6 xi = random_twist(random, 1), zeta = random_twist(random, 1);
    const Mat4 G = homogeneous_from_pose(X);
    EXPECT_LE(max_difference(hat_se3(adjoint(X) * xi), G * hat_se3(xi) * G.inverse()), kRounding);
    EXPECT_LE(difference(X * exp_se3(xi) * inverse(X), exp_se3(adjoint(X) * xi)), 2 * kRounding);
    EXPECT_LE(max_difference(adjoint(X * Y), adjoint(X) * adjoint(Y)), kRounding);
    const Mat4 bracket = hat_se3(xi) * hat_se3(zeta) - hat_se3(zeta) * hat_se3(xi);
    EXPECT_LE(max_difference(adjoint(xi) * zeta, unhat_se3(bracket)), kRounding);
  }
}

TEST(ScrewMotion, ExponentialIsTheMatrixExponential) {
  std::mt19937_64 random(7);
  for (int n = 0; n < 200; ++n) {
    const Vec6 xi = random_twist(random, kPi);
    EXPECT_LE(max_difference(homogeneous_from_pose(exp_se3(xi)), matrix_exponential(hat_se3(xi))), 4 * kRounding);
  }
}

TEST(ScrewMotion, AlongItsAxisIsAScrew) {
  const Pose X = exp_se3(make_twist({0, 0, 0.5}, {0, 0, kPi / 2}));
  EXPECT_LE(max_difference(X.p, Vec3(0, 0, 0.5)), kEps);
  // A quarter circle of radius 1 about the point (0, 1, 0), at unit angular velocity along x.
  const Pose Y = exp_se3(make_twist({kPi / 2, 0, 0}, {0, 0, kPi / 2}));
  EXPECT_LE(max_difference(Y.p, Vec3(1, 1, 0)), 4 * kEps);
}

TEST(ScrewMotion, LogarithmIsTheInverseOfTheExponential) {
  std::mt19937_64 random(8);
  for (const Vec3& phi : samples::rotation_vectors()) {
    const Vec6 xi = make_twist(vector_in_box(random), phi);
    const Pose X = exp_se3(xi);
    EXPECT_LE(difference(exp_se3(log_se3(X)), X), kRounding) << phi.transpose();
    if (phi.norm() < kPi - 1e-14) {
      EXPECT_LE(max_difference(log_se3(X), xi), kRounding) << phi.transpose();
    }
  }
}

TEST(ScrewMotion, JacobiansAreItsDerivatives) {
  constexpr Real kStep = 1e-5;
  constexpr Real kDifferenceError = 2e-9;  // step² and eps / step
  std::mt19937_64 random(9);
  for (const Real angle : {0.0, 1e-9, 1e-3, 0.5, 1.9, 2.1, 3.0, kPi, 4.0, 6.0}) {
    const Vec3 rho = vector_in_box(random);
    const Vec6 xi = make_twist(rho, angle * samples::unit_vector(random));
    const Mat4 G_inverse = homogeneous_from_pose(exp_se3(xi)).inverse();
    Mat6 left, right;
    for (int i = 0; i < 6; ++i) {
      const Vec6 d = kStep * Vec6::Unit(i);
      const Mat4 dG = (homogeneous_from_pose(exp_se3(xi + d)) - homogeneous_from_pose(exp_se3(xi - d))) / (2 * kStep);
      left.col(i) = unhat_se3(dG * G_inverse);
      right.col(i) = unhat_se3(G_inverse * dG);
    }
    EXPECT_LE(max_difference(left_jacobian_se3(xi), left), kDifferenceError) << angle;
    EXPECT_LE(max_difference(right_jacobian_se3(xi), right), kDifferenceError) << angle;
  }
}

TEST(ScrewMotion, JacobiansAreInverseToTheirInverses) {
  std::mt19937_64 random(10);
  for (const Vec3& phi : samples::rotation_vectors()) {
    const Vec6 xi = make_twist(vector_in_box(random), phi);
    const Mat6 J_l = left_jacobian_se3(xi), J_r = right_jacobian_se3(xi);
    EXPECT_LE(max_difference(J_l * inverse_left_jacobian_se3(xi), Mat6::Identity()), kRounding);
    EXPECT_LE(max_difference(J_r * inverse_right_jacobian_se3(xi), Mat6::Identity()), kRounding);
    EXPECT_LE(max_difference(J_l, adjoint(exp_se3(xi)) * J_r), kRounding) << phi.transpose();
  }
  EXPECT_THROW(static_cast<void>(inverse_left_jacobian_se3(7 * Vec6::Unit(5))), InvalidArgument);
  EXPECT_THROW(static_cast<void>(inverse_right_jacobian_se3(7 * Vec6::Unit(5))), InvalidArgument);
}

// J_l = sum of ad^n / (n + 1)!: nothing of the closed form enters, so that it tests every digit.
TEST(ScrewMotion, LeftJacobianIsItsSeries) {
  std::mt19937_64 random(11);
  for (const Real angle : {1e-12, 1e-6, 1e-3, 0.3, 1.0, 1.999, 2.001}) {
    const Vec3 rho = vector_in_box(random);
    const Vec6 xi = make_twist(rho, angle * samples::unit_vector(random));
    Mat6 sum = Mat6::Identity(), term = Mat6::Identity();
    for (int k = 1; k < 40; ++k) sum += term = term * adjoint(xi) / (k + 1);
    EXPECT_LE(max_difference(left_jacobian_se3(xi), sum), kRounding) << angle;
  }
}

TEST(ScrewMotion, CayleyMapIsItsDefinition) {
  std::mt19937_64 random(12);
  for (int n = 0; n < 200; ++n) {
    const Vec6 xi = random_twist(random, 3);
    const Mat4 V = hat_se3(xi);
    const Mat4 G = (Mat4::Identity() + V) * (Mat4::Identity() - V).inverse();
    const Pose X = cayley_se3(xi);
    EXPECT_LE(max_difference(homogeneous_from_pose(X), G), 2 * kRounding);
    const std::optional<Vec6> back = inverse_cayley_se3(X);
    ASSERT_TRUE(back);
    // f = tan(t/2) amplifies by 1 + |f|², at most 10.
    EXPECT_LE(max_difference(*back, xi), 10 * kRounding);
  }
  EXPECT_FALSE(inverse_cayley_se3({Vec3(1, -1, -1).asDiagonal(), Vec3(1, 2, 3)}));
}

}  // namespace
}  // namespace visviva
