#include "visviva/impact/contact.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "random_problem.hpp"
#include "visviva/core/error.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::impact {
namespace {

constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();

BodyState ball(Real mass, Real radius, const Vec3& center) {
  BodyState state = make_body(mass, 0.4 * mass * radius * radius * Mat3::Identity(), Mat3::Identity());
  state.center_of_mass = center;
  return state;
}

Real kinetic_energy(const BodyState& body) {
  const Mat3 J = body.inverse_inertia.inverse();
  return 0.5 * body.velocity.squaredNorm() / body.inverse_mass +
         0.5 * body.angular_velocity.dot(J * body.angular_velocity);
}

Vec3 angular_momentum(const BodyState& body, const Vec3& about) {
  const Vec3 p = body.velocity / body.inverse_mass;
  return (body.center_of_mass - about).cross(p) + body.inverse_inertia.inverse() * body.angular_velocity;
}

// The icosahedron (B, the text's B1) on the tetrahedron (A) of Fig. 3. The text does not print R2;
// this is the one rotation that fits (13) and its angular velocities, to six digits.
struct IcosahedronTetrahedron {
  BodyState A, B;
  Mat3 R_WA;
  Contact contact;
  IcosahedronTetrahedron() {
    R_WA << .383395, .119212, -.915858, .581630, -.801462, .139159, -.717436, -.586044, -.376614;
    R_WA = nearest_rotation(R_WA).value();
    A = make_body(1, Vec3(0.017239, 0.022813, 0.027135).asDiagonal(), R_WA);
    A.center_of_mass = {0.125, 0.125, -0.4375};
    A.velocity = {0.1, 0.1, 1};
    A.angular_velocity = R_WA * Vec3(0.1, -0.1, 0.1);
    B = make_body(3, 0.0671673 * Mat3::Identity(), Mat3::Identity());
    B.center_of_mass = {0, 0, 0.232744};
    B.velocity = {-0.1, 0.5, 0.95};
    B.angular_velocity = {0.1, 0.1, 0.1};
  }
};

TEST(MakeProblem, Eq5_TwoBallsHaveSevenHalvesAcross) {
  const Real m1 = 2, m2 = 5;
  const ImpactProblem p = make_problem(ball(m2, 0.7, {0, 0, -0.7}), ball(m1, 0.3, {0, 0, 0.3}), Contact{}, 0.5, 0.5);
  const Mat3 expected = (1 / m1 + 1 / m2) * Vec3(3.5, 3.5, 1).asDiagonal().toDenseMatrix();
  EXPECT_TRUE(p.W.isApprox(expected, 4 * kEpsilon)) << p.W;
}

TEST(MakeProblem, Eq5_BallOnHalfSpace) {
  const Real m1 = 2;
  const ImpactProblem p = make_problem(BodyState{}, ball(m1, 0.3, {0, 0, 0.3}), Contact{}, 0.5, 0.5);
  const Mat3 expected = Vec3(7, 7, 2).asDiagonal().toDenseMatrix() / (2 * m1);
  EXPECT_TRUE(p.W.isApprox(expected, 4 * kEpsilon)) << p.W;
}

// The caption prints Q2 to five digits: 0.5e-6/0.017239 = 2.9e-5 of what the tetrahedron adds to W,
// which is more than W's own half digit of 5e-5. R1 is not printed either; it enters v only by the
// x and y of ω1 x r1, since Q1 is isotropic and r1 lies along z.
TEST(MakeProblem, Eq13_IcosahedronOnTetrahedron) {
  const IcosahedronTetrahedron bodies;
  const ImpactProblem p = make_problem(bodies.A, bodies.B, bodies.contact, 0.8, 0.95);
  Mat3 printed;
  printed << 11.5984, -0.910367, 2.44236, -0.910367, 9.90134, 1.95747, 2.44235, 1.95746, 2.59042;
  const ImpactProblem tetrahedron = make_problem(bodies.A, BodyState{}, bodies.contact, 0.8, 0.95);
  EXPECT_LT((p.W - printed).cwiseAbs().maxCoeff(), 2.9e-5 * tetrahedron.W.norm() + 5e-5) << p.W;
  EXPECT_NEAR(p.v.z(), -0.0771741, 1e-6);
}

// The velocities after (15), from the text's own impulse. The text's ω are in body axes.
TEST(ApplyImpulse, Eq15_VelocitiesAfterTheImpact) {
  IcosahedronTetrahedron bodies;
  const BodyState B = bodies.B;
  apply_impulse(Vec3(-0.00326657, -0.0592263, 0.1007), bodies.contact, bodies.A, bodies.B);
  const auto error = [](const Vec3& a, const Vec3& b) { return (a - b).cwiseAbs().maxCoeff(); };
  const Real half_digit = 0.51e-6;
  EXPECT_LT(error(bodies.B.velocity, {-0.101089, 0.480258, 0.983567}), half_digit);
  EXPECT_LT(error(bodies.A.velocity, {0.103267, 0.159226, 0.8993}), half_digit);
  const Vec3 spin = bodies.R_WA.transpose() * bodies.A.angular_velocity;
  // Q2's printed digits again: 2.9e-5 of the change, 0.7.
  EXPECT_LT(error(spin, {-0.281687, 0.402075, 0.589565}), 2.9e-5 * 0.7);
  // R1 is not printed: the size of the icosahedron's change of spin.
  const Vec3 change = Vec3(0.138764, -0.100369, 0.0755903) - Vec3(0.1, 0.1, 0.1);
  EXPECT_NEAR((bodies.B.angular_velocity - B.angular_velocity).norm(), change.norm(), 1.5e-6);
}

TEST(MakeProblem, WAndBArePositiveDefiniteAndSIsNot) {
  RandomImpacts random(3);
  for (int i = 0; i < 2000; ++i) {
    const BodyState A = random.body(random.log_uniform(1e-3, 1e3));
    const BodyState B = random.body(1);
    const ImpactProblem p = make_problem(A, B, random.contact(), 0.5, 0.5);
    EXPECT_EQ(p.W, p.W.transpose());
    const Real inverse_masses = A.inverse_mass + B.inverse_mass;
    const Vec3 eigenvalues = Eigen::SelfAdjointEigenSolver<Mat3>(p.W).eigenvalues();
    // -S = W - (1/m1 + 1/m2) U is positive semidefinite. [impact Lemma 1]
    EXPECT_GE(eigenvalues.x(), inverse_masses * (1 - 16 * kEpsilon) - 16 * kEpsilon * p.W.norm());
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Mat2>(p.B()).eigenvalues().x(), 0);
  }
}

