#include <algorithm>
#include <cmath>

#include "dynamics/awake_list.hpp"
#include "dynamics/calm_bodies.hpp"
#include "dynamics/world_data.hpp"

namespace visviva::dynamics {

namespace {

constexpr std::size_t kGrain = 128;

/// Whether two shapes may have a contact at all, sensors included.
bool may_touch(World::Data& world, std::uint32_t a, std::uint32_t b) {
  const Shape &A = *world.shapes[a], &B = *world.shapes[b];
  if (A.body == B.body || (A.is_sensor && B.is_sensor)) return false;
  if (!world.bodies[A.body].is_dynamic() && !world.bodies[B.body].is_dynamic()) return false;
  if (are_joined(world, A.body, B.body) || are_roped(world, A.body, B.body)) return false;
  return !world.pair_filter ||
         world.ask([&] { return world.pair_filter(world.shape_ids.at(a), world.shape_ids.at(b)); });
}

void begin_contact(World::Data& world, std::uint32_t a, std::uint32_t b) {
  if (comes_first(*world.shapes[b], *world.shapes[a])) std::swap(a, b);
  const std::uint32_t number = world.contacts.insert(a, b);
  Contact& contact = world.contacts[number];
  const Shape &A = *world.shapes[a], &B = *world.shapes[b];
  contact.body_a = A.body;
  contact.body_b = B.body;
  // Each contact is looked at from both sides when all wake at once: room for that is made here, not within a step.
  if (world.waking_contacts.capacity() < 2 * world.contacts.slots())
    world.waking_contacts.reserve(4 * world.contacts.slots());
  if (world.touches.capacity() < world.contacts.slots()) world.touches.reserve(2 * world.contacts.slots());
  link_contact(world, number);
  contact.is_sensor = A.is_sensor || B.is_sensor;
  contact.surface = world.surface_of(A.material, B.material);
  contact.rolling = std::max(A.rolling_friction, B.rolling_friction);
  contact.spinning = std::max(A.spinning_friction, B.spinning_friction);
  if (!has_single_manifold(A, B) && !contact.is_sensor) {
    if (world.free_lists.empty()) {
      world.free_lists.push_back(static_cast<std::uint32_t>(world.lists.size()));
      world.lists.emplace_back();
    }
    contact.list = world.free_lists.back();
    world.free_lists.pop_back();
  }
  // Where nobody moves, something was made or placed beside a sleeper.
  if (!contact.is_sensor && !world.bodies[A.body].is_awake() && !world.bodies[B.body].is_awake())
    for (const std::uint32_t body : {A.body, B.body}) wake_body(world, body);
  if (world.contacts[number].awake != kNone) return;
  if (world.bodies[A.body].is_awake() || world.bodies[B.body].is_awake()) add_awake_contact(world, number);
}

/// Which of a contact's two lists is that of the body.
std::size_t side_of(const Contact& contact, std::uint32_t body) { return contact.body_a == body ? 0 : 1; }

void unlink_contact(World::Data& world, std::uint32_t number) {
  const Contact& contact = world.contacts[number];
  for (const std::uint32_t body : {contact.body_a, contact.body_b}) {
    const std::size_t side = side_of(contact, body);
    const std::uint32_t next = contact.next[side], previous = contact.previous[side];
    if (next != kNone) world.contacts[next].previous[side_of(world.contacts[next], body)] = previous;
    if (previous != kNone)
      world.contacts[previous].next[side_of(world.contacts[previous], body)] = next;
    else
      world.bodies[body].first_contact = next;
  }
}

}  // namespace

void link_contact(World::Data& world, std::uint32_t number) {
  Contact& contact = world.contacts[number];
  for (const std::uint32_t body : {contact.body_a, contact.body_b}) {
    const std::size_t side = side_of(contact, body);
    std::uint32_t& first = world.bodies[body].first_contact;
    contact.previous[side] = kNone;
    contact.next[side] = first;
    if (first != kNone) world.contacts[first].previous[side_of(world.contacts[first], body)] = number;
    first = number;
  }
}

std::uint32_t next_contact(const World::Data& world, std::uint32_t number, std::uint32_t body) {
  return world.contacts[number].next[side_of(world.contacts[number], body)];
}

void add_contacts_of(const World::Data& world, std::uint32_t body, std::vector<std::uint32_t>& found) {
  for (std::uint32_t number = world.bodies[body].first_contact; number != kNone;
       number = next_contact(world, number, body))
    found.push_back(number);
}

std::vector<std::uint32_t> contacts_of(const World::Data& world, std::uint32_t body) {
  std::vector<std::uint32_t> found;
  add_contacts_of(world, body, found);
  std::sort(found.begin(), found.end());
  return found;
}

bool comes_first(const Shape& a, const Shape& b) {
  if ((a.plane != nullptr) != (b.plane != nullptr)) return a.plane != nullptr;
  return (a.convex == nullptr) && (b.convex != nullptr);
}

bool has_single_manifold(const Shape& a, const Shape& b) {
  return b.convex != nullptr && (a.convex != nullptr || a.plane != nullptr);
}

namespace {

/// How a body goes on from where it is.
struct Going {
  Pose X_WB;
  Vec3 v, w, a;
};

void add_moves(World::Data& world, const Body& body, const Going& going, Real time, Real room) {
  // What is on its way out of all bounds is told at the end of the step, not here.
  const auto bounded = [](const Vec3& way) { return Vec3(way.cwiseMax(-kFarthest).cwiseMin(kFarthest)); };
  const Vec3 straight = bounded(time * going.v), sweep = bounded(time * going.v + (time * time / 2) * going.a);
  for (const std::uint32_t index : body.shapes) {
    const Shape& shape = *world.shapes[index];
    const Real turn = std::min(going.w.norm() * time, 2.0) * (std::isfinite(shape.radius) ? shape.radius : 0);
    // By which the way of a held body, at the velocity of its end, may leave the chord of the parabola.
    const Real bend = std::min(time * time / 2 * going.a.norm(), kFarthest);
    world.moves.push_back({shape.collider_id, going.X_WB, straight, sweep, turn + bend + room});
  }
}

collision::PairChanges update_space(World::Data& world) {
  return world.space.update(world.tasks, [&](collision::ColliderId a, collision::ColliderId b) {
    return may_touch(world, static_cast<std::uint32_t>(world.space.user_data(a)),
                     static_cast<std::uint32_t>(world.space.user_data(b)));
  });
}

/// kNone if there is none.
std::uint32_t contact_of(const World::Data& world, const collision::ProxyPair& pair) {
  const std::uint32_t a = world.shape_of(pair.a), b = world.shape_of(pair.b);
  return a == kNone || b == kNone ? kNone : world.contacts.find(a, b);
}

}  // namespace

namespace {

/// New bounds for those that need some.
void move_refit(World::Data& world) {
  world.moves.clear();
  for (const std::uint32_t index : world.awake_bodies) {
    Body& body = world.bodies[index];
    if (body.refit) move_colliders(world, body, world.dt);
    body.refit = false;
  }
  world.space.move(world.moves);
}

/// Part of its radius, and no more than this, by which the bounds of a body are larger than its step asks for: as long
/// as it keeps to that, they stay.
constexpr Real kRoomPart = 0.05, kMostRoom = 0.01;

Real whole_room(const Body& body) {
  // What is led may be a surface without bounds, which has no place but that of its pairs.
  return body.is_dynamic() ? std::min(kRoomPart * body.finite_radius(), kMostRoom) : 0;
}

/// What a step from (x, R) with the velocities v and w takes of the room in a body's bounds [m]. They hold what the
/// same acceleration did in the step for which they were made.
Real room_taken(const Body& body, const Vec3& x, const Mat3& R, const Vec3& v, const Vec3& w, Real dt) {
  // Of the turn since then, the trace is 1 + 2 cos of its angle; points move by 2 sin of half of it.
  const Real turned = std::sqrt(std::max(0.0, 3 - R.cwiseProduct(body.R_bounds).sum()));
  const Real radius = body.finite_radius();
  return (x - body.x_bounds).norm() + turned * radius + dt * (v.norm() + w.norm() * radius);
}

/// Whether the coming step of a body, too, is within its bounds.
bool keeps_to_bounds(const Body& body, Real dt) {
  return room_taken(body, body.x, body.R, body.v, body.w, dt) < body.room;
}

}  // namespace

void move_colliders(World::Data& world, Body& body, Real dt) {
  body.x_bounds = body.x;
  body.R_bounds = body.R;
  const Real room = whole_room(body);
  body.room = room - dt * body.v.norm();
  add_moves(world, body, {body.pose(), body.v, body.w, body.acceleration}, dt, room);
}

void follow_bodies(World::Data& world) {
  world.for_ranges(world.awake_bodies.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Body& body = world.bodies[world.awake_bodies[i]];
      body.refit = !keeps_to_bounds(body, world.dt);
      if (body.refit) continue;
      const Pose X_WB = body.pose();
      for (const std::uint32_t shape : body.shapes) world.space.place(world.shapes[shape]->collider_id, X_WB);
    }
  });
  move_refit(world);
}

