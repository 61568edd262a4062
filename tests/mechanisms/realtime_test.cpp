// Mechanisms with known answers in the real-time world, at 60 Hz with the settings that it has by default, with joints
// solved one by one and as groups.
//
// Tolerances. Forces act at the start of a sub-step of h = 1/480 s, so a path lies half a sub-step off the true one:
// positions by ½h|v|, energies by ½h times the power of gravity. That bounds both for all times, as the step is
// symplectic but for the joints' softness; a fifth is added for what is of second order. Joints that are solved one by
// one give way by tenths of a millimetre, those of groups by a millionth of their length.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "realtime_run.hpp"
#include "tests/sanitizer_size.hpp"

namespace visviva::mechanisms {
namespace {

using model::JointSolver;

constexpr Real kHalfSubstep = kStep / 16;  ///< [s]

/// A run, and the worst that was seen of it.
struct Watched : RealtimeRun {
  using RealtimeRun::RealtimeRun;
  Real start = energy();
  Real drift = 0;    ///< of the energy [J]
  Real widest = 0;   ///< gap in a joint [m]
  Real fastest = 0;  ///< centre of a body [m/s]
  Real power = 0;    ///< most that gravity can give, Σ m g |v| [W]

  void step_and_watch() {
    step();
    drift = std::max(drift, std::abs(energy() - start));
    widest = std::max(widest, gap());
    Real now = 0;
    for (const dynamics::BodyId id : bodies) {
      const Real v = world.velocity(id).norm();
      fastest = std::max(fastest, v);
      now += world.mass_properties(id).mass * kGravity * v;
    }
    power = std::max(power, now);
  }
};

class RealtimeMechanism : public testing::TestWithParam<JointSolver> {
 protected:
  [[nodiscard]] static Watched make(const Scene& scene) { return Watched(scene, GetParam()); }
  [[nodiscard]] static bool is_direct() { return GetParam() == JointSolver::Direct; }
  [[nodiscard]] static Real by_solver(Real direct, Real iterative) { return is_direct() ? direct : iterative; }
};
INSTANTIATE_TEST_SUITE_P(Solvers, RealtimeMechanism, testing::Values(JointSolver::Iterative, JointSolver::Direct),
                         [](const auto& given) { return given.param == JointSolver::Direct ? "Direct" : "Iterative"; });

const int kSeconds = sanitizer_size(10, 2);

TEST_P(RealtimeMechanism, PendulumFollowsItsEquation) {
  const Pendulum scene(1.2, 2.0);
  Watched run = make(scene);
  Real worst = 0;
  for (int i = 1; i <= 60 * kSeconds; ++i) {
    run.step_and_watch();
    if (i % 10 != 0) continue;
    const Vec3 expected = scene.length / 2 * arm_at(scene.exact(run.world.time())[0]);
    worst = std::max(worst, (run.center(0) - expected).norm());
  }
  EXPECT_LT(worst, 1.2 * kHalfSubstep * run.fastest);
  EXPECT_LT(run.drift, 1.2 * kHalfSubstep * run.power);
  EXPECT_LT(run.widest, by_solver(1e-6, 1e-4));
}

TEST_P(RealtimeMechanism, DoublePendulumFollowsLagrangesEquations) {
  Watched run = make(DoublePendulum());
  Real worst = 0;
  for (int i = 1; i <= 60 * kSeconds; ++i) {
    run.step_and_watch();
    if (i % 20 == 0) worst = std::max(worst, (run.center(1) - DoublePendulum::exact_center(run.world.time())).norm());
  }
  EXPECT_LT(worst, 1.2 * kHalfSubstep * run.fastest);
  EXPECT_LT(run.drift, 1.2 * kHalfSubstep * run.power);
  EXPECT_LT(run.widest, by_solver(3e-6, 3e-4));
}

// Three turns of the crank; the loop has three rows too many. Where the crank is, the follower is where the triangle of
// its lengths says, as far as the joints hold; the angle between its bars enlarges a gap by less than two.
TEST_P(RealtimeMechanism, FourBarFollowsItsClosedForm) {
  FourBar scene;
  scene.model.joints[0].axes[model::kTurnZ].motor = {.kind = model::MotorKind::Velocity,
                                                     .target_velocity = FourBar::rate};
  Watched run = make(scene);
  Real worst = 0, late = 0;
  for (int i = 0; i < 600; ++i) {
    run.step_and_watch();
    const Real angle = run.world.joint_coordinate(run.joints[0], model::kTurnZ);
    worst = std::max(worst, (run.center(scene.third) - FourBar::follower_at(angle)).norm());
    late = std::max(late, std::abs(angle - FourBar::rate * run.world.time()));
  }
  EXPECT_LT(run.widest, by_solver(1e-5, 1e-3));
  EXPECT_LT(worst, 2 * run.widest + 1e-6);
  // The motor and the joints take turns, and what is left of a turn is a little speed: a thousandth of it.
  EXPECT_LT(late, 1e-3 * FourBar::rate * run.world.time());
}

TEST_P(RealtimeMechanism, SliderCrankFollowsItsClosedForm) {
  SliderCrank scene;
  scene.model.joints[0].axes[model::kTurnZ].motor = {.kind = model::MotorKind::Velocity,
                                                     .target_velocity = SliderCrank::rate};
  Watched run = make(scene);
  Real worst = 0, worst_velocity = 0, late = 0;
  for (int i = 0; i < 300; ++i) {
    run.step_and_watch();
    const Real angle = run.world.joint_coordinate(run.joints[0], model::kTurnZ);
    const Real rate = run.world.angular_velocity(run.bodies[scene.crank]).z();
    const dynamics::BodyId slider = run.bodies[scene.slider];
    worst = std::max(worst, std::abs(run.world.center_of_mass(slider).x() - SliderCrank::place(angle)));
    worst_velocity =
        std::max(worst_velocity, std::abs(run.world.velocity(slider).x() - SliderCrank::velocity(angle, rate)));
    late = std::max(late, std::abs(angle - SliderCrank::rate * run.world.time()));
  }
  EXPECT_LT(run.widest, by_solver(1e-5, 2e-4));
  EXPECT_LT(worst, 2 * run.widest + 1e-6);
  EXPECT_LT(worst_velocity, by_solver(1e-5, 1e-2));  // of 1.6 m/s; the last pass over the joints leaves so much
  EXPECT_LT(late, 1e-3 * SliderCrank::rate * run.world.time());
}

/// Largest error of an angle at the end of Andrews' squeezer, so many times slower.
Real error_of_andrews(Real slower, JointSolver solver) {
  RealtimeRun run(Andrews(slower), solver);
  const auto angle = [&](std::size_t b) { return Andrews::angle_of(run.world.pose(run.bodies[b]).R); };
  std::array<Real, 7> angles{};
  for (std::size_t b = 0; b < 7; ++b) angles[b] = angle(b);
  for (int i = 0; i < std::lround(slower * Andrews::kDuration / kStep); ++i) {
    run.step();
    for (std::size_t b = 0; b < 7; ++b) angles[b] += std::remainder(angle(b) - angles[b], 2 * kPi);
  }
  Real worst = 0;
  for (std::size_t b = 0; b < 7; ++b) worst = std::max(worst, std::abs(angles[b] - Andrews::expected()[b]));
  return worst;
}

// Its crank turns two and a half times in 0.03 s, in which a world of 60 Hz makes two steps; so it runs 600 times
// slower, or 300.
TEST_P(RealtimeMechanism, AndrewsSqueezerEndsWhereTheTestSetSays) {
  const Real coarse = error_of_andrews(300, GetParam()), fine = error_of_andrews(600, GetParam());
  EXPECT_LT(coarse, 5e-3);  // of 15.8 rad
  EXPECT_LT(fine, 2.5e-3);
}

// 63 J go to and fro. Solved one by one, the redundant row is a little against the others, and costs a percent in ten
// seconds; none is ever gained.
TEST_P(RealtimeMechanism, BricardMovesAndDoesNotExplode) {
  const Bricard scene;
  Watched run = make(scene);
  Real moved = 0, most = 0, highest = run.energy();
  for (int i = 0; i < 60 * kSeconds; ++i) {
    run.step_and_watch();
    highest = std::max(highest, run.energy());
    most = std::max(most, run.world.kinetic_energy());
    for (std::size_t b = 0; b < 6; ++b) moved = std::max(moved, (run.center(b) - scene.model.bodies[b].X_WB.p).norm());
  }
  EXPECT_GT(moved, 1.5);  // it falls, as it would not if the redundant row held it
  EXPECT_LT(run.widest, by_solver(2e-6, 1e-3));
  const Real bounded = 1.2 * kHalfSubstep * run.power;
  EXPECT_LT(highest - run.start, bounded);
  EXPECT_LT(run.drift, by_solver(bounded, bounded + 0.02 * most));
}

// The dampers see velocities half a sub-step of gravity off, c ½h g sin φ/l, against which the arms stand with the
// stiffness m l² ω² sin² φ: 2.7 mrad lower; half as much again for arms that are solved one after the other.
TEST_P(RealtimeMechanism, GovernorStandsWhereGravityAndTurnBalance) {
  Watched run = make(Governor());
  for (int i = 0; i < 360; ++i) run.step_and_watch();
  const Real l = Governor::l, w = Governor::omega, sine = std::sin(Governor::angle());
  const Real lower = kHalfSubstep * (kGravity * sine / l) / std::pow(l * w * sine, 2);
  for (const std::size_t b : {1u, 2u}) {
    EXPECT_LT(Governor::angle_of(run.center(b)), Governor::angle() + 1e-4);
    EXPECT_GT(Governor::angle_of(run.center(b)), Governor::angle() - 1.5 * lower);
  }
}

// It turns by a third of a radian in a sub-step.
TEST_P(RealtimeMechanism, TopPrecessesSteadily) {
  const Real theta = 0.6, w3 = 150, Omega = Top::steady_precession(theta, w3);
  Watched run = make(Top(theta, w3 - Omega * std::cos(theta), Omega));
  for (int i = 0; i < 120; ++i) {
    run.step_and_watch();
    const Vec3 axis = run.center(0) / Top::l;
    // The torque of gravity in half a sub-step tilts the top against its steady motion, and it nutates by 2 mrad.
    ASSERT_NEAR(std::acos(axis.z()), theta, 4e-3);
    ASSERT_NEAR(std::remainder(std::atan2(axis.y(), axis.x()) - Omega * run.world.time(), 2 * kPi), 0, 1e-2);
  }
  EXPECT_LT(run.drift, 1.2 * kHalfSubstep * run.power);
}

TEST_P(RealtimeMechanism, TopNutates) {
  const Real theta = 0.6, w3 = 60;
  Watched run = make(Top(theta, w3, 0));
  Real worst = 0;
  for (int i = 0; i < 120; ++i) {
    run.step_and_watch();
    const Vec3 expected = Top::l * Top::nutating_axis(theta, w3, run.world.time());
    worst = std::max(worst, (run.center(0) - expected).norm());
  }
  EXPECT_LT(worst, 2 * kHalfSubstep * run.fastest);  // and the phase, which is late by (C ω₃/I h)²/24 of 11 rad
  EXPECT_LT(run.drift, 1.2 * kHalfSubstep * run.power);
}

// Ω = m g l/(C ω) at a right angle.
TEST_P(RealtimeMechanism, GyroscopePrecessesAtTorqueOverSpin) {
  const Real w3 = 200, Omega = Top::m * kGravity * Top::l / (Top::C * w3);
  Watched run = make(Top(kPi / 2, w3, Omega));
  for (int i = 0; i < 120; ++i) {
    run.step_and_watch();
    const Vec3 axis = run.center(0) / Top::l;
    ASSERT_NEAR(std::remainder(std::atan2(axis.y(), axis.x()) - Omega * run.world.time(), 2 * kPi), 0, 5e-3);
    ASSERT_LT(std::abs(axis.z()), 5e-3);
  }
}

}  // namespace
}  // namespace visviva::mechanisms
