#include <algorithm>

#include "dynamics/awake_list.hpp"
#include "dynamics/world_data.hpp"

namespace visviva::dynamics {

void add_awake_body(World::Data& world, std::uint32_t index) {
  add_awake(world.awake_bodies, world.bodies, index);
  world.bodies[index].refit = true;
  world.bodies[index].still_time = 0;
}

void remove_awake_body(World::Data& world, std::uint32_t index) {
  remove_awake(world.awake_bodies, world.bodies, index);
  world.bodies[index].rest();
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
  SleepingIsland& island = world.islands[number];
  for (const std::uint32_t member : island.bodies) {
    world.bodies[member].island = kNone;
    add_awake_body(world, member);
    (world.in_step ? world.woke : world.woke_outside).push_back(world.body_ids.at(member));
  }
  for (const std::uint32_t contact : island.contacts) {
    forget_sleeping_contact(world, contact);  // of the other island, if one shares it
    add_awake_contact(world, contact);
  }
  island.bodies.clear();
  island.contacts.clear();
  world.free_islands.push_back(number);
}

void sleep_island(World::Data& world, const std::vector<std::uint32_t>& bodies) {
  if (world.free_islands.empty()) {
    world.free_islands.push_back(static_cast<std::uint32_t>(world.islands.size()));
    world.islands.emplace_back();
  }
  const std::uint32_t number = world.free_islands.back();
  world.free_islands.pop_back();
  SleepingIsland& island = world.islands[number];
  island.bodies.assign(bodies.begin(), bodies.end());
  for (const std::uint32_t index : bodies) {
    Body& body = world.bodies[index];
    if (world.settings.keep_ledger) world.ledger.sleep.add(-kinetic_energy(body));
    body.v = body.w = Vec3::Zero();
    body.acceleration = Vec3::Zero();
    body.island = number;
    remove_awake_body(world, index);
    world.fell_asleep.push_back(world.body_ids.at(index));
  }
  // Contacts that nobody who moves takes part in any more. Backwards: the last takes the place of one that leaves.
  for (std::size_t i = world.awake_contacts.size(); i-- > 0;) {
    const std::uint32_t contact = world.awake_contacts[i];
    const Contact& c = world.contacts[contact];
    if (world.bodies[c.body_a].is_awake() || world.bodies[c.body_b].is_awake()) continue;
    remove_awake_contact(world, contact);
    keep_sleeping_contact(world, contact);
  }
}

void keep_sleeping_contact(World::Data& world, std::uint32_t contact) {
  const std::uint32_t a = world.bodies[world.contacts[contact].body_a].island;
  const std::uint32_t b = world.bodies[world.contacts[contact].body_b].island;
  if (a != kNone) world.islands[a].contacts.push_back(contact);
  if (b != kNone && b != a) world.islands[b].contacts.push_back(contact);
}

void forget_sleeping_contact(World::Data& world, std::uint32_t contact) {
  for (const std::uint32_t body : {world.contacts[contact].body_a, world.contacts[contact].body_b})
    if (const std::uint32_t island = world.bodies[body].island; island != kNone)
      std::erase(world.islands[island].contacts, contact);
}

}  // namespace visviva::dynamics
