#include <algorithm>

#include "variational/world_data.hpp"
#include "visviva/collision/time_of_impact.hpp"

namespace visviva::variational {

namespace {

/// What of the rest of a step a body can reach: box around the path of its reference point, grown by its radius.
struct Reach {
  Vec3 low, high;
};

Reach reach_of(const World::Data& world, const Body& body, Real tau) {
  const Real rest = world.dt() - tau;
  Vec3 from, to;
  Real sag = 0;  // of a parabola from its chord
  if (body.is_awake()) {
    from = body.flight->center_at(tau);
    to = body.flight->center_at(world.dt());
    sag = body.flight->max_acceleration() * rest * rest / 8;
  } else {
    from = body.guided->pose(tau).p;
    to = body.guided->moves() ? body.guided->pose(world.dt()).p : from;
  }
  // Beyond the rounding of its own assembly.
  const Vec3 margin = Vec3::Constant((body.radius + sag) * (1 + 1e-12)) + 1e-14 * (from.cwiseAbs() + to.cwiseAbs());
  return {from.cwiseMin(to) - margin, from.cwiseMax(to) + margin};
}

bool overlap(const Reach& a, const Reach& b) {
  return (a.low.array() <= b.high.array()).all() && (b.low.array() <= a.high.array()).all();
}

bool can_meet(const Body& a, const Body& b) {
  const auto moves = [](const Body& body) { return body.is_awake() || body.guided->moves(); };
  const bool one_is_dynamic = a.type == model::BodyType::Dynamic || b.type == model::BodyType::Dynamic;
  return one_is_dynamic && (moves(a) || moves(b));
}

void add(World::Data& world, bool with_ground, std::uint32_t a, std::uint32_t b, const collision::ImpactTime& found) {
  const std::uint32_t body_a = with_ground ? world.grounds[a].body : world.colliders[a].body;
  const std::uint32_t body_b = world.colliders[b].body;
  world.touches.push(
      {found.time, with_ground, a, b, world.bodies[body_a].stamp, world.bodies[body_b].stamp, found.separation});
}

void find_with_ground(World::Data& world, std::uint32_t ground_index, std::uint32_t body_index, Real tau) {
  const Ground& ground = world.grounds[ground_index];
  const Body& owner = world.bodies[ground.body];
  const Body& body = world.bodies[body_index];
  if (ground.body == body_index || !can_meet(owner, body)) return;
  if (body.is_awake() && !owner.guided->moves()) {
    // Far above the plane for the whole step: no look at shape or attitude is needed.
    const Pose X_WG = owner.guided->pose(tau);
    const Vec3 n = X_WG.R * ground.plane.normal;
    const Real rest = world.dt() - tau;
    const Real height = n.dot(body.flight->center_at(tau) - X_WG.p) - ground.plane.offset - body.radius;
    const Real fall = rest * (body.flight->max_acceleration() * rest / 2 - n.dot(body.flight->velocity(tau)));
    if (height > fall) return;
  }
  for (std::uint32_t c = body.first_collider; c < body.end_collider; ++c)
    if (const auto found = collision::time_of_impact(ground.plane, owner.path(), world.colliders[c].convex, body.path(),
                                                     tau, world.dt()))
      add(world, true, ground_index, c, *found);
}

void find_between(World::Data& world, std::uint32_t body_a, std::uint32_t body_b, Real tau) {
  const Body& A = world.bodies[body_a];
  const Body& B = world.bodies[body_b];
  for (std::uint32_t a = A.first_collider; a < A.end_collider; ++a)
    for (std::uint32_t b = B.first_collider; b < B.end_collider; ++b)
      if (const auto found = collision::time_of_impact(world.colliders[a].convex, A.path(), world.colliders[b].convex,
                                                       B.path(), tau, world.dt()))
        add(world, false, a, b, *found);
}

}  // namespace

void find_touches(World::Data& world) {
  const auto count = static_cast<std::uint32_t>(world.bodies.size());
  std::vector<Reach> reach;
  reach.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    reach.push_back(reach_of(world, world.bodies[i], 0));
    if (world.bodies[i].type == model::BodyType::Dynamic)
      for (std::uint32_t g = 0; g < world.grounds.size(); ++g) find_with_ground(world, g, i, 0);
  }
  for (std::uint32_t i = 0; i < count; ++i)
    for (std::uint32_t j = i + 1; j < count; ++j)
      if (overlap(reach[i], reach[j]) && can_meet(world.bodies[i], world.bodies[j])) find_between(world, i, j, 0);
}

void find_touches_of(World::Data& world, std::uint32_t body_index, Real tau) {
  const Body& body = world.bodies[body_index];
  for (std::uint32_t g = 0; g < world.grounds.size(); ++g) find_with_ground(world, g, body_index, tau);
  const Reach own = reach_of(world, body, tau);
  const auto count = static_cast<std::uint32_t>(world.bodies.size());
  for (std::uint32_t other = 0; other < count; ++other) {
    if (other == body_index || !can_meet(body, world.bodies[other])) continue;
    if (world.bodies[other].first_collider == world.bodies[other].end_collider) continue;
    if (!overlap(own, reach_of(world, world.bodies[other], tau))) continue;
    find_between(world, std::min(body_index, other), std::max(body_index, other), tau);
  }
}

}  // namespace visviva::variational
