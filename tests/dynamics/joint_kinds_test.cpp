// Every kind of joint in numbers: what it holds by which force and torque, what it leaves free, stops and drives.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "joint_parts.hpp"

namespace visviva::dynamics {
namespace {

constexpr Real kMass = 3;             ///< [kg]
const Vec3 kInertia(0.2, 0.3, 0.15);  ///< about the centre of mass, axes of J [kg m²]
const Vec3 kCenter(0.15, -0.2, 0.1);  ///< of mass, in J where it is off the joint [m]
constexpr Real kStiffness = 2000;     ///< of what gives way [N/m], [N m/rad]
constexpr Real kTaut = 0.7;           ///< length of rods, springs and ropes [m]

/// A force and a torque about the origin of J_B, in the axes of J.
struct Load {
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();

  Real& operator[](int i) { return i < 3 ? force(i) : torque(i - 3); }
  friend Load operator-(const Load& a) { return {-a.force, -a.torque}; }
};

/// What a kind holds while its coordinates are zero: loads of which no part does work on what it leaves free.
struct KindCase {
  JointKind kind;
  std::vector<Load> held;
};
std::ostream& operator<<(std::ostream& out, const KindCase& c) { return out << to_string(c.kind); }

std::vector<Load> along(const std::vector<model::Axis>& axes) {
  std::vector<Load> loads;
  for (const model::Axis axis : axes)
    for (const Real amount : {40.0, -25.0}) {
      loads.emplace_back();
      loads.back()[axis] = axis < 3 ? amount : amount / 10;
    }
  return loads;
}

JointDesc describe(JointKind kind) {
  JointDesc desc;
  desc.name = to_string(kind);
  desc.kind = kind;
  desc.path = {Vec3(0, 0, -2), Vec3(0, 0, -1), Vec3(0, 0, 0), Vec3(0, 0, 1), Vec3(0, 0, 2)};
  desc.pitch = 0.25;
  desc.swing_limit = {1, 1};
  desc.length = {kTaut, kTaut, 0, 1};
  desc.rest_length = kTaut;
  desc.stiffness = kStiffness;
  desc.damping = 150;
  return desc;
}

/// A body on a joint, both out of line with the world; without gravity. Or two such bodies, with nothing but each other
/// to hold on to.
class Bench {
 public:
  Bench(JointDesc desc, JointSolver solver, const Vec3& center, bool is_pair = false, const Vec3& apart = Vec3::Zero())
      : center_(center) {
    desc.solver = solver;
    X_WJ_ = {Eigen::AngleAxisd(0.8, Vec3(1, 2, -1).normalized()).toRotationMatrix(), Vec3(0.3, -0.2, 1)};
    b_ = add(apart);
    if (is_pair) a_ = add(Vec3::Zero());
    desc.X_AJ = is_pair ? Pose{} : X_WJ_;
    desc.X_BJ = Pose{};
    joint_ = world_.create_joint(a_, b_, desc);
  }

  /// J on A: what all is seen from.
  [[nodiscard]] Pose frame() const { return a_ ? world_.pose(a_) : X_WJ_; }
  /// On B, and the opposite on A, at the origin of J_B: nothing would move them if the joint were rigid.
  void run(const Load& load, int steps) {
    for (int i = 0; i < steps; ++i) {
      const Vec3 point = world_.pose(b_).p, force = frame().R * load.force, torque = frame().R * load.torque;
      push(b_, point, force, torque);
      if (a_) push(a_, point, -force, -torque);
      static_cast<void>(world_.step(kStep));
    }
  }
  /// Force on B and torque about the origin of J_B.
  [[nodiscard]] Load reaction() const {
    const JointState state = world_.joint_state(joint_);
    return {frame().R.transpose() * state.force, frame().R.transpose() * state.torque};
  }
  [[nodiscard]] Vec3 moved() const { return frame().R.transpose() * (world_.pose(b_).p - frame().p); }
  [[nodiscard]] Vec3 turned() const {
    const Eigen::AngleAxisd turn(Mat3(frame().R.transpose() * world_.pose(b_).R));
    return turn.angle() * turn.axis();
  }
  [[nodiscard]] Real coordinate(model::Axis axis) const { return world_.joint_coordinate(joint_, axis); }
  [[nodiscard]] Vec3 velocity() const { return frame().R.transpose() * world_.velocity(b_); }
  [[nodiscard]] Vec3 spin() const { return frame().R.transpose() * world_.angular_velocity(b_); }
  [[nodiscard]] Real speed(model::Axis axis) const { return axis < 3 ? velocity()(axis) : spin()(axis - 3); }
  [[nodiscard]] const World& world() const { return world_; }

