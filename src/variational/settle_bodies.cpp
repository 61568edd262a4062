#include <Eigen/Geometry>
#include <algorithm>

#include "variational/world_data.hpp"
#include "visviva/motion/rest.hpp"
#include "visviva/motion/touch_points.hpp"

namespace visviva::variational {

namespace {

/// A body is slow if no point of it moves faster than this many least speeds: bounces of the least speed at several
/// corners add up to no more.
constexpr Real kSlowSpeeds = 8;

/// How far from what holds it a body at rest may be [m]: the height of its last bounces.
Real prop_slack(const World::Data& world, Real radius) {
  const Real g = world.flow.gravity.norm();
  const Real height = g > 0 ? kSlowSpeeds * world.least_speed * world.least_speed / (2 * g) : 0;
  return height + 1e-9 * radius;
}

struct Held {
  std::vector<motion::Prop> props;
  std::vector<std::uint32_t> bodies;
  bool pushed = false;  // touched by something that moves by itself
};

void hold(Held& held, const World::Data& world, std::uint32_t by, const collision::Separation& separation,
          const model::SurfacePair& surface, const std::vector<Vec3>& points) {
  if (world.bodies[by].guided->moves()) {
    held.pushed = true;
    return;
  }
  for (const Vec3& p : points) held.props.push_back({p, separation.normal, surface.friction});
  held.bodies.push_back(by);
}

/// All that touches the body and does not move.
Held find_props(const World::Data& world, std::uint32_t index, const Pose& X_WB, Real tau) {
  const Body& body = world.bodies[index];
  const Real slack = prop_slack(world, body.radius);
  Held held;
  std::vector<Vec3> points;
  for (std::uint32_t c = body.first_collider; c < body.end_collider; ++c) {
    const Collider& own = world.colliders[c];
    for (const Ground& ground : world.grounds) {
      const Pose X_WG = world.bodies[ground.body].guided->pose(tau);
      const collision::Separation s = collision::distance(ground.plane, X_WG, own.convex, X_WB);
      if (s.distance > slack) continue;
      motion::touch_points(ground.plane, X_WG, own.convex, X_WB, s, slack, points);
      hold(held, world, ground.body, s, model::surface_pair(world.model, ground.material, own.material), points);
    }
    for (const Collider& other : world.colliders) {
      const Body& by = world.bodies[other.body];
      if (other.body == index || by.is_awake()) continue;
      const Pose X_WO = by.guided->pose(tau);
      const Real gap = (X_WO.p - X_WB.p).norm() - by.radius - body.radius;
      if (gap > slack) continue;
      const collision::Separation s = collision::distance(other.convex, X_WO, own.convex, X_WB);
      if (s.distance > slack) continue;
      motion::touch_points(other.convex, X_WO, own.convex, X_WB, s, slack, points);
      hold(held, world, other.body, s, model::surface_pair(world.model, other.material, own.material), points);
    }
  }
  return held;
}

model::Event event_at(const World::Data& world, model::EventKind kind, std::uint32_t body, Real tau) {
  model::Event event;
  event.time = world.time(tau);
  event.kind = kind;
  event.body_b = body;
  return event;
}

}  // namespace

bool try_to_rest(World::Data& world, std::uint32_t index, Real tau) {
  Body& body = world.bodies[index];
  if (!body.is_awake()) return false;
  const motion::BodyState state = state_at(body, tau);
  const Real speed =
      motion::velocity(body.mass, state).norm() + motion::angular_velocity_body(body.mass, state).norm() * body.radius;
  if (!(speed <= kSlowSpeeds * world.least_speed)) return false;
  Held held = find_props(world, index, {state.R, state.x}, tau);
  if (held.pushed || !motion::can_rest(state.x, body.mass.mass * world.flow.gravity, held.props)) return false;

  motion::BodyState still = state;
  still.gamma.setZero();
  still.Pi.setZero();
  restart_flight(world, index, still, tau);
  // What stops it is an impulse from outside.
  world.ledger.impulse.add(-state.gamma);
  world.ledger.moment.add(-(state.x.cross(state.gamma) + state.R * state.Pi));
  model::Event event = event_at(world, model::EventKind::Rest, index, tau);
  event.point = state.x;
  event.impulse = -state.gamma;
  event.energy_lost = motion::kinetic_translation(body.mass, state) + motion::kinetic_rotation(body.mass, state);
  world.ledger.rest_loss.add(event.energy_lost);
  world.events.push_back(event);

  std::sort(held.bodies.begin(), held.bodies.end());
  held.bodies.erase(std::unique(held.bodies.begin(), held.bodies.end()), held.bodies.end());
  body.props = std::move(held.bodies);
  body.guided.emplace(Pose{state.R, state.x}, Vec3::Zero(), Vec3::Zero(), world.dt());
  body.resting = true;
  body.reach = reach_of(world, body, tau);
  ++body.stamp;
  find_touches_of(world, index, tau);  // with what moves by itself
  return true;
}

void wake(World::Data& world, std::uint32_t index, Real tau) {
  std::vector<std::uint32_t> woken = {index};
  for (std::size_t i = 0; i < woken.size(); ++i) {
    Body& body = world.bodies[woken[i]];
    const Pose X_WB = body.guided->pose(tau);
    body.resting = false;
    body.props.clear();
    body.guided.reset();
    body.flight->start({X_WB.p, X_WB.R, Vec3::Zero(), Vec3::Zero()}, tau);
    ++body.stamp;
    model::Event event = event_at(world, model::EventKind::Wake, woken[i], tau);
    event.point = X_WB.p;
    world.events.push_back(event);
    for (std::uint32_t other = 0; other < world.bodies.size(); ++other) {
      const Body& above = world.bodies[other];
      if (above.resting && std::find(above.props.begin(), above.props.end(), woken[i]) != above.props.end() &&
          std::find(woken.begin(), woken.end(), other) == woken.end())
        woken.push_back(other);
    }
  }
  for (const std::uint32_t body : woken) find_touches_of(world, body, tau);
}

void settle_bodies(World::Data& world) {
  if (!world.rests || world.at_stop()) return;
  for (std::uint32_t i = 0; i < world.bodies.size(); ++i)
    if (world.bodies[i].slow) try_to_rest(world, i, world.dt());
}

void stop(World::Data& world, model::RunStatus status, std::uint32_t body, std::uint32_t partner, Real tau,
          std::string reason) {
  model::Event event = event_at(world, model::EventKind::Zeno, partner, tau);
  event.body_a = body;
  world.events.push_back(event);
  world.report.stopped = true;
  world.report.status = status;
  world.report.reason = std::move(reason);
  world.now = tau;
}

}  // namespace visviva::variational