// v = V1 + ω1 x r1 - V2 - ω2 x r2, and W by unit impulses along the axes of the contact frame.
TEST(MakeProblem, WIsTheAnswerToUnitImpulses) {
  RandomImpacts random(4);
  for (int i = 0; i < 500; ++i) {
    const BodyState A = random.body(1);
    const BodyState B = random.body(random.log_uniform(1e-2, 1e2));
    const Contact contact = random.contact();
    const ImpactProblem before = make_problem(A, B, contact, 0.5, 0.5);
    const Vec3 impulse = random.vector();
    BodyState A2 = A, B2 = B;
    apply_impulse(impulse, contact, A2, B2);
    const ImpactProblem after = make_problem(A2, B2, contact, 0.5, 0.5);
    const Vec3 change = after.v - before.v;
    const Real size = before.W.norm() * impulse.norm() + before.v.norm();
    EXPECT_LT((change - before.W * impulse).norm(), 64 * kEpsilon * size);  // [impact (4)]
    // Work of the impulse: the mean of the velocities before and after.
    const Real work = impulse.dot(before.v + 0.5 * before.W * impulse);
    const Real gain = kinetic_energy(A2) + kinetic_energy(B2) - kinetic_energy(A) - kinetic_energy(B);
    const Real energy = kinetic_energy(A2) + kinetic_energy(B2);
    EXPECT_NEAR(gain, work, 1e-13 * (energy + std::abs(work)));
  }
}

TEST(ApplyImpulse, KeepsMomentumAndAngularMomentumAboutAnyPoint) {
  RandomImpacts random(5);
  for (int i = 0; i < 500; ++i) {
    BodyState A = random.body(1);
    BodyState B = random.body(random.log_uniform(1e-2, 1e2));
    const Vec3 about = 3 * random.vector();
    const Contact contact = random.contact();
    const auto momentum = [&] { return Vec3(A.velocity / A.inverse_mass + B.velocity / B.inverse_mass); };
    const auto spin = [&] { return Vec3(angular_momentum(A, about) + angular_momentum(B, about)); };
    const Vec3 p = momentum(), L = spin();
    const Vec3 impulse = random.vector();
    const Real size = p.norm() + L.norm() + B.velocity.norm() / B.inverse_mass + impulse.norm();
    apply_impulse(impulse, contact, A, B);
    EXPECT_LT((momentum() - p).norm(), 1e-13 * size);
    EXPECT_LT((spin() - L).norm(), 1e-12 * size);
  }
}

