#include <fmt/format.h>

#include <charconv>

#include "io/optional_keys.hpp"
#include "io/scene_joint_frames.hpp"
#include "io/scene_joint_keys.hpp"
#include "io/suggest.hpp"

namespace visviva::io {

namespace {

using model::JointKind;
using BodyNames = std::map<std::string, std::uint32_t>;

constexpr std::string_view kWorld = "world";

/// What the repetitions of a joint change.
struct Repetition {
  std::uint64_t index = 0;     ///< added to numbers in brackets: "link[3]" is "link[5]" in the third
  Vec3 offset = Vec3::Zero();  ///< of all that is given in the world [m]
};

/// "link[3]" -> "link[5]"; a name without a number in brackets stays.
std::string renumbered(const std::string& name, std::uint64_t by) {
  const std::size_t open = name.rfind('[');
  if (by == 0 || open == std::string::npos || name.back() != ']') return name;
  std::uint64_t number = 0;
  const char* const begin = name.data() + open + 1;
  const char* const end = name.data() + name.size() - 1;
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || stop != end) return name;
  return fmt::format("{}[{}]", name.substr(0, open), number + by);
}

std::optional<std::uint32_t> read_body_name(const Node& node, const BodyNames& bodies, const Repetition& repetition,
                                            Faults& faults) {
  const auto given = read_string(node, faults);
  if (!given) return {};
  const std::string name = renumbered(*given, repetition.index);
  const auto found = bodies.find(name);
  if (found != bodies.end()) return found->second;
  if (name == kWorld) return model::kWorldBody;
  constexpr std::size_t kMostCandidates = 1000;  // keeps the search for a similar name short
  std::vector<std::string_view> names{kWorld};
  for (auto it = bodies.begin(); it != bodies.end() && names.size() < kMostCandidates; ++it) names.push_back(it->first);
  add_fault(faults, node, fmt::format("there is no body '{}'{}", printable(name, 40), did_you_mean(name, names)));
  return {};
}

/// [lower, upper], or an object.
void read_limit(const Node& node, Faults& faults, model::LimitDesc& limit) {
  if (node.value->is_array()) {
    const auto ends = read_two(node, "numbers", faults);
    if (!ends) return;
    assign(read_number((*ends)[0], faults), limit.lower);
    assign(read_number((*ends)[1], faults), limit.upper);
    return;
  }
  if (!node.value->is_object()) {
    add_fault(faults, node,
              fmt::format("must be [lower, upper], or an object with these, got {}", describe(*node.value)));
    return;
  }
  const ObjectReader object(node, "a limit", scene_keys::kLimit, faults);
  read_real(object, "lower", faults, limit.lower);
  read_real(object, "upper", faults, limit.upper);
  read_real(object, "frequency", faults, limit.frequency, kNotNegative);
  read_real(object, "damping_ratio", faults, limit.damping_ratio, kNotNegative);
  read_real(object, "restitution", faults, limit.restitution);
}

void read_motor(const Node& node, Faults& faults, model::MotorDesc& motor) {
  if (!is_object(node, "a motor", faults)) return;
  const ObjectReader object(node, "a motor", scene_keys::kMotor, faults);
  if (object.require("kind")) read_enum(object, "kind", scene_keys::kMotorKinds, faults, motor.kind);
  read_real(object, "target_velocity", faults, motor.target_velocity);
  read_real(object, "target_position", faults, motor.target_position);
  read_real(object, "max_force", faults, motor.max_force, kNotNegative);
  read_real(object, "frequency", faults, motor.frequency, kPositive);
  read_real(object, "damping_ratio", faults, motor.damping_ratio, kNotNegative);
  read_real(object, "stiffness", faults, motor.stiffness, kNotNegative);
  read_real(object, "damping", faults, motor.damping, kNotNegative);
}

/// Keys "limit", "motor" and "friction" of an axis, or of a joint that has only one.
void read_axis_keys(const ObjectReader& object, Faults& faults, model::AxisDesc& axis) {
  if (const auto limit = object.find("limit")) {
    read_limit(*limit, faults, axis.limit);
    axis.motion = model::AxisMotion::Limited;
  }
  if (const auto motor = object.find("motor")) read_motor(*motor, faults, axis.motor);
  read_real(object, "friction", faults, axis.friction, kNotNegative);
}

void read_axis(const Node& node, bool of_six_dof, Faults& faults, model::AxisDesc& axis) {
  if (!is_object(node, "an axis", faults)) return;
  const ObjectReader object(
      node, "an axis", of_six_dof ? scene_keys::Words(scene_keys::kAxisOfSixDof) : scene_keys::Words(scene_keys::kAxis),
      faults);
  read_axis_keys(object, faults, axis);
  const auto motion = object.find("motion");
  if (!of_six_dof || !motion) return;
  read_enum(object, "motion", scene_keys::kAxisMotions, faults, axis.motion);
  if (axis.motion == model::AxisMotion::Limited && !object.has("limit"))
    add_fault(faults, node, "an axis that is limited needs the key 'limit'");
  if (axis.motion != model::AxisMotion::Limited && object.has("limit"))
    add_fault(faults, *motion, "must be \"limited\", for the axis has a limit");
}

/// The axis of a kind that has only one and so may say "limit" in place of {"turn_z": {"limit"}}.
std::optional<model::Axis> only_axis(JointKind kind) {
  if (kind == JointKind::Hinge) return model::kTurnZ;
  if (kind == JointKind::Slider || kind == JointKind::PointOnPath) return model::kMoveZ;
  return {};
}

void read_axes(const ObjectReader& object, Faults& faults, model::JointDesc& joint) {
  for (std::size_t i = 0; i < joint.axes.size(); ++i)
    if (const auto node = object.find(scene_keys::kJointAxes[i]))
      read_axis(*node, joint.kind == JointKind::SixDof, faults, joint.axes[i]);
  const auto only = only_axis(joint.kind);
  if (!only) return;
  const std::string_view long_form = scene_keys::kJointAxes[*only];
  for (const std::string_view key : scene_keys::kAxis)
    if (const auto node = object.find(key); node && object.has(long_form))
      add_fault(faults, *node, fmt::format("stands beside {}, which holds it", long_form));
  read_axis_keys(object, faults, joint.axes[*only]);
}

/// A number, or bounds; without the key what the anchors are apart at the start.
void read_length(const ObjectReader& object, const JointSurroundings& around, model::JointDesc& joint) {
  const bool is_rope = joint.kind == JointKind::Pulley;
  const auto node = object.find("length");
  std::optional<Real> length;
  if (!node) {
    const auto [a, b] = joint_origins(joint, around);
    length = is_rope ? (a - joint.wheels[0]).norm() + joint.ratio * (b - joint.wheels[1]).norm() : (b - a).norm();
  } else if (node->value->is_number()) {
    length = read_number(*node, around.faults, kNotNegative);
  } else {
    joint.length = {0, model::kUnbounded};
    read_limit(*node, around.faults, joint.length);
  }
  if (length) joint.length = {is_rope ? 0 : *length, *length};
}

/// A number for both, or two.
void read_swing_limit(const ObjectReader& object, Faults& faults, model::JointDesc& joint) {
  const auto node = object.find("swing_limit");
  if (!node) {
    if (joint.kind == JointKind::Cone) (void)object.require("swing_limit");
    return;
  }
  if (node->value->is_number() || joint.kind == JointKind::Cone) {
    if (const auto angle = read_number(*node, faults, kPositive)) joint.swing_limit = {*angle, *angle};
    return;
  }
  const auto angles = read_two(*node, "angles", faults);
  if (!angles) return;
  for (std::size_t i = 0; i < 2; ++i) assign(read_number((*angles)[i], faults, kPositive), joint.swing_limit[i]);
}

void read_path(const ObjectReader& object, Faults& faults, model::JointDesc& joint) {
  read_flag(object, "closed_path", faults, joint.closed_path);
  const auto node = object.require("path");
  if (!node || !is_array(*node, "a path", faults)) return;
  for (std::size_t i = 0; i < node->value->size(); ++i)
    if (const auto point = read_vec3(node->child(i), faults)) joint.path.push_back(*point);
}

/// Keys of single kinds that are plain numbers, and what a kind cannot do without.
void read_own_keys(const ObjectReader& object, const JointSurroundings& around, model::JointDesc& joint) {
  Faults& faults = around.faults;
  read_real(object, "stiffness", faults, joint.stiffness, kNotNegative);
  read_real(object, "damping", faults, joint.damping, kNotNegative);
  read_real(object, "frequency", faults, joint.frequency, kNotNegative);
  read_real(object, "damping_ratio", faults, joint.damping_ratio, kNotNegative);
  read_real(object, "max_force", faults, joint.max_force, kNotNegative);
  read_real(object, "ratio", faults, joint.ratio);
  switch (joint.kind) {
    case JointKind::Pulley:
      if (const auto wheels = object.require("wheels")) assign(read_two_points(*wheels, around), joint.wheels);
      read_length(object, around, joint);
      break;
    case JointKind::Distance:
      read_length(object, around, joint);
      break;
    case JointKind::Spring: {
      const auto [a, b] = joint_origins(joint, around);
      joint.rest_length = (b - a).norm();
      read_real(object, "rest_length", faults, joint.rest_length, kNotNegative);
      break;
    }
    case JointKind::Cone:
    case JointKind::SwingTwist:
      read_swing_limit(object, faults, joint);
      break;
    case JointKind::Screw:
      if (object.require("pitch")) read_real(object, "pitch", faults, joint.pitch);
      break;
    case JointKind::PointOnPath:
      read_path(object, faults, joint);
      break;
    case JointKind::Drag:
      if (const auto target = object.require("target")) assign(read_vec3(*target, faults), joint.target);
      joint.target += around.offset;
      break;
    case JointKind::Rod:
      read_real(object, "stretch_stiffness", faults, joint.rod.stretch_stiffness, kPositive);
      read_real(object, "stretch_damping", faults, joint.rod.stretch_damping, kNotNegative);
      read_real(object, "bend_stiffness", faults, joint.rod.bend_stiffness, kNotNegative);
      read_real(object, "bend_damping", faults, joint.rod.bend_damping, kNotNegative);
      read_real(object, "twist_stiffness", faults, joint.rod.twist_stiffness, kNotNegative);
      read_real(object, "twist_damping", faults, joint.rod.twist_damping, kNotNegative);
      break;
    default:
      break;
  }
}

void read_strength(const ObjectReader& object, Faults& faults, model::JointDesc& joint) {
  read_flag(object, "collide", faults, joint.collide);
  read_enum(object, "solver", scene_keys::kJointSolvers, faults, joint.solver);
  read_real(object, "break_force", faults, joint.break_force, kPositive);
  read_real(object, "break_torque", faults, joint.break_torque, kPositive);
  read_real(object, "break_impulse", faults, joint.break_impulse, kPositive);
}

/// Everything but its name.
std::optional<model::JointDesc> read_joint(const Node& node, const BodyNames& bodies, const Repetition& repetition,
                                           const SceneContext& context) {
  Faults& faults = context.faults;
  const auto kind_value = node.value->find("kind");
  if (kind_value == node.value->end()) {
    add_fault(faults, node, "a joint needs the key 'kind'");
    return {};
  }
  const auto kind =
      read_word({&*kind_value, child_pointer(node.pointer, "kind"), node.file}, faults, scene_keys::kJointKinds);
  if (!kind) return {};
  std::vector<std::string_view> known(scene_keys::kJoint.begin(), scene_keys::kJoint.end());
  const auto own = scene_keys::kJointKeys[*kind].words();
  known.insert(known.end(), own.begin(), own.end());
  const std::string noun = fmt::format("a {}", scene_keys::kJointKinds[*kind]);
  const ObjectReader object(node, noun, known, faults);

  model::JointDesc joint;
  joint.kind = static_cast<JointKind>(*kind);
  read_axes(object, faults, joint);
  read_strength(object, faults, joint);
  const auto list = object.require("bodies");
  const auto names = list ? read_two(*list, "names", faults) : std::nullopt;
  if (!names) return {};
  const auto a = read_body_name((*names)[0], bodies, repetition, faults);
  const auto b = read_body_name((*names)[1], bodies, repetition, faults);
  if (!a || !b) return {};
  joint.body_a = *a;
  joint.body_b = *b;
  const JointSurroundings around{context.model, repetition.offset, faults};
  read_joint_frames(object, around, joint);
  read_own_keys(object, around, joint);
  return joint;
}

/// One joint of the file, or one of its repetitions, to the end of the model's.
void add_joint(const Node& node, const BodyNames& bodies, const Repetition* repetition, SceneContext& context) {
  auto joint = read_joint(node, bodies, repetition ? *repetition : Repetition{}, context);
  if (!joint) return;
  joint->name = fmt::format("joint[{}]", context.model.joints.size());
  const auto name = node.value->find("name");
  if (name != node.value->end()) {
    assign(read_string({&*name, child_pointer(node.pointer, "name"), node.file}, context.faults), joint->name);
    if (repetition) joint->name = fmt::format("{}[{}]", joint->name, repetition->index);
  }
  context.model.joints.push_back(std::move(*joint));
  context.joint_nodes.push_back(node);
}

/// {"repeat", "joint", "offset"}: numbers in the brackets of body names go up by one, points of the world by the
/// offset.
void read_joint_generator(const Node& node, const BodyNames& bodies, SceneContext& context) {
  Faults& faults = context.faults;
  const ObjectReader object(node, "a repeated joint", scene_keys::kJointGenerator, faults);
  const auto count_node = object.require("repeat");
  const auto joint = object.require("joint");
  const auto count = count_node ? read_count(*count_node, faults, 0) : std::nullopt;
  Vec3 offset = Vec3::Zero();
  if (const auto given = object.find("offset")) assign(read_vec3(*given, faults), offset);
  if (!count || !joint || !is_object(*joint, "a joint", faults)) return;
  const auto repeat = static_cast<std::uint64_t>(*count);
  if (repeat > context.options.max_bodies) {
    add_fault(faults, *count_node, fmt::format("at most {} joints are possible", context.options.max_bodies));
    return;
  }
  const std::size_t faults_before = faults.count();
  for (std::uint64_t i = 0; i < repeat && faults.count() == faults_before; ++i) {  // the next would have the same
    const Repetition repetition{i, static_cast<Real>(i) * offset};
    add_joint(*joint, bodies, &repetition, context);
  }
}

}  // namespace

void read_joints(const Node& node, SceneContext& context) {
  Faults& faults = context.faults;
  if (!is_array(node, "joints", faults) || node.value->empty()) return;
  BodyNames bodies;
  for (std::size_t i = 0; i < context.model.bodies.size(); ++i)
    bodies.emplace(context.model.bodies[i].name, static_cast<std::uint32_t>(i));
  for (std::size_t i = 0; i < node.value->size(); ++i) {
    const Node entry = node.child(i);
    if (!is_object(entry, "a joint", faults)) continue;
    if (entry.value->contains("repeat") || entry.value->contains("joint"))
      read_joint_generator(entry, bodies, context);
    else
      add_joint(entry, bodies, nullptr, context);
  }
}

}  // namespace visviva::io
