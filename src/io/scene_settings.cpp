#include <fmt/format.h>

#include "io/scene_context.hpp"
#include "io/scene_keys.hpp"
#include "io/suggest.hpp"

namespace visviva::io {

namespace {

/// An optional key whose value is one of the words of an enumeration, in its order.
template <class Enum>
void read_enum(const ObjectReader& object, std::string_view key, scene_keys::Words words, Faults& faults,
               Enum& target) {
  if (const auto node = object.find(key))
    if (const auto index = read_word(*node, faults, words)) target = static_cast<Enum>(*index);
}

// The target of an optional key is a value, or an optional one that stays empty without the key.

template <class Target>
void read_real(const ObjectReader& object, std::string_view key, Faults& faults, Target& target) {
  if (const auto node = object.find(key))
    if (const auto value = read_number(*node, faults)) target = *value;
}

template <class Target>
void read_flag(const ObjectReader& object, std::string_view key, Faults& faults, Target& target) {
  if (const auto node = object.find(key))
    if (const auto value = read_bool(*node, faults)) target = *value;
}

template <class Target>
void read_whole(const ObjectReader& object, std::string_view key, Faults& faults, int least, Target& target) {
  if (const auto node = object.find(key))
    if (const auto value = read_count(*node, faults, least)) target = *value;
}

bool is_object(const Node& node, std::string_view noun, Faults& faults) {
  if (node.value->is_object()) return true;
  add_fault(faults, node, fmt::format("{} must be an object, got {}", noun, describe(*node.value)));
  return false;
}

bool is_array(const Node& node, std::string_view noun, Faults& faults) {
  if (node.value->is_array()) return true;
  add_fault(faults, node, fmt::format("{} must be an array, got {}", noun, describe(*node.value)));
  return false;
}

/// Two different entries or the same twice: nodes of an array of two.
std::optional<std::array<Node, 2>> read_two(const ObjectReader& object, std::string_view key, Faults& faults) {
  const auto node = object.require(key);
  if (!node) return {};
  if (!node->value->is_array() || node->value->size() != 2) {
    add_fault(faults, *node, fmt::format("must be an array of two names, got {}", describe(*node->value)));
    return {};
  }
  return std::array<Node, 2>{node->child(0), node->child(1)};
}

std::optional<std::uint32_t> read_body_name(const Node& node, const std::map<std::string, std::uint32_t>& bodies,
                                            Faults& faults) {
  const auto name = read_string(node, faults);
  if (!name) return {};
  const auto found = bodies.find(*name);
  if (found != bodies.end()) return found->second;
  constexpr std::size_t kMostCandidates = 1000;  // keeps the search for a similar name short
  std::vector<std::string_view> names;
  for (auto it = bodies.begin(); it != bodies.end() && names.size() < kMostCandidates; ++it) names.push_back(it->first);
  add_fault(faults, node, fmt::format("there is no body '{}'{}", printable(*name, 40), did_you_mean(*name, names)));
  return {};
}

}  // namespace

void read_stepper(const Node& node, SceneContext& context) {
  Faults& faults = context.faults;
  if (!is_object(node, "a stepper", faults)) return;
  const ObjectReader object(node, "a stepper", scene_keys::kStepper, faults);
  model::StepperDesc& stepper = context.model.stepper;
  read_enum(object, "kind", scene_keys::kStepperKinds, faults, stepper.kind);
  if (object.has("dt")) {  // of whichever clock runs
    read_real(object, "dt", faults, stepper.variational.dt);
    stepper.realtime.dt = stepper.variational.dt;
  }
  read_enum(object, "flow", scene_keys::kFlows, faults, stepper.variational.flow);
  read_enum(object, "retraction", scene_keys::kRetractions, faults, stepper.variational.retraction);
  read_whole(object, "order", faults, 1, stepper.variational.order);
  read_enum(object, "on_zeno", scene_keys::kOnZeno, faults, stepper.variational.on_zeno);
  read_whole(object, "max_impacts_per_step", faults, 1, stepper.variational.max_impacts_per_step);
  read_whole(object, "substeps", faults, 1, stepper.realtime.substeps);
  read_whole(object, "relax_iterations", faults, 0, stepper.realtime.relax_iterations);
  read_real(object, "contact_frequency", faults, stepper.realtime.contact_frequency);
  read_real(object, "contact_damping_ratio", faults, stepper.realtime.contact_damping_ratio);
  read_real(object, "max_push_velocity", faults, stepper.realtime.max_push_velocity);
  read_real(object, "margin", faults, stepper.realtime.margin);
  read_real(object, "impact_speeds", faults, stepper.realtime.impact_speeds);
  if (object.has("propagation"))
    read_enum(object, "propagation", scene_keys::kPropagations, faults, stepper.realtime.propagation.emplace());
  read_flag(object, "sleeping", faults, stepper.realtime.sleeping);
  read_flag(object, "ledger", faults, stepper.realtime.ledger);
}

void read_materials(const Node& node, SceneContext& context) {
  Faults& faults = context.faults;
  if (!is_object(node, "materials", faults)) return;
  for (const auto& [name, value] : node.value->items()) {
    const Node entry{&value, child_pointer(node.pointer, name), node.file};
    if (!is_object(entry, "a material", faults)) continue;
    const ObjectReader object(entry, "a material", scene_keys::kMaterial, faults);
    model::MaterialDesc material;
    material.name = name;
    read_real(object, "friction", faults, material.friction);
    read_real(object, "restitution", faults, material.restitution);
    read_enum(object, "law", scene_keys::kLaws, faults, material.law);
    read_enum(object, "friction_rule", scene_keys::kRules, faults, material.friction_rule);
    read_enum(object, "restitution_rule", scene_keys::kRules, faults, material.restitution_rule);
    const bool is_default = name == context.model.materials[0].name;
    const std::uint32_t index = is_default ? 0 : static_cast<std::uint32_t>(context.model.materials.size());
    if (context.material_nodes.size() <= index) context.material_nodes.resize(index + 1);
    if ((is_default && context.material_nodes[0]) || (!is_default && context.materials.count(name) != 0)) {
      add_fault(faults, entry, fmt::format("the material '{}' was given before, in another file", printable(name, 40)));
      continue;
    }
    context.material_nodes[index] = entry;
    context.materials[name] = index;
    if (is_default)
      context.model.materials[0] = std::move(material);
    else
      context.model.materials.push_back(std::move(material));
  }
}

void read_material_pairs(const Node& node, SceneContext& context) {
  Faults& faults = context.faults;
  if (!is_array(node, "material_pairs", faults)) return;
  for (std::size_t i = 0; i < node.value->size(); ++i) {
    const Node entry = node.child(i);
    if (!is_object(entry, "a material pair", faults)) continue;
    const ObjectReader object(entry, "a material pair", scene_keys::kMaterialPair, faults);
    const auto names = read_two(object, "materials", faults);
    if (!names) continue;
    const auto a = read_material_name((*names)[0], context);
    const auto b = read_material_name((*names)[1], context);
    if (!a || !b) continue;
    // What the entry leaves out follows from the rules.
    const model::SurfacePair rules = combine(context.model.materials[*a], context.model.materials[*b]);
    model::MaterialPairDesc pair{*a, *b, rules.friction, rules.restitution, rules.law};
    read_real(object, "friction", faults, pair.friction);
    read_real(object, "restitution", faults, pair.restitution);
    read_enum(object, "law", scene_keys::kLaws, faults, pair.law);
    context.model.material_pairs.push_back(pair);
    context.pair_nodes.push_back(entry);
  }
}

void read_joints(const Node& node, SceneContext& context) {
  Faults& faults = context.faults;
  if (!is_array(node, "joints", faults) || node.value->empty()) return;
  std::map<std::string, std::uint32_t> bodies;
  for (std::size_t i = 0; i < context.model.bodies.size(); ++i)
    bodies.emplace(context.model.bodies[i].name, static_cast<std::uint32_t>(i));
  for (std::size_t i = 0; i < node.value->size(); ++i) {
    const Node entry = node.child(i);
    if (!is_object(entry, "a joint", faults)) continue;
    const ObjectReader object(entry, "a joint", scene_keys::kJoint, faults);
    model::JointDesc joint;
    joint.name = fmt::format("joint[{}]", context.model.joints.size());
    if (const auto name = object.find("name")) assign(read_string(*name, faults), joint.name);
    if (const auto kind = object.require("kind"))
      if (const auto index = read_word(*kind, faults, scene_keys::kJointKinds))
        joint.kind = static_cast<model::JointKind>(*index);
    const auto names = read_two(object, "bodies", faults);
    if (!names) continue;
    const auto a = read_body_name((*names)[0], bodies, faults);
    const auto b = read_body_name((*names)[1], bodies, faults);
    if (!a || !b) continue;
    joint.body_a = *a;
    joint.body_b = *b;
    context.model.joints.push_back(std::move(joint));
    context.joint_nodes.push_back(entry);
  }
}

}  // namespace visviva::io
