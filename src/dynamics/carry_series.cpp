#include "dynamics/carry_series.hpp"

#include <algorithm>
#include <cmath>

#include "dynamics/row_passes.hpp"
#include "dynamics/strike.hpp"

// Central bounces that are too short to follow, in closed form. Speeds after them are e v, e² v, …, flights last
// 2 e v / a, 2 e² v / a, … so all end after T = 2 e v / ((1 - e) a). Meanwhile the surfaces stay together on average:
// the mean force of the bounces balances what presses them.                                  [theory/realtime.md (9)]
namespace visviva::dynamics {

namespace {

/// Bounces of a series in one sub-step after which it counts as ended: they are far below anything that one could see.
constexpr Real kMostBounces = 1e5;

/// Of the speed that is an impact (6): what comes more slowly does not cut a series of short bounces.
constexpr Real kAside = 0.01;

class Series {
 public:
  explicit Series(ImpactPair& pair) : pair_(pair) {}

  CarriedSeries run(Real e, Real speed) {
    const Real a = pair_.pressing(), left = time_together();
    const Real first = 2 * e * speed / a;  // flight after the first bounce [s]
    Real flights = 0, bounces = 0;         // time and number until the last bounce in this sub-step
    bool ends = false;
    if (e < 1) {
      const Real all = first / (1 - e);
      ends = all <= left;
      // Largest k with (1 - e^k) all <= left: powers one by one, to have the same bits everywhere.
      Real power = 1;
      while (!ends && (1 - power * e) * all <= left) {
        power *= e;
        ends = ++bounces >= kMostBounces;
      }
      flights = ends ? std::min(all, left) : (1 - power) * all;
      if (ends)
        speed = 0;
      else
        speed *= power;
    } else {
      bounces = std::floor(left / first);
      flights = bounces * first;
    }
    return stay_together(e, speed, flights, bounces, ends);
  }

 private:
  /// Whether two bodies may come together so fast along their last normal that a series has to end before.
  [[nodiscard]] bool is_closing(const Contact& contact) const {
    const Body &A = pair_.world.bodies[contact.body_a], &B = pair_.world.bodies[contact.body_b];
    const Vec3& n = contact.axis.normal;
    if (n.isZero(0)) return true;
    const Real t0 = std::max(A.path.start, B.path.start);
    const Real turning = A.path.max_angular_speed() * pair_.world.shapes[contact.shape_a]->radius +
                         B.path.max_angular_speed() * pair_.world.shapes[contact.shape_b]->radius;
    const Real first = -n.dot(B.path.velocity(t0) - A.path.velocity(t0));
    const Real last = -n.dot(B.path.velocity(pair_.world.h) - A.path.velocity(pair_.world.h));
    return !(std::max(first, last) + turning <= kAside * contact.closing);
  }

  /// How long the two may stay together in this sub-step until one of them meets something else [s].
  [[nodiscard]] Real time_together() {
    const Real force = pair_.pressing() / pair_.make_problem(pair_.points.at(0), 0).W(2, 2);
    const Vec3 stop = pair_.approach() / pair_.make_problem(pair_.points.at(0), 0).W(2, 2) * pair_.points.normal;
    const SubstepPath paths[2] = {pair_.A.body.path, pair_.B.body.path};
    for (ImpactSide* side : {&pair_.A, &pair_.B}) {
      if (!side->moves) continue;
      const Real sign = side == &pair_.A ? -1 : 1;
      SubstepPath& path = side->body.path;
      path.start = pair_.touch.time;
      path.x = side->state.x;
      path.v = side->state.v + side->inverse_mass.cwiseProduct(sign * stop);
      path.R = side->state.R;
      path.w = side->state.w;
      path.a += side->inverse_mass.cwiseProduct(sign * force * pair_.points.normal);
      path.bound_turning();
    }
    Real end = pair_.world.h;
    for (const std::uint32_t index : {pair_.contact.body_a, pair_.contact.body_b}) {
      if (!pair_.world.bodies[index].is_dynamic()) continue;
      for (std::uint32_t number = pair_.world.bodies[index].first_contact; number != kNone;
           number = next_contact(pair_.world, number, index)) {
        const Contact& other = pair_.world.contacts[number];
        if (number == pair_.touch.contact || other.is_sensor || other.dropped || other.crowded || other.held) continue;
        Touch touch;
        if (is_closing(other) && may_reach(pair_.world, other) &&
            find_touch(pair_.world, number, pair_.touch.time, touch))
          end = std::min(end, touch.time);
      }
    }
    pair_.A.body.path = paths[0];
    pair_.B.body.path = paths[1];
    // As often as other impacts: then it goes on to the end of the sub-step, whatever is in the way.
    if (end < pair_.world.h && ++pair_.contact.impacts > pair_.world.settings.max_impacts) end = pair_.world.h;
    return end - pair_.touch.time;
  }

