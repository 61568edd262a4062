#include <algorithm>
#include <cmath>

#include "dynamics/calm_bodies.hpp"

namespace visviva::dynamics {

namespace {

constexpr std::size_t kGrain = 128;

/// Surfaces nearer than this touch, as far as events tell [m].
constexpr Real kTouching = 1e-6;
/// They do so no more when they are a quarter of the margin apart.
constexpr Real kApart = 0.25;

/// What rows hold in a crowd has come to rest, unless it is still being hit.
void settle_crowds(World::Data& world) {
  for (const Row& row : world.rows) {
    Contact& contact = world.contacts[row.contact];
    const bool is_hit = (world.blocks[row.block].hit >> row.lane & 1u) != 0;
    if (contact.crowded && contact.held && !is_hit) contact.settled = true;
  }
}

/// Those of one time stay in the order in which they were solved. In place, along the cycles of the permutation.
void sort_impacts(World::Data& world) {
  std::vector<ImpactEvent>& events = world.impacts;
  const auto earlier = [](const ImpactEvent& a, const ImpactEvent& b) { return a.time < b.time; };
  if (std::is_sorted(events.begin(), events.end(), earlier)) return;
  std::vector<std::uint32_t>& order = world.told_lanes;  // its work is done
  order.reserve(events.capacity());
  order.resize(events.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return events[a].time != events[b].time ? events[a].time < events[b].time : a < b;
  });
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    const ImpactEvent first = events[i];
    std::uint32_t at = i;
    while (order[at] != i) {
      const std::uint32_t from = order[at];
      events[at] = events[from];
      order[at] = at;
      at = from;
    }
    events[at] = first;
    order[at] = at;
  }
}

bool has_load(World::Data& world, Contact& contact) {
  for (std::uint32_t i = 0; i < std::min(contact.row_count, world.manifold_count(contact)); ++i)
    for (const float impulse : world.impulses(contact, i).normal)
      if (impulse > 0) return true;
  return false;
}

Real nearest(const World::Data& world, const Contact& contact) {
  Real distance = world.settings.margin;
  for (std::uint32_t i = 0; i < world.manifold_count(contact); ++i)
    distance = std::min(distance, world.manifold(contact, i).distance);
  return distance;
}

void tell(World::Data& world, const Contact& contact, bool begins) {
  const ShapeId a = world.shape_ids.at(contact.shape_a), b = world.shape_ids.at(contact.shape_b);
  if (contact.is_sensor) {
    const bool a_senses = world.shapes[contact.shape_a]->is_sensor;
    (begins ? world.entered : world.left).push_back({a_senses ? a : b, a_senses ? b : a});
  } else {
    (begins ? world.begun : world.ended)
        .push_back({a, b, world.body_ids.at(contact.body_a), world.body_ids.at(contact.body_b)});
  }
}

void tell_touches(World::Data& world) {
  int count = 0;
  for (const std::uint32_t number : world.looked) {
    Contact& contact = world.contacts[number];
    if (!contact.is_sensor && !world.settings.record_contacts) {
      if (!contact.dropped && world.manifold_count(contact) > 0) ++count;
      continue;
    }
    bool touches = contact.hit;
    if (!contact.is_sensor && !touches && !contact.dropped) {
      const Real distance = nearest(world, contact);
      touches = distance <= kTouching || has_load(world, contact) ||
                (contact.touching && distance < kApart * world.settings.margin);
      if (world.manifold_count(contact) > 0) ++count;
    }
    if (touches != contact.touching) tell(world, contact, touches);
    contact.touching = touches;
  }
  world.report.contacts = count;
}

}  // namespace

void tell_hit_contacts(World::Data& world) {
  settle_crowds(world);
  for (const std::uint32_t number : world.looked) {
    Contact& contact = world.contacts[number];
    if (!contact.hit || contact.is_sensor || contact.touching || !world.settings.record_contacts) continue;
    tell(world, contact, true);
    contact.touching = true;
  }
}

