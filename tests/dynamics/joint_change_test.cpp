// Joints whose description changes while they hold: other rows, other curves, and calls with axes that they do not
// have.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "joint_parts.hpp"
#include "visviva/core/error.hpp"

namespace visviva::dynamics {
namespace {

using model::AxisMotion;

constexpr JointSolver kSolvers[] = {JointSolver::Iterative, JointSolver::Direct};

/// Sets the motion of some axes of six degrees of freedom.
void set_motion(World& world, JointId joint, std::initializer_list<Axis> axes, AxisMotion motion) {
  JointDesc desc = world.joint_desc(joint);
  for (const Axis axis : axes) desc.axes[axis].motion = motion;
  world.set_joint(joint, desc);
}

/// Three rods of 1 m in a row along x, from the origin, that meet nothing.
struct Row {
  std::vector<BodyId> rods;
  std::vector<JointId> joints;

  Row(World& world, JointSolver solver, AxisMotion turns) {
    BodyId last;
    for (int i = 0; i < 3; ++i) {
      rods.push_back(world.create_body(ghost(dynamic_body(Solid(Box{Vec3(0.5, 0.1, 0.1)}), at(i + 0.5, 0, 0)))));
      JointDesc desc = joint_at(world, last, rods.back(), JointKind::SixDof, Vec3(i, 0, 0));
      desc.solver = solver;
      for (const Axis axis : {model::kMoveX, model::kMoveY, model::kMoveZ}) desc.axes[axis].motion = AxisMotion::Locked;
      for (const Axis axis : {model::kTurnX, model::kTurnY, model::kTurnZ}) desc.axes[axis].motion = turns;
      joints.push_back(world.create_joint(last, rods.back(), desc));
      last = rods.back();
    }
  }
  void set_turns(World& world, AxisMotion motion) const {
    for (const JointId joint : joints) set_motion(world, joint, {model::kTurnX, model::kTurnY, model::kTurnZ}, motion);
  }
  [[nodiscard]] Real energy(const World& world) const {
    Real sum = world.kinetic_energy();
    for (const BodyId rod : rods) sum += world.mass_properties(rod).mass * kG * world.center_of_mass(rod).z();
    return sum;
  }
  [[nodiscard]] Real largest_error(const World& world) const {
    Real largest = 0;
    for (const JointId joint : joints) largest = std::max(largest, world.joint_state(joint).error);
    return largest;
  }
};

// 6 -> 3 rows: a beam becomes a chain, which falls and keeps its energy.
TEST(ChangedRows, BeamBecomesAChain) {
  for (const JointSolver solver : kSolvers) {
    World world(without_sleep());
    const Row row(world, solver, AxisMotion::Locked);
    run_steps(world, 10);
    row.set_turns(world, AxisMotion::Free);
    const Real before = row.energy(world), most = world.mass_properties(row.rods[0]).mass * kG * 3 * 1.5;
    for (int i = 0; i < 60; ++i) {
      static_cast<void>(world.step(kStep));
      ASSERT_LT(row.largest_error(world), solver == JointSolver::Direct ? 1e-4 : 5e-3) << "step " << i;
      ASSERT_NEAR(row.energy(world), before, 0.02 * most) << "step " << i;
    }
    EXPECT_LT(world.center_of_mass(row.rods[2]).z(), -1);  // it did fall
  }
}

// 3 -> 6 rows: a chain that has begun to fall becomes a beam, straight and at rest.
TEST(ChangedRows, ChainBecomesABeam) {
  for (const JointSolver solver : kSolvers) {
    World world(without_sleep());
    const Row row(world, solver, AxisMotion::Free);
    run_steps(world, 6);
    row.set_turns(world, AxisMotion::Locked);
    run_steps(world, 180);
    EXPECT_LT(row.largest_error(world), 1e-2);
    EXPECT_LT(world.joint_state(row.joints[0]).angular_error, solver == JointSolver::Direct ? 1e-4 : 0.05);
    EXPECT_NEAR(world.center_of_mass(row.rods[2]).z(), 0, solver == JointSolver::Direct ? 1e-3 : 0.2);
    EXPECT_LT(largest_speed(world), 1e-2);
  }
}

// Impacts know the new rows. A ball with e = 1 hits a rod at the distance a from its end, which is held: from a rod
// that cannot move it comes back as it came; one that turns about its end gets ω = 2 m v a / (I + m a²).
TEST(ChangedRows, TakePartInImpacts) {
  for (const JointSolver solver : kSolvers)
    for (const bool becomes_free : {false, true}) {
      World world(awake_without_gravity());
      const MaterialIndex steel = make_material(world, 0, 1);
      const BodyId rod = world.create_body(dynamic_body(Solid(Box{Vec3(0.5, 0.05, 0.05)}), at(0.5, 0, 0), steel));
      JointDesc desc = joint_at(world, {}, rod, JointKind::SixDof, Vec3::Zero());
      desc.solver = solver;
      for (model::AxisDesc& axis : desc.axes) axis.motion = AxisMotion::Locked;
      if (!becomes_free) desc.axes[model::kTurnZ].motion = AxisMotion::Free;
      const JointId joint = world.create_joint({}, rod, desc);
      run_steps(world, 2);
      set_motion(world, joint, {model::kTurnZ}, becomes_free ? AxisMotion::Free : AxisMotion::Locked);
      const Real a = 0.8, v = 2;
      const BodyId ball = world.create_body(dynamic_body(ball_of(0.1), at(a, -0.2, 0), steel));
      world.set_velocity(ball, Vec3(0, v, 0));
      const Real energy = world.kinetic_energy();
      run_steps(world, 4);
      const geometry::MassProperties given = world.mass_properties(rod);
      const Real m = world.mass_properties(ball).mass, I = given.inertia(2, 2) + given.mass * 0.25;
      const Real w = becomes_free ? 2 * m * v * a / (I + m * a * a) : 0;
      EXPECT_NEAR(world.angular_velocity(rod).z(), w, 1e-3 * v);
      EXPECT_NEAR(world.velocity(ball).y(), becomes_free ? a * w - v : -v, 1e-3 * v);
      EXPECT_NEAR(world.kinetic_energy(), energy, 1e-3 * energy);
    }
}

// Steering is locked until the callback drives it.
TEST(ChangedRows, CallbackMayUnlockAnAxis) {
  for (const JointSolver solver : kSolvers) {
    World world(awake_without_gravity());
    const BodyId car = world.create_body(ghost(dynamic_body(cube_of(1), {})));
    const BodyId wheel = world.create_body(ghost(dynamic_body(cube_of(0.4), at(1, 0, 0))));
    JointDesc desc = joint_at(world, car, wheel, JointKind::Wheel, Vec3(1, 0, 0));
    desc.solver = solver;
    const JointId joint = world.create_joint(car, wheel, desc);
    world.set_motor_callback(joint, model::kTurnZ, [](const MotorInput& input) {
      model::MotorDesc motor;
      if (input.time < 0.2 || input.time > 2) return motor;
      motor.kind = model::MotorKind::Position;
      motor.target_position = 0.4;
      motor.frequency = 3;
      return motor;
    });
    run_steps(world, 110);
    EXPECT_NEAR(world.joint_coordinate(joint, model::kTurnZ), 0.4, 1e-3);
    run_steps(world, 60);  // locked again, where it is not driven: at 0
    EXPECT_NEAR(world.joint_coordinate(joint, model::kTurnZ), 0, 1e-3);
    EXPECT_LT(world.joint_state(joint).error, 1e-6);
  }
}

TEST(JointAxis, ThatAJointDoesNotHaveIsRefused) {
  World world;
  const Pendulum pendulum = make_pendulum(world, 0.1);
  const auto nowhere = static_cast<Axis>(200);
  EXPECT_THROW(world.set_motor(pendulum.hinge, nowhere, {}), InvalidArgument);
  EXPECT_THROW(world.set_motor(pendulum.hinge, model::kMoveX, {}), InvalidArgument);
  EXPECT_THROW(world.set_motor_callback(pendulum.hinge, nowhere, [](const MotorInput&) { return model::MotorDesc{}; }),
               InvalidArgument);
  EXPECT_THROW(static_cast<void>(world.joint_coordinate(pendulum.hinge, nowhere)), InvalidArgument);
  EXPECT_FALSE(model::leaves_free(JointKind::SixDof, nowhere));
}

// The length along a curve is that along the one that it has now.
TEST(ChangedPath, CountsLengthsFromItsOwnBeginning) {
  World world(awake_without_gravity());
  const BodyId bead = world.create_body(ghost(dynamic_body(ball_of(0.1), at(8, 0, 0))));
  JointDesc desc;
  desc.name = "wire";
  desc.kind = JointKind::PointOnPath;
  for (int i = 0; i <= 10; ++i) desc.path.push_back(Vec3(i, 0, 0));
  const JointId joint = world.create_joint({}, bead, desc);
  run_steps(world, 1);
  EXPECT_NEAR(world.joint_coordinate(joint, model::kMoveZ), 8, 1e-6);
  desc.path = {Vec3(7.5, 0, 0), Vec3(9, 0, 0)};
  world.set_joint(joint, desc);
  EXPECT_NEAR(world.joint_coordinate(joint, model::kMoveZ), 0.5, 1e-6);
  run_steps(world, 10);
  EXPECT_NEAR(world.joint_coordinate(joint, model::kMoveZ), 0.5, 1e-6);
}

TEST(JointNumbers, BeyondAllMeasureAreRefused) {
  World world;
  const BodyId a = world.create_body(ghost(dynamic_body(cube_of(1), {})));
  const BodyId b = world.create_body(ghost(dynamic_body(cube_of(1), at(2, 0, 0))));
  const auto refused = [&](auto&& change, JointKind kind = JointKind::Ball) {
    JointDesc desc = joint_at(world, a, b, kind, Vec3(1, 0, 0));
    change(desc);
    EXPECT_THROW(world.create_joint(a, b, desc), InvalidArgument);
  };
  refused([](JointDesc& d) { d.X_AJ.p.x() = 1e12; });
  refused([](JointDesc& d) { d.X_BJ.p.z() = -1e200; });
  for (const Real ratio : {1e300, 1e-300, 1e7, -1e7, 0.0, std::numeric_limits<Real>::quiet_NaN()})
    refused([&](JointDesc& d) { d.ratio = ratio; }, JointKind::Gear);
  refused([](JointDesc& d) { d.pitch = 1e30; }, JointKind::Screw);
  refused([](JointDesc& d) { d.stiffness = 1e300; }, JointKind::Spring);
  refused([](JointDesc& d) { d.path = {Vec3::Zero(), Vec3(1e20, 0, 0)}; }, JointKind::PointOnPath);
}

}  // namespace
}  // namespace visviva::dynamics
