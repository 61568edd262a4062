#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "visviva/math/se3.hpp"

/// Joints between two bodies, as plain data. SI units. docs/joints.md shows each kind.
///
/// A joint has a frame J on each body, X_AJ on A and X_BJ on B; at zero of all its coordinates the two coincide. Its
/// main axis is z: hinge and slider axis, twist axis, normal of a plane. Coordinates are those of J_B seen from J_A.
namespace visviva::model {

inline constexpr Real kUnbounded = std::numeric_limits<Real>::infinity();

enum class JointKind : std::uint8_t {
  Ball,           ///< origins coincide
  Hinge,          ///< turns about z
  Slider,         ///< moves along z
  Cylindrical,    ///< moves along z and turns about it
  Universal,      ///< turns about x of A and y of B, which stay at right angles
  Fixed,          ///< nothing moves
  Distance,       ///< origins keep a distance within [length.lower, length.upper]: a rod, or a rope that may be slack
  Spring,         ///< a damped spring between the origins, with a rest length
  Cone,           ///< ball joint; z of B leaves z of A by swing_limit at most
  SwingTwist,     ///< ball joint; z swings within an ellipse of angles, and turns about itself within a range
  SixDof,         ///< each of six axes free, limited, locked or driven
  Wheel,          ///< B turns about its y; the axle moves along z of A on a spring, and is steered about z
  Pulley,         ///< two ropes over two wheels fixed in the world: |rope a| + ratio |rope b| <= length
  Gear,           ///< turns of B about z of J_B are -ratio times those of A about z of J_A
  RackAndPinion,  ///< B moves along z of J_B by `ratio` metres for each radian that A turns about z of J_A
  Screw,          ///< cylindrical, with `pitch` metres along z for a whole turn
  PointOnPlane,   ///< origin of J_B stays in the plane through J_A with normal z
  PointOnPath,    ///< origin of J_B stays on a curve that is fixed in J_A
  AngularLock,    ///< B keeps its attitude relative to A
  Drag,           ///< origin of J_B is drawn towards a point of the world by a spring of bounded force
  Rod,            ///< one piece of a rope or an elastic rod to the next: see RodDesc
};
[[nodiscard]] const char* to_string(JointKind kind);  ///< "ball", …, "rack_and_pinion", …, as in scene files

/// Bounds of a coordinate [m], [rad]. Turns beyond a half are counted, so a hinge may be limited to ten of them.
struct LimitDesc {
  Real lower = -kUnbounded;
  Real upper = kUnbounded;
  /// Of the stop: 0 for one as stiff as the joint itself, else a damped spring [Hz], [-].
  Real frequency = 0;
  Real damping_ratio = 1;
  Real restitution = 0;  ///< part of the speed of approach that a stop without frequency gives back, in [0, 1] [-]

