// What breaks a joint, and what it gives until then: never more than it bears.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "joint_parts.hpp"
#include "visviva/constraint/user.hpp"

namespace visviva::dynamics {
namespace {

constexpr JointSolver kSolvers[] = {JointSolver::Iterative, JointSolver::Direct};
constexpr Real kSubstep = kStep / 8;

WorldSettings in_space() {
  WorldSettings settings = awake_without_gravity();
  settings.keep_ledger = true;
  return settings;
}

/// Steps until something breaks, or for a second.
int count_breaks(World& world, BreakEvent* event = nullptr) {
  int count = 0;
  for (int i = 0; i < 60; ++i) {
    static_cast<void>(world.step(kStep));
    for (const BreakEvent& broken : world.events().broken) {
      ++count;
      if (event != nullptr) *event = broken;
    }
  }
  return count;
}

// A thread and a cannonball that runs into it: the ball loses what the thread bears.
TEST(Thread, TakesOfACannonballNoMoreThanItBears) {
  for (const Real strength : {1e-3, 5.0}) {
    World world(in_space());
    const BodyId ball = world.create_body(ghost(dynamic_body(ball_of(0.1), {})));
    world.set_velocity(ball, Vec3(100, 0, 0));
    JointDesc desc;
    desc.kind = JointKind::Distance;
    desc.length = {0, 3.3, 0, 1};
    desc.break_impulse = strength;
    world.create_joint({}, ball, desc);
    BreakEvent event;
    EXPECT_EQ(count_breaks(world, &event), 1);
    EXPECT_NEAR(event.impulse, strength, 1e-9);
    EXPECT_NEAR(world.mass_properties(ball).mass * (100 - world.velocity(ball).x()), strength, 1e-5 * strength + 1e-6);
  }
}

// The same of a joint that locks, of a body that was set in motion.
TEST(WeakJoint, GivesWhatItBears) {
  for (const JointSolver solver : kSolvers)
    for (const bool by_force : {false, true}) {
      World world(in_space());
      const BodyId ball = world.create_body(ghost(dynamic_body(ball_of(0.1), {})));
      JointDesc desc = joint_at(world, {}, ball, JointKind::Ball, Vec3::Zero());
      desc.solver = solver;
      (by_force ? desc.break_force : desc.break_impulse) = by_force ? 2 / kSubstep : 2;
      world.create_joint({}, ball, desc);
      world.set_velocity(ball, Vec3(0, 3, 4));
      BreakEvent event;
      EXPECT_EQ(count_breaks(world, &event), 1);
      EXPECT_NEAR(event.impulse, 2, 1e-9);
      EXPECT_NEAR(event.force.norm(), 2 / kSubstep, 1e-6);
      EXPECT_NEAR(world.mass_properties(ball).mass * (5 - world.velocity(ball).norm()), 2, 1e-5);
    }
}

// A ball hits a body that is fixed to the world, centrally and with e = 1. If the joint bears more than 2 m v, the ball
// comes back as it came. Else the joint gives its B, the sum of the momenta is m v - B, and the energy stays.
TEST(StruckJoint, GivesItsImpulseAndTheImpactGoesOn) {
  for (const JointSolver solver : kSolvers)
    for (const Real part : {1e-3, 0.4, 1.0, 1.6, 1.99, 2.01}) {
      World world(in_space());
      const MaterialIndex steel = make_material(world, 0, 1);
      const BodyId target = world.create_body(dynamic_body(cube_of(0.3), {}, steel));
      const BodyId ball = world.create_body(dynamic_body(ball_of(0.1), at(-0.5, 0, 0), steel));
      const Real v = 3, m = world.mass_properties(ball).mass, M = world.mass_properties(target).mass;
      world.set_velocity(ball, Vec3(v, 0, 0));
      JointDesc desc = joint_at(world, {}, target, JointKind::Fixed, Vec3::Zero());
      desc.solver = solver;
      desc.break_impulse = part * m * v;
      world.create_joint({}, target, desc);
      const Real energy = world.kinetic_energy();
      BreakEvent event;
      ASSERT_EQ(count_breaks(world, &event), part < 2 ? 1 : 0) << part;
      const Real left = world.velocity(ball).x(), right = world.velocity(target).x();
      if (part > 2) {
        EXPECT_NEAR(left, -v, 1e-6);
        continue;
      }
      EXPECT_NEAR(event.impulse, part * m * v, 1e-6 * m * v);
      EXPECT_NEAR(m * left + M * right, (1 - part) * m * v, 1e-6 * m * v) << part;
      EXPECT_NEAR(world.kinetic_energy(), energy, 1e-6 * energy) << part;
      EXPECT_GT(right, left);
      EXPECT_LT(std::abs(world.ledger().remainder()), 1e-6 * world.ledger().scale()) << part;
    }
}

// Impacts count as forces: P within a sub-step h is P / h. A ball with e = 1 hits a fixed body: P = 2 m v.
TEST(StruckJoint, BreaksByTheMeanForceOfAnImpact) {
  for (const Real part : {0.95, 1.05}) {
    World world(in_space());
    const MaterialIndex steel = make_material(world, 0, 1);
    const BodyId target = world.create_body(dynamic_body(cube_of(0.3), {}, steel));
    const BodyId ball = world.create_body(dynamic_body(ball_of(0.1), at(-0.5, 0, 0), steel));
    world.set_velocity(ball, Vec3(3, 0, 0));
    JointDesc desc = joint_at(world, {}, target, JointKind::Fixed, Vec3::Zero());
    desc.break_force = part * 2 * world.mass_properties(ball).mass * 3 / kSubstep;
    world.create_joint({}, target, desc);
    EXPECT_EQ(count_breaks(world), part < 1 ? 1 : 0);
  }
}

// An angular lock takes no force, but the moment of the impulse: P a with P = 2 v m M / (m + M).
TEST(StruckJoint, BreaksByTheMeanTorqueOfAnImpact) {
  for (const JointSolver solver : kSolvers)
    for (const Real part : {0.95, 1.05}) {
      World world(in_space());
      const MaterialIndex steel = make_material(world, 0, 1);
      const BodyId target = world.create_body(dynamic_body(cube_of(0.6), {}, steel));
      const Real a = 0.2, v = 3;
      const BodyId ball = world.create_body(dynamic_body(ball_of(0.1), at(-0.6, a, 0), steel));
      world.set_velocity(ball, Vec3(v, 0, 0));
      const Real m = world.mass_properties(ball).mass, M = world.mass_properties(target).mass;
      JointDesc desc = joint_at(world, {}, target, JointKind::AngularLock, Vec3::Zero());
      desc.solver = solver;
      desc.break_torque = part * 2 * v * m * M / (m + M) * a / kSubstep;
      world.create_joint({}, target, desc);
      BreakEvent event;
      ASSERT_EQ(count_breaks(world, &event), part < 1 ? 1 : 0);
      EXPECT_NEAR(m * world.velocity(ball).x() + M * world.velocity(target).x(), m * v, 1e-9 * m * v);
      if (part < 1) {
        EXPECT_NEAR(event.torque.norm(), desc.break_torque, 1e-6 * desc.break_torque);
      } else {
        EXPECT_NEAR(world.angular_velocity(target).norm(), 0, 1e-6);
      }
    }
}

// In the middle of a chain of direct joints the weak one goes, and the rest stays together.
TEST(WeakJoint, LeavesTheRestOfItsGroupWhole) {
  World world(without_sleep());
  std::vector<JointId> joints;
  BodyId last;
  for (int i = 0; i < 10; ++i) {
    const BodyId link = world.create_body(ghost(dynamic_body(Solid(Box{Vec3(0.05, 0.05, 0.25)}), at(0, 0, -0.5 * i))));
    JointDesc desc = joint_at(world, last, link, JointKind::Ball, Vec3(0, 0, 0.25 - 0.5 * i));
    desc.solver = JointSolver::Direct;
    // It carries five links.
    if (i == 5) desc.break_force = 4.5 * world.mass_properties(link).mass * kG;
    joints.push_back(world.create_joint(last, link, desc));
    last = link;
  }
  EXPECT_EQ(count_breaks(world), 1);
  for (std::size_t i = 0; i < joints.size(); ++i) {
    EXPECT_EQ(world.joint_state(joints[i]).broken, i == 5);
    EXPECT_LT(world.joint_state(joints[i]).error, i == 5 ? 1e9 : 1e-5);
  }
  // It bore 9/10 of the weight below in its one sub-step; after that they fall freely.
  EXPECT_NEAR(world.velocity(last).z(), -kG * (1 - 0.9 * kSubstep), 1e-4);
}

/// Holds z of B at 0, as its one row says.
class Shelf : public constraint::UserConstraint {
 public:
  constraint::Softness softness;
  Real strength = std::numeric_limits<Real>::infinity();
  [[nodiscard]] int rows() const override { return 1; }
  void evaluate(const constraint::UserInput& input, std::span<constraint::Atom> atoms) override {
    atoms[0].J.v_b = Vec3::UnitZ();
    atoms[0].error = input.B.place.center.z();
    atoms[0].softness = softness;
    atoms[0].strength = strength;
  }
};

/// What a ball on a shelf does in three seconds.
struct Shelved {
  World world;
  BodyId ball;
  JointId joint;
  int breaks = 0, refused = 0;

