// Correction and relaxation of [havok II.3.3], on a mass at the end of a rod whose length is wrong at the start.
#include <gtest/gtest.h>

#include <algorithm>

#include "mechanism.hpp"

namespace visviva::lab {
namespace {

/// A mass at rest on a rod that is 10 % too long: C = 0.1 m, along x, where nothing else moves.
struct WrongRod : Mechanism {
  WrongRod() {
    system.gravity.setZero();
    const int mass = add(ball(2, 0.05), {1.1, 0, 0});
    join_by_rod(kWorld, mass, {0, 0, 0}, {1.1, 0, 0});
    system.joints[0].length = {1, 1, 0, 1};
  }
};

Settings by(Stabilisation stabilisation) {
  Settings settings;
  settings.stabilisation = stabilisation;
  return settings;
}

Real error_of(const World& world) { return world.state().bodies[0].x.x() - 1; }

// J v = -β C / h gives C(k) = C(0) (1 - β)^k at any h. [havok II.3.3.1] prints the bias -βC, with which it would be
// (1 - βh)^k.
TEST(HavokII331Baumgarte, ErrorFallsByOneMinusBetaAStep) {
  for (const Real beta : {0.2, 0.8, 1.0, 1.5}) {
    Settings settings = by(Stabilisation::Baumgarte);
    settings.beta = beta;
    World world = WrongRod().world(settings);
    for (int k = 1; k <= 10; ++k) {
      (void)world.step(1.0 / 60);
      EXPECT_NEAR(error_of(world), 0.1 * std::pow(1 - beta, k), 1e-14) << "β " << beta << ", step " << k;
    }
  }
}

TEST(HavokII331Baumgarte, DivergesOutsideZeroToTwo) {
  Settings settings = by(Stabilisation::Baumgarte);
  settings.beta = 2.1;
  World world = WrongRod().world(settings);
  for (int k = 0; k < 10; ++k) (void)world.step(1.0 / 60);
  EXPECT_NEAR(std::abs(error_of(world)), 0.1 * std::pow(1.1, 10), 1e-12);
}

// C̈ + αĊ + βC = 0, with Ċ = 0 at the start: critically damped for α = 2√β, C = C₀ (1 + λt) e^{-λt}, λ = α/2. The
// discrete form is of first order in h: λh = 2 %.
TEST(HavokII331Baumgarte, OnAccelerationsIsADampedOscillator) {
  Settings settings = by(Stabilisation::BaumgarteAcceleration);
  settings.alpha = 20;
  settings.beta_acceleration = 100;
  const auto error_after = [&](Real h) {
    World world = WrongRod().world(settings);
    run(world, h, 0.2);
    return error_of(world) - 0.1 * 3 * std::exp(-2.0);
  };
  EXPECT_LT(std::abs(error_after(1e-3)), 0.02 * 0.1);
  EXPECT_NEAR(order(error_after(2e-3), error_after(1e-3)), 1, 0.05);
}

// 75 % of the error are gone after a second, whatever the step.
TEST(HavokII332Erp, OfThreeQuartersLeavesAQuarterAfterASecondAtAnyStep) {
  for (const Real h : {1.0 / 30, 1.0 / 60, 1.0 / 1000}) {
    Settings settings = by(Stabilisation::Erp);
    settings.erp = 0.75;
    World world = WrongRod().world(settings);
    run(world, h, 1);
    EXPECT_NEAR(error_of(world), 0.025, 1e-13) << h;
  }
}

/// A mass that turns about the origin at 3 rad/s on a rod of 1 m.
struct Turning : Mechanism {
  Turning() {
    system.gravity.setZero();
    const int mass = add(ball(1, 0.05), {1, 0, 0}, {0, 3, 0});
    join_by_rod(kWorld, mass, {0, 0, 0}, {1, 0, 0});
  }
};

Real worst_error(const Settings& settings, Real h, int steps) {
  World world = Turning().world(settings);
  Real worst = 0;
  for (int i = 0; i < steps; ++i) {
    (void)world.step(h);
    worst = std::max(worst, world.errors().linear);
  }
  return worst;
}

// Velocities alone let the radius grow by half the square of the way of a step, each step. With the error predicted at
// t + h what a step adds to it falls from (ωh)²/2 to the fourth power.
TEST(HavokII333Prediction, MakesWhatAStepAddsToTheErrorOfFourthOrder) {
  Settings settings = by(Stabilisation::Predicted);
  const auto added = [&](Real h) { return worst_error(settings, h, 1); };
  settings.stabilisation = Stabilisation::None;
  EXPECT_NEAR(added(0.01), 0.03 * 0.03 / 2, 1e-6);
  EXPECT_NEAR(order(added(0.02), added(0.01)), 2, 0.01);
  settings.stabilisation = Stabilisation::Predicted;
  EXPECT_LT(added(0.01), 1e-6);
  EXPECT_NEAR(order(added(0.02), added(0.01)), 4, 0.05);
}

// A position projection leaves no error but rounding, and no velocity: energy is what the velocity solve left.
TEST(HavokII334PostStabilisation, LeavesDriftAtRoundingAndNoVelocity) {
  EXPECT_LT(worst_error(by(Stabilisation::Post), 0.01, 500), 1e-14 * 4);
  EXPECT_GT(worst_error(by(Stabilisation::None), 0.01, 500), 0.05);
  World world = WrongRod().world(by(Stabilisation::Post));
  (void)world.step(0.01);
  EXPECT_NEAR(error_of(world), 0, 1e-15);
  EXPECT_EQ(world.energy().kinetic, 0);
  // Baumgarte with β = 1 makes the same way with velocity, and keeps it.
  Settings baumgarte = by(Stabilisation::Baumgarte);
  baumgarte.beta = 1;
  World moving = WrongRod().world(baumgarte);
  (void)moving.step(0.01);
  EXPECT_NEAR(error_of(moving), 0, 1e-15);
  EXPECT_NEAR(moving.energy().kinetic, 0.5 * 2 * 10 * 10, 1e-9);
}

// (Γ + ε)λ = η with ε = 1/(h (hk + c)) and β = hk/(hk + c) is the implicit step of a spring k and damper c: the mass of
// 2 kg on 50 N/m with ζ = 0.1 swings with ω = 5 rad/s, measured at zero crossings, and decays by the logarithmic
// decrement. Implicit Euler adds a damping of ωh/2 = 0.0025 to ζ, and its period is off by (ωh)²: h is small.
TEST(HavokII335Cfm, IsAnImplicitSpringAndDamper) {
  const Real k = 50, m = 2, omega = 5, zeta = 0.1, c = 2 * zeta * m * omega, h = 1e-3;
  Settings settings = by(Stabilisation::Cfm);
  settings.cfm = 1 / (h * (h * k + c));
  settings.beta = h * k / (h * k + c);
  World world = WrongRod().world(settings);
  std::vector<Real> crossings, peaks;
  Real before = 0.1, peak = 0;
  while (crossings.size() < 9) {
    (void)world.step(h);
    const Real now = error_of(world);
    peak = std::max(peak, std::abs(now));
    if (before * now < 0) {
      crossings.push_back(world.state().time - h * now / (now - before));
      peaks.push_back(peak);
      peak = 0;
    }
    before = now;
  }
  const Real half_period = (crossings.back() - crossings.front()) / 8;
  EXPECT_NEAR(kPi / half_period, omega * std::sqrt(1 - zeta * zeta), 1e-3 * omega);
  const Real decrement = std::log(peaks[2] / peaks[8]) / 6;  // of half a period
  const Real measured = decrement / std::hypot(kPi, decrement);
  EXPECT_NEAR(measured, zeta + omega * h / 2, 2e-4);
}

// An error of velocity falls by 1 - κ a step.
TEST(HavokII336VelocityErrorScaling, VelocityErrorFallsByOneMinusKappaAStep) {
  Mechanism sliding;
  sliding.system.gravity.setZero();
  const int mass = sliding.add(ball(2, 0.05), {1, 0, 0}, {1, 0, 0});
  sliding.join_by_rod(kWorld, mass, {0, 0, 0}, {1, 0, 0});
  for (const Real kappa : {0.3, 0.8, 1.0}) {
    Settings settings = by(Stabilisation::VelocityScaling);
    settings.kappa = kappa;
    settings.beta = 0;
    World world = sliding.world(settings);
    for (int k = 1; k <= 8; ++k) {
      (void)world.step(0.01);
      EXPECT_NEAR(world.state().bodies[0].v.x(), std::pow(1 - kappa, k), 1e-14);
    }
  }
}

// n sub-steps of one iteration: an Euler step leaves a joint off by half the square of its way, so cut into n it is n
// times a n²-th of that, of which the next sub-steps take out what came before: the error falls as 1/n².
TEST(HavokI12SubStepping, JointErrorFallsWithTheSquareOfSubSteps) {
  const auto error = [](SolverKind solver, int substeps) {
    Settings settings = by(Stabilisation::Baumgarte);
    settings.solver = solver;
    settings.substeps = substeps;
    settings.iterations = 1;
    return worst_error(settings, 1.0 / 60, 120);
  };
  for (const SolverKind solver : {SolverKind::Sequential, SolverKind::Pgs, SolverKind::Direct})
    for (const int n : {2, 4, 8})
      EXPECT_NEAR(order(error(solver, n), error(solver, 2 * n)), 2, 0.1) << to_string(solver) << " " << n;
  // Soft rows are as stiff as the sub-step allows: a quarter of its rate, up to 60 Hz. From there on, at n = 4, they
  // get no stiffer, and what a sub-step adds is all that falls.
  EXPECT_NEAR(order(error(SolverKind::SubstepSoft, 1), error(SolverKind::SubstepSoft, 2)), 2, 0.2);
  EXPECT_LT(error(SolverKind::SubstepSoft, 16), error(SolverKind::SubstepSoft, 4));
}

}  // namespace
}  // namespace visviva::lab
