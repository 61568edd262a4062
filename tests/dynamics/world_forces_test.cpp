// What moves a body without contact: forces, impulses, gravity, damping, locked axes.
#include <gtest/gtest.h>

#include <cmath>

#include "scene_parts.hpp"

namespace visviva::dynamics {
namespace {

/// A box of 2 kg with moments (1, 2, 2.5) kg m² about its centre.
struct Flight {
  World world;
  BodyId body;
  explicit Flight(const WorldSettings& settings = without_gravity()) : world(settings) {
    BodyDesc desc = dynamic_body(cube_of(1), at(1, 0, 0));
    desc.mass = geometry::MassProperties{.mass = 2, .inertia = Vec3(1, 2, 2.5).asDiagonal()};
    body = world.create_body(desc);
  }
};

TEST(WorldForces, FreeFallIsAnExactParabola) {
  for (const Real dt : {1.0 / 30, 1.0 / 60, 1.0 / 240}) {
    Flight f{WorldSettings{}};
    f.world.set_velocity(f.body, Vec3(3, 0, 4));
    while (f.world.time() < 2) static_cast<void>(f.world.step(dt));
    const Real t = f.world.time();
    const Vec3 expected(1 + 3 * t, 0, 4 * t - kG * t * t / 2);
    EXPECT_LT((f.world.center_of_mass(f.body) - expected).norm(), 1e-11);
    EXPECT_LT((f.world.velocity(f.body) - Vec3(3, 0, 4 - kG * t)).norm(), 1e-11);
  }
}

TEST(WorldForces, ForceActsForOneStep) {
  Flight f;
  for (int i = 0; i < 60; ++i) {
    f.world.add_force(f.body, Vec3(3, 0, 0));
    f.world.add_force(f.body, Vec3(1, 2, 0));
    static_cast<void>(f.world.step(kStep));
  }
  EXPECT_LT((f.world.velocity(f.body) - Vec3(2, 1, 0)).norm(), 1e-12);
  EXPECT_LT((f.world.center_of_mass(f.body) - Vec3(2, 0.5, 0)).norm(), 1e-12);
  EXPECT_LT(f.world.angular_velocity(f.body).norm(), 1e-15);
  run_steps(f.world, 60);
  EXPECT_LT((f.world.velocity(f.body) - Vec3(2, 1, 0)).norm(), 1e-12);
}

TEST(WorldForces, TorqueTurnsAndForceAtAPointDoesBoth) {
  Flight f;
  for (int i = 0; i < 60; ++i) {
    f.world.add_torque(f.body, Vec3(0, 0, 5));
    static_cast<void>(f.world.step(kStep));
  }
  EXPECT_LT((f.world.angular_velocity(f.body) - Vec3(0, 0, 2)).norm(), 1e-10);
  EXPECT_NEAR(log_so3(f.world.pose(f.body).R).z(), 1, 1e-2) << "alpha t²/2";
  EXPECT_LT(f.world.velocity(f.body).norm(), 1e-15);

  Flight g;
  for (int i = 0; i < 6; ++i) {
    const Vec3 centre = g.world.center_of_mass(g.body);
    g.world.add_force_at(g.body, Vec3(0, 10, 0), centre + Vec3(0.5, 0, 0));
    static_cast<void>(g.world.step(kStep));
  }
  EXPECT_LT((g.world.velocity(g.body) - Vec3(0, 0.5, 0)).norm(), 1e-12);
  EXPECT_LT((g.world.angular_velocity(g.body) - Vec3(0, 0, 0.2)).norm(), 1e-10);
}

TEST(WorldForces, ImpulsesActAtOnce) {
  Flight f;
  f.world.apply_impulse(f.body, Vec3(4, 0, 0));
  EXPECT_LT((f.world.velocity(f.body) - Vec3(2, 0, 0)).norm(), 1e-15);
  f.world.apply_angular_impulse(f.body, Vec3(3, 0, 0));
  EXPECT_LT((f.world.angular_velocity(f.body) - Vec3(3, 0, 0)).norm(), 1e-14);
  f.world.apply_impulse_at(f.body, Vec3(0, 0, 2), Vec3(1, 1, 0));
  EXPECT_LT((f.world.velocity(f.body) - Vec3(2, 0, 1)).norm(), 1e-15);
  EXPECT_LT((f.world.angular_velocity(f.body) - Vec3(5, 0, 0)).norm(), 1e-14);
  // In a turned frame, too: J in the world is R J Rᵀ.
  Flight g;
  const Mat3 R = exp_so3(Vec3(0.4, -0.7, 0.2));
  g.world.set_pose(g.body, {R, Vec3::Zero()});
  g.world.apply_impulse_at(g.body, Vec3(0, 0, 2), Vec3(1, 1, 0));
  const Mat3 inverse = R * Vec3(1, 0.5, 0.4).asDiagonal() * R.transpose();
  EXPECT_LT((g.world.angular_velocity(g.body) - inverse * Vec3(2, -2, 0)).norm(), 1e-14);
}

TEST(WorldForces, DampingDecaysExponentially) {
  Flight f;
  f.world.set_velocity(f.body, Vec3(2, 0, 0));
  f.world.set_angular_velocity(f.body, Vec3(0, 0, 3));
  f.world.set_damping(f.body, 0.7, 0.4);
  run_steps(f.world, 120);
  EXPECT_NEAR(f.world.velocity(f.body).x(), 2 * std::exp(-1.4), 0.01 * 2 * std::exp(-1.4));
  EXPECT_NEAR(f.world.angular_velocity(f.body).z(), 3 * std::exp(-0.8), 0.01 * 3 * std::exp(-0.8));
  const Real way = 2 / 0.7 * (1 - std::exp(-1.4));
  EXPECT_NEAR(f.world.center_of_mass(f.body).x() - 1, way, 0.01 * way);
}

TEST(WorldForces, StrongDampingStopsAndDoesNotReverse) {
  Flight f;
  f.world.set_velocity(f.body, Vec3(2, 0, 0));
  f.world.set_damping(f.body, 1e6, 1e6);
  run_steps(f.world, 5);
  EXPECT_GE(f.world.velocity(f.body).x(), 0);
  EXPECT_LT(f.world.velocity(f.body).x(), 1e-3);
}

TEST(WorldForces, GravityMayBeScaledAndTurned) {
  Flight f{WorldSettings{}};
  f.world.set_gravity_scale(f.body, -0.5);
  run_steps(f.world, 60);
  EXPECT_NEAR(f.world.velocity(f.body).z(), kG / 2, 1e-12);
  f.world.set_gravity(Vec3(2, 0, 0));
  f.world.set_gravity_scale(f.body, 1);
  run_steps(f.world, 60);
  EXPECT_NEAR(f.world.velocity(f.body).x(), 2, 1e-12);
  EXPECT_NEAR(f.world.velocity(f.body).z(), kG / 2, 1e-12);
}

TEST(WorldForces, LockedAxesDoNotMove) {
  Flight f{WorldSettings{}};
  LockedAxes locked;
  locked.move_z = locked.turn_x = locked.turn_y = true;
  f.world.set_locked_axes(f.body, locked);
  for (int i = 0; i < 60; ++i) {
    f.world.add_force(f.body, Vec3(2, 0, 0));
    f.world.add_torque(f.body, Vec3(1, 1, 5));
    static_cast<void>(f.world.step(kStep));
  }
  EXPECT_EQ(f.world.center_of_mass(f.body).z(), 0);
  EXPECT_NEAR(f.world.velocity(f.body).x(), 1, 1e-12);
  EXPECT_NEAR(f.world.angular_velocity(f.body).z(), 2, 1e-9);
  EXPECT_NEAR(f.world.angular_velocity(f.body).head<2>().norm(), 0, 1e-12);
  EXPECT_LT(f.world.pose(f.body).R.col(2).head<2>().norm(), 1e-12) << "z of the body stays z of the world";
}

// A cube whose turns are locked bounces off its corner as a point mass would.
TEST(WorldForces, LockedTurnsCountInAnImpact) {
  World world(without_gravity());
  const MaterialIndex material = make_material(world, 0, 1);
  world.create_body(ground_plane(material));
  BodyDesc cube = dynamic_body(cube_of(1), {exp_so3(Vec3(0.5, 0.3, 0)), Vec3(0, 0, 1.5)}, material);
  cube.velocity.z() = -3;
  cube.locked.turn_x = cube.locked.turn_y = cube.locked.turn_z = true;
  const BodyId id = world.create_body(cube);
  run_steps(world, 60);
  EXPECT_LT((world.velocity(id) - Vec3(0, 0, 3)).norm(), 1e-9);
  EXPECT_LT(world.angular_velocity(id).norm(), 1e-12);
}

TEST(WorldForces, KinematicBodiesMoveAsTold) {
  World world;
  BodyDesc lift = static_body(cube_of(1), at(0, 0, 5));
  lift.type = BodyType::Kinematic;
  lift.velocity = Vec3(1, 0, 0.5);
  lift.angular_velocity = Vec3(0, 0, 1);
  const BodyId id = world.create_body(lift);
  run_steps(world, 60);
  EXPECT_LT((world.pose(id).p - Vec3(1, 0, 5.5)).norm(), 1e-12);
  EXPECT_LT((log_so3(world.pose(id).R) - Vec3(0, 0, 1)).norm(), 1e-12);
  EXPECT_EQ(world.velocity(id), Vec3(1, 0, 0.5));
}

TEST(WorldForces, InterpolationLiesBetweenTheLastTwoPoses) {
  Flight f;
  f.world.set_velocity(f.body, Vec3(6, 0, 0));
  f.world.set_angular_velocity(f.body, Vec3(0, 0, 6));
  run_steps(f.world, 3);
  const Pose before = f.world.pose(f.body);
  static_cast<void>(f.world.step(kStep));
  const Pose now = f.world.pose(f.body);
  const auto expect_near = [](const Pose& a, const Pose& b) {
    EXPECT_LT((a.p - b.p).norm(), 1e-12);
    EXPECT_LT(angle_between(a.R, b.R), 1e-7);
  };
  expect_near(f.world.interpolated_pose(f.body, 0), before);
  expect_near(f.world.interpolated_pose(f.body, 1), now);
  const Pose half = f.world.interpolated_pose(f.body, 0.5);
  expect_near(half, {before.R * exp_so3(log_so3(before.R.transpose() * now.R) / 2), (before.p + now.p) / 2});
  EXPECT_TRUE(is_rotation(half.R, 1e-12));
}

TEST(WorldForces, EnergiesAreThoseOfTheBodies) {
  Flight f{WorldSettings{}};
  f.world.set_pose(f.body, at(0, 0, 3));
  f.world.set_velocity(f.body, Vec3(0, 2, 0));
  f.world.set_angular_velocity(f.body, Vec3(0, 0, 2));
  EXPECT_NEAR(f.world.kinetic_energy(), 4 + 5, 1e-12);
  EXPECT_NEAR(f.world.potential_energy(), 2 * kG * 3, 1e-12);
}

}  // namespace
}  // namespace visviva::dynamics