 private:
  BodyId add(const Vec3& apart) {
    BodyDesc desc;
    desc.X_WB = {X_WJ_.R, X_WJ_ * apart};
    desc.mass = geometry::MassProperties{
        .mass = kMass, .center_of_mass = center_, .inertia = kInertia.asDiagonal().toDenseMatrix()};
    return world_.create_body(desc);
  }
  void push(BodyId id, const Vec3& point, const Vec3& force, const Vec3& torque) {
    world_.add_force_at(id, force, point);
    world_.add_torque(id, torque);
  }

  World world_{awake_without_gravity()};
  Vec3 center_;
  Pose X_WJ_;
  BodyId a_, b_;
  JointId joint_;
};

void expect_load(const Load& is, const Load& expected, const std::string& what) {
  const Real size = expected.force.norm() + expected.torque.norm();
  EXPECT_LT((is.force - expected.force).norm(), 1e-5 * size) << what << ": " << is.force.transpose() << " N";
  EXPECT_LT((is.torque - expected.torque).norm(), 1e-5 * size) << what << ": " << is.torque.transpose() << " N m";
}

std::string told(const Load& load) {
  return fmt::format("load ({}, {}, {}) N, ({}, {}, {}) N m", load.force.x(), load.force.y(), load.force.z(),
                     load.torque.x(), load.torque.y(), load.torque.z());
}

using enum model::Axis;
std::vector<KindCase> rigid_kinds() {
  const std::vector<model::Axis> moves = {kMoveX, kMoveY, kMoveZ}, turns = {kTurnX, kTurnY, kTurnZ};
  const std::vector<model::Axis> all = {kMoveX, kMoveY, kMoveZ, kTurnX, kTurnY, kTurnZ};
  using K = JointKind;
  std::vector<KindCase> cases = {
      {K::Ball, along(moves)},
      {K::Hinge, along({kMoveX, kMoveY, kMoveZ, kTurnX, kTurnY})},
      {K::Slider, along({kMoveX, kMoveY, kTurnX, kTurnY, kTurnZ})},
      {K::Cylindrical, along({kMoveX, kMoveY, kTurnX, kTurnY})},
      {K::Universal, along({kMoveX, kMoveY, kMoveZ, kTurnZ})},
      {K::Fixed, along(all)},
      {K::Cone, along(moves)},
      {K::SwingTwist, along(moves)},
      {K::Wheel, along({kMoveX, kMoveY, kTurnX, kTurnZ})},
      {K::Screw, along({kMoveX, kMoveY, kTurnX, kTurnY})},
      {K::PointOnPlane, along({kMoveZ})},
      {K::PointOnPath, along({kMoveX, kMoveY})},
      {K::AngularLock, along(turns)},
  };
  // A screw stands still under a force and a torque that do no work together: F dz + T dθ = 0, dz = p/2π dθ.
  cases[9].held.push_back({Vec3(0, 0, 40), Vec3(0, 0, -40 * 0.25 / (2 * kPi))});
  return cases;
}

class RigidKind : public ::testing::TestWithParam<KindCase> {};

// In balance the joint gives the opposite of the load; nothing moves, for the load's work on what is free is none.
TEST_P(RigidKind, BearsWhatItHolds) {
  for (const Load& load : GetParam().held)
    for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct})
      for (const bool is_pair : {false, true}) {
        Bench bench(describe(GetParam().kind), solver, kCenter, is_pair);
        bench.run(load, 60);
        const std::string what = told(load) + (solver == JointSolver::Direct ? ", direct" : ", iterative") +
                                 (is_pair ? ", of two bodies" : "");
        expect_load(bench.reaction(), -load, what);
        // Iterative joints give way by F/(m (2π f)²), f 120 Hz and m what the row feels, a fifth of the body or more.
        EXPECT_LT(bench.moved().norm() + bench.turned().norm(), 5e-4) << what;
      }
}

INSTANTIATE_TEST_SUITE_P(Kinds, RigidKind, ::testing::ValuesIn(rigid_kinds()),
                         [](const auto& of) { return std::string(to_string(of.param.kind)); });

