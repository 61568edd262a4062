// Spin and friction of round bodies: cushions, hoops, rolling and spinning friction; and belts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "scene_parts.hpp"

namespace visviva::dynamics {
namespace {

// A solid sphere has W = diag(7/2, 7/2, 1)/m at a contact: the tangential impulse that stops the slip s is 2/7 m s, and
// friction gives no more than mu of the normal impulse, (1 + e) m v.
TEST(BilliardBall, LeavesTheCushionAsASolidSphereDoes) {
  const Real radius = 0.03, friction = 0.2, restitution = 0.9, v_normal = 2, v_along = 1;
  for (const Real side_spin : {-300.0, -60.0, -20.0, 0.0, 20.0, 60.0, 300.0}) {
    World world(without_gravity());
    const MaterialIndex material = make_material(world, friction, restitution);
    world.create_body(static_body(Solid(Plane{-Vec3::UnitX(), 0}), {}, material, "cushion"));  // solid at x >= 0
    BodyDesc ball = dynamic_body(ball_of(radius), at(-0.5, 0, 0), material);
    ball.velocity = Vec3(v_normal, v_along, 0);
    ball.angular_velocity = Vec3(0, 0, side_spin);
    const BodyId id = world.create_body(ball);
    run_steps(world, 30);

    const Real slip = v_along + side_spin * radius;  // of the ball's point at +x, along y
    const Real largest = friction * (1 + restitution) * v_normal;
    const Real along = -std::clamp(2.0 / 7 * slip, -largest, largest);  // impulse over mass
    EXPECT_NEAR(world.velocity(id).x(), -restitution * v_normal, 1e-9) << side_spin;
    EXPECT_NEAR(world.velocity(id).y(), v_along + along, 1e-9) << side_spin;
    EXPECT_NEAR(world.angular_velocity(id).z(), side_spin + 5.0 / 2 * along / radius, 1e-7) << side_spin;
  }
}

/// Thrown along x with back spin on the ground, with moment of inertia k m r². It slides with mu g until
/// v = (v0 - k r w0)/(1 + k), and rolls on with that.
struct Throw {
  Real radius = 0.3, speed = 2, back_spin = 20, friction = 0.4, k = 1;

