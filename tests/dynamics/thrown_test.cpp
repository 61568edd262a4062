// What impacts, joints or rows throw off its way within a step: it meets what stands in its new way.
#include <gtest/gtest.h>

#include <cmath>

#include "scene_parts.hpp"
#include "visviva/model/joint.hpp"

namespace visviva::dynamics {
namespace {

// An arm of 1 m that a motor takes from rest to its speed at once, and a ball far from it and in its way.
TEST(Thrown, ArmOfAMotorThatStartsHitsWhatStandsInItsWay) {
  constexpr Real kThickness = 0.02, kRadius = 0.03;
  for (const model::JointSolver solver : {model::JointSolver::Iterative, model::JointSolver::Direct})
    for (const Real speed : {10.0, 30.0, 60.0, 100.0})
      for (const Real angle : {0.2, 0.4, 0.6, 0.9}) {
        World world(without_gravity());
        const BodyId arm = world.create_body(dynamic_body(Solid(Box{Vec3(0.5, kThickness, 0.1)}), at(0.5, 0, 0)));
        model::JointDesc hinge;
        hinge.kind = model::JointKind::Hinge;
        hinge.X_BJ.p = Vec3(-0.5, 0, 0);
        hinge.solver = solver;
        const JointId joint = world.create_joint({}, arm, hinge);
        const BodyId ball =
            world.create_body(dynamic_body(ball_of(kRadius), at(0.9 * std::cos(angle), 0.9 * std::sin(angle), 0)));
        run_steps(world, 10);
        world.set_motor(joint, model::kTurnZ,
                        {.kind = model::MotorKind::Velocity, .target_velocity = speed, .max_force = 1e9});
        for (Real turned = 0; turned < angle + 0.3; turned += speed * kStep) run_steps(world, 1);
        EXPECT_GT(world.velocity(ball).norm(), 0.5 * 0.9 * speed) << "from " << angle << " at " << speed;
      }
}

// Two rods side by side whose bounds in the broad phase have no margin left between them. A ball throws one at the
// other, which must take its speed: masses are equal and e = 1.
TEST(Thrown, ThinRodDoesNotPassTheNextOne) {
  constexpr Real kThickness = 0.0025, kRadius = 0.05, kShift = 0.038;
  for (const Real gap : {0.021, 0.025, 0.03, 0.04})
    for (const Real speed : {2.0, 2.5, 2.9}) {
      World world(without_gravity());
      const MaterialIndex hard = make_material(world, 0, 1);
      const Real x = gap / 2 + kThickness;
      const Solid rod(Box{Vec3(kThickness, 1, kThickness)});
      const BodyId a = world.create_body(dynamic_body(rod, at(-x - kShift, 0, 0), hard));
      const BodyId b = world.create_body(dynamic_body(rod, at(x + kShift, 0, 0), hard));
      run_steps(world, 1);
      world.set_pose(a, at(-x, 0, 0));
      world.set_pose(b, at(x, 0, 0));
      run_steps(world, 1);
      BodyDesc ball = dynamic_body(ball_of(kRadius), at(-x - kThickness - kRadius - 5e-4, 0, 0), hard);
      ball.velocity = Vec3(speed, 0, 0);
      ball.mass = geometry::MassProperties{world.mass_properties(a).mass, 0, Vec3::Zero(), 1e-4 * Mat3::Identity()};
      world.create_body(ball);
      run_steps(world, 5);
      EXPECT_NEAR(world.velocity(b).x(), speed, 1e-9) << gap;
      EXPECT_NEAR(world.velocity(a).x(), 0, 1e-9) << gap;
    }
}

// A bar, hit by a ball, hits a cube that sleeps beside a wall: what its contacts were in the step
// in which it fell asleep makes no difference, as nothing of it is in a snapshot.
TEST(Thrown, SleeperThatAnImpactWakesGoesOnAsARestoredOneDoes) {
  for (const Real speed : {10.0, 20.0, 40.0})
    for (const Real mass : {1.0, 2.0, 5.0}) {
      World world;
      const MaterialIndex hard = make_material(world, 0, 1);
      world.create_body(ground_plane());
      world.create_body(static_body(Solid(Box{Vec3(0.001, 0.5, 0.5)}), at(0.066, 0, 0)));
      const BodyId cube = world.create_body(dynamic_body(cube_of(0.1), at(0, 0, 0.05)));
      run_steps(world, 200);
      BodyDesc bar = dynamic_body(Solid(Box{Vec3(0.5, 0.02, 0.02)}), at(-0.58, 0, 0.05), hard);
      BodyDesc ball = dynamic_body(ball_of(0.04), at(-1.12 - 0.1 * speed * kStep, 0, 0.05), hard);
      ball.velocity = Vec3(speed, 0, 0);
      for (BodyDesc* body : {&bar, &ball}) {
        body->gravity_scale = 0;
        body->mass = geometry::MassProperties{mass, 0, Vec3::Zero(), mass * 1e-2 * Mat3::Identity()};
        world.create_body(*body);
      }
      ASSERT_FALSE(world.is_awake(cube));
      World restored;
      restored.restore(world.snapshot());
      run_steps(world, 1);
      run_steps(restored, 1);
      ASSERT_TRUE(world.is_awake(cube));
      EXPECT_EQ(world.hash(), restored.hash()) << speed << " m/s, " << mass << " kg";
    }
}

// What lands on a corner without restitution goes on to turn about it, and its other corners land within the same
// sub-step.
TEST(Thrown, PlateOrRodThatLandsOnACornerDoesNotPassAThinWall) {
  for (const Vec3& half : {Vec3(0.2, 0.2, 0.002), Vec3(0.5, 0.004, 0.004), Vec3(0.2, 0.1, 0.05)}) {
    int passed = 0;
    for (int i = 0; i < 150; ++i) {
      const Real a = 0.7 + 2.4 * i, b = 1.3 + 1.7 * i, speed = std::exp(0.027 * i);
      World world(without_gravity());
      const MaterialIndex material = make_material(world, 0.006 * i, 0);
      world.create_body(static_body(Solid(Box{Vec3(5, 5, 5e-4)}), at(0, 0, -5e-4), material));
      BodyDesc desc =
          dynamic_body(Solid(Box{half}), {exp_so3(Vec3(std::cos(a), std::sin(a), std::cos(b)) * b), {}}, material);
      desc.X_WB.p = Vec3(0, 0, 0.8);
      desc.velocity = Vec3(2 * std::sin(b), 2 * std::cos(a + b), -speed);
      desc.angular_velocity = Vec3(std::sin(a), std::cos(b), std::sin(a - b)) * std::exp(0.03 * i);
      const BodyId id = world.create_body(desc);
      run_steps(world, static_cast<int>(1.2 / speed / kStep) + 20);
      if (world.center_of_mass(id).z() < 0) ++passed;
    }
    EXPECT_EQ(passed, 0) << half.transpose();
  }
}

}  // namespace
}  // namespace visviva::dynamics