namespace {

/// How far a body may leave the way for which it was paired: what its bounds hold beside that [m]. Nothing, if it was
/// thrown in this step before.
Real room_beside(const World::Data& world, const Body& body) {
  if (body.room == 0) return 0;
  if (body.x_bounds == body.x_start) return whole_room(body);  // they were made for this step
  return body.room - room_taken(body, body.x_start, body.R_start, body.v_start, body.w_start, world.dt);
}

/// Whether impacts, or rows, take a body off the way for which it was paired, and out of its bounds.
bool is_thrown(const World::Data& world, const Body& body) {
  if (!body.is_dynamic() || !body.is_awake()) return false;
  const SubstepPath& path = body.path;
  const Real age = world.substep_start + path.start, left = world.dt - age;
  const Vec3 gain = age * body.acceleration;
  const Real off = (path.x - body.x_start - age * (body.v_start + gain / 2)).norm() +
                   left * (path.v - body.v_start - gain).norm() +
                   world.dt * (path.w - body.w_start).norm() * body.finite_radius();
  return off > room_beside(world, body) && path.x.cwiseAbs().maxCoeff() < kFarthest;
}

}  // namespace

void pair_thrown(World::Data& world, std::span<const std::uint32_t> bodies) {
  world.moves.clear();
  for (const std::uint32_t index : bodies) {
    Body& body = world.bodies[index];
    if (!is_thrown(world, body)) continue;
    const SubstepPath& path = body.path;
    body.room = 0;
    add_moves(world, body, {{path.R, path.x - path.R * body.center_of_mass}, path.v, path.w, body.acceleration},
              world.dt - world.substep_start - path.start, 0);
  }
  if (world.moves.empty()) return;
  world.space.move(world.moves);
  const collision::PairChanges changes = update_space(world);
  world.ended_within.insert(world.ended_within.end(), changes.ended.begin(), changes.ended.end());
  for (const collision::ProxyPair& pair : changes.begun) {
    if (contact_of(world, pair) != kNone) continue;  // ended within the step, and begins again
    begin_contact(world, world.shape_of(pair.a), world.shape_of(pair.b));
    begin_within(world, contact_of(world, pair));
  }
}

