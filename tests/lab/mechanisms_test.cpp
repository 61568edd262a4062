// Mechanisms with known answers, in the lab, at its best: projected to rounding, of second order.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <boost/math/special_functions/ellint_1.hpp>

#include "mechanism.hpp"
#include "tests/mechanisms/scenes.hpp"
#include "visviva/lab/from_model.hpp"

namespace visviva::lab {
namespace {

using namespace mechanisms;

/// Direct, second order, positions projected: the lab at its best.
Settings precise() {
  Settings settings;
  settings.integrator = Integrator::ImplicitMidpoint;
  settings.stabilisation = Stabilisation::Post;
  return settings;
}

World world_of(const Scene& scene, const Settings& settings = precise()) {
  const ModelSystem made = from_model(scene.model);
  return World(made.system, made.state, settings);
}

// --- Pendulum

/// Time between the first and the third passage through the lowest point.
Real measured_period(World& world, Real h) {
  std::vector<Real> crossings;
  Real before = world.state().bodies[0].x.x();
  while (crossings.size() < 3) {
    (void)world.step(h);
    const Real now = world.state().bodies[0].x.x();
    if (before * now < 0) crossings.push_back(world.state().time - h * now / (now - before));
    before = now;
  }
  return crossings[2] - crossings[0];
}

// T = 4 √(2L/3g) K(sin ½φ₀) of a rod. The midpoint rule errs by (ωh)²/24 or so: 1e-5 at h = 5 ms, and by a quarter of
// it at half the step.
TEST(Pendulum, PeriodIsTheEllipticIntegral) {
  const Real length = 1.2, angle = 2.0;
  const Real expected = 4 * std::sqrt(2 * length / (3 * kGravity)) * boost::math::ellint_1(std::sin(angle / 2));
  const auto error = [&](Real h) {
    World world = world_of(Pendulum(length, angle));
    return std::abs(measured_period(world, h) / expected - 1);
  };
  EXPECT_LT(error(0.005), 1e-4);
  EXPECT_NEAR(order(error(0.01), error(0.005)), 2, 0.2);
}

TEST(Pendulum, BearsItsWeightAtRestAndThreeHalvesMoreAtTheLowestPoint) {
  World hanging = world_of(Pendulum(1, 0));
  run(hanging, 0.01, 0.1);
  EXPECT_NEAR(hanging.reaction(0).force.z(), kGravity, 1e-9);
  EXPECT_LT(hanging.reaction(0).torque.norm(), 1e-9);
  // From horizontal: ½ (m L²/3) ω² = m g L/2, so ω² = 3g/L and the force is m g + m ω² L/2 = 5/2 m g there.
  World swinging = world_of(Pendulum(1, mechanisms::kPi / 2));
  Real largest = 0;
  for (int i = 0; i < 1000; ++i) {
    (void)swinging.step(0.002);
    largest = std::max(largest, swinging.reaction(0).force.norm());
  }
  EXPECT_NEAR(largest, 2.5 * kGravity, 2e-4 * kGravity);
}

// --- Double pendulum

// Two seconds, in which both arms swing through and back. Second order, and a few millimetres at h = 5 ms.
TEST(DoublePendulum, FollowsMinimalCoordinates) {
  const Vec3 center = DoublePendulum::exact_center(2);
  const auto error = [&](Real h) {
    World world = world_of(DoublePendulum());
    run(world, h, 2);
    EXPECT_LT(world.errors().linear, 1e-13);
    return (world.state().bodies[1].x - center).norm();
  };
  EXPECT_LT(error(0.0025), 2e-3);
  EXPECT_NEAR(order(error(0.005), error(0.0025)), 2, 0.2);
}

TEST(DoublePendulum, KeepsItsEnergyUnderTheMidpointRule) {
  World world = world_of(DoublePendulum());
  const Real start = world.energy().total();
  Real worst = 0;
  for (int i = 0; i < 2000; ++i) {
    (void)world.step(0.005);
    worst = std::max(worst, std::abs(world.energy().total() - start));
  }
  EXPECT_LT(worst, 0.02 * std::abs(start));  // 10 s of chaotic motion, second order
}

// --- Four-bar and slider–crank

/// A user row that turns a body about z at a constant rate, from x.
UserRows turn_at(std::uint32_t body, Real rate) {
  return [=](const State& state, Real, std::vector<Row>& rows) {
    const Vec3 x = rotate(state.bodies[body].r, Vec3(Vec3::UnitX()));
    Row row;
    row.b = static_cast<int>(body);
    row.J.w_b = Vec3::UnitZ();
    row.angular = true;
    row.error = std::remainder(std::atan2(x.y(), x.x()) - rate * state.time, 2 * mechanisms::kPi);
    row.bias = rate;
    rows.push_back(row);
  };
}

/// A linkage whose crank turns at a constant rate.
World driven(const Scene& scene, std::uint32_t crank, Real rate) {
  ModelSystem made = from_model(scene.model);
  made.system.user_rows.push_back(turn_at(crank, rate));
  return World(made.system, made.state, precise());
}

// Driven by its crank, the follower goes where the triangle of its lengths says, over three turns.
TEST(FourBar, FollowsItsClosedFormThroughThreeTurnsWithRedundantRows) {
  const FourBar scene;
  World world = driven(scene, scene.first, FourBar::rate);
  Real worst = 0;
  for (int i = 0; i < 950; ++i) {
    (void)world.step(0.01);
    const Vec3 expected = FourBar::follower_at(FourBar::rate * world.state().time);
    worst = std::max(worst, (world.state().bodies[scene.third].x - expected).norm());
  }
  EXPECT_LT(worst, 1e-10);  // positions are projected: rounding, times the condition of the linkage
  EXPECT_LT(world.errors().linear, 1e-12);
}

TEST(SliderCrank, FollowsItsClosedForm) {
  const SliderCrank scene;
  World world = driven(scene, scene.crank, SliderCrank::rate);
  Real worst = 0, worst_velocity = 0;
  for (int i = 0; i < 500; ++i) {
    (void)world.step(0.005);
    const Real angle = SliderCrank::rate * world.state().time;
    const BodyMotion& s = world.state().bodies[scene.slider];
    worst = std::max(worst, std::abs(s.x.x() - SliderCrank::place(angle)));
    worst_velocity = std::max(worst_velocity, std::abs(s.v.x() - SliderCrank::velocity(angle, SliderCrank::rate)));
  }
  EXPECT_LT(worst, 1e-11);
  EXPECT_LT(worst_velocity, 1e-10);
}

// --- Bricard

int degrees_of_freedom(const World& world) {
  const std::vector<Row> rows = world.rows_at(world.state(), 0.01);
  const MatX Gamma(response_matrix(rows, inverse_masses(world.system(), world.state())));
  const Eigen::SelfAdjointEigenSolver<MatX> eigen(Gamma);
  int rank = 0;
  for (Eigen::Index i = 0; i < Gamma.rows(); ++i)
    rank += eigen.eigenvalues()[i] > 1e-9 * eigen.eigenvalues().maxCoeff();
  return 6 * 5 - rank;
}

TEST(Bricard, MovesWithOneDegreeOfFreedomAndDoesNotComeApart) {
  World world = world_of(Bricard());
  const State first = world.state();
  const Real start = world.energy().total();
  EXPECT_EQ(degrees_of_freedom(world), 1);
  Real moved = 0, worst = 0;
  for (int i = 0; i < 1000; ++i) {
    const StepReport report = world.step(0.005);
    ASSERT_TRUE(report.finite);
    ASSERT_LT(world.errors().linear, 1e-9) << i;
    worst = std::max(worst, std::abs(world.energy().total() - start));
    for (std::size_t b = 0; b < 6; ++b) moved = std::max(moved, (world.state().bodies[b].x - first.bodies[b].x).norm());
    if (i % 100 == 0) {
      ASSERT_EQ(degrees_of_freedom(world), 1) << i;
    }
  }
  EXPECT_GT(moved, 0.5);  // it falls, as it would not if the redundant row held it
  EXPECT_LT(worst, 0.02 * std::abs(start));
}

// All solvers and stabilisations keep it together, each as well as it can.
TEST(Bricard, RedundantRowsExplodeUnderNoSolver) {
  for (const SolverKind solver :
       {SolverKind::Direct, SolverKind::Pgs, SolverKind::Sequential, SolverKind::SubstepSoft}) {
    Settings settings;
    settings.solver = solver;
    settings.iterations = 100;
    settings.substeps = solver == SolverKind::SubstepSoft ? 8 : 1;
    World world = world_of(Bricard(), settings);
    const Real start = world.energy().total();
    for (int i = 0; i < 300; ++i) {
      (void)world.step(0.01);
      ASSERT_LT(world.errors().linear, 0.05) << to_string(solver) << " " << i;
      ASSERT_LT(world.energy().total(), start + 0.1 * std::abs(start)) << to_string(solver) << " " << i;
    }
  }
}

// --- Flyball governor

TEST(FlyballGovernor, ArmsStandWhereGravityAndTurnBalance) {
  World world = world_of(Governor());
  run(world, 0.002, 6);
  for (const std::size_t b : {1u, 2u})
    EXPECT_NEAR(Governor::angle_of(world.state().bodies[b].x), Governor::angle(), 1e-4);
}

// --- Tops

TEST(HeavyTop, PrecessesSteadilyAtTheClosedFormRate) {
  const Real theta = 0.6, w3 = 150, Omega = Top::steady_precession(theta, w3);
  World world = world_of(Top(theta, w3 - Omega * std::cos(theta), Omega));
  const Real h = 0.001, t = 1;
  run(world, h, t);
  const Vec3 axis = world.state().bodies[0].x / Top::l;
  EXPECT_NEAR(std::acos(axis.z()), theta, 2e-3);
  EXPECT_NEAR(std::remainder(std::atan2(axis.y(), axis.x()) - Omega * t, 2 * mechanisms::kPi), 0, 5e-3);
}

TEST(HeavyTop, NutatesAsTheReducedEquationSays) {
  const Real theta = 0.6, w3 = 60;
  const Vec3 expected = Top::nutating_axis(theta, w3, 0.5);
  const auto error = [&](Real h) {
    World world = world_of(Top(theta, w3, 0));
    run(world, h, 0.5);
    return (world.state().bodies[0].x / Top::l - expected).norm();
  };
  EXPECT_LT(error(0.0005), 2e-3);
  EXPECT_NEAR(order(error(0.001), error(0.0005)), 2, 0.2);
}

// A fast gyroscope held at one end of its horizontal axis: Ω = m g l/(C ω) (exact at θ = 90°), and it does not sink.
TEST(Gyroscope, PrecessesAtTorqueOverSpin) {
  const Real w3 = 200, Omega = Top::m * kGravity * Top::l / (Top::C * w3);
  World world = world_of(Top(mechanisms::kPi / 2, w3, Omega));
  run(world, 0.0005, 0.5);
  const Vec3 axis = world.state().bodies[0].x / Top::l;
  EXPECT_NEAR(std::atan2(axis.y(), axis.x()), Omega * 0.5, 5e-3);
  EXPECT_LT(std::abs(axis.z()), 5e-3);
}

}  // namespace
}  // namespace visviva::lab
