#include <gtest/gtest.h>

#include <random>

#include "scene_parts.hpp"

// Bodies that turn by a large part of a radian, or by several turns, in a sub-step: rows cannot follow them, touches
// do.
namespace visviva::dynamics {
namespace {

constexpr Real kWall = 0.002;  ///< half its thickness [m]

struct Rod {
  Real spin, speed, restitution;
};

class Rods {
 public:
  explicit Rods(unsigned seed) : random_(seed) {}
  Real between(Real low, Real high) { return std::uniform_real_distribution<Real>(low, high)(random_); }
  Vec3 direction() {
    std::normal_distribution<Real> normal;
    const Real x = normal(random_), y = normal(random_);
    return Vec3(x, y, normal(random_)).normalized();
  }

  /// Throws a thin rod of random size, attitude and spin at a thin wall. Tells whether it stayed before it and whether
  /// its energy never grew.
  void expect_to_stay(const Rod& rod) {
    World world(without_gravity());
    const MaterialIndex material = make_material(world, between(0, 1), rod.restitution);
    world.create_body(static_body(Solid(Box{Vec3(kWall, 2, 2)}), {}, material));
    const Real length = between(0.1, 0.3), width = between(0.003, 0.01);
    BodyDesc desc = dynamic_body(Solid(Box{Vec3(length, width, width)}), at(-0.5, 0, 0), material);
    desc.X_WB.R = exp_so3(between(0, 3) * direction());
    desc.velocity = Vec3(rod.speed, between(-2, 2), between(-2, 2));
    desc.angular_velocity = rod.spin * direction();
    const BodyId id = world.create_body(desc);
    const Real first = world.kinetic_energy();
    Real energy = first;
    for (int i = 0; i < 60; ++i) {
      world.step(kStep);
      const Vec3 x = world.center_of_mass(id);
      if (x.tail<2>().cwiseAbs().maxCoeff() > 2 - 0.3) break;  // beside the wall
      ASSERT_LT(x.x(), 0) << "passed at " << world.time() << " s";
      // What the solver's floats round, as the ledger's remainder.
      ASSERT_LE(world.kinetic_energy(), energy + 1e-6 * first) << "gained at " << world.time() << " s";
      energy = world.kinetic_energy();
    }
  }

 private:
  std::mt19937 random_;
};

TEST(FastSpin, ThinRodsDoNotPassAThinWallAndGainNothing) {
  Rods rods(20260601);
  for (int i = 0; i < 100; ++i) {
    const Rod rod = {rods.between(200, 1600), rods.between(1, 20), i % 4 == 0 ? 0.0 : rods.between(0, 1)};
    SCOPED_TRACE("rod " + std::to_string(i) + ": " + std::to_string(rod.spin) + " rad/s, " + std::to_string(rod.speed) +
                 " m/s, e = " + std::to_string(rod.restitution));
    rods.expect_to_stay(rod);
  }
}

// With gravity they come back, lie on what spins away under them, and settle: rows take over as the spin goes.
TEST(FastSpin, RodsThatFallSpinningComeToRest) {
  std::mt19937 random(7);
  std::uniform_real_distribution<Real> uniform(-1, 1);
  for (int i = 0; i < 6; ++i) {
    WorldSettings settings = without_sleep();
    settings.keep_ledger = true;
    World world(settings);
    const MaterialIndex material = make_material(world, 0.5, i % 2 == 0 ? 0.0 : 0.3);
    world.create_body(ground_plane(material));
    BodyDesc rod = dynamic_body(Solid(Box{Vec3(0.2, 0.01, 0.01)}), at(0, 0, 0.5), material);
    rod.angular_velocity = 400 * Vec3(uniform(random), uniform(random), uniform(random));
    const BodyId id = world.create_body(rod);
    const Real first = world.kinetic_energy() + world.potential_energy();
    for (int k = 0; k < 600; ++k) {
      world.step(kStep);
      ASSERT_LE(world.kinetic_energy() + world.potential_energy(), first * (1 + 1e-6)) << i << " at " << world.time();
      ASSERT_GT(world.center_of_mass(id).z(), 0) << i << " at " << world.time();
    }
    const EnergyLedger ledger = world.ledger();
    EXPECT_LT(std::abs(ledger.remainder()), 1e-6 * ledger.scale()) << i;
  }
}

// A ball's rows follow any spin: it rolls on (v = ω r, no friction acts), but for what the depth of its contact, less
// than 10 µm under its weight, takes off the lever: 2e-4 of it.
TEST(FastSpin, BallRollsAtAnySpin) {
  World world;
  world.create_body(ground_plane(make_material(world, 0.5, 0)));
  BodyDesc ball = dynamic_body(ball_of(0.05), at(0, 0, 0.05));
  ball.velocity.x() = 50;
  ball.angular_velocity.y() = 1000;
  const BodyId id = world.create_body(ball);
  run_steps(world, 60);
  EXPECT_NEAR(world.velocity(id).x(), 50, 2e-4 * 50);
  EXPECT_NEAR(world.center_of_mass(id).z(), 0.05, 1e-4);
}

}  // namespace
}  // namespace visviva::dynamics
