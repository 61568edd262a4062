// Joints of scene files: what the keys mean, and that every mistake is one fault at its place.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "io/scene_joint_keys.hpp"
#include "tests/io/scene_samples.hpp"
#include "visviva/io/scene.hpp"
#include "visviva/math/quaternion.hpp"

namespace visviva::io {
namespace {

using model::JointDesc;
using model::JointKind;

/// Two bodies in different places and attitudes, a static one, and the given joints.
std::string scene_with(const std::string& joints) {
  return R"({"visviva": 1, "bodies": [
    {"name": "a", "position": [1, 2, 3], "rotation": {"axis": [1, 1, 0], "angle": 0.7}, "mass": 1, "inertia": [1, 1, 1]},
    {"name": "b", "position": [-1, 0, 4], "rotation": {"axis": [0, 1, 2], "angle": -1.1}, "mass": 2, "inertia": [1, 1, 1]},
    {"name": "ground", "type": "static"}], "joints": [)" +
         joints + "]}";
}

model::Model read_good(const std::string& joints) {
  const SceneResult result = read_scene_text(scene_with(joints));
  EXPECT_TRUE(result.model) << text_of(result.faults);
  return result.model ? *result.model : model::Model{};
}

JointDesc read_one(const std::string& joint) {
  const model::Model m = read_good(joint);
  EXPECT_EQ(m.joints.size(), 1u);
  return m.joints.empty() ? JointDesc{} : m.joints[0];
}

/// Pose of J in the world, from the side of one body.
Pose X_WJ(const model::Model& m, std::uint32_t body, const Pose& X_BJ) {
  return body == model::kWorldBody ? X_BJ : m.bodies[body].X_WB * X_BJ;
}

void expect_fault(const std::string& joint, const std::string& place, const std::string& message) {
  const SceneResult result = read_scene_text(scene_with(joint), {}, "s.json");
  EXPECT_FALSE(result.model);
  ASSERT_EQ(result.faults.size(), 1u) << joint << "\n" << text_of(result.faults);
  EXPECT_EQ(result.faults[0].file, "s.json");
  EXPECT_EQ(result.faults[0].place, place) << result.faults[0].message;
  EXPECT_NE(result.faults[0].message.find(message), std::string::npos) << result.faults[0].message;
}

constexpr Real kRounding = 1e-14;  // of a few products of numbers of order 1

TEST(SceneJoints, AnchorAndAxisGiveBothSidesTheSameFrame) {
  for (const char* bodies : {R"(["a", "b"])", R"(["world", "b"])", R"(["a", "world"])"}) {
    const model::Model m = read_good(R"({"kind": "hinge", "anchor": [0.5, 1, 2], "axis": [0, 3, 4], "bodies": )" +
                                     std::string(bodies) + "}");
    ASSERT_EQ(m.joints.size(), 1u);
    const JointDesc& joint = m.joints[0];
    const Pose from_a = X_WJ(m, joint.body_a, joint.X_AJ), from_b = X_WJ(m, joint.body_b, joint.X_BJ);
    for (const Pose& X : {from_a, from_b}) {
      EXPECT_LT((X.p - Vec3(0.5, 1, 2)).norm(), kRounding);
      EXPECT_LT((X.R.col(2) - Vec3(0, 0.6, 0.8)).norm(), kRounding);
      EXPECT_TRUE(is_rotation(X.R, 1e-14));
    }
    EXPECT_LT((from_a.R - from_b.R).norm(), 2 * kRounding);
  }
}

TEST(SceneJoints, SecondAxisIsXAsFarAsItIsAtRightAngles) {
  const model::Model m = read_good(
      R"({"kind": "universal", "anchor": [0, 0, 0], "axis": [0, 0, -2], "axis2": [0, 5, 7], "bodies": ["world", "b"]})");
  const Mat3& R = m.joints.at(0).X_AJ.R;
  EXPECT_LT((R.col(0) - Vec3(0, 1, 0)).norm(), kRounding);
  EXPECT_LT((R.col(2) - Vec3(0, 0, -1)).norm(), kRounding);
}

TEST(SceneJoints, HugeAndTinyAxesAreDirectionsToo) {
  for (const char* axis : {"[0, 3e307, 4e307]", "[0, 3e-308, 4e-308]"}) {
    const JointDesc joint =
        read_one(R"({"kind": "slider", "bodies": ["world", "b"], "axis": )" + std::string(axis) + "}");
    EXPECT_LT((joint.X_AJ.R.col(2) - Vec3(0, 0.6, 0.8)).norm(), kRounding) << axis;
  }
}

TEST(SceneJoints, FramesMayBeGivenInTheBodies) {
  const JointDesc joint = read_one(R"({"kind": "hinge", "bodies": ["a", "b"], "frame_a": {"position": [0, 0, 1]},
    "frame_b": {"position": [1, 0, 0], "rotation": {"axis": [0, 0, 1], "angle": 0.5}}})");
  EXPECT_EQ(joint.X_AJ.p, Vec3(0, 0, 1));
  EXPECT_EQ(joint.X_AJ.R, Mat3::Identity());
  EXPECT_EQ(joint.X_BJ.p, Vec3(1, 0, 0));
  EXPECT_NEAR(joint.X_BJ.R(0, 0), std::cos(0.5), kRounding);
}

