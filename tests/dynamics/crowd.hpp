#pragma once

#include <random>

#include "scene_parts.hpp"

namespace visviva::dynamics {

/// A heap of boxes, balls, hulls and capsules that fall onto the ground and each other; some of them bounce. The same
/// for the same number.
inline void add_crowd(World& world, int count) {
  const MaterialIndex stone = make_material(world, 0.6, 0), rubber = make_material(world, 0.4, 0.7);
  world.create_body(ground_box(stone));
  std::mt19937 random(42);
  std::uniform_real_distribution<Real> uniform(-1, 1);
  const auto draw = [&] {
    const Real x = uniform(random), y = uniform(random);
    return Vec3(x, y, uniform(random));
  };
  for (int i = 0; i < count; ++i) {
    const Vec3 place = Vec3(1.2 * (i % 4), 1.2 * (i / 4 % 4), 1 + 1.3 * (i / 16)) + 0.1 * draw();
    const Pose pose{exp_so3(draw()), place};
    const Solid solid = [&] {
      if (i % 4 == 0) return Solid(Box{Vec3(0.5, 0.3, 0.4)});
      if (i % 4 == 1) return ball_of(0.4);
      if (i % 4 == 2) return Solid(geometry::Capsule{0.25, 0.25});
      geometry::ConvexHull hull;
      for (int k = 0; k < 12; ++k) hull.points.push_back(0.5 * draw().normalized());
      return Solid(std::move(hull));
    }();
    BodyDesc body = dynamic_body(solid, pose, i % 3 == 0 ? rubber : stone);
    body.velocity = draw();
    body.angular_velocity = 3 * draw();
    world.create_body(body);
  }
}

}  // namespace visviva::dynamics