  [[nodiscard]] Real rolling_speed() const { return (speed - k * radius * back_spin) / (1 + k); }
  [[nodiscard]] Real sliding_time() const { return (speed - rolling_speed()) / (friction * kG); }
};

void expect_comes_back(const Throw& t, const Solid& solid, const geometry::MassProperties& mass) {
  World world;
  const MaterialIndex material = make_material(world, t.friction, 0);
  world.create_body(ground_plane(material));
  BodyDesc desc = dynamic_body(solid, at(0, 0, t.radius), material);
  desc.mass = mass;
  desc.velocity.x() = t.speed;
  desc.angular_velocity.y() = -t.back_spin;  // forward rolling is +y
  const BodyId id = world.create_body(desc);
  while (world.time() < t.sliding_time() / 2) static_cast<void>(world.step(kStep));
  const Real sliding = t.speed - t.friction * kG * world.time();
  EXPECT_NEAR(world.velocity(id).x(), sliding, 0.01 * t.speed);
  while (world.time() < t.sliding_time() + 2) static_cast<void>(world.step(kStep));
  const Real rolling = t.rolling_speed();
  ASSERT_LT(rolling, 0) << "it is to come back";
  EXPECT_NEAR(world.velocity(id).x(), rolling, 0.01 * std::abs(rolling));
  EXPECT_NEAR(world.angular_velocity(id).y(), rolling / t.radius, 0.01 * std::abs(rolling / t.radius));
  EXPECT_NEAR(world.velocity(id).y(), 0, 1e-3);
  // Where it is now: the way while it slid, and that of rolling.
  const Real way = (t.speed + rolling) / 2 * t.sliding_time() + rolling * (world.time() - t.sliding_time());
  EXPECT_NEAR(world.center_of_mass(id).x(), way, 0.02);
}

TEST(BackSpin, HoopComesBack) {
  const Throw t;
  geometry::MassProperties hoop{.mass = 0.5};
  const Real mr2 = hoop.mass * t.radius * t.radius;
  hoop.inertia = Vec3(mr2 / 2, mr2 / 2, mr2).asDiagonal();
  // A cylinder's axis is z of its shape; the body lies so that it is y of the world.
  const Pose axis_along_y{exp_so3(Vec3(-1.5707963267948966, 0, 0)), Vec3::Zero()};
  const Solid rim(geometry::Cylinder{t.radius, 0.05}, axis_along_y);
  expect_comes_back(t, rim, geometry::transformed(axis_along_y, hoop));
}

TEST(BackSpin, BallComesBack) {
  const Throw t{.back_spin = 40, .k = 0.4};
  expect_comes_back(t, ball_of(t.radius), geometry::mass_properties(Sphere{t.radius}, 500));
}

// A thick disc goes round on its edge, tilted by 40°, its centre nearly at rest: it rolls, and friction does no work.
// Its manifold also has points of the rim that are near the ground and carry nothing; friction against a twist must not
// act as if they did. Where it touches is found once a step, so even in short steps friction takes 4 % of the energy in
// a quarter of a second; with the lever of all points it took 8.5 %.
TEST(Spin, PointsWithoutLoadDoNotBrakeADiscOnItsEdge) {
  const Real R = 0.0375, half = 0.00635, rounding = 0.001, tilt = 0.6981317;
  WorldSettings settings;
  settings.keep_ledger = true;
  settings.margin = 0.002;
  settings.substeps = 4;
  World world(settings);
  const MaterialIndex material = make_material(world, 0.6, 0);
  world.create_body(ground_plane(material));
  const Real height = (R - rounding) * std::sin(tilt) + (half - rounding) * std::cos(tilt) + rounding;
  BodyDesc desc = dynamic_body(Solid(geometry::Cylinder{R - rounding, half - rounding}, {}, rounding),
                               {exp_so3(Vec3(0, tilt, 0)), Vec3(0, 0, height)}, material);
  const Real round = std::sqrt(4 * kG / (R * std::sin(tilt)));  // Ω of a thin disc
  desc.velocity.y() = round * half * std::sin(tilt);
  desc.angular_velocity = -round * std::sin(tilt) * Vec3(std::cos(tilt), 0, -std::sin(tilt));
  world.create_body(desc);
  const Real before = world.kinetic_energy() + world.potential_energy();
  while (world.time() < 0.25) static_cast<void>(world.step(5e-4));
  EXPECT_GT(world.ledger().friction, -0.06 * before);
}

/// A ball that rolls along x at 1 m/s (or spins about z at 10 rad/s), with rolling and spinning friction.
struct RollingBall {
  World world;
  BodyId ball;
  static constexpr Real kRadius = 0.2;

