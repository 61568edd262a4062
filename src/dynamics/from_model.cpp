#include "visviva/dynamics/from_model.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include "visviva/collision/collider.hpp"
#include "visviva/core/error.hpp"

namespace visviva::dynamics {

namespace {

/// Whether there is another body that it could ever touch.
bool has_partner(const model::Model& model, std::size_t index) {
  for (std::size_t other = 0; other < model.bodies.size(); ++other)
    if (other != index && !model.bodies[other].shapes.empty() &&
        (model.bodies[index].type == BodyType::Dynamic || model.bodies[other].type == BodyType::Dynamic))
      return true;
  return false;
}

/// Empty, or why a solid cannot collide.
std::string find_refusal(const geometry::Solid& solid) {
  try {
    (void)collision::Collider(solid);
  } catch (const InvalidArgument& error) {
    return error.field() == "solid" ? error.value() : error.what();
  }
  return "";
}

ShapeDesc shape_from_model(const model::ShapeDesc& given, const std::vector<MaterialIndex>& materials) {
  ShapeDesc shape{.solid = given.solid, .material = materials[given.material]};
  shape.is_sensor = given.surface.is_sensor;
  shape.filter = {given.surface.category, given.surface.mask};
  shape.rolling_friction = given.surface.rolling_friction;
  shape.spinning_friction = given.surface.spinning_friction;
  shape.surface_velocity = given.surface.velocity;
  return shape;
}

}  // namespace

BodyDesc body_from_model(const model::BodyDesc& given) {
  BodyDesc body;
  body.name = given.name;
  body.type = given.type;
  body.X_WB = given.X_WB;
  body.velocity = given.velocity;
  body.angular_velocity = given.angular_velocity;
  if (given.type == BodyType::Dynamic)
    body.mass =
        geometry::MassProperties{.mass = given.mass, .center_of_mass = given.center_of_mass, .inertia = given.inertia};
  body.linear_damping = given.linear_damping;
  body.angular_damping = given.angular_damping;
  body.gravity_scale = given.gravity_scale;
  body.locked = given.locked;
  return body;
}

namespace {

/// Which bodies are pieces of a breakable.
std::vector<std::uint8_t> pieces_of(const model::Model& model) {
  std::vector<std::uint8_t> is_piece(model.bodies.size(), 0);
  for (const model::GlueDesc& glue : model.breakables)
    for (const std::uint32_t body : glue.bodies) is_piece[body] = 1;
  return is_piece;
}

JointId create_joint(World& world, const model::Model& model, model::JointDesc joint, const std::vector<BodyId>& bodies,
                     const std::vector<std::uint8_t>& is_piece) {
  const auto side = [&](std::uint32_t body, Pose& X) {
    if (body == model::kWorldBody) return BodyId{};
    if (is_piece[body] != 0) X = model.bodies[body].X_WB * X;
    return bodies[body];
  };
  const BodyId a = side(joint.body_a, joint.X_AJ), b = side(joint.body_b, joint.X_BJ);
  return world.create_joint(a, b, joint);
}

/// What a world throws when it is given these, as a fault at the place of the object.
template <class Function>
void find_thrown(Function create, const std::string& place, std::vector<model::Fault>& faults) {
  try {
    create();
  } catch (const InvalidArgument& error) {
    // Gravity is the scene's, not the stepper's.
    const std::string parent = error.field() == "gravity" ? std::string() : place;
    faults.push_back({fmt::format("{}/{}", parent, error.field()), error.what()});
  }
}

BreakableDesc without_materials(BreakableDesc desc) {
  for (model::PieceDesc& piece : desc.pieces) piece.material = 0;
  return desc;
}

/// Numbers that a model may have and this world may not.
void find_numbers_out_of_range(const model::Model& model, std::vector<model::Fault>& faults) {
  find_thrown([&] { validate(settings_from_model(model)); }, "/stepper", faults);
  World trial(faults.empty() ? settings_from_model(model) : WorldSettings{});
  std::vector<BodyId> ids(model.bodies.size());
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    find_thrown([&] { ids[i] = trial.create_body(body_from_model(model.bodies[i])); }, fmt::format("/bodies/{}", i),
                faults);
  if (!faults.empty()) return;
  const std::vector<std::uint8_t> none(model.bodies.size(), 0);
  for (std::size_t i = 0; i < model.joints.size(); ++i)
    find_thrown([&] { create_joint(trial, model, model.joints[i], ids, none); }, fmt::format("/joints/{}", i), faults);
  for (std::size_t i = 0; i < model.breakables.size(); ++i)
    find_thrown([&] { trial.create_breakable(without_materials(make_breakable(model, model.breakables[i]))); },
                fmt::format("/breakables/{}", i), faults);
}

/// The velocity of its first piece is that of all.
void set_motion(World& world, const model::Model& model, const model::GlueDesc& glue, BodyId body) {
  if (world.type(body) != BodyType::Dynamic) return;
  const model::BodyDesc& first = model.bodies[glue.bodies.front()];
  const Vec3 x = first.X_WB * first.center_of_mass;
  world.set_angular_velocity(body, first.angular_velocity);
  world.set_velocity(body, first.velocity + first.angular_velocity.cross(world.center_of_mass(body) - x));
  world.set_damping(body, first.linear_damping, first.angular_damping);
  world.set_gravity_scale(body, first.gravity_scale);
}

}  // namespace

std::vector<model::Fault> find_faults(const model::Model& model) {
  std::vector<model::Fault> faults;
  find_numbers_out_of_range(model, faults);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const model::BodyDesc& body = model.bodies[i];
    for (std::size_t s = 0; s < body.shapes.size(); ++s) {
      const std::string refusal = find_refusal(body.shapes[s].solid);
      if (!refusal.empty() && has_partner(model, i))
        faults.push_back(
            {fmt::format("/bodies/{}/shapes/{}", i, s),
             fmt::format("body '{}': {}; the real-time stepper cannot let it collide", body.name, refusal)});
    }
  }
  return faults;
}

