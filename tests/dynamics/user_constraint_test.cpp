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
  WorldSettings settings = without_gravity();
  settings.sleeping = false;
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

// l = sin 5t is followed to second order: no lag of a sub-step, which would be 0.01 m. Plain joints give way besides by
// the softness of all joints, l'' / ω² with the frequency of the settings: 0.02 mm that a shorter sub-step leaves.
TEST(TimeDependentRow, HasNoLag) {
  for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct}) {
    const Real coarse = follow(true, 8, solver).first, fine = follow(true, 16, solver).first;
    EXPECT_LT(coarse, 125 * (kStep / 8) * (kStep / 8));  // |l'''| h²
    EXPECT_LT(fine, solver == JointSolver::Direct ? coarse / 3 : 5e-5);
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