TEST(ApplyImpulse, ImmovableBodyStaysAsItIs) {
  BodyState ground;
  ground.velocity = {1, 2, 3};
  BodyState B = ball(1, 0.5, {0, 0, 0.5});
  apply_impulse({0.1, 0.2, 0.3}, Contact{}, ground, B);
  EXPECT_EQ(ground.velocity, Vec3(1, 2, 3));
  EXPECT_EQ(ground.angular_velocity, Vec3::Zero());
  EXPECT_EQ(B.velocity, Vec3(0.1, 0.2, 0.3));
}

// Theorem 7: only the relative velocity at the contact matters.
TEST(MakeProblem, EqualContactVelocityGivesEqualProblem) {
  RandomImpacts random(6);
  for (int i = 0; i < 200; ++i) {
    BodyState A = random.body(1), B = random.body(2);
    const Contact contact = random.contact();
    const ImpactProblem one = make_problem(A, B, contact, 0.5, 0.5);
    // A common translation, and a rotation of all about the contact point.
    const Vec3 V = random.vector(), omega = random.vector();
    for (BodyState* body : {&A, &B}) {
      body->velocity += V + omega.cross(body->center_of_mass - contact.point);
      body->angular_velocity += omega;
    }
    // A spin of B whose contact velocity its translation takes back.
    const Vec3 spin = random.vector();
    B.angular_velocity += spin;
    B.velocity -= spin.cross(contact.point - B.center_of_mass);
    const ImpactProblem two = make_problem(A, B, contact, 0.5, 0.5);
    EXPECT_EQ(one.W, two.W);
    EXPECT_LT((one.v - two.v).norm(), 1e-13);
  }
}

TEST(Classify, CentralImpactHasNoCoupling) {
  RandomImpacts random(7);
  for (int i = 0; i < 500; ++i) {
    BodyState A = random.body(1), B = random.body(2);
    const Contact contact = random.contact();
    EXPECT_FALSE(classify(A, B, contact).central);
    A.center_of_mass = contact.point - 0.7 * contact.normal;
    B.center_of_mass = contact.point + 0.4 * contact.normal;
    EXPECT_TRUE(classify(A, B, contact).central);
    EXPECT_FALSE(classify(A, B, contact).direct);
    const ImpactProblem p = make_problem(A, B, contact, 0.5, 0.5);
    EXPECT_LT(p.d().norm(), 32 * kEpsilon * p.W.norm());
    A.velocity = 0.3 * contact.normal;
    B.velocity = -2 * contact.normal;
    EXPECT_TRUE(classify(A, B, contact).direct);
  }
}

TEST(Classify, CentralAlongZHasExactlyNoCoupling) {
  const ImpactProblem p = make_problem(ball(2, 0.7, {0, 0, -0.7}), ball(1, 0.3, {0, 0, 0.3}), Contact{}, 0.5, 0.5);
  EXPECT_EQ(p.d(), Vec2::Zero());
}

TEST(Classify, HalfSpaceHasNoCentre) {
  const BodyState ground;
  EXPECT_TRUE(classify(ground, ball(1, 0.5, {3, 0, 0.5}), {.point = {3, 0, 0}}).central);
  EXPECT_FALSE(classify(ground, ball(1, 0.5, {3, 0.1, 0.5}), {.point = {3, 0, 0}}).central);
}

TEST(ContactFrame, IsARotationWithTheNormalAsThirdAxis) {
  EXPECT_EQ(contact_frame(Vec3::UnitZ()), Mat3::Identity());
  RandomImpacts random(8);
  for (int i = 0; i < 5000; ++i) {
    Vec3 n = random.vector();
    if (i % 2) n = {n.x() * std::pow(10., -i % 170), n.y() * std::pow(10., -i % 160), -1};
    n.normalize();
    const Mat3 R = contact_frame(n);
    EXPECT_LT((R.col(2) - n).norm(), 4 * kEpsilon);
    EXPECT_LT((R.transpose() * R - Mat3::Identity()).norm(), 16 * kEpsilon) << n.transpose();
    EXPECT_GT(R.determinant(), 0);
  }
  EXPECT_EQ(contact_frame(-Vec3::UnitZ()), Vec3(1, -1, -1).asDiagonal().toDenseMatrix());
}

TEST(ContactFrame, IsContinuousAwayFromMinusZ) {
  RandomImpacts random(9);
  for (int i = 0; i < 2000; ++i) {
    const Vec3 n = random.vector().normalized();
    const Vec3 near = (n + 1e-7 * random.vector()).normalized();
    if (n.z() < -0.9) continue;
    // The frame turns by at most 1/(1 + nz) times the normal's angle about it.
    EXPECT_LT((contact_frame(n) - contact_frame(near)).norm(), 30 * (n - near).norm());
  }
}