  Shelved(const std::shared_ptr<Shelf>& shelf, JointSolver solver) : world(without_sleep()) {
    ball = world.create_body(ghost(dynamic_body(ball_of(0.1), {})));
    JointDesc desc;
    desc.name = "shelf";
    desc.solver = solver;
    joint = world.create_joint({}, ball, shelf, desc);
    for (int i = 0; i < 180; ++i) {
      refused += world.step(kStep).refused_constraints;
      breaks += static_cast<int>(world.events().broken.size());
    }
  }
};

TEST(UserRow, BreaksAtItsStrength) {
  World sample;
  const Real weight = sample.mass_properties(sample.create_body(dynamic_body(ball_of(0.1), {}))).mass * kG;
  for (const JointSolver solver : kSolvers)
    for (const Real part : {0.0, 0.95, 1.05}) {
      const auto shelf = std::make_shared<Shelf>();
      shelf->strength = part * weight;
      const Shelved run(shelf, solver);
      EXPECT_EQ(run.breaks, part < 1 ? 1 : 0) << part;
      EXPECT_EQ(run.refused, 0);
      EXPECT_NEAR(run.world.velocity(run.ball).z(), part < 1 ? -kG * (3 - part * kSubstep) : 0, 1e-3);
    }
}

/// Keeps z of B above 0.
class Floor : public Shelf {
 public:
  void evaluate(const constraint::UserInput& input, std::span<constraint::Atom> atoms) override {
    Shelf::evaluate(input, atoms);
    atoms[0].role = constraint::AtomRole::Limit;
  }
};

// All that a one-sided row takes out of an impact is its strength times the sub-step.
TEST(UserRow, ThatIsOneSidedBearsNoMoreThanItsStrengthInAnImpact) {
  for (const JointSolver solver : kSolvers)
    for (const Real strength : {2.0, 200.0}) {
      WorldSettings settings = without_sleep();
      settings.gravity.setZero();
      World world(settings);
      const MaterialIndex clay = make_material(world, 0, 0);
      const BodyId plate = world.create_body(dynamic_body(ball_of(0.1), {}, clay));
      const BodyId ball = world.create_body(dynamic_body(ball_of(0.1), at(0, 0, 0.5), clay));
      world.set_velocity(ball, Vec3(0, 0, -5));
      const Real m = world.mass_properties(ball).mass;
      const auto floor = std::make_shared<Floor>();
      floor->strength = strength;
      JointDesc desc;
      desc.solver = solver;
      world.create_joint({}, plate, floor, desc);
      int breaks = 0;
      for (int i = 0; i < 30; ++i) {
        static_cast<void>(world.step(kStep));
        for (const BreakEvent& event : world.events().broken) {
          ++breaks;
          EXPECT_NEAR(event.force.norm(), strength, 1e-6 * strength);
        }
      }
      EXPECT_EQ(breaks, 1);
      const Real momentum = m * (world.velocity(plate) + world.velocity(ball)).z();
      EXPECT_NEAR(momentum, -5 * m + strength * kSubstep, 1e-6 * m);
    }
}

// A softness of stiffness k sags by m g / k.
TEST(UserRow, GivesWayByItsSoftness) {
  World sample;
  const Real m = sample.mass_properties(sample.create_body(dynamic_body(ball_of(0.1), {}))).mass;
  for (const JointSolver solver : kSolvers) {
    const auto shelf = std::make_shared<Shelf>();
    const Real k = 200 * m, c = 20 * m;
    shelf->softness = constraint::soften({k, c, 0, 0}, m, kSubstep);
    const Shelved run(shelf, solver);
    EXPECT_NEAR(run.world.center_of_mass(run.ball).z(), -m * kG / k, 1e-4 * m * kG / k);
    EXPECT_NEAR(run.world.joint_state(run.joint).force.z(), m * kG, 1e-4 * m * kG);
  }
}

TEST(UserRow, StrengthAndSoftnessThatCannotBeAreTold) {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  const auto refuses = [](auto&& change) {
    const auto shelf = std::make_shared<Shelf>();
    change(*shelf);
    const Shelved run(shelf, JointSolver::Iterative);
    return run.refused > 0 && run.world.velocity(run.ball).z() < -kG;  // and holds nothing
  };
  EXPECT_TRUE(refuses([&](Shelf& shelf) { shelf.strength = nan; }));
  EXPECT_TRUE(refuses([](Shelf& shelf) { shelf.strength = -1; }));
  EXPECT_TRUE(refuses([](Shelf& shelf) { shelf.softness.bias_rate = -1; }));
  EXPECT_TRUE(refuses([&](Shelf& shelf) { shelf.softness.mass_scale = nan; }));
  EXPECT_TRUE(refuses([](Shelf& shelf) { shelf.softness.impulse_scale = -0.5; }));
}

}  // namespace
}  // namespace visviva::dynamics
