#include "visviva/constraint/joint.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "joint_samples.hpp"

namespace visviva::constraint {
namespace {

using namespace samples;
using model::JointDesc;
using model::JointKind;

constexpr Real kH = 1.0 / 480;

/// Whether a row's error is a function of the poses: a friction row and a motor of velocity have none.
bool has_position(const JointDesc& joint, const Atom& atom) {
  if (atom.role == AtomRole::Friction) return false;
  if (atom.role != AtomRole::Motor) return true;
  for (const model::AxisDesc& axis : joint.axes)
    if (axis.motor.kind == model::MotorKind::Velocity) return false;
  return true;
}

/// J u of every row against differences of its C while both bodies move. The differences are of fourth order, with a
/// step of 2e-5 s: their error is 5e-21 of the fifth derivative, v⁵/l⁴ = 4e11 for the smallest lengths here (5 mm, at
/// 3 m/s), and rounding adds 1e-15/2e-5. So 1e-7 lets no wrong term pass.
void expect_rates(const JointDesc& joint, const Place& A, const Place& B, JointMemory memory, Draw& draw) {
  JointRows rows;
  evaluate(joint, A, B, kH, memory, rows);
  for (int k = 0; k < 3; ++k) {
    const SideMotion u = joint.body_a == model::kWorldBody ? SideMotion{} : draw.motion(), v = draw.motion();
    constexpr Real kStep = 2e-5;
    const auto errors_at = [&](Real t) {
      std::array<Real, kMaxAtoms> errors{};
      predict_errors(joint, moved(A, u, t), moved(B, v, t), memory, errors);
      return errors;
    };
    const auto m2 = errors_at(-2 * kStep), m1 = errors_at(-kStep), p1 = errors_at(kStep), p2 = errors_at(2 * kStep);
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows.count); ++i) {
      if (!has_position(joint, rows.atoms[i])) continue;
      const Real Ju = velocity(rows.atoms[i], u, v);
      const Real dC = (8 * (p1[i] - m1[i]) - (p2[i] - m2[i])) / (12 * kStep);
      EXPECT_NEAR(Ju, dC, 1e-7 * (1 + std::abs(dC))) << to_string(joint.kind) << " row " << i;
    }
  }
}

/// B near a place where the joint holds, off by half to the whole of `size` metres and of `angle` radians; not about z
/// alone, since the tip of a cone has no gradient.
Place near_zero(const JointDesc& joint, const Place& A, Real size, Real angle, Draw& draw) {
  const Real direction = draw.real(-kPi, kPi);
  const Vec3 axis = Vec3(std::cos(direction), std::sin(direction), draw.real(-1, 1)).normalized();
  const Mat3 R = exp_so3(draw.real(0.5, 1) * angle * axis);
  const Vec3 x = draw.real(0.5, 1) * size * draw.vector().normalized();
  const Vec3 center = draw.vector(0.5);
  // Away from the points of a path: its curvature jumps there.
  const auto piece = static_cast<std::size_t>(draw.real(0, 3.99));
  const Vec3 on_path = 0.5 * (joint.path[piece] + joint.path[piece + 1]);
  return place_at(joint, A, {R, joint.kind == JointKind::PointOnPath ? Vec3(on_path + 0.3 * x) : x}, center);
}

TEST(Joint, EveryRowIsTheRateOfItsError) {
  Draw draw;
  for (const JointKind kind : all_kinds())
    for (int n = 0; n < 60; ++n) {
      const JointDesc joint = n % 2 == 0 ? plain_joint(kind, draw) : dressed_joint(kind, draw);
      const Place A = draw.place();
      expect_rates(joint, A, near_zero(joint, A, n % 3 == 0 ? 0.01 : 0.4, n % 3 == 0 ? 0.04 : 1.3, draw), {}, draw);
    }
}

TEST(Joint, PredictedErrorsAreThoseOfTheRowsToTheLastBit) {
  Draw draw;
  for (const JointKind kind : all_kinds())
    for (int n = 0; n < 20; ++n) {
      const JointDesc joint = n % 2 == 0 ? plain_joint(kind, draw) : dressed_joint(kind, draw);
      const Place A = draw.place(), B = near_zero(joint, A, 0.4, 1.3, draw);
      JointMemory memory;
      JointRows rows;
      evaluate(joint, A, B, kH, memory, rows);
      const Place A2 = moved(A, draw.motion(), 0.1), B2 = moved(B, draw.motion(), 0.1);
      std::array<Real, kMaxAtoms> errors{};
      predict_errors(joint, A2, B2, memory, errors);
      evaluate(joint, A2, B2, kH, memory, rows);
      for (std::size_t i = 0; i < static_cast<std::size_t>(rows.count); ++i)
        EXPECT_EQ(rows.atoms[i].error, errors[i]) << to_string(kind) << " row " << i;
    }
}

