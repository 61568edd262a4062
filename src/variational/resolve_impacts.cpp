#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "variational/world_data.hpp"
#include "visviva/motion/resolve_touch.hpp"
#include "visviva/motion/touch_points.hpp"

namespace visviva::variational {

namespace {

/// Corners of a face that lie within this of the nearest one take part in a touch, relative to the size of the bodies:
/// far above the rounding of a pose, far below any tilt that a user could mean.
constexpr Real kFlat = 1e-10;

/// So many impacts of one pair, each within dt / max_impacts_per_step of the last, are no accident of corners.
constexpr int kZenoImpacts = 16;

/// After so many of them the contact lasts, and is carried by bounces of bounded number.
constexpr int kLastingImpacts = 8;

/// A touch slower than this many least speeds does not wake a body.
constexpr Real kWakeSpeeds = 2;

struct Pair {
  std::uint32_t body_a, body_b;
  std::uint32_t material_a, material_b;
};

Pair pair_of(const World::Data& world, const Touch& touch) {
  const Collider& b = world.colliders[touch.pair.b];
  if (touch.pair.with_ground) {
    const Ground& a = world.grounds[touch.pair.a];
    return {a.body, b.body, a.material, b.material};
  }
  const Collider& a = world.colliders[touch.pair.a];
  return {a.body, b.body, a.material, b.material};
}

motion::TouchBody touch_body(const Body& body, motion::BodyState& state, Real tau) {
  if (body.is_awake()) return {&body.mass, &state};
  return {nullptr, nullptr, body.guided->pose(tau).p, body.guided->velocity(tau), body.guided->angular_velocity(tau)};
}

void find_points(const World::Data& world, const Touch& touch, const Pair& pair, std::vector<Vec3>& points) {
  const Body& A = world.bodies[pair.body_a];
  const Body& B = world.bodies[pair.body_b];
  const Pose X_WA = A.path().pose(touch.pair.tau);
  const Pose X_WB = B.path().pose(touch.pair.tau);
  const Collider& b = world.colliders[touch.pair.b];
  if (touch.pair.with_ground) {
    motion::touch_points(world.grounds[touch.pair.a].plane, X_WA, b.convex, X_WB, touch.separation, kFlat * b.radius,
                         points);
  } else {
    const Collider& a = world.colliders[touch.pair.a];
    motion::touch_points(a.convex, X_WA, b.convex, X_WB, touch.separation, kFlat * std::min(a.radius, b.radius),
                         points);
  }
}

void record(World::Data& world, const Pair& pair, const Touch& touch, const motion::TouchImpact& impact,
            const model::SurfacePair& surface) {
  model::Event event;
  event.time = world.time(touch.pair.tau);
  event.body_a = pair.body_a;
  event.body_b = pair.body_b;
  event.point = impact.point;
  event.normal = touch.separation.normal;
  event.impulse = impact.impulse;
  event.energy_lost = impact.energy_lost;
  event.W = impact.problem.W;
  event.v = impact.problem.v;
  event.friction = surface.friction;
  event.restitution = surface.restitution;
  event.law = surface.law;
  world.events.push_back(event);

  ++world.report.impacts;
  world.ledger.impact_loss.add(impact.energy_lost);
  world.ledger.guided_work.add(impact.guided_work);
  const auto outside = [&](std::uint32_t body, const Vec3& impulse_on_other) {
    if (world.bodies[body].is_awake()) return;
    world.ledger.impulse.add(impulse_on_other);
    world.ledger.moment.add(impact.point.cross(impulse_on_other));
  };
  outside(pair.body_a, impact.impulse);
  outside(pair.body_b, -impact.impulse);
}

/// Counts, and tells whether impacts of this pair pile up.
bool piles_up(World::Data& world, std::uint32_t index, std::uint32_t partner, Real tau) {
  Body& body = world.bodies[index];
  if (!body.is_awake()) return false;
  const int limit = world.model.stepper.variational.max_impacts_per_step;
  const bool at_once = body.last_partner == partner && tau - body.last_tau < world.dt() / limit;
  body.short_gaps = at_once ? body.short_gaps + 1 : 0;
  body.last_partner = partner;
  body.last_tau = tau;
  return ++body.impacts > limit || body.short_gaps >= kZenoImpacts;
}

/// The least speed of a touch of this body with a partner: that of gravity, or, if impacts of the two have piled up, of
/// whatever drives them together (a spin, say), as the last bounce tells: it left with v and came back after t, so the
/// acceleration is 2v/t.
Real least_speed_of(World::Data& world, Body& body, std::uint32_t partner, Real tau) {
  if (!world.rests || !body.is_awake() || body.last_partner != partner) return world.least_speed;
  const Real gap = tau - body.last_tau;
  if (body.held_by == partner && gap > 4 * kLeastBounce * world.dt()) body.held_by = model::kNoBody;
  if (body.short_gaps >= kLastingImpacts && gap > 0) {
    body.held_by = partner;
    body.held_speed = body.last_rise / gap * kLeastBounce * world.dt();
  }
  return body.held_by == partner ? std::max(world.least_speed, body.held_speed) : world.least_speed;
}

/// How fast the points of a body can change their velocity [m/s²].
Real max_point_acceleration(const Body& body) {
  const collision::Path& path = body.path();
  const Real w = path.max_angular_speed();
  return path.max_acceleration() + (path.max_angular_acceleration() + w * w) * body.radius;
}

/// A pair that separates with v > 0 although its distance is within the tolerance of the search: so close, the search
/// may fail to tell normal and distance. It cannot meet again before 2v/a, so the search goes on a little later, where
/// the gap is a hundred times that tolerance.
void look_again_later(World::Data& world, const Touch& touch, const Pair& pair, Real v) {
  const Body& A = world.bodies[pair.body_a];
  const Body& B = world.bodies[pair.body_b];
  const Real a = max_point_acceleration(A) + max_point_acceleration(B);
  const Real gap = 100 * collision::TimeOfImpactSettings{}.tolerance * (1 + A.radius + B.radius);
  Touch later = touch;
  later.pair.tau += std::min(gap / v, a > 0 ? v / a : world.dt());
  if (later.pair.tau < world.dt()) find_touch_again(world, later);
}

void resolve(World::Data& world, const Touch& touch) {
  const Pair pair = pair_of(world, touch);
  const Real tau = touch.pair.tau;
  std::vector<Vec3> points;
  find_points(world, touch, pair, points);

  Body& A = world.bodies[pair.body_a];
  Body& B = world.bodies[pair.body_b];
  motion::BodyState state_a = state_at(A, tau);
  motion::BodyState state_b = state_at(B, tau);
  if (world.rests) {
    Real approach = 0;
    for (const Vec3& p : points)
      approach = std::max(approach, -motion::normal_velocity(touch_body(A, state_a, tau), touch_body(B, state_b, tau),
                                                             touch.separation.normal, p));
    if (A.resting && approach > kWakeSpeeds * world.least_speed) wake(world, pair.body_a, tau);
    if (B.resting && approach > kWakeSpeeds * world.least_speed) wake(world, pair.body_b, tau);
    // Rather at rest than kept up by bounces.
    const bool one_awake = A.is_awake() != B.is_awake();
    if (one_awake && approach < world.least_speed && try_to_rest(world, A.is_awake() ? pair.body_a : pair.body_b, tau))
      return;
  }

  const model::SurfacePair surface = model::surface_pair(world.model, pair.material_a, pair.material_b);
  const Real least_speed =
      std::max(least_speed_of(world, A, pair.body_b, tau), least_speed_of(world, B, pair.body_a, tau));
  std::vector<motion::TouchImpact> impacts;
  const bool settled = motion::resolve_touch(touch_body(A, state_a, tau), touch_body(B, state_b, tau),
                                             touch.separation.normal, points, {surface, least_speed}, impacts);
  for (const motion::TouchImpact& impact : impacts) {
    record(world, pair, touch, impact, surface);
    if (-impact.problem.v.z() < world.least_speed) A.slow = B.slow = true;
  }
  if (impacts.empty()) {
    Real separating = std::numeric_limits<Real>::infinity();
    for (const Vec3& p : points)
      separating =
          std::min(separating, motion::normal_velocity(touch_body(A, state_a, tau), touch_body(B, state_b, tau),
                                                       touch.separation.normal, p));
    if (separating > 0) return look_again_later(world, touch, pair, separating);
  }
  if (!impacts.empty())
    A.last_rise = B.last_rise = motion::normal_velocity(touch_body(A, state_a, tau), touch_body(B, state_b, tau),
                                                        touch.separation.normal, impacts.back().point);

  const bool a_piles_up = piles_up(world, pair.body_a, pair.body_b, tau);
  const bool b_piles_up = piles_up(world, pair.body_b, pair.body_a, tau);
  if (A.is_awake()) restart_flight(world, pair.body_a, state_a, tau);
  if (B.is_awake()) restart_flight(world, pair.body_b, state_b, tau);
  if (a_piles_up || b_piles_up || !settled) {
    const std::uint32_t victim = b_piles_up || !A.is_awake() ? pair.body_b : pair.body_a;
    if (!world.rests || !try_to_rest(world, victim, tau)) {
      stop(world, model::RunStatus::Zeno, pair.body_a, pair.body_b, tau,
           fmt::format("'{}' and '{}' would hit each other without end from t = {:.9g} s on (Zeno)",
                       world.name(pair.body_a), world.name(pair.body_b), world.time(tau)));
      return;
    }
  }
  if (A.is_awake()) find_touches_of(world, pair.body_a, tau);
  if (B.is_awake()) find_touches_of(world, pair.body_b, tau);
}

bool is_void(const World::Data& world, const Touch& touch) {
  const Pair pair = pair_of(world, touch);
  return world.bodies[pair.body_a].stamp != touch.stamp_a || world.bodies[pair.body_b].stamp != touch.stamp_b;
}

}  // namespace

void resolve_impacts(World::Data& world) {
  while (!world.touches.empty() && !world.at_stop()) {
    const Touch touch = world.touches.top();
    world.touches.pop();
    if (is_void(world, touch)) continue;
    if (touch.certain)
      resolve(world, touch);
    else
      find_touch_again(world, touch);
  }
}

}  // namespace visviva::variational