WorldSettings settings_from_model(const model::Model& model) {
  const model::RealtimeSettings& given = model.stepper.realtime;
  WorldSettings settings;
  settings.gravity = model.gravity;
  const auto take = [](const auto& wanted, auto& setting) { setting = wanted.value_or(setting); };
  take(given.substeps, settings.substeps);
  take(given.relax_iterations, settings.relax_iterations);
  take(given.contact_frequency, settings.contact_frequency);
  take(given.contact_damping_ratio, settings.contact_damping_ratio);
  take(given.max_push_velocity, settings.max_push_velocity);
  take(given.margin, settings.margin);
  take(given.impact_speeds, settings.impact_speeds);
  take(given.propagation, settings.propagation);
  take(given.sleeping, settings.sleeping);
  take(given.max_pieces, settings.breaking.max_pieces);
  take(given.debris_mass, settings.breaking.debris_mass);
  take(given.debris_lifetime, settings.breaking.debris_lifetime);
  take(given.max_debris, settings.breaking.max_debris);
  settings.keep_ledger = given.ledger;
  return settings;
}

std::vector<BodyId> add_model(World& world, const model::Model& model, std::vector<JointId>* joints,
                              std::vector<RopeId>* ropes, std::vector<BreakableId>* breakables) {
  std::vector<MaterialIndex> materials;
  for (const model::MaterialDesc& material : model.materials) materials.push_back(world.create_material(material));
  for (const model::MaterialPairDesc& pair : model.material_pairs)
    world.set_material_pair(materials[pair.a], materials[pair.b], {pair.friction, pair.restitution, pair.law});
  std::vector<BodyId> ids;
  ids.reserve(model.bodies.size());
  const std::vector<std::uint8_t> is_piece = pieces_of(model);
  for (const model::BodyDesc& given : model.bodies) {
    if (is_piece[ids.size()] != 0) {
      ids.emplace_back();
      continue;
    }
    BodyDesc body = body_from_model(given);
    // A shape that cannot collide is of a body without partners here: it has nothing to do.
    for (const model::ShapeDesc& shape : given.shapes)
      if (find_refusal(shape.solid).empty()) body.shapes.push_back(shape_from_model(shape, materials));
    ids.push_back(world.create_body(body));
  }
  for (const model::GlueDesc& glue : model.breakables) {
    BreakableDesc desc = make_breakable(model, glue);
    for (model::PieceDesc& piece : desc.pieces) piece.material = materials[piece.material];
    const BreakableId id = world.create_breakable(desc);
    std::vector<PieceState> pieces;
    world.pieces(id, pieces);
    for (std::size_t i = 0; i < pieces.size(); ++i) ids[glue.bodies[i]] = pieces[i].body;
    set_motion(world, model, glue, pieces.front().body);
    if (breakables != nullptr) breakables->push_back(id);
  }
  std::vector<JointId> joint_ids;
  joint_ids.reserve(model.joints.size());
  for (const model::JointDesc& joint : model.joints)
    joint_ids.push_back(create_joint(world, model, joint, ids, is_piece));
  for (const model::RopeEntry& rope : model.ropes) {
    const std::span<const BodyId> segments(ids.data() + rope.first_body, rope.segments);
    const std::span<const JointId> between(joint_ids.data() + rope.first_joint, rope.segments - 1);
    const RopeId id = world.bind_rope(rope.desc, segments, between);
    if (ropes != nullptr) ropes->push_back(id);
  }
  if (joints != nullptr) joints->insert(joints->end(), joint_ids.begin(), joint_ids.end());
  return ids;
}

}  // namespace visviva::dynamics
