// Joints as part of a world: created, changed, broken, asleep, in snapshots, on threads; and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "joint_parts.hpp"
#include "visviva/core/error.hpp"
#include "visviva/core/task_pool.hpp"

namespace visviva::dynamics {
namespace {

/// What the world says when it refuses a joint.
template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing";
}

TEST(JointCreation, BadJointsAreRefusedByName) {
  World world;
  const BodyId ball = world.create_body(dynamic_body(ball_of(0.1), at(0, 0, 1)));
  const BodyId wall = world.create_body(static_body(cube_of(1)));
  const BodyId floor = world.create_body(static_body(cube_of(1)));
  JointDesc desc;
  desc.name = "arm";
  EXPECT_NE(refusal([&] { world.create_joint(wall, floor, desc); }).find("joint 'arm': bodies"), std::string::npos);
  EXPECT_NE(refusal([&] { world.create_joint({}, {}, desc); }).find("joint 'arm'"), std::string::npos);
  EXPECT_NE(refusal([&] { world.create_joint(ball, ball, desc); }).find("joint 'arm'"), std::string::npos);
  JointDesc bad = desc;
  bad.kind = JointKind::Hinge;
  bad.axes[model::kTurnZ].limit = {1, -1};
  EXPECT_NE(refusal([&] { world.create_joint({}, ball, bad); }).find("turn_z"), std::string::npos);
  bad = desc;
  bad.X_BJ.R.setZero();
  EXPECT_NE(refusal([&] { world.create_joint({}, ball, bad); }), "nothing");
  bad = desc;
  bad.X_AJ.p.x() = std::numeric_limits<Real>::quiet_NaN();
  EXPECT_NE(refusal([&] { world.create_joint({}, ball, bad); }), "nothing");
  world.destroy_body(wall);
  EXPECT_THROW(world.create_joint(wall, ball, desc), StaleId);
  EXPECT_EQ(world.joint_count(), 0u);
  const JointId id = world.create_joint({}, ball, desc);
  EXPECT_EQ(world.joint_count(), 1u);
  world.destroy_joint(id);
  EXPECT_THROW(world.destroy_joint(id), StaleId);
}

TEST(JointCreation, DragIsOfTheWorldAndABody) {
  World world(without_sleep());
  const BodyId ball = world.create_body(dynamic_body(ball_of(0.1), at(0, 0, 1)));
  const BodyId other = world.create_body(dynamic_body(ball_of(0.1), at(1, 0, 1)));
  JointDesc desc;
  desc.name = "mouse";
  desc.kind = JointKind::Drag;
  desc.frequency = 2;
  desc.target = Vec3(0, 0, 2);
  EXPECT_NE(refusal([&] { world.create_joint(other, ball, desc); }).find("bodies"), std::string::npos);
  const JointId id = world.create_joint({}, ball, desc);
  world.set_target(id, Vec3(0, 0, 3));
  run_steps(world, 240);
  // It hangs below the target by what its weight stretches a spring of 2 Hz: g / (2 π f)².
  EXPECT_NEAR(world.center_of_mass(ball).z(), 3 - kG / std::pow(4 * kPi, 2), 1e-3);
}

TEST(JointCreation, JointsOfADestroyedBodyGoWithIt) {
  World world(without_sleep());
  const Pendulum pendulum = make_pendulum(world, 0.3);
  run_steps(world, 5);
  world.destroy_body(pendulum.rod);
  EXPECT_FALSE(world.is_alive(pendulum.hinge));
  run_steps(world, 5);
}

// A chain hangs from the world; one joint is cut while it runs: what is below falls freely.
TEST(JointBreaking, BreaksInTheStepInWhichItsForceIsMet) {
  World world(without_sleep());
  const Pendulum pendulum = make_pendulum(world, 0);
  const Real weight = world.mass_properties(pendulum.rod).mass * kG;
  JointDesc desc = world.joint_desc(pendulum.hinge);
  desc.break_force = 1.5 * weight;
  world.set_joint(pendulum.hinge, desc);
  run_steps(world, 30);
  EXPECT_FALSE(world.joint_state(pendulum.hinge).broken);
  // Pulled down by more and more: breaks when weight and pull exceed its strength.
  Real pull = 0;
  while (world.events().broken.empty()) {
    pull += 0.01 * weight;
    ASSERT_LT(pull, weight);
    world.add_force(pendulum.rod, Vec3(0, 0, -pull));
    static_cast<void>(world.step(kStep));
  }
  EXPECT_NEAR(pull, 0.5 * weight, 0.03 * weight);
  const BreakEvent event = world.events().broken[0];
  EXPECT_EQ(event.joint, pendulum.hinge);
  EXPECT_NEAR(event.force.norm(), 1.5 * weight, 0.03 * weight);
  EXPECT_NEAR(event.point.norm(), 0, 1e-3);
  // Free fall from here on, and momentum only by gravity.
  const Vec3 v = world.velocity(pendulum.rod);
  run_steps(world, 60);
  EXPECT_NEAR(world.velocity(pendulum.rod).z(), v.z() - kG, 1e-9);
}

TEST(JointCollision, JoinedBodiesTouchOnlyIfAsked) {
  for (const bool collide : {false, true}) {
    World world(without_sleep());
    world.create_body(ground_box());
    // Two cubes that overlap, on a slider: they stay so, unless they may touch.
    const BodyId low = world.create_body(dynamic_body(cube_of(1), at(0, 0, 0.5)));
    const BodyId high = world.create_body(dynamic_body(cube_of(1), at(0, 0, 2)));
    JointDesc desc = joint_at(world, low, high, JointKind::Slider, Vec3::Zero());
    desc.collide = collide;
    const JointId id = world.create_joint(low, high, desc);
    run_steps(world, 120);
    EXPECT_NEAR(world.center_of_mass(high).z(), collide ? 1.5 : 0.5, 0.01);
    if (collide) continue;
    world.destroy_joint(id);  // now they may, and are pushed apart
    run_steps(world, 240);
    EXPECT_LT(world.deepest_overlap(), 0.01);
  }
}

TEST(JointSleep, BodiesOnJointsSleepTogetherAndWakeTogether) {
  World world;
  std::vector<BodyId> links;
  for (int i = 0; i < 4; ++i) {
    links.push_back(world.create_body(ghost(dynamic_body(ball_of(0.1), at(0, 0, -0.5 * i - 0.5)))));
    const BodyId a = i > 0 ? links[static_cast<std::size_t>(i - 1)] : BodyId{};
    world.create_joint(a, links.back(), joint_at(world, a, links.back(), JointKind::Ball, Vec3(0, 0, -0.5 * i)));
  }
  run_steps(world, 120);
  for (const BodyId id : links) EXPECT_FALSE(world.is_awake(id));
  world.apply_impulse(links.back(), Vec3(1, 0, 0));
  static_cast<void>(world.step(kStep));
  for (const BodyId id : links) EXPECT_TRUE(world.is_awake(id));
  EXPECT_GT(world.kinetic_energy(), 0);
}

/// A crane of all sorts of joints above a ground with boxes.
void add_machine(World& world) {
  world.create_body(ground_box());
  BodyId last;
  for (int i = 0; i < 12; ++i) {
    const BodyId link = world.create_body(dynamic_body(Solid(Box{Vec3(0.2, 0.05, 0.05)}), at(0.4 * i + 0.2, 0, 4)));
    JointDesc desc = joint_at(world, last, link, i % 2 == 0 ? JointKind::Ball : JointKind::Hinge, Vec3(0.4 * i, 0, 4),
                              Vec3::UnitY());
    desc.solver = i < 6 ? JointSolver::Direct : JointSolver::Iterative;
    if (i % 2 == 1) desc.axes[model::kTurnZ].limit = {-1, 1};
    if (i == 7) desc.break_force = 2000;
    world.create_joint(last, link, desc);
    last = link;
  }
  for (int i = 0; i < 10; ++i) world.create_body(dynamic_body(cube_of(0.4), at(0.5 * i, 0.05 * i, 0.2)));
  const BodyId wheel = world.create_body(dynamic_body(ball_of(0.3), at(-2, 0, 1)));
  JointDesc motor = joint_at(world, {}, wheel, JointKind::Hinge, Vec3(-2, 0, 1), Vec3::UnitX());
  motor.axes[model::kTurnZ].motor = {.kind = model::MotorKind::Velocity, .target_velocity = 4, .max_force = 10};
  world.create_joint({}, wheel, motor);
}

std::uint64_t run_machine(TaskSystem* tasks) {
  World world;
  add_machine(world);
  for (int i = 0; i < 150; ++i) static_cast<void>(world.step(kStep, tasks));
  return world.hash();
}

TEST(JointDeterminism, ThreadsMakeNoDifference) {
  const std::uint64_t expected = run_machine(nullptr);
  for (const int threads : {2, 4, 8}) {
    TaskPool pool(threads);
    EXPECT_EQ(run_machine(&pool), expected) << threads << " threads";
  }
}

TEST(JointSnapshot, GoesOnBitForBit) {
  World world;
  add_machine(world);
  run_steps(world, 60);
  const Snapshot snapshot = world.snapshot();
  const std::vector<std::byte> bytes = snapshot.to_bytes();
  run_steps(world, 60);
  const std::uint64_t expected = world.hash();
  world.restore(snapshot);
  run_steps(world, 60);
  EXPECT_EQ(world.hash(), expected);
  World other;
  other.restore(Snapshot::from_bytes(bytes));
  EXPECT_EQ(other.joint_count(), 13u);
  run_steps(other, 60);
  EXPECT_EQ(other.hash(), expected);
  EXPECT_EQ(other.snapshot().to_bytes(), world.snapshot().to_bytes());
}

// A joint acts on two free bodies with opposite impulses in one line, however far its rows give way: their angular
// momentum stays. Gears and pulleys are no such joints: shafts and wheels are held by something else.
TEST(FreePair, KeepsItsAngularMomentum) {
  for (const JointKind kind : {JointKind::Ball, JointKind::Hinge, JointKind::Fixed, JointKind::Slider,
                               JointKind::Universal, JointKind::Distance, JointKind::Spring})
    for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct}) {
      World world(awake_without_gravity());
      const Vec3 spin(0, 0, 40);
      std::vector<BodyId> rods;
      for (const Real x : {-0.3, 0.3}) {
        BodyDesc rod;
        rod.X_WB = at(x, 0, 0);
        rod.mass = geometry::MassProperties{.mass = 0.1, .inertia = Vec3(2e-4, 3e-3, 3e-3).asDiagonal()};
        rods.push_back(world.create_body(rod));
        world.set_angular_velocity(rods.back(), spin);
        world.set_velocity(rods.back(), spin.cross(Vec3(x, 0, 0)));
      }
      JointDesc desc = joint_at(world, rods[0], rods[1], kind, Vec3::Zero());
      desc.solver = solver;
      if (kind == JointKind::Distance) desc.X_AJ.p.x() -= 0.1;
      desc.length = {0.1, 0.1};
      desc.stiffness = 2000;
      desc.damping = 5;
      world.create_joint(rods[0], rods[1], desc);
      const auto sum = [&] {
        Vec3 L = Vec3::Zero();
        for (const BodyId rod : rods)
          L += angular_momentum(world, rod) + world.center_of_mass(rod).cross(0.1 * world.velocity(rod));
        return L;
      };
      const Vec3 before = sum();
      run_steps(world, 600);
      // Velocities pass through floats: 4800 sub-steps with three solves each, rounding by 3e-8, add up to 4e-6.
      EXPECT_LT((sum() - before).norm(), 4e-6 * before.norm())
          << to_string(kind) << (solver == JointSolver::Direct ? " direct" : "");
    }
}

}  // namespace
}  // namespace visviva::dynamics
