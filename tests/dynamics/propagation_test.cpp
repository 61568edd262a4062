// What an impact makes of contacts that were there before.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ball_over_box.hpp"

namespace visviva::dynamics {
namespace {

/// Six unit balls along x, five of which touch; the first comes with 2 m/s.
std::vector<BodyId> make_row(World& world, MaterialIndex material) {
  std::vector<BodyId> balls;
  for (int i = 0; i < 6; ++i) {
    BodyDesc ball = dynamic_body(ball_of(0.5), at(i == 0 ? -0.5 : i, 0, 0.5), material);
    if (i == 0) ball.velocity.x() = 2;
    balls.push_back(world.create_body(ball));
  }
  return balls;
}

void expect_only_last_leaves(const World& world, const std::vector<BodyId>& balls) {
  for (std::size_t i = 0; i < 5; ++i) EXPECT_LT(world.velocity(balls[i]).norm(), 0.02) << "ball " << i;
  EXPECT_NEAR(world.velocity(balls[5]).x(), 2, 0.02);
}

TEST(Propagation, RowOfBallsHandsTheSpeedToTheLast) {
  for (const Real dt : {1.0 / 30, 1.0 / 60, 1.0 / 120}) {
    World world(without_gravity());
    const std::vector<BodyId> balls = make_row(world, make_material(world, 0, 1));
    while (world.time() < 1) static_cast<void>(world.step(dt));
    expect_only_last_leaves(world, balls);
    EXPECT_NEAR(world.center_of_mass(balls[5]).x(), 5 + 2 * (world.time() - 0.25), 1e-6);
  }
}

TEST(Propagation, RowOfBallsOnTheGroundDoesTheSame) {
  World world(without_sleep());
  const MaterialIndex smooth = make_material(world, 0, 1), ground = make_material(world, 0, 0);
  world.set_material_pair(smooth, ground, {.friction = 0, .restitution = 0});
  world.create_body(ground_plane(ground));
  const std::vector<BodyId> balls = make_row(world, smooth);
  run_steps(world, 60);
  expect_only_last_leaves(world, balls);
}

TEST(Propagation, LongRowsHandTheSpeedOnWhateverTheTableDoes) {
  for (const Real table : {0.0, 0.5, 1.0})
    for (const int count : {5, 8, 16, 50}) {
      World world(without_sleep());
      const MaterialIndex smooth = make_material(world, 0, 1), ground = make_material(world, 0, 0);
      world.set_material_pair(smooth, ground, {.friction = 0, .restitution = table});
      world.create_body(ground_plane(ground));
      std::vector<BodyId> balls;
      for (int i = 0; i < count; ++i)
        balls.push_back(world.create_body(dynamic_body(ball_of(0.5), at(i, 0, 0.5), smooth)));
      BodyDesc first = dynamic_body(ball_of(0.5), at(-3.5, 0, 0.5), smooth);
      first.velocity.x() = 1;
      balls.push_back(world.create_body(first));
      const Real energy = world.kinetic_energy() + world.potential_energy(), kinetic = world.kinetic_energy();
      while (world.time() < 4) {
        static_cast<void>(world.step(kStep));
        ASSERT_LT(world.kinetic_energy() + world.potential_energy(), energy + 1e-6 * kinetic)
            << "table " << table << ", " << count << " balls, " << world.time() << " s";
      }
      for (std::size_t i = 0; i < balls.size(); ++i) {
        const bool is_last = i + 2 == balls.size();
        EXPECT_NEAR(world.velocity(balls[i]).x(), is_last ? 1 : 0, 0.01)
            << "table " << table << ", ball " << i << " of " << count;
      }
    }
}

TEST(Propagation, ElasticBallsSideBySideStayOnTheGround) {
  World world(without_sleep());
  const MaterialIndex material = make_material(world, 0, 1);
  world.create_body(ground_plane(material));
  std::vector<BodyId> balls;
  for (int i = 0; i < 5; ++i)
    balls.push_back(world.create_body(dynamic_body(ball_of(0.01), at(0.02 * i, 0, 0.01), material)));
  const Real weight = kG * world.mass_properties(balls[0]).mass;
  const Real energy = world.kinetic_energy() + world.potential_energy();
  for (int i = 0; i < 600; ++i) {
    static_cast<void>(world.step(kStep));
    ASSERT_NEAR(world.kinetic_energy() + world.potential_energy(), energy, 1e-6 * weight * 0.01) << i;
  }
}

TEST(Propagation, BoxOnASmallerBoxDoesNotOvershoot) {
  World world(without_sleep());
  const MaterialIndex material = make_material(world, 0.5, 0);
  world.create_body(ground_plane(material));
  const BodyId small = world.create_body(dynamic_body(cube_of(0.5), at(0, 0, 0.25), material));
  const BodyId large = world.create_body(dynamic_body(cube_of(1), at(0, 0, 1.5), material));
  const Real landing = std::sqrt(2 * 0.5 / kG);
  while (world.time() < 3) {
    static_cast<void>(world.step(kStep));
    if (world.time() < landing) continue;
    // Neither comes up again by a millimetre, and their contacts give way by millimetres only.
    EXPECT_LT(world.center_of_mass(large).z(), 1.001) << world.time();
    EXPECT_LT(world.center_of_mass(small).z(), 0.251) << world.time();
    EXPECT_GT(world.center_of_mass(large).z(), 0.995) << world.time();
    EXPECT_GT(world.center_of_mass(small).z(), 0.245) << world.time();
  }
  EXPECT_LT(largest_speed(world), 1e-3);
  EXPECT_LT(world.center_of_mass(large).head<2>().norm(), 2e-3);
}

/// A cube of 1 m falls on one of 0.5 m that rests on the ground and has 1/ratio of its mass.
void drop_on_lighter_box(Real ratio, Real height, Real dt) {
  SCOPED_TRACE(testing::Message() << "ratio " << ratio << ", from " << height << " m, dt " << dt);
  WorldSettings settings = without_sleep();
  settings.keep_ledger = true;
  World world(settings);
  const MaterialIndex material = make_material(world, 0.5, 0);
  const BodyId ground = world.create_body(ground_plane(material));
  const BodyId small = world.create_body(dynamic_body(cube_of(0.5), at(0, 0, 0.25), material));
  BodyDesc heavy = dynamic_body(cube_of(1), at(0, 0, 1 + height), material);
  heavy.shapes[0].density *= ratio / 8;
  const BodyId large = world.create_body(heavy);
  const Real landing = std::sqrt(2 * height / kG);
  Real stopped = 0;
  while (world.time() < landing) {
    static_cast<void>(world.step(dt));
    for (const ImpactEvent& impact : world.events().impacts)
      if (impact.body_a == ground || impact.body_b == ground) stopped += std::abs(impact.impulse.z());
  }
  // What falls is stopped within the step, and so is what it falls on: the ground takes all its momentum, and of both
  // what weight does in a sub-step.
  const Real mass = world.mass_properties(large).mass, momentum = mass * kG * landing;
  EXPECT_NEAR(stopped, momentum, 1e-3 * momentum + (1 + 1 / ratio) * mass * kG * dt / settings.substeps);
  while (world.time() < landing + 1) {
    // What weight does in a sub-step (2 cm/s), and what their own softness gives back of it.
    EXPECT_LT(world.velocity(large).norm(), 0.03) << world.time();
    EXPECT_LT(world.velocity(small).norm(), 0.03) << world.time();
    EXPECT_NEAR(world.center_of_mass(large).z(), 1, 0.002) << world.time();
    EXPECT_NEAR(world.center_of_mass(small).z(), 0.25, 0.001) << world.time();
    static_cast<void>(world.step(dt));
  }
  EXPECT_LT(world.center_of_mass(large).head<2>().norm(), 1e-3);
  EXPECT_GT(world.pose(large).R(2, 2), 1 - 1e-6);
  EXPECT_LT(std::abs(world.ledger().remainder()), 1e-6 * world.ledger().scale());
}

TEST(Propagation, BoxOnALighterBoxDoesNotOvershootAtAnyRatio) {
  for (const Real ratio : {1.0, 8.0, 20.0, 37.0, 64.0, 200.0, 1000.0}) drop_on_lighter_box(ratio, 0.5, kStep);
  for (const Real height : {0.05, 0.7, 1.1, 1.6, 2.3, 3.0}) drop_on_lighter_box(300, height, kStep);
  drop_on_lighter_box(1000, 3, kStep / 2);
}

TEST(Propagation, TwoHundredBouncingBoxesComeToRest) {
  World world(without_sleep());
  const MaterialIndex material = make_material(world, 0.5, 0.3);
  world.create_body(ground_box(material));
  std::mt19937 random(42);
  std::uniform_real_distribution<Real> jitter(-0.1, 0.1);
  for (int k = 0; k < 8; ++k)
    for (int j = 0; j < 5; ++j)
      for (int i = 0; i < 5; ++i) {
        const Vec3 p(0.9 * i + jitter(random), 0.9 * j + jitter(random), 1 + 0.9 * k);
        const Vec3 turn(jitter(random), jitter(random), jitter(random));
        world.create_body(dynamic_body(cube_of(0.6), {exp_so3(turn), p}, material));
      }
  run_steps(world, 900);
  EXPECT_LT(largest_speed(world), 0.05);
  EXPECT_LT(world.deepest_overlap(), 0.01);
}

/// Speed at which the ball leaves, upwards, over that at which it came.
Real rebound_from_resting_box(model::Propagation propagation, Real mass_ratio, Real e_ball, Real e_ground) {
  WorldSettings settings = without_sleep();
  settings.propagation = propagation;
  BallOverBox s(settings, mass_ratio, e_ball, e_ground);
  World& world = s.world;
  const Real approach = s.speed(), landing = s.landing();
  while (world.time() < landing + 2 * kStep) static_cast<void>(world.step(kStep));
  const Real v = world.velocity(s.ball).z();
  // One that has come to rest did not fly since then.
  return v > 0.1 * approach ? (v + kG * (world.time() - landing)) / approach : std::abs(v) / approach;
}

TEST(Propagation, SequentialAndSimultaneousAnswersAreThoseOfTheTable) {
  const auto sequential = model::Propagation::Sequential, simultaneous = model::Propagation::Simultaneous;
  EXPECT_NEAR(rebound_from_resting_box(sequential, 3, 1, 0), 0.5, 0.01);
  EXPECT_NEAR(rebound_from_resting_box(sequential, 1, 1, 1), 1, 0.01);
  EXPECT_LT(rebound_from_resting_box(sequential, 1, 0.5, 0), 0.05);
  EXPECT_NEAR(rebound_from_resting_box(simultaneous, 3, 1, 0), 1, 0.03);
  EXPECT_NEAR(rebound_from_resting_box(simultaneous, 1, 1, 0), 1, 0.03);
  EXPECT_NEAR(rebound_from_resting_box(simultaneous, 1, 0.5, 0), 0.5, 0.03);
}

// A ball comes between two others and touches both at one instant. One is answered first, so the three need not part
// symmetrically, but momentum and energy stay.
TEST(Propagation, BallThatMeetsTwoAtOnceKeepsMomentumAndEnergy) {
  World world(without_gravity());
  const MaterialIndex material = make_material(world, 0, 1);
  const BodyId left = world.create_body(dynamic_body(ball_of(0.5), at(-0.6, 0, 0), material));
  const BodyId right = world.create_body(dynamic_body(ball_of(0.5), at(0.6, 0, 0), material));
  BodyDesc coming = dynamic_body(ball_of(0.5), at(0, -0.8 - 0.01, 0), material);
  coming.velocity.y() = 1;
  const BodyId ball = world.create_body(coming);
  const Real energy = world.kinetic_energy();
  run_steps(world, 10);
  const Vec3 sum = world.velocity(ball) + world.velocity(left) + world.velocity(right);
  EXPECT_LT((sum - coming.velocity).norm(), 1e-12);
  EXPECT_NEAR(world.kinetic_energy(), energy, 1e-12 * energy);
  EXPECT_LT(world.velocity(left).x(), 0);
  EXPECT_GT(world.velocity(right).x(), 0);
}

}  // namespace
}  // namespace visviva::dynamics