struct AxisCase {
  JointKind kind;
  model::Axis axis;
};
std::ostream& operator<<(std::ostream& out, const AxisCase& c) { return out << to_string(c.kind) << to_string(c.axis); }

std::vector<AxisCase> free_axes() {
  std::vector<AxisCase> cases;
  for (int k = 0; k <= static_cast<int>(JointKind::Rod); ++k)
    for (const model::Axis axis : {kMoveX, kMoveY, kMoveZ, kTurnX, kTurnY, kTurnZ})
      if (leaves_free(static_cast<JointKind>(k), axis)) cases.push_back({static_cast<JointKind>(k), axis});
  return cases;
}

/// A coordinate of a kind, with the centre of mass on the joint: a load along it feels one mass, or one moment.
class FreeAxis : public ::testing::TestWithParam<AxisCase> {
 protected:
  static constexpr Real kPush = 6;  ///< [N], [N m]
  [[nodiscard]] static model::Axis axis() { return GetParam().axis; }
  [[nodiscard]] static bool is_screw() { return GetParam().kind == JointKind::Screw; }
  [[nodiscard]] static Real inertia() {
    const Real own = axis() < 3 ? kMass : kInertia(axis() - 3);
    if (!is_screw()) return own;
    const Real lead = 0.25 / (2 * kPi);  // [m/rad]
    return axis() == kMoveZ ? kMass + kInertia.z() / (lead * lead) : kInertia.z() + kMass * lead * lead;
  }
  /// Of a wheel the steering is locked unless it has something of its own: then it is free within wide limits.
  [[nodiscard]] static JointDesc desc() {
    JointDesc desc = describe(GetParam().kind);
    if (GetParam().kind == JointKind::Wheel && axis() == kTurnZ) set_limit(desc, {-100, 100, 0, 1});
    return desc;
  }
  /// The coordinate at the start: a path is counted from its first point.
  [[nodiscard]] static Real zero() { return GetParam().kind == JointKind::PointOnPath ? 2 : 0; }
  static void set_limit(JointDesc& desc, const model::LimitDesc& limit) {
    desc.axes[axis()].limit = limit;
    desc.axes[axis()].limit.lower += zero();
    desc.axes[axis()].limit.upper += zero();
    if (desc.kind == JointKind::SixDof) desc.axes[axis()].motion = model::AxisMotion::Limited;
  }
  [[nodiscard]] static Load push(Real amount = kPush) {
    Load load;
    load[axis()] = amount;
    return load;
  }
  /// Force or torque of the joint along the coordinate, a screw's thread aside.
  [[nodiscard]] static Real along_axis(const Bench& bench) { return bench.reaction()[axis()]; }
};

TEST_P(FreeAxis, GivesWayByItsInertia) {
  for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct}) {
    Bench bench(desc(), solver, Vec3::Zero());
    bench.run(push(), 12);  // 0.2 s
    EXPECT_NEAR(bench.speed(axis()), kPush * 0.2 / inertia(), 1e-4 * kPush * 0.2 / inertia());
    if (is_screw()) continue;  // its thread carries the rest of the load on
    EXPECT_NEAR(along_axis(bench), 0, 1e-5 * kPush);
  }
}

TEST_P(FreeAxis, StopsAtItsLimitsAndBearsTheLoadThere) {
  for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct})
    for (const Real sign : {1.0, -1.0}) {
      JointDesc limited = desc();
      set_limit(limited, {-0.05, 0.08, 0, 1});
      Bench bench(limited, solver, Vec3::Zero());
      // A screw turns long before it is there. Its way feels the moment of its turn by the thread alone, and a stop of
      // the way takes turns with that: it swings for long.
      const bool swings = is_screw() && axis() == kMoveZ;
      bench.run(push(sign * kPush), swings ? 1200 : 120);
      EXPECT_NEAR(bench.coordinate(axis()) - zero(), sign > 0 ? 0.08 : -0.05, 1e-3);
      EXPECT_NEAR(bench.speed(axis()), 0, swings ? 1e-2 : 1e-6);
      // What a turn has turned is borne along its axis now, which is where it was: all turns here are about one.
      EXPECT_NEAR(along_axis(bench), -sign * kPush, (swings ? 0.1 : 1e-4) * kPush);
    }
}

