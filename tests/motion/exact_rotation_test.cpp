#include "visviva/motion/exact_rotation.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <array>
#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/math/special_functions/ellint_3.hpp>
#include <boost/math/special_functions/ellint_rf.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "motion/elliptic.hpp"
#include "visviva/math/inertia.hpp"
#include "visviva/math/skew.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::motion {
namespace {

constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();
using Long = long double;
using LongMat3 = Eigen::Matrix<Long, 3, 3>;
using LongVec3 = Eigen::Matrix<Long, 3, 1>;
using Attitude = ExactRotation::Attitude;

/// dR/dt = R S(J⁻¹Π), dΠ/dt = Π × J⁻¹Π in 64 bits, by steps of a two-hundredth of a radian with an error of order 8.
Attitude integrate(const Mat3& J, const Mat3& R, const Vec3& Pi, Real t) {
  using State = std::array<Long, 12>;
  const LongMat3 J_inverse = J.cast<Long>().inverse();
  State state;
  Eigen::Map<LongMat3>(state.data()) = R.cast<Long>();
  Eigen::Map<LongVec3>(state.data() + 9) = Pi.cast<Long>();
  const auto rate = [&J_inverse](const State& x, State& dx, Long) {
    const Eigen::Map<const LongMat3> r(x.data());
    const Eigen::Map<const LongVec3> p(x.data() + 9);
    const LongVec3 w = J_inverse * p;
    for (int i = 0; i < 3; ++i)  // rows of R S(w)
      Eigen::Map<LongMat3>(dx.data()).row(i) = r.row(i).transpose().cross(w).transpose();
    Eigen::Map<LongVec3>(dx.data() + 9) = p.cross(w);
  };
  const Real turn = std::abs(t) * (J.inverse() * Pi).norm() * J.norm() * J.inverse().norm() / 3;
  const int steps = 100 + static_cast<int>(200 * std::min(turn, 100.0));
  boost::numeric::odeint::runge_kutta_fehlberg78<State, Long> stepper;
  for (int i = 0; i < steps; ++i) stepper.do_step(rate, state, Long(0), Long(t) / steps);
  return {Eigen::Map<LongMat3>(state.data()).cast<Real>(), Eigen::Map<LongVec3>(state.data() + 9).cast<Real>()};
}

Real distance(const Attitude& a, const Attitude& b) {
  return (a.R - b.R).norm() + (a.Pi - b.Pi).norm() / (b.Pi.norm() > 0 ? b.Pi.norm() : 1);
}

class ExactRotationTest : public ::testing::Test {
 protected:
  Vec3 vector() { return {uniform_(random_), uniform_(random_), uniform_(random_)}; }
  Mat3 rotation() { return exp_so3(3 * vector()); }
  Vec3 moments() {
    const Vec3 spread = (0.51 + 0.49 * vector().array()).matrix();
    return (spread.sum() - spread.array()).matrix();
  }
  Mat3 inertia() { return rotate_inertia(rotation(), Mat3(moments().asDiagonal())); }
  /// Every third near the middle axis, so near the separatrix; every third near an outer axis.
  Vec3 momentum(const Mat3& J, int i) {
    Vec3 p = vector();
    if (i % 3 == 1) p.x() *= 1e-3, p.z() *= 1e-3;
    if (i % 3 == 2) p.x() *= 1e-6, p.y() *= 1e-6;
    return principal_inertia(J).R * p;
  }

  std::mt19937_64 random_{20261116};
  std::uniform_real_distribution<Real> uniform_{-1, 1};
};

TEST(EllipticIntegral, OfTheFirstKindAgreesWithBoost) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<Real> exponent(-12, 3);
  const auto draw = [&] { return std::pow(10.0, exponent(random)); };
  for (int i = 0; i < 1000; ++i) {
    const Real x = i % 5 == 0 ? 0 : draw(), y = draw(), z = draw();
    const Real expected = static_cast<Real>(boost::math::ellint_rf(Long(x), Long(y), Long(z)));
    EXPECT_NEAR(carlson_rf(x, y, z), expected, 8 * kEpsilon * expected);
  }
  for (const Real k_prime : {1.0, 0.9, 0.1, 1e-3, 1e-8, 1e-150}) {
    const Long k2_prime = Long(k_prime) * k_prime;
    const Real K = static_cast<Real>(boost::math::ellint_rf(Long(0), k2_prime, Long(1)));
    EXPECT_NEAR(complete_first(k_prime), K, 8 * kEpsilon * K);
    EXPECT_NEAR(incomplete_first(1, 0, k_prime * k_prime), K, 8 * kEpsilon * K);
  }
  EXPECT_NEAR(incomplete_first(std::sin(0.7), std::cos(0.7), 0.75), boost::math::ellint_1(0.5, 0.7), 4 * kEpsilon);
  EXPECT_EQ(incomplete_first(-0.6, 0.8, 0.3), -incomplete_first(0.6, 0.8, 0.3));
}

