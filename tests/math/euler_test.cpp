#include "visviva/math/euler.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <string>

#include "sample_rotations.hpp"
#include "visviva/math/skew.hpp"

namespace visviva {
namespace {

using samples::kEps;
using samples::kPi;
using samples::max_difference;
using samples::uniform;
using samples::vector_in_box;

constexpr Real kRounding = 16 * kEps;

const char* const kNames[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"};

std::string name(EulerConvention convention) {
  return std::string(kNames[static_cast<std::size_t>(convention.sequence)]) +
         (convention.axes == EulerAxes::Intrinsic ? " intrinsic" : " extrinsic");
}

std::vector<EulerConvention> conventions() {
  std::vector<EulerConvention> list;
  for (const EulerSequence sequence : kEulerSequences)
    for (const EulerAxes axes : {EulerAxes::Intrinsic, EulerAxes::Extrinsic}) list.push_back({sequence, axes});
  return list;
}

bool is_proper(EulerConvention convention) { return convention.sequence >= EulerSequence::XYX; }

/// The turn about the axis that stands n-th in the name.
Mat3 turn(EulerConvention convention, int n, Real angle) {
  const int axis = kNames[static_cast<std::size_t>(convention.sequence)][n] - 'x';
  return Eigen::AngleAxis<Real>(angle, Vec3::Unit(axis)).toRotationMatrix();
}

/// The second angle at which first and third axis align.
std::vector<Real> locks(EulerConvention convention) {
  return is_proper(convention) ? std::vector<Real>{0, kPi} : std::vector<Real>{-kPi / 2, kPi / 2};
}

Vec3 random_angles(std::mt19937_64& random, EulerConvention convention) {
  const Real margin = 0.01;
  const Real lo = is_proper(convention) ? margin : -kPi / 2 + margin;
  const Real a = uniform(random, -kPi, kPi);
  const Real b = uniform(random, lo, lo + kPi - 2 * margin);
  return {a, b, uniform(random, -kPi, kPi)};
}

TEST(Euler, IntrinsicTurnsMultiplyOnTheRightExtrinsicOnTheLeft) {
  std::mt19937_64 random(1);
  for (const EulerConvention convention : conventions())
    for (int n = 0; n < 50; ++n) {
      const Vec3 a = vector_in_box(random, 3);
      Mat3 R = Mat3::Identity();
      for (int i = 0; i < 3; ++i) {
        const Mat3 T = turn(convention, i, a[i]);
        R = convention.axes == EulerAxes::Intrinsic ? Mat3(R * T) : Mat3(T * R);
      }
      EXPECT_LE(max_difference(rotation_from_euler(a, convention), R), kRounding) << name(convention);
    }
}

TEST(Euler, YawPitchRollOfAVehicle) {
  const EulerConvention ypr{EulerSequence::ZYX, EulerAxes::Intrinsic};
  // A quarter turn to the left, then nose down by 30 degrees: the nose points along y and down.
  const Mat3 R = rotation_from_euler({kPi / 2, kPi / 6, 0}, ypr);
  EXPECT_LE(max_difference(R * Vec3::UnitX(), Vec3(0, std::sqrt(3.0) / 2, -0.5)), kRounding);
  // The same as roll, pitch, yaw about axes at rest.
  EXPECT_LE(max_difference(R, rotation_from_euler({0, kPi / 6, kPi / 2}, {EulerSequence::XYZ, EulerAxes::Extrinsic})),
            kRounding);
}

TEST(Euler, AnglesReturnFromTheMatrix) {
  std::mt19937_64 random(2);
  for (const EulerConvention convention : conventions())
    for (int n = 0; n < 200; ++n) {
      const Vec3 a = random_angles(random, convention);
      const EulerAngles back = euler_from_rotation(rotation_from_euler(a, convention), convention);
      // First and third are worse by 1 / regularity, at most 100.
      EXPECT_LE(max_difference(back.angles, a), 100 * kRounding) << name(convention);
      EXPECT_FALSE(back.gimbal_lock);
    }
}

TEST(Euler, MatrixReturnsFromItsAngles) {
  for (const EulerConvention convention : conventions())
    for (const Vec3& phi : samples::rotation_vectors()) {
      const Mat3 R = exp_so3(phi);
      const EulerAngles e = euler_from_rotation(R, convention);
      EXPECT_LE(max_difference(rotation_from_euler(e.angles, convention), R),
                kRounding + (e.gimbal_lock ? 2 * kGimbalLock : 0))
          << name(convention) << " " << phi.transpose();
      EXPECT_GE(e.angles[1], is_proper(convention) ? 0 : -kPi / 2);
      EXPECT_LE(e.angles[1], is_proper(convention) ? kPi : kPi / 2);
      EXPECT_LE(std::abs(e.angles[0]), kPi);
      EXPECT_LE(std::abs(e.angles[2]), kPi);
    }
}

TEST(Euler, AtGimbalLockTheThirdAngleIsZeroAndTheRotationRight) {
  for (const EulerConvention convention : conventions())
    for (const Real b : locks(convention))
      for (const Real a : {0.0, 0.4, -2.0})
        for (const Real c : {0.0, 0.3, 3.0}) {
          const Mat3 R = rotation_from_euler({a, b, c}, convention);
          const EulerAngles e = euler_from_rotation(R, convention);
          EXPECT_TRUE(e.gimbal_lock) << name(convention);
          EXPECT_EQ(e.angles[2], 0);
          EXPECT_NEAR(e.angles[1], b, kRounding);
          EXPECT_LE(max_difference(rotation_from_euler(e.angles, convention), R), kRounding);
        }
}

TEST(Euler, CloseToGimbalLockTheRotationIsStillRight) {
  std::mt19937_64 random(3);
  for (const EulerConvention convention : conventions())
    for (const Real b : locks(convention))
      for (const Real off : {1e-3, 1e-7, 1e-9, 1e-12, 1e-13, 3e-14, 1e-15}) {
        const Vec3 angles(uniform(random, -3, 3), b + off, uniform(random, -3, 3));
        const Mat3 R = rotation_from_euler(angles, convention);
        const EulerAngles e = euler_from_rotation(R, convention);
        EXPECT_EQ(e.gimbal_lock, off < kGimbalLock) << off;
        EXPECT_LE(max_difference(rotation_from_euler(e.angles, convention), R),
                  kRounding + (e.gimbal_lock ? 2 * kGimbalLock : 0))
            << name(convention) << " " << off;
      }
}

TEST(EulerRates, GiveTheAngularVelocityOfTheMotion) {
  constexpr Real kStep = 1e-5;
  constexpr Real kDifferenceError = 4e-9;  // rates up to 1 about three axes, step² and eps / step
  std::mt19937_64 random(4);
  for (const EulerConvention convention : conventions())
    for (int n = 0; n < 20; ++n) {
      const Vec3 a = vector_in_box(random, 3), rates = vector_in_box(random);
      const Mat3 R = rotation_from_euler(a, convention);
      const Mat3 dR =
          (rotation_from_euler(a + kStep * rates, convention) - rotation_from_euler(a - kStep * rates, convention)) /
          (2 * kStep);
      const Vec3 w_W = 0.5 * unskew(asym(dR * R.transpose()));
      const Vec3 w_B = 0.5 * unskew(asym(R.transpose() * dR));
      EXPECT_LE(max_difference(angular_velocity_from_euler_rates(a, rates, convention, RateFrame::World), w_W),
                kDifferenceError)
          << name(convention);
      EXPECT_LE(max_difference(angular_velocity_from_euler_rates(a, rates, convention, RateFrame::Body), w_B),
                kDifferenceError)
          << name(convention);
    }
}

TEST(EulerRates, ReturnFromTheAngularVelocity) {
  std::mt19937_64 random(5);
  for (const EulerConvention convention : conventions())
    for (const RateFrame frame : {RateFrame::World, RateFrame::Body})
      for (int n = 0; n < 50; ++n) {
        const Vec3 a = vector_in_box(random, 3), rates = vector_in_box(random);
        const Vec3 w = angular_velocity_from_euler_rates(a, rates, convention, frame);
        const std::optional<Vec3> back = euler_rates(a, w, convention, frame);
        ASSERT_TRUE(back);
        EXPECT_LE(max_difference(*back, rates), 2 * kRounding / euler_regularity(a, convention)) << name(convention);
      }
}

TEST(EulerRates, RegularityIsTheDeterminantOfTheirMatrix) {
  std::mt19937_64 random(6);
  for (const EulerConvention convention : conventions())
    for (const RateFrame frame : {RateFrame::World, RateFrame::Body})
      for (int n = 0; n < 50; ++n) {
        const Vec3 a = vector_in_box(random, 3);
        EXPECT_NEAR(std::abs(euler_rate_matrix(a, convention, frame).determinant()), euler_regularity(a, convention),
                    kRounding);
      }
}

TEST(EulerRates, AreNotGivenAtGimbalLock) {
  for (const EulerConvention convention : conventions())
    for (const Real b : locks(convention))
      for (const RateFrame frame : {RateFrame::World, RateFrame::Body}) {
        EXPECT_FALSE(euler_rates({0.3, b, 0.2}, Vec3(1, 2, 3), convention, frame));
        EXPECT_LE(euler_regularity({0.3, b, 0.2}, convention), kRounding);
        // They grow as 1 / regularity on the way there.
        const auto size = [&](Real off) {
          const std::optional<Vec3> rates = euler_rates({0.3, b + off, 0.2}, Vec3(1, 2, 3), convention, frame);
          return rates ? rates->norm() : 0;
        };
        EXPECT_NEAR(size(1e-6) / size(1e-5), 10, 1e-2);
      }
}

}  // namespace
}  // namespace visviva