namespace {

/// One step of Newton's iteration towards the nearest rotation: takes out the rounding of many products.
void straighten(Mat3& R) { R = 0.5 * (R * (3 * Mat3::Identity() - R.transpose() * R)); }

/// Forces were for this step.
void end_step(const World::Data& world, Body& body) {
  straighten(body.R);
  const bool was_pushed = !body.force.isZero(0) || !body.torque.isZero(0);
  body.force = body.torque = Vec3::Zero();
  if (!was_pushed) return;
  body.acceleration = body.gravity_scale * world.settings.gravity;
  body.room = 0;
}

void check_finite(World::Data& world) {
  for (const std::uint32_t index : world.awake_bodies) {
    const Body& body = world.bodies[index];
    const bool fine = body.x.allFinite() && body.R.allFinite() && body.v.allFinite() && body.w.allFinite() &&
                      body.x.cwiseAbs().maxCoeff() < kFarthest && body.v.cwiseAbs().maxCoeff() < kFarthest;
    if (fine) continue;
    world.finite = false;
    world.first_not_finite = world.body_ids.at(index);
    break;
  }
  world.report.finite = world.finite;
  world.report.first_not_finite = world.first_not_finite;
}

/// Islands whose slowest wait is over fall asleep.
void put_to_sleep(World::Data& world) {
  if (!world.settings.sleeping) return;
  const std::size_t count = world.awake_bodies.size();
  reset(world.island_still, count, std::numeric_limits<Real>::infinity());
  for (std::size_t i = 0; i < count; ++i) {
    Body& body = world.bodies[world.awake_bodies[i]];
    if (!body.is_dynamic()) continue;
    // A body without shapes has still the points that its inertia tells of.
    const Real gyration = std::sqrt(body.mass.body.J.trace() / body.mass.body.mass);
    const Real speed = body.v.norm() + body.w.norm() * std::max(body.finite_radius(), gyration);
    const bool may_sleep = body.can_sleep && !body.held_by_kinematic && (body.touches || body.acceleration.isZero(0));
    const bool slow = speed < world.settings.sleep_speed && may_sleep;
    body.still_time = slow ? body.still_time + world.dt : 0;
    Real& still = world.island_still[world.parents[i]];
    still = std::min(still, body.still_time);
  }
  world.sleepers.clear();
  for (std::uint32_t i = 0; i < count; ++i)
    if (world.bodies[world.awake_bodies[i]].is_dynamic() &&
        world.island_still[world.parents[i]] >= world.settings.sleep_time)
      world.sleepers.push_back({world.parents[i], world.awake_bodies[i]});
  std::sort(world.sleepers.begin(), world.sleepers.end());
  for (std::size_t i = 0; i < world.sleepers.size();) {
    world.sleeping_now.clear();
    const std::uint32_t island = world.sleepers[i].first;
    for (; i < world.sleepers.size() && world.sleepers[i].first == island; ++i)
      world.sleeping_now.push_back(world.sleepers[i].second);
    sleep_island(world, world.sleeping_now);
  }
}

bool is_led(const Body& body) { return body.type == BodyType::Kinematic && !(body.v.isZero(0) && body.w.isZero(0)); }

/// By a motor that is to run on, or that somebody controls.
bool is_driven(const World::Data& world, std::uint32_t index) {
  const Joint& joint = world.joints[index];
  for (const MotorCallback& callback : world.motor_callbacks)
    if (callback.joint == index) return true;
  return std::any_of(joint.desc.axes.begin(), joint.desc.axes.end(), [](const model::AxisDesc& axis) {
    return axis.motor.kind == model::MotorKind::Velocity && axis.motor.target_velocity != 0;
  });
}

/// A body on something that is led may not sleep while that moves, nor one that falls without touching anything.
void mark_led(World::Data& world) {
  if (!world.settings.sleeping) return;
  for (const std::uint32_t index : world.awake_bodies)
    world.bodies[index].held_by_kinematic = world.bodies[index].touches = false;
  for (const std::uint32_t number : world.looked) {
    if (!world.contacts.is_alive(number)) continue;  // it ended with the step
    const Contact& contact = world.contacts[number];
    if (contact.is_sensor || world.manifold_count(contact) == 0) continue;
    Body &A = world.bodies[contact.body_a], &B = world.bodies[contact.body_b];
    A.touches = B.touches = true;
    if (is_led(A) || !contact.conveyor.isZero(0)) B.held_by_kinematic = true;
    if (is_led(B) || !contact.conveyor.isZero(0)) A.held_by_kinematic = true;
  }
  for (const std::uint32_t index : world.awake_joints) {
    const Joint& joint = world.joints[index];
    const auto led_side = [&](std::uint32_t body) { return body != kNone && is_led(world.bodies[body]); };
    const bool driven = led_side(joint.body_a) || led_side(joint.body_b) || is_driven(world, index);
    for (const std::uint32_t body : {joint.body_a, joint.body_b}) {
      if (body == kNone) continue;
      world.bodies[body].touches = true;
      if (driven) world.bodies[body].held_by_kinematic = true;
    }
  }
}

}  // namespace

void keep_impulses(World::Data& world, const Row& row) {
  Contact& contact = world.contacts[row.contact];
  if (row.manifold >= world.manifold_count(contact)) return;  // it is no more
  const RowBlock& block = world.blocks[row.block];
  const std::uint32_t lane = row.lane;
  ManifoldImpulses& kept = world.impulses(contact, row.manifold);
  const Eigen::Vector3f n{block.n[0][lane], block.n[1][lane], block.n[2][lane]};
  const Eigen::Vector3f t{block.t[0][lane], block.t[1][lane], block.t[2][lane]};
  const Eigen::Vector3f t2{n.y() * t.z() - n.z() * t.y(), n.z() * t.x() - n.x() * t.z(), n.x() * t.y() - n.y() * t.x()};
  const Eigen::Vector3f friction = block.slip_impulse[0][lane] * t + block.slip_impulse[1][lane] * t2;
  for (int k = 0; k < kPoints; ++k) kept.normal[static_cast<std::size_t>(k)] = block.points[k].impulse[lane];
  for (int i = 0; i < 3; ++i) {
    kept.friction[static_cast<std::size_t>(i)] = friction(i);
    kept.roll[static_cast<std::size_t>(i)] = block.roll_impulse[i][lane];
  }
  kept.spin = block.spin_impulse[lane];
}

void finish_step(World::Data& world) {
  return_calm(world);
  sort_impacts(world);
  settle_crowds(world);
  world.for_ranges(world.rows.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) keep_impulses(world, world.rows[i]);
  });
  tell_touches(world);
  end_contacts_within(world);
  world.report.awake_bodies = static_cast<int>(world.dynamic_count);
  check_finite(world);
  world.time += world.dt;
  ++world.steps;
  if (!world.finite) return;
  world.for_ranges(world.awake_bodies.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) end_step(world, world.bodies[world.awake_bodies[i]]);
  });
  follow_bodies(world);
  for (const BreakEvent& event : world.broken) update_awake_joint(world, event.joint.index);
  part_broken_ropes(world);
  mark_led(world);
  put_to_sleep(world);
}

}  // namespace visviva::dynamics
