#pragma once

#include "io/scene_keys.hpp"

/// All keys and words of joints, once; see scene_keys.hpp.
namespace visviva::io::scene_keys {

/// In the order of model::JointKind.
inline constexpr std::array<std::string_view, 21> kJointKinds{
    "ball",           "hinge",         "slider",       "cylindrical", "universal", "fixed", "distance",        "spring",
    "cone",           "swing_twist",   "six_dof",      "wheel",       "pulley",    "gear",  "rack_and_pinion", "screw",
    "point_on_plane", "point_on_path", "angular_lock", "drag",        "rod"};

/// In the order of the enumerations of their names in model.
inline constexpr std::array<std::string_view, 4> kMotorKinds{"off", "velocity", "position", "spring"};
inline constexpr std::array<std::string_view, 3> kAxisMotions{"free", "limited", "locked"};
inline constexpr std::array<std::string_view, 2> kJointSolvers{"iterative", "direct"};
inline constexpr const std::array<std::string_view, 6>& kJointAxes = kLockedAxes;  ///< as model::Axis

inline constexpr std::array<std::string_view, 3> kJointGenerator{"repeat", "joint", "offset"};
inline constexpr std::array<std::string_view, 2> kJointFrame{"position", "rotation"};
inline constexpr std::array<std::string_view, 5> kLimit{"lower", "upper", "frequency", "damping_ratio", "restitution"};
inline constexpr std::array<std::string_view, 8> kMotor{"kind",      "target_velocity", "target_position", "max_force",
                                                        "frequency", "damping_ratio",   "stiffness",       "damping"};
inline constexpr std::array<std::string_view, 3> kAxis{"limit", "motor", "friction"};
inline constexpr std::array<std::string_view, 4> kAxisOfSixDof{"motion", "limit", "motor", "friction"};

/// Keys of every joint.
inline constexpr std::array<std::string_view, 13> kJoint{
    "name",    "kind",    "bodies", "anchor",      "axis",         "axis2",        "frame_a",
    "frame_b", "collide", "solver", "break_force", "break_torque", "break_impulse"};
/// Keys of one kind, beside those of every joint.
struct JointKeys {
  std::array<std::string_view, 7> keys;
  std::size_t count;
  [[nodiscard]] constexpr Words words() const { return {keys.data(), count}; }
};
inline constexpr std::array<JointKeys, 21> kJointKeys{{
    {{}, 0},                                                                                             // ball
    {{"limit", "motor", "friction", "turn_z"}, 4},                                                       // hinge
    {{"limit", "motor", "friction", "move_z"}, 4},                                                       // slider
    {{"move_z", "turn_z"}, 2},                                                                           // cylindrical
    {{"turn_x", "turn_y"}, 2},                                                                           // universal
    {{}, 0},                                                                                             // fixed
    {{"anchors", "length"}, 2},                                                                          // distance
    {{"anchors", "rest_length", "stiffness", "damping", "frequency", "damping_ratio", "max_force"}, 7},  // spring
    {{"swing_limit"}, 1},                                                                                // cone
    {{"swing_limit", "turn_z"}, 2},                                                                      // swing_twist
    {{"move_x", "move_y", "move_z", "turn_x", "turn_y", "turn_z"}, 6},                                   // six_dof
    {{"move_z", "turn_y", "turn_z"}, 3},                                                                 // wheel
    {{"anchors", "wheels", "ratio", "length"}, 4},                                                       // pulley
    {{"anchors", "axes", "ratio"}, 3},                                                                   // gear
    {{"anchors", "axes", "ratio"}, 3},                                                // rack_and_pinion
    {{"pitch", "move_z", "turn_z"}, 3},                                               // screw
    {{"anchors"}, 1},                                                                 // point_on_plane
    {{"anchors", "path", "closed_path", "limit", "motor", "friction", "move_z"}, 7},  // point_on_path
    {{}, 0},                                                                          // angular_lock
    {{"target", "max_force", "frequency", "damping_ratio"}, 4},                       // drag
    {{"stretch_stiffness", "stretch_damping", "bend_stiffness", "bend_damping", "twist_stiffness", "twist_damping"},
     6},  // rod
}};

}  // namespace visviva::io::scene_keys
