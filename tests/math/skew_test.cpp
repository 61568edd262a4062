#include "visviva/math/skew.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <functional>

#include "sample_rotations.hpp"
#include "visviva/math/so3.hpp"

namespace visviva {
namespace {

using samples::kEps;
using samples::matrix_in_box;
using samples::max_difference;
using samples::vector_in_box;

constexpr int kSamples = 200;

// Entries are at most 1, sums have at most three products.
constexpr Real kRounding = 8 * kEps;

TEST(Skew, TimesAVectorIsTheCrossProduct) {
  std::mt19937_64 random(1);
  for (int n = 0; n < kSamples; ++n) {
    const Vec3 x = vector_in_box(random), y = vector_in_box(random);
    EXPECT_LE(max_difference(skew(x) * y, x.cross(y)), kRounding);
  }
  EXPECT_EQ(skew(Vec3::UnitX()) * Vec3::UnitY(), Vec3::UnitZ());
}

TEST(Skew, TransposeIsNegative_Eq1a) {
  const Vec3 x(1, -2, 3);
  EXPECT_EQ(skew(x).transpose(), -skew(x));
}

TEST(Skew, SquareIsDyadLessSquaredNorm_Eq1b) {
  std::mt19937_64 random(2);
  for (int n = 0; n < kSamples; ++n) {
    const Vec3 x = vector_in_box(random);
    const Mat3 right = x * x.transpose() - x.squaredNorm() * Mat3::Identity();
    EXPECT_LE(max_difference(skew(x) * skew(x), right), kRounding);
  }
}

TEST(Skew, OfACrossProductIsTheCommutator_Eq1c) {
  std::mt19937_64 random(3);
  for (int n = 0; n < kSamples; ++n) {
    const Vec3 x = vector_in_box(random), y = vector_in_box(random);
    const Mat3 commutator = skew(x) * skew(y) - skew(y) * skew(x);
    EXPECT_LE(max_difference(skew(x.cross(y)), commutator), kRounding);
    EXPECT_LE(max_difference(skew(x.cross(y)), y * x.transpose() - x * y.transpose()), kRounding);
  }
}

TEST(Skew, OfATurnedVectorIsTheTurnedMatrix_Eq1d) {
  std::mt19937_64 random(4);
  for (int n = 0; n < kSamples; ++n) {
    const Mat3 R = exp_so3(vector_in_box(random, 3));
    const Vec3 x = vector_in_box(random);
    EXPECT_LE(max_difference(skew(R * x), R * skew(x) * R.transpose()), 4 * kRounding);
  }
}

TEST(Skew, UnskewIsItsInverse_Eq2) {
  const Vec3 x(1, -2, 3);
  EXPECT_EQ(unskew(skew(x)), x);
  Mat3 Omega;
  Omega << 0, -30, 20, 30, 0, -10, -20, 10, 0;
  EXPECT_EQ(unskew(Omega), Vec3(10, 20, 30));
  EXPECT_EQ(skew(unskew(Omega)), Omega);
}

TEST(Skew, AMatrixIsHalfItsSymPlusHalfItsAsym_Eq3_Eq4) {
  std::mt19937_64 random(5);
  const Mat3 A = matrix_in_box(random);
  EXPECT_EQ(asym(A).transpose(), -asym(A));
  EXPECT_EQ(sym(A).transpose(), sym(A));
  EXPECT_LE(max_difference(0.5 * sym(A) + 0.5 * asym(A), A), kEps);
  EXPECT_EQ(asym(A)(0, 1), A(0, 1) - A(1, 0));  // no factor 1/2
  EXPECT_EQ(sym(A)(0, 0), 2 * A(0, 0));
}

TEST(Skew, OnlySymmetricMatricesAreOrthogonalToAllSkewOnes_Eq5) {
  std::mt19937_64 random(6);
  for (int n = 0; n < kSamples; ++n) {
    const Mat3 A = matrix_in_box(random);
    for (int i = 0; i < 3; ++i) {
      const Mat3 Omega = skew(Vec3::Unit(i));
      EXPECT_LE(std::abs((Omega.transpose() * sym(A)).trace()), kRounding);
      // Against the basis of so(3) the trace reads off Asym: it vanishes only with it.
      EXPECT_NEAR((Omega.transpose() * A).trace(), unskew(asym(A))[i], kRounding);
    }
  }
}

TEST(Skew, InnerProductsOfMatricesAndOfSo3Agree_Eq6_Eq7) {
  std::mt19937_64 random(7);
  for (int n = 0; n < kSamples; ++n) {
    const Mat3 A = matrix_in_box(random), B = matrix_in_box(random);
    EXPECT_NEAR(inner(A, B), (B.transpose() * A).trace(), 2 * kRounding);

    const Vec3 w1 = vector_in_box(random), w2 = vector_in_box(random);
    const Mat3 Omega1 = skew(w1), Omega2 = skew(w2);
    EXPECT_NEAR(inner(A, Omega1), 0.5 * (Omega1.transpose() * asym(A)).trace(), 2 * kRounding);
    EXPECT_EQ(inner_so3(Omega1, Omega2), w2.dot(w1));
    EXPECT_NEAR(inner_so3(Omega1, Omega2), 0.5 * (Omega2.transpose() * Omega1).trace(), kRounding);
    EXPECT_NEAR(inner(A, Omega1), inner_so3(asym(A), Omega1), 2 * kRounding);
  }
}

/// d f / d X, entry by entry, by central differences. All functions of Proposition C.1 are linear
/// in X, so the differences are exact but for rounding, with any step.
Mat3 derivative(const std::function<Real(const Mat3&)>& f, const Mat3& X) {
  constexpr Real kStep = 0.5;
  Mat3 D;
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l) {
      Mat3 E = Mat3::Zero();
      E(k, l) = kStep;
      D(k, l) = (f(X + E) - f(X - E)) / (2 * kStep);
    }
  return D;
}

TEST(MatrixDerivatives, ArePropositionC1) {
  std::mt19937_64 random(8);
  for (int n = 0; n < kSamples; ++n) {
    const Mat3 X = matrix_in_box(random), A = matrix_in_box(random), B = matrix_in_box(random);
    const Vec3 a = vector_in_box(random), b = vector_in_box(random), v = vector_in_box(random);
    const auto check = [&X](const std::function<Real(const Mat3&)>& f, const Mat3& D) {
      EXPECT_LE(max_difference(derivative(f, X), D), 20 * kRounding);
    };
    check([&](const Mat3& Y) { return a.dot(Y * b); }, a * b.transpose());              // M.a
    check([&](const Mat3& Y) { return a.dot(Y.transpose() * b); }, b * a.transpose());  // M.b
    check([&](const Mat3& Y) { return (A * Y * B).trace(); },
          A.transpose() * B.transpose());                                          // M.c
    check([&](const Mat3& Y) { return (A * Y.transpose() * B).trace(); }, B * A);  // M.d
    check([&](const Mat3& Y) { return v.dot(A * Y * b); },
          A.transpose() * v * b.transpose());  // M.e
    check([&](const Mat3& Y) { return v.dot(A * Y.transpose() * b); },
          b * v.transpose() * A);  // M.f
  }
}

}  // namespace
}  // namespace visviva
