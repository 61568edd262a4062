// Joints take part in impacts: what is hit is not a free body that is repaired afterwards.
#include <gtest/gtest.h>

#include <cmath>

#include "joint_parts.hpp"
#include "tests/sanitizer_size.hpp"

namespace visviva::dynamics {
namespace {

// A hinged rod whose tip meets walls with e = 1. As a free body it would lose three quarters of its energy.
TEST(HingedRod, KeepsItsSpinBetweenWalls) {
  for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct}) {
    World world(awake_without_gravity());
    const MaterialIndex steel = make_material(world, 0, 1);
    const Real w = -3;
    const BodyId rod =
        world.create_body(dynamic_body(Solid(Box{Vec3(0.02, 0.02, kRodHalf)}), at(0, 0, -kRodHalf), steel));
    world.set_angular_velocity(rod, Vec3(0, w, 0));
    world.set_velocity(rod, Vec3(0, w, 0).cross(Vec3(0, 0, -kRodHalf)));
    JointDesc hinge = joint_at(world, {}, rod, JointKind::Hinge, Vec3::Zero(), Vec3::UnitY());
    hinge.solver = solver;
    world.create_joint({}, rod, hinge);
    for (const Real x : {-0.6, 0.6})
      world.create_body(static_body(Solid(Box{Vec3(0.1, 1, 0.1)}), at(x, 0, -0.95), steel));
    int impacts = 0;
    while (impacts < 20) {
      const Real before = world.angular_velocity(rod).norm();
      static_cast<void>(world.step(kStep));
      ASSERT_LT(world.time(), 60);
      for (const ImpactEvent& event : world.events().impacts) {
        ++impacts;
        EXPECT_NEAR(event.rebound_speed, event.approach_speed, 1e-9);
        EXPECT_NEAR(world.angular_velocity(rod).norm(), before, 1e-3 * before) << "impact " << impacts;
      }
    }
  }
}

// A ball hits the middle of three rods in a row on ball joints: momentum goes where (M⁻¹ with joints) says, the joints
// keep their velocities, and with e = 1 the energy stays. Compared with the dense formula.
TEST(HitChain, VelocitiesAreThoseOfTheProjectedMass) {
  World world(awake_without_gravity());
  const MaterialIndex steel = make_material(world, 0, 1);
  std::vector<BodyId> rods;
  for (int i = 0; i < 3; ++i)
    rods.push_back(world.create_body(dynamic_body(Solid(Box{Vec3(0.5, 0.05, 0.05)}), at(i, 0, 0), steel)));
  for (int i = 1; i < 3; ++i)
    world.create_joint(rods[static_cast<std::size_t>(i - 1)], rods[static_cast<std::size_t>(i)],
                       joint_at(world, rods[static_cast<std::size_t>(i - 1)], rods[static_cast<std::size_t>(i)],
                                JointKind::Ball, Vec3(i - 0.5, 0, 0)));
  const Real v = -2, x_hit = 1.2;
  const BodyId ball = world.create_body(dynamic_body(ball_of(0.1), at(x_hit, 0, 0.151), steel));
  world.set_velocity(ball, Vec3(0, 0, v));
  static_cast<void>(world.step(1e-3));
  ASSERT_EQ(world.events().impacts.size(), 1u);

  // Plane motion: (z, ω_y) of three rods, one of the ball. J u: velocity of the ball less that of the rod at x_hit.
  const geometry::MassProperties rod = world.mass_properties(rods[0]);
  const Real mb = world.mass_properties(ball).mass, I = rod.inertia(1, 1);
  Eigen::Matrix<Real, 7, 7> M = Eigen::Matrix<Real, 7, 7>::Zero();
  for (int i = 0; i < 3; ++i) {
    M(2 * i, 2 * i) = rod.mass;
    M(2 * i + 1, 2 * i + 1) = I;
  }
  M(6, 6) = mb;
  // z of a point at distance s along x is z - s ω_y.
  Eigen::Matrix<Real, 2, 7> G = Eigen::Matrix<Real, 2, 7>::Zero();
  G.row(0) << 1, -0.5, -1, -0.5, 0, 0, 0;
  G.row(1) << 0, 0, 1, -0.5, -1, -0.5, 0;
  Eigen::Matrix<Real, 1, 7> J;
  J << 0, 0, -1, 0.2, 0, 0, 1;
  const Eigen::Matrix<Real, 7, 7> inverse = M.inverse();
  const Eigen::Matrix<Real, 7, 7> P =
      inverse - inverse * G.transpose() * (G * inverse * G.transpose()).inverse() * G * inverse;
  const Real lambda = -2 * v / (J * P * J.transpose())(0, 0);
  const Eigen::Matrix<Real, 7, 1> expected = P * J.transpose() * lambda;
  const ImpactEvent& event = world.events().impacts[0];
  EXPECT_NEAR(event.impulse.norm(), lambda, 1e-6 * lambda);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(world.velocity(rods[static_cast<std::size_t>(i)]).z(), expected(2 * i), 2e-3);
    EXPECT_NEAR(world.angular_velocity(rods[static_cast<std::size_t>(i)]).y(), expected(2 * i + 1), 4e-3);
  }
  EXPECT_NEAR(world.velocity(ball).z(), v + expected(6), 1e-6);
}

