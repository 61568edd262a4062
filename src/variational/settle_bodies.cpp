#include <Eigen/Geometry>
#include <algorithm>

#include "variational/group.hpp"
#include "visviva/motion/rest.hpp"

namespace visviva::variational {

namespace {

/// How far corners that clatter may be from what holds them, relative to the size of the body, where bounces are lower.
constexpr Real kRestGap = 1e-6;

bool is_slow(const World::Data& world, const Body& body, Real tau) {
  const motion::BodyState state = state_at(body, tau);
  const Real speed =
      motion::velocity(body.mass, state).norm() + motion::angular_velocity_body(body.mass, state).norm() * body.radius;
  return speed <= kSlowSpeeds * world.least_speed;
}

/// Whether the bodies of a group that `counts` names can stay where they are; all others do not move.
template <class Counts>
bool can_rest(const World::Data& world, const Group& group, Real tau, const Counts& counts) {
  std::vector<motion::RestingBody> bodies;
  std::vector<std::uint32_t> index_of(world.bodies.size(), motion::kFixed);
  for (const std::uint32_t i : group.bodies) {
    if (!counts(i)) continue;
    index_of[i] = static_cast<std::uint32_t>(bodies.size());
    bodies.push_back({state_at(world.bodies[i], tau).x, world.bodies[i].mass.mass * world.flow.gravity});
  }
  std::vector<motion::Prop> props;
  for (const Contact& contact : group.contacts) {
    const std::uint32_t a = index_of[contact.body_a];
    const std::uint32_t b = index_of[contact.body_b];
    if (a == motion::kFixed && b == motion::kFixed) continue;
    for (const Vec3& p : contact.points) props.push_back({p, contact.normal, contact.surface.friction, b, a});
  }
  return motion::can_rest(bodies, props);
}

/// The bodies of a group that hold one of them up.
std::vector<std::uint32_t> props_of(const World::Data& world, const Group& group, std::uint32_t index) {
  std::vector<std::uint32_t> props;
  for (const Contact& contact : group.contacts) {
    const bool is_b = contact.body_b == index;
    if (!is_b && contact.body_a != index) continue;
    const Real down = contact.normal.dot(world.flow.gravity) * (is_b ? 1 : -1);
    // What leans on it sideways is a prop, too.
    if (down <= 1e-9 * world.flow.gravity.norm()) props.push_back(is_b ? contact.body_a : contact.body_b);
  }
  std::sort(props.begin(), props.end());
  props.erase(std::unique(props.begin(), props.end()), props.end());
  return props;
}

model::Event event_at(const World::Data& world, model::EventKind kind, std::uint32_t body, Real tau) {
  model::Event event;
  event.time = world.time(tau);
  event.kind = kind;
  event.body_b = body;
  return event;
}

void put_to_rest(World::Data& world, std::uint32_t index, Real tau, std::vector<std::uint32_t> props) {
  Body& body = world.bodies[index];
  const motion::BodyState state = state_at(body, tau);
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

  body.props = std::move(props);
  body.guided.emplace(Pose{state.R, state.x}, Vec3::Zero(), Vec3::Zero(), world.dt());
  body.resting = true;
  body.reach = reach_of(world, body, tau);
  ++body.stamp;
}

/// Lets one body fly.
void set_free(World::Data& world, std::uint32_t index, Real tau) {
  Body& body = world.bodies[index];
  const Pose X_WB = body.guided->pose(tau);
  body.resting = false;
  body.props.clear();
  body.guided.reset();
  body.flight->start({X_WB.p, X_WB.R, Vec3::Zero(), Vec3::Zero()}, tau);
  ++body.stamp;
  model::Event event = event_at(world, model::EventKind::Wake, index, tau);
  event.point = X_WB.p;
  world.events.push_back(event);
}

/// Whether a body at rest could stay so if what is awake did not touch it.
bool stays(const World::Data& world, std::uint32_t index, Real tau) {
  const Group group = gather_group(world, {index}, tau, contact_slack(world, world.bodies[index].radius),
                                   [&](std::uint32_t other) { return world.bodies[other].resting; });
  return can_rest(world, group, tau, [](std::uint32_t) { return true; });
}

}  // namespace

Real contact_slack(const World::Data& world, Real radius) {
  const Real g = world.flow.gravity.norm();
  const Real height = g > 0 ? kSlowSpeeds * world.least_speed * world.least_speed / (2 * g) : 0;
  return height + kRestGap * radius;
}

bool try_to_rest(World::Data& world, std::uint32_t index, Real tau) {
  if (!world.bodies[index].is_awake() || !is_slow(world, world.bodies[index], tau)) return false;
  const Group group = gather_group(
      world, {index}, tau, contact_slack(world, world.bodies[index].radius),
      [&](std::uint32_t other) { return world.bodies[other].resting || is_slow(world, world.bodies[other], tau); });
  if (group.pushed) return false;
  const auto is_awake = [&](std::uint32_t i) { return world.bodies[i].is_awake(); };
  if (!can_rest(world, group, tau, is_awake)) return false;
  // They can rest on what rests, if that can bear them.
  if (!std::all_of(group.bodies.begin(), group.bodies.end(), is_awake) &&
      !can_rest(world, group, tau, [](std::uint32_t) { return true; })) {
    for (const std::uint32_t i : group.bodies)
      if (world.bodies[i].resting) wake(world, i, tau);
    return false;
  }
  std::vector<std::uint32_t> resting;
  for (const std::uint32_t i : group.bodies)
    if (world.bodies[i].is_awake()) resting.push_back(i);
  for (const std::uint32_t i : resting) put_to_rest(world, i, tau, props_of(world, group, i));
  for (const std::uint32_t i : resting) find_touches_of(world, i, tau);  // with what moves
  return true;
}

void wake(World::Data& world, std::uint32_t index, Real tau) {
  std::vector<std::uint32_t> woken = {index};
  std::vector<std::uint32_t> relieved;  // bodies that bore one of them and may have needed its weight
  for (std::size_t i = 0; i < woken.size(); ++i) {
    const std::vector<std::uint32_t>& props = world.bodies[woken[i]].props;
    relieved.insert(relieved.end(), props.begin(), props.end());
    set_free(world, woken[i], tau);
    for (std::uint32_t other = 0; other < world.bodies.size(); ++other) {
      const Body& above = world.bodies[other];
      if (above.resting && std::find(above.props.begin(), above.props.end(), woken[i]) != above.props.end() &&
          std::find(woken.begin(), woken.end(), other) == woken.end())
        woken.push_back(other);
    }
    while (i + 1 == woken.size() && !relieved.empty()) {
      const std::uint32_t below = relieved.back();
      relieved.pop_back();
      if (world.bodies[below].resting && !stays(world, below, tau)) woken.push_back(below);
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