  RollingBall(Real rolling_friction, Real spinning_friction, bool rolls) {
    const MaterialIndex material = make_material(world, 0.6, 0);
    world.create_body(ground_plane(material));
    BodyDesc desc = dynamic_body(ball_of(kRadius), at(0, 0, kRadius), material);
    desc.shapes[0].rolling_friction = rolling_friction;
    desc.shapes[0].spinning_friction = spinning_friction;
    if (rolls) {
      desc.velocity.x() = 1;
      desc.angular_velocity.y() = 1 / kRadius;
    } else {
      desc.angular_velocity.z() = 10;
    }
    ball = world.create_body(desc);
  }
};

TEST(RollingFriction, BallWithoutItRollsOn) {
  RollingBall scene(0, 0, true);
  run_steps(scene.world, 300);
  EXPECT_NEAR(scene.world.velocity(scene.ball).x(), 1, 1e-3);
  EXPECT_NEAR(scene.world.angular_velocity(scene.ball).y(), 1 / RollingBall::kRadius, 1e-2);
}

// The torque lever m g against rolling: (1 + 2/5) r a = -lever g, with the friction force that keeps it rolling.
TEST(RollingFriction, DeceleratesAsItsLeverSays) {
  const Real lever = 0.01, deceleration = lever * kG / (1.4 * RollingBall::kRadius);
  RollingBall scene(lever, 0, true);
  run_steps(scene.world, 60);
  EXPECT_NEAR(scene.world.velocity(scene.ball).x(), 1 - deceleration, 0.01 * deceleration);
  while (scene.world.time() < 1 / deceleration + 0.1) static_cast<void>(scene.world.step(kStep));
  EXPECT_LT(scene.world.velocity(scene.ball).norm(), 1e-3);
  EXPECT_LT(scene.world.angular_velocity(scene.ball).norm(), 1e-2);
  EXPECT_NEAR(scene.world.center_of_mass(scene.ball).x(), 1 / (2 * deceleration), 0.01 / deceleration);
}

// The torque lever m g about the normal: 2/5 r² alpha = -lever g.
TEST(SpinningFriction, DeceleratesAsItsLeverSays) {
  const Real lever = 0.005, radius = RollingBall::kRadius, deceleration = 2.5 * lever * kG / (radius * radius);
  RollingBall scene(0, lever, false);
  run_steps(scene.world, 60);
  EXPECT_NEAR(scene.world.angular_velocity(scene.ball).z(), 10 - deceleration, 0.01 * deceleration);
  while (scene.world.time() < 10 / deceleration + 0.1) static_cast<void>(scene.world.step(kStep));
  EXPECT_LT(scene.world.angular_velocity(scene.ball).norm(), 1e-2);
  EXPECT_LT(scene.world.velocity(scene.ball).norm(), 1e-3);
}

TEST(SpinningFriction, BallWithoutItSpinsOn) {
  RollingBall scene(0, 0, false);
  scene.world.set_can_sleep(scene.ball, false);
  run_steps(scene.world, 300);
  EXPECT_NEAR(scene.world.angular_velocity(scene.ball).z(), 10, 1e-2);
}

// A ball beside a conveyor, both at rest, is thrown at it by a bullet within the step: the impact knows the belt's
// speed though nothing was near it when the step began.
TEST(Conveyor, IsKnownToWhatIsThrownAtItWithinTheStep) {
  World world(without_gravity());
  BodyDesc belt = static_body(ball_of(0.5));
  belt.shapes[0].surface_velocity = Vec3(0, 0, 2);
  const BodyId conveyor = world.create_body(belt);
  const Vec3 out = Vec3(1, 1, 0).normalized();
  const BodyId target = world.create_body(dynamic_body(ball_of(0.5), {Mat3::Identity(), Vec3(0.8, 0.8, 0)}));
  BodyDesc bullet = dynamic_body(ball_of(0.5), {Mat3::Identity(), Vec3(0.8, 0.8, 0) + 1.5 * out});
  bullet.velocity = -100 * out;
  world.create_body(bullet);
  run_steps(world, 1);
  bool met = false;
  for (const ImpactEvent& impact : world.events().impacts) {
    if (impact.body_a != conveyor && impact.body_b != conveyor) continue;
    met = true;
    EXPECT_TRUE(impact.body_a == target || impact.body_b == target);
    EXPECT_NEAR(impact.v.head<2>().norm(), 2, 1e-6);
    break;
  }
  EXPECT_TRUE(met);
}

TEST(Conveyor, BringsABoxToItsSpeed) {
  World world;
  const Real friction = 0.3, belt_speed = 1.5;
  const MaterialIndex material = make_material(world, friction, 0);
  BodyDesc belt = static_body(Solid(Box{Vec3(20, 1, 0.1)}), at(0, 0, -0.1), material, "belt");
  belt.shapes[0].surface_velocity.x() = belt_speed;
  const BodyId belt_id = world.create_body(belt);
  const BodyId box = world.create_body(dynamic_body(cube_of(0.4), at(0, 0, 0.2), material));
  run_steps(world, 15);
  EXPECT_NEAR(world.velocity(box).x(), friction * kG * 0.25, 0.01 * friction * kG * 0.25);
  run_steps(world, 105);
  EXPECT_NEAR(world.velocity(box).x(), belt_speed, 1e-3 * belt_speed);
  const Real sliding_time = belt_speed / (friction * kG);
  EXPECT_NEAR(world.center_of_mass(box).x(), belt_speed * (2 - sliding_time / 2), 0.02);
  EXPECT_TRUE(world.is_awake(box)) << "what a belt carries moves";

  std::vector<ShapeId> shapes;
  world.shapes(belt_id, shapes);
  ASSERT_EQ(shapes.size(), 1u);
  world.set_surface_velocity(shapes[0], Vec3::Zero());
  run_steps(world, 120);
  EXPECT_LT(world.velocity(box).norm(), 1e-3);
}

}  // namespace
}  // namespace visviva::dynamics
