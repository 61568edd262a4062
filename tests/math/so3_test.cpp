#include "visviva/math/so3.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <limits>

#include "sample_rotations.hpp"
#include "visviva/core/error.hpp"
#include "visviva/math/quaternion.hpp"
#include "visviva/math/skew.hpp"

namespace visviva {
namespace {

using samples::kEps;
using samples::kPi;
using samples::matrix_in_box;
using samples::max_difference;
using samples::unit_vector;
using samples::vector_in_box;

// Entries of rotation matrices, each a sum of three terms of up to four roundings.
constexpr Real kRounding = 16 * kEps;

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();

/// Error of d/dt by central differences with this step: 1e-10 from the step, 1e-11 from rounding.
constexpr Real kStep = 1e-5;
constexpr Real kDifferenceError = 1e-9;

/// Difference of two vectors along the axis of a turn by this angle. Within rounding of half a turn
/// the matrix does not tell the two signs apart.
Real axial_difference(const Vec3& a, const Vec3& b, Real angle) {
  const Real difference = max_difference(a, b);
  return angle < kPi - 2 * kRounding ? difference : std::min(difference, max_difference(a, -b));
}

// --- What is a rotation
// ---------------------------------------------------------------------------

TEST(Rotation, IsTold) {
  EXPECT_TRUE(is_rotation(Mat3::Identity(), 0));
  for (const Vec3& phi : samples::rotation_vectors()) {
    EXPECT_TRUE(is_rotation(exp_so3(phi), kRounding)) << phi.transpose();
  }
}

TEST(Rotation, ReflectionsAreRefused) {
  EXPECT_FALSE(is_rotation(-Mat3::Identity()));
  EXPECT_FALSE(is_rotation(Vec3(1, 1, -1).asDiagonal()));
  Mat3 swap_xy;  // e1, e3, e2 is the left-handed basis of [havok III.1.2]
  swap_xy << 1, 0, 0, 0, 0, 1, 0, 1, 0;
  EXPECT_FALSE(is_rotation(swap_xy));
  EXPECT_THROW(validate_rotation(swap_xy, "body 'b'", "rotation"), InvalidArgument);
}

TEST(Rotation, WhatIsNotOrthonormalOrFiniteIsRefused) {
  Mat3 R = Mat3::Identity();
  EXPECT_FALSE(is_rotation(1.001 * R));
  R(0, 1) = 1e-3;
  EXPECT_FALSE(is_rotation(R));
  EXPECT_TRUE(is_rotation(R, 2e-3));
  EXPECT_FALSE(is_rotation(Mat3::Zero()));
  for (const Real bad : {kNaN, kInfinity}) {
    R(2, 2) = bad;
    EXPECT_FALSE(is_rotation(R, kInfinity));
    EXPECT_THROW(validate_rotation(R, "body 'b'", "rotation"), InvalidArgument);
  }
  EXPECT_NO_THROW(validate_rotation(Mat3::Identity(), "body 'b'", "rotation"));
}

TEST(Rotation, RefusalSaysWhatIsWrong) {
  const auto message = [](const Mat3& R) -> std::string {
    try {
      validate_rotation(R, "body 'b'", "rotation");
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message(-Mat3::Identity()).find("reflection"), std::string::npos);
  EXPECT_NE(message(2 * Mat3::Identity()).find("orthonormal"), std::string::npos);
  EXPECT_NE(message(2 * Mat3::Identity()).find("body 'b': rotation"), std::string::npos);
}

TEST(NearestRotation, OfARotationTimesAStretchIsThatRotation) {
  std::mt19937_64 random(1);
  for (int n = 0; n < 500; ++n) {
    const Mat3 R = exp_so3(vector_in_box(random, 3)), V = exp_so3(vector_in_box(random, 3));
    const Vec3 sigma(samples::uniform(random, 0.5, 2), samples::uniform(random, 0.5, 2),
                     samples::uniform(random, 0.5, 2));
    const Mat3 P = V * sigma.asDiagonal() * V.transpose();  // symmetric, positive
    const std::optional<Mat3> nearest = nearest_rotation(R * P);
    ASSERT_TRUE(nearest);
    EXPECT_LE(max_difference(*nearest, R), 4 * kRounding);
    EXPECT_TRUE(is_rotation(*nearest, kRounding));
    const std::optional<Mat3> scaled = nearest_rotation(1e-200 * R * P);
    ASSERT_TRUE(scaled);
    EXPECT_LE(max_difference(*scaled, R), 4 * kRounding);
  }
}

TEST(NearestRotation, IsNoFartherThanAnyOther) {
  std::mt19937_64 random(2);
  for (int n = 0; n < 200; ++n) {
    const Mat3 A = matrix_in_box(random);  // half of them with negative determinant
    const std::optional<Mat3> nearest = nearest_rotation(A);
    ASSERT_TRUE(nearest);
    EXPECT_TRUE(is_rotation(*nearest, kRounding));
    const Real least = (*nearest - A).squaredNorm();
    for (const Real size : {1e-4, 1e-2, 1.0, 3.0})
      EXPECT_LE(least, (exp_so3(vector_in_box(random, size)) * *nearest - A).squaredNorm() + kRounding);
  }
}

TEST(NearestRotation, IsUniqueOrNotGiven) {
  EXPECT_FALSE(nearest_rotation(Mat3::Zero()));
  EXPECT_FALSE(nearest_rotation(Vec3(1, 0, 0).asDiagonal()));   // rank 1
  EXPECT_FALSE(nearest_rotation(-Mat3::Identity()));            // any half turn is as near
  EXPECT_FALSE(nearest_rotation(Vec3(2, 1, -1).asDiagonal()));  // equal smallest singular values
  EXPECT_FALSE(nearest_rotation(Mat3::Constant(kNaN)));
  EXPECT_EQ(nearest_rotation(Vec3(1, 1, 0).asDiagonal()), Mat3(Mat3::Identity()));  // rank 2
  EXPECT_EQ(nearest_rotation(Vec3(3, 2, -1).asDiagonal()), Mat3(Mat3::Identity()));
}

// --- Axis and angle
// -------------------------------------------------------------------------------

TEST(AxisAngle, AQuarterTurnAboutZTakesXToY) {
  const AxisAngle quarter{Vec3::UnitZ(), kPi / 2};
  EXPECT_LE(max_difference(rotate(quarter, Vec3::UnitX()), Vec3::UnitY()), kEps);
  EXPECT_LE(max_difference(rotation_from_axis_angle(quarter) * Vec3::UnitX(), Vec3::UnitY()), kEps);
}

TEST(AxisAngle, RodriguesMatrixExponentialAndQuaternionAgree) {
  std::mt19937_64 random(3);
  for (const Real angle : samples::angles())
    for (const Vec3& axis : samples::axes()) {
      const AxisAngle rotation{axis, angle};
      const Vec3 x = vector_in_box(random);
      const Mat3 R = rotation_from_axis_angle(rotation);
      EXPECT_LE(max_difference(rotate(rotation, x), R * x), kRounding);
      EXPECT_LE(max_difference(R, exp_so3(angle * axis)), kRounding);
      EXPECT_LE(max_difference(R, rotation_from_quaternion(quaternion_from_axis_angle(rotation))), kRounding);
      EXPECT_LE(max_difference(R, Eigen::AngleAxis<Real>(angle, axis).toRotationMatrix()), kRounding);
      EXPECT_LE(max_difference(R * axis, axis), kRounding);  // [havok III.1.3]
    }
}

TEST(AxisAngle, ReturnsFromTheMatrix) {
  for (const Real angle : samples::angles())
    for (const Vec3& axis : samples::axes()) {
      const AxisAngle back = axis_angle_from_rotation(exp_so3(angle * axis));
      EXPECT_NEAR(back.angle, angle, kRounding) << angle << " about " << axis.transpose();
      EXPECT_LE(back.angle, kPi);
      EXPECT_NEAR(back.axis.norm(), 1, 2 * kEps);
      if (angle > 0) {
        EXPECT_LE(axial_difference(back.axis, axis, angle), kRounding) << angle;
      }
    }
}

TEST(AxisAngle, AtZeroTheAxisIsX) {
  const AxisAngle none = axis_angle_from_rotation(Mat3::Identity());
  EXPECT_EQ(none.angle, 0);
  EXPECT_EQ(none.axis, Vec3::UnitX());
}

TEST(AxisAngle, AtExactlyHalfATurnTheFirstComponentOfTheAxisIsPositive) {
  for (const Vec3& axis : samples::axes()) {
    const Mat3 R = 2 * axis * axis.transpose() - Mat3::Identity();  // exactly symmetric
    const AxisAngle half = axis_angle_from_rotation(R);
    EXPECT_EQ(half.angle, kPi);
    const Vec3 a = half.axis;
    EXPECT_GT(a.x() != 0 ? a.x() : a.y() != 0 ? a.y() : a.z(), 0);
    EXPECT_LE(std::min(max_difference(a, axis), max_difference(a, -axis)), kRounding);
    EXPECT_LE(max_difference(log_so3(R), kPi * a), kRounding);
  }
}

TEST(AxisAngle, WithoutUnitAxisOrFiniteAngleIsRefused) {
  for (const AxisAngle& bad : {AxisAngle{Vec3(1, 1, 0), 1}, AxisAngle{Vec3::Zero(), 0}, AxisAngle{Vec3(kNaN, 0, 0), 1},
                               AxisAngle{Vec3::UnitX(), kNaN}, AxisAngle{Vec3::UnitX(), kInfinity}}) {
    EXPECT_THROW(static_cast<void>(rotate(bad, Vec3::UnitX())), InvalidArgument);
    EXPECT_THROW(static_cast<void>(rotation_from_axis_angle(bad)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(quaternion_from_axis_angle(bad)), InvalidArgument);
  }
}

TEST(Angle, BetweenRotationsIsThatOfTheTurnBetween) {
  std::mt19937_64 random(4);
  for (const Real angle : samples::angles())
    for (const Vec3& axis : samples::axes(5)) {
      const Mat3 R = exp_so3(vector_in_box(random, 3));
      EXPECT_NEAR(angle_between(R, R * exp_so3(angle * axis)), angle, 2 * kRounding);
      EXPECT_NEAR(angle_between(exp_so3(angle * axis) * R, R), angle, 2 * kRounding);
    }
}

// --- Exponential map
// ------------------------------------------------------------------------------

TEST(ExponentialMap, LogarithmIsItsInverse) {
  for (const Vec3& phi : samples::rotation_vectors()) {
    const Real tolerance = 8 * kEps * std::max(phi.norm(), 1e-30);  // relative: tiny turns count
    EXPECT_LE(axial_difference(log_so3(exp_so3(phi)), phi, phi.norm()), tolerance) << phi.transpose();
  }
}

TEST(ExponentialMap, OfSumsAlongOneAxisIsTheProduct) {
  for (const Vec3& axis : samples::axes())
    for (const Real angle : {0.3, 2.0, 3.0, 5.0, 20.0})
      EXPECT_LE(max_difference(exp_so3(angle * axis) * exp_so3(0.7 * axis), exp_so3((angle + 0.7) * axis)),
                (1 + angle) * kRounding);
}

TEST(ExponentialMap, IsTheSeriesOfPowers) {
  std::mt19937_64 random(5);
  for (int n = 0; n < 100; ++n) {
    const Vec3 phi = vector_in_box(random);
    Mat3 sum = Mat3::Identity(), term = Mat3::Identity();
    for (int k = 1; k < 30; ++k) sum += term = term * skew(phi) / k;
    EXPECT_LE(max_difference(exp_so3(phi), sum), kRounding);
  }
}

TEST(ExponentialMap, LogarithmPastHalfATurnGoesTheShorterWay) {
  for (const Vec3& axis : samples::axes())
    EXPECT_LE(max_difference(log_so3(exp_so3((kPi + 0.1) * axis)), -(kPi - 0.1) * axis), 2 * kRounding);
}

TEST(ExponentialMap, JacobiansAreItsDerivatives) {
  for (const Vec3& axis : samples::axes(5))
    for (const Real angle : {0.0, 1e-9, 1e-3, 0.5, 1.9, 2.1, 3.0, kPi, 4.0, 6.0}) {
      const Vec3 phi = angle * axis;
      Mat3 left, right;
      for (int i = 0; i < 3; ++i) {
        const Vec3 d = kStep * Vec3::Unit(i);
        const Mat3 dR = (exp_so3(phi + d) - exp_so3(phi - d)) / (2 * kStep);
        left.col(i) = 0.5 * unskew(asym(dR * exp_so3(phi).transpose()));
        right.col(i) = 0.5 * unskew(asym(exp_so3(phi).transpose() * dR));
      }
      EXPECT_LE(max_difference(left_jacobian_so3(phi), left), kDifferenceError) << angle;
      EXPECT_LE(max_difference(right_jacobian_so3(phi), right), kDifferenceError) << angle;
    }
}

TEST(ExponentialMap, JacobiansAreInverseToTheirInverses) {
  for (const Vec3& phi : samples::rotation_vectors()) {
    const Mat3 J_l = left_jacobian_so3(phi), J_r = right_jacobian_so3(phi);
    EXPECT_LE(max_difference(J_l * inverse_left_jacobian_so3(phi), Mat3::Identity()), 2 * kRounding);
    EXPECT_LE(max_difference(J_r * inverse_right_jacobian_so3(phi), Mat3::Identity()), 2 * kRounding);
    EXPECT_LE(max_difference(J_l, exp_so3(phi) * J_r), kRounding);  // J_l = Ad J_r
    EXPECT_LE(max_difference(J_l, J_r.transpose()), kRounding);
  }
}

TEST(ExponentialMap, InverseJacobianExistsShortOfAFullTurn) {
  const Vec3 near = (2 * kPi - 1e-3) * Vec3::UnitY();
  EXPECT_LE(max_difference(left_jacobian_so3(near) * inverse_left_jacobian_so3(near), Mat3::Identity()),
            1e4 * kRounding);  // its condition number is 2 pi / 1e-3
  for (const Real angle : {2 * kPi, 7.0, kNaN, kInfinity}) {
    EXPECT_THROW(static_cast<void>(inverse_left_jacobian_so3(angle * Vec3::UnitZ())), InvalidArgument);
    EXPECT_THROW(static_cast<void>(inverse_right_jacobian_so3(angle * Vec3::UnitZ())), InvalidArgument);
  }
}

// --- Cayley map
// -----------------------------------------------------------------------------------

TEST(CayleyMap, IsItsDefinition_Eq115) {
  std::mt19937_64 random(6);
  for (int n = 0; n < 200; ++n) {
    const Vec3 f = vector_in_box(random, 3);
    const Mat3 S = skew(f);
    const Mat3 F = (Mat3::Identity() + S) * (Mat3::Identity() - S).inverse();
    EXPECT_LE(max_difference(cayley_so3(f), F), 4 * kRounding);
    EXPECT_TRUE(is_rotation(cayley_so3(f), kRounding));
  }
}

TEST(CayleyMap, TurnsByTwiceTheArcTangent) {
  for (const Vec3& axis : samples::axes())
    for (const Real angle : {0.0, 1e-12, 0.1, 1.0, 2.0, 3.0})
      EXPECT_LE(max_difference(cayley_so3(std::tan(angle / 2) * axis), exp_so3(angle * axis)), kRounding);
}

TEST(CayleyMap, IsInvertible) {
  for (const Vec3& phi : samples::rotation_vectors()) {
    const Mat3 R = exp_so3(phi);
    if (phi.norm() > kPi - 1e-14) continue;
    const std::optional<Vec3> f = inverse_cayley_so3(R);
    ASSERT_TRUE(f) << phi.transpose();
    EXPECT_LE(max_difference(cayley_so3(*f), R), kRounding) << phi.transpose();
  }
  std::mt19937_64 random(7);
  for (int n = 0; n < 200; ++n) {
    const Vec3 f = vector_in_box(random, 2);
    EXPECT_LE(max_difference(*inverse_cayley_so3(cayley_so3(f)), f), 4 * kRounding * f.squaredNorm() + kRounding);
  }
}

TEST(CayleyMap, ReachesNoHalfTurn) {
  for (const Vec3& axis : samples::axes()) {
    EXPECT_FALSE(inverse_cayley_so3(2 * axis * axis.transpose() - Mat3::Identity()));
    EXPECT_FALSE(inverse_cayley_so3(exp_so3(kPi * axis)));
    EXPECT_TRUE(inverse_cayley_so3(exp_so3((kPi - 1e-12) * axis)));
  }
}

}  // namespace
}  // namespace visviva
