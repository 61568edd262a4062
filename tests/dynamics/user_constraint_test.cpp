// Constraints that the application supplies: rows that no joint has, compared with the motion that theory gives them.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "joint_parts.hpp"
#include "visviva/constraint/user.hpp"
#include "visviva/core/error.hpp"

namespace visviva::dynamics {
namespace {

/// A knife edge: B cannot move across its own x axis, which lies in the plane z = 0. Not holonomic.
class KnifeEdge : public constraint::UserConstraint {
 public:
  [[nodiscard]] int rows() const override { return 1; }
  void evaluate(const constraint::UserInput& input, std::span<constraint::Atom> atoms) override {
    atoms[0].J.v_b = input.B.place.X_W.R.col(1);
  }
};

// A skate on a slope inclined by α about x, at rest at first and turning with ω: it does not slide down for ever, but
// follows a cycloid, x = g' / (2 ω²) sin² ωt, y = g' / (2 ω²) (ωt - sin ωt cos ωt), g' = g sin α.   [Neimark & Fufaev]
TEST(KnifeEdge, FollowsACycloid) {
  WorldSettings settings = without_sleep();
  const Real g = 2, w = 1.5;
  settings.gravity = Vec3(g, 0, 0);  // down the slope
  World world(settings);
  BodyDesc desc;
  desc.name = "skate";
  desc.mass = geometry::MassProperties{.mass = 2, .inertia = Vec3(0.1, 0.2, 0.25).asDiagonal()};
  desc.angular_velocity = Vec3(0, 0, w);
  desc.locked.move_z = desc.locked.turn_x = desc.locked.turn_y = true;
  const BodyId skate = world.create_body(desc);
  world.create_joint({}, skate, std::make_shared<KnifeEdge>());
  Real worst = 0;
  for (int i = 0; i < 300; ++i) {
    static_cast<void>(world.step(kStep));
    const Real t = world.time(), a = w * t;
    const Vec3 expected = g / (2 * w * w) * Vec3(std::sin(a) * std::sin(a), a - std::sin(a) * std::cos(a), 0);
    worst = std::max(worst, (world.center_of_mass(skate) - expected).norm());
  }
  EXPECT_LT(worst, 5e-3);  // of 3.3 m: first order in the sub-step of 1/480 s
}

/// A disc of radius r that rolls upright on the plane z = 0 without slipping: the velocity at its lowest point is zero.
class Rolling : public constraint::UserConstraint {
 public:
  explicit Rolling(Real radius) : radius_(radius) {}
  [[nodiscard]] int rows() const override { return 2; }
  void evaluate(const constraint::UserInput&, std::span<constraint::Atom> atoms) override {
    const Vec3 r(0, 0, -radius_);
    for (int i = 0; i < 2; ++i) {
      const Vec3 d = i == 0 ? Vec3::UnitX() : Vec3::UnitY();
      atoms[static_cast<std::size_t>(i)].J.v_b = d;
      atoms[static_cast<std::size_t>(i)].J.w_b = r.cross(d);
    }
  }

