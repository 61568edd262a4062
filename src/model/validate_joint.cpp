#include <cmath>
#include <string>

#include "visviva/core/error.hpp"
#include "visviva/math/so3.hpp"
#include "visviva/model/joint.hpp"

namespace visviva::model {

namespace {

/// Positions and lengths end here, where the worlds end: nothing there can be told from its neighbour by a millimetre.
constexpr Real kFarthest = 1e12;  // [m]
/// Forces that a world takes at most [N], [N m].
constexpr Real kStrongest = 1e12;
/// Transmissions beyond these make of one body's rounding the other one's motion.
constexpr Real kLeastRatio = 1e-6, kLargestRatio = 1e6;
/// Springs beyond this are as stiff as anything: h² k / m is beyond the digits of a number [N/m], [N m/rad], and as
/// damping [N s/m], [N m s/rad].
constexpr Real kStiffest = 1e18;
/// Rods softer than this are as limp as those of 0, and the square of a number below it may be none.
constexpr Real kSoftest = 1e-12;

/// Checks of one joint; each throws with the joint's name.
class Checker {
 public:
  explicit Checker(const JointDesc& joint) : object_(fmt::format("joint '{}'", joint.name)) {}

  template <class T>
  void check(bool ok, std::string_view field, std::string_view range, const T& value) const {
    require(ok, object_, field, range, value);
  }
  void place(const Vec3& v, std::string_view field) const {
    check(v.cwiseAbs().maxCoeff() < kFarthest && v.allFinite(), field, "be finite and below 1e12 m",
          fmt::format("({}, {}, {})", v.x(), v.y(), v.z()));
  }
  /// Of a motor; no world has velocities and positions beyond that.
  void target(Real x, std::string_view field) const {
    check(std::abs(x) < kFarthest, field, "be finite and below 1e12", x);
  }
  void not_negative(Real x, std::string_view field) const {
    check(x >= 0 && std::isfinite(x), field, "be finite and at least 0", x);
  }
  void positive(Real x, std::string_view field) const {
    check(x > 0 && std::isfinite(x), field, "be positive and finite", x);
  }
  /// May be infinite.
  void bound(Real x, std::string_view field) const { check(x >= 0, field, "be at least 0", x); }
  void ratio(Real x, std::string_view field) const {
    check(std::abs(x) >= kLeastRatio && std::abs(x) <= kLargestRatio, field,
          "be not 0, and its size lie in [1e-6, 1e6]", x);
  }
  void stiffness(Real x, std::string_view field) const {
    check(x >= 0 && x <= kStiffest, field, "lie in [0, 1e18]", x);
  }
  template <class Enum>
  void known(Enum value, int count, std::string_view field) const {
    check(static_cast<int>(value) < count, field, fmt::format("be below {}", count), static_cast<int>(value));
  }
  void rotation(const Mat3& R, std::string_view field) const { validate_rotation(R, object_, field); }

