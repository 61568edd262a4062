#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "dynamics/calm_bodies.hpp"
#include "dynamics/row_passes.hpp"
#include "dynamics/touch_geometry.hpp"

namespace visviva::dynamics {

namespace {

constexpr std::size_t kGrain = 8;

Real rim_speed(const Body& body, const Shape& shape) {
  const Real w = body.path.max_angular_speed();
  return w > 0 ? w * shape.radius : 0;  // infinite for a half-space that turns
}

/// Bound of the speed at which two shapes can close during the sub-step, wherever they meet [m/s]
/// [theory/realtime.md (10)].
Real closing_bound(const World::Data& world, const Contact& contact) {
  const Body &A = world.bodies[contact.body_a], &B = world.bodies[contact.body_b];
  const SubstepPath &a = A.path, &b = B.path;
  const Real turning = rim_speed(A, *world.shapes[contact.shape_a]) + rim_speed(B, *world.shapes[contact.shape_b]);
  const Real t = std::max(a.start, b.start);
  return (b.velocity(t) - a.velocity(t)).norm() + (b.a - a.a).norm() * (world.h - t) + turning;
}

/// A body on its path, seen along a fixed direction: its points are at n·x(t) + p·(n + t n × ω), p from the centre of
/// mass at the path's start, but for what `bend` t² bounds                                    [theory/realtime.md (15)]
class Extent {
 public:
  Extent(const Body& body, const Shape& shape) : path_(body.path), shape_(shape) {
    const Real w = path_.max_angular_speed(), r = shape.radius;
    bend_ = w > 0 && r > 0 ? (path_.max_angular_acceleration() + w * w) * r / 2 : 0;
  }
  /// Bound of the largest n·p of all points p at the time t, relative to the centre of mass then.
  [[nodiscard]] Real highest(const Vec3& n, Real t) const {
    const Real age = t - path_.start;
    if (shape_.plane != nullptr) return shape_.plane->offset - shape_.plane->normal.dot(path_.center_of_mass);
    const Vec3 turned = path_.R.transpose() * (n + age * n.cross(path_.w));
    return turned.dot(shape_.convex->support(turned) - path_.center_of_mass) + shape_.convex->rounding() +
           bend_ * age * age;
  }