TEST(BodyState, RefusalNamesTheField) {
  const auto field = [](auto change) {
    BodyState body = ball(1, 1, Vec3::Zero());
    change(body);
    try {
      validate(body, "body 'x'");
      return std::string();
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.object(), "body 'x'");
      return error.field();
    }
  };
  EXPECT_EQ(field([](BodyState&) {}), "");
  EXPECT_EQ(field([](BodyState& b) { b.inverse_mass = -1; }), "inverse_mass");
  EXPECT_EQ(field([](BodyState& b) { b.inverse_mass = NAN; }), "inverse_mass");
  EXPECT_EQ(field([](BodyState& b) { b.inverse_inertia(0, 1) = 1; }), "inverse_inertia");
  EXPECT_EQ(field([](BodyState& b) { b.inverse_inertia(1, 1) = -1; }), "inverse_inertia");
  EXPECT_EQ(field([](BodyState& b) { b.center_of_mass.x() = NAN; }), "center_of_mass");
  EXPECT_EQ(field([](BodyState& b) { b.velocity.z() = INFINITY; }), "velocity");
  EXPECT_EQ(field([](BodyState& b) { b.angular_velocity.y() = NAN; }), "angular_velocity");
}

TEST(MakeBody, RefusesWhatNoBodyHas) {
  const Mat3 U = Mat3::Identity();
  const auto diagonal = [](Real a, Real b, Real c) { return Vec3(a, b, c).asDiagonal().toDenseMatrix(); };
  EXPECT_NO_THROW((void)make_body(1, diagonal(1, 1, 2), U));  // a plate: equality
  EXPECT_THROW((void)make_body(0, U, U), InvalidArgument);
  EXPECT_THROW((void)make_body(NAN, U, U), InvalidArgument);
  EXPECT_THROW((void)make_body(1, diagonal(1, 1, 2.1), U), InvalidArgument);
  EXPECT_THROW((void)make_body(1, diagonal(0, 1, 1), U), InvalidArgument);
  EXPECT_THROW((void)make_body(1, diagonal(-1, 1, 1), U), InvalidArgument);
  EXPECT_THROW((void)make_body(1, U, diagonal(1, 1, -1)), InvalidArgument);
  EXPECT_THROW((void)make_body(1, U, 1.1 * U), InvalidArgument);
  Mat3 skewed = U;
  skewed(0, 1) = 0.1;
  EXPECT_THROW((void)make_body(1, skewed, U), InvalidArgument);
}

TEST(MakeProblem, RefusesANormalThatIsNoUnitVector) {
  const BodyState A, B = ball(1, 1, Vec3::UnitZ());
  EXPECT_THROW((void)make_problem(A, B, {.normal = {0, 0, 2}}, 0.5, 0.5), InvalidArgument);
  EXPECT_THROW((void)make_problem(A, B, {.normal = {0, 0, NAN}}, 0.5, 0.5), InvalidArgument);
  EXPECT_THROW((void)make_problem(A, B, {.point = {NAN, 0, 0}}, 0.5, 0.5), InvalidArgument);
  EXPECT_THROW((void)make_problem(A, B, Contact{}, -1, 0.5), InvalidArgument);
}

// Six printed decimals leave at most sqrt(3)/2 1e-6 of a unit vector's norm.
TEST(MakeProblem, TakesANormalOfSixDecimalsAndRefusesOneOfFive) {
  const BodyState A, B = ball(1, 1, Vec3::UnitZ());
  const Vec3 six(0.267261, 0.534522, 0.801784), five(0.26726, 0.53452, 0.80179);  // (1, 2, 3)/sqrt(14); one digit off
  EXPECT_EQ(contact_frame(six).col(2), six.normalized());
  EXPECT_NO_THROW((void)make_problem(A, B, {.normal = six}, 0.5, 0.5));
  EXPECT_THROW((void)make_problem(A, B, {.normal = five}, 0.5, 0.5), InvalidArgument);
}

TEST(Body, IsInvertedAtAnyScale) {
  for (const Real scale : {1e-150, 1e-60, 1.0, 1e60, 1e150}) {
    const BodyState body = make_body(scale, scale * Mat3(Vec3(1, 2, 2.5).asDiagonal()), Mat3::Identity());
    EXPECT_NEAR(body.inverse_inertia(1, 1) * scale, 0.5, 1e-15) << scale;
  }
  EXPECT_THROW(static_cast<void>(make_body(1, 1e-309 * Mat3::Identity(), Mat3::Identity())), InvalidArgument);
}

}  // namespace
}  // namespace visviva::impact