// Newton's cradle on rods: five balls, one lifted. Energy within 2 % over 100 swings of the outer balls.
TEST(NewtonsCradle, KeepsItsEnergy) {
  World world(without_sleep());
  const MaterialIndex steel = make_material(world, 0, 1);
  const Real r = 0.05, L = 0.5;
  std::vector<BodyId> balls;
  for (int i = 0; i < 5; ++i) {
    const Mat3 R = Eigen::AngleAxisd(i == 0 ? 0.6 : 0, Vec3::UnitY()).toRotationMatrix();
    const Vec3 top(2 * r * i, 0, 0);
    balls.push_back(world.create_body(dynamic_body(ball_of(r), Pose{R, top + R * Vec3(0, 0, -L)}, steel)));
    world.create_joint({}, balls.back(), joint_at(world, {}, balls.back(), JointKind::Hinge, top, Vec3::UnitY()));
  }
  const Real m = world.mass_properties(balls[0]).mass;
  const auto swing_energy = [&] { return world.kinetic_energy() + world.potential_energy() + 5 * m * kG * L; };
  const Real before = swing_energy(), period = 2 * kPi * std::sqrt(L / kG);
  const int swings = sanitizer_size(100, 5);
  run_steps(world, static_cast<int>(swings * period / kStep));
  EXPECT_NEAR(swing_energy(), before, 0.02 * before);
  // And the outer two still have nearly all of it.
  EXPECT_LT(world.deepest_overlap(), 1e-4);
}

/// Ten links in a row along x, the last one a ball of `ratio` times the mass of a link, all at 10 m/s towards a wall
/// that stands on a floor.
void throw_chain(World& world, JointKind kind, JointSolver solver, Real ratio) {
  const MaterialIndex rough = make_material(world, 0.4, 0.5);
  world.create_body(static_body(Solid(Plane{Vec3(-1, 0, 0), -3.5}), {}, rough));
  world.create_body(static_body(Solid(Plane{Vec3::UnitZ(), -1}), {}, rough));
  const int links = 10;
  const Real link = 1000 * 8 * 0.09 * 0.03 * 0.03, r = 0.15;
  std::vector<BodyId> bodies;
  for (int i = 0; i < links; ++i) {
    const bool heavy = i == links - 1;
    BodyDesc desc = dynamic_body(heavy ? ball_of(r) : Solid(Box{Vec3(0.09, 0.03, 0.03)}),
                                 at(0.2 * i + (heavy ? 0.1 : 0), 0.013 * i, 0), rough);
    if (heavy) desc.shapes[0].density = ratio * link / (4.0 / 3 * kPi * r * r * r);
    bodies.push_back(world.create_body(desc));
    world.set_velocity(bodies.back(), Vec3(10, 0.3, 0.2));
    if (i == 0) continue;
    const BodyId before = bodies[static_cast<std::size_t>(i - 1)];
    JointDesc joint =
        joint_at(world, before, bodies.back(), kind, Vec3(0.2 * i - 0.1, 0.013 * (i - 0.5), 0), Vec3::UnitY());
    joint.solver = solver;
    world.create_joint(before, bodies.back(), joint);
  }
}

// Where impacts come too often their bodies wait, and a chain that is folded gives way but little: what is hit then has
// no more energy to lose, to joints or to the wall, than all had, and gets none.
TEST(ThrownChain, HasNoMoreEnergyToLoseThanItHad) {
  for (const JointKind kind : {JointKind::Ball, JointKind::Hinge})
    for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct})
      for (const Real ratio : {1.0, 100.0})
        for (const int max_impacts : {1, 4}) {
          WorldSettings settings = without_sleep();
          settings.keep_ledger = true;
          settings.max_impacts = max_impacts;
          World world(settings);
          throw_chain(world, kind, solver, ratio);
          const Real fall = 1;  // to the floor [m]
          EnergyLedger last = world.ledger();
          const Real all = last.kinetic + last.kinetic * 2 * kG * fall / 100;
          for (int i = 0; i < sanitizer_size(180, 60); ++i) {
            static_cast<void>(world.step(kStep));
            const EnergyLedger now = world.ledger();
            ASSERT_LT(now.kinetic, all) << "step " << i;
            for (const auto entry : {&EnergyLedger::restitution, &EnergyLedger::friction, &EnergyLedger::joints})
              ASSERT_LT(std::abs(now.*entry - last.*entry), all) << "step " << i;
            ASSERT_LT(std::abs(now.remainder()), 1e-5 * now.scale());
            last = now;
          }
        }
}