TEST(EllipticIntegral, OfTheThirdKindAgreesWithBoost) {
  for (const Real k_prime : {1.0, 0.9, 0.5, 0.1, 1e-3})
    for (const Real nu : {0.0, 1e-9, 0.5, 3.0, 1e4, 1e9}) {
      const Long k = std::sqrt((1 - Long(k_prime)) * (1 + Long(k_prime)));
      const Real expected = static_cast<Real>(boost::math::ellint_3(k, -Long(nu)));
      EXPECT_NEAR(complete_third(k_prime, 1 + nu, 1, 1), expected, 16 * kEpsilon * expected) << k_prime << ' ' << nu;
      const Real K = static_cast<Real>(boost::math::ellint_1(k));
      EXPECT_NEAR(complete_third(k_prime, 1 + nu, 0, nu), K - expected, 16 * kEpsilon * K) << k_prime << ' ' << nu;
    }
}

TEST_F(ExactRotationTest, AgreesWithTheDifferentialEquation) {
  for (int i = 0; i < 60; ++i) {
    const Mat3 J = i % 4 == 0 ? Mat3(moments().asDiagonal()) : inertia();
    const Mat3 R = rotation();
    const Vec3 Pi = momentum(J, i);
    const Real t = 8 * uniform_(random_) / (J.inverse() * Pi).norm();
    // Eight radians, and a deviation that grows eight-hundredfold at most near the middle axis.
    EXPECT_LT(distance(ExactRotation(J, R, Pi).at(t), integrate(J, R, Pi, t)), i % 3 == 1 ? 5e-13 : 5e-14) << i;
  }
}

TEST_F(ExactRotationTest, ConservesMomentumAndEnergyAndOrthonormality) {
  for (int i = 0; i < 1000; ++i) {
    const Mat3 J = i % 4 == 0 ? Mat3(moments().asDiagonal()) : inertia();
    const Mat3 R = rotation(), J_inverse = J.inverse();
    const Vec3 Pi = momentum(J, i);
    const Attitude a = ExactRotation(J, R, Pi).at(100 * uniform_(random_) / (J_inverse * Pi).norm());
    const Real E = Pi.dot(J_inverse * Pi);
    EXPECT_NEAR(a.Pi.norm(), Pi.norm(), 8 * kEpsilon * Pi.norm()) << i;
    EXPECT_NEAR(a.Pi.dot(J_inverse * a.Pi), E, 400 * kEpsilon * E) << i;  // J_max / J_min is up to 50
    EXPECT_LT((a.R * a.Pi - R * Pi).norm(), 20 * kEpsilon * Pi.norm()) << i;
    EXPECT_LT((a.R.transpose() * a.R - Mat3::Identity()).norm(), 20 * kEpsilon) << i;
  }
}

TEST_F(ExactRotationTest, TimesAdd) {
  for (int i = 0; i < 1000; ++i) {
    const Mat3 J = inertia();
    const ExactRotation whole(J, rotation(), momentum(J, i));
    const Real unit = 1 / (J.inverse() * whole.at(0).Pi).norm();
    const Real t1 = 4 * uniform_(random_) * unit, t2 = 4 * uniform_(random_) * unit;
    const Attitude middle = whole.at(t1);
    EXPECT_LT(distance(ExactRotation(J, middle.R, middle.Pi).at(t2), whole.at(t1 + t2)), i % 3 == 1 ? 2e-12 : 2e-13)
        << i;
  }
}

TEST_F(ExactRotationTest, BackwardsUndoesForwards) {
  for (int i = 0; i < 1000; ++i) {
    const Mat3 J = inertia(), R = rotation();
    const Vec3 Pi = momentum(J, i);
    const Real t = 4 / (J.inverse() * Pi).norm();
    const Attitude end = ExactRotation(J, R, Pi).at(t);
    EXPECT_LT(distance(ExactRotation(J, end.R, end.Pi).at(-t), {R, Pi}), i % 3 == 1 ? 2e-12 : 2e-13) << i;
  }
}