 private:
  const SubstepPath& path_;
  const Shape& shape_;
  Real bend_;
};

/// Distance below which surfaces count as touching, where they do not come nearer [m].
constexpr Real kTouching = 1e-9;
/// How deep surfaces may overlap and still count as parting, if they do: deeper ones are pushed apart by rows [m].
constexpr Real kParting = 5e-4;

/// Whether it is sure, from the last normal of the pair alone, that the two do not come nearer than they are, or
/// not as far as to touch. Costs a few supports where a search for the touch costs many distances. `nearest`: bound of
/// how near they come, if they can be looked at.
bool stays_apart(const World::Data& world, const Contact& contact, Real& nearest) {
  const Shape &A = *world.shapes[contact.shape_a], &B = *world.shapes[contact.shape_b];
  if (!has_single_manifold(A, B) || contact.axis.normal.isZero(0)) return false;
  const Body &body_a = world.bodies[contact.body_a], &body_b = world.bodies[contact.body_b];
  const SubstepPath &a = body_a.path, &b = body_b.path;
  if (A.plane != nullptr && a.max_angular_speed() > 0) return false;
  const Vec3& n = contact.axis.normal;
  const Extent extent_a(body_a, A), extent_b(body_b, B);
  const Real t0 = std::max(a.start, b.start), t1 = world.h;
  const Real closing = std::min(0.0, n.dot(b.a - a.a));
  const auto gap = [&](Real t) {
    const Real age = t - t0;
    return n.dot(b.center(t0) - a.center(t0)) + age * (n.dot(b.velocity(t0) - a.velocity(t0)) + age / 2 * closing) -
           extent_a.highest(n, t) - extent_b.highest(-n, t);
  };
  // Concave in between: no less than the lesser of both ends.
  const Real first = gap(t0), last = gap(t1);
  nearest = std::min(first, last);
  return nearest > kTouching || (first > -kParting && last > first - kNoise * contact.closing * (t1 - t0));
}

bool stays_apart(const World::Data& world, const Contact& contact) {
  Real nearest = 0;
  return stays_apart(world, contact, nearest);
}

/// Whether the paths of the two have changed too little since find_touches looked at them to let them touch.
bool has_hardly_strayed(const World::Data& world, const Contact& contact) {
  return contact.near &&
         contact.slack > world.bodies[contact.body_a].strayed + world.bodies[contact.body_b].strayed + kTouching;
}

void begin_substep(Contact& contact) {
  if (contact.impacts == 0) contact.meetings = 0;
  contact.impacts = 0;
  contact.slack = 0;
}

/// What moves without being looked at is as near as any.
void forget_distance(Contact& contact) { contact.clear = contact.clear_before = contact.slack = 0; }

/// Whether a touch of the pair could matter in this sub-step; takes its motion off what is known to be clear.
bool may_touch(const World::Data& world, Contact& contact) {
  if (contact.is_sensor || contact.dropped) return false;
  if (contact.held || contact.crowded) {
    forget_distance(contact);
    return false;
  }
  const Real closing = closing_bound(world, contact);
  contact.clear_before = contact.clear;
  contact.clear = std::max(0.0, contact.clear - closing * world.h);
  contact.slack = contact.clear;
  if (contact.clear > 0) return false;
  // Rows take what comes slowly, unless it is to bounce or was too far for rows at the start of the step.
  const bool bounces = contact.surface.restitution > 0 && !contact.settled;
  return (bounces || contact.row_count == 0 || closing > contact.closing) &&
         !stays_apart(world, contact, contact.slack);
}

/// How far a point of a shape can get from where it was at the start of the sub-step [m].
Real reach(const World::Data& world, const Body& body, const Shape& shape) {
  const Real left = world.h - body.path.start, turn = body.turned + body.path.max_angular_speed() * left;
  return (body.path.x - body.x).norm() + left * (body.path.v.norm() + left / 2 * body.path.a.norm()) +
         (turn > 0 ? turn * shape.radius : 0);
}

void list_near(World::Data& world) {
  world.near.clear();
  world.sensing.clear();
  for (const std::uint32_t number : world.looked) {
    Contact& contact = world.contacts[number];
    const bool calm = is_calm(world, contact);
    if (calm) contact.impacts = contact.meetings = 0;
    contact.near = !contact.is_sensor && !contact.dropped && is_near(world, contact) && !calm;
    if (contact.near) world.near.push_back(number);
    if (contact.is_sensor) world.sensing.push_back(number);
  }
}

/// Along the normal at a touch; below zero the two part [m/s].
Real closing_speed(const Body& a, const Body& b, Real time, const collision::Separation& touch) {
  const Vec3 point = (touch.point_a + touch.point_b) / 2;
  const auto velocity = [&](const Body& body) {
    const SubstepPath::State state = body.path.at(time);
    return Vec3(state.v + state.w.cross(point - state.x));
  };
  return touch.normal.dot(velocity(a) - velocity(b));
}

/// Part of the fastest that two bodies can close which an impact without restitution may leave [-].
constexpr Real kStopped = 1e-12;
/// Part of what is left of the sub-step after which what it has stopped is looked at again [-].
constexpr Real kMoment = 1e-6;

/// By how much a shape must come into a sensor for it to be told: what lies on one may touch it by rounding [m].
constexpr Real kEntered = 1e-6;

/// Whether a shape enters a sensor, of a pair that does not overlap yet, on the paths of now until a time.
void sense(World::Data& world, std::uint32_t number, Real until) {
  Contact& contact = world.contacts[number];
  Touch touch;
  if (contact.hit || stays_apart(world, contact) || !find_touch(world, number, 0, touch)) return;
  const Real closing =
      closing_speed(world.bodies[contact.body_a], world.bodies[contact.body_b], touch.time, touch.separation);
  contact.hit = closing * (until - touch.time) > kEntered;
}

/// Of bodies that have become faster than their contacts reckon with. Those that rows or joints have taken off the way
/// for which they were paired, a motor that starts, say, are paired anew.
void list_hastened(World::Data& world) {
  const Real least = first_near_speed(world);  // of all near_speed
  world.thrown.clear();
  for (std::size_t i = 0; i < world.lively.size(); ++i) {  // the list may grow
    const std::uint32_t solver = world.lively[i];
    if (solver >= world.dynamic_count || !(world.speed_changes[solver] > least)) continue;
    const Real change = world.speed_changes[solver];
    const std::uint32_t index = world.solver_to_body[solver];
    Body& body = world.bodies[index];
    world.thrown.push_back(index);
    if (!(change > body.near_speed)) continue;
    body.near_speed = 2 * change;
    for (std::uint32_t number = body.first_contact; number != kNone; number = next_contact(world, number, index))
      if (is_near(world, world.contacts[number])) add_near(world, number);
  }
  pair_thrown(world, world.thrown);
}

}  // namespace

Real speed_change(const World::Data& world, const Body& body) {
  const Real spin = body.path.max_angular_speed() - body.w_start.norm();
  return (body.path.v + world.h * body.path.a - body.v_start).norm() + std::max(0.0, spin) * body.radius;
}

Real first_near_speed(const World::Data& world) { return 2 * world.settings.gravity.norm() * world.dt; }

bool is_near(const World::Data& world, const Contact& contact) {
  return contact.spare <= world.bodies[contact.body_a].near_speed + world.bodies[contact.body_b].near_speed;
}

void add_near(World::Data& world, std::uint32_t number) {
  Contact& contact = world.contacts[number];
  if (contact.near || contact.is_sensor || contact.dropped) return;
  contact.near = true;
  add_looked(world, number);
  forget_distance(contact);
  world.near.push_back(number);
}

bool may_reach(const World::Data& world, const Contact& contact) {
  const Body &A = world.bodies[contact.body_a], &B = world.bodies[contact.body_b];
  // Left out until now: its distance is that of the step's start, and so is what it has to spare.
  if (!contact.near)
    return speed_change(world, A) + speed_change(world, B) > contact.spare && !stays_apart(world, contact);
  return !has_hardly_strayed(world, contact) &&
         !(contact.clear_before >
           reach(world, A, *world.shapes[contact.shape_a]) + reach(world, B, *world.shapes[contact.shape_b])) &&
         !stays_apart(world, contact);
}

bool find_touch(World::Data& world, std::uint32_t number, Real from, Touch& touch) {
  Contact& contact = world.contacts[number];
  const Shape &A = *world.shapes[contact.shape_a], &B = *world.shapes[contact.shape_b];
  const Body &body_a = world.bodies[contact.body_a], &body_b = world.bodies[contact.body_b];
  collision::TimeOfImpactSettings settings;
  settings.radius_a = A.radius;
  settings.radius_b = B.radius;
  settings.cache = &contact.axis;
  const Real t0 = std::max({from, body_a.path.start, body_b.path.start});
  // What is on its way out of all bounds, or has no attitude any more, is told at the end of the step.
  for (const SubstepPath* path : {&body_a.path, &body_b.path})
    if (!(std::max(path->x.cwiseAbs().maxCoeff(), path->center(world.h).cwiseAbs().maxCoeff()) < kFarthest) ||
        !path->R.allFinite() || !path->w.allFinite())
      return false;
  const auto search = [&](Real time) -> std::optional<collision::ImpactTime> {
    if (B.convex != nullptr && A.plane != nullptr)
      return time_of_impact(*A.plane, body_a.path, *B.convex, body_b.path, time, world.h, settings);
    if (B.convex != nullptr && A.convex != nullptr)
      return time_of_impact(*A.convex, body_a.path, *B.convex, body_b.path, time, world.h, settings);
    return time_of_impact(A.collider, body_a.path, B.collider, body_b.path, time, world.h, settings);
  };
  std::optional<collision::ImpactTime> found = search(t0);
  // What an impact without restitution has stopped closes by rounding, or not; that is no touch, but one may follow.
  if (found && found->time == t0 && contact.surface.restitution == 0 &&
      std::abs(closing_speed(body_a, body_b, found->time, found->separation)) <
          kStopped * closing_bound(world, contact))
    found = search(t0 + kMoment * (world.h - t0));
  if (!found) return false;
  touch.time = found->time;
  touch.contact = number;
  touch.stamp_a = body_a.stamp;
  touch.stamp_b = body_b.stamp;
  touch.at_rest = false;
  touch.separation = found->separation;
  return true;
}

void find_shaken_touches(World::Data& world) {
  world.touches.clear();
  world.thrown.clear();
  for (const std::uint32_t solver : world.shaken_bodies) world.thrown.push_back(world.solver_to_body[solver]);
  pair_thrown(world, world.thrown);
  for (const std::uint32_t solver : world.shaken_bodies) {
    const std::uint32_t index = world.solver_to_body[solver];
    if (!is_shaken(world, world.bodies[index])) continue;
    for (std::uint32_t number = world.bodies[index].first_contact; number != kNone;
         number = next_contact(world, number, index)) {
      const Contact& contact = world.contacts[number];
      if (contact.is_sensor || contact.held || contact.crowded || contact.dropped) continue;
      if (has_hardly_strayed(world, contact)) continue;
      const Body& other = world.bodies[contact.body_a == index ? contact.body_b : contact.body_a];
      if (is_shaken(world, other) && other.solver < solver) continue;  // each pair once
      Touch touch;
      if (closing_bound(world, contact) > contact.closing && may_reach(world, contact) &&
          find_touch(world, number, 0, touch))
        world.touches.push_back(touch);
    }
  }
}

void sense_path_of(World::Data& world, const Body& body, Real until) {
  if (world.sensing.empty()) return;
  const auto index = static_cast<std::uint32_t>(&body - world.bodies.data());
  for (std::uint32_t number = body.first_contact; number != kNone; number = next_contact(world, number, index))
    if (world.contacts[number].is_sensor) sense(world, number, until);
}

void sense_paths(World::Data& world) {
  world.for_ranges(world.sensing.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) sense(world, world.sensing[i], world.h);
  });
}

void find_touches(World::Data& world) {
  world.candidates.clear();
  world.touches.clear();
  // Mostly few: what is far from everything is left out for the whole step, with some speed to spare.
  if (world.rows_are_new) list_near(world);
  rouse_hastened(world);
  list_hastened(world);
  for (std::size_t i = 0; i < world.near.size(); ++i) {  // the list grows when bodies are roused
    const std::uint32_t number = world.near[i];
    Contact& contact = world.contacts[number];
    begin_substep(contact);
    if (stays_tame(world, contact)) {
      forget_distance(contact);
      continue;
    }
    rouse_sides(world, contact);
    if (may_touch(world, contact)) world.candidates.push_back(number);
  }
  world.found_touches.resize(world.candidates.size());
  world.for_ranges(world.candidates.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Touch& touch = world.found_touches[i];
      if (!find_touch(world, world.candidates[i], 0, touch)) touch.contact = kNone;
    }
  });
  for (const Touch& touch : world.found_touches)
    if (touch.contact != kNone) world.touches.push_back(touch);
  if (!world.touches.empty()) rouse_all_on_paths(world);
}

}  // namespace visviva::dynamics
