#include "visviva/model/joint.hpp"

#include <array>

namespace visviva::model {

namespace {

constexpr std::array<const char*, 21> kKindNames = {
    "ball",           "hinge",         "slider",       "cylindrical", "universal", "fixed", "distance",        "spring",
    "cone",           "swing_twist",   "six_dof",      "wheel",       "pulley",    "gear",  "rack_and_pinion", "screw",
    "point_on_plane", "point_on_path", "angular_lock", "drag",        "rod"};
constexpr std::array<const char*, 4> kMotorNames = {"off", "velocity", "position", "spring"};
constexpr std::array<const char*, 6> kAxisNames = {"move_x", "move_y", "move_z", "turn_x", "turn_y", "turn_z"};

}  // namespace

const char* to_string(JointKind kind) { return kKindNames.at(static_cast<std::size_t>(kind)); }
const char* to_string(MotorKind kind) { return kMotorNames.at(static_cast<std::size_t>(kind)); }
const char* to_string(Axis axis) { return kAxisNames.at(axis); }

bool leaves_free(JointKind kind, Axis axis) {
  switch (kind) {
    case JointKind::Hinge:
    case JointKind::SwingTwist:
      return axis == kTurnZ;
    case JointKind::Slider:
    case JointKind::PointOnPath:
      return axis == kMoveZ;
    case JointKind::Cylindrical:
    case JointKind::Screw:
      return axis == kMoveZ || axis == kTurnZ;
    case JointKind::Universal:
      return axis == kTurnX || axis == kTurnY;
    case JointKind::Wheel:
      return axis == kMoveZ || axis == kTurnY || axis == kTurnZ;
    case JointKind::SixDof:
      return axis <= kTurnZ;
    default:
      return false;
  }
}

}  // namespace visviva::model
