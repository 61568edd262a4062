#include "visviva/dynamics/world.hpp"

#include <algorithm>
#include <cmath>

#include "dynamics/breakable_data.hpp"
#include "dynamics/world_data.hpp"
#include "visviva/core/error.hpp"
#include "visviva/core/fnv.hpp"

namespace visviva::dynamics {

World::Data::Data(const WorldSettings& given) : settings(given), space({.margin = kBroadMargin}) {}

World::Data& World::Data::outside_step(const char* call) {
  if (in_step) throw InvalidState("world", call, "within a step, as from a callback of it");
  return *this;
}

model::SurfacePair World::Data::surface_of(MaterialIndex a, MaterialIndex b) const {
  for (const MaterialPair& pair : material_pairs)
    if ((pair.a == a && pair.b == b) || (pair.a == b && pair.b == a)) return pair.surface;
  return model::combine(materials[a], materials[b]);
}

World::World(const WorldSettings& settings) {
  validate(settings);
  data_ = std::make_unique<Data>(settings);
}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

Real World::time() const { return data_->time; }
std::uint64_t World::steps() const { return data_->steps; }
const WorldSettings& World::settings() const { return data_->settings; }

void World::set_settings(const WorldSettings& settings) {
  validate(settings);
  Data& world = data_->outside_step("set_settings");
  if (settings.keep_ledger && !world.settings.keep_ledger) world.ledger = {};
  const bool begins = settings.keep_ledger && !world.settings.keep_ledger;
  set_gravity(settings.gravity);
  world.settings = settings;
  if (begins) world.ledger.initial = kinetic_energy() + potential_energy();
  if (!settings.sleeping)
    for (std::uint32_t i = 0; i < world.bodies.size(); ++i)
      if (world.bodies[i].island != kNone) wake_body(world, i);
}

void World::set_gravity(const Vec3& gravity) {
  require(gravity.norm() < 1e30, "world", "gravity", "be finite and below 1e30 m/s²", gravity.norm());
  Data& world = data_->outside_step("set_gravity");
  if (gravity == world.settings.gravity) return;
  const Real before = world.settings.keep_ledger ? potential_energy() : 0;
  world.settings.gravity = gravity;
  if (world.settings.keep_ledger) world.ledger.user.add(potential_energy() - before);
  for (std::uint32_t i = 0; i < world.bodies.size(); ++i) {
    Body& body = world.bodies[i];
    if (!world.body_ids.is_alive(world.body_ids.at(i)) || !body.is_dynamic()) continue;
    wake_body(world, i);
    body.acceleration = body.gravity_scale * gravity;
    body.refit = true;
  }
}

void World::measure_stages(bool on) { data_->outside_step("measure_stages").measures = on; }

void check_surface(const std::string& object, const model::SurfacePair& surface) {
  require(surface.friction >= 0 && std::isfinite(surface.friction), object, "friction", "be finite and not negative",
          surface.friction);
  require(surface.restitution >= 0 && surface.restitution <= 1, object, "restitution", "lie in [0, 1]",
          surface.restitution);
  require(is_known(surface.law), object, "law", "be one that is known", static_cast<int>(surface.law));
}

void check_material(const std::string& object, const model::MaterialDesc& material) {
  check_surface(object, {material.friction, material.restitution, material.law});
  require(is_known(material.friction_rule), object, "friction_rule", "be one that is known",
          static_cast<int>(material.friction_rule));
  require(is_known(material.restitution_rule), object, "restitution_rule", "be one that is known",
          static_cast<int>(material.restitution_rule));
}

MaterialIndex World::create_material(const model::MaterialDesc& desc) {
  Data& world = data_->outside_step("create_material");
  check_material("material '" + desc.name + "'", desc);
  world.materials.push_back(desc);
  return static_cast<MaterialIndex>(world.materials.size() - 1);
}

void World::set_material_pair(MaterialIndex a, MaterialIndex b, const model::SurfacePair& pair) {
  Data& world = data_->outside_step("set_material_pair");
  for (const MaterialIndex index : {a, b})
    require(index < world.materials.size(), "material pair", "material", "be one of the world's", index);
  check_surface("material pair", pair);
  std::erase_if(world.material_pairs,
                [&](const MaterialPair& old) { return (old.a == a && old.b == b) || (old.a == b && old.b == a); });
  world.material_pairs.push_back({a, b, pair});
  for (std::uint32_t i = 0; i < world.contacts.slots(); ++i) {
    if (!world.contacts.is_alive(i)) continue;
    Contact& contact = world.contacts[i];
    contact.surface =
        world.surface_of(world.shapes[contact.shape_a]->material, world.shapes[contact.shape_b]->material);
  }
}

void World::set_pair_filter(std::function<bool(ShapeId, ShapeId)> accepts) {
  Data& world = data_->outside_step("set_pair_filter");
  world.pair_filter = std::move(accepts);
  for (const std::optional<Shape>& shape : world.shapes)
    if (shape) world.space.touch(shape->collider_id);
}

void World::set_pre_solve(std::function<bool(PreSolveContact&)> pre_solve) {
  Data& world = data_->outside_step("set_pre_solve");
  world.pre_solve = std::move(pre_solve);
  for (const std::uint32_t number : world.awake_contacts) {
    Contact& contact = world.contacts[number];
    contact.surface =
        world.surface_of(world.shapes[contact.shape_a]->material, world.shapes[contact.shape_b]->material);
  }
}

Events World::events() const {
  const Data& world = *data_;
  Events events{world.begun,
                world.ended,
                world.impacts,
                world.entered,
                world.left,
                world.fell_asleep,
                world.woke,
                world.broken,
                world.parted,
                {},
                {},
                {}};
  if (const BreakableData* data = world.breakables.get(); data != nullptr) {
    events.bonds_broken = data->bonds_broken;
    events.bodies_made = data->bodies_made;
    events.debris_removed = data->debris_removed;
  }
  return events;
}

void World::contacts(std::vector<ContactState>& found) const {
  Data& world = *data_;
  found.clear();
  const auto add = [&](Contact& contact) {
    if (contact.is_sensor || contact.dropped) return;
    for (std::uint32_t i = 0; i < world.manifold_count(contact); ++i) {
      const collision::Manifold& manifold = world.manifold(contact, i);
      const ManifoldImpulses& impulses = world.impulses(contact, i);
      ContactState state{world.shape_ids.at(contact.shape_a),
                         world.shape_ids.at(contact.shape_b),
                         world.body_ids.at(contact.body_a),
                         world.body_ids.at(contact.body_b),
                         manifold.normal,
                         Vec3::Zero(),
                         0,
                         {}};
      const Real rate = world.h > 0 ? 1 / world.h : 0;
      state.friction = rate * Vec3(impulses.friction[0], impulses.friction[1], impulses.friction[2]);
      for (std::size_t k = 0; k < static_cast<std::size_t>(manifold.count); ++k)
        state.points[k] = {manifold.points[k].point, manifold.points[k].separation, rate * impulses.normal[k]};
      state.count = manifold.count;
      found.push_back(state);
    }
  };
  for (std::uint32_t i = 0; i < world.contacts.slots(); ++i)
    if (world.contacts.is_alive(i)) add(world.contacts[i]);
}

const collision::Space& World::space() const { return data_->space; }
ShapeId World::shape_at(std::uint64_t collider_user_data) const {
  require(collider_user_data < data_->shape_ids.slots(), "world", "collider's user data", "be that of one of its space",
          collider_user_data);
  const ShapeId shape = data_->shape_ids.at(static_cast<std::uint32_t>(collider_user_data));
  data_->shape_ids.check(shape);
  return shape;
}

Real World::kinetic_energy() const {
  motion::CarefulSum sum;
  for (std::uint32_t i = 0; i < data_->bodies.size(); ++i)
    if (data_->body_ids.is_alive(data_->body_ids.at(i))) sum.add(dynamics::kinetic_energy(data_->bodies[i]));
  return sum.value();
}

Real World::potential_energy() const {
  motion::CarefulSum sum;
  for (std::uint32_t i = 0; i < data_->bodies.size(); ++i)
    if (data_->body_ids.is_alive(data_->body_ids.at(i))) sum.add(dynamics::potential_energy(*data_, data_->bodies[i]));
  return sum.value();
}

EnergyLedger World::ledger() const {
  const LedgerSums& sums = data_->ledger;
  EnergyLedger ledger;
  ledger.kinetic = kinetic_energy();
  ledger.potential = potential_energy();
  ledger.initial = sums.initial;
  ledger.applied = sums.applied.value();
  ledger.friction = sums.friction.value();
  ledger.restitution = sums.restitution.value();
  ledger.contacts = sums.contacts.value();
  ledger.stabilisation = sums.stabilisation.value();
  ledger.damping = sums.damping.value();
  ledger.kinematic = sums.kinematic.value();
  ledger.sleep = sums.sleep.value();
  ledger.user = sums.user.value();
  ledger.created = sums.created.value();
  ledger.joints = sums.joints.value();
  ledger.motors = sums.motors.value();
  ledger.breaking = sums.breaking.value();
  ledger.springs = sums.springs.value();
  ledger.integrator = sums.integrator.value();
  return ledger;
}

Real World::deepest_overlap() const {
  const Data& world = *data_;
  Real deepest = 0;
  std::vector<collision::ColliderId> near;
  for (const std::optional<Shape>& shape : world.shapes) {
    if (!shape || shape->is_sensor || !world.bodies[shape->body].is_dynamic()) continue;
    const Pose X = world.bodies[shape->body].pose();
    world.space.overlap(shape->collider, X, near);
    for (const collision::ColliderId id : near) {
      const Shape& other = *world.shapes[world.shape_of(id)];
      if (other.body == shape->body || other.is_sensor || are_joined(world, shape->body, other.body)) continue;
      if (!may_meet(world.space.filter(shape->collider_id), world.space.filter(id))) continue;
      const Real gap = distance(shape->collider, X, other.collider, world.bodies[other.body].pose()).distance;
      deepest = std::max(deepest, -gap);
    }
  }
  return deepest;
}

std::uint64_t World::hash() const {
  Fnv1a hash;
  const auto add = [&](const auto& m) { hash.add_bytes(m.data(), static_cast<std::size_t>(m.size()) * sizeof(Real)); };
  for (std::uint32_t i = 0; i < data_->bodies.size(); ++i) {
    const Body& body = data_->bodies[i];
    if (!data_->body_ids.is_alive(data_->body_ids.at(i)) || body.type == BodyType::Static) continue;
    add(body.x);
    add(body.R);
    add(body.v);
    add(body.w);
  }
  return hash.value();
}

std::size_t World::memory() const {
  const Data& world = *data_;
  std::size_t bytes = world.bodies.capacity() * sizeof(Body) + world.shapes.capacity() * sizeof(world.shapes[0]) +
                      world.contacts.memory() + world.blocks.capacity() * sizeof(RowBlock) +
                      world.rows.capacity() * sizeof(Row) + world.solver_bodies.capacity() * sizeof(SolverBody);
  for (const ManifoldList& list : world.lists)
    bytes += sizeof(ManifoldList) + list.found.capacity() * sizeof(collision::PieceManifold);
  return bytes;
}

}  // namespace visviva::dynamics
