#include <fmt/format.h>

#include "io/optional_keys.hpp"
#include "io/scene_context.hpp"
#include "io/scene_keys.hpp"
#include "io/suggest.hpp"

namespace visviva::io {

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
  read_whole(object, "max_pieces", faults, 1, stepper.realtime.max_pieces);
  read_real(object, "debris_mass", faults, stepper.realtime.debris_mass);
  read_real(object, "debris_lifetime", faults, stepper.realtime.debris_lifetime);
  read_whole(object, "max_debris", faults, 0, stepper.realtime.max_debris);
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
    const auto list = object.require("materials");
    const auto names = list ? read_two(*list, "names", faults) : std::nullopt;
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

}  // namespace visviva::io