TEST(SceneJoints, AnchorsThatAreNotGivenAreWhereTheKindSays) {
  const model::Model m =
      read_good(R"({"kind": "fixed", "bodies": ["a", "b"]}, {"kind": "fixed", "bodies": ["a", "world"]},
    {"kind": "spring", "bodies": ["a", "b"], "stiffness": 1}, {"kind": "point_on_path", "bodies": ["world", "b"], "path": [[0, 0, 0], [1, 0, 0]]})");
  const Vec3 a(1, 2, 3), b(-1, 0, 4);
  const std::pair<Vec3, Vec3> expected[] = {{b, b}, {a, a}, {a, b}, {Vec3::Zero(), b}};
  ASSERT_EQ(m.joints.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const JointDesc& joint = m.joints[i];
    EXPECT_LT((X_WJ(m, joint.body_a, joint.X_AJ).p - expected[i].first).norm(), kRounding) << i;
    EXPECT_LT((X_WJ(m, joint.body_b, joint.X_BJ).p - expected[i].second).norm(), kRounding) << i;
  }
}

TEST(SceneJoints, LengthsThatAreNotGivenAreThoseOfTheStart) {
  EXPECT_NEAR(read_one(R"({"kind": "distance", "bodies": ["a", "b"]})").length.lower, 3, kRounding);
  EXPECT_NEAR(read_one(R"({"kind": "distance", "bodies": ["a", "b"]})").length.upper, 3, kRounding);
  EXPECT_NEAR(read_one(R"({"kind": "spring", "bodies": ["a", "b"], "frequency": 2})").rest_length, 3, kRounding);
  const JointDesc pulley =
      read_one(R"({"kind": "pulley", "bodies": ["a", "b"], "wheels": [[1, 2, 7], [-1, 0, 6]], "ratio": 3})");
  EXPECT_EQ(pulley.length.lower, 0);
  EXPECT_NEAR(pulley.length.upper, 4 + 3 * 2, kRounding);
  const JointDesc rope = read_one(R"({"kind": "distance", "bodies": ["a", "b"], "length": [0, 5]})");
  EXPECT_EQ(rope.length.lower, 0);
  EXPECT_EQ(rope.length.upper, 5);
}

TEST(SceneJoints, AxesHaveLimitsMotorsAndFriction) {
  const char* keys = R"("limit": {"lower": -1, "upper": 2, "frequency": 3, "damping_ratio": 0.5}, "friction": 4,
    "motor": {"kind": "position", "target_velocity": 1, "target_position": 0.5, "max_force": 9, "frequency": 7, "damping_ratio": 2, "stiffness": 11, "damping": 12})";
  const std::string head = R"({"kind": "hinge", "bodies": ["a", "b"], "anchor": [0, 0, 0], "axis": [1, 0, 0], )";
  const JointDesc brief = read_one(head + keys + "}");
  const JointDesc full = read_one(head + R"("turn_z": {)" + keys + "}}");
  EXPECT_EQ(brief.axes, full.axes);
  const model::AxisDesc& axis = full.axes[model::kTurnZ];
  EXPECT_EQ(axis.limit, (model::LimitDesc{-1, 2, 3, 0.5}));
  EXPECT_EQ(axis.motor, (model::MotorDesc{model::MotorKind::Position, 1, 0.5, 9, 7, 2, 11, 12}));
  EXPECT_EQ(axis.friction, 4);
  EXPECT_EQ(full.axes[model::kMoveZ], model::AxisDesc{});
}

