#include <algorithm>
#include <utility>

#include "dynamics/awake_list.hpp"
#include "dynamics/world_data.hpp"

namespace visviva::dynamics {

void add_awake_body(World::Data& world, std::uint32_t index) {
  add_awake(world.awake_bodies, world.bodies, index);
  world.bodies[index].refit = true;
  world.bodies[index].still_time = 0;
  for (const std::uint32_t joint : world.bodies[index].joints) update_awake_joint(world, joint);
}

void remove_awake_body(World::Data& world, std::uint32_t index) {
  remove_awake(world.awake_bodies, world.bodies, index);
  world.bodies[index].rest();
  for (const std::uint32_t joint : world.bodies[index].joints) update_awake_joint(world, joint);
}

void wake_body(World::Data& world, std::uint32_t index) {
  Body& body = world.bodies[index];
  if (!body.is_dynamic()) return;
  if (body.is_awake()) {
    body.still_time = 0;
    return;
  }
  const std::uint32_t number = body.island;
  if (number == kNone) return;  // still being made
  world.waking_contacts.clear();
  for (std::uint32_t member = world.islands[number].first; member != kNone;) {
    Body& sleeper = world.bodies[member];
    sleeper.island = kNone;
    add_awake_body(world, member);
    (world.in_step ? world.woke : world.woke_outside).push_back(world.body_ids.at(member));
    add_contacts_of(world, member, world.waking_contacts);
    member = std::exchange(sleeper.next_sleeper, kNone);
  }
  std::sort(world.waking_contacts.begin(), world.waking_contacts.end());
  for (const std::uint32_t contact : world.waking_contacts)
    if (world.contacts[contact].awake == kNone) add_awake_contact(world, contact);
  world.islands[number].first = kNone;
  world.free_islands.push_back(number);
}

void wake_late(World::Data& world, std::uint32_t index) {
  const std::size_t bodies = world.awake_bodies.size(), contacts = world.awake_contacts.size();
  wake_body(world, index);
  for (std::size_t i = bodies; i < world.awake_bodies.size(); ++i) {
    Body& body = world.bodies[world.awake_bodies[i]];
    body.solver = static_cast<std::uint32_t>(world.solver_bodies.size());
    world.solver_bodies.push_back({});
    world.solver_to_body.push_back(world.awake_bodies[i]);
    world.lively.push_back(body.solver);
    if (world.settings.sleeping) world.parents.push_back(static_cast<std::uint32_t>(i));  // an island of its own
    set_start(body);
    body.late = true;
    body.held = body.joined = false;
    body.turned = 0;
    body.acceleration = acceleration_of(world, body);
    body.path.mass = &body.mass;
    body.path.bound_turning();
  }
  for (std::size_t i = contacts; i < world.awake_contacts.size(); ++i) begin_within(world, world.awake_contacts[i]);
}

void sleep_island(World::Data& world, const std::vector<std::uint32_t>& bodies) {
  if (world.free_islands.empty()) {
    world.free_islands.push_back(static_cast<std::uint32_t>(world.islands.size()));
    world.islands.emplace_back();
  }
  const std::uint32_t number = world.free_islands.back();
  world.free_islands.pop_back();
  std::uint32_t* next = &world.islands[number].first;
  for (const std::uint32_t index : bodies) {
    Body& body = world.bodies[index];
    *next = index;
    next = &body.next_sleeper;
    if (world.settings.keep_ledger) world.ledger.sleep.add(-kinetic_energy(body));
    body.v = body.w = Vec3::Zero();
    body.acceleration = Vec3::Zero();
    body.island = number;
    remove_awake_body(world, index);
    world.fell_asleep.push_back(world.body_ids.at(index));
  }
  // Contacts that nobody who moves takes part in any more. By descending place: the last takes the place of one that
  // leaves.
  std::vector<std::uint32_t>& contacts = world.waking_contacts;
  contacts.clear();
  for (const std::uint32_t index : bodies) add_contacts_of(world, index, contacts);
  const auto place = [&](std::uint32_t c) { return world.contacts[c].awake; };
  std::erase_if(contacts, [&](std::uint32_t c) {
    const Contact& contact = world.contacts[c];
    return contact.awake == kNone || world.bodies[contact.body_a].is_awake() || world.bodies[contact.body_b].is_awake();
  });
  std::sort(contacts.begin(), contacts.end(), [&](std::uint32_t a, std::uint32_t b) { return place(a) > place(b); });
  contacts.erase(std::unique(contacts.begin(), contacts.end()), contacts.end());
  for (const std::uint32_t c : contacts) remove_awake_contact(world, c);
}

}  // namespace visviva::dynamics
