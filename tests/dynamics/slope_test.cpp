// A brick on a slope: it holds below the angle of friction and slides with the right acceleration above it.
#include <gtest/gtest.h>

#include <cmath>

#include "scene_parts.hpp"

namespace visviva::dynamics {
namespace {

/// A brick that lies on a plane, tilted about y, with x down the slope.
struct Slope {
  World world{without_sleep()};
  BodyId brick;
  Vec3 down, normal;

  Slope(Real tilt, Real friction, Real yaw = 0) {
    const MaterialIndex material = make_material(world, friction, 0);
    const Mat3 R = exp_so3(Vec3(0, tilt, 0));
    down = R.col(0);
    normal = R.col(2);
    world.create_body(static_body(Solid(Plane{normal, 0}), {}, material));
    const Vec3 half(0.2, 0.1, 0.05);
    brick =
        world.create_body(dynamic_body(Solid(Box{half}), {R * exp_so3(Vec3(0, 0, yaw)), half.z() * normal}, material));
  }
};

TEST(SlopeOfABrick, HoldsBelowTheAngleOfFriction) {
  for (const Real yaw : {0.0, 0.7}) {
    for (const Real share : {0.5, 0.95}) {
      Slope slope(std::atan(share * 0.5), 0.5, yaw);
      const Vec3 start = slope.world.center_of_mass(slope.brick);
      run_steps(slope.world, 60 * 60);
      EXPECT_LT((slope.world.center_of_mass(slope.brick) - start).norm(), 1e-3) << share << ' ' << yaw;
    }
  }
}

TEST(SlopeOfABrick, SlidesAboveItWithTheAccelerationOfCoulomb) {
  for (const Real friction : {0.0, 0.2, 0.5})
    for (const Real yaw : {0.0, 0.7}) {
      const Real tilt = 0.7;
      Slope slope(tilt, friction, yaw);
      const Real expected = kG * (std::sin(tilt) - friction * std::cos(tilt));
      run_steps(slope.world, 60);
      const Real before = slope.world.velocity(slope.brick).dot(slope.down);
      EXPECT_NEAR(before, expected, 0.01 * expected) << friction << ' ' << yaw;
      run_steps(slope.world, 60);
      const Real after = slope.world.velocity(slope.brick).dot(slope.down);
      EXPECT_NEAR(after - before, expected, 0.01 * expected) << friction << ' ' << yaw;
      const Real way = slope.world.center_of_mass(slope.brick).dot(slope.down);
      EXPECT_NEAR(way, expected * 2, 0.02 * expected) << friction << ' ' << yaw;
    }
}

// A true cone, not a pyramid: the limit is the same in every direction across the slope.
TEST(SlopeOfABrick, FrictionDoesNotKnowDirections) {
  for (int k = 0; k < 8; ++k) {
    World world(without_sleep());
    const MaterialIndex material = make_material(world, 0.4, 0);
    world.create_body(ground_plane(material));
    BodyDesc brick = dynamic_body(Solid(Box{Vec3(0.2, 0.2, 0.05)}), at(0, 0, 0.05), material);
    const Real angle = 0.3 * k;
    const Vec3 way(std::cos(angle), std::sin(angle), 0);
    brick.velocity = 4 * way;
    const BodyId id = world.create_body(brick);
    run_steps(world, 30);
    const Vec3 expected = (4 - 0.4 * kG * 0.5) * way;
    EXPECT_LT((world.velocity(id) - expected).norm(), 0.01 * expected.norm()) << angle;
  }
}

}  // namespace
}  // namespace visviva::dynamics