TEST_P(FreeAxis, MotorGivesItsForceAndHoldsItsSpeed) {
  for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct}) {
    JointDesc driven = describe(GetParam().kind);
    const Real target = 0.25 * kPush / inertia();  // reached after 0.25 s
    driven.axes[axis()].motor = {.kind = model::MotorKind::Velocity, .target_velocity = target, .max_force = kPush};
    Bench bench(driven, solver, Vec3::Zero());
    bench.run({}, 6);
    EXPECT_NEAR(bench.speed(axis()), kPush * 0.1 / inertia(), 1e-4 * target);
    if (!is_screw()) {
      EXPECT_NEAR(along_axis(bench), kPush, 1e-4 * kPush);
    }
    bench.run({}, 24);
    EXPECT_NEAR(bench.speed(axis()), target, (is_screw() ? 2e-4 : 1e-5) * target);  // motor and thread take turns
    EXPECT_NEAR(along_axis(bench), 0, 1e-4 * kPush);
    bench.run(push(-kPush / 2), 6);  // against a load
    EXPECT_NEAR(bench.speed(axis()), target, 2e-3 * target);
    if (!is_screw()) {
      EXPECT_NEAR(along_axis(bench), kPush / 2, 1e-4 * kPush);
    }
  }
}

TEST_P(FreeAxis, SpringMotorGivesWayByHookesLawAndFrictionHolds) {
  for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct}) {
    JointDesc sprung = describe(GetParam().kind);
    sprung.axes[axis()].motor = {.kind = model::MotorKind::Spring,
                                 .target_position = zero() + 0.02,
                                 .stiffness = 100 * kPush,
                                 .damping = 2 * std::sqrt(100 * kPush * inertia())};
    Bench bench(sprung, solver, Vec3::Zero());
    // Until it is still, and no longer: a torque on a free swing buckles in the end.
    bench.run(push(), static_cast<int>(60 * (0.5 + 15 * std::sqrt(inertia() / (100 * kPush)))));
    EXPECT_NEAR(bench.coordinate(axis()) - zero(), 0.02 + 0.01, 1e-5);
    EXPECT_NEAR(along_axis(bench), -kPush, 1e-4 * kPush);

    JointDesc rubbed = desc();
    rubbed.axes[axis()].friction = kPush;
    Bench rough(rubbed, solver, Vec3::Zero());
    rough.run(push(0.9 * kPush), 60);
    EXPECT_NEAR(rough.speed(axis()), 0, 1e-6);
    EXPECT_NEAR(along_axis(rough), -0.9 * kPush, 1e-4 * kPush);
    rough.run(push(3 * kPush), 6);  // more than it bears
    EXPECT_NEAR(rough.speed(axis()), 2 * kPush * 0.1 / inertia(), 1e-4 * kPush * 0.2 / inertia());
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, FreeAxis, ::testing::ValuesIn(free_axes()), [](const auto& of) {
  return std::string(to_string(of.param.kind)) + "_" + to_string(of.param.axis);
});

// Of the swing of cones: a load about an axis across z turns it to the rim, where it is borne.
TEST(SwingLimit, BearsTheTorqueAtItsRim) {
  for (const JointKind kind : {JointKind::Cone, JointKind::SwingTwist})
    for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct})
      for (const int i : {0, 1}) {
        JointDesc desc = describe(kind);
        desc.swing_limit = kind == JointKind::Cone ? std::array<Real, 2>{0.3, 0.3} : std::array<Real, 2>{0.3, 0.5};
        Bench bench(desc, solver, Vec3::Zero());
        Load load;
        load.torque(i) = 4;
        bench.run(load, 240);
        EXPECT_NEAR(bench.turned()(i), desc.swing_limit[static_cast<std::size_t>(i)], 2e-3) << to_string(kind);
        expect_load(bench.reaction(), -load, to_string(kind));
      }
}

// Each axis of six degrees of freedom by itself: locked, it bears.
TEST(SixDof, BearsAlongEachAxisThatIsLocked) {
  for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct})
    for (const model::Axis axis : {kMoveX, kMoveY, kMoveZ, kTurnX, kTurnY, kTurnZ}) {
      JointDesc desc = describe(JointKind::SixDof);
      desc.axes[axis].motion = model::AxisMotion::Locked;
      for (const Load& load : along({axis})) {
        Bench bench(desc, solver, Vec3::Zero());
        bench.run(load, 60);
        expect_load(bench.reaction(), -load, to_string(axis));
        EXPECT_LT(bench.moved().norm() + bench.turned().norm(), 2e-4) << to_string(axis);
      }
    }
}

