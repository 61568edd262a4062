#include "visviva/motion/moser_veselov.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <random>

#include "visviva/core/error.hpp"
#include "visviva/math/inertia.hpp"
#include "visviva/math/skew.hpp"
#include "visviva/math/so3.hpp"
#include "visviva/motion/exact_rotation.hpp"

namespace visviva::motion {
namespace {

constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();
constexpr Retraction kRetractions[] = {Retraction::Cayley, Retraction::Exponential};

class MoserVeselovTest : public ::testing::Test {
 protected:
  Vec3 vector() { return {uniform_(random_), uniform_(random_), uniform_(random_)}; }
  Mat3 rotation() { return exp_so3(3 * vector()); }
  /// Of a cloud of mass with spread of 1 : 10 along its axes, so that every inequality of moments holds.
  Vec3 moments() {
    const Vec3 spread = (0.55 + 0.45 * vector().array()).matrix();
    return (spread.sum() - spread.array()).matrix();
  }
  Mat3 inertia() { return rotate_inertia(rotation(), Mat3(moments().asDiagonal())); }

  std::mt19937_64 random_{20261115};
  std::uniform_real_distribution<Real> uniform_{-1, 1};
};

Real energy(const Mat3& J, const Vec3& Pi) { return Pi.dot(J.inverse() * Pi) / 2; }

using Equation111 = MoserVeselovTest;

TEST_F(Equation111, IsSolvedToRoundingByBothRetractions) {
  for (int i = 0; i < 2000; ++i) {
    const Mat3 J = inertia(), J_d = nonstandard_from_standard_inertia(J);
    const Vec3 g = 0.4 * (J * vector());
    for (const Retraction retraction : kRetractions) {
      const RelativeRotation r = solve_relative_rotation(J, g, retraction);
      if (!r.solved) continue;
      ASSERT_LT((r.F * J_d - J_d * r.F.transpose() - skew(g)).norm(), 20 * kEpsilon * J.norm()) << i;
      ASSERT_LT((r.F.transpose() * r.F - Mat3::Identity()).norm(), 8 * kEpsilon) << i;
      ASSERT_LE(r.iterations, 8) << i;
    }
  }
}

TEST_F(Equation111, HasTheSameSolutionInBothRetractions) {
  int solved = 0;
  for (int i = 0; i < 2000; ++i) {
    const Mat3 J = inertia();
    const Vec3 g = 0.4 * (J * vector());
    const RelativeRotation cayley = solve_relative_rotation(J, g, Retraction::Cayley);
    const RelativeRotation exponential = solve_relative_rotation(J, g, Retraction::Exponential);
    ASSERT_EQ(cayley.solved, exponential.solved) << i;
    if (!cayley.solved) continue;
    ++solved;
    // The condition of the root is that of the matrix tr(F J_d) I − F J_d, up to some hundreds in this sample.
    ASSERT_LT((cayley.F - exponential.F).norm(), 1e-12) << i;
  }
  EXPECT_GT(solved, 1800);
}

// About a principal axis (111) reads g = J sin θ.
TEST_F(Equation111, AboutAPrincipalAxisIsASine) {
  const Vec3 J(5, 4, 2.6);
  for (int axis = 0; axis < 3; ++axis)
    for (const Real angle : {1e-9, 0.01, 0.7, -1.2, 1.5})
      for (const Retraction retraction : kRetractions) {
        const Vec3 g = J[axis] * std::sin(angle) * Vec3::Unit(axis);
        const RelativeRotation r = solve_relative_rotation(Mat3(J.asDiagonal()), g, retraction);
        ASSERT_TRUE(r.solved);
        EXPECT_LT((r.F - exp_so3(angle * Vec3::Unit(axis))).norm(), 1e-14 / std::cos(angle));
      }
}

TEST_F(Equation111, HasNoSolutionBeyondAQuarterTurn) {
  for (const Retraction retraction : kRetractions) {
    const RelativeRotation r = solve_relative_rotation(Mat3::Identity(), Vec3(0, 1.0001, 0), retraction);
    EXPECT_FALSE(r.solved);
    EXPECT_EQ(r.F, Mat3(Mat3::Identity()));
    EXPECT_FALSE(solve_relative_rotation(Mat3::Identity(), Vec3(1e300, 0, 0), retraction).solved);
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    EXPECT_FALSE(solve_relative_rotation(Mat3::Identity(), Vec3(nan, 0, 0), retraction).solved);
  }
}

// Along a ray of g the solution moves without a jump from I to where it ends, and does not come back.
TEST_F(Equation111, SolutionIsTheOneConnectedWithTheIdentity) {
  for (int i = 0; i < 100; ++i) {
    const Mat3 J = inertia();
    const Vec3 g = J * vector().normalized();
    for (const Retraction retraction : kRetractions) {
      Mat3 before = Mat3::Identity();
      bool ended = false;
      for (int k = 1; k <= 600; ++k) {
        const RelativeRotation r = solve_relative_rotation(J, k / 300.0 * g, retraction);
        ASSERT_FALSE(ended && r.solved) << i << ' ' << k;
        ended = !r.solved;
        if (ended) continue;
        ASSERT_LT(angle_between(before, r.F), 0.2) << i << ' ' << k;
        before = r.F;
      }
      EXPECT_TRUE(ended);
    }
  }
}

TEST_F(MoserVeselovTest, ConservesMomentumAndEnergyToRoundingAtAnyStep) {
  for (int i = 0; i < 500; ++i) {
    const Mat3 J = i % 3 == 0 ? Mat3(moments().asDiagonal()) : inertia();
    const MoserVeselov map(J, {kRetractions[i % 2], i % 4 < 2 ? 2 : 4});
    Mat3 R = rotation();
    Vec3 Pi = J * vector();
    const Vec3 L = R * Pi;
    const Real E = energy(J, Pi), h = std::pow(10.0, uniform_(random_) - 1);  // up to one radian a step
    for (int k = 0; k < 100; ++k) ASSERT_TRUE(map.step(h, R, Pi).solved) << i;
    // A hundred roundings, and those of J⁻¹.
    ASSERT_NEAR(Pi.norm(), L.norm(), 100 * kEpsilon * L.norm()) << i;
    ASSERT_NEAR(energy(J, Pi), E, 400 * kEpsilon * E) << i;
    ASSERT_LT((R * Pi - L).norm(), 200 * kEpsilon * L.norm()) << i;
    ASSERT_LT((R.transpose() * R - Mat3::Identity()).norm(), 8 * kEpsilon) << i;
  }
}

TEST_F(MoserVeselovTest, EnergyDoesNotDriftInAMillionSteps) {
  const Mat3 J = Vec3(5, 4, 2.6).asDiagonal();
  const MoserVeselov map(J);
  Mat3 R = Mat3::Identity();
  Vec3 Pi(4, -4, 4);
  const Real E = energy(J, Pi);
  const Vec3 L = Pi;
  for (int k = 0; k < 1'000'000; ++k) (void)map.step(0.01, R, Pi);
  // A random walk of a million roundings is 1000 eps; a drift of a tenth of a rounding a step would be 1e5 eps.
  EXPECT_NEAR(energy(J, Pi), E, 4000 * kEpsilon * E);
  EXPECT_NEAR(Pi.norm(), L.norm(), 4000 * kEpsilon * L.norm());
  EXPECT_LT((R * Pi - L).norm(), 4000 * kEpsilon * L.norm());
  EXPECT_LT((R.transpose() * R - Mat3::Identity()).norm(), 8 * kEpsilon);
}

TEST_F(MoserVeselovTest, RotationGivenWithPrintedDigitsIsLedBackToTheRotations) {
  const Mat3 exact = exp_so3({0.3, 0.2, -0.9});
  Mat3 R = (1e6 * exact).array().round().matrix() / 1e6;
  Vec3 Pi(1, 2, 3);
  const MoserVeselov map(Mat3(Vec3(5, 4, 2.6).asDiagonal()));
  for (int k = 0; k < 5; ++k) (void)map.step(0.01, R, Pi);
  EXPECT_LT((R.transpose() * R - Mat3::Identity()).norm(), 8 * kEpsilon);
}

TEST_F(MoserVeselovTest, StepIsThatOfEquation70) {
  for (int i = 0; i < 200; ++i) {
    const Mat3 J = inertia();
    const Mat3 R0 = rotation();
    const Vec3 Pi0 = J * vector();
    const Real h = 0.1;
    for (const Retraction retraction : kRetractions) {
      const RelativeRotation r = solve_relative_rotation(J, h * Pi0, retraction);
      Mat3 R = R0;
      Vec3 Pi = Pi0;
      ASSERT_EQ(MoserVeselov(J, {retraction, 2}).step(h, R, Pi).substeps, 1);
      EXPECT_LT((R - R0 * r.F).norm(), 1e-14);
      EXPECT_LT((Pi - r.F.transpose() * Pi0).norm(), 1e-14);
    }
  }
}

TEST_F(MoserVeselovTest, StepBackUndoesAStep) {
  for (int i = 0; i < 500; ++i) {
    const Mat3 J = inertia();
    const MoserVeselov map(J, {kRetractions[i % 2], i % 4 < 2 ? 2 : 4});
    const Mat3 R0 = rotation();
    const Vec3 Pi0 = J * vector();
    Mat3 R = R0;
    Vec3 Pi = Pi0;
    ASSERT_EQ(map.step(0.1, R, Pi).substeps, 1);
    ASSERT_EQ(map.step(-0.1, R, Pi).substeps, 1);
    EXPECT_LT((R - R0).norm(), 1e-14) << i;
    EXPECT_LT((Pi - Pi0).norm(), 1e-14) << i;
  }
}

TEST_F(MoserVeselovTest, IsOfTheOrderThatWasAskedFor) {
  const Mat3 J = rotate_inertia(exp_so3({0.3, -0.5, 0.7}), Mat3(Vec3(5, 4, 2.6).asDiagonal()));
  const Mat3 R0 = rotation();
  const Vec3 Pi0(4, -4, 4);
  const ExactRotation::Attitude exact = ExactRotation(J, R0, Pi0).at(1);
  for (const int order : {2, 4}) {
    Real error[2] = {};
    for (const int fine : {0, 1}) {
      const int steps = fine == 0 ? 20 : 40;
      const MoserVeselov map(J, {Retraction::Cayley, order});
      Mat3 R = R0;
      Vec3 Pi = Pi0;
      for (int k = 0; k < steps; ++k) (void)map.step(1.0 / steps, R, Pi);
      error[fine] = (R - exact.R).norm() + (Pi - exact.Pi).norm();
    }
    EXPECT_NEAR(std::log2(error[0] / error[1]), order, 0.05);
    EXPECT_LT(error[1], order == 2 ? 5e-3 : 1e-5);
  }
}

TEST_F(MoserVeselovTest, StepWithoutSolutionIsHalvedAndReported) {
  const Mat3 J = inertia();
  for (const int order : {2, 4})
    for (const Retraction retraction : kRetractions) {
      const MoserVeselov map(J, {retraction, order});
      Mat3 R = Mat3::Identity();
      Vec3 Pi = 10 * (J * Vec3(0.3, -0.5, 0.8));
      const Vec3 Pi0 = Pi;
      const MoserVeselov::Report report = map.step(1, R, Pi);  // ten radians
      EXPECT_TRUE(report.solved);
      EXPECT_GE(report.substeps, 8);
      EXPECT_LE(report.substeps, 64);
      EXPECT_NEAR(energy(J, Pi), energy(J, Pi0), 100 * kEpsilon * energy(J, Pi0));
      EXPECT_LT((R * Pi - Pi0).norm(), 100 * kEpsilon * Pi0.norm());
      Mat3 R_in_parts = Mat3::Identity();
      Vec3 Pi_in_parts = Pi0;
      for (int k = 0; k < report.substeps; ++k)
        EXPECT_EQ(map.step(1.0 / report.substeps, R_in_parts, Pi_in_parts).substeps, 1);
      EXPECT_EQ(R_in_parts, R);
      EXPECT_EQ(Pi_in_parts, Pi);
    }
}

TEST_F(MoserVeselovTest, HopelessStepLeavesTheStateAsItWas) {
  const MoserVeselov map(Mat3::Identity());
  Mat3 R = Mat3::Identity();
  Vec3 Pi(1e12, 0, 0);
  EXPECT_FALSE(map.step(1, R, Pi).solved);
  EXPECT_EQ(R, Mat3(Mat3::Identity()));
  EXPECT_EQ(Pi, Vec3(1e12, 0, 0));
  Pi.y() = std::numeric_limits<Real>::quiet_NaN();
  EXPECT_FALSE(map.step(1e-6, R, Pi).solved);
}

TEST_F(MoserVeselovTest, UnitsDoNotMatter) {
  const Mat3 J = inertia();
  const Vec3 Pi0 = J * vector();
  Mat3 R1 = Mat3::Identity(), R2 = R1;
  Vec3 Pi1 = Pi0, Pi2 = std::ldexp(1.0, 400) * Pi0;
  (void)MoserVeselov(J).step(0.1, R1, Pi1);
  (void)MoserVeselov(std::ldexp(1.0, 400) * J).step(0.1, R2, Pi2);
  EXPECT_EQ(R1, R2);
  EXPECT_EQ(std::ldexp(1.0, 400) * Pi1, Pi2);
}

// The canonical form of T*SO(3), for (ξ, δΠ) with δR = R S(ξ): ξ1·δΠ2 − ξ2·δΠ1 + Π·(ξ1 × ξ2).
Mat6 canonical_form(const Vec3& Pi) {
  Mat6 form;
  form << -skew(Pi), Mat3::Identity(), -Mat3::Identity(), Mat3::Zero();
  return form;
}

// Central differences: error of order step², and rounding over step.
Mat6 derivative(const MoserVeselov& map, Real h, const Mat3& R, const Vec3& Pi) {
  constexpr Real kStep = 1e-5;
  Mat3 R_end = R;
  Vec3 Pi_end = Pi;
  (void)map.step(h, R_end, Pi_end);
  Mat6 D;
  for (int i = 0; i < 6; ++i) {
    Vec6 side[2];
    for (const int s : {0, 1}) {
      const Real d = s == 0 ? -kStep : kStep;
      Mat3 R_moved = i < 3 ? Mat3(R * exp_so3(d * Vec3::Unit(i))) : R;
      Vec3 Pi_moved = i < 3 ? Pi : Vec3(Pi + d * Vec3::Unit(i - 3));
      (void)map.step(h, R_moved, Pi_moved);
      side[s] << log_so3(R_end.transpose() * R_moved), Pi_moved - Pi_end;
    }
    D.col(i) = (side[1] - side[0]) / (2 * kStep);
  }
  return D;
}

Real symplectic_defect(const MoserVeselov& map, Real h, const Mat3& R, const Vec3& Pi) {
  Mat3 R_end = R;
  Vec3 Pi_end = Pi;
  (void)map.step(h, R_end, Pi_end);
  const Mat6 D = derivative(map, h, R, Pi);
  return (D.transpose() * canonical_form(Pi_end) * D - canonical_form(Pi)).norm();
}

TEST_F(MoserVeselovTest, StepIsSymplectic) {
  for (int i = 0; i < 20; ++i) {
    const Mat3 J = inertia();
    const MoserVeselov map(J, {kRetractions[i % 2], 2});
    EXPECT_LT(symplectic_defect(map, 0.3, rotation(), J * vector()), 1e-9) << i;
  }
}

// The modified inertia depends on the state: the map is then symplectic up to its own error, h⁵.
TEST_F(MoserVeselovTest, StepOfOrderFourIsSymplecticUpToItsError) {
  const Mat3 J = Vec3(5, 4, 2.6).asDiagonal();
  const MoserVeselov map(J, {Retraction::Cayley, 4});
  const Mat3 R = rotation();
  const Vec3 Pi(4, -4, 4);
  EXPECT_NEAR(std::log2(symplectic_defect(map, 0.2, R, Pi) / symplectic_defect(map, 0.1, R, Pi)), 5, 0.3);
}

TEST_F(MoserVeselovTest, RefusesBadSettings) {
  EXPECT_THROW(MoserVeselov(Mat3::Identity(), {Retraction::Cayley, 3}), InvalidArgument);
  EXPECT_THROW(MoserVeselov(Mat3(Vec3(1, 1, 3).asDiagonal())), InvalidArgument);
}

}  // namespace
}  // namespace visviva::motion