 private:
  Real radius_;
};

// It runs in a circle of radius v / Ω with constant speeds, if it spins about the vertical with Ω and rolls with v / r.
TEST(RollingDisc, RunsInACircle) {
  World world(without_sleep());
  const Real r = 0.5, v = 1, turn = 0.8;
  BodyDesc desc;
  desc.name = "disc";
  desc.X_WB.p = Vec3(0, -v / turn, r);
  desc.X_WB.R = z_along(Vec3::UnitY());  // its axle is y
  desc.mass = geometry::MassProperties{.mass = 3, .inertia = Vec3(0.2, 0.2, 0.375).asDiagonal()};
  desc.velocity = Vec3(v, 0, 0);
  desc.angular_velocity = Vec3(0, v / r, turn);
  desc.gravity_scale = 0;
  desc.locked.move_z = true;
  const BodyId disc = world.create_body(desc);
  world.create_joint({}, disc, std::make_shared<Rolling>(r));
  // The axle stays level: it is held so by the frame of the machine that it belongs to.
  JointDesc level = joint_at(world, {}, disc, JointKind::SixDof, desc.X_WB.p);
  const BodyId frame = world.create_body([&] {
    BodyDesc f;
    f.name = "frame";
    f.X_WB.p = desc.X_WB.p;
    f.mass = geometry::MassProperties{.mass = 1e-3, .inertia = 1e-3 * Mat3::Identity()};
    f.velocity = desc.velocity;
    f.angular_velocity = Vec3(0, 0, turn);
    f.gravity_scale = 0;
    f.locked.move_z = f.locked.turn_x = f.locked.turn_y = true;
    return f;
  }());
  world.create_joint(frame, disc, joint_at(world, frame, disc, JointKind::Hinge, desc.X_WB.p, Vec3::UnitY()));
  Real worst = 0;
  for (int i = 0; i < 600; ++i) {
    static_cast<void>(world.step(kStep));
    const Real a = turn * world.time();
    const Vec3 expected(v / turn * std::sin(a), -v / turn * std::cos(a), r);
    worst = std::max(worst, (world.center_of_mass(disc) - expected).norm());
  }
  EXPECT_LT(worst, 0.02);
  EXPECT_NEAR(world.velocity(disc).norm(), v, 5e-3);
}

/// A thin disc about its z that rolls on the plane z = 0 at any tilt: its lowest point stays there and does not slip.
class RollingEdge : public constraint::UserConstraint {
 public:
  explicit RollingEdge(Real radius) : radius_(radius) {}
  [[nodiscard]] int rows() const override { return 3; }
  void evaluate(const constraint::UserInput& input, std::span<constraint::Atom> atoms) override {
    const Vec3 axis = input.B.place.X_W.R.col(2);
    const Vec3 lowest = -radius_ * (Vec3::UnitZ() - axis.z() * axis).normalized();
    for (int i = 0; i < 3; ++i) {
      atoms[static_cast<std::size_t>(i)].J.v_b = Vec3::Unit(i);
      atoms[static_cast<std::size_t>(i)].J.w_b = lowest.cross(Vec3::Unit(i));
    }
    atoms[2].error = input.B.place.center.z() + lowest.z();
  }

 private:
  Real radius_;
};

/// A coin of 1 kg and 0.5 m that rolls with its axis at the angle α from the vertical, which goes round with Ω:
///   ω₃ = (A Ω² sin α - m g r) cos α / (Ω (C + m r²) sin α),  ρ = -r ω₃ / Ω
/// is its spin about its axis and the radius of its circle, if that angle stays. Torques about the centre, C and A its
/// moments about the axis and a diameter.
struct Coin {
  static constexpr Real kRadius = 0.5, kAlpha = 1.1, kTurn = 3;
  static constexpr Real kC = 0.125, kA = 0.0625;
  World world;
  BodyId body;
  Real spin = 0, circle = 0;

