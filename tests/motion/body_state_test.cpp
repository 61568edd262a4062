#include "visviva/motion/body_state.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <limits>
#include <random>

#include "visviva/core/error.hpp"
#include "visviva/math/inertia.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::motion {
namespace {

Mat3 tilted_inertia() { return rotate_inertia(exp_so3({0.3, -0.5, 0.7}), Mat3(Vec3(5, 4, 2.6).asDiagonal())); }

BodyState some_state() { return {{1, -2, 3}, exp_so3({1.1, 0.2, -0.4}), {2, 2, 10}, {4, -4, 4}}; }

TEST(BodyMass, InverseOfDiagonalInertiaIsExact) {
  const BodyMass body = make_body_mass(2, Mat3(Vec3(5, 4, 2.6).asDiagonal()));
  EXPECT_EQ(body.J_inverse, Mat3(Vec3(1 / 5.0, 1 / 4.0, 1 / 2.6).asDiagonal()));
}

TEST(BodyMass, InverseTimesInertiaIsIdentity) {
  const BodyMass body = make_body_mass(2, tilted_inertia());
  EXPECT_LT((body.J * body.J_inverse - Mat3::Identity()).norm(), 1e-14);
  EXPECT_EQ(body.J_inverse, Mat3(body.J_inverse.transpose()));
}

TEST(BodyMass, AsymmetryWithinPrintIsRemoved) {
  Mat3 J = tilted_inertia();
  J(0, 1) += 1e-7;
  const BodyMass body = make_body_mass(2, J);
  EXPECT_EQ(body.J, Mat3(body.J.transpose()));
  EXPECT_DOUBLE_EQ(body.J(0, 1), tilted_inertia()(0, 1) + 0.5e-7);
}

TEST(BodyMass, RefusesWhatNoBodyHas) {
  const Mat3 J = tilted_inertia();
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  EXPECT_THROW((void)make_body_mass(0, J), InvalidArgument);
  EXPECT_THROW((void)make_body_mass(nan, J), InvalidArgument);
  EXPECT_THROW((void)make_body_mass(1, Mat3(Vec3(1, 1, 3).asDiagonal())), InvalidArgument);
  EXPECT_THROW((void)make_body_mass(1, nan * J), InvalidArgument);
  try {
    (void)make_body_mass(-1, J, "body 'top'");
    FAIL();
  } catch (const InvalidArgument& e) {
    EXPECT_EQ(e.object(), "body 'top'");
    EXPECT_EQ(e.field(), "mass");
  }
}

TEST(BodyState, KineticEnergyIsHalfMomentumTimesVelocity) {
  const BodyMass body = make_body_mass(2, tilted_inertia());
  const BodyState s = some_state();
  EXPECT_NEAR(kinetic_translation(body, s), s.gamma.dot(velocity(body, s)) / 2, 1e-13);
  const Vec3 w = angular_velocity_body(body, s);
  EXPECT_NEAR(kinetic_rotation(body, s), w.dot(body.J * w) / 2, 1e-13);
  EXPECT_LT((angular_velocity_world(body, s) - s.R * w).norm(), 1e-14);
}

// The impact room moves velocities, this one momenta: an impulse must mean the same to both.
TEST(BodyState, ImpulseAgreesWithTheImpactRoom) {
  const BodyMass body = make_body_mass(2, tilted_inertia());
  std::mt19937_64 random(20261115);
  std::uniform_real_distribution<Real> uniform(-3, 3);
  const auto vector = [&] { return Vec3(uniform(random), uniform(random), uniform(random)); };
  for (int i = 0; i < 100; ++i) {
    BodyState s = some_state();
    s.R = exp_so3(vector());
    const impact::Contact contact{vector(), vector().normalized()};
    const Vec3 impulse = vector();
    impact::BodyState wall, struck = to_impact_body(body, s);
    const Mat3 R_WC = impact::contact_frame(contact.normal);
    impact::apply_impulse(R_WC.transpose() * impulse, contact, wall, struck);
    apply_impulse(body, impulse, contact.point, s);
    EXPECT_LT((struck.velocity - velocity(body, s)).norm(), 1e-13);
    EXPECT_LT((struck.angular_velocity - angular_velocity_world(body, s)).norm(), 1e-12);
  }
}

TEST(BodyState, ImpactBodyHasInertiaInWorldAxes) {
  const BodyMass body = make_body_mass(2, tilted_inertia());
  const BodyState s = some_state();
  const impact::BodyState b = to_impact_body(body, s);
  const impact::BodyState expected = impact::make_body(2, body.J, s.R);
  EXPECT_EQ(b.inverse_mass, 0.5);
  EXPECT_LT((b.inverse_inertia - expected.inverse_inertia).norm(), 1e-14);
  EXPECT_EQ(b.center_of_mass, s.x);
}

}  // namespace
}  // namespace visviva::motion
