// Bodies with locked axes against surfaces along which they can hardly give way: nothing may throw them.
#include <gtest/gtest.h>

#include <cmath>

#include "scene_parts.hpp"

namespace visviva::dynamics {
namespace {

/// A wall that faces -y but for a small tilt towards x.
Solid backdrop(Real tilt) { return Solid(Plane{Vec3(std::sin(tilt), -std::cos(tilt), 0), 0}); }

/// A body of a flat game: it moves in the plane y = 0 only.
BodyDesc flat_body(Solid solid, const Pose& X_WB, MaterialIndex material) {
  BodyDesc desc = dynamic_body(std::move(solid), X_WB, material);
  desc.locked.move_y = desc.locked.turn_x = desc.locked.turn_z = true;
  return desc;
}

TEST(LockedAxes, BackdropAlongALockedAxisDoesNotThrow) {
  for (const bool is_ball : {true, false})
    for (const Real friction : {0.0, 0.5})
      for (const Real tilt : {0.0, 1e-17, 1e-15, 1e-9, 1e-6, 1e-4, 1e-2}) {
        World world(without_sleep());
        const MaterialIndex material = make_material(world, friction, 0);
        world.create_body(ground_plane(material));
        world.create_body(static_body(backdrop(tilt), at(0, 0.49, 0), material));  // overlaps by 1 cm
        const BodyId id = world.create_body(flat_body(is_ball ? ball_of(0.5) : cube_of(1), at(0, 0, 0.5), material));
        run_steps(world, 120);
        EXPECT_LT((world.center_of_mass(id) - Vec3(0, 0, 0.5)).norm(), 1e-4) << is_ball << friction << ' ' << tilt;
        EXPECT_LT(world.velocity(id).norm(), 1e-4) << is_ball << friction << ' ' << tilt;
      }
}

// Steeper ones do push, but no body goes faster than the settings say.
TEST(LockedAxes, PushOutMovesNoBodyFasterThanItsLimit) {
  for (const Real tilt : {0.04, 0.1, 0.5}) {
    WorldSettings settings = without_gravity();
    settings.sleeping = false;  // what is pushed out has no velocity that lasts, and would fall asleep on its way
    World world(settings);
    const MaterialIndex material = make_material(world, 0, 0);
    world.create_body(static_body(backdrop(tilt), at(0, 0.4, 0), material));
    const BodyId id = world.create_body(flat_body(ball_of(0.5), at(0, 0, 0), material));
    Real last = 0;
    for (int i = 0; i < 300; ++i) {
      run_steps(world, 1);
      const Real x = world.center_of_mass(id).x();
      EXPECT_LE(x - last, world.settings().max_push_velocity * kStep * (1 + 1e-5)) << tilt;
      last = x;
    }
    // n·p + 0.4 cos = 0.5 at the surface, with p = (x, 0, 0).
    const Real free = (0.5 - 0.4 * std::cos(tilt)) / std::sin(tilt);
    EXPECT_NEAR(last, free, 0.05 * free) << tilt;
    EXPECT_LT(world.velocity(id).norm(), 1e-3) << tilt;
  }
}

TEST(LockedAxes, WallThatComesAlongALockedAxisMovesThemByABoundedSpeed) {
  for (const Real tilt : {0.0, 1e-15, 1e-9, 1e-4, 0.01, 0.04, 0.3}) {
    World world(without_gravity());
    const MaterialIndex material = make_material(world, 0.5, 0.5);
    BodyDesc wall = static_body(backdrop(tilt), at(0, 0.7, 0), material);
    wall.type = BodyType::Kinematic;
    wall.velocity = Vec3(0, -0.1, 0);
    world.create_body(wall);
    const BodyId id = world.create_body(flat_body(ball_of(0.5), at(0, 0, 0), material));
    Real fastest = 0;
    for (int i = 0; i < 240; ++i) {
      run_steps(world, 1);
      fastest = std::max(fastest, world.velocity(id).norm());
    }
    EXPECT_TRUE(world.velocity(id).allFinite());
    // Δv = (1 + e) v_n / n_x at most, where it is moved at all: n_x of 1/32 or more.
    EXPECT_LE(fastest, tilt < 1.0 / 32 ? 0 : 1.5 * 0.1 * std::cos(tilt) / std::sin(tilt) * (1 + 1e-9)) << tilt;
  }
}

// P = -(1 + e) v_n / (n_x² / m) and v_n = v_x n_x, so that v_x turns to -e v_x whatever the tilt is.
TEST(LockedAxes, SlantedWallThrowsBackByRestitutionAlone) {
  for (const Real tilt : {0.05, 0.2, 1.0}) {
    World world(without_gravity());
    const MaterialIndex material = make_material(world, 0, 0.8);
    world.create_body(static_body(backdrop(tilt), at(0, 0.5 / std::cos(tilt), 0), material));
    const BodyId id = world.create_body(flat_body(ball_of(0.5), at(1, 0, 0), material));
    world.set_velocity(id, Vec3(-2, 0, 0));
    run_steps(world, 60);
    EXPECT_NEAR(world.velocity(id).x(), 1.6, 1e-9) << tilt;
  }
}

// A light body that cannot move at all carries as a static one does: immovable is not the same as not there.
TEST(LockedAxes, LightBodyThatCannotMoveCarriesAHeavyOne) {
  World world(without_sleep());
  BodyDesc light = dynamic_body(Solid(Box{Vec3(1, 1, 0.1)}), at(0, 0, 1));
  light.shapes[0].density = 1e-3;
  light.locked = {true, true, true, true, true, true};
  world.create_body(light);
  const BodyId heavy = world.create_body(dynamic_body(cube_of(1), at(0, 0, 1.6)));
  run_steps(world, 300);
  EXPECT_NEAR(world.center_of_mass(heavy).z(), 1.6, 1e-3);
}

// A wall whose tangent lies along a locked axis, but for rounding: friction along the other one is Coulomb's.
TEST(LockedAxes, FrictionActsAlongWhatIsFree) {
  for (const Real tilt : {0.0, 1e-17, 1e-9, 1e-3}) {
    World world(without_gravity());
    const MaterialIndex material = make_material(world, 0.4, 0);
    world.create_body(static_body(Solid(Plane{Vec3(std::cos(tilt), std::sin(tilt), 0), 0}), {}, material));
    BodyDesc desc = flat_body(cube_of(1), at(0.5, 0, 0), material);
    desc.locked.turn_y = true;
    const BodyId id = world.create_body(desc);
    const Real mass = world.mass_properties(id).mass;
    world.set_velocity(id, Vec3(0, 0, 5));
    for (int i = 0; i < 60; ++i) {
      world.add_force(id, Vec3(-10 * mass, 0, 0));
      run_steps(world, 1);
    }
    EXPECT_NEAR(world.velocity(id).z(), 5 - 0.4 * 10, 0.02) << tilt;
  }
}

// Friction that was along an axis is not after that has been locked, and what bore a load in its locks may be light.
TEST(LockedAxes, ChangeWhileABodySlidesAndBearsALoad) {
  for (const Real mass : {1.0, 1e-3}) {
    World world(without_sleep());
    const MaterialIndex material = make_material(world, 0.5, 0);
    world.create_body(ground_plane(material));
    BodyDesc brick = dynamic_body(Solid(Box{Vec3(0.2, 0.1, 0.05)}), at(0, 0, 0.05), material);
    brick.mass = geometry::with_mass(geometry::mass_properties(brick.shapes[0].solid, 1).properties, mass);
    const BodyId id = world.create_body(brick);
    world.create_body(dynamic_body(cube_of(0.2), at(0, 0, 0.2), material));  // 8 kg on top
    for (int i = 0; i < 240; ++i) {
      if (i % 5 == 0) {
        LockedAxes locked;
        locked.move_x = i % 10 == 0;
        locked.move_y = i % 15 == 0;
        locked.move_z = i % 20 == 0;
        locked.turn_x = locked.turn_y = locked.turn_z = i % 25 == 0;
        world.set_locked_axes(id, locked);
        world.set_velocity(id, Vec3(1 + i % 3, 2 - i % 4, 0));
      }
      ASSERT_TRUE(world.step(kStep).finite) << "in step " << i;
      EXPECT_LT(largest_speed(world), 10) << "in step " << i;
    }
  }
}

}  // namespace
}  // namespace visviva::dynamics
