#include <algorithm>

#include "variational/world_data.hpp"
#include "visviva/collision/sweep_pairs.hpp"
#include "visviva/core/task_pool.hpp"

namespace visviva::variational {

namespace {

bool can_meet(const Body& a, const Body& b) {
  const auto moves = [](const Body& body) { return body.is_awake() || body.guided->moves(); };
  const bool one_is_dynamic = a.type == model::BodyType::Dynamic || b.type == model::BodyType::Dynamic;
  return one_is_dynamic && (moves(a) || moves(b));
}

/// True if the ball around a body stays above a plane at rest until the end of the step: then no look at its shape and
/// attitude is needed.
bool stays_above(const World::Data& world, const Ground& ground, const Body& body, Real tau) {
  const Body& owner = world.bodies[ground.body];
  if (!body.is_awake() || owner.guided->moves()) return false;
  const Pose X_WG = owner.guided->pose(tau);
  const Vec3 n = X_WG.R * ground.plane.normal;
  const Real rest = world.dt() - tau;
  const Real height = n.dot(body.flight->center_at(tau) - X_WG.p) - ground.plane.offset - body.radius;
  const Real fall = rest * (body.flight->max_acceleration() * rest / 2 - n.dot(body.flight->velocity(tau)));
  return height > std::max(fall, 0.0) * (1 + 1e-12);
}

void add_ground_pairs(World::Data& world, std::uint32_t body_index, Real tau) {
  const Body& body = world.bodies[body_index];
  for (std::uint32_t g = 0; g < world.grounds.size(); ++g) {
    const Ground& ground = world.grounds[g];
    if (!can_meet(world.bodies[ground.body], body) || stays_above(world, ground, body, tau)) continue;
    for (std::uint32_t c = body.first_collider; c < body.end_collider; ++c)
      world.candidates.push_back({tau, true, g, c});
  }
}

void add_body_pairs(World::Data& world, std::uint32_t body_a, std::uint32_t body_b, Real tau) {
  const Body& A = world.bodies[body_a];
  const Body& B = world.bodies[body_b];
  if (!can_meet(A, B)) return;
  for (std::uint32_t a = A.first_collider; a < A.end_collider; ++a)
    for (std::uint32_t b = B.first_collider; b < B.end_collider; ++b) world.candidates.push_back({tau, false, a, b});
}

std::optional<collision::ImpactTime> time_of_impact(const World::Data& world, const Candidate& pair) {
  const Collider& b = world.colliders[pair.b];
  const collision::Path& path_b = world.bodies[b.body].path();
  collision::TimeOfImpactSettings settings;
  settings.radius_b = b.radius;
  if (pair.with_ground) {
    const Ground& a = world.grounds[pair.a];
    return collision::time_of_impact(a.shape, world.bodies[a.body].path(), b.shape, path_b, pair.tau, world.dt(),
                                     settings);
  }
  const Collider& a = world.colliders[pair.a];
  settings.radius_a = a.radius;
  return collision::time_of_impact(a.shape, world.bodies[a.body].path(), b.shape, path_b, pair.tau, world.dt(),
                                   settings);
}

void add_touch(World::Data& world, const Candidate& pair, const collision::ImpactTime& found) {
  const std::uint32_t body_a = pair.with_ground ? world.grounds[pair.a].body : world.colliders[pair.a].body;
  const std::uint32_t body_b = world.colliders[pair.b].body;
  // A search that gave up is taken up again where it stopped, unless it got nowhere.
  const bool certain = found.converged || found.time <= pair.tau;
  world.touches.push({{found.time, pair.with_ground, pair.a, pair.b},
                      certain,
                      world.bodies[body_a].stamp,
                      world.bodies[body_b].stamp,
                      found.separation});
}

/// Pairs are few in most steps; below this many the threads are not worth their start.
constexpr std::size_t kPairsForThreads = 64;
constexpr std::size_t kPairsPerTask = 16;

/// Looks for the touches of all candidates; the order of the queue does not depend on who found them.
void search_candidates(World::Data& world) {
  const std::size_t count = world.candidates.size();
  if (world.tasks && count >= kPairsForThreads) {
    std::vector<std::optional<collision::ImpactTime>> found(count);
    parallel_for(*world.tasks, count, kPairsPerTask, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) found[i] = time_of_impact(world, world.candidates[i]);
    });
    for (std::size_t i = 0; i < count; ++i)
      if (found[i]) add_touch(world, world.candidates[i], *found[i]);
  } else {
    for (const Candidate& pair : world.candidates)
      if (const auto found = time_of_impact(world, pair)) add_touch(world, pair, *found);
  }
  world.candidates.clear();
}

/// Rounding of bounds, relative to what they are made of.
constexpr Real kBoundsRounding = 1e-14;

}  // namespace

// As collision::swept_bounds, but without the attitude, which a ball does not need.
collision::Bounds reach_of(const World::Data& world, const Body& body, Real tau) {
  if (!body.is_awake()) return collision::swept_bounds(*body.guided, body.radius, tau, world.dt());
  const Real rest = world.dt() - tau;
  const Vec3 from = body.flight->center_at(tau);
  const Vec3 to = body.flight->center_at(world.dt());
  const Real sag = body.flight->max_acceleration() * rest * rest / 8;  // of a parabola from its chord
  const Vec3 margin = Vec3::Constant(body.radius + sag) +
                      kBoundsRounding * (from.cwiseAbs() + to.cwiseAbs() + Vec3::Constant(body.radius));
  return {from.cwiseMin(to) - margin, from.cwiseMax(to) + margin};
}

void find_touches(World::Data& world) {
  const auto count = static_cast<std::uint32_t>(world.bodies.size());
  for (std::uint32_t i = 0; i < count; ++i)
    if (world.bodies[i].type == model::BodyType::Dynamic) add_ground_pairs(world, i, 0);
  if (world.colliding.size() > 1) {
    world.bounds.clear();
    for (const std::uint32_t i : world.colliding) {
      world.bodies[i].reach = reach_of(world, world.bodies[i], 0);
      world.bounds.push_back(world.bodies[i].reach);
    }
    collision::find_overlaps(world.bounds, world.sweep, world.pairs);
    for (const auto& [i, j] : world.pairs) add_body_pairs(world, world.colliding[i], world.colliding[j], 0);
  }
  search_candidates(world);
}

void find_touches_of(World::Data& world, std::uint32_t body_index, Real tau, std::uint32_t but_not) {
  Body& body = world.bodies[body_index];
  add_ground_pairs(world, body_index, tau);
  if (world.colliding.size() > 1) {
    body.reach = reach_of(world, body, tau);
    for (const std::uint32_t other : world.colliding)
      if (other != body_index && other != but_not && overlap(body.reach, world.bodies[other].reach))
        add_body_pairs(world, std::min(body_index, other), std::max(body_index, other), tau);
  }
  search_candidates(world);
}

void find_touch_again(World::Data& world, const Touch& touch) {
  world.candidates.push_back(touch.pair);
  search_candidates(world);
}

}  // namespace visviva::variational