TEST_F(ExactRotationTest, StartsWhereItWasTold) {
  const Mat3 J = inertia(), R = rotation();
  const Vec3 Pi = vector();
  const ExactRotation flow(J, R, Pi);
  EXPECT_EQ(flow.at(0).R, R);
  EXPECT_EQ(flow.at(0).Pi, Pi);
  EXPECT_LT(distance(flow.at(1e-300), {R, Pi}), 20 * kEpsilon);
}

// Π comes back after 4K/λ, k and λ from the textbook formulas in E and |Π|.
TEST_F(ExactRotationTest, MomentumHasThePeriodOfTheTextbook) {
  const Vec3 J(2.6, 4, 5);
  for (const Vec3& Pi : {Vec3(1, 2, 3), Vec3(3, -2, 1)}) {
    const Real M2 = Pi.squaredNorm(), E2 = Pi.dot(Pi.cwiseQuotient(J));
    const bool largest = M2 > E2 * J[1];
    const Real A = largest ? J[2] : J[0], C = largest ? J[0] : J[2];
    const Real lambda = std::sqrt((M2 - E2 * C) * (A - J[1]) / (A * J[1] * C));
    const Real k = std::sqrt((J[1] - C) * (E2 * A - M2) / ((A - J[1]) * (M2 - E2 * C)));
    const ExactRotation flow(Mat3(J.asDiagonal()), Mat3::Identity(), Pi);
    const Real period = 4 * boost::math::ellint_1(k) / lambda;
    EXPECT_LT((flow.at(period).Pi - Pi).norm(), 1e-13);
    EXPECT_LT((flow.at(-3 * period).Pi - Pi).norm(), 3e-13);
    EXPECT_GT((flow.at(period / 2).Pi - Pi).norm(), 1);
  }
}

// Regular precession: about L with |L|/J1, and about the own axis.
Attitude symmetric_top(Real J1, Real J3, const Mat3& R, const Vec3& Pi, Real t) {
  const Mat3 own = exp_so3(Vec3(0, 0, Pi.z() * (1 / J3 - 1 / J1) * t));
  return {exp_so3(t / J1 * (R * Pi)) * R * own, own.transpose() * Pi};
}

TEST_F(ExactRotationTest, SymmetricTopIsTheLimitOfAsymmetricOnes) {
  for (const Real J3 : {0.3, 0.9, 1.1, 1.9})
    for (const Vec3& Pi : {Vec3(0.3, 0.4, 0.5), Vec3(1, 0, 1e-9), Vec3(1e-9, 0, 1), Vec3(0.6, 0.8, 0), Vec3(0, 0, 1)}) {
      const Mat3 R = rotation();
      const Real t = 3;
      const Attitude expected = symmetric_top(1, J3, R, Pi, t);
      EXPECT_LT(distance(ExactRotation(Mat3(Vec3(1, 1, J3).asDiagonal()), R, Pi).at(t), expected), 4e-14) << J3;
      for (const Real delta : {1e-6, 1e-9, 1e-12, 1e-15}) {
        const Attitude near = ExactRotation(Mat3(Vec3(1, 1 + delta, J3).asDiagonal()), R, Pi).at(t);
        EXPECT_LT(distance(near, expected), 20 * delta + 4e-14) << J3 << ' ' << delta << '\n' << Pi;
      }
    }
}

TEST_F(ExactRotationTest, SphereIsTheLimitOfWhatIsNearlyOne) {
  const Mat3 R = rotation();
  const Vec3 Pi = vector();
  const Attitude expected{exp_so3(2 * (R * Pi)) * R, Pi};
  for (const Real delta : {0.0, 1e-15, 1e-12, 1e-9, 1e-6}) {
    const Mat3 J = Vec3(1 - delta, 1, 1 + 2 * delta).asDiagonal();
    EXPECT_LT(distance(ExactRotation(J, R, Pi).at(2), expected), 20 * delta + 2e-14) << delta;
  }
}

TEST_F(ExactRotationTest, RotationAboutAnAxisIsUniform) {
  const Vec3 J(2, 3, 4);
  const Mat3 R = rotation();
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 Pi = -7 * Vec3::Unit(axis);
    const Attitude a = ExactRotation(Mat3(J.asDiagonal()), R, Pi).at(5);
    EXPECT_EQ(a.Pi, Pi);
    EXPECT_LT((a.R - R * exp_so3(5 * Pi.cwiseQuotient(J))).norm(), 2e-14);
    if (axis == 1) continue;  // unstable
    for (const Real delta : {1e-3, 1e-8, 1e-16, 1e-200}) {
      const Vec3 near = Pi + delta * Vec3(0.5, 0.3, -0.8);
      EXPECT_LT(distance(ExactRotation(Mat3(J.asDiagonal()), R, near).at(5), a), 40 * delta + 4e-14) << delta;
    }
  }
}