// A rod pulls and pushes along itself; a rope pulls only.
TEST(DistanceJoint, BearsAlongItsLine) {
  const Vec3 line = Vec3(2, -1, 2) / 3;
  for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct}) {
    Bench rod(describe(JointKind::Distance), solver, Vec3::Zero(), false, kTaut * line);
    rod.run({40 * line, Vec3::Zero()}, 60);
    expect_load(rod.reaction(), {-40 * line, Vec3::Zero()}, "rod pulled");
    EXPECT_NEAR(rod.moved().norm(), kTaut, 2e-4);

    JointDesc desc = describe(JointKind::Distance);
    desc.length = {0, kTaut, 0, 1};
    Bench rope(desc, solver, Vec3::Zero(), false, kTaut * line);
    rope.run({40 * line, Vec3::Zero()}, 60);
    expect_load(rope.reaction(), {-40 * line, Vec3::Zero()}, "rope pulled");
    rope.run({-4 * line, Vec3::Zero()}, 6);
    EXPECT_EQ(rope.reaction().force.norm(), 0) << "slack rope";
    EXPECT_NEAR(rope.velocity().dot(line), -4 * 0.1 / kMass, 1e-4);
  }
}

// A stick of two balls that goes round: each pulls with m ω² r.
TEST(DistanceJoint, BearsTheCentripetalForce) {
  for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct}) {
    World world(awake_without_gravity());
    std::vector<BodyId> balls;
    for (const Real side : {-1.0, 1.0}) {
      BodyDesc ball;
      ball.X_WB = at(side * 0.5, 0, 0);
      ball.velocity = Vec3(0, side * 2, 0);  // 4 rad/s
      ball.mass = geometry::MassProperties{.mass = 1.5, .inertia = 0.01 * Mat3::Identity()};
      balls.push_back(world.create_body(ball));
    }
    JointDesc desc = describe(JointKind::Distance);
    desc.length = {1, 1, 0, 1};
    desc.solver = solver;
    const JointId id = world.create_joint(balls[0], balls[1], desc);
    run_steps(world, 120);
    const Vec3 inward = -world.center_of_mass(balls[1]).normalized();
    const JointState state = world.joint_state(id);
    EXPECT_NEAR(state.force.dot(inward), 1.5 * 16 * 0.5, 1e-3 * 12);
    EXPECT_LT(state.torque.norm(), 1e-3);
  }
}

TEST(SpringJoint, BearsByHookesLawAndNoMoreThanItsMost) {
  const Vec3 line = Vec3(2, -1, 2) / 3;
  for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct})
    for (const Real rest : {0.0, kTaut}) {
      JointDesc desc = describe(JointKind::Spring);
      desc.rest_length = rest;
      desc.max_force = 60;
      Bench bench(desc, solver, Vec3::Zero(), false, rest * line);
      const Vec3 pull = 30 * line;
      bench.run({pull, Vec3::Zero()}, 300);
      expect_load(bench.reaction(), {-pull, Vec3::Zero()}, "spring");
      EXPECT_NEAR(bench.moved().dot(line), rest + 30 / kStiffness, 1e-6);
      bench.run({5 * pull, Vec3::Zero()}, 30);
      EXPECT_LE(bench.reaction().force.norm(), 60 * (1 + 1e-6));
      EXPECT_GT(bench.velocity().dot(line), (150 - 60) * 0.2 / kMass);
    }
}

// m ẍ = F - k x with a bounded force, as of a spring without length towards the target.
TEST(DragJoint, BearsAsASpringOfItsFrequency) {
  for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct}) {
    JointDesc desc = describe(JointKind::Drag);
    desc.frequency = 2;
    desc.max_force = 60;
    desc.target = Vec3(0.3, -0.2, 1);
    Bench bench(desc, solver, Vec3::Zero());
    const Load load{Vec3(10, -4, 20), Vec3::Zero()};
    bench.run(load, 300);
    expect_load(bench.reaction(), -load, "drag");
    const Real k = kMass * std::pow(2 * kPi * 2, 2);
    EXPECT_LT((bench.moved() - load.force / k).norm(), 1e-6);
    bench.run({20 * load.force, Vec3::Zero()}, 30);
    EXPECT_LE(bench.reaction().force.norm(), 60 * (1 + 1e-6));
  }
}