  [[nodiscard]] bool is_bounded() const { return lower > -kUnbounded || upper < kUnbounded; }
  friend bool operator==(const LimitDesc&, const LimitDesc&) = default;
};

enum class MotorKind : std::uint8_t {
  Off,
  Velocity,  ///< keeps target_velocity, as far as max_force goes
  Position,  ///< servo: goes to target_position as a damped spring of `frequency` would, as far as max_force goes
  Spring,    ///< force -stiffness (q - target_position) - damping (q̇ - target_velocity), as far as max_force goes
};
[[nodiscard]] const char* to_string(MotorKind kind);  ///< "off", "velocity", "position", "spring"

struct MotorDesc {
  MotorKind kind = MotorKind::Off;
  Real target_velocity = 0;     ///< [m/s], [rad/s]
  Real target_position = 0;     ///< [m], [rad]
  Real max_force = kUnbounded;  ///< >= 0 [N], [N m]
  Real frequency = 5;           ///< of a servo, > 0 [Hz]
  Real damping_ratio = 1;       ///< of a servo, >= 0 [-]
  Real stiffness = 0;           ///< of a spring, >= 0 [N/m], [N m/rad]
  Real damping = 0;             ///< of a spring, >= 0 [N s/m], [N m s/rad]
  friend bool operator==(const MotorDesc&, const MotorDesc&) = default;
};

enum class AxisMotion : std::uint8_t { Free, Limited, Locked };

/// One coordinate of a joint.
struct AxisDesc {
  AxisMotion motion = AxisMotion::Free;  ///< of SixDof; other kinds know, and are limited if `limit` is bounded
  LimitDesc limit;
  MotorDesc motor;
  Real friction = 0;  ///< that resists its motion, >= 0 [N], [N m]
  friend bool operator==(const AxisDesc&, const AxisDesc&) = default;
};

/// Places of the coordinates in JointDesc::axes.
enum Axis : std::uint8_t { kMoveX, kMoveY, kMoveZ, kTurnX, kTurnY, kTurnZ };
[[nodiscard]] const char* to_string(Axis axis);  ///< "move_x", …, "turn_z", as in scene files

/// Whether a joint of this kind has the coordinate, so that it may be limited, driven and rubbed.
[[nodiscard]] bool leaves_free(JointKind kind, Axis axis);

/// How the equations of a joint are solved in the real-time world.
enum class JointSolver : std::uint8_t {
  Iterative,  ///< joint by joint, together with contacts
  Direct,     ///< exactly, together with all direct joints that it hangs together with: chains, bridges, machines
};

/// How one piece of a rope or rod holds to the next. The origins coincide, or move apart along z of J_A against
/// `stretch_stiffness`; z of J_B bends away from z of J_A and B twists about it against theirs. A stiffness is infinite
/// for what does not give way at all, and else 0 or in [1e-12, 1e18]; bending and twist of stiffness 0 are free.
struct RodDesc {
  Real stretch_stiffness = kUnbounded;  ///< > 0 [N/m]
  Real bend_stiffness = 0;              ///< [N m/rad]
  Real twist_stiffness = 0;             ///< [N m/rad]
  Real stretch_damping = 0;             ///< [N s/m]
  Real bend_damping = 0;                ///< [N m s/rad]
  Real twist_damping = 0;               ///< [N m s/rad]
  friend bool operator==(const RodDesc&, const RodDesc&) = default;
};

/// No body: the other side is fixed in the world.
inline constexpr std::uint32_t kWorldBody = 0xffffffff;

struct JointDesc {
  std::string name{};
  JointKind kind = JointKind::Ball;
  std::uint32_t body_a = kWorldBody;  ///< index into Model::bodies, or kWorldBody
  std::uint32_t body_b = kWorldBody;
  Pose X_AJ{}, X_BJ{};  ///< in the frames of the bodies (of the world)

  /// Coordinates that a kind leaves free, by Axis: kTurnZ of a hinge, kMoveZ of a slider, both of a cylindrical joint
  /// and of a screw; kTurnX and kTurnY of a universal joint; kTurnZ (twist) of SwingTwist; kMoveZ (suspension; its
  /// motor is the spring), kTurnZ (steering, locked at 0 unless driven or limited) and kTurnY (rolling) of a wheel;
  /// kMoveZ (along the curve) of PointOnPath; all of SixDof.
  std::array<AxisDesc, 6> axes{};

  LimitDesc length{0, 0, 0, 1};     ///< of Distance: 0 <= lower <= upper [m]; of Pulley: upper
  Real rest_length = 0;             ///< of Spring, >= 0 [m]
  Real stiffness = 0, damping = 0;  ///< of Spring, >= 0; used if `frequency` is 0 [N/m], [N s/m]
  Real frequency = 0;               ///< of Spring and Drag, by the mass that it feels [Hz]
  Real damping_ratio = 1;           ///< of these [-]
  std::array<Real, 2> swing_limit{kUnbounded,
                                  kUnbounded};  ///< half angles about x and y, in (0, pi] [rad]; Cone: both alike
  Real ratio = 1;  ///< of Pulley and Gear [-], of RackAndPinion [m/rad]; its size in [1e-6, 1e6]
  Real pitch = 0;  ///< of Screw [m], likewise
  std::array<Vec3, 2> wheels{Vec3::Zero(), Vec3::Zero()};  ///< of Pulley: where each rope leaves, world [m]
  std::vector<Vec3> path{};     ///< of PointOnPath: points that a smooth curve goes through, in J_A, two or more [m]
  bool closed_path = false;     ///< and back to the first
  Vec3 target = Vec3::Zero();   ///< of Drag, world [m]
  Real max_force = kUnbounded;  ///< of Drag and Spring, >= 0 [N]
  RodDesc rod{};                ///< of Rod

  // Of every joint.
  bool collide = false;  ///< whether the two bodies may touch each other
  JointSolver solver = JointSolver::Iterative;
  // What it bears, > 0. Impacts count: an impulse P within a sub-step h is a mean force of P/h. It gives no more.
  Real break_force = kUnbounded;    ///< mean force of a sub-step at which it breaks [N]
  Real break_torque = kUnbounded;   ///< likewise, about the origin of J_B [N m]
  Real break_impulse = kUnbounded;  ///< of all impacts and forces of a sub-step, at which it breaks [N s]
};

/// Throws InvalidArgument, naming the joint and the field.
void validate(const JointDesc& joint);

}  // namespace visviva::model
