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
  Vec3 down, normal, start;

  Slope(Real tilt, Real friction, Real yaw = 0, const Vec3& foot = Vec3::Zero()) {
    const MaterialIndex material = make_material(world, friction, 0);
    const Mat3 R = exp_so3(Vec3(0, tilt, 0));
    down = R.col(0);
    normal = R.col(2);
    world.create_body(static_body(Solid(Plane{normal, normal.dot(foot)}), {}, material));
    const Vec3 half(0.2, 0.1, 0.05);
    start = foot + half.z() * normal;
    brick = world.create_body(dynamic_body(Solid(Box{half}), {R * exp_so3(Vec3(0, 0, yaw)), start}, material));
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

// Without friction nothing but the normal is held: the way down is the parabola.
TEST(SlopeOfABrick, SlidesWithoutFrictionOnItsParabola) {
  const Real tilt = 0.7, a = kG * std::sin(tilt);
  Slope slope(tilt, 0, 0.7);
  run_steps(slope.world, 120);
  EXPECT_NEAR(slope.world.velocity(slope.brick).dot(slope.down), 2 * a, 1e-5 * a);
  EXPECT_NEAR((slope.world.center_of_mass(slope.brick) - slope.start).dot(slope.down), 2 * a, 1e-5 * a);
}

// Just above the angle of friction. A contact that begins has no load yet that friction could count with: in its first
// sub-steps less than one sub-step's friction is missing, μ g cos h, and nothing after that.
TEST(SlopeOfABrick, LacksNoMoreThanTheFrictionOfASubStep) {
  for (const Real friction : {0.1, 0.5, 0.9}) {
    const Real tilt = std::atan(1.05 * friction), a = kG * (std::sin(tilt) - friction * std::cos(tilt));
    Slope slope(tilt, friction);
    const Real h = kStep / slope.world.settings().substeps, missing = friction * kG * std::cos(tilt) * h;
    run_steps(slope.world, 60);
    const Real after_one = slope.world.velocity(slope.brick).dot(slope.down);
    EXPECT_GT(after_one, a * 0.999) << friction;
    EXPECT_LT(after_one, a + missing) << friction;
    run_steps(slope.world, 60);
    EXPECT_NEAR(slope.world.velocity(slope.brick).dot(slope.down) - after_one, a, 2e-3 * a) << friction;
  }
}

// The lever of what stands still plays no part, however long it is.
TEST(SlopeOfABrick, HoldsAndSlidesFarFromTheOriginOfItsPlane) {
  for (const Vec3& foot : {Vec3(1000, 1000, 0), Vec3(1e5, -1e4, 10)}) {
    Slope holds(std::atan(0.95 * 0.5), 0.5, 0.3, foot);
    run_steps(holds.world, 60 * 60);
    EXPECT_LT((holds.world.center_of_mass(holds.brick) - holds.start).norm(), 1e-3) << foot.x();
    const Real tilt = std::atan(1.2 * 0.5), expected = kG * (std::sin(tilt) - 0.5 * std::cos(tilt));
    Slope slides(tilt, 0.5, 0.3, foot);
    run_steps(slides.world, 120);
    EXPECT_NEAR(slides.world.velocity(slides.brick).dot(slides.down), 2 * expected, 0.01 * 2 * expected) << foot.x();
    EXPECT_NEAR((slides.world.center_of_mass(slides.brick) - slides.start).dot(slides.down), 2 * expected,
                0.01 * 2 * expected)
        << foot.x();
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