// Of an elastic rod: N = k x, M = k φ; what does not give way bears whole.
TEST(RodJoint, BearsByItsStiffnesses) {
  for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct}) {
    JointDesc desc = describe(JointKind::Rod);
    desc.rod = {kStiffness, 300, 200, 200, 10, 10};
    std::vector<Load> loads(4);
    loads[0].force = Vec3(20, -10, 0);
    loads[1].force.z() = 30;
    loads[2].torque = Vec3(3, 0, 0);
    loads[3].torque.z() = 4;
    const Real stretch = 30 / kStiffness, bend = 3.0 / 300, twist = 4.0 / 200;
    const Vec3 moves[4] = {Vec3::Zero(), Vec3(0, 0, stretch), Vec3::Zero(), Vec3::Zero()};
    const Vec3 turns[4] = {Vec3::Zero(), Vec3::Zero(), Vec3(bend, 0, 0), Vec3(0, 0, twist)};
    for (int i = 0; i < 4; ++i) {
      Bench bench(desc, solver, Vec3::Zero());
      const Load& load = loads[static_cast<std::size_t>(i)];
      bench.run(load, 300);
      expect_load(bench.reaction(), -load, told(load));
      EXPECT_LT((bench.moved() - moves[i]).norm(), 2e-4);
      EXPECT_LT((bench.turned() - turns[i]).norm(), 1e-5);
    }
  }
}

/// Two bodies of which each hangs on a joint of its own to the world, and a joint of both.
struct Coupled {
  World world;
  BodyId a, b;
  JointId joint;

  Coupled(JointSolver solver, JointKind own_a, const Vec3& axis_a, JointKind own_b, const Vec3& axis_b, JointDesc desc,
          const WorldSettings& settings = awake_without_gravity())
      : world(settings) {
    desc.solver = solver;
    const auto add = [&](const Vec3& p, JointKind kind, const Vec3& axis) {
      BodyDesc body;
      body.X_WB.p = p;
      body.mass = geometry::MassProperties{.mass = kMass, .inertia = 0.2 * Mat3::Identity()};
      const BodyId id = world.create_body(body);
      JointDesc own = joint_at(world, {}, id, kind, p, axis);
      own.solver = solver;
      world.create_joint({}, id, own);
      return id;
    };
    a = add(Vec3::Zero(), own_a, axis_a);
    b = add(Vec3(0.8, 0, 0), own_b, axis_b);
    desc.X_AJ.R = z_along(axis_a);
    desc.X_BJ.R = z_along(axis_b);
    joint = world.create_joint(a, b, desc);
  }
};

// Two gears, ω_B = -ρ ω_A: torques T_A = ρ T_B are in balance, and T on A alone turns it with I_A + ρ² I_B.
TEST(GearJoint, BearsAndDrivesByItsRatio) {
  for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct})
    for (const Real ratio : {0.5, -3.0}) {
      JointDesc desc = describe(JointKind::Gear);
      desc.ratio = ratio;
      Coupled gears(solver, JointKind::Hinge, Vec3::UnitZ(), JointKind::Hinge, Vec3::UnitZ(), desc);
      for (int i = 0; i < 60; ++i) {
        gears.world.add_torque(gears.b, Vec3(0, 0, 4));
        gears.world.add_torque(gears.a, Vec3(0, 0, 4 * ratio));
        run_steps(gears.world, 1);
      }
      EXPECT_LT((gears.world.joint_state(gears.joint).torque - Vec3(0, 0, -4)).norm(), 1e-4);
      EXPECT_LT(gears.world.joint_state(gears.joint).force.norm(), 1e-6);
      EXPECT_NEAR(gears.world.angular_velocity(gears.a).z(), 0, 1e-5);
      for (int i = 0; i < 12; ++i) {
        gears.world.add_torque(gears.a, Vec3(0, 0, 5));
        run_steps(gears.world, 1);
      }
      const Real I = 0.2, turn = 5 / (I + ratio * ratio * I);
      EXPECT_NEAR(gears.world.angular_velocity(gears.a).z(), turn * 0.2, 1e-3 * turn);
      EXPECT_NEAR(gears.world.angular_velocity(gears.b).z(), -ratio * turn * 0.2, 1e-3 * std::abs(ratio) * turn);
      EXPECT_NEAR(gears.world.joint_state(gears.joint).torque.z(), -ratio * turn * I, 1e-3 * 5);
    }
}

