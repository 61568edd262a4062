// Accuracy of exp, log and Jacobians against 50 digits, near 0, near pi and between.
#include <gtest/gtest.h>

#include <array>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "sample_rotations.hpp"
#include "visviva/math/quaternion.hpp"
#include "visviva/math/skew.hpp"
#include "visviva/math/so3.hpp"

namespace visviva {
namespace {

using Big = boost::multiprecision::cpp_bin_float_50;
using BigVec = std::array<Big, 3>;
using BigMat = std::array<std::array<Big, 3>, 3>;
using samples::kEps;

Big length(const BigVec& v) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

BigVec big(const Vec3& v) { return {Big(v[0]), Big(v[1]), Big(v[2])}; }

/// I + c1 S(phi) + c2 S(phi)²
BigMat polynomial(const BigVec& p, const Big& c1, const Big& c2) {
  const BigMat S = {{{0, -p[2], p[1]}, {p[2], 0, -p[0]}, {-p[1], p[0], 0}}};
  BigMat M;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      Big square = 0;
      for (std::size_t k = 0; k < 3; ++k) square += S[i][k] * S[k][j];
      M[i][j] = (i == j ? 1 : 0) + c1 * S[i][j] + c2 * square;
    }
  return M;
}

/// For angles above 1e-9 the closed forms lose at most 3 · 9 of the 50 digits.
BigMat big_exp(const BigVec& p) {
  const Big t = length(p);
  return polynomial(p, sin(t) / t, (1 - cos(t)) / (t * t));
}
BigMat big_left_jacobian(const BigVec& p) {
  const Big t = length(p);
  return polynomial(p, (1 - cos(t)) / (t * t), (t - sin(t)) / (t * t * t));
}
BigMat big_inverse_left_jacobian(const BigVec& p) {
  const Big t = length(p);
  return polynomial(p, Big(-0.5), (1 - t / 2 * cos(t / 2) / sin(t / 2)) / (t * t));
}

Mat3 rounded(const BigMat& M) {
  Mat3 R;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      R(i, j) = M[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)].convert_to<Real>();
  return R;
}

std::vector<Vec3> samples_above(Real least_angle) {
  std::vector<Vec3> list;
  for (const Vec3& phi : samples::rotation_vectors())
    if (phi.norm() >= least_angle) list.push_back(phi);
  return list;
}

// Rounding of |phi| moves the angle by 2 eps of itself, and each entry is a sum of up to three
// terms of size one with three roundings each.
Real entry_tolerance(const Vec3& phi) { return (4 + 2 * phi.norm()) * kEps; }

TEST(RotationAccuracy, ExponentialIsGoodToAFewUlp) {
  for (const Vec3& phi : samples_above(1e-9))
    EXPECT_LE(samples::max_difference(exp_so3(phi), rounded(big_exp(big(phi)))), entry_tolerance(phi))
        << phi.transpose();
}

TEST(RotationAccuracy, SmallTurnsKeepTheirRelativeAccuracy) {
  for (const Vec3& phi : samples_above(1e-9)) {
    if (phi.norm() > 1e-3) continue;
    const Vec3 sine = unskew(asym(exp_so3(phi)));
    const Vec3 expected = unskew(asym(rounded(big_exp(big(phi)))));
    // The symmetric part, phi²/2, cancels but for its rounding.
    EXPECT_LE(samples::max_difference(sine, expected), 4 * kEps * phi.norm());
  }
}

TEST(RotationAccuracy, QuaternionExponentialIsGoodToAFewUlp) {
  for (const Vec3& phi : samples_above(1e-9)) {
    const Quaternion q = exp_quaternion(phi);
    const Big t = length(big(phi));
    const Big s = sin(t / 2) / t;
    EXPECT_LE(std::abs(Real(q.w - cos(t / 2))), 3 * kEps);
    for (int i = 0; i < 3; ++i)
      EXPECT_LE(std::abs(Real(q.vec()[i] - s * phi[i])), 4 * kEps * std::min(phi.norm(), 1.0));
  }
}

TEST(RotationAccuracy, LogarithmOfTheRoundedMatrixIsGoodToAFewUlp) {
  for (const Vec3& phi : samples_above(1e-9)) {
    if (phi.norm() >= samples::kPi) continue;
    // Rounding of the entries, half an ulp of 1, alone moves the result by as much.
    const Vec3 back = log_so3(rounded(big_exp(big(phi))));
    EXPECT_LE(samples::max_difference(back, phi), 6 * kEps * phi.norm()) << phi.transpose();
  }
}

TEST(RotationAccuracy, LogarithmOfAQuaternionIsGoodToAFewUlp) {
  std::mt19937_64 random(1);
  for (int n = 0; n < 2000; ++n) {
    // w and |v| each over many orders: near 0, near pi and between, any length.
    const Vec3 axis = samples::unit_vector(random);
    const Real w = std::exp2(samples::uniform(random, -60, 0));
    const Quaternion q = Quaternion::from_parts(w, std::exp2(samples::uniform(random, -60, 0)) * axis);
    const BigVec v = big(q.vec());
    const Big s = length(v);
    const Big factor = 2 * atan2(s, Big(q.w)) / s;
    const Vec3 phi = log_quaternion(q);
    for (std::size_t i = 0; i < 3; ++i) {
      const Big expected = factor * v[i];
      EXPECT_LE(std::abs(Real((phi[static_cast<int>(i)] - expected) / expected)), 5 * kEps);
    }
  }
}

TEST(RotationAccuracy, JacobiansAreGoodToAFewUlp) {
  for (const Vec3& phi : samples_above(1e-9)) {
    EXPECT_LE(samples::max_difference(left_jacobian_so3(phi), rounded(big_left_jacobian(big(phi)))),
              entry_tolerance(phi))
        << phi.transpose();
    EXPECT_LE(samples::max_difference(inverse_left_jacobian_so3(phi), rounded(big_inverse_left_jacobian(big(phi)))),
              entry_tolerance(phi))
        << phi.transpose();
  }
}

}  // namespace
}  // namespace visviva
