// Cubes that land flat: all four corners are one impact.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "scene_parts.hpp"

namespace visviva::dynamics {
namespace {

/// Corners of the unit cube, in an order of their own for each seed.
Solid shuffled_cube(unsigned seed) {
  geometry::ConvexHull hull;
  for (const Real x : {-0.5, 0.5})
    for (const Real y : {-0.5, 0.5})
      for (const Real z : {-0.5, 0.5}) hull.points.emplace_back(x, y, z);
  std::mt19937 random(seed);
  for (std::size_t i = hull.points.size() - 1; i > 0; --i) std::swap(hull.points[i], hull.points[random() % (i + 1)]);
  return Solid(std::move(hull));
}

struct Landing {
  Vec3 velocity, angular_velocity;
  Real height;          ///< of the lowest corner [m]
  Real time_after = 0;  ///< since it landed [s]
};

/// From 0.5 m on the ground, up to the first step that ends at least `after` later.
Landing drop(const Solid& cube, const BodyDesc& ground, Real restitution, Real friction, Real yaw, Real after) {
  World world(without_sleep());
  const MaterialIndex material = make_material(world, friction, restitution);
  BodyDesc floor = ground;
  floor.shapes[0].material = material;
  world.create_body(floor);
  const BodyId body = world.create_body(dynamic_body(cube, {exp_so3(Vec3(0, 0, yaw)), Vec3(0.1, 0.2, 1)}, material));
  const Real landing = std::sqrt(2 * 0.5 / kG);
  while (world.time() < landing + after) static_cast<void>(world.step(kStep));
  return {world.velocity(body), world.angular_velocity(body), world.center_of_mass(body).z() - 0.5,
          world.time() - landing};
}

void expect_leaves_flat(const Solid& cube, const BodyDesc& ground, Real friction, Real yaw) {
  const Landing l = drop(cube, ground, 1, friction, yaw, 0);
  const Real speed = std::sqrt(2 * kG * 0.5);
  EXPECT_NEAR(l.velocity.z(), speed - kG * l.time_after, 1e-8);
  EXPECT_LT(l.velocity.head<2>().norm(), 1e-8);
  EXPECT_LT(l.angular_velocity.norm(), 1e-8);
}

TEST(FlatLanding, ElasticCubeLeavesFlatForAnyOrderOfItsCorners) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const Real yaw = 0.17 * seed;
    expect_leaves_flat(shuffled_cube(seed), ground_plane(), seed % 2 == 0 ? 0 : 0.5, yaw);
    expect_leaves_flat(shuffled_cube(seed), ground_box(), seed % 2 == 0 ? 0 : 0.5, yaw);
  }
}

TEST(FlatLanding, ElasticBoxLeavesFlat) {
  for (const Real yaw : {0.0, 0.3, 1.0}) {
    expect_leaves_flat(cube_of(1), ground_plane(), 0.5, yaw);
    expect_leaves_flat(cube_of(1), ground_box(), 0.5, yaw);
  }
}

TEST(FlatLanding, ElasticCubeBouncesFlatForLong) {
  World world;
  const MaterialIndex material = make_material(world, 0.5, 1);
  world.create_body(ground_plane(material));
  const BodyId cube = world.create_body(dynamic_body(shuffled_cube(3), at(0, 0, 1), material));
  const Real energy = world.kinetic_energy() + world.potential_energy();
  int bounces = 0;
  for (int i = 0; i < 1200; ++i) {
    static_cast<void>(world.step(kStep));
    bounces += world.events().impacts.empty() ? 0 : 1;
  }
  EXPECT_GE(bounces, 30);
  EXPECT_NEAR(world.kinetic_energy() + world.potential_energy(), energy, 1e-8 * energy);
  EXPECT_LT(world.angular_velocity(cube).norm(), 1e-6);
}

TEST(FlatLanding, PlasticCubeStays) {
  for (unsigned seed = 0; seed < 10; ++seed)
    for (const Real after : {0.0, 0.05, 1.0}) {
      const Landing l = drop(shuffled_cube(seed), ground_plane(), 0, 0.5, 0.3 * seed, after);
      EXPECT_LT(l.velocity.norm(), 0.01) << seed << ' ' << after;
      EXPECT_LT(l.angular_velocity.norm(), 0.01) << seed << ' ' << after;
      EXPECT_NEAR(l.height, 0, 1e-3) << seed << ' ' << after;
    }
}

// Half of a bounce: e of the speed, and flat too.
TEST(FlatLanding, EveryRestitutionGivesItsShareOfTheSpeed) {
  for (const Real restitution : {0.2, 0.5, 0.9}) {
    const Landing l = drop(shuffled_cube(5), ground_plane(), restitution, 0.4, 0.3, 0);
    EXPECT_NEAR(l.velocity.z(), restitution * std::sqrt(2 * kG * 0.5) - kG * l.time_after, 1e-8);
    EXPECT_LT(l.angular_velocity.norm(), 1e-8);
  }
}

/// A box that stands on one edge tips over: how fast its other edge comes down, and how fast it then goes up.
std::pair<Real, Real> tip_over(Real e) {
  World world(without_sleep());
  const MaterialIndex material = make_material(world, 1, e);
  world.create_body(ground_plane(material));
  const Real tilt = 0.2;
  const Vec3 half(0.5, 0.5, 0.1);
  const Mat3 R = exp_so3(Vec3(0, -tilt, 0));
  BodyDesc box = dynamic_body(Solid(Box{half}), {}, material);
  box.X_WB = {R, Vec3(0, 0, -(R * Vec3(-0.5, 0, -0.1)).z())};
  const BodyId id = world.create_body(box);
  Real down = 0, up = 0;
  for (int i = 0; i < 240; ++i) {
    static_cast<void>(world.step(kStep / 4));
    const Pose X = world.pose(id);
    const Real v = world.velocity_at(id, X * Vec3(0.5, 0, -0.1)).z();
    down = std::max(down, -v);
    if (i > 0 && down > 0.5 && v > 0) up = std::max(up, v);
  }
  return {down, up};
}

// The edge on which it stood rests, so that rows hold the pair; the other edge bounces all the same.
TEST(FlatLanding, EdgeOfABoxThatTipsOverBounces) {
  const auto [down, up] = tip_over(0.5);
  EXPECT_GT(up, 0.2 * down);
  EXPECT_LE(up, 0.55 * down);
  EXPECT_LT(tip_over(0).second, 0.05 * down);
}

}  // namespace
}  // namespace visviva::dynamics
