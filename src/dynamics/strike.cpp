#include "dynamics/strike.hpp"

#include <algorithm>
#include <cmath>

#include "dynamics/breakable_data.hpp"
#include "visviva/impact/contact.hpp"
#include "visviva/motion/resolve_touch.hpp"

// Problem: the impulses of one impact, with joints that are redundant, that stop, or that break. Method: the impact
// room solves it for one point at a time; of several the centre of pressure is that point [theory/realtime.md, 3];
// joints that bear less than their part give what they bear and are gone                             [theory/joints.md
// (28)].
namespace visviva::dynamics {

namespace {

/// Of what an impulse does at a touch: where joints would give more, since the velocities before it are not what they
/// allow, these are made so first [-].
constexpr Real kGift = 0.05;

/// Impulses at one touch until none of its points closes.
constexpr int kMaxRounds = 20;

/// Times that an impulse is found again because other stops of joints push than was thought: friction may turn it.
constexpr int kMostChoices = 4;

/// Applies the impulse of an event, and books it.
void act(ImpactPair& pair, const ImpactEvent& event) {
  if (pair.world.settings.keep_ledger) {
    pair.world.ledger.friction.add(-event.friction_loss);
    pair.world.ledger.restitution.add(-event.restitution_loss);
    // What the relative velocity of conveyors and of bodies with a given motion makes of the impulse.
    pair.world.ledger.kinematic.add(pair.A.given_work(-event.impulse, event.point) +
                                    pair.B.given_work(event.impulse, event.point) -
                                    event.impulse.dot(pair.contact.conveyor));
  }
  pair.apply(event.impulse, event.point);
}

void tell(ImpactPair& pair, const ImpactEvent& event) {
  BreakableData* const breakables = pair.world.breakables.get();
  if (breakables != nullptr && (pair.A.body.stopped || pair.B.body.stopped))
    breakables->one_sided.push_back({static_cast<std::uint32_t>(pair.world.impacts.size()),
                                     pair.A.moves   ? pair.contact.body_a
                                     : pair.B.moves ? pair.contact.body_b
                                                    : kNone,
                                     !pair.A.moves});
  pair.world.impacts.push_back(event);
  ++pair.world.report.impacts;
}

class Strike {
 public:
  explicit Strike(ImpactPair& pair) : pair_(pair) {}

  /// At the points of the touch until none closes. True if velocities have changed.
  bool run(Real e) {
    impact::ImpactSettings law;
    law.law = motion::to_impact_law(pair_.contact.surface.law);
    bool changed = false;
    const Real tolerance = 16 * pair_.rounding();
    for (int round = 0; round < kMaxRounds; ++round) {
      if (round > 0 && pair_.approach() <= tolerance) break;
      pair_.choose_stops(pair_.points.normal, pair_.points.middle());
      const Vec3 point = pair_.points.count == 1 ? pair_.points.at(0) : pair_.center_of_pressure();
      if (!act_at(point, e, law)) break;
      changed = true;
      if (pair_.points.count == 1) break;
    }
    return changed;
  }

 private:
  /// The impact with the stops that push by its impulse, friction included.
  void solve_with_stops(const Vec3& point, Real e, const impact::ImpactSettings& law, impact::ImpactProblem& problem,
                        impact::ImpactResult& result) {
    for (int k = 0; k <= kMostChoices; ++k) {
      problem = pair_.make_problem(point, e);
      result = impact::solve(problem, law);
      if (!pair_.choose_stops(impact::contact_frame(pair_.points.normal) * result.impulse, point)) break;
    }
  }

  /// Joints let nothing move there: a taut rope that stands on the ground, say. What they give way by is no motion, and
  /// no impulse could be told from it; rows hold what is pressed together.
  [[nodiscard]] bool is_jammed(const impact::ImpactProblem& problem) const {
    return pair_.joints.exist() && problem.W(2, 2) < pair_.joints.give();
  }

  /// One impulse at a point. Joints that bear less than their part of it give what they bear, and the impact goes on
  /// without them from the velocities that it has by then.                                     [theory/joints.md (28)]
  bool act_at(const Vec3& point, Real e, const impact::ImpactSettings& law) {
    impact::ImpactProblem problem;
    impact::ImpactResult result;
    solve_with_stops(point, e, law, problem, result);
    if (!acts(result) || is_jammed(problem)) return false;
    if (close_breaches(result.impulse, problem.v, point)) {
      solve_with_stops(point, e, law, problem, result);
      if (!acts(result)) return true;
    }
    ImpactEvent told = new_impact_event(pair_, point, problem, Vec3::Zero());
    Real owed = 0;  // energy that was compressed before joints broke, and is still to come back [J]
    Real share = 0;
    while (acts(result)) {
      share = borne(result.impulse, point);
      ImpactEvent part = new_impact_event(pair_, point, problem, share * result.impulse);
      if (share == 1) {
        part.rebound_speed = result.v.z();
        part.restitution_loss = -(result.work_compression + result.work_restitution);
        part.friction_loss = -result.work_friction;
      } else {
        const Vec3 mean = problem.v + share / 2 * (result.v - problem.v), P = share * result.impulse;
        part.rebound_speed = problem.v.z() + share * (result.v.z() - problem.v.z());
        part.restitution_loss = -P.z() * mean.z();
        part.friction_loss = -P.head<2>().dot(mean.head<2>());
        owed += energy_owed(problem.v.z(), result.v.z(), result.impulse.z(), share);
      }
      add_part(part, told);
      if (share == 1) break;
      pair_.joints.part_weakest();
      pair_.choose_stops(pair_.points.normal, point);
      solve_with_stops(point, e, law, problem, result);
    }
    give_back(point, owed, told);
    tell(pair_, told);
    return true;
  }

