#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "dynamics/breakable_data.hpp"

// Parts of a breakable that nothing holds together any more become bodies.            [theory/destruction.md, 4]
namespace visviva::dynamics {
namespace {

/// Gives a shape to another body that is in the same place. What it touches is looked for anew.
void move_shape(World::Data& world, std::uint32_t index, std::uint32_t to) {
  Shape& shape = *world.shapes[index];
  for (const std::uint32_t number : contacts_of(world, shape.body)) {
    const Contact& contact = world.contacts[number];
    if (contact.shape_a != index && contact.shape_b != index) continue;
    wake_body(world, contact.body_a);
    wake_body(world, contact.body_b);
    end_contact(world, number, true);
  }
  Body &from = world.bodies[shape.body], &body = world.bodies[to];
  const collision::Filter filter = world.space.filter(shape.collider_id);
  world.space.remove(shape.collider_id);
  world.collider_shapes[shape.collider_id.index] = kNone;
  std::erase(from.shapes, index);
  shape.body = to;
  shape.collider_id = world.space.add({shape.collider, body.pose(), mobility_of(body.type), filter, index});
  if (world.collider_shapes.size() <= shape.collider_id.index)
    world.collider_shapes.resize(shape.collider_id.index + 1, kNone);
  world.collider_shapes[shape.collider_id.index] = index;
  body.shapes.push_back(index);
}

void set_radii(World::Data& world, Body& body) {
  body.radius = 0;
  for (const std::uint32_t index : body.shapes) {
    Shape& shape = *world.shapes[index];
    shape.radius = shape.collider.radius_about(body.center_of_mass);
    body.radius = std::max(body.radius, shape.radius);
  }
  body.refit = true;
}

/// Mass and velocities of a part of a body that moved with v at x, and w.
void set_motion(Body& body, const geometry::MassProperties& mass, const Pose& X_WB, const Vec3& x, const Vec3& v,
                const Vec3& w) {
  body.w = w;
  body.v = v;
  set_mass_data(body, mass);
  body.R = body.R_start = X_WB.R;
  body.x = body.x_start = X_WB * body.center_of_mass;
  body.v = v + w.cross(body.x - x);
}

std::uint32_t add_body(World::Data& world, Body&& body) {
  const BodyId id = world.body_ids.issue();
  if (world.bodies.size() < world.body_ids.slots()) world.bodies.resize(world.body_ids.slots());
  const bool moves = body.is_dynamic();
  body.rest();
  world.bodies[id.index] = std::move(body);
  if (moves) add_awake_body(world, id.index);
  return id.index;
}

/// Joints go with the piece that they hold: the one whose centre of mass is nearest to their origin.
void move_joints(World::Data& world, Breakable& item, std::uint32_t from) {
  const std::vector<std::uint32_t> joints = world.bodies[from].joints;
  for (const std::uint32_t number : joints) {
    Joint& joint = world.joints[number];
    const bool is_a = joint.body_a == from;
    const Vec3 anchor = is_a ? joint.desc.X_AJ.p : joint.desc.X_BJ.p;
    const BreakablePiece* nearest = nullptr;
    for (const BreakablePiece& piece : item.pieces)
      if (piece.shape != kNone && world.shapes[piece.shape]->body != kNone &&
          (nearest == nullptr ||
           (piece.mass.center_of_mass - anchor).squaredNorm() < (nearest->mass.center_of_mass - anchor).squaredNorm()))
        nearest = &piece;
    if (nearest == nullptr) continue;
    const std::uint32_t to = item.parts[nearest->part].body;
    if (to == from || to == kNone) continue;
    std::erase(world.bodies[from].joints, number);
    world.bodies[to].joints.push_back(number);
    (is_a ? joint.body_a : joint.body_b) = to;
    world.joints_changed = true;
    update_awake_joint(world, number);
  }
}

/// A component of a part: its pieces, whether the world holds it, and its mass.
struct Component {
  std::vector<std::uint32_t> pieces;
  bool anchored = false;
  Real mass = 0;
};

std::vector<Component> components_of(const Breakable& item, const BreakablePart& part) {
  std::vector<model::BondDesc> bonds;
  for (const std::uint32_t bond : part.bonds) bonds.push_back(item.bonds[bond].desc);
  const std::vector<std::uint32_t> numbers = model::parts_of(item.pieces.size(), bonds);
  std::vector<std::uint32_t> place(item.pieces.size(), kNone);
  std::vector<Component> components;
  for (const std::uint32_t piece : part.pieces) {
    std::uint32_t& at = place[numbers[piece]];
    if (at == kNone) {
      at = static_cast<std::uint32_t>(components.size());
      components.emplace_back();
    }
    Component& component = components[at];
    component.pieces.push_back(piece);
    component.anchored |= item.pieces[piece].anchored;
    component.mass += item.pieces[piece].mass.mass;
  }
  return components;
}

void note_debris(World::Data& world, std::uint32_t breakable, std::uint32_t number, Real mass, Real time) {
  BreakableData& data = *world.breakables.get();
  BreakablePart& part = data.items[breakable].parts[number];
  if (part.is_debris || !(mass < world.settings.breaking.debris_mass)) return;
  if (world.bodies[part.body].type == BodyType::Static) return;
  part.is_debris = true;
  part.made = time;
  data.debris.emplace_back(breakable, number);
}

/// The new body of a component, with its pieces.
void come_off(World::Data& world, std::uint32_t breakable, std::uint32_t from_part, const Component& component,
              Real time) {
  BreakableData& data = *world.breakables.get();
  Breakable& item = data.items[breakable];
  const std::uint32_t from = item.parts[from_part].body;
  const auto number = static_cast<std::uint32_t>(item.parts.size());
  item.parts.emplace_back();
  for (const std::uint32_t piece : component.pieces) item.pieces[piece].part = number;
  build_part(item, number);

  Body body;
  const Body& old = world.bodies[from];
  body.name = fmt::format("{}/{}", item.name, component.pieces.front());
  body.type = component.anchored ? BodyType::Static : BodyType::Dynamic;
  body.locked = old.locked;
  body.can_sleep = old.can_sleep;
  body.user_data = old.user_data;
  body.linear_damping = old.linear_damping;
  body.angular_damping = old.angular_damping;
  body.gravity_scale = old.gravity_scale;
  if (body.is_dynamic()) {
    set_motion(body, mass_of_part(item, item.parts[number]), old.pose(), old.x, old.v, old.w);
    if (old.is_dynamic()) body.force = component.mass / old.mass.body.mass * old.force;
    body.acceleration = body.gravity_scale * world.settings.gravity + body.mass.inverse_mass.cwiseProduct(body.force);
  } else {
    body.R = body.R_start = old.R;
    body.x = body.x_start = old.x;
  }
  const bool from_static = !old.is_dynamic();
  const std::uint32_t to = add_body(world, std::move(body));
  item.parts[number].body = to;
  data.part_of.resize(std::max(data.part_of.size(), world.bodies.size()));
  data.part_of[to] = {breakable, number};
  for (const std::uint32_t piece : component.pieces) move_shape(world, item.pieces[piece].shape, to);
  set_radii(world, world.bodies[to]);
  if (world.settings.keep_ledger && from_static)
    world.ledger.created.add(kinetic_energy(world.bodies[to]) + potential_energy(world, world.bodies[to]));
  data.bodies_made.push_back(
      {time, data.ids.at(breakable), world.body_ids.at(to), world.body_ids.at(from), component.mass});
  note_debris(world, breakable, number, component.mass, time);
}

}  // namespace

void break_bond(World::Data& world, std::uint32_t breakable, std::uint32_t number, Real utilisation, Real time) {
  BreakableData& data = *world.breakables.get();
  Breakable& item = data.items[breakable];
  BreakableBond& bond = item.bonds[number];
  bond.broken = true;
  item.broke = time;
  const std::uint32_t part = item.pieces[bond.desc.facet.a].part;
  item.parts[part].is_built = false;
  const Pose X = world.bodies[item.parts[part].body].pose();
  data.bonds_broken.push_back(
      {time, data.ids.at(breakable), number, X * bond.desc.facet.center, X.R * bond.desc.facet.normal, utilisation});
}

void split_part(World::Data& world, std::uint32_t breakable, std::uint32_t number, Real time) {
  BreakableData& data = *world.breakables.get();
  Breakable& item = data.items[breakable];
  BreakablePart& part = item.parts[number];
  if (part.body == kNone) return;
  std::erase_if(part.bonds, [&](std::uint32_t bond) { return item.bonds[bond].broken; });
  std::erase_if(part.pieces, [&](std::uint32_t piece) { return item.pieces[piece].shape == kNone; });
  std::vector<Component> components = components_of(item, part);
  if (components.size() <= 1) return build_part(item, number);
  // The body stays that of what the world holds, and of the heaviest of these.
  const auto keeper = std::max_element(
      components.begin(), components.end(),
      [](const Component& a, const Component& b) { return a.anchored != b.anchored ? b.anchored : a.mass < b.mass; });
  std::rotate(components.begin(), keeper, keeper + 1);
  const std::uint32_t body_index = part.body;
  for (std::size_t i = 1; i < components.size(); ++i) come_off(world, breakable, number, components[i], time);
  build_part(item, number);  // `part` may have moved
  Body& body = world.bodies[body_index];
  if (body.is_dynamic()) {
    const Vec3 x = body.x, v = body.v, force = body.force;
    const Real before = body.mass.body.mass;
    set_motion(body, mass_of_part(item, item.parts[number]), body.pose(), x, v, body.w);
    body.force = body.mass.body.mass / before * force;
    body.torque = Vec3::Zero();
  }
  set_radii(world, body);
  move_joints(world, item, body_index);
  note_debris(world, breakable, number, components.front().mass, time);
}

}  // namespace visviva::dynamics