TEST(SceneJoints, SixAxesMoveAsTheySay) {
  const JointDesc joint = read_one(R"({"kind": "six_dof", "bodies": ["a", "b"], "anchor": [0, 0, 0],
    "move_x": {"motion": "locked"}, "move_y": {"limit": [-1, 1]}, "turn_z": {"motion": "limited", "limit": {"upper": 1}}})");
  EXPECT_EQ(joint.axes[model::kMoveX].motion, model::AxisMotion::Locked);
  EXPECT_EQ(joint.axes[model::kMoveY].motion, model::AxisMotion::Limited);
  EXPECT_EQ(joint.axes[model::kMoveZ].motion, model::AxisMotion::Free);
  EXPECT_EQ(joint.axes[model::kTurnZ].limit.lower, -model::kUnbounded);
  EXPECT_EQ(joint.axes[model::kTurnZ].limit.upper, 1);
  EXPECT_LT((joint.X_AJ.R - rotation_from_quaternion({1, 0, 0, 0}) * read_good("").bodies[0].X_WB.R.transpose()).norm(),
            kRounding)
      << "without an axis J has the axes of the world";
}

TEST(SceneJoints, KeysOfSingleKindsAreKept) {
  const JointDesc joint = read_one(R"({"name": "j", "kind": "drag", "bodies": ["world", "b"], "target": [1, 2, 3],
    "max_force": 4, "frequency": 5, "damping_ratio": 6, "collide": true, "solver": "direct",
    "break_force": 7, "break_torque": 8, "break_impulse": 9})");
  EXPECT_EQ(joint.name, "j");
  EXPECT_EQ(joint.target, Vec3(1, 2, 3));
  EXPECT_EQ(joint.max_force, 4);
  EXPECT_EQ(joint.frequency, 5);
  EXPECT_EQ(joint.damping_ratio, 6);
  EXPECT_TRUE(joint.collide);
  EXPECT_EQ(joint.solver, model::JointSolver::Direct);
  EXPECT_EQ(joint.break_force, 7);
  EXPECT_EQ(joint.break_torque, 8);
  EXPECT_EQ(joint.break_impulse, 9);
  const JointDesc ragdoll = read_one(
      R"({"kind": "swing_twist", "bodies": ["a", "b"], "anchor": [0, 0, 0], "axis": [0, 0, 1], "swing_limit": [0.5, 0.25]})");
  EXPECT_EQ(ragdoll.swing_limit, (std::array<Real, 2>{0.5, 0.25}));
  const JointDesc rack = read_one(
      R"({"kind": "rack_and_pinion", "bodies": ["world", "b"], "axes": [[0, 1, 0], [1, 0, 0]], "ratio": 0.2})");
  EXPECT_EQ(rack.X_AJ.R.col(2), Vec3(0, 1, 0));
  EXPECT_EQ(rack.ratio, 0.2);
}

TEST(SceneJoints, RepetitionsCountTheirBodiesAndMoveTheirAnchors) {
  const SceneResult result = read_scene_text(R"({"visviva": 1,
    "bodies": [{"repeat": 12, "offset": [0, 0, -1], "body": {"name": "link", "mass": 1, "inertia": [1, 1, 1]}}],
    "joints": [{"kind": "ball", "bodies": ["world", "link[0]"], "anchor": [0, 0, 0.5]},
               {"repeat": 11, "offset": [0, 0, -1], "joint":
                 {"name": "pin", "kind": "ball", "bodies": ["link[0]", "link[1]"], "anchor": [0, 0, -0.5]}}]})");
  ASSERT_TRUE(result.model) << text_of(result.faults);
  const model::Model& m = *result.model;
  ASSERT_EQ(m.joints.size(), 12u);
  EXPECT_EQ(m.joints[0].body_a, model::kWorldBody);
  for (std::uint32_t i = 1; i < 12; ++i) {
    EXPECT_EQ(m.joints[i].name, "pin[" + std::to_string(i - 1) + "]");
    EXPECT_EQ(m.joints[i].body_a, i - 1);
    EXPECT_EQ(m.joints[i].body_b, i);
    EXPECT_EQ(m.joints[i].X_AJ.p, Vec3(0, 0, -0.5));
    EXPECT_EQ(m.joints[i].X_BJ.p, Vec3(0, 0, 0.5));
  }
}