void begin_within(World::Data& world, std::uint32_t number) {
  Contact& contact = world.contacts[number];
  contact.row_count = 0;
  contact.held = contact.crowded = contact.hit = contact.dropped = contact.asked = contact.tame = false;
  contact.clear = contact.clear_before = contact.slack = contact.spare = 0;
  contact.impacts = 0;
  set_conveyor(world, contact);
  set_closing_speed(world, contact);
  contact.near = contact.follows = true;
  add_looked(world, number);
  (contact.is_sensor ? world.sensing : world.near).push_back(number);
  if (contact.is_sensor) rouse_sides(world, contact);  // sense_paths asks both for their paths
}

void end_contacts_within(World::Data& world) {
  for (const collision::ProxyPair& pair : world.ended_within) {
    const std::uint32_t number = contact_of(world, pair);
    if (number != kNone && !world.space.are_paired(pair.a, pair.b)) end_contact(world, number, true);
  }
  world.ended_within.clear();
}

void update_pairs(World::Data& world) {
  move_refit(world);
  const collision::PairChanges changes = update_space(world);
  for (const collision::ProxyPair& pair : changes.ended) {
    const std::uint32_t number = contact_of(world, pair);
    if (number == kNone) continue;
    // Sleepers whose pair ends without their moving, by a filter that has changed, have lost what they lay on.
    if (world.contacts[number].awake == kNone)
      for (const std::uint32_t body : {world.contacts[number].body_a, world.contacts[number].body_b})
        wake_body(world, body);
    end_contact(world, number, true);
  }
  for (const collision::ProxyPair& pair : changes.begun)
    if (contact_of(world, pair) == kNone) begin_contact(world, world.shape_of(pair.a), world.shape_of(pair.b));
}

void end_contact(World::Data& world, std::uint32_t number, bool tell) {
  Contact& contact = world.contacts[number];
  if (contact.touching && tell) {
    const ShapeId a = world.shape_ids.at(contact.shape_a), b = world.shape_ids.at(contact.shape_b);
    if (contact.is_sensor) {
      const bool a_senses = world.shapes[contact.shape_a]->is_sensor;
      (world.in_step ? world.left : world.left_outside).push_back({a_senses ? a : b, a_senses ? b : a});
    } else {
      (world.in_step ? world.ended : world.ended_outside)
          .push_back({a, b, world.body_ids.at(contact.body_a), world.body_ids.at(contact.body_b)});
    }
  }
  if (contact.awake != kNone) remove_awake_contact(world, number);
  if (contact.list != kNone) {
    ManifoldList& list = world.lists[contact.list];
    list.cache.clear();
    list.found.clear();
    list.impulses.clear();
    list.keys.clear();
    world.free_lists.push_back(contact.list);
  }
  unlink_contact(world, number);
  world.contacts.erase(number);
}

void add_awake_contact(World::Data& world, std::uint32_t number) {
  add_awake(world.awake_contacts, world.contacts, number);
}

void remove_awake_contact(World::Data& world, std::uint32_t number) {
  world.contacts[number].looked = world.contacts[number].is_far = false;
  remove_awake(world.awake_contacts, world.contacts, number);
}

}  // namespace visviva::dynamics
