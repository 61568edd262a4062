#include "visviva/math/quaternion.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "sample_rotations.hpp"
#include "visviva/core/error.hpp"
#include "visviva/math/skew.hpp"

namespace visviva {
namespace {

using samples::kEps;
using samples::kPi;
using samples::max_difference;
using samples::vector_in_box;

constexpr Real kRounding = 16 * kEps;  // of sums of four products, each at most one
constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();

constexpr Quaternion k1{1, 0, 0, 0};
constexpr Quaternion kI{0, 1, 0, 0};
constexpr Quaternion kJ{0, 0, 1, 0};
constexpr Quaternion kK{0, 0, 0, 1};

Real difference(const Quaternion& a, const Quaternion& b) { return max_difference(a.coefficients(), b.coefficients()); }

/// q and -q are the same rotation.
Real rotation_difference(const Quaternion& a, const Quaternion& b) {
  return std::min(difference(a, b), difference(a, -b));
}

Quaternion random_quaternion(std::mt19937_64& random) {
  const Real w = samples::uniform(random, -1, 1);
  return Quaternion::from_parts(w, vector_in_box(random));
}

Quaternion random_rotation(std::mt19937_64& random) {
  for (;;) {
    const Quaternion q = random_quaternion(random);
    if (norm(q) > 0.1) return normalized(q);
  }
}

// --- Algebra --------------------------------------------------------------------------------------

TEST(QuaternionAlgebra, BasisMultipliesAsHamiltonCarvedIt) {
  EXPECT_EQ(kI * kI, -k1);
  EXPECT_EQ(kJ * kJ, -k1);
  EXPECT_EQ(kK * kK, -k1);
  EXPECT_EQ(kI * kJ * kK, -k1);
  EXPECT_EQ(kI * kJ, kK);
  EXPECT_EQ(kJ * kI, -kK);
  EXPECT_EQ(kJ * kK, kI);
  EXPECT_EQ(kK * kJ, -kI);
  EXPECT_EQ(kK * kI, kJ);
  EXPECT_EQ(kI * kK, -kJ);
}

TEST(QuaternionAlgebra, ProductIsThatOfSplitParts) {
  std::mt19937_64 random(1);
  for (int n = 0; n < 200; ++n) {
    const Quaternion a = random_quaternion(random), b = random_quaternion(random);
    const Quaternion split = Quaternion::from_parts(a.w * b.w - a.vec().dot(b.vec()),
                                                    a.w * b.vec() + b.w * a.vec() + a.vec().cross(b.vec()));
    EXPECT_LE(difference(a * b, split), kRounding);
    const Quaternion c = random_quaternion(random);
    EXPECT_LE(difference((a * b) * c, a * (b * c)), 2 * kRounding);
    EXPECT_LE(difference(a * (b + c), a * b + a * c), kRounding);
    EXPECT_LE(difference((a - b) * c, a * c - b * c), kRounding);
  }
  const Quaternion a{1, 2, 3, 4}, doubled{2, 4, 6, 8};
  EXPECT_EQ(2.0 * a, doubled);
  EXPECT_EQ(a * 2.0, doubled);
}

// [havok III.1.7] prints + 1/2; the sum a + iai + jaj + kak is -2 a^c.
TEST(QuaternionAlgebra, ConjugateIsMinusHalfTheSumOfSandwiches) {
  std::mt19937_64 random(2);
  for (int n = 0; n < 100; ++n) {
    const Quaternion a = random_quaternion(random);
    const Quaternion sum = a + kI * a * kI + kJ * a * kJ + kK * a * kK;
    EXPECT_LE(difference(conjugate(a), -0.5 * sum), kRounding);
  }
}

TEST(QuaternionAlgebra, ConjugateReversesProducts) {
  std::mt19937_64 random(3);
  for (int n = 0; n < 100; ++n) {
    const Quaternion a = random_quaternion(random), b = random_quaternion(random);
    EXPECT_LE(difference(conjugate(a * b), conjugate(b) * conjugate(a)), kRounding);
    EXPECT_LE(difference(a * conjugate(a), squared_norm(a) * k1), kRounding);
  }
}

TEST(QuaternionAlgebra, NormIsMultiplicative) {
  std::mt19937_64 random(4);
  for (int n = 0; n < 100; ++n) {
    const Quaternion a = random_quaternion(random), b = random_quaternion(random);
    EXPECT_NEAR(norm(a * b), norm(a) * norm(b), kRounding);
    EXPECT_NEAR(norm(-3.0 * a), 3 * norm(a), kRounding);
  }
  EXPECT_EQ(norm({1, 2, 2, 4}), 5);
}

TEST(QuaternionAlgebra, ReciprocalGivesOneOnBothSides) {
  std::mt19937_64 random(5);
  for (int n = 0; n < 100; ++n) {
    const Quaternion a = samples::uniform(random, 1, 1000) * random_rotation(random);
    EXPECT_LE(difference(a * reciprocal(a), k1), kRounding);
    EXPECT_LE(difference(reciprocal(a) * a, k1), kRounding);
    EXPECT_NEAR(norm(normalized(a)), 1, 2 * kEps);
  }
}

TEST(QuaternionAlgebra, ZeroHasNeitherReciprocalNorDirection) {
  for (const Quaternion& bad :
       {Quaternion{0, 0, 0, 0}, Quaternion{kNaN, 0, 0, 0}, Quaternion{1e300, 0, 0, 0}, Quaternion{1e-170, 0, 0, 0}}) {
    EXPECT_THROW(static_cast<void>(reciprocal(bad)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(normalized(bad)), InvalidArgument);
  }
}

// --- Rotation -------------------------------------------------------------------------------------

TEST(QuaternionRotation, IsTheSandwichProductAndTheMatrix) {
  std::mt19937_64 random(6);
  for (int n = 0; n < 500; ++n) {
    const Quaternion q = random_rotation(random);
    const Vec3 v = vector_in_box(random);
    const Quaternion sandwich = q * Quaternion::from_parts(0, v) * conjugate(q);
    EXPECT_LE(max_difference(rotate(q, v), sandwich.vec()), kRounding);
    EXPECT_LE(std::abs(sandwich.w), kRounding);
    EXPECT_LE(max_difference(rotate(q, v), rotation_from_quaternion(q) * v), kRounding);
    EXPECT_LE(max_difference(rotation_from_quaternion(3.0 * q), rotation_from_quaternion(q)), kRounding);
  }
}

TEST(QuaternionRotation, ProductIsCompositionRightFactorFirst) {
  std::mt19937_64 random(7);
  for (int n = 0; n < 200; ++n) {
    const Quaternion p = random_rotation(random), q = random_rotation(random);
    EXPECT_LE(
        max_difference(rotation_from_quaternion(q * p), rotation_from_quaternion(q) * rotation_from_quaternion(p)),
        kRounding);
  }
}

TEST(QuaternionRotation, ReturnsFromTheMatrix) {
  for (const Vec3& phi : samples::rotation_vectors()) {
    const Quaternion q = exp_quaternion(phi);
    const Quaternion back = quaternion_from_rotation(rotation_from_quaternion(q));
    EXPECT_LE(rotation_difference(back, q), kRounding) << phi.transpose();
    EXPECT_NEAR(norm(back), 1, 2 * kEps);
    EXPECT_GE(back.coefficients().maxCoeff(), 0.5 - kRounding);  // the largest is positive
    EXPECT_LE(max_difference(rotation_from_quaternion(back), exp_so3(phi)), kRounding);
  }
}

TEST(QuaternionRotation, OfTheThreeHalfTurnsIsExact) {
  EXPECT_EQ(quaternion_from_rotation(Mat3::Identity()), k1);
  EXPECT_EQ(quaternion_from_rotation(Vec3(1, -1, -1).asDiagonal()), kI);
  EXPECT_EQ(quaternion_from_rotation(Vec3(-1, 1, -1).asDiagonal()), kJ);
  EXPECT_EQ(quaternion_from_rotation(Vec3(-1, -1, 1).asDiagonal()), kK);
}

TEST(QuaternionRotation, ReturnsFromAxisAndAngle) {
  for (const Real angle : samples::angles())
    for (const Vec3& axis : samples::axes()) {
      const AxisAngle back = axis_angle_from_quaternion(quaternion_from_axis_angle({axis, angle}));
      EXPECT_NEAR(back.angle, angle, 4 * kEps * angle);
      // The cosine of half the rounded pi is above zero, so that even there the side is told.
      if (angle > 0) {
        EXPECT_LE(max_difference(back.axis, axis), kRounding);
      }
      const AxisAngle of_negative = axis_angle_from_quaternion(-quaternion_from_axis_angle({axis, angle}));
      EXPECT_EQ(of_negative.angle, back.angle);
      EXPECT_EQ(of_negative.axis, back.axis);
    }
}

TEST(QuaternionRotation, AtExactlyHalfATurnTheFirstComponentIsPositive) {
  for (const Quaternion& q : {kI, kJ, kK, Quaternion{0, 0.6, -0.8, 0}, Quaternion{0, 0, 0.6, -0.8}})
    for (const Quaternion& p : {q, -q}) {
      EXPECT_EQ(axis_angle_from_quaternion(p).angle, kPi);
      EXPECT_LE(max_difference(axis_angle_from_quaternion(p).axis, q.vec()), kEps);
      EXPECT_LE(max_difference(log_quaternion(p), kPi * q.vec()), 2 * kRounding);
    }
}

TEST(QuaternionRotation, ExponentialAndLogarithmAreInverse) {
  for (const Vec3& phi : samples::rotation_vectors()) {
    const Quaternion q = exp_quaternion(phi);
    EXPECT_NEAR(norm(q), 1, 4 * kEps);
    // Half the least subnormal is lost too. Within rounding of half a turn both signs are right.
    const Real tolerance = 8 * kEps * phi.norm() + std::numeric_limits<Real>::denorm_min();
    const Vec3 back = log_quaternion(q);
    const bool half_turn = phi.norm() > kPi - kRounding;
    EXPECT_LE(half_turn ? std::min(max_difference(back, phi), max_difference(back, -phi)) : max_difference(back, phi),
              tolerance)
        << phi.transpose();
    EXPECT_EQ(log_quaternion(-q), log_quaternion(q));
    EXPECT_LE(max_difference(rotation_from_quaternion(q), exp_so3(phi)), kRounding);
  }
  EXPECT_EQ(exp_quaternion(Vec3::Zero()), k1);
  EXPECT_EQ(log_quaternion(k1), Vec3::Zero());
}

TEST(QuaternionRotation, AngleBetweenIgnoresTheSign) {
  std::mt19937_64 random(8);
  for (const Real angle : samples::angles()) {
    const Quaternion q = random_rotation(random);
    const Quaternion p = q * exp_quaternion(angle * samples::unit_vector(random));
    EXPECT_NEAR(angle_between(q, p), angle, kRounding);
    EXPECT_NEAR(angle_between(q, -p), angle, kRounding);
  }
}

TEST(Slerp, GoesTheShortWayAtConstantAngularVelocity) {
  std::mt19937_64 random(9);
  for (int n = 0; n < 300; ++n) {
    const Quaternion a = random_rotation(random);
    const Vec3 phi = samples::uniform(random, 0, 3.1) * samples::unit_vector(random);
    const Quaternion b = a * exp_quaternion(phi);
    EXPECT_LE(difference(slerp(a, b, 0), a), kRounding);
    EXPECT_LE(rotation_difference(slerp(a, b, 1), b), kRounding);
    for (const Real t : {0.25, 0.5, 0.9, 2.0}) {
      EXPECT_LE(rotation_difference(slerp(a, b, t), a * exp_quaternion(t * phi)), 4 * kRounding);
      EXPECT_LE(rotation_difference(slerp(a, -b, t), a * exp_quaternion(t * phi)), 4 * kRounding);
    }
    // The textbook formula, where it is well-conditioned.
    const Real half = 0.5 * phi.norm();
    if (half > 0.1) {
      const Real s = std::sin(half);
      const Quaternion book = std::sin(0.7 * half) / s * a + std::sin(0.3 * half) / s * b;
      EXPECT_LE(rotation_difference(slerp(a, b, 0.3), book), 20 * kRounding);
    }
  }
  EXPECT_EQ(slerp(k1, k1, 0.3), k1);
}

// --- Rates ----------------------------------------------------------------------------------------

TEST(QuaternionRate, IsTheDerivativeOfTheMotion) {
  constexpr Real kStep = 1e-5;
  constexpr Real kDifferenceError = 1e-9;  // step² and eps / step
  std::mt19937_64 random(10);
  for (int n = 0; n < 100; ++n) {
    const Quaternion q = random_rotation(random);
    const Vec3 w = vector_in_box(random, 2);
    const auto check = [&](const Quaternion& after, const Quaternion& before, RateFrame frame) {
      const Quaternion slope = (1 / (2 * kStep)) * (after - before);
      EXPECT_LE(difference(quaternion_rate(q, w, frame), slope), kDifferenceError);
      // The matrix moves as dR/dt = S(w) R or R S(w).
      const Mat3 R = rotation_from_quaternion(q);
      const Mat3 R_slope = (rotation_from_quaternion(after) - rotation_from_quaternion(before)) / (2 * kStep);
      const Mat3 expected = frame == RateFrame::World ? skew(w) * R : R * skew(w);
      EXPECT_LE(max_difference(R_slope, expected), kDifferenceError);
    };
    check(exp_quaternion(kStep * w) * q, exp_quaternion(-kStep * w) * q, RateFrame::World);
    check(q * exp_quaternion(kStep * w), q * exp_quaternion(-kStep * w), RateFrame::Body);
  }
}

TEST(QuaternionRate, AndAngularVelocityAreInverse) {
  std::mt19937_64 random(11);
  for (int n = 0; n < 200; ++n)
    for (const RateFrame frame : {RateFrame::World, RateFrame::Body}) {
      const Quaternion q = random_rotation(random);
      const Vec3 w = vector_in_box(random);
      const Quaternion rate = quaternion_rate(q, w, frame);
      EXPECT_LE(max_difference(angular_velocity(q, rate, frame), w), kRounding);
      EXPECT_LE(std::abs(dot(q, rate)), kRounding);
      EXPECT_LE(max_difference(angular_velocity(q, rate + 0.5 * q, frame), w), kRounding);

      const Mat43 B = quaternion_rate_matrix(q, frame);
      EXPECT_LE(max_difference(0.5 * B * w, rate.coefficients()), kRounding);
      EXPECT_LE(max_difference(B.transpose() * B, Mat3::Identity()), kRounding);
      EXPECT_LE(max_difference(2 * B.transpose() * rate.coefficients(), w), kRounding);
    }
}

TEST(QuaternionRate, InWorldAndBodyFrameAgree) {
  std::mt19937_64 random(12);
  for (int n = 0; n < 100; ++n) {
    const Quaternion q = random_rotation(random);
    const Vec3 w_B = vector_in_box(random);
    EXPECT_LE(
        difference(quaternion_rate(q, w_B, RateFrame::Body), quaternion_rate(q, rotate(q, w_B), RateFrame::World)),
        kRounding);
  }
}

TEST(QuaternionRate, MatrixHasTheDerivedEntries) {
  Mat43 world, body;  // [havok II.1] misprints it
  world << -2, -3, -4, 1, 4, -3, -4, 1, 2, 3, -2, 1;
  body << -2, -3, -4, 1, -4, 3, 4, 1, -2, -3, 2, 1;
  EXPECT_EQ(quaternion_rate_matrix({1, 2, 3, 4}, RateFrame::World), world);
  EXPECT_EQ(quaternion_rate_matrix({1, 2, 3, 4}, RateFrame::Body), body);
}

// --- Integration ----------------------------------------------------------------------------------

using Integrator = Quaternion (*)(const Quaternion&, const Vec3&, Real, RateFrame);

/// Angle by which the integrator turns, in the direction of w, when the true angle is theta.
Real turned_angle(Integrator integrate, Real theta) {
  const Vec3 axis = Vec3(1, -2, 2) / 3;
  const Quaternion q = integrate(k1, 2 * axis, theta / 2, RateFrame::World);
  const Vec3 phi = log_quaternion(q);
  EXPECT_LE(phi.cross(axis).norm(), kRounding);
  return phi.dot(axis);
}

TEST(QuaternionIntegration, TurnsByTheAngleOfItsFormula) {
  for (const Real theta : {1e-8, 1e-3, 0.1, 0.5, 1.0, 2.0}) {
    EXPECT_NEAR(turned_angle(integrate_first_order, theta), 2 * std::atan(theta / 2), kRounding);
    EXPECT_NEAR(turned_angle(integrate_second_order, theta), 2 * std::atan2(theta / 2, 1 - theta * theta / 8),
                kRounding);
    EXPECT_NEAR(turned_angle(integrate_cayley, theta), 4 * std::atan(theta / 4), kRounding);
    EXPECT_NEAR(turned_angle(integrate_exponential, theta), theta, kRounding);
  }
}

TEST(QuaternionIntegration, LocalErrorIsOfThirdOrderWithItsConstant) {
  const Real theta = 1e-2;
  const Real cube = theta * theta * theta;
  const Real next_order = theta * theta;  // relative size of the next term
  const auto constant = [&](Integrator f) { return (turned_angle(f, theta) - theta) / cube; };
  EXPECT_NEAR(constant(integrate_first_order), -1.0 / 12, next_order);
  EXPECT_NEAR(constant(integrate_second_order), 1.0 / 24, next_order);
  EXPECT_NEAR(constant(integrate_cayley), -1.0 / 48, next_order);
  EXPECT_NEAR(constant(integrate_exponential), 0, kRounding / cube);
}

TEST(QuaternionIntegration, ErrorAfterAFixedTimeFallsAsTheSquareOfTheStep) {
  const Vec3 w(0.3, -0.5, 0.8);
  const auto error = [&w](Integrator f, int steps, RateFrame frame) {
    const Quaternion start = normalized({1, 2, 3, 4});
    Quaternion r = start;
    for (int n = 0; n < steps; ++n) r = f(r, w, 2.0 / steps, frame);
    const Quaternion turn = exp_quaternion(2 * w);
    return angle_between(r, frame == RateFrame::World ? turn * start : start * turn);
  };
  for (const RateFrame frame : {RateFrame::World, RateFrame::Body}) {
    for (const Integrator f : {integrate_first_order, integrate_second_order, integrate_cayley})
      EXPECT_NEAR(error(f, 50, frame) / error(f, 100, frame), 4, 0.01);
    EXPECT_LE(error(integrate_exponential, 100, frame), 100 * kRounding);
  }
}

TEST(QuaternionIntegration, FirstOrderIsTheCayleyMapOfRotations) {
  std::mt19937_64 random(13);
  for (int n = 0; n < 100; ++n) {
    const Quaternion r = random_rotation(random);
    const Vec3 w = vector_in_box(random, 3);
    const Mat3 R = rotation_from_quaternion(integrate_first_order(r, w, 0.5));
    EXPECT_LE(max_difference(R, cayley_so3(0.25 * w) * rotation_from_quaternion(r)), kRounding);
  }
}

TEST(QuaternionIntegration, CayleyIsTheImplicitMidpointRule) {
  std::mt19937_64 random(14);
  const Real h = 0.5;
  for (int n = 0; n < 100; ++n) {
    const Quaternion r = random_rotation(random);
    const Vec3 w = vector_in_box(random, 3);
    const Quaternion next = integrate_cayley(r, w, h);
    const Quaternion slope = quaternion_rate(0.5 * (r + next), w, RateFrame::World);
    EXPECT_LE(difference(next, r + h * slope), kRounding);
    EXPECT_NEAR(norm(next), 1, kRounding);
  }
}

}  // namespace
}  // namespace visviva
