#include "dynamics/connected.hpp"
#include "dynamics/world_data.hpp"

namespace visviva::dynamics {

namespace {

/// Both belong to one island, if they move.
void join(World::Data& world, const Body& A, const Body& B) {
  if (A.is_dynamic() && B.is_dynamic()) connect(world.parents, A.awake, B.awake);
}

void wake_sleeper(World::Data& world, std::uint32_t body) {
  if (world.bodies[body].is_dynamic() && !world.bodies[body].is_awake()) wake_body(world, body);
}

/// Sleepers wake before anything reaches them: the margin of a contact holds what may be touched in this step. The list
/// grows while it is read: those that wake may wake others.
void wake_touched(World::Data& world) {
  const std::size_t bodies = world.awake_bodies.size(), first = world.awake_contacts.size();
  std::size_t contacts = first;
  for (std::size_t i = 0; i < world.looked.size(); ++i) {
    const Contact& contact = world.contacts[world.looked[i]];
    if (contact.is_sensor || contact.dropped || world.manifold_count(contact) == 0) continue;
    for (const std::uint32_t body : {contact.body_a, contact.body_b}) wake_sleeper(world, body);
    for (; contacts < world.awake_contacts.size(); ++contacts) add_looked(world, world.awake_contacts[contacts]);
  }
  for (std::size_t i = 0; i < world.awake_joints.size(); ++i) {
    const Joint& joint = world.joints[world.awake_joints[i]];
    for (const std::uint32_t body : {joint.body_a, joint.body_b})
      if (body != kNone) wake_sleeper(world, body);
    for (; contacts < world.awake_contacts.size(); ++contacts) add_looked(world, world.awake_contacts[contacts]);
  }
  for (std::size_t i = bodies; i < world.awake_bodies.size(); ++i)
    set_acceleration(world, world.bodies[world.awake_bodies[i]]);
  for (std::size_t i = first; i < contacts; ++i) {
    Contact& contact = world.contacts[world.awake_contacts[i]];
    contact.held = false;
    set_closing_speed(world, contact);
  }
}

}  // namespace

void build_islands(World::Data& world) {
  wake_touched(world);
  if (!world.settings.sleeping) return;
  world.parents.resize(world.awake_bodies.size());
  for (std::uint32_t i = 0; i < world.parents.size(); ++i) world.parents[i] = i;
  for (const std::uint32_t number : world.looked) {
    const Contact& contact = world.contacts[number];
    const Body &A = world.bodies[contact.body_a], &B = world.bodies[contact.body_b];
    if (contact.is_sensor || contact.dropped || world.manifold_count(contact) == 0) continue;
    join(world, A, B);
  }
  for (const std::uint32_t index : world.awake_joints) {
    const Joint& joint = world.joints[index];
    if (joint.body_a != kNone && joint.body_b != kNone)
      join(world, world.bodies[joint.body_a], world.bodies[joint.body_b]);
  }
  for (std::uint32_t i = 0; i < world.parents.size(); ++i) world.parents[i] = root_of(world.parents, i);
}

}  // namespace visviva::dynamics