 private:
  std::string object_;
};

std::string part(std::string_view axis, std::string_view field) { return fmt::format("{}.{}", axis, field); }

void check_limit(const LimitDesc& limit, std::string_view name, const Checker& checker) {
  checker.check(limit.lower < kUnbounded, part(name, "lower"), "be a number below infinity", limit.lower);
  checker.check(limit.upper > -kUnbounded, part(name, "upper"), "be a number above minus infinity", limit.upper);
  checker.check(limit.lower <= limit.upper, part(name, "upper"), fmt::format("be at least lower, {}", limit.lower),
                limit.upper);
  checker.not_negative(limit.frequency, part(name, "frequency"));
  checker.not_negative(limit.damping_ratio, part(name, "damping_ratio"));
  checker.check(limit.restitution >= 0 && limit.restitution <= 1, part(name, "restitution"), "lie in [0, 1]",
                limit.restitution);
}

void check_motor(const MotorDesc& motor, const std::string& name, const Checker& checker) {
  checker.known(motor.kind, 4, part(name, "kind"));
  checker.target(motor.target_velocity, part(name, "target_velocity"));
  checker.target(motor.target_position, part(name, "target_position"));
  checker.check(motor.max_force >= 0 && (motor.max_force <= kStrongest || motor.max_force == kUnbounded),
                part(name, "max_force"), "lie in [0, 1e12], or be infinite", motor.max_force);
  if (motor.kind == MotorKind::Position) checker.positive(motor.frequency, part(name, "frequency"));
  if (motor.kind == MotorKind::Position) checker.not_negative(motor.damping_ratio, part(name, "damping_ratio"));
  if (motor.kind == MotorKind::Spring) checker.stiffness(motor.stiffness, part(name, "stiffness"));
  if (motor.kind == MotorKind::Spring) checker.stiffness(motor.damping, part(name, "damping"));
}

/// Whether something is asked of it.
bool is_used(const AxisDesc& axis) {
  return axis.motion != AxisMotion::Free || axis.limit.is_bounded() || axis.motor.kind != MotorKind::Off ||
         axis.friction != 0;
}

void check_axis(const JointDesc& joint, Axis which, const Checker& checker) {
  const AxisDesc& axis = joint.axes[which];
  const std::string name = to_string(which);
  checker.known(axis.motion, 3, part(name, "motion"));
  if (!leaves_free(joint.kind, which)) {
    checker.check(!is_used(axis), name,
                  fmt::format("not be given, for a {} does not leave it free", to_string(joint.kind)),
                  "a limit, a motor, friction or a motion");
    return;
  }
  const bool is_six_dof = joint.kind == JointKind::SixDof;
  check_limit(axis.limit, part(name, "limit"), checker);
  check_motor(axis.motor, part(name, "motor"), checker);
  checker.not_negative(axis.friction, part(name, "friction"));
  if (axis.motion == AxisMotion::Limited)
    checker.check(axis.limit.is_bounded(), part(name, "limit"), "have a bound, for the axis is limited", "none");
  else if (is_six_dof)
    checker.check(!axis.limit.is_bounded(), part(name, "motion"), "be limited, for the axis has a limit",
                  axis.motion == AxisMotion::Free ? "free" : "locked");
  if (axis.motion == AxisMotion::Locked) {
    checker.check(is_six_dof, part(name, "motion"), "be free or limited; only six_dof locks what it chooses", "locked");
    checker.check(axis.motor.kind == MotorKind::Off, part(name, "motor"), "be off, for the axis is locked",
                  to_string(axis.motor.kind));
    checker.check(axis.friction == 0, part(name, "friction"), "be 0, for the axis is locked", axis.friction);
  }
  if (joint.kind == JointKind::Wheel && which == kTurnZ)
    checker.check(axis.friction == 0 || axis.limit.is_bounded() || axis.motor.kind != MotorKind::Off,
                  part(name, "friction"), "be 0, for steering that is neither limited nor driven is locked",
                  axis.friction);
}

void check_distance(const JointDesc& joint, const Checker& checker) {
  const LimitDesc& length = joint.length;
  check_limit(length, "length", checker);
  checker.check(length.lower >= 0, "length.lower", "be at least 0", length.lower);
  checker.check(length.upper > 0, "length.upper", "be positive (a distance of 0 is a ball joint)", length.upper);
  checker.check(length.lower > 0 || length.upper < kUnbounded, "length", "have a bound", "none");
}

void check_pulley(const JointDesc& joint, const Checker& checker) {
  check_limit(joint.length, "length", checker);
  checker.positive(joint.length.upper, "length.upper");
  checker.check(joint.length.lower == 0, "length.lower", "be 0, for ropes do not push", joint.length.lower);
  checker.positive(joint.ratio, "ratio");
  checker.ratio(joint.ratio, "ratio");
  checker.place(joint.wheels[0], "wheels.0");
  checker.place(joint.wheels[1], "wheels.1");
}

void check_spring(const JointDesc& joint, const Checker& checker) {
  checker.check(joint.rest_length >= 0 && joint.rest_length < kFarthest, "rest_length", "lie in [0, 1e12)",
                joint.rest_length);
  checker.stiffness(joint.stiffness, "stiffness");
  checker.stiffness(joint.damping, "damping");
  checker.not_negative(joint.frequency, "frequency");
  checker.not_negative(joint.damping_ratio, "damping_ratio");
  checker.bound(joint.max_force, "max_force");
  checker.check(joint.stiffness > 0 || joint.damping > 0 || joint.frequency > 0, "stiffness",
                "be positive, unless damping or frequency is", joint.stiffness);
}

void check_drag(const JointDesc& joint, const Checker& checker) {
  checker.check(joint.body_a == kWorldBody, "bodies", "begin with the world, for that is where the target is",
                joint.body_a);
  checker.place(joint.target, "target");
  checker.positive(joint.frequency, "frequency");
  checker.not_negative(joint.damping_ratio, "damping_ratio");
  checker.bound(joint.max_force, "max_force");
}

void check_rod(const JointDesc& joint, const Checker& checker) {
  const RodDesc& rod = joint.rod;
  const auto stiffness = [&](Real x, std::string_view field) {
    checker.check(x == 0 || x == kUnbounded || (x >= kSoftest && x <= kStiffest), field,
                  "be 0, infinite or in [1e-12, 1e18]", x);
  };
  const auto damping = [&](Real x, std::string_view field) {
    checker.check(x == 0 || (x >= kSoftest && x <= kStiffest), field, "be 0 or in [1e-12, 1e18]", x);
  };
  checker.check(rod.stretch_stiffness > 0, "rod.stretch_stiffness", "be positive", rod.stretch_stiffness);
  stiffness(rod.stretch_stiffness, "rod.stretch_stiffness");
  stiffness(rod.bend_stiffness, "rod.bend_stiffness");
  stiffness(rod.twist_stiffness, "rod.twist_stiffness");
  damping(rod.stretch_damping, "rod.stretch_damping");
  damping(rod.bend_damping, "rod.bend_damping");
  damping(rod.twist_damping, "rod.twist_damping");
}

void check_swing(const JointDesc& joint, const Checker& checker) {
  constexpr Real kHalfTurn = 3.14159265358979323846;
  const bool is_cone = joint.kind == JointKind::Cone;
  for (const Real angle : joint.swing_limit)
    checker.check(angle > 0 && (angle <= kHalfTurn || (angle == kUnbounded && !is_cone)), "swing_limit",
                  "lie in (0, pi]", angle);
  if (is_cone)
    checker.check(joint.swing_limit[0] == joint.swing_limit[1], "swing_limit", "be the same about x and y",
                  fmt::format("{} and {}", joint.swing_limit[0], joint.swing_limit[1]));
}

void check_path(const JointDesc& joint, const Checker& checker) {
  const auto& path = joint.path;
  const std::size_t n = path.size(), least = joint.closed_path ? 3 : 2;
  checker.check(n >= least, "path", fmt::format("have at least {} points", least), n);
  for (std::size_t i = 0; i < n; ++i) checker.place(path[i], fmt::format("path.{}", i));
  const std::size_t chords = joint.closed_path ? n : n - 1, corners = joint.closed_path ? n : n - 2;
  const auto chord = [&](std::size_t i) { return Vec3(path[(i + 1) % n] - path[i % n]); };
  for (std::size_t i = 0; i < chords; ++i)
    checker.check(chord(i).norm() > 0, fmt::format("path.{}", (i + 1) % n), "differ from the point before it",
                  "the same");
  // The curve has no tangent where it turns right back; 1e-6 is 0.08° from that.
  for (std::size_t i = 0; i < corners; ++i)
    checker.check(chord(i).dot(chord(i + 1)) > (1e-6 - 1) * chord(i).norm() * chord(i + 1).norm(),
                  fmt::format("path.{}", (i + 1) % n), "not turn straight back", "a reversal");
}

void check_own_fields(const JointDesc& joint, const Checker& checker) {
  switch (joint.kind) {
    case JointKind::Distance:
      return check_distance(joint, checker);
    case JointKind::Spring:
      return check_spring(joint, checker);
    case JointKind::Cone:
    case JointKind::SwingTwist:
      return check_swing(joint, checker);
    case JointKind::Pulley:
      return check_pulley(joint, checker);
    case JointKind::Gear:
    case JointKind::RackAndPinion:
      return checker.ratio(joint.ratio, "ratio");
    case JointKind::Screw:
      return checker.ratio(joint.pitch, "pitch");
    case JointKind::PointOnPath:
      return check_path(joint, checker);
    case JointKind::Drag:
      return check_drag(joint, checker);
    case JointKind::Rod:
      return check_rod(joint, checker);
    default:
      return;
  }
}

}  // namespace

void validate(const JointDesc& joint) {
  const Checker checker(joint);
  checker.known(joint.kind, 21, "kind");
  checker.known(joint.solver, 2, "solver");
  checker.check(joint.body_a != kWorldBody || joint.body_b != kWorldBody, "bodies", "not both be the world",
                "the world twice");
  checker.check(joint.body_a != joint.body_b, "bodies", "be two different ones", joint.body_a);
  checker.rotation(joint.X_AJ.R, "frame_a.rotation");
  checker.rotation(joint.X_BJ.R, "frame_b.rotation");
  checker.place(joint.X_AJ.p, "frame_a.position");
  checker.place(joint.X_BJ.p, "frame_b.position");
  for (const Axis axis : {kMoveX, kMoveY, kMoveZ, kTurnX, kTurnY, kTurnZ}) check_axis(joint, axis, checker);
  check_own_fields(joint, checker);
  checker.check(joint.break_force > 0, "break_force", "be positive", joint.break_force);
  checker.check(joint.break_torque > 0, "break_torque", "be positive", joint.break_torque);
  checker.check(joint.break_impulse > 0, "break_impulse", "be positive", joint.break_impulse);
}

}  // namespace visviva::model