  /// Bounces from now on for a time, then one that leaves with e times `last`, or none if they are over.
  CarriedSeries stay_together(Real e, Real last, Real flights, Real bounces, bool ends) {
    const Vec3 &n = pair_.points.normal, point = pair_.points.at(0);
    const Real force = pair_.pressing() / pair_.make_problem(point, 0).W(2, 2);
    // One impulse that stops the approach and holds for all flights, with the friction that it allows.
    impact::ImpactProblem problem = pair_.make_problem(point, 0);
    const Real normal = (-problem.v.z() + e * last) / problem.W(2, 2) + force * flights;
    problem.friction *= normal / std::max(-problem.v.z() / problem.W(2, 2), 1e-300);
    const impact::ImpactResult stop = impact::solve(problem);
    if (!(stop.impulse.allFinite() && stop.impulse.z() > 0)) return {};
    ImpactEvent event =
        new_impact_event(pair_, point, pair_.make_problem(point, pair_.contact.surface.restitution), stop.impulse);
    event.rebound_speed = e * last;
    event.bounces = static_cast<int>(std::min(bounces + 1, 1e9));
    event.friction_loss = -stop.work_friction;
    const Real kick = e * last / problem.W(2, 2);
    event.restitution_loss = -(stop.work_compression + stop.work_restitution) - kick * e * last / 2;
    event.impulse += kick * n;
    record_impact(pair_, event);
    pair_.world.impacts.back().impulse += force * flights * n;  // which holds them together on average
    // With the kick at the end of the flights; until then nothing parts them.
    pair_.set_settled(ends);
    if (flights > 0) hold_for(flights, kick, force);
    return {true, flights > 0 ? flights : 0, flights > 0 ? force : 0};
  }

  /// Both bodies go on for a time as if pressed together by `force`, after which they leave with the kick.
  void hold_for(Real duration, Real kick, Real force) {
    const Vec3& n = pair_.points.normal;
    for (ImpactSide* side : {&pair_.A, &pair_.B}) {
      if (!side->moves) continue;
      const Real sign = side == &pair_.A ? -1 : 1;
      const Vec3 a = side->body.path.a + side->inverse_mass.cwiseProduct(sign * force * n);
      const Vec3 v = side->state.v - side->inverse_mass.cwiseProduct(sign * kick * n);
      side->state.v = v;
      side->a_after = side->body.path.a;
      begin_path(pair_.world, side->body, pair_.touch.time, side->state);
      side->body.path.a = a;
      side->state = side->body.path.at(pair_.touch.time + duration);
      side->state.v += side->inverse_mass.cwiseProduct(sign * kick * n);
    }
  }

  ImpactPair& pair_;
};

}  // namespace

CarriedSeries carry_series(ImpactPair& pair, Real restitution, Real speed) {
  return Series(pair).run(restitution, speed);
}

}  // namespace visviva::dynamics
