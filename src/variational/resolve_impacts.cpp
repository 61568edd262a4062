#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "variational/world_data.hpp"
#include "visviva/motion/resolve_touch.hpp"
#include "visviva/motion/touch_points.hpp"

namespace visviva::variational {

namespace {

/// Corners of a face that lie within this of the nearest one take part in a touch, relative to the size of the bodies:
/// far above the rounding of a pose, far below any tilt that a user could mean.
constexpr Real kFlat = 1e-10;

/// The same for bodies that clatter: corners that hit one after the other without end are meant to lie flat.
constexpr Real kClattering = 1e-6;
constexpr int kClatteringImpacts = 4;

/// So many impacts of one pair, each within dt / max_impacts_per_step of the last, are no accident of corners.
constexpr int kZenoImpacts = 16;

/// After so many of them the contact lasts, and is carried by bounces of bounded number.
constexpr int kLastingImpacts = 8;

/// So many slow impacts of one body within the time of one bounce of the least speed: it is wedged between others.
constexpr int kCrowdingImpacts = 16;

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

void find_points(const World::Data& world, const Touch& touch, const Pair& pair, std::vector<Vec3>& points) {
  const Body& A = world.bodies[pair.body_a];
  const Body& B = world.bodies[pair.body_b];
  const Pose X_WA = A.path().pose(touch.pair.tau);
  const Pose X_WB = B.path().pose(touch.pair.tau);
  const Collider& b = world.colliders[touch.pair.b];
  const Real flat = std::max(A.short_gaps, B.short_gaps) >= kClatteringImpacts ? kClattering : kFlat;
  if (touch.pair.with_ground) {
    motion::touch_points(world.grounds[touch.pair.a].shape, X_WA, b.shape, X_WB, touch.separation, flat * b.radius,
                         points);
  } else {
    const Collider& a = world.colliders[touch.pair.a];
    motion::touch_points(a.shape, X_WA, b.shape, X_WB, touch.separation, flat * std::min(a.radius, b.radius), points);
  }
}

/// Counts, and tells whether impacts of this pair, or slow ones of this body, pile up.
bool piles_up(World::Data& world, std::uint32_t index, std::uint32_t partner, bool slow, Real tau) {
  Body& body = world.bodies[index];
  if (!body.is_awake()) return false;
  const int limit = world.model.stepper.variational.max_impacts_per_step;
  const bool crowded = world.rests && slow && tau - body.last_tau < kLeastBounce * world.dt() / kCrowdingImpacts;
  body.crowding = crowded ? body.crowding + 1 : 0;
  const bool at_once = body.last_partner == partner && tau - body.last_tau < world.dt() / limit;
  body.short_gaps = at_once ? body.short_gaps + 1 : 0;
  body.last_partner = partner;
  body.last_tau = tau;
  return ++body.impacts > limit || body.short_gaps >= kZenoImpacts || body.crowding >= kCrowdingImpacts;
}

/// How fast the points of a body can change their velocity [m/s²].
Real max_point_acceleration(const Body& body) { return body.path().max_acceleration() + body.spin_acceleration(); }

/// The least speed of a touch of this body with a partner: that of gravity, or, if impacts of the two have piled up, of
/// whatever drives them together (a spin, say), as the last bounce tells: it left with v and came back after t, so the
/// acceleration is 2v/t.
Real least_speed_of(const World::Data& world, Body& body, std::uint32_t partner, Real tau) {
  if (!world.rests || !body.is_awake() || body.last_partner != partner) return world.least_speed;
  const Real gap = tau - body.last_tau;
  if (body.held_by == partner && gap > 4 * kLeastBounce * world.dt()) body.held_by = model::kNoBody;
  if (body.short_gaps >= kLastingImpacts && gap > 0) {
    body.held_by = partner;
    // Corners that clatter one after the other come back sooner than any acceleration would bring them.
    const Real possible = (max_point_acceleration(body) + max_point_acceleration(world.bodies[partner])) / 2;
    body.held_speed = std::min(body.last_rise / gap, possible) * kLeastBounce * world.dt();
  }
  return body.held_by == partner ? std::max(world.least_speed, body.held_speed) : world.least_speed;
}

/// Two bodies that touch, at the time of the touch.
class Meeting {
 public:
  Meeting(World::Data& world, const Touch& touch)
      : world_(world),
        touch_(touch),
        pair_(pair_of(world, touch)),
        tau_(touch.pair.tau),
        A_(world.bodies[pair_.body_a]),
        B_(world.bodies[pair_.body_b]),
        state_a_(state_at(A_, tau_)),
        state_b_(state_at(B_, tau_)) {
    find_points(world, touch, pair_, points_);
  }

  void resolve() {
    if (world_.rests && settles()) return;
    if (world_.rests && is_part_of_group()) {
      // What was just pushed apart is still as near as before.
      const bool just_now = A_.carried_at == tau_ || B_.carried_at == tau_;
      if (slowest() > (just_now ? -world_.least_speed / 64 : 0)) return look_again_later(std::abs(slowest()));
      return carry_or_stop();
    }
    const bool settled = collide();
    if (impacts_.empty() && slowest() > 0) return look_again_later(slowest());
    if (!impacts_.empty()) A_.last_rise = B_.last_rise = separation_speed(impacts_.back().point);
    const bool slow = !impacts_.empty() && -impacts_.front().problem.v.z() < kSlowSpeeds * world_.least_speed;
    const bool a_piles_up = piles_up(world_, pair_.body_a, pair_.body_b, slow, tau_);
    const bool b_piles_up = piles_up(world_, pair_.body_b, pair_.body_a, slow, tau_);
    if (A_.is_awake()) restart_flight(world_, pair_.body_a, state_a_, tau_);
    if (B_.is_awake()) restart_flight(world_, pair_.body_b, state_b_, tau_);
    if (a_piles_up || b_piles_up || !settled) return carry_or_stop();
    if (A_.is_awake()) find_touches_of(world_, pair_.body_a, tau_);
    // That of the two with each other is found already.
    if (B_.is_awake()) find_touches_of(world_, pair_.body_b, tau_, A_.is_awake() ? pair_.body_a : model::kNoBody);
  }