TEST(Joint, SixDofLocksAnyChoiceOfAxes) {
  Draw draw;
  for (unsigned pattern = 0; pattern < 64; ++pattern) {
    JointDesc joint = dressed_joint(JointKind::SixDof, draw);
    int locked = 0;
    for (std::size_t i = 0; i < 6; ++i)
      if (pattern >> i & 1) {
        joint.axes[i] = {};
        joint.axes[i].motion = model::AxisMotion::Locked;
        ++locked;
      }
    ASSERT_NO_THROW(validate(joint));
    const Place A = draw.place(), B = near_zero(joint, A, 0.3, pattern % 2 == 0 ? 1.2 : 0.04, draw);
    JointMemory memory;
    JointRows rows;
    evaluate(joint, A, B, kH, memory, rows);
    EXPECT_EQ(rows.locked, locked);
    EXPECT_EQ(rows.count, locked + 4 * (6 - locked));
    expect_rates(joint, A, B, {}, draw);
  }
}

// Rows are matched by their number from one sub-step to the next.
TEST(Joint, RowsDependOnTheDescriptionAlone) {
  Draw draw;
  for (const JointKind kind : all_kinds()) {
    const JointDesc joint = dressed_joint(kind, draw);
    JointRows first, rows;
    for (int n = 0; n < 50; ++n) {
      JointMemory memory;
      evaluate(joint, draw.place(), draw.place(), kH, memory, n == 0 ? first : rows);
      if (n == 0) continue;
      ASSERT_EQ(rows.count, first.count) << to_string(kind);
      ASSERT_EQ(rows.locked, first.locked);
      ASSERT_LE(rows.locked, kMaxLocked);
      for (std::size_t i = 0; i < static_cast<std::size_t>(rows.count); ++i) {
        EXPECT_EQ(rows.atoms[i].kind, first.atoms[i].kind);
        EXPECT_EQ(rows.atoms[i].role, first.atoms[i].role);
        EXPECT_EQ(rows.atoms[i].lower, first.atoms[i].lower);
        EXPECT_EQ(rows.atoms[i].upper, first.atoms[i].upper);
        EXPECT_EQ(rows.atoms[i].role == AtomRole::Lock, static_cast<int>(i) < rows.locked);
      }
    }
  }
}

// Where the two frames coincide, everything that is locked holds.
TEST(Joint, NothingIsWrongWhereTheFramesCoincide) {
  Draw draw;
  for (const JointKind kind : all_kinds()) {
    if (kind == JointKind::PointOnPath) continue;  // the path does not go through the origin
    const JointDesc joint = plain_joint(kind, draw);
    const Place A = draw.place(), B = place_at(joint, A, {}, Vec3(0.1, 0.2, 0.3));
    JointMemory memory;
    JointRows rows;
    evaluate(joint, A, B, kH, memory, rows);
    EXPECT_NEAR(joint_error(rows).linear, 0, 1e-14) << to_string(kind);  // rounding of positions of a few metres
    EXPECT_NEAR(joint_error(rows).angular, 0, 1e-14) << to_string(kind);
    for (const model::Axis axis : free_axes(kind)) EXPECT_NEAR(coordinate(joint, axis, A, B, memory), 0, 1e-14);
  }
}

TEST(Joint, MotorsAndFrictionAreBoundedByTheirForce) {
  Draw draw;
  JointDesc joint = plain_joint(JointKind::Hinge, draw);
  model::AxisDesc& axis = joint.axes[model::kTurnZ];
  axis.motor = {.kind = model::MotorKind::Velocity, .target_velocity = 3, .max_force = 12};
  axis.friction = 0.5;
  const Place A = draw.place(), B = place_at(joint, A, {}, Vec3::Zero());
  JointMemory memory;
  JointRows rows;
  evaluate(joint, A, B, kH, memory, rows);
  ASSERT_EQ(rows.locked, 5);
  ASSERT_EQ(rows.count, 7);
  const Atom &motor = rows.atoms[5], &friction = rows.atoms[6];
  EXPECT_EQ(motor.role, AtomRole::Motor);
  EXPECT_EQ(motor.bias, 3);
  EXPECT_EQ(motor.upper, 12 * kH);
  EXPECT_EQ(motor.lower, -12 * kH);
  EXPECT_EQ(friction.role, AtomRole::Friction);
  EXPECT_EQ(friction.bias, 0);
  EXPECT_EQ(friction.upper, 0.5 * kH);

  axis.motor = {.kind = model::MotorKind::Position, .target_position = 0.4, .frequency = 2, .damping_ratio = 0.7};
  evaluate(joint, A, B, kH, memory, rows);
  EXPECT_NEAR(rows.atoms[5].error, -0.4, 1e-15);
  EXPECT_EQ(rows.atoms[5].spring.frequency, 2);
  EXPECT_EQ(rows.atoms[5].spring.damping_ratio, 0.7);
  EXPECT_EQ(rows.atoms[5].upper, std::numeric_limits<Real>::infinity());
  axis.motor = {.kind = model::MotorKind::Spring, .target_position = 0.4, .stiffness = 9, .damping = 2};
  evaluate(joint, A, B, kH, memory, rows);
  EXPECT_NEAR(rows.atoms[5].error, -0.4, 1e-15);
  EXPECT_EQ(rows.atoms[5].spring.stiffness, 9);
  EXPECT_EQ(rows.atoms[5].spring.damping, 2);
}

}  // namespace
}  // namespace visviva::constraint
