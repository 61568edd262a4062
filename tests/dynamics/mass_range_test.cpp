// Masses that the solver's floats can hold: what is outside is refused, what is inside moves as theory says.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "crowd.hpp"
#include "visviva/core/error.hpp"

namespace visviva::dynamics {
namespace {

/// A body of this mass with the shape's own distribution.
BodyDesc with_mass(BodyDesc desc, Real mass) {
  desc.mass = geometry::with_mass(geometry::mass_properties(desc.shapes[0].solid, 1).properties, mass);
  return desc;
}

TEST(MassRange, WhatLiesOutsideIsRefusedWithTheRange) {
  World world;
  const BodyDesc ball = dynamic_body(ball_of(0.5), at(0, 0, 0), 0, "dust");
  for (const Real mass : {1e-30, 0.99 * kLeastMass, 1.01 * kLargestMass, 1e30}) {
    try {
      world.create_body(with_mass(ball, mass));
      ADD_FAILURE() << mass << " was not refused";
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.object(), "body 'dust'");
      EXPECT_EQ(error.field(), "mass");
      EXPECT_EQ(error.range(), "lie in [1e-12, 1000000000000] kg");
    }
  }
  for (const Real moment : {0.99 * kLeastMoment, 1.01 * kLargestMoment}) {
    BodyDesc desc = ball;
    desc.mass = geometry::MassProperties{.mass = 1, .inertia = moment * Mat3::Identity()};
    try {
      world.create_body(desc);
      ADD_FAILURE() << moment << " was not refused";
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.field(), "inertia") << error.what();
    }
  }
  EXPECT_EQ(world.body_count(), 0u);
  const BodyId id = world.create_body(ball);
  const geometry::MassProperties before = world.mass_properties(id);
  EXPECT_THROW(world.set_mass(id, geometry::with_mass(before, 1e30)), InvalidArgument);
  EXPECT_EQ(world.mass_properties(id).mass, before.mass);
}

/// A brick that slides on the ground until it has stopped, a ball that rolls against rolling friction, one that
/// bounces.
struct Movers {
  explicit Movers(Real mass) {
    const MaterialIndex stone = make_material(world, 0.4, 0), rubber = make_material(world, 0, 0.8);
    world.create_body(ground_plane(stone));
    BodyDesc sliding = dynamic_body(Solid(Box{Vec3(0.5, 0.5, 0.1)}), at(0, 0, 0.1), stone);
    sliding.velocity = Vec3(3, 0, 0);
    brick = world.create_body(with_mass(sliding, mass));
    BodyDesc rolling = dynamic_body(ball_of(0.5), at(0, 5, 0.5), stone);
    rolling.velocity = Vec3(2, 0, 0);
    rolling.angular_velocity = Vec3(0, 4, 0);
    rolling.shapes[0].rolling_friction = 0.01;
    ball = world.create_body(with_mass(rolling, mass));
    world.set_material_pair(stone, rubber, {0, 0.8, model::RestitutionLaw::Stronge});
    bouncer = world.create_body(with_mass(dynamic_body(ball_of(0.5), at(0, 10, 1.5), rubber), mass));
  }
  World world{without_sleep()};
  BodyId brick, ball, bouncer;
};

// v² / (2 μ g); a rolling ball is braked by (5/7) g b / r.
TEST(MassRange, AtItsBoundsBodiesMoveAsTheoryForetells) {
  for (const Real mass : {kLeastMass, 1.0, kLargestMass}) {
    SCOPED_TRACE(mass);
    Movers s(mass);
    Real highest = 0;
    for (int i = 0; i < 120; ++i) {
      ASSERT_TRUE(s.world.step(kStep).finite);
      if (i > 30 && i < 80) highest = std::max(highest, s.world.pose(s.bouncer).p.z());
    }
    EXPECT_NEAR(s.world.pose(s.brick).p.x(), 9 / (2 * 0.4 * kG), 0.02);
    EXPECT_LT(s.world.velocity(s.brick).norm(), 1e-4);
    EXPECT_NEAR(s.world.velocity(s.ball).x(), 2 - 2 * (5.0 / 7) * kG * 0.01 / 0.5, 0.01);
    EXPECT_NEAR(highest, 0.5 + 0.64, 0.01);
  }
}

// Nothing in a step knows a unit of mass: masses times a power of two change no bit of the motion, until the spin of
// what has come to rest is below the least normal float.
TEST(MassRange, ScaleOfAllMassesMakesNoDifference) {
  const auto run = [](int exponent) {
    Movers s(std::ldexp(1.0, exponent));
    run_steps(s.world, 100);
    return s.world.hash();
  };
  const std::uint64_t expected = run(0);
  for (const int exponent : {-10, 20, 39}) EXPECT_EQ(run(exponent), expected) << "2^" << exponent << " kg";
}

// Of a milligram and less the squares of impulses leave the range of the solver's floats: what friction leaves of a
// speed that is no more than rounding is another rounding.
TEST(MassRange, DustMovesAsAllElse) {
  Movers expected(1), dust(std::ldexp(1.0, -30));
  for (int i = 0; i < 120; ++i) {
    run_steps(expected.world, 1);
    run_steps(dust.world, 1);
    EXPECT_LT((dust.world.velocity(dust.brick) - expected.world.velocity(expected.brick)).norm(), 1e-20);
    EXPECT_LT((dust.world.angular_velocity(dust.brick) - expected.world.angular_velocity(expected.brick)).norm(),
              1e-20);
    EXPECT_EQ(dust.world.velocity(dust.ball), expected.world.velocity(expected.ball));
    EXPECT_EQ(dust.world.velocity(dust.bouncer), expected.world.velocity(expected.bouncer));
  }
}

TEST(MassRange, DustAndMountainsMeetWithoutLosingTheWorld) {
  World world;
  world.create_body(ground_plane());
  for (int i = 0; i < 12; ++i)
    world.create_body(with_mass(dynamic_body(i % 3 == 0 ? ball_of(0.5) : cube_of(1), at(0, 0, 0.5 + 1.2 * i)),
                                i % 2 == 0 ? kLeastMass : kLargestMass));
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(world.step(kStep).finite) << "step " << i;
  EXPECT_LT(largest_speed(world), 100);
}

// A box on a box, of which one becomes far lighter: the impulses that both bore are not its own. (A light one does not
// bear more than ten thousand times its mass: what stood on it falls.)
TEST(MassRange, WhatBecomesLighterIsNotThrownByTheLoadThatItBore) {
  for (const Real ratio : {1e2, 1e4, 1e6, 1e8})
    for (const bool upper : {false, true}) {
      World world(without_sleep());
      world.create_body(ground_plane());
      const BodyId below = world.create_body(with_mass(dynamic_body(cube_of(0.5), at(0, 0, 0.25)), 100 * ratio));
      const BodyId above = world.create_body(with_mass(dynamic_body(cube_of(0.5), at(0, 0, 0.75)), 100 * ratio));
      run_steps(world, 60);
      const BodyId changed = upper ? above : below;
      world.set_mass(changed, geometry::with_mass(world.mass_properties(changed), 100));
      for (int i = 0; i < 60; ++i) {
        run_steps(world, 1);
        EXPECT_LT(largest_speed(world), 10) << ratio << ' ' << upper << " in step " << i;
      }
    }
}

}  // namespace
}  // namespace visviva::dynamics
