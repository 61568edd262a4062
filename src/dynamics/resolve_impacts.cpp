#include <algorithm>

#include "dynamics/meet.hpp"
#include "dynamics/row_passes.hpp"

// Impacts of a sub-step, in the order of time. Each is solved by the impact room with the velocities at its instant;
// what it sets in motion is searched for touches again, and resting contacts that it makes close follow at the same
// instant with their own restitution.                                                       [theory/realtime.md, 3]
namespace visviva::dynamics {

namespace {

/// Times in a sub-step that rows stop what impacts have shaken, after the first: what they push at something then stays
/// where it is until the next.
constexpr int kMaxShakes = 3;

bool later(const Touch& a, const Touch& b) { return a.time != b.time ? a.time > b.time : a.contact > b.contact; }

bool is_void(const World::Data& world, const Touch& touch) {
  const Contact& contact = world.contacts[touch.contact];
  return world.bodies[contact.body_a].stamp != touch.stamp_a || world.bodies[contact.body_b].stamp != touch.stamp_b;
}

/// Void touches stay in the queue until there is no room: of others each contact has one, for which there always is.
void push(World::Data& world, const Touch& touch) {
  if (world.touches.size() == world.touches.capacity()) {
    std::erase_if(world.touches, [&](const Touch& t) { return is_void(world, t); });
    std::make_heap(world.touches.begin(), world.touches.end(), later);
  }
  world.touches.push_back(touch);
  std::push_heap(world.touches.begin(), world.touches.end(), later);
}

/// Touches that the new path of a body may have.
void look_around(World::Data& world, std::uint32_t body_index, Real time) {
  Body& body = world.bodies[body_index];
  if (!body.is_dynamic() || !body.is_awake()) return;
  body.looked = world.looks;
  for (std::uint32_t number = body.first_contact; number != kNone; number = next_contact(world, number, body_index)) {
    const Contact& contact = world.contacts[number];
    const std::uint32_t other = contact.body_a == body_index ? contact.body_b : contact.body_a;
    if (contact.is_sensor || contact.dropped) continue;
    if (world.bodies[other].looked == world.looks) continue;  // each pair once, also the one that has just met
    Touch touch;
    if (contact.crowded || (contact.held && contact.surface.restitution == 0)) {
      world.shaken = true;
    } else if (contact.held) {
      touch = {time, number, world.bodies[contact.body_a].stamp, world.bodies[contact.body_b].stamp, true, {}};
      push(world, touch);
    } else if (may_reach(world, contact) && find_touch(world, number, time, touch)) {
      push(world, touch);
    }
  }
}

/// All touches of the queue, and those that follow from them.
void resolve_touches(World::Data& world) {
  std::make_heap(world.touches.begin(), world.touches.end(), later);
  while (!world.touches.empty()) {
    std::pop_heap(world.touches.begin(), world.touches.end(), later);
    const Touch touch = world.touches.back();
    world.touches.pop_back();
    if (is_void(world, touch)) continue;
    const std::uint32_t a = world.contacts[touch.contact].body_a, b = world.contacts[touch.contact].body_b;
    if (world.bodies[a].stopped && world.bodies[b].stopped) continue;
    if (world.contacts[touch.contact].impacts > world.settings.max_impacts) {
      ++world.looks;
      world.bodies[a].looked = world.bodies[b].looked = world.looks;  // not at each other
      for (const std::uint32_t body : {a, b}) {
        const std::uint32_t stamp = world.bodies[body].stamp;
        stop_here(world, body, touch.time);
        if (world.bodies[body].stamp != stamp) look_around(world, body, touch.time);
      }
      continue;
    }
    if (world.pre_solve && !world.contacts[touch.contact].asked &&
        !ask_before_solving(world, world.contacts[touch.contact], touch.separation.normal, touch.separation.distance))
      continue;
    add_near(world, touch.contact);
    for (const std::uint32_t body : {a, b})
      if (world.bodies[body].is_dynamic() && !world.bodies[body].is_awake()) wake_late(world, body);
    world.swung.assign({a, b});
    const bool changed = meet(world, touch);
    if (!changed) continue;
    pair_thrown(world, world.swung);
    const Real after = std::max(world.bodies[a].path.start, world.bodies[b].path.start);
    ++world.looks;
    for (const std::uint32_t body : world.swung) look_around(world, body, after);
  }
}

/// What met plastically without rows gets some: they hold it together from the next sub-step on, and stop what shakes
/// it in this one.
void give_rows(World::Data& world) {
  for (const std::uint32_t number : world.plastic_impacts) {
    Contact& contact = world.contacts[number];
    const auto is_late = [&](std::uint32_t body) { return world.bodies[body].is_awake() && world.bodies[body].late; };
    if (contact.row_count > 0 || !contact.follows || is_late(contact.body_a) || is_late(contact.body_b)) continue;
    refresh_manifolds(world, contact);
    add_rows(world, number);
  }
}

}  // namespace

void resolve_impacts(World::Data& world) {
  world.stopped_bodies.clear();
  for (int round = 0;; ++round) {
    world.shaken = false;
    world.plastic_impacts.clear();
    world.met_bodies.clear();
    ++world.met_rounds;
    resolve_touches(world);
    give_rows(world);
    if (!world.shaken) break;
    // Rows that stop what was shaken may push it at something else: these are touches as any others.
    stop_shaken(world);
    find_shaken_touches(world);
    if (world.touches.empty()) break;
    if (round < kMaxShakes) continue;
    std::sort(world.touches.begin(), world.touches.end(), [](const Touch& a, const Touch& b) { return later(b, a); });
    for (const Touch& touch : world.touches)
      for (const std::uint32_t body : {world.contacts[touch.contact].body_a, world.contacts[touch.contact].body_b})
        stop_here(world, body, touch.time);
    break;
  }
  stop_followers(world);
}

}  // namespace visviva::dynamics