TEST(BadJoint, MistakesAreOneFaultAtTheirPlace) {
  const std::string hinge = R"({"name": "door", "kind": "hinge", "bodies": ["a", "b"], "anchor": [0, 0, 0], )";
  expect_fault(hinge + R"("axis": [0, 0, 0]})", "/joints/0/axis", "must not be the zero vector");
  expect_fault(hinge + R"("axis": [0, 0, 1], "axis2": [0, 0, -3]})", "/joints/0/axis2", "parallel");
  expect_fault(hinge + R"("axis": [0, 0, 1], "limit": [1, -1]})", "/joints/0/limit",
               "joint 'door': turn_z.limit.upper must be at least lower, 1, got -1");
  expect_fault(hinge + R"("axis": [0, 0, 1], "turn_z": {"limit": {"lower": 1, "upper": -1}}})",
               "/joints/0/turn_z/limit/upper", "at least lower");
  expect_fault(hinge + R"("axis": [0, 0, 1], "limit": {}})", "/joints/0/limit", "have a bound");
  expect_fault(hinge + R"("axis": [0, 0, 1], "limit": [1]})", "/joints/0/limit", "an array of two numbers");
  expect_fault(hinge + R"("axis": [0, 0, 1], "limit": 3})", "/joints/0/limit", "[lower, upper]");
  expect_fault(hinge + R"("axis": [0, 0, 1], "limit": [0, 1e999]})", "/joints/0/limit/1", "");
  expect_fault(hinge + R"("axis": [0, 0, 1], "limits": [0, 1]})", "/joints/0/limits",
               "a hinge has no key 'limits'; did you mean 'limit'?");
  expect_fault(hinge + R"("axis": [0, 0, 1], "move_z": {}})", "/joints/0/move_z", "has no key");
  expect_fault(hinge + R"("axis": [0, 0, 1], "friction": 1, "turn_z": {}})", "/joints/0/friction", "turn_z");
  expect_fault(hinge + R"("axis": [0, 0, 1], "turn_z": {"motion": "free"}})", "/joints/0/turn_z/motion", "no key");
  expect_fault(hinge + R"("axis": [0, 0, 1], "motor": {"target_velocity": 1}})", "/joints/0/motor", "'kind'");
  expect_fault(hinge + R"("axis": [0, 0, 1], "motor": {"kind": "servo"}})", "/joints/0/motor/kind",
               "one of off, velocity");
  expect_fault(hinge + R"("axis": [0, 0, 1], "break_force": 0})", "/joints/0/break_force", "positive");
  expect_fault(hinge + R"("axis": [0, 0, 1], "solver": "exact"})", "/joints/0/solver", "iterative, direct");
  expect_fault(hinge + R"("collide": true})", "/joints/0", "needs the key 'axis'");
  expect_fault(R"({"kind": "ball", "bodies": ["a", "b"]})", "/joints/0", "a ball needs the key 'anchor'");
  expect_fault(R"({"kind": "ball", "bodies": ["a", "b"], "anchor": [0, 0, 0], "frame_a": {}, "frame_b": {}})",
               "/joints/0/anchor", "frame_a and frame_b");
  expect_fault(R"({"kind": "ball", "bodies": ["a", "b"], "frame_a": {}})", "/joints/0", "'frame_b'");
}

TEST(BadJoint, BodiesMustBeThereAndDiffer) {
  const auto ball = [](const std::string& bodies) {
    return R"({"name": "j", "kind": "ball", "anchor": [0, 0, 0], "bodies": )" + bodies + "}";
  };
  expect_fault(ball(R"(["a", "grund"])"), "/joints/0/bodies/1", "there is no body 'grund'; did you mean 'ground'?");
  expect_fault(ball(R"(["a", "wrld"])"), "/joints/0/bodies/1", "did you mean 'world'?");
  expect_fault(ball(R"(["a", "a"])"), "/joints/0/bodies", "two different");
  expect_fault(ball(R"(["world", "world"])"), "/joints/0/bodies", "world");
  expect_fault(ball(R"(["world", "ground"])"), "/joints/0/bodies",
               "joint 'j': bodies must hold a dynamic one, for it moves no others, got 'world' and 'ground'");
  expect_fault(ball(R"(["a"])"), "/joints/0/bodies", "two names");
  expect_fault(ball(R"(["a", "b"])") + ", " + ball(R"(["a", "world"])"), "/joints/1/name", "'j' a second time");
}