TEST_F(ExactRotationTest, NothingMovesWithoutMomentum) {
  const Mat3 J = inertia(), R = rotation();
  const Attitude a = ExactRotation(J, R, Vec3::Zero()).at(1e9);
  EXPECT_EQ(a.R, R);
  EXPECT_EQ(a.Pi, Vec3(Vec3::Zero()));
  EXPECT_EQ(ExactRotation().at(3).R, Mat3(Mat3::Identity()));
}

// J = (4, 5, 9) is flat, and with Π1 : Π3 = 4 : 3 the energy is that of the middle axis, to the bit.
TEST_F(ExactRotationTest, SeparatrixAndItsNeighboursAgreeWithTheDifferentialEquation) {
  const Mat3 J = Vec3(4, 5, 9).asDiagonal();
  const Mat3 R = rotation();
  for (const Real delta : {0.0, 1e-16, -1e-15, 1e-12, -1e-9, 1e-6, -1e-3})
    for (const Real middle : {-6.0, 0.0, 2.0})
      for (const Real sign : {-1.0, 1.0}) {
        const Vec3 Pi(sign * 4, middle, 3 * (1 + delta));
        for (const Real t : {-9.0, 3.0, 9.0}) {
          // The deviation grows as exp(λt), here to less than 300.
          EXPECT_LT(distance(ExactRotation(J, R, Pi).at(t), integrate(J, R, Pi, t)), 1e-12)
              << delta << ' ' << middle << ' ' << sign << ' ' << t;
        }
      }
}

TEST_F(ExactRotationTest, SeparatrixEndsAtTheMiddleAxis) {
  const Attitude a = ExactRotation(Mat3(Vec3(4, 5, 9).asDiagonal()), Mat3::Identity(), Vec3(4, 0, 3)).at(1e4);
  EXPECT_LT((a.Pi - Vec3(0, 5, 0)).norm(), 1e-13);
  EXPECT_LT((a.R.transpose() * a.R - Mat3::Identity()).norm(), 20 * kEpsilon);
}

TEST_F(ExactRotationTest, ThinRodKeepsItsDigits) {
  const Mat3 R = rotation();
  for (const Real thin : {1e-3, 1e-6})
    for (const Vec3& w : {Vec3(0, 1, 0.5), Vec3(1, 1, 0.5), Vec3(5, 1e-3, 1)}) {
      const Mat3 J = Vec3(thin, 1, 1 + thin / 2).asDiagonal();
      const Vec3 Pi = J * w;
      // The second term is the rounding of 1/J3 − 1/J2 in integrate.
      const Real tolerance = 1e-13 + 4 * static_cast<Real>(std::numeric_limits<Long>::epsilon()) / thin;
      EXPECT_LT(distance(ExactRotation(J, R, Pi).at(3), integrate(J, R, Pi, 3)), tolerance) << thin << '\n' << w;
    }
}

TEST_F(ExactRotationTest, UnitsDoNotMatter) {
  const Mat3 J = inertia(), R = rotation();
  const Vec3 Pi = vector();
  const Real unit = std::ldexp(1.0, 300);
  const Attitude a = ExactRotation(J, R, Pi).at(2), b = ExactRotation(unit * J, R, unit * Pi).at(2);
  EXPECT_LT((a.R - b.R).norm(), 20 * kEpsilon);
  EXPECT_LT((unit * a.Pi - b.Pi).norm(), 20 * kEpsilon * unit);
}

// So near to the middle axis the body stays there for long: u is far out on the flank of sech u.
TEST(ExactRotation, SpinNextToTheMiddleAxisStaysFinite) {
  for (Real aside = 1e-30; aside < 1e-3; aside *= 10)
    for (const Real t : {1e-3, 1.0, 30.0}) {
      const Mat3 J = Vec3(1, 2, 3).asDiagonal();
      const ExactRotation::Attitude a = ExactRotation(J, Mat3::Identity(), {0, 6, aside}).at(t);
      EXPECT_LT((a.R.transpose() * a.R - Mat3::Identity()).norm(), 1e-14) << aside << " " << t;
      EXPECT_NEAR(a.Pi.norm(), Vec3(0, 6, aside).norm(), 1e-13) << aside << " " << t;
      EXPECT_LT((a.R * a.Pi - Vec3(0, 6, aside)).norm(), 1e-12) << aside << " " << t;
    }
}

}  // namespace
}  // namespace visviva::motion