TEST(StruckJoint, BreaksByAnImpulse) {
  for (const Real strength : {1.0, 1e6}) {
    World world(awake_without_gravity());
    const BodyId post = world.create_body(dynamic_body(Solid(Box{Vec3(0.05, 0.05, 0.5)}), at(0, 0, 0)));
    JointDesc desc = joint_at(world, {}, post, JointKind::Fixed, Vec3(0, 0, -0.5));
    desc.break_impulse = strength;
    const JointId joint = world.create_joint({}, post, desc);
    const BodyId ball = world.create_body(dynamic_body(ball_of(0.1), at(-0.5, 0, 0)));
    world.set_velocity(ball, Vec3(5, 0, 0));
    bool told = false;
    for (int i = 0; i < 30; ++i) {
      static_cast<void>(world.step(kStep));
      for (const BreakEvent& event : world.events().broken) {
        told = true;
        EXPECT_EQ(event.joint, joint);
        EXPECT_NEAR(event.impulse, strength, 1e-9 * strength);
        EXPECT_NEAR(event.time, 0.07, 0.01);  // 0.35 m at 5 m/s
      }
    }
    EXPECT_EQ(told, strength == 1.0);
    EXPECT_EQ(world.joint_state(joint).broken, strength == 1.0);
  }
}

/// A ball of 0.1 m that comes down at 2 m/s on what is below it, e = 1, no gravity.
BodyId drop_ball(World& world, const Vec3& at_point, MaterialIndex steel) {
  const BodyId ball =
      world.create_body(dynamic_body(ball_of(0.1), at(at_point.x(), at_point.y(), at_point.z()), steel));
  world.set_velocity(ball, Vec3(0, 0, -2));
  return ball;
}

// What hangs on a taut rope is a wall for what comes down on it. The energy of the ball stays.
TEST(TautRope, IsAWallForWhatPullsAtIt) {
  for (const JointKind kind : {JointKind::Distance, JointKind::Pulley}) {
    World world(awake_without_gravity());
    const MaterialIndex steel = make_material(world, 0, 1);
    const BodyId hung = world.create_body(dynamic_body(ball_of(0.1), at(0, 0, 0), steel));
    const BodyId other = world.create_body(dynamic_body(ball_of(0.1), at(3, 0, 0), steel));
    JointDesc rope;
    rope.kind = kind;
    rope.X_AJ.p = Vec3(0, 0, 1);
    rope.length = {0, 1};
    if (kind == JointKind::Distance) {
      world.create_joint({}, hung, rope);
    } else {
      // Over two wheels to a ball of the same mass, which goes up as the other goes down: twice its mass is hit.
      rope.X_AJ.p = Vec3::Zero();
      rope.wheels = {Vec3(0, 0, 1), Vec3(3, 0, 1)};
      rope.length = {0, 2};
      world.create_joint(hung, other, rope);
    }
    const BodyId ball = drop_ball(world, Vec3(0, 0, 0.5), steel);
    const Real before = world.kinetic_energy();
    run_steps(world, 30);
    // Masses m and M: (m - M)/(m + M) of -2.
    EXPECT_NEAR(world.velocity(ball).z(), kind == JointKind::Distance ? 2 : 2.0 / 3, 1e-6);
    EXPECT_NEAR(world.velocity(hung).z(), kind == JointKind::Distance ? 0 : -4.0 / 3, 1e-6);
    EXPECT_NEAR(world.kinetic_energy(), before, 1e-6 * before);
  }
}

// A rope does not push: what is hit upwards leaves as if there were none.
TEST(TautRope, LetsGoOfWhatIsHitTowardsIt) {
  World world(awake_without_gravity());
  const MaterialIndex steel = make_material(world, 0, 1);
  const BodyId hung = world.create_body(dynamic_body(ball_of(0.1), at(0, 0, 0), steel));
  JointDesc rope;
  rope.kind = JointKind::Distance;
  rope.X_AJ.p = Vec3(0, 0, 1);
  rope.length = {0, 1};
  world.create_joint({}, hung, rope);
  const BodyId ball = world.create_body(dynamic_body(ball_of(0.1), at(0, 0, -0.5), steel));
  world.set_velocity(ball, Vec3(0, 0, 2));
  run_steps(world, 20);
  EXPECT_NEAR(world.velocity(ball).z(), 0, 1e-9);
  EXPECT_NEAR(world.velocity(hung).z(), 2, 1e-9);
}

TEST(HingeStop, FlapOnItsStopIsAWall) {
  for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct}) {
    World world(awake_without_gravity());
    const MaterialIndex steel = make_material(world, 0, 1);
    const BodyId flap = world.create_body(dynamic_body(Solid(Box{Vec3(0.5, 0.3, 0.02)}), at(0.5, 0, 0), steel));
    JointDesc hinge = joint_at(world, {}, flap, JointKind::Hinge, Vec3::Zero(), Vec3::UnitY());
    hinge.solver = solver;
    hinge.axes[model::kTurnZ].limit = {-1, 0};  // about y: down is positive
    world.create_joint({}, flap, hinge);
    const BodyId ball = drop_ball(world, Vec3(0.8, 0, 0.5), steel);
    run_steps(world, 30);
    EXPECT_NEAR(world.velocity(ball).z(), 2, 1e-6);
    EXPECT_LT(world.angular_velocity(flap).norm(), 1e-6);
  }
}

}  // namespace
}  // namespace visviva::dynamics