// A rack on a slider along x and a pinion about y: v = ρ ω. F on the rack and -ρ F on the pinion are in balance.
TEST(RackAndPinion, BearsAndDrivesByItsRatio) {
  for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct}) {
    const Real ratio = 0.15;
    JointDesc desc = describe(JointKind::RackAndPinion);
    desc.ratio = ratio;
    Coupled pair(solver, JointKind::Hinge, Vec3::UnitY(), JointKind::Slider, Vec3::UnitX(), desc);
    for (int i = 0; i < 60; ++i) {
      pair.world.add_force(pair.b, Vec3(30, 0, 0));
      pair.world.add_torque(pair.a, Vec3(0, -30 * ratio, 0));
      run_steps(pair.world, 1);
    }
    EXPECT_LT((pair.world.joint_state(pair.joint).force - Vec3(-30, 0, 0)).norm(), 1e-4 * 30);
    EXPECT_NEAR(pair.world.velocity(pair.b).x(), 0, 1e-5);
    for (int i = 0; i < 12; ++i) {
      pair.world.add_force(pair.b, Vec3(30, 0, 0));
      run_steps(pair.world, 1);
    }
    const Real a = 30 / (kMass + 0.2 / (ratio * ratio));
    EXPECT_NEAR(pair.world.velocity(pair.b).x(), a * 0.2, 1e-3 * a);
    EXPECT_NEAR(pair.world.angular_velocity(pair.a).y(), a * 0.2 / ratio, 1e-3 * a / ratio);
    EXPECT_NEAR(pair.world.joint_state(pair.joint).force.x(), kMass * a - 30, 1e-3 * 30);
  }
}

// Block and tackle: T at A and ρ T at B, upwards, with m_A a = T - m_A g, m_B b = ρ T - m_B g and a + ρ b = 0. In
// balance if m_B = ρ m_A.
TEST(PulleyJoint, BearsTheWeightsByItsRatio) {
  for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct})
    for (const Real mass_b : {4.0, 5.0}) {
      World world(without_sleep());
      const Real ratio = 2, mass_a = 2;
      const auto add = [&](Real x, Real mass) {
        BodyDesc body;
        body.X_WB = at(x, 0, 0);
        body.mass = geometry::MassProperties{.mass = mass, .inertia = 0.1 * Mat3::Identity()};
        return world.create_body(body);
      };
      const BodyId a = add(0, mass_a), b = add(1, mass_b);
      JointDesc desc = describe(JointKind::Pulley);
      desc.wheels = {Vec3(0, 0, 4), Vec3(1, 0, 4)};
      desc.ratio = ratio;
      desc.length = {0, 4 + ratio * 4, 0, 1};
      desc.solver = solver;
      const JointId id = world.create_joint(a, b, desc);
      run_steps(world, 30);
      const Real tension = (1 + ratio) * kG / (1 / mass_a + ratio * ratio / mass_b);
      EXPECT_NEAR(world.joint_state(id).force.z(), ratio * tension, 1e-4 * ratio * tension);
      EXPECT_NEAR(world.velocity(a).z(), (tension / mass_a - kG) * 0.5, 1e-3);
      EXPECT_NEAR(world.velocity(b).z(), (ratio * tension / mass_b - kG) * 0.5, 1e-3);
    }
}

// A bead on a ring of 16 points, pushed round: the ring gives m v²/r inwards, within what its spline is off a circle.
TEST(PointOnPath, BearsTheCentripetalForce) {
  for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct}) {
    World world(awake_without_gravity());
    JointDesc desc = describe(JointKind::PointOnPath);
    desc.path.clear();
    for (int i = 0; i < 48; ++i) desc.path.emplace_back(std::cos(i * kPi / 24), std::sin(i * kPi / 24), 0);
    desc.closed_path = true;
    desc.solver = solver;
    BodyDesc bead;
    bead.X_WB = at(1, 0, 0);
    bead.velocity = Vec3(0, 2, 0);
    bead.mass = geometry::MassProperties{.mass = kMass, .inertia = 0.1 * Mat3::Identity()};
    const BodyId id = world.create_body(bead);
    const JointId joint = world.create_joint({}, id, desc);
    Real sum = 0;
    for (int i = 0; i < 120; ++i) {
      run_steps(world, 1);
      sum -= world.joint_state(joint).force.dot(world.center_of_mass(id)) / 120;
    }
    EXPECT_NEAR(sum, kMass * 4, 0.02 * kMass * 4);
    EXPECT_NEAR(world.velocity(id).norm(), 2, 2e-3);
  }
}

}  // namespace
}  // namespace visviva::dynamics
