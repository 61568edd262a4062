#include "visviva/math/inertia.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <limits>
#include <string>
#include <vector>

#include "sample_rotations.hpp"
#include "visviva/core/error.hpp"
#include "visviva/math/skew.hpp"
#include "visviva/math/so3.hpp"

namespace visviva {
namespace {

using samples::kEps;
using samples::max_difference;
using samples::vector_in_box;

constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();

struct Particle {
  Real mass;
  Vec3 rho;
};

std::vector<Particle> random_body(std::mt19937_64& random) {
  std::vector<Particle> body;
  for (int i = 0; i < 12; ++i) {
    const Real mass = samples::uniform(random, 0.1, 1);
    body.push_back({mass, vector_in_box(random)});
  }
  return body;
}

Real mass_of(const std::vector<Particle>& body) {
  Real mass = 0;
  for (const Particle& p : body) mass += p.mass;
  return mass;
}

Vec3 centre_of(const std::vector<Particle>& body) {
  Vec3 sum = Vec3::Zero();
  for (const Particle& p : body) sum += p.mass * p.rho;
  return sum / mass_of(body);
}

/// Sum of S(rho)^T S(rho) dm about a point [lgvci (110)].
Mat3 standard_of(const std::vector<Particle>& body, const Vec3& about = Vec3::Zero()) {
  Mat3 J = Mat3::Zero();
  for (const Particle& p : body) J += p.mass * skew(p.rho - about).transpose() * skew(p.rho - about);
  return J;
}

/// Sum of rho rho^T dm [lgvci (109)].
Mat3 nonstandard_of(const std::vector<Particle>& body) {
  Mat3 J_d = Mat3::Zero();
  for (const Particle& p : body) J_d += p.mass * p.rho * p.rho.transpose();
  return J_d;
}

// Bodies of mass up to 12 within the unit box have moments below 24, in sums of 12 terms.
constexpr Real kRounding = 24 * 16 * kEps;

TEST(Inertia, StandardAndNonstandardDetermineEachOther_Eq41) {
  std::mt19937_64 random(1);
  for (int n = 0; n < 100; ++n) {
    const std::vector<Particle> body = random_body(random);
    const Mat3 J = standard_of(body), J_d = nonstandard_of(body);
    EXPECT_LE(max_difference(nonstandard_from_standard_inertia(J), J_d), kRounding);
    EXPECT_LE(max_difference(standard_from_nonstandard_inertia(J_d), J), kRounding);
  }
}

TEST(Inertia, SkewOfAngularMomentumIsTheSymmetrisedProduct_Eq42) {
  std::mt19937_64 random(2);
  for (int n = 0; n < 100; ++n) {
    const Mat3 J = standard_of(random_body(random));
    const Mat3 J_d = nonstandard_from_standard_inertia(J);
    const Vec3 Omega = vector_in_box(random);
    EXPECT_LE(max_difference(skew(J * Omega), skew(Omega) * J_d + J_d * skew(Omega)), kRounding);
  }
}

TEST(Inertia, KineticEnergyIsTheSameInEveryForm_PropositionB2) {
  std::mt19937_64 random(3);
  for (int n = 0; n < 100; ++n) {
    const std::vector<Particle> body = random_body(random);
    const Mat3 J = standard_of(body), J_d = nonstandard_from_standard_inertia(J);
    const Vec3 Omega = vector_in_box(random);
    const Mat3 R_dot = exp_so3(vector_in_box(random, 3)) * skew(Omega);
    Real particles = 0;
    for (const Particle& p : body) particles += 0.5 * p.mass * (R_dot * p.rho).squaredNorm();
    EXPECT_NEAR(0.5 * Omega.dot(J * Omega), particles, kRounding);                       // (44b)
    EXPECT_NEAR(0.5 * (skew(Omega) * J_d * skew(Omega).transpose()).trace(), particles,  // (44a)
                kRounding);
    EXPECT_NEAR(0.5 * (R_dot * J_d * R_dot.transpose()).trace(), particles, kRounding);  // (43)
  }
}

TEST(Inertia, MovesToAndFromTheCentreOfMass) {
  std::mt19937_64 random(4);
  for (int n = 0; n < 100; ++n) {
    const std::vector<Particle> body = random_body(random);
    const Vec3 point = vector_in_box(random);
    const Vec3 c = centre_of(body) - point;
    const Mat3 J_centre = standard_of(body, centre_of(body)), J_point = standard_of(body, point);
    EXPECT_LE(max_difference(move_inertia_from_centre(J_centre, mass_of(body), c), J_point), kRounding);
    EXPECT_LE(max_difference(move_inertia_from_centre(J_centre, mass_of(body), -c), J_point), kRounding);
    EXPECT_LE(max_difference(move_inertia_to_centre(J_point, mass_of(body), c), J_centre), kRounding);
  }
}

TEST(Inertia, OfARodAboutItsEndIsFourTimesThatAboutItsMiddle) {
  const Mat3 middle = Vec3(0, 1.0 / 12, 1.0 / 12).asDiagonal();  // m l²/12
  const Mat3 end = Vec3(0, 1.0 / 3, 1.0 / 3).asDiagonal();
  EXPECT_LE(max_difference(move_inertia_from_centre(middle, 1, {0.5, 0, 0}), end), kEps);
}

TEST(Inertia, OfATurnedBodyIsTheTurnedInertia) {
  std::mt19937_64 random(5);
  for (int n = 0; n < 100; ++n) {
    std::vector<Particle> body = random_body(random);
    const Mat3 J_B = standard_of(body);
    const Mat3 R_AB = exp_so3(vector_in_box(random, 3));
    for (Particle& p : body) p.rho = R_AB * p.rho;
    const Mat3 J_A = rotate_inertia(R_AB, J_B);
    EXPECT_LE(max_difference(J_A, standard_of(body)), kRounding);
    EXPECT_EQ(J_A, J_A.transpose());
  }
}

// --- Principal axes -------------------------------------------------------------------------------

void expect_principal(const PrincipalInertia& principal, const Mat3& J) {
  EXPECT_TRUE(is_rotation(principal.R, 32 * kEps));
  const Mat3 back = principal.R * principal.moments.asDiagonal() * principal.R.transpose();
  EXPECT_LE(max_difference(back, J), 32 * kEps * J.norm());
  EXPECT_LE(principal.moments[0], principal.moments[1]);
  EXPECT_LE(principal.moments[1], principal.moments[2]);
  for (int i = 0; i < 2; ++i) {
    Eigen::Index largest;
    principal.R.col(i).cwiseAbs().maxCoeff(&largest);
    EXPECT_GT(principal.R(largest, i), 0);
  }
}

TEST(PrincipalInertia, DiagonalisesWithARightHandedFrame) {
  std::mt19937_64 random(6);
  for (int n = 0; n < 300; ++n) {
    const Mat3 J = standard_of(random_body(random));
    expect_principal(principal_inertia(J), J);
  }
}

TEST(PrincipalInertia, ReturnsTheMomentsThatWereTurned) {
  for (const Vec3& moments : {Vec3(1, 2, 2.5), Vec3(1, 1, 1), Vec3(1, 1, 2), Vec3(1, 2, 2), Vec3(1e-9, 1, 1),
                              Vec3(0, 3, 3), Vec3(1, 1 + 1e-14, 1.5)})
    for (const Vec3& phi : samples::rotation_vectors()) {
      const Mat3 J = rotate_inertia(exp_so3(phi), moments.asDiagonal());
      const PrincipalInertia principal = principal_inertia(J);
      expect_principal(principal, J);
      EXPECT_LE(max_difference(principal.moments, moments), 16 * kEps * moments[2]);
    }
}

TEST(PrincipalInertia, OfADiagonalMatrixIsExactSortedAndStable) {
  const PrincipalInertia isotropic = principal_inertia(2 * Mat3::Identity());
  EXPECT_EQ(isotropic.R, Mat3::Identity());
  EXPECT_EQ(isotropic.moments, Vec3(2, 2, 2));

  const PrincipalInertia reversed = principal_inertia(Vec3(3, 2, 1.5).asDiagonal());
  EXPECT_EQ(reversed.moments, Vec3(1.5, 2, 3));
  EXPECT_EQ(reversed.R.col(0), Vec3::UnitZ());
  EXPECT_EQ(reversed.R.col(1), Vec3::UnitY());
  EXPECT_EQ(reversed.R.col(2), -Vec3::UnitX());  // right-handed

  const PrincipalInertia tie = principal_inertia(Vec3(3, 2, 2).asDiagonal());
  EXPECT_EQ(tie.R.col(0), Vec3::UnitY());
  EXPECT_EQ(tie.R.col(1), Vec3::UnitZ());
  EXPECT_EQ(tie.R.col(2), Vec3::UnitX());
}

TEST(PrincipalInertia, OfAThinRodOnTheDiagonal) {
  const Vec3 u = Vec3(1, 1, 1).normalized();
  const Mat3 J = Mat3::Identity() - u * u.transpose();
  const PrincipalInertia principal = principal_inertia(J);
  EXPECT_LE(max_difference(principal.moments, Vec3(0, 1, 1)), 8 * kEps);
  EXPECT_LE(max_difference(principal.R.col(0), u), 8 * kEps);
}

// --- Validation -----------------------------------------------------------------------------------

std::string refusal(const Mat3& J, ZeroMoment zero_moment = ZeroMoment::Refuse) {
  try {
    validate_inertia(J, "body 'b'", zero_moment);
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.object(), "body 'b'");
    EXPECT_EQ(error.field(), "inertia");
    return error.range();
  }
  return "";
}

TEST(InertiaValidation, AcceptsRealBodies) {
  std::mt19937_64 random(7);
  for (int n = 0; n < 100; ++n) EXPECT_EQ(refusal(standard_of(random_body(random))), "");
  EXPECT_EQ(refusal(1e-20 * Mat3::Identity()), "");
  EXPECT_EQ(refusal(1e20 * Mat3::Identity()), "");
}

TEST(InertiaValidation, AcceptsFlatBodiesAlsoTurnedOrPrinted) {
  EXPECT_EQ(refusal(Vec3(1, 2, 3).asDiagonal()), "");
  EXPECT_EQ(refusal(Vec3(0.333333, 0.333333, 0.666667).asDiagonal()), "");  // six digits
  for (const Vec3& phi : samples::rotation_vectors())
    EXPECT_EQ(refusal(rotate_inertia(exp_so3(phi), Vec3(1, 2, 3).asDiagonal())), "");
}

TEST(InertiaValidation, AcceptsZeroMomentsOnlyIfAllowed) {
  for (const Mat3& J : {Mat3(Vec3(0, 1, 1).asDiagonal()), Mat3(Mat3::Zero())}) {
    EXPECT_NE(refusal(J).find("positive"), std::string::npos);
    EXPECT_EQ(refusal(J, ZeroMoment::Allow), "");
  }
}

TEST(InertiaValidation, TellsWhichDemandFails) {
  const auto told = [](const Mat3& J, const char* word, ZeroMoment zero = ZeroMoment::Refuse) {
    return refusal(J, zero).find(word) != std::string::npos;
  };
  Mat3 J = Mat3::Identity();
  J(0, 1) = 0.1;
  EXPECT_TRUE(told(J, "symmetric"));
  EXPECT_TRUE(told(Vec3(-1, 1, 1).asDiagonal(), "positive"));
  EXPECT_TRUE(told(Vec3(-1, 1, 1).asDiagonal(), "negative", ZeroMoment::Allow));
  EXPECT_TRUE(told(-Mat3::Identity(), "positive"));
  EXPECT_TRUE(told(-Mat3::Identity(), "negative", ZeroMoment::Allow));
  EXPECT_TRUE(told(Vec3(1, 1, 2.001).asDiagonal(), "triangle"));
  EXPECT_TRUE(told(Vec3(0, 1, 2).asDiagonal(), "triangle", ZeroMoment::Allow));
  EXPECT_TRUE(told(Mat3::Constant(kNaN), "finite"));
  J = Mat3::Identity();
  J(1, 1) = std::numeric_limits<Real>::infinity();
  EXPECT_TRUE(told(J, "finite"));
  // Positive diagonal, negative moment.
  J << 1, 2, 0, 2, 1, 0, 0, 0, 1;
  EXPECT_TRUE(told(J, "positive"));
}

}  // namespace
}  // namespace visviva