  /// True if joints would add energy to this impact, and the velocities have been made what they allow.
  bool close_breaches(const Vec3& impulse_C, const Vec3& v_C, const Vec3& point) {
    if (!pair_.joints.exist()) return false;
    const ImpactPair::Changes tried = pair_.direct(impact::contact_frame(pair_.points.normal) * impulse_C, point);
    if (!(pair_.joints.work_at_breaches(tried.A, tried.B) > kGift * std::abs(impulse_C.dot(v_C)))) return false;
    ImpactPair::Changes change;
    if (!pair_.joints.close_breaches(change.A, change.B)) return false;
    pair_.A.state.v += change.A.v;
    pair_.A.state.w += change.A.w;
    pair_.B.state.v += change.B.v;
    pair_.B.state.w += change.B.w;
    return true;
  }

  [[nodiscard]] static bool acts(const impact::ImpactResult& result) {
    return !result.impulse.isZero(0) && result.impulse.allFinite();
  }

  /// Part of an impulse that the joints bear.
  [[nodiscard]] Real borne(const Vec3& impulse_C, const Vec3& point) {
    if (!pair_.joints.exist()) return 1;
    const ImpactPair::Changes change = pair_.direct(impact::contact_frame(pair_.points.normal) * impulse_C, point);
    return pair_.joints.share_borne(change.A, change.B);
  }

  /// Of an impact that takes the normal velocity from `before` to `after` by the impulse P, when a part of it is over:
  /// what the rest would have given back of what that part has compressed [J].
  [[nodiscard]] static Real energy_owed(Real before, Real after, Real P, Real part) {
    const Real turn = before / (before - after);  // part at which the velocity is zero
    const Real end = std::min(part, turn), bounce = after / before;
    const Real compressed = -P * end * (before + end / 2 * (after - before));
    const Real returned = P * (part - end) * (before + part * (after - before)) / 2;
    return bounce * bounce * compressed - returned;
  }

  /// By a normal impulse, of what joints bear.
  void give_back(const Vec3& point, Real owed, ImpactEvent& told) {
    while (owed > 0) {
      const impact::ImpactProblem problem = pair_.make_problem(point, 0);
      const Real W = problem.W(2, 2), u = std::max(problem.v.z(), 0.0);
      const Real P = (std::sqrt(u * u + 2 * W * owed) - u) / W;
      const Real share = borne(Vec3(0, 0, P), point), work = share * P * (u + share * P * W / 2);
      ImpactEvent part = new_impact_event(pair_, point, problem, Vec3(0, 0, share * P));
      part.rebound_speed = u + share * P * W;
      part.restitution_loss = -work;
      add_part(part, told);
      if (share == 1) return;
      pair_.joints.part_weakest();
      owed -= work;
    }
  }

  /// Applies a part of an impact and adds it to what is told.
  void add_part(const ImpactEvent& part, ImpactEvent& told) {
    act(pair_, part);
    told.impulse += part.impulse;
    told.rebound_speed = part.rebound_speed;
    told.restitution_loss += part.restitution_loss;
    told.friction_loss += part.friction_loss;
  }

  ImpactPair& pair_;
};

}  // namespace

bool strike(ImpactPair& pair, Real restitution) { return Strike(pair).run(restitution); }

ImpactEvent new_impact_event(const ImpactPair& pair, const Vec3& point, const impact::ImpactProblem& problem,
                             const Vec3& impulse_C) {
  ImpactEvent event;
  event.time = pair.world.time + pair.world.substep_start + pair.touch.time;
  event.shape_a = pair.world.shape_ids.at(pair.contact.shape_a);
  event.shape_b = pair.world.shape_ids.at(pair.contact.shape_b);
  event.body_a = pair.world.body_ids.at(pair.contact.body_a);
  event.body_b = pair.world.body_ids.at(pair.contact.body_b);
  event.point = point;
  event.normal = pair.points.normal;
  event.impulse = impact::contact_frame(pair.points.normal) * impulse_C;
  event.approach_speed = -problem.v.z();
  event.W = problem.W;
  event.v = problem.v;
  event.surface = pair.contact.surface;
  event.surface.restitution = problem.restitution;
  return event;
}

void record_impact(ImpactPair& pair, const ImpactEvent& event) {
  act(pair, event);
  tell(pair, event);
}

}  // namespace visviva::dynamics