  /// `nod` is a rate of α at the start, 0 for the motion above.
  Coin(int substeps, JointSolver solver, Real nod) : world(with_substeps(substeps)) {
    const Real s = std::sin(kAlpha), c = std::cos(kAlpha);
    spin = (kA * kTurn * kTurn * s - kG * kRadius) * c / (kTurn * (kC + kRadius * kRadius) * s);
    circle = -kRadius * spin / kTurn;
    const Vec3 axis(s, 0, c), lowest = kRadius * Vec3(c, 0, -s);
    BodyDesc desc;
    desc.name = "coin";
    desc.X_WB = {z_along(axis), Vec3(circle, 0, kRadius * s)};
    desc.mass = geometry::MassProperties{.mass = 1, .inertia = Vec3(kA, kA, kC).asDiagonal()};
    // Poses follow velocities that have the weight of a whole sub-step: half of it is still to come when it begins.
    const Mat3 about_center = kA * Mat3::Identity() + (kC - kA) * axis * axis.transpose();
    const Mat3 about_edge =
        about_center + kRadius * kRadius * Mat3::Identity() - lowest * lowest.transpose();  // of 1 kg
    const Vec3 by_weight = about_edge.inverse() * lowest.cross(Vec3(0, 0, kG));
    const Real h = kStep / substeps;
    desc.angular_velocity = Vec3(0, 0, kTurn) + (spin - kTurn * c) * axis + Vec3(0, nod, 0) - h / 2 * by_weight;
    desc.velocity = lowest.cross(desc.angular_velocity);
    body = world.create_body(desc);
    JointDesc joint;
    joint.solver = solver;
    world.create_joint({}, body, std::make_shared<RollingEdge>(kRadius), joint);
  }
  static WorldSettings with_substeps(int substeps) {
    WorldSettings settings = without_sleep();
    settings.substeps = substeps;
    return settings;
  }
  /// With the half of the weight that is still to come.
  [[nodiscard]] Real energy() const {
    const Real h = kStep / world.settings().substeps;
    return world.kinetic_energy() + world.potential_energy() - h / 2 * kG * world.velocity(body).z();
  }
  [[nodiscard]] Vec3 steady_center() const {
    const Real a = kTurn * world.time();
    return {circle * std::cos(a), circle * std::sin(a), kRadius * std::sin(kAlpha)};
  }
};

// Its error is of second order in the sub-step.
TEST(RollingCoin, RollsInTheCircleOfItsTilt) {
  for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct}) {
    const auto off = [&](int substeps) {
      Coin coin(substeps, solver, 0);
      Real worst = 0;
      for (int i = 0; i < 180; ++i) {
        static_cast<void>(coin.world.step(kStep));
        worst = std::max(worst, (coin.world.center_of_mass(coin.body) - coin.steady_center()).norm());
      }
      return worst;
    };
    const Real coarse = off(8), fine = off(16);
    EXPECT_LT(coarse, 1e-3);
    EXPECT_LT(fine, coarse / 3);
  }
}

// It nods as it goes round, and its energy with it, by the square of the sub-step. What is left of a drift is of third
// order.
TEST(RollingCoin, KeepsItsEnergy) {
  for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct}) {
    const auto run = [&](int substeps) {
      Coin coin(substeps, solver, 1);
      const Real before = coin.energy();
      Real worst = 0, first = 0, last = 0;
      constexpr int kSteps = 1200, kSpan = 120;  // means over 2 s, two of its turns
      for (int i = 0; i < kSteps; ++i) {
        static_cast<void>(coin.world.step(kStep));
        const Real change = (coin.energy() - before) / before;
        worst = std::max(worst, std::abs(change));
        if (i < kSpan) first += change / kSpan;
        if (i >= kSteps - kSpan) last += change / kSpan;
      }
      return std::pair(worst, std::abs(last - first));
    };
    const auto [coarse, coarse_drift] = run(8);
    const auto [fine, fine_drift] = run(16);
    EXPECT_LT(coarse, 1e-3);
    EXPECT_LT(fine, coarse / 3);
    EXPECT_LT(coarse_drift, 2e-4);
    EXPECT_LT(fine_drift, coarse_drift / 4);
  }
}

/// A floor at z = 0 under a point, as a one-sided row.
class Floor : public constraint::UserConstraint {
 public:
  [[nodiscard]] int rows() const override { return 1; }
  void evaluate(const constraint::UserInput& input, std::span<constraint::Atom> atoms) override {
    atoms[0].role = constraint::AtomRole::Limit;
    atoms[0].J.v_b = Vec3::UnitZ();
    atoms[0].error = input.B.place.center.z();
  }
};

TEST(OneSidedRow, PushesButDoesNotPull) {
  World world(without_sleep());
  const BodyId ball = world.create_body(ghost(dynamic_body(ball_of(0.1), at(0, 0, 0.5))));
  world.create_joint({}, ball, std::make_shared<Floor>());
  run_steps(world, 120);
  EXPECT_NEAR(world.center_of_mass(ball).z(), 0, 1e-3);
  world.set_velocity(ball, Vec3(0, 0, 3));
  run_steps(world, 10);
  EXPECT_NEAR(world.velocity(ball).z(), 3 - kG / 6, 1e-6);
}

/// A row that is driven along l(t) = sin t.
class Driven : public constraint::UserConstraint {
 public:
  [[nodiscard]] int rows() const override { return 1; }
  void evaluate(const constraint::UserInput& input, std::span<constraint::Atom> atoms) override {
    atoms[0].J.v_b = Vec3::UnitX();
    atoms[0].error = input.B.place.center.x() - std::sin(input.time);
    atoms[0].bias = std::cos(input.time);
  }
};

