// Bodies that turn freely: energy and angular momentum stay, and the intermediate axis flips in time.
#include <gtest/gtest.h>

#include <boost/math/special_functions/ellint_1.hpp>
#include <cmath>

#include "scene_parts.hpp"

namespace visviva::dynamics {
namespace {

BodyDesc spinning_body(const Vec3& moments, const Vec3& momentum_body) {
  BodyDesc desc;
  desc.name = "top";
  desc.mass = geometry::MassProperties{.mass = 1, .inertia = moments.asDiagonal()};
  desc.angular_velocity = momentum_body.cwiseQuotient(moments);
  return desc;
}

TEST(FreeSpin, NeitherGainsNorLoses) {
  World world;
  const Vec3 L(4, -4, 4);
  const BodyId top = world.create_body(spinning_body(Vec3(5, 4, 2.6), L));
  world.set_gravity_scale(top, 0);
  const Real energy = world.kinetic_energy(top);
  EXPECT_NEAR(energy, (16 / 5.0 + 16 / 4.0 + 16 / 2.6) / 2, 1e-14 * energy);
  Real energy_error = 0, momentum_error = 0;
  while (world.time() < 100) {
    static_cast<void>(world.step(kStep));
    energy_error = std::max(energy_error, std::abs(world.kinetic_energy(top) - energy) / energy);
    momentum_error = std::max(momentum_error, (angular_momentum(world, top) - L).norm() / L.norm());
  }
  EXPECT_LT(energy_error, 1e-11);
  EXPECT_LT(momentum_error, 1e-11);
  EXPECT_LT(world.center_of_mass(top).norm(), 1e-15);
}

// Far beyond what the discrete map can turn in a sub-step.
TEST(FreeSpin, FastSpinNeitherGainsNorLoses) {
  World world(without_gravity());
  const Vec3 L(4000, -4000, 4000);
  const BodyId top = world.create_body(spinning_body(Vec3(5, 4, 2.6), L));
  const Real energy = world.kinetic_energy(top);
  run_steps(world, 600);
  EXPECT_NEAR(world.kinetic_energy(top), energy, 1e-10 * energy);
  EXPECT_LT((angular_momentum(world, top) - L).norm(), 1e-10 * L.norm());
}

// Landau and Lifshitz, Mechanics, §37: with I1 < I2 < I3 and M² > 2 E I2 the rate about the second axis is an sn of
// period 4 K(k)/n.
TEST(FreeSpin, IntermediateAxisFlipsInTheTimeOfTheEllipticIntegral) {
  const Vec3 I(1, 2, 3);
  const Vec3 rate(0, 5, 0.2);  // nearly about the intermediate axis
  const Real twice_energy = I.dot(rate.cwiseAbs2()), M2 = I.cwiseProduct(rate).squaredNorm();
  ASSERT_GT(M2, twice_energy * I[1]);
  const Real n = std::sqrt((I[2] - I[1]) * (M2 - twice_energy * I[0]) / I.prod());
  const Real k2 = (I[1] - I[0]) * (twice_energy * I[2] - M2) / ((I[2] - I[1]) * (M2 - twice_energy * I[0]));
  const Real half_period = 2 * boost::math::ellint_1(std::sqrt(k2)) / n;

  World world(without_gravity());
  const BodyId top = world.create_body(spinning_body(I, I.cwiseProduct(rate)));
  const auto middle_rate = [&] { return (world.pose(top).R.transpose() * world.angular_velocity(top)).y(); };
  Real before = middle_rate(), first = 0, last = 0;
  int flips = 0;
  while (world.time() < 60) {
    const Real time = world.time();
    static_cast<void>(world.step(kStep));
    const Real now = middle_rate();
    if (before * now < 0) {
      last = time + kStep * before / (before - now);
      if (flips++ == 0) first = last;
    }
    before = now;
  }
  ASSERT_GE(flips, 20);
  // The discrete map runs at a slightly other pace, by (|ω| h)²/12 and less; a flip is seen to a hundredth of a step.
  EXPECT_NEAR((last - first) / (flips - 1), half_period, 1e-3 * half_period);
  EXPECT_NEAR(first, half_period / 2, 2e-3 * half_period);
}

TEST(FreeSpin, LargestAndSmallestAxisKeepTheirDirection) {
  for (const int axis : {0, 2}) {
    World world(without_gravity());
    Vec3 rate = Vec3::Constant(1e-3);
    rate[axis] = 5;
    const Vec3 I(1, 2, 3);
    const BodyId top = world.create_body(spinning_body(I, I.cwiseProduct(rate)));
    for (int i = 0; i < 1800; ++i) {
      static_cast<void>(world.step(kStep));
      ASSERT_GT((world.pose(top).R.transpose() * world.angular_velocity(top))[axis], 4.99);
    }
  }
}

}  // namespace
}  // namespace visviva::dynamics
