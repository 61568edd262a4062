#include "visviva/model/joint.hpp"

#include <array>

namespace visviva::model {

namespace {

constexpr std::array<const char*, 20> kKindNames = {
    "ball",           "hinge",         "slider",       "cylindrical", "universal", "fixed", "distance",        "spring",
    "cone",           "swing_twist",   "six_dof",      "wheel",       "pulley",    "gear",  "rack_and_pinion", "screw",
    "point_on_plane", "point_on_path", "angular_lock", "drag"};
constexpr std::array<const char*, 4> kMotorNames = {"off", "velocity", "position", "spring"};

}  // namespace

const char* to_string(JointKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }
const char* to_string(MotorKind kind) { return kMotorNames[static_cast<std::size_t>(kind)]; }

}  // namespace visviva::model
