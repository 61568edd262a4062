#include <algorithm>
#include <cmath>

#include "dynamics/world_data.hpp"
#include "visviva/core/error.hpp"

namespace visviva::dynamics {

collision::Mobility mobility_of(BodyType type) {
  switch (type) {
    case BodyType::Static:
      return collision::Mobility::Static;
    case BodyType::Kinematic:
      return collision::Mobility::Kinematic;
    case BodyType::Dynamic:
      return collision::Mobility::Dynamic;
  }
  return collision::Mobility::Dynamic;
}

namespace {

void check_surface_velocity(const Vec3& velocity, const std::string& object) {
  require(velocity.cwiseAbs().maxCoeff() < kFarthest && velocity.allFinite(), object, "surface_velocity",
          "be finite and below 1e12 m/s", velocity.lpNorm<Eigen::Infinity>());
}

void check(const World::Data& world, const std::string& object, const ShapeDesc& desc) {
  require(desc.material < world.materials.size(), object, "material", "be one of the world's", desc.material);
  require(desc.rolling_friction >= 0 && std::isfinite(desc.rolling_friction), object, "rolling_friction",
          "be finite and not negative", desc.rolling_friction);
  require(desc.spinning_friction >= 0 && std::isfinite(desc.spinning_friction), object, "spinning_friction",
          "be finite and not negative", desc.spinning_friction);
  check_surface_velocity(desc.surface_velocity, object);
}

}  // namespace

ShapeId World::create_shape(BodyId body_id, const ShapeDesc& desc) {
  Data& world = data_->outside_step("create_shape");
  Body& body = world.body(body_id);
  check(world, "shape of body '" + body.name + "'", desc);
  Shape shape(body_id.index, desc.solid, collision::Collider(desc.solid));
  require(!body.is_dynamic() || shape.collider.is_bounded(), "shape of body '" + body.name + "'", "solid",
          "be bounded, for a dynamic body", "a half-space");
  shape.material = desc.material;
  shape.is_sensor = desc.is_sensor;
  shape.rolling_friction = desc.rolling_friction;
  shape.spinning_friction = desc.spinning_friction;
  shape.surface_velocity = desc.surface_velocity;
  shape.user_data = desc.user_data;
  shape.radius = shape.collider.radius_about(body.center_of_mass);

  const ShapeId id = world.shape_ids.issue();
  if (world.shapes.size() < world.shape_ids.slots()) world.shapes.resize(world.shape_ids.slots());
  shape.collider_id = world.space.add({shape.collider, body.pose(), mobility_of(body.type), desc.filter, id.index});
  if (world.collider_shapes.size() <= shape.collider_id.index)
    world.collider_shapes.resize(shape.collider_id.index + 1, kNone);
  world.collider_shapes[shape.collider_id.index] = id.index;
  body.radius = std::max(body.radius, shape.radius);
  body.shapes.push_back(id.index);
  body.refit = true;
  wake_body(world, body_id.index);
  world.shapes[id.index].emplace(std::move(shape));
  return id;
}

void World::destroy_shape(ShapeId id) {
  Data& world = data_->outside_step("destroy_shape");
  Shape& shape = world.shape(id);
  Body& body = world.bodies[shape.body];
  for (const std::uint32_t number : contacts_of(world, shape.body)) {
    const Contact& contact = world.contacts[number];
    if (contact.shape_a != id.index && contact.shape_b != id.index) continue;
    wake_body(world, contact.body_a);
    wake_body(world, contact.body_b);
    end_contact(world, number, true);
  }
  forget_piece(world, id.index);
  world.space.remove(shape.collider_id);
  world.collider_shapes[shape.collider_id.index] = kNone;
  std::erase(body.shapes, id.index);
  body.radius = 0;
  for (const std::uint32_t other : body.shapes) body.radius = std::max(body.radius, world.shapes[other]->radius);
  world.shapes[id.index].reset();
  world.shape_ids.recycle(id);
}

bool World::is_alive(ShapeId id) const { return data_->shape_ids.is_alive(id); }
void World::shapes(BodyId body, std::vector<ShapeId>& ids) const {
  ids.clear();
  for (const std::uint32_t index : data_->body(body).shapes) ids.push_back(data_->shape_ids.at(index));
}
BodyId World::body_of(ShapeId id) const { return data_->body_ids.at(data_->shape(id).body); }
std::uint64_t World::user_data(ShapeId id) const { return data_->shape(id).user_data; }

void World::set_filter(ShapeId id, const collision::Filter& filter) {
  Data& world = data_->outside_step("set_filter");
  const Shape& shape = world.shape(id);
  world.space.set_filter(shape.collider_id, filter);
  wake_body(world, shape.body);
}

void World::set_surface_velocity(ShapeId id, const Vec3& velocity) {
  Data& world = data_->outside_step("set_surface_velocity");
  Shape& shape = world.shape(id);
  check_surface_velocity(velocity, "shape");
  shape.surface_velocity = velocity;
  for (const std::uint32_t number : contacts_of(world, shape.body)) {
    const Contact& contact = world.contacts[number];
    if (contact.shape_a == id.index) wake_body(world, contact.body_b);
    if (contact.shape_b == id.index) wake_body(world, contact.body_a);
  }
}

}  // namespace visviva::dynamics
