// The baseline of `visviva bench variational` must be what it is said to be: Runge and Kutta's method, of order 4.
#include <gtest/gtest.h>

#include <cmath>

#include "bench/variational/runge_kutta.hpp"
#include "bench/variational/systems.hpp"
#include "visviva/core/error.hpp"
#include "visviva/motion/exact_rotation.hpp"

namespace visviva::bench {
namespace {

using motion::BodyState;

BodyState after_flight(const BounceSystem& system, Real duration, int steps) {
  const RungeKuttaFlow flow(system.body.mass, system.body.gravity);
  RungeKuttaState s = to_runge_kutta(system.start);
  for (int i = 0; i < steps; ++i) s = flow.step(s, duration / steps);
  return to_body_state(s);
}

// err = c h⁴ (1 + O(h)), so halving h divides it by 16 up to O(h): 2 s in steps of 0.05 and 0.025 s, with |Ω| near 2.
TEST(RungeKuttaBaseline, RotationConvergesWithOrderFourToTheExactOne) {
  for (const BounceSystem& system : lgvci_systems()) {
    if (system.name == "IV") continue;  // a cube turns uniformly
    const motion::ExactRotation rotation(system.body.mass.J, system.start.R, system.start.Pi);
    const motion::ExactRotation::Attitude exact = rotation.at(2);
    const auto error = [&](int steps) {
      const BodyState s = after_flight(system, 2, steps);
      return Vec2((s.R - exact.R).norm(), (s.Pi - exact.Pi).norm());
    };
    const Vec2 coarse = error(40), fine = error(80);
    for (int i = 0; i < 2; ++i) EXPECT_NEAR(std::log2(coarse(i) / fine(i)), 4, 0.1) << system.name << " " << i;
    EXPECT_LT(fine.maxCoeff(), 1e-6);
    EXPECT_GT(fine.minCoeff(), 1e-13);  // truncation, not rounding, was measured
  }
}

TEST(RungeKuttaBaseline, FlightIsTheParabola) {
  const BounceSystem system = lgvci_systems().front();
  const BodyState s = after_flight(system, 2, 100);
  const Vec3 x = system.start.x + 2 * system.start.gamma + 2 * system.body.gravity;
  const Vec3 gamma = system.start.gamma + 2 * system.body.gravity;
  EXPECT_LE((s.x - x).norm(), 100 * 0x1p-52 * 20);  // 100 sums of numbers up to 20
  EXPECT_LE((s.gamma - gamma).norm(), 100 * 0x1p-52 * 20);
}

// The first collision of each system, against the exact flow: a time that is off by the order of the method.
TEST(RungeKuttaBaseline, FirstCollisionComesWhenItDoesWithTheExactFlow) {
  for (const BounceSystem& system : lgvci_systems()) {
    variational::BounceSettings settings;
    settings.flow = variational::BounceFlow::Exact;
    variational::Bouncer exact(system.body, system.start, settings);
    while (exact.collisions().empty()) ASSERT_TRUE(exact.step());
    const Real t = exact.collisions()[0].t;
    const auto error = [&](Real h) {
      RungeKuttaBouncer bouncer(system.body, system.start, h);
      int steps = 0;
      while (bouncer.collisions() == 0 && bouncer.step()) ++steps;
      return std::abs((steps - 1) * h + bouncer.last_collision() - t);
    };
    const Real coarse = error(0.02), fine = error(0.005);
    if (system.name == "IV") {
      EXPECT_LT(coarse, 1e-8);  // (Ωh)⁴Ωt/120
    } else {
      EXPECT_NEAR(std::log(coarse / fine) / std::log(4.0), 4, 0.5) << system.name << " " << coarse << " " << fine;
    }
  }
}

TEST(RungeKuttaBaseline, CollisionsKeepTheEnergy) {
  const BounceSystem cube = lgvci_systems()[3];  // whose flight keeps it but for rounding
  const auto energy = [&](const BodyState& s) {
    return kinetic_translation(cube.body.mass, s) + kinetic_rotation(cube.body.mass, s) -
           cube.body.mass.mass * cube.body.gravity.dot(s.x);
  };
  RungeKuttaBouncer bouncer(cube.body, cube.start, 0.01);
  int collisions = 0;
  for (int i = 0; i < 5000; ++i) {
    ASSERT_TRUE(bouncer.step());
    collisions += bouncer.collisions();
  }
  EXPECT_GT(collisions, 20);
  const Real E0 = energy(cube.start);
  EXPECT_NEAR(energy(bouncer.state()), E0, 5000 * 0x1p-52 * E0);
}

TEST(RungeKuttaBaseline, RefusesAnInertiaThatIsNotDiagonal) {
  Mat3 J = Vec3(5, 4, 2.6).asDiagonal();
  J(0, 1) = J(1, 0) = 0.1;
  EXPECT_THROW(RungeKuttaFlow(motion::make_body_mass(1, J), Vec3::Zero()), InvalidArgument);
}

}  // namespace
}  // namespace visviva::bench