 private:
  [[nodiscard]] Real separation_speed(const Vec3& point) {
    return motion::normal_velocity(touch_body(A_, state_a_, tau_), touch_body(B_, state_b_, tau_),
                                   touch_.separation.normal, point);
  }
  [[nodiscard]] Real slowest() {
    Real speed = std::numeric_limits<Real>::infinity();
    for (const Vec3& p : points_) speed = std::min(speed, separation_speed(p));
    return speed;
  }

  /// Wakes who is hit hard enough; true if one of the two was put to rest: better than kept up by bounces.
  bool settles() {
    const Real approach = -slowest();
    // What comes by itself does not give way, however slow it is.
    const Real soft = A_.is_awake() || B_.is_awake() ? kWakeSpeeds * world_.least_speed : 0;
    if (A_.resting && approach > soft) wake(world_, pair_.body_a, tau_);
    if (B_.resting && approach > soft) wake(world_, pair_.body_b, tau_);
    if (approach >= world_.least_speed) return false;
    return try_to_rest(world_, B_.is_awake() ? pair_.body_b : pair_.body_a, tau_);
  }

  /// A slow touch within a group concerns all of it: bounces of single pairs would only shake it.
  [[nodiscard]] bool is_part_of_group() {
    if (!A_.is_awake() && !B_.is_awake()) return false;
    return (A_.carries > 0 || B_.carries > 0) && std::abs(slowest()) < 1.1 * parting_speed(world_, A_, B_);
  }

  bool collide() {
    const model::SurfacePair surface = model::surface_pair(world_.model, pair_.material_a, pair_.material_b);
    const Real least_speed =
        std::max(least_speed_of(world_, A_, pair_.body_b, tau_), least_speed_of(world_, B_, pair_.body_a, tau_));
    const bool settled = motion::resolve_touch(touch_body(A_, state_a_, tau_), touch_body(B_, state_b_, tau_),
                                               touch_.separation.normal, points_, {surface, least_speed}, impacts_);
    for (const motion::TouchImpact& impact : impacts_) {
      record(world_, pair_.body_a, pair_.body_b, tau_, touch_.separation.normal, impact, surface);
      if (-impact.problem.v.z() < world_.least_speed) A_.slow = B_.slow = true;
    }
    return settled;
  }

  /// The pair separates with v > 0 although its distance is within the tolerance of the search: so close, the search
  /// may fail to tell normal and distance. It cannot meet again before 2v/a, so the search goes on a little later,
  /// where the gap is a hundred times that tolerance. Later by a thousandth of the step at least, so that this ends:
  /// should they meet before, they are found closing there, at a depth of a t²/2.
  void look_again_later(Real v) {
    const Real a = max_point_acceleration(A_) + max_point_acceleration(B_);
    const Real gap = 100 * collision::TimeOfImpactSettings{}.tolerance * (1 + A_.radius + B_.radius);
    Touch later = touch_;
    later.pair.tau += std::max(std::min(gap / v, a > 0 ? v / a : world_.dt()), world_.dt() / 1000);
    if (later.pair.tau < world_.dt()) find_touch_again(world_, later);
  }

  void carry_or_stop() {
    if (world_.rests && carry_group(world_, pair_.body_a, pair_.body_b, tau_)) return;
    stop(world_, model::RunStatus::Zeno, pair_.body_a, pair_.body_b, tau_,
         fmt::format("'{}' and '{}' would hit each other without end from t = {:.9g} s on (Zeno)",
                     world_.name(pair_.body_a), world_.name(pair_.body_b), world_.time(tau_)));
  }

  World::Data& world_;
  const Touch& touch_;
  Pair pair_;
  Real tau_;
  Body& A_;
  Body& B_;
  motion::BodyState state_a_, state_b_;
  std::vector<Vec3> points_;
  std::vector<motion::TouchImpact> impacts_;
};

bool is_void(const World::Data& world, const Touch& touch) {
  const Pair pair = pair_of(world, touch);
  return world.bodies[pair.body_a].stamp != touch.stamp_a || world.bodies[pair.body_b].stamp != touch.stamp_b;
}

}  // namespace

motion::TouchBody touch_body(const Body& body, motion::BodyState& state, Real tau) {
  if (body.is_awake()) return {&body.mass, &state};
  return {nullptr, nullptr, body.guided->pose(tau).p, body.guided->velocity(tau), body.guided->angular_velocity(tau)};
}

void record(World::Data& world, std::uint32_t body_a, std::uint32_t body_b, Real tau, const Vec3& normal,
            const motion::TouchImpact& impact, const model::SurfacePair& surface) {
  model::Event event;
  event.time = world.time(tau);
  event.body_a = body_a;
  event.body_b = body_b;
  event.point = impact.point;
  event.normal = normal;
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
  outside(body_a, impact.impulse);
  outside(body_b, -impact.impulse);
}

void resolve_impacts(World::Data& world) {
  while (!world.touches.empty() && !world.at_stop()) {
    const Touch touch = world.touches.top();
    world.touches.pop();
    if (is_void(world, touch)) continue;
    if (touch.certain)
      Meeting(world, touch).resolve();
    else
      find_touch_again(world, touch);
  }
}

}  // namespace visviva::variational
