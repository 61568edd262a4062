// What each kind of joint holds and measures, against motions that are known in closed form.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "joint_samples.hpp"

namespace visviva::constraint {
namespace {

using namespace samples;
using model::JointDesc;
using model::JointKind;
using enum model::Axis;

constexpr Real kH = 1.0 / 480;
constexpr Real kDegree = kPi / 180;
constexpr Real kRounding = 1e-13;  // of angles and of places a few metres away

Mat3 about(int axis, Real angle) { return exp_so3(angle * Vec3::Unit(axis)); }

/// A joint and two bodies; B goes where the test puts J_B in J_A.
struct Case {
  JointDesc joint;
  Place A;
  JointMemory memory;
  JointRows rows;

  explicit Case(JointKind kind) {
    Draw draw;
    joint = plain_joint(kind, draw);
    A = draw.place();
  }
  Place at(const Pose& X) const { return place_at(joint, A, X, Vec3(0.1, -0.2, 0.3)); }
  void put(const Pose& X) { evaluate(joint, A, at(X), kH, memory, rows); }
  void turn(int axis, Real angle) { put({about(axis, angle), Vec3::Zero()}); }
  Real error(int i) const { return rows.atoms[static_cast<std::size_t>(i)].error; }
  Real q(model::Axis axis, const Pose& X) const { return coordinate(joint, axis, A, at(X), memory); }
};

TEST(Hinge, MeasuresSwingInRadiansUpToHalfATurn) {
  for (const Real angle : {1e-9, 1e-3, 0.04, 0.06, 1.0, 2.0, 3.0}) {
    Case c(JointKind::Hinge);
    c.turn(0, angle);
    EXPECT_NEAR(c.error(3), angle, kRounding);
    EXPECT_NEAR(c.error(4), 0, kRounding);
    c.turn(1, -angle);
    EXPECT_NEAR(c.error(3), 0, kRounding);
    EXPECT_NEAR(c.error(4), -angle, kRounding);
  }
}

TEST(Hinge, CountsTurns) {
  Case c(JointKind::Hinge);
  for (int degrees = 0; degrees <= 4000; degrees += 50) {
    c.turn(2, degrees * kDegree);
    EXPECT_NEAR(c.q(kTurnZ, {about(2, degrees * kDegree), Vec3::Zero()}), degrees * kDegree, kRounding);
  }
  for (int degrees = 4000; degrees >= -1000; degrees -= 50) c.turn(2, degrees * kDegree);
  EXPECT_NEAR(c.q(kTurnZ, {about(2, -1000 * kDegree), Vec3::Zero()}), -1000 * kDegree, kRounding);
}

// From 178° to 181° is three degrees, not 357 back.
TEST(Hinge, LimitsNextToHalfATurnStayTheLimitsBeyondIt) {
  Case c(JointKind::Hinge);
  c.joint.axes[kTurnZ].limit = {-179 * kDegree, 179 * kDegree};
  for (int degrees = 0; degrees <= 178; ++degrees) c.turn(2, degrees * kDegree);
  EXPECT_NEAR(c.error(6), 1 * kDegree, kRounding);
  c.turn(2, 181 * kDegree);
  EXPECT_NEAR(c.error(5), 360 * kDegree, kRounding);  // to the lower stop
  EXPECT_NEAR(c.error(6), -2 * kDegree, kRounding);   // beyond the upper one
  for (int degrees = 180; degrees >= -181; --degrees) c.turn(2, degrees * kDegree);
  EXPECT_NEAR(c.error(5), -2 * kDegree, kRounding);
  EXPECT_NEAR(c.error(6), 360 * kDegree, kRounding);
}

TEST(Hinge, MayBeLimitedToTenTurns) {
  Case c(JointKind::Hinge);
  c.joint.axes[kTurnZ].limit = {0, 3600 * kDegree};
  for (int degrees = 0; degrees <= 3590; degrees += 90) c.turn(2, degrees * kDegree);
  c.turn(2, 3590 * kDegree);
  EXPECT_NEAR(c.error(5), 3590 * kDegree, kRounding);
  EXPECT_NEAR(c.error(6), 10 * kDegree, kRounding);
}

TEST(Limit, OpensWhereItsRowIsPositive) {
  Case c(JointKind::Hinge);
  c.joint.axes[kTurnZ].limit = {-1, 1, 4, 0.5};
  c.turn(2, 0.3);
  const Vec3 z = c.A.X_W.R * c.joint.X_AJ.R.col(2);
  EXPECT_NEAR(velocity(c.rows.atoms[5], {}, {Vec3::Zero(), z}), 1, kRounding);
  EXPECT_NEAR(velocity(c.rows.atoms[6], {}, {Vec3::Zero(), z}), -1, kRounding);
  EXPECT_EQ(c.rows.atoms[5].role, AtomRole::Limit);
  EXPECT_EQ(c.rows.atoms[5].lower, 0);
  EXPECT_EQ(c.rows.atoms[5].spring.frequency, 4);
  EXPECT_EQ(c.rows.atoms[5].spring.damping_ratio, 0.5);
}

TEST(Fixed, MeasuresTheRotationVectorUpToHalfATurn) {
  Draw draw;
  for (const Real angle : {0.0, 1e-8, 0.05, 0.099, 0.101, 1.0, 2.0, 3.1}) {
    Case c(JointKind::Fixed);
    const Vec3 phi = angle * draw.vector().normalized();
    c.put({exp_so3(phi), Vec3::Zero()});
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(c.error(3 + i), phi[i], kRounding);
    EXPECT_NEAR(joint_error(c.rows).angular, angle, kRounding);
  }
}

TEST(Slider, MovesAlongZOfA) {
  Case c(JointKind::Slider);
  c.joint.axes[kMoveZ].limit = {-1, 2};
  c.put({Mat3::Identity(), Vec3(0, 0, 1.5)});
  EXPECT_NEAR(joint_error(c.rows).linear, 0, kRounding);
  EXPECT_NEAR(c.error(5), 2.5, kRounding);
  EXPECT_NEAR(c.error(6), 0.5, kRounding);
  c.put({Mat3::Identity(), Vec3(0.3, -0.4, 1.5)});
  EXPECT_NEAR(c.error(0), 0.3, kRounding);
  EXPECT_NEAR(c.error(1), -0.4, kRounding);
}

// First about x of A, then about the y that was carried along.
TEST(Universal, HasTwoTurns) {
  Case c(JointKind::Universal);
  for (int i = 0; i <= 100; ++i) {
    const Real alpha = 0.11 * i, beta = -0.07 * i;  // more than a turn each
    const Pose X{about(0, alpha) * about(1, beta), Vec3::Zero()};
    c.put(X);
    EXPECT_NEAR(c.error(3), 0, kRounding);
    EXPECT_NEAR(c.q(kTurnX, X), alpha, kRounding);
    EXPECT_NEAR(c.q(kTurnY, X), beta, kRounding);
  }
  c.put({about(0, 0.5) * about(2, 0.2) * about(1, 0.3), Vec3::Zero()});
  EXPECT_NEAR(c.error(3), 0.2, kRounding);
}

TEST(Wheel, IsSteeredRollsAndTravels) {
  Case c(JointKind::Wheel);
  c.joint.axes[kTurnZ].limit = {-1, 1};
  for (int i = 0; i <= 60; ++i) {
    const Real steer = 0.01 * i, roll = 0.4 * i;
    const Pose X{about(2, steer) * about(1, roll), Vec3(0, 0, 0.002 * i)};
    c.put(X);
    EXPECT_NEAR(joint_error(c.rows).linear, 0, kRounding);
    EXPECT_NEAR(joint_error(c.rows).angular, 0, kRounding);
    EXPECT_NEAR(c.q(kTurnZ, X), steer, kRounding);
    EXPECT_NEAR(c.q(kTurnY, X), roll, kRounding);
    EXPECT_NEAR(c.q(kMoveZ, X), 0.002 * i, kRounding);
  }
  c.put({about(2, 0.3) * about(0, 0.1) * about(1, 2), Vec3::Zero()});
  EXPECT_NEAR(joint_error(c.rows).angular, 0.1, kRounding) << "camber";
}

TEST(Wheel, HoldsItsSteeringUnlessLimitedOrDriven) {
  Case c(JointKind::Wheel);
  c.turn(2, 0.25);
  EXPECT_EQ(c.rows.locked, 4);
  EXPECT_NEAR(c.error(3), 0.25, kRounding);
  c.joint.axes[kTurnZ].motor.kind = model::MotorKind::Position;
  c.turn(2, 0.25);
  EXPECT_EQ(c.rows.locked, 3);
}

TEST(Distance, IsARodARopeOrARange) {
  Case c(JointKind::Distance);
  const Pose X{about(0, 1), Vec3(0, 0.6, 0.8)};
  c.joint.length = {1.5, 1.5, 0, 1};
  c.put(X);
  EXPECT_EQ(c.rows.locked, 1);
  EXPECT_EQ(c.rows.count, 1);
  EXPECT_NEAR(c.error(0), -0.5, kRounding);
  c.joint.length = {0, 1.5, 0, 1};
  c.put(X);
  EXPECT_EQ(c.rows.locked, 0);
  ASSERT_EQ(c.rows.count, 1);
  EXPECT_EQ(c.rows.atoms[0].role, AtomRole::Limit);
  EXPECT_NEAR(c.error(0), 0.5, kRounding);
  c.joint.length = {0.8, 1.5, 0, 1};
  c.put(X);
  ASSERT_EQ(c.rows.count, 2);
  EXPECT_NEAR(c.error(0), 0.2, kRounding);
  EXPECT_NEAR(c.error(1), 0.5, kRounding);
  c.joint.length = {1.5, 1.5, 3, 0.5};
  c.put(X);
  ASSERT_EQ(c.rows.count, 1);
  EXPECT_EQ(c.rows.atoms[0].role, AtomRole::Spring);
  EXPECT_EQ(c.rows.atoms[0].spring.frequency, 3);
}

TEST(Spring, HasItsLawAndItsBound) {
  Case c(JointKind::Spring);
  c.put({Mat3::Identity(), Vec3(0, 0, 2)});
  ASSERT_EQ(c.rows.count, 1);
  EXPECT_NEAR(c.error(0), 2 - 0.7, kRounding);
  EXPECT_EQ(c.rows.atoms[0].spring.stiffness, 100);
  EXPECT_EQ(c.rows.atoms[0].spring.damping, 2);
  EXPECT_EQ(c.rows.atoms[0].upper, 50 * kH);
  c.joint.frequency = 5;
  c.put({Mat3::Identity(), Vec3(0, 0, 2)});
  EXPECT_EQ(c.rows.atoms[0].spring.stiffness, 0);
  EXPECT_EQ(c.rows.atoms[0].spring.frequency, 5);
  c.joint.rest_length = 0;  // three rows, so that it may pass through zero
  c.put({});
  ASSERT_EQ(c.rows.count, 3);
  EXPECT_NEAR(3 * c.rows.atoms[0].upper * c.rows.atoms[0].upper, 50 * kH * 50 * kH, 1e-15);
}

TEST(Cone, LeavesTheAngleToItsRim) {
  Case c(JointKind::Cone);
  for (const int axis : {0, 1})
    for (const Real angle : {-2.5, -0.9, -0.3, 0.01, 0.5, 0.8, 1.7}) {
      c.put({about(axis, angle) * about(2, 2.0), Vec3::Zero()});
      EXPECT_NEAR(c.error(3), 0.8 - std::abs(angle), kRounding);
    }
}

// The rim is an ellipse of swing angles, whatever the twist.
TEST(SwingTwist, StopsAtAnEllipse) {
  Case c(JointKind::SwingTwist);
  for (int i = 0; i < 24; ++i) {
    const Real t = i * kPi / 12;
    const Vec3 rim(0.5 * std::cos(t), 1.2 * std::sin(t), 0);
    const Pose X{exp_so3(rim) * about(2, 0.1 * i), Vec3::Zero()};
    c.put(X);
    EXPECT_NEAR(c.error(3), 0, kRounding);
    EXPECT_NEAR(c.q(kTurnZ, X), 0.1 * i, kRounding);
    c.put({exp_so3(0.8 * rim), Vec3::Zero()});
    EXPECT_NEAR(c.error(3), 0.2 * 0.5, kRounding);
    c.memory = {};
  }
  c.joint.swing_limit = {model::kUnbounded, model::kUnbounded};
  c.put({});
  EXPECT_EQ(c.rows.count, 3);
}

TEST(Pulley, IsSlackWhileItsRopesAreShort) {
  Case c(JointKind::Pulley);
  c.joint.X_AJ = c.joint.X_BJ = {};
  c.joint.wheels = {Vec3(0, 0, 5), Vec3(1, 0, 5)};
  c.joint.ratio = 2;
  c.joint.length = {0, 10, 0, 1};
  const Place A{{Mat3::Identity(), Vec3(0, 0, 2)}, Vec3(0, 0, 2)}, B{{Mat3::Identity(), Vec3(1, 0, 3)}, Vec3(1, 0, 3)};
  evaluate(c.joint, A, B, kH, c.memory, c.rows);
  ASSERT_EQ(c.rows.count, 1);
  EXPECT_EQ(c.rows.atoms[0].role, AtomRole::Limit);
  EXPECT_NEAR(c.error(0), 10 - 3 - 2 * 2, kRounding);
  // A sinks by 2 while B rises by 1: as long as before.
  const SideMotion down{Vec3(0, 0, -2), Vec3::Zero()}, up{Vec3(0, 0, 1), Vec3::Zero()};
  EXPECT_NEAR(velocity(c.rows.atoms[0], down, up), 0, kRounding);
  EXPECT_NEAR(velocity(c.rows.atoms[0], down, {}), -2, kRounding);
}

// Frames anywhere: at the start nothing is wrong, and after 3.5 turns of A, B has made 3.5 · 0.6 the other way.
TEST(Gear, CountsWholeTurnsFromTheStart) {
  Case c(JointKind::Gear);
  const Place A = c.A, B = c.at({about(0, 1.3), Vec3(2, 0, 0)});
  const Vec3 z_a = A.X_W.R * c.joint.X_AJ.R.col(2), z_b = B.X_W.R * c.joint.X_BJ.R.col(2);
  for (int i = 0; i <= 70; ++i) {
    const Real turn = i * kTwoPi * 0.05;
    evaluate(c.joint, moved(A, {Vec3::Zero(), z_a}, turn), moved(B, {Vec3::Zero(), z_b}, -0.6 * turn), kH, c.memory,
             c.rows);
    EXPECT_NEAR(c.error(0), 0, 1e-12);
  }
  evaluate(c.joint, moved(A, {Vec3::Zero(), z_a}, 3.5 * kTwoPi), moved(B, {Vec3::Zero(), z_b}, -2.1 * kTwoPi + 0.1), kH,
           c.memory, c.rows);
  EXPECT_NEAR(c.error(0), 0.1, 1e-12);
}

// Two gears in a car that turns round about the vertical, across their axes: no turn of theirs.
TEST(Gear, IsCarriedAroundWithoutAnError) {
  Case c(JointKind::Gear);
  c.joint.X_AJ = c.joint.X_BJ = {};
  const Place A{}, B{{Mat3::Identity(), Vec3(1, 0, 0)}, Vec3(1, 0, 0)};
  const auto carried = [](const Place& place, Real yaw, Real turn) {
    return Place{{about(0, yaw) * about(2, turn), place.X_W.p}, place.center};
  };
  for (int i = 0; i <= 200; ++i) {
    const Real yaw = 0.05 * i, turn = 0.1 * i;  // more than a turn and a half; z flips on the way
    evaluate(c.joint, carried(A, yaw, turn), carried(B, yaw, -0.6 * turn), kH, c.memory, c.rows);
    EXPECT_NEAR(c.error(0), 0, 1e-12);
  }
}

// A pinion of radius 0.6 rolls along a rack that is fixed in the world.
TEST(RackAndPinion, RollsWithoutAnError) {
  Case c(JointKind::RackAndPinion);
  c.joint.X_AJ = {};
  c.joint.X_BJ = {about(1, kPi / 2), Vec3(0, 0, 0)};  // z of the rack along x of the world
  const Place rack{};
  for (int i = 0; i <= 80; ++i) {
    const Real turn = 0.2 * i;
    const Vec3 p(-0.6 * turn, 0.6, 0);
    evaluate(c.joint, {{about(2, turn), p}, p}, rack, kH, c.memory, c.rows);
    EXPECT_NEAR(c.error(0), 0, kRounding);
  }
}

TEST(Screw, RisesByItsPitch) {
  Case c(JointKind::Screw);
  c.joint.axes[kMoveZ].limit = {0, 1};
  for (int i = 0; i <= 40; ++i) {
    const Real turns = 0.1 * i;
    c.put({about(2, kTwoPi * turns), Vec3(0, 0, 0.25 * turns)});
    EXPECT_NEAR(joint_error(c.rows).linear, 0, kRounding);
  }
  EXPECT_NEAR(c.error(6), 0, 1e-12) << "four turns up is the end";
  c.memory = {};
  c.put({about(2, kTwoPi * 0.3), Vec3(0, 0, 0.25 * 7.3)});
  EXPECT_NEAR(joint_error(c.rows).linear, 0, kRounding) << "a nut may start seven turns up";
}

TEST(PointOnPlane, MeasuresTheHeight) {
  Case c(JointKind::PointOnPlane);
  c.put({about(0, 1), Vec3(3, -2, 0.4)});
  EXPECT_EQ(c.rows.count, 1);
  EXPECT_NEAR(c.error(0), 0.4, kRounding);
}

TEST(PointOnPath, GoesThroughItsPointsAndOnStraight) {
  Case c(JointKind::PointOnPath);
  for (const Vec3& p : c.joint.path) {
    c.memory = {};
    c.put({about(0, 1), p});
    EXPECT_NEAR(joint_error(c.rows).linear, 0, kRounding);
  }
  const Real end = c.q(kMoveZ, {Mat3::Identity(), c.joint.path.back()});
  // The tangent at the end is that of a parabola whose far point is the mirrored one: the last chord.
  const Vec3 chord = (c.joint.path[4] - c.joint.path[3]).normalized();
  c.put({Mat3::Identity(), c.joint.path[4] + 0.5 * chord});
  EXPECT_NEAR(joint_error(c.rows).linear, 0, kRounding);
  EXPECT_NEAR(c.q(kMoveZ, {Mat3::Identity(), c.joint.path[4] + 0.5 * chord}), end + 0.5, 1e-12);
}

// A circle of 24 points: the spline leaves it by (π/24)⁴ of the radius at most, so length and place are known to 3e-4.
TEST(PointOnPath, CountsLapsOfAClosedCurve) {
  Case c(JointKind::PointOnPath);
  c.joint.closed_path = true;
  c.joint.path.clear();
  const auto on_circle = [](Real angle) { return Vec3(2 * std::cos(angle), 2 * std::sin(angle), 0); };
  for (int i = 0; i < 24; ++i) c.joint.path.push_back(on_circle(i * kTwoPi / 24));
  Real lap = 0;
  for (int i = 0; i <= 3 * 100; ++i) {
    const Real angle = i * kTwoPi / 100;
    const Pose X{Mat3::Identity(), on_circle(angle)};
    c.put(X);
    EXPECT_LE(joint_error(c.rows).linear, 2 * 3e-4);
    EXPECT_NEAR(c.q(kMoveZ, X), 2 * angle, 1e-3 * (1 + 2 * angle));
    if (i == 100) lap = c.q(kMoveZ, X);
  }
  EXPECT_NEAR(c.q(kMoveZ, {Mat3::Identity(), on_circle(0)}), 3 * lap, 1e-12) << "laps are equally long";
  for (int i = 300; i >= -100; --i) c.put({Mat3::Identity(), on_circle(i * kTwoPi / 100)});
  EXPECT_NEAR(c.q(kMoveZ, {Mat3::Identity(), on_circle(0)}), -lap, 1e-12) << "and back";
}

// A world that has become infinite may be stepped on: a joint remembers nothing that harms it.
TEST(EveryJoint, SurvivesBodiesThatAreNowhere) {
  for (const JointKind kind : all_kinds())
    for (const Real far : {1e300, std::numeric_limits<Real>::infinity(), std::numeric_limits<Real>::quiet_NaN()}) {
      SCOPED_TRACE(fmt::format("{} at {}", to_string(kind), far));
      Case c(kind);
      c.joint.closed_path = kind == JointKind::PointOnPath;
      c.put({});
      for (int i = 0; i < 3; ++i) c.put({Mat3::Identity(), Vec3::Constant(far)});
      for (int i = 0; i < 3; ++i) c.put({Mat3::Constant(far), Vec3::Zero()});
      for (const model::Axis axis : free_axes(kind)) static_cast<void>(c.q(axis, {Mat3::Constant(far), Vec3::Zero()}));
    }
}

TEST(PointOnPath, FindsItsPlaceAgain) {
  Case c(JointKind::PointOnPath);
  c.joint.closed_path = true;
  const Pose on_path{Mat3::Identity(), c.joint.path[2]};
  c.put(on_path);
  const Real before = c.q(kMoveZ, on_path);
  c.put({Mat3::Identity(), Vec3::Constant(std::numeric_limits<Real>::quiet_NaN())});
  c.put(on_path);
  EXPECT_EQ(c.q(kMoveZ, on_path), before);
  EXPECT_NEAR(joint_error(c.rows).linear, 0, kRounding);
}

TEST(Drag, PullsTowardsItsTarget) {
  Case c(JointKind::Drag);
  c.joint.frequency = 5;
  const Place B = c.at({});
  evaluate(c.joint, {}, B, kH, c.memory, c.rows);
  ASSERT_EQ(c.rows.count, 3);
  const Vec3 p = B.X_W * c.joint.X_BJ.p;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(c.rows.atoms[static_cast<std::size_t>(i)].role, AtomRole::Spring);
    EXPECT_NEAR(c.error(i), p[i] - c.joint.target[i], kRounding);
  }
}

// Six rows that a group may solve as one: two locked, and stretch, bending and twist with their springs.
TEST(Rod, StretchesBendsAndTwists) {
  Case c(JointKind::Rod);
  c.put({about(0, 2.5) * about(2, 0.4), Vec3(0, 0, 0.03)});
  ASSERT_EQ(c.rows.count, 6);
  EXPECT_EQ(c.rows.locked, 6);
  for (const auto& [row, error] : {std::pair(0, 0.0), {1, 0.0}, {2, 0.03}, {3, 2.5}, {4, 0.0}, {5, 0.4}})
    EXPECT_NEAR(c.error(row), error, kRounding) << row;
  EXPECT_EQ(c.rows.atoms[2].spring.stiffness, 2000);
  EXPECT_EQ(c.rows.atoms[3].spring.stiffness, 30);
  EXPECT_EQ(c.rows.atoms[4].spring.damping, 0.3);
  EXPECT_EQ(c.rows.atoms[5].spring.stiffness, 20);
  EXPECT_EQ(joint_error(c.rows).angular, 0);  // a shape that it has is no error
  EXPECT_NEAR(joint_error(c.rows).linear, 0, kRounding);
}

TEST(Rod, LocksWhatIsRigidAndLeavesOutWhatIsFree) {
  Case c(JointKind::Rod);
  c.joint.rod = {};
  c.turn(0, 0.3);
  EXPECT_EQ(c.rows.count, 3);
  c.joint.rod.twist_stiffness = model::kUnbounded;
  c.turn(2, 0.3);
  ASSERT_EQ(c.rows.count, 4);
  EXPECT_FALSE(is_spring(c.rows.atoms[3].spring));
  EXPECT_NEAR(joint_error(c.rows).angular, 0.3, kRounding);
}

}  // namespace
}  // namespace visviva::constraint
