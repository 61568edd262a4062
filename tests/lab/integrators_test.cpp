// The integrators of [havok I.1.1, II.2.1], the compositions of I.1.2.1 and the two Newton–Eulers of II.1.
#include <gtest/gtest.h>

#include <algorithm>

#include "mechanism.hpp"

namespace visviva::lab {
namespace {

/// A mass on a spring between it and the origin: ẍ = -ω² x.
struct Oscillator : Mechanism {
  Real omega;
  explicit Oscillator(Real rate) : omega(rate) {
    system.gravity.setZero();
    add(ball(1, 0.1), {1, 0, 0});
    system.forces = [rate](const State& s, std::vector<Wrench>& f) { f[0].force = -rate * rate * s.bodies[0].x; };
    system.potential = [rate](const State& s) { return rate * rate * s.bodies[0].x.squaredNorm() / 2; };
  }
};

Settings with(Integrator integrator) {
  Settings settings;
  settings.integrator = integrator;
  return settings;
}

Real energy_after(Integrator integrator, Real h, int steps) {
  const Oscillator oscillator(1);
  World world = oscillator.world(with(integrator));
  for (int i = 0; i < steps; ++i) (void)world.step(h);
  return world.energy().total();
}

// The explicit Euler step multiplies the energy of an oscillator by 1 + (hω)², the implicit one divides by it; the
// implicit midpoint rule keeps it; the explicit one multiplies by 1 + (hω)⁴/4. Exact, so the tolerance is rounding.
TEST(HavokII21Integrators, OscillatorGainsLosesOrKeepsEnergyAsTheClosedFormsSay) {
  const Real h = 0.1;
  const int n = 200;
  const Real gain = std::pow(1 + h * h, n);
  EXPECT_NEAR(energy_after(Integrator::ExplicitEuler, h, n), 0.5 * gain, 1e-12 * gain);
  EXPECT_NEAR(energy_after(Integrator::ImplicitEuler, h, n), 0.5 / gain, 1e-10);
  EXPECT_NEAR(energy_after(Integrator::ImplicitMidpoint, h, n), 0.5, 1e-10);
  EXPECT_NEAR(energy_after(Integrator::ExplicitMidpoint, h, n), 0.5 * std::pow(1 + h * h * h * h / 4, n), 1e-12);
}

// Semi-implicit Euler keeps ½(v² + x² - h v x) (ω = 1), so its energy stays within h/(2 - h) of the true one for ever.
TEST(HavokII21Integrators, SemiImplicitEulerKeepsItsEnergyBounded) {
  const Real h = 0.1;
  const Oscillator oscillator(1);
  World world = oscillator.world(with(Integrator::SemiImplicitEuler));
  const auto invariant = [&] {
    const BodyMotion& s = world.state().bodies[0];
    return (s.v.squaredNorm() + s.x.squaredNorm() - h * s.v.dot(s.x)) / 2;
  };
  const Real at_start = invariant();
  for (int i = 0; i < 10'000; ++i) {
    (void)world.step(h);
    ASSERT_NEAR(invariant(), at_start, 1e-11);
    ASSERT_NEAR(world.energy().total(), 0.5, 0.5 * h / (2 - h) * 1.01);
  }
}

// The stiff oscillator hω = 20: explicit rules leave all bounds, the implicit ones do not (the midpoint rule keeps the
// energy, implicit Euler is at rest at once).
TEST(HavokII21Integrators, ImplicitRulesStandStiffnessThatExplicitOnesDoNot) {
  const Oscillator oscillator(200);
  const auto energy_of = [&](Integrator integrator) {
    World world = oscillator.world(with(integrator));
    for (int i = 0; i < 20; ++i) (void)world.step(0.1);
    return world.energy().total();
  };
  const Real start = 0.5 * 200 * 200;
  EXPECT_GT(energy_of(Integrator::ExplicitEuler), 1e6 * start);
  EXPECT_GT(energy_of(Integrator::ExplicitMidpoint), 1e6 * start);
  EXPECT_GT(energy_of(Integrator::SemiImplicitEuler), 1e6 * start);
  EXPECT_LT(energy_of(Integrator::ImplicitEuler), 1e-20 * start);
  EXPECT_NEAR(energy_of(Integrator::ImplicitMidpoint), start, 1e-6 * start);
}

Real oscillator_error(Integrator integrator, Real h) {
  const Oscillator oscillator(1);
  World world = oscillator.world(with(integrator));
  run(world, h, 1.6);
  const BodyMotion& s = world.state().bodies[0];
  return std::hypot(s.x.x() - std::cos(1.6), s.v.x() + std::sin(1.6));
}

TEST(HavokII21Integrators, HaveTheirOrders) {
  for (const auto& [integrator, expected] : {std::pair(Integrator::ExplicitEuler, 1),
                                             {Integrator::ImplicitEuler, 1},
                                             {Integrator::SemiImplicitEuler, 1},
                                             {Integrator::AlmostImplicit, 1},
                                             {Integrator::ExplicitMidpoint, 2},
                                             {Integrator::ImplicitMidpoint, 2}}) {
    const Real coarse = oscillator_error(integrator, 0.02), fine = oscillator_error(integrator, 0.01);
    EXPECT_NEAR(order(coarse, fine), expected, 0.06) << to_string(integrator);  // the next term is h = 2 % of it
  }
}

/// A mass on a rod about the origin, in the plane z = 0 without gravity, turning at 3 rad/s.
struct Turning : Mechanism {
  Turning() {
    system.gravity.setZero();
    const int mass = add(ball(1, 0.05), {1, 0, 0}, {0, 3, 0});
    join_by_rod(kWorld, mass, {0, 0, 0}, {1, 0, 0});
  }
};

/// Angle and energy errors after a second.
struct TurnError {
  Real angle, energy;
};
TurnError turning_error(Integrator integrator, Real h, Real t = 1) {
  const Turning turning;
  Settings settings = with(integrator);
  settings.stabilisation = Stabilisation::Post;
  World world = turning.world(settings);
  run(world, h, t);
  const Vec3& x = world.state().bodies[0].x;
  return {std::remainder(std::atan2(x.y(), x.x()) - 3 * t, 2 * kPi), world.energy().total() / 4.5 - 1};
}

// On a rod the rules keep their orders: of the midpoint rules the second.
TEST(HavokII21Integrators, KeepTheirOrdersOnARod) {
  for (const auto& [integrator, expected] : {std::pair(Integrator::ImplicitEuler, 1),
                                             {Integrator::SemiImplicitEuler, 1},
                                             {Integrator::AlmostImplicit, 1},
                                             {Integrator::ExplicitMidpoint, 2},
                                             {Integrator::ImplicitMidpoint, 2}}) {
    const Real coarse = std::abs(turning_error(integrator, 0.01).angle);
    const Real fine = std::abs(turning_error(integrator, 0.005).angle);
    EXPECT_NEAR(order(coarse, fine), expected, 0.15) << to_string(integrator) << " " << coarse << " " << fine;
  }
}

// theory/constraints.md (6): on a circle the semi-implicit rule keeps of v what is tangential at the start of the step,
// v' = v cos θ with θ = ωh, so ω̇ = -ω³h/2; with J and C predicted at t + h it is v' = v cos(3θ/2)/cos(θ/2), so
// ω̇ = -ω³h. Hence E/E₀ = 1/(1 + ω²ht) and 1/(1 + 2ω²ht), up to terms of higher order in θ = 0.03 (per cents of the
// loss).
TEST(HavokI11HybridIntegrator, IsDampedTwiceAsMuchAsTheSemiImplicitRuleToFirstOrder) {
  const Real h = 0.01;
  const Real semi = turning_error(Integrator::SemiImplicitEuler, h).energy;
  const Real hybrid = turning_error(Integrator::AlmostImplicit, h).energy;
  EXPECT_NEAR(semi, 1 / (1 + 9 * h) - 1, 0.02 * std::abs(semi));
  EXPECT_NEAR(hybrid, 1 / (1 + 18 * h) - 1, 0.02 * std::abs(hybrid));
}

// Fast against the step: 1.2 rad of it. The prediction is rough then, but damping still wins.
TEST(HavokI11HybridIntegrator, StaysBoundedOnAStiffPendulum) {
  const Turning turning;
  World world = turning.world(with(Integrator::AlmostImplicit));
  for (int i = 0; i < 200; ++i) {
    (void)world.step(0.4);
    ASSERT_LT(world.energy().total(), 4.5) << i;
  }
  EXPECT_LT(world.errors().linear, 1e-3);
}

// A body that turns at a constant rate for a time of 1 s in n steps: the compositions differ by the cube of the angle
// of a step, with the factors of math/quaternion.hpp; so the error of a run is of second order, but of the exact one.
TEST(HavokI121QuaternionComposition, ErrorsHaveTheirOrderAndFactor) {
  const Real rate = 2;
  const auto error = [&](Rotation rotation, Real h) {
    Mechanism free;
    free.system.gravity.setZero();
    free.add(ball(1, 1), Vec3::Zero(), Vec3::Zero(), {0, 0, rate});
    Settings settings;
    settings.rotation = rotation;
    World world = free.world(settings);
    run(world, h, 1);
    const Quaternion& r = world.state().bodies[0].r;
    return 2 * std::atan2(r.z, r.w) - rate;
  };
  const Real theta = rate * 0.01, steps = 100;
  const Real cube = steps * theta * theta * theta;
  EXPECT_NEAR(error(Rotation::FirstOrder, 0.01), -cube / 12, 1e-3 * cube);
  EXPECT_NEAR(error(Rotation::SecondOrder, 0.01), cube / 24, 1e-3 * cube);
  EXPECT_NEAR(error(Rotation::Cayley, 0.01), -cube / 48, 1e-3 * cube);
  EXPECT_NEAR(error(Rotation::Exponential, 0.01), 0, 1e-13);
  for (const Rotation rotation : {Rotation::FirstOrder, Rotation::SecondOrder, Rotation::Cayley})
    EXPECT_NEAR(order(error(rotation, 0.02), error(rotation, 0.01)), 2, 0.01);
}

/// A free body with three moments, spun about its middle axis and a little beside.
struct Tumbling : Mechanism {
  Tumbling() {
    system.gravity.setZero();
    Body body;
    body.inertia = Vec3(1, 2, 3).asDiagonal();
    add(body, Vec3::Zero(), Vec3::Zero(), {0.01, 2, 0.02});
  }
};

TEST(HavokII1ApproximateNewtonEuler, KeepsAngularVelocityInsteadOfMomentum) {
  const Tumbling tumbling;
  Settings settings;
  settings.integrator = Integrator::ImplicitMidpoint;
  settings.newton_euler = NewtonEuler::Approximate;
  World approximate = tumbling.world(settings);
  run(approximate, 0.01, 5);
  const Vec3 w0(0.01, 2, 0.02), L0(0.01, 4, 0.06);
  EXPECT_LT((approximate.state().bodies[0].w - w0).norm(), 1e-13);
  EXPECT_GT((angular_momentum(approximate.system(), approximate.state()) - L0).norm(), 0.01);

  settings.newton_euler = NewtonEuler::Full;
  World full = tumbling.world(settings);
  run(full, 0.01, 5);
  // It has tipped over by then (it grows e-fold in √3/2 s), and its momentum is kept to second order.
  EXPECT_GT((full.state().bodies[0].w - w0).norm(), 1);
  EXPECT_LT((angular_momentum(full.system(), full.state()) - L0).norm(), 2e-3);
  EXPECT_NEAR(full.energy().total(), tumbling.world(settings).energy().total(), 2e-3);
}

}  // namespace
}  // namespace visviva::lab