TEST(BadJoint, KindsTellWhatTheyNeed) {
  const auto joint = [](const std::string& rest) { return R"({"bodies": ["a", "b"], )" + rest + "}"; };
  expect_fault(joint(R"("name": "x")"), "/joints/0", "a joint needs the key 'kind'");
  expect_fault(joint(R"("kind": "hinged")"), "/joints/0/kind", "must be one of ball, hinge, slider");
  expect_fault(joint(R"("kind": "hinged")"), "/joints/0/kind", "did you mean 'hinge'?");
  expect_fault(joint(R"("kind": "screw", "anchor": [0, 0, 0], "axis": [0, 0, 1])"), "/joints/0", "'pitch'");
  expect_fault(joint(R"("kind": "screw", "anchor": [0, 0, 0], "axis": [0, 0, 1], "pitch": 0)"), "/joints/0/pitch",
               "not 0");
  expect_fault(joint(R"("kind": "gear", "axis": [0, 0, 1], "ratio": 0)"), "/joints/0/ratio", "not 0");
  expect_fault(joint(R"("kind": "rack_and_pinion", "axis2": [0, 0, 1])"), "/joints/0", "'axes'");
  expect_fault(joint(R"("kind": "gear", "axes": [[0, 0, 1], [0, 0, 0]])"), "/joints/0/axes/1", "zero vector");
  expect_fault(joint(R"("kind": "pulley")"), "/joints/0", "'wheels'");
  expect_fault(joint(R"("kind": "cone", "anchor": [0, 0, 0], "axis": [0, 0, 1], "swing_limit": 4)"),
               "/joints/0/swing_limit", "lie in (0, pi]");
  expect_fault(joint(R"("kind": "cone", "anchor": [0, 0, 0], "axis": [0, 0, 1])"), "/joints/0", "'swing_limit'");
  expect_fault(joint(R"("kind": "distance", "length": [2, 1])"), "/joints/0/length", "at least lower");
  expect_fault(joint(R"("kind": "distance", "length": 0)"), "/joints/0/length", "ball joint");
  expect_fault(joint(R"("kind": "distance", "length": -1)"), "/joints/0/length", "at least 0");
  expect_fault(joint(R"("kind": "spring")"), "/joints/0", "stiffness");
  expect_fault(joint(R"("kind": "point_on_path", "path": [[0, 0, 0]])"), "/joints/0/path", "at least 2");
  expect_fault(joint(R"("kind": "point_on_path", "path": [[0, 0, 0], [1, 0, 0], [1, 0, 0]])"), "/joints/0/path/2",
               "differ");
  expect_fault(joint(R"("kind": "drag", "target": [0, 0, 0], "frequency": 1)"), "/joints/0/bodies", "world");
  expect_fault(joint(R"("kind": "six_dof", "anchor": [0, 0, 0], "turn_x": {"motion": "limited"})"), "/joints/0/turn_x",
               "needs the key 'limit'");
  expect_fault(R"({"kind": "spring", "bodies": ["world", "b"], "stiffness": 1})", "/joints/0", "'anchors'");
  expect_fault(R"({"repeat": 3, "joint": {"kind": "ball", "bodies": ["a", "b[0]"], "anchor": [0, 0, 0]}})",
               "/joints/0/joint/bodies/1", "there is no body 'b[0]'");
  expect_fault(R"({"repeat": -1, "joint": {"kind": "ball", "bodies": ["a", "b"], "anchor": [0, 0, 0]}})",
               "/joints/0/repeat", "whole number");
}

TEST(SceneJoints, WordsAreThoseOfTheModel) {
  for (std::size_t i = 0; i < scene_keys::kJointKinds.size(); ++i)
    EXPECT_EQ(scene_keys::kJointKinds[i], to_string(static_cast<JointKind>(i)));
  for (std::size_t i = 0; i < scene_keys::kMotorKinds.size(); ++i)
    EXPECT_EQ(scene_keys::kMotorKinds[i], to_string(static_cast<model::MotorKind>(i)));
  // A kind has the keys of the axes that it leaves free, and no others.
  for (std::size_t k = 0; k < scene_keys::kJointKinds.size(); ++k) {
    const auto own = scene_keys::kJointKeys[k].words();
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_EQ(std::find(own.begin(), own.end(), scene_keys::kJointAxes[i]) != own.end(),
                leaves_free(static_cast<JointKind>(k), static_cast<model::Axis>(i)))
          << scene_keys::kJointKinds[k] << " " << scene_keys::kJointAxes[i];
  }
}

}  // namespace
}  // namespace visviva::io
