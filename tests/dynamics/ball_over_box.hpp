#pragma once

#include <cmath>

#include "scene_parts.hpp"

namespace visviva::dynamics {

/// A ball of 10 kg that falls from 1 m on the middle of a box that rests on the ground, all without friction;
/// docs/theory/realtime.md, 3, has a table of what follows.
struct BallOverBox {
  BallOverBox(const WorldSettings& settings, Real mass_ratio, Real e_ball, Real e_ground) : world(settings) {
    const MaterialIndex ground = make_material(world, 0, 0), wood = make_material(world, 0, 0),
                        rubber = make_material(world, 0, 0);
    world.set_material_pair(ground, wood, {.friction = 0, .restitution = e_ground});
    world.set_material_pair(wood, rubber, {.friction = 0, .restitution = e_ball});
    world.create_body(ground_plane(ground));
    BodyDesc resting = dynamic_body(cube_of(1), at(0, 0, 0.5), wood);
    resting.mass = geometry::with_mass(geometry::mass_properties(Box{Vec3::Constant(0.5)}, 1000), 10 * mass_ratio);
    box = world.create_body(resting);
    BodyDesc falling = dynamic_body(ball_of(0.2), at(0, 0, 2.2), rubber);
    falling.mass = geometry::with_mass(geometry::mass_properties(Sphere{0.2}, 1000), 10);
    ball = world.create_body(falling);
  }

  static Real speed() { return std::sqrt(2 * kG); }    ///< at which the ball comes [m/s]
  static Real landing() { return std::sqrt(2 / kG); }  ///< when [s]

  World world;
  BodyId box, ball;
};

}  // namespace visviva::dynamics
