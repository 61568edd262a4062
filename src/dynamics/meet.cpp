#include "dynamics/meet.hpp"

#include <algorithm>

#include "dynamics/carry_series.hpp"
#include "dynamics/strike.hpp"

// What a touch is: an impact, a bounce of a series that is too short to follow, or nothing but a contact that the rows
// hold.                                                                                     [theory/realtime.md, 3]
namespace visviva::dynamics {

namespace {

/// A flight between two bounces that is shorter than this part of a sub-step is not followed any more: central bounces
/// go on in closed form, others end.
constexpr Real kShortFlight = 0.25;

/// Sub-steps in a row in which two bodies that other contacts hold meet slowly, after which they rest on each other.
constexpr int kMeetings = 3;

/// How far an impact may be off the line of centres to count as central: friction of a bounce does not change its
/// normal velocity then.
constexpr Real kCentral = 1e-9;

class Meeting {
 public:
  Meeting(World::Data& world, const Touch& touch) : pair_(world, touch) {}

  /// True if velocities have changed.
  bool run() {
    bool changed = false;
    if (pair_.touch.at_rest) {
      for (std::uint32_t i = 0; i < pair_.world.manifold_count(pair_.contact); ++i) {
        const collision::Manifold& manifold = pair_.world.manifold(pair_.contact, i);
        pair_.points.set(manifold);
        changed |= resolve_points();
      }
    } else {
      find_points(pair_.world, pair_.contact, pair_.touch.separation, pair_.A.pose(), pair_.B.pose(), pair_.points);
      changed = resolve_points();
    }
    if (!changed) return false;
    pair_.contact.hit = true;
    restart(pair_.A);
    restart(pair_.B);
    pair_.joints.restart();
    return true;
  }

 private:
  bool resolve_points() {
    pair_.drop_immovable();
    if (pair_.points.count == 0) return false;
    const Real speed = pair_.approach();
    if (!(speed > pair_.rounding())) return false;
    Real e = pair_.contact.surface.restitution;
    // A resting contact that closes slowly, and what lands slowly without bouncing, is the solver's: (6).
    const Real gained = pair_.world.settings.impact_speeds * pair_.load() * pair_.world.h;
    if (e > 0 && std::max(speed, gained) <= kNoise * pair_.contact.closing) return false;
    const Real slow = std::max(pair_.contact.closing, gained);
    if ((pair_.touch.at_rest || pair_.contact.settled || e == 0) && speed <= slow) {
      if (e > 0) pair_.set_settled(true);
      if (pair_.contact.row_count > 0 && pair_.contact.follows) return false;
      // It was not near at the start of the step, or turns too fast: without rows it stays pressed together until the
      // end of the sub-step.
      e = 0;
      held_force_ = std::max(0.0, pair_.pressing()) / pair_.make_problem(pair_.points.at(0), 0).W(2, 2);
      is_pressed_ = true;
    }
    if (e > 0 && speed <= slow && pair_.A.is_held() && pair_.B.is_held() && ++pair_.contact.meetings >= kMeetings) {
      pair_.set_settled(true);  // other contacts hold both: they lie against each other
      e = 0;
    } else if (e > 0 && is_short(e * speed)) {
      if (pair_.points.count == 1 && pair_.pressing() > 0 && is_central() && carry(e, speed)) return true;
      pair_.set_settled(true);  // too short to follow: from here on it rests
      e = 0;
    } else if (e > 0) {
      pair_.set_settled(false);
    }
    if (++pair_.contact.impacts > pair_.world.settings.max_impacts) {
      if (pair_.contact.impacts == pair_.world.settings.max_impacts + 1) ++pair_.world.report.impacts_left;
      pair_.set_settled(true);
      e = 0;
    }
    const bool changed = strike(pair_, e);
    if (changed && e == 0) pair_.world.plastic_impacts.push_back(pair_.touch.contact);
    return changed;
  }

  /// Whether a bounce that leaves with this speed is over within a part of a sub-step.
  [[nodiscard]] bool is_short(Real speed) const { return 2 * speed < pair_.load() * kShortFlight * pair_.world.h; }
  [[nodiscard]] bool is_central() {
    if (pair_.joints.exist()) return false;  // what swings is pressed by more than its weight
    const impact::ImpactProblem problem = pair_.make_problem(pair_.points.at(0), 0);
    return problem.d().norm() <= kCentral * problem.W(2, 2);
  }

  bool carry(Real e, Real speed) {
    const CarriedSeries series = carry_series(pair_, e, speed);
    if (!series.carried) return false;
    is_series_ = true;
    shift_ = series.duration;
    if (shift_ > 0) held_force_ = series.force;
    return true;
  }

  void restart(ImpactSide& side) {
    if (!side.moves) return;
    begin_path(pair_.world, side.body, std::min(pair_.touch.time + shift_, pair_.world.h), side.state);
    if (shift_ > 0) side.body.path.a = side.a_after;
    // What has come to rest stays pressed together for the rest of the sub-step.
    if ((pair_.contact.settled && shift_ > 0) || is_pressed_)
      side.body.path.a +=
          side.inverse_mass.cwiseProduct((&side == &pair_.A ? -held_force_ : held_force_) * pair_.points.normal);
    if (!is_series_) ++side.body.impacts;  // what rests by bouncing does not rattle
  }

  ImpactPair pair_;
  Real held_force_ = 0;      ///< mean force of a series of bounces, or of what presses a contact without rows [N]
  bool is_pressed_ = false;  ///< the latter
  bool is_series_ = false;   ///< of short bounces
  Real shift_ = 0;           ///< by which the bodies are later than the touch when it is over [s]
};

}  // namespace

bool meet(World::Data& world, const Touch& touch) { return Meeting(world, touch).run(); }

}  // namespace visviva::dynamics
