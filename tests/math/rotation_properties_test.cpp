// Properties of rotations over arguments that rapidcheck draws, and shrinks when one fails.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>

#include "sample_rotations.hpp"
#include "visviva/math/euler.hpp"
#include "visviva/math/inertia.hpp"
#include "visviva/math/quaternion.hpp"
#include "visviva/math/se3.hpp"
#include "visviva/math/so3.hpp"

namespace visviva {
namespace {

using samples::kEps;
using samples::kPi;
using samples::max_difference;

constexpr Real kRounding = 32 * kEps;

/// The same cases in every run; a set RC_PARAMS (to reproduce, to try more) goes first.
const int kFixedSeed = setenv("RC_PARAMS", "seed=20240601 max_success=500", 0);

/// Multiples of 2^-20 in [-1, 1]: they shrink to zero and to simple fractions.
rc::Gen<Real> unit_interval() {
  return rc::gen::map(rc::gen::resize(1000, rc::gen::inRange(-(1 << 20), (1 << 20) + 1)),
                      [](int n) { return n * 0x1p-20; });
}

Vec3 any_vector(Real half_width) {
  const Real x = *unit_interval(), y = *unit_interval();
  return half_width * Vec3(x, y, *unit_interval());
}

RC_GTEST_PROP(RotationProperties, EveryMapGivesARotationAndBack, ()) {
  const Vec3 phi = any_vector(4);
  const Mat3 R = exp_so3(phi);
  RC_ASSERT(is_rotation(R, kRounding));
  RC_ASSERT(max_difference(exp_so3(log_so3(R)), R) <= kRounding);
  RC_ASSERT(max_difference(rotation_from_quaternion(quaternion_from_rotation(R)), R) <= kRounding);
  RC_ASSERT(max_difference(rotation_from_axis_angle(axis_angle_from_rotation(R)), R) <= kRounding);
  RC_ASSERT(log_so3(R).norm() <= kPi * (1 + kEps));
}

RC_GTEST_PROP(RotationProperties, LogarithmOfTheInverseIsTheNegative, ()) {
  const Vec3 phi = any_vector(1.8);  // short of half a turn, where the sign is a choice
  const Mat3 R = exp_so3(phi);
  RC_ASSERT(max_difference(log_so3(R.transpose()), -log_so3(R)) == 0);
}

RC_GTEST_PROP(RotationProperties, EulerAnglesOfEveryConventionGiveTheRotation, ()) {
  const auto sequence = *rc::gen::elementOf(std::vector<EulerSequence>(kEulerSequences.begin(), kEulerSequences.end()));
  const EulerConvention convention{sequence, *rc::gen::element(EulerAxes::Intrinsic, EulerAxes::Extrinsic)};
  const Mat3 R = exp_so3(any_vector(4));
  const EulerAngles e = euler_from_rotation(R, convention);
  RC_ASSERT(max_difference(rotation_from_euler(e.angles, convention), R) <=
            kRounding + (e.gimbal_lock ? 2 * kGimbalLock : 0));
}

RC_GTEST_PROP(RotationProperties, AngleBetweenIsAMetric, ()) {
  const Mat3 A = exp_so3(any_vector(4)), B = exp_so3(any_vector(4)), C = exp_so3(any_vector(4));
  RC_ASSERT(std::abs(angle_between(A, B) - angle_between(B, A)) <= kRounding);
  RC_ASSERT(angle_between(A, C) <= angle_between(A, B) + angle_between(B, C) + kRounding);
  RC_ASSERT(std::abs(angle_between(C * A, C * B) - angle_between(A, B)) <= 2 * kRounding);
}

RC_GTEST_PROP(RotationProperties, ScrewMotionsAndTheirLogarithmsAgree, ()) {
  const Pose X{exp_so3(any_vector(4)), any_vector(2)};
  const Pose back = exp_se3(log_se3(X));
  RC_ASSERT(max_difference(homogeneous_from_pose(back), homogeneous_from_pose(X)) <= 4 * kRounding);
}

RC_GTEST_PROP(RotationProperties, PrincipalInertiaDiagonalisesEverySymmetricMatrix, ()) {
  Mat3 A;
  A << any_vector(1), any_vector(1), any_vector(1);
  const Mat3 J = A + A.transpose();
  const auto [moments, R] = principal_inertia(J);
  RC_ASSERT(is_rotation(R, kRounding));
  RC_ASSERT(max_difference(R * moments.asDiagonal() * R.transpose(), J) <= 4 * kRounding);
}

}  // namespace
}  // namespace visviva