TEST(TimeDependentRow, FollowsItsTarget) {
  World world(without_gravity());
  const BodyId ball = world.create_body(ghost(dynamic_body(ball_of(0.1), {})));
  world.set_velocity(ball, Vec3(1, 0, 0));
  world.create_joint({}, ball, std::make_shared<Driven>());
  for (int i = 0; i < 600; ++i) {
    static_cast<void>(world.step(kStep));
    ASSERT_NEAR(world.center_of_mass(ball).x(), std::sin(world.time()), 5e-3);
  }
}

/// x of B is l(t).
class Led : public constraint::UserConstraint {
 public:
  explicit Led(bool swings) : swings_(swings) {}
  [[nodiscard]] int rows() const override { return 1; }
  [[nodiscard]] Real place(Real t) const { return swings_ ? std::sin(5 * t) : 5 * t; }
  void evaluate(const constraint::UserInput& input, std::span<constraint::Atom> atoms) override {
    atoms[0].J.v_b = Vec3::UnitX();
    atoms[0].error = input.B.place.center.x() - place(input.time);
    atoms[0].bias = swings_ ? 5 * std::cos(5 * input.time) : 5;
  }

 private:
  bool swings_;
};

/// Largest distance from l(t) at the ends of steps, and largest force.
std::pair<Real, Real> follow(bool swings, int substeps, JointSolver solver) {
  WorldSettings settings = awake_without_gravity();
  settings.substeps = substeps;
  World world(settings);
  const BodyId ball = world.create_body(ghost(dynamic_body(ball_of(0.1), {})));
  world.set_velocity(ball, Vec3(5, 0, 0));
  const auto led = std::make_shared<Led>(swings);
  JointDesc desc;
  desc.solver = solver;
  const JointId joint = world.create_joint({}, ball, led, desc);
  Real off = 0, force = 0;
  for (int i = 0; i < 240; ++i) {
    static_cast<void>(world.step(kStep));
    off = std::max(off, std::abs(world.center_of_mass(ball).x() - led->place(world.time())));
    force = std::max(force, world.joint_state(joint).force.norm());
  }
  return {off, force};
}

// l = 5 t needs no force, in no sub-step.
TEST(TimeDependentRow, RunsEvenlyWithoutForce) {
  for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct}) {
    const auto [off, force] = follow(false, 8, solver);
    EXPECT_LT(off, 1e-6);
    EXPECT_LT(force, 0.01);  // floats of the solver: 4 kg, 5 m/s, 480 sub-steps a second
  }
}

// l = sin 5t is reached at the end of each sub-step: no lag of one, which would be 0.01 m, and no give. What is left
// are floats of the solver, 6e-8 of the change of velocity in a step, over a sub-step.
TEST(TimeDependentRow, HasNoLag) {
  for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct}) {
    EXPECT_LT(follow(true, 8, solver).first, 1e-9);
    EXPECT_LT(follow(true, 3, solver).first, 1e-9);
  }
}

class Broken : public constraint::UserConstraint {
 public:
  [[nodiscard]] int rows() const override { return 1; }
  void evaluate(const constraint::UserInput&, std::span<constraint::Atom> atoms) override {
    atoms[0].J.v_b = Vec3(std::nan(""), 0, 0);
  }
};

TEST(BadRows, AreToldAndDoNothing) {
  World world(without_sleep());
  const BodyId ball = world.create_body(ghost(dynamic_body(ball_of(0.1), {})));
  world.create_joint({}, ball, std::make_shared<Broken>());
  const StepReport report = world.step(kStep);
  EXPECT_GT(report.refused_constraints, 0);
  EXPECT_TRUE(report.finite);
  EXPECT_NEAR(world.velocity(ball).z(), -kG * kStep, 1e-6);
  EXPECT_THROW(world.create_joint({}, ball, std::shared_ptr<constraint::UserConstraint>()), InvalidArgument);
}

}  // namespace
}  // namespace visviva::dynamics
