#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "impact/approach_to_stop.hpp"
#include "impact/scaling.hpp"
#include "impact/slip_step.hpp"
#include "visviva/impact/path.hpp"
#include "visviva/impact/problem.hpp"
#include "visviva/impact/result.hpp"
#include "visviva/impact/settings.hpp"

namespace visviva::impact {

/// The answer to a problem that is not valid, not approaching or immovable.
[[nodiscard]] std::optional<ImpactResult> answer_without_impact(const ImpactProblem& problem);

/// The course of one impact, in units in which W33 and |vz-| are between 1 and 2 by exact powers of two: results scale
/// bit for bit.
class ExactImpact {
 public:
  /// `problem` is valid and approaching. If `path` is given it receives the impact as a curve, `points` a piece.
  ExactImpact(const ImpactProblem& problem, Law law, std::vector<PathPoint>* path = nullptr, int points = 16);

  ImpactResult run();

 private:
  static constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

  /// Does what is not curved slip.
  void begin();
  /// The impact is over.
  void finish(ImpactResult& result) const;

  [[nodiscard]] Vec2 slip_rate() const { return p_.d - p_.mu * (p_.B * s_.u); }  ///< γ' in slip   [impact (31)]
  [[nodiscard]] bool on_invariant_direction() const;
  [[nodiscard]] Real turning_slope() const;
  [[nodiscard]] bool is_rounding_of_rest() const;
  void slide_straight();
  void continue_from_rest();
  void slide_without_friction();

  void advance_on_line(const Vec2& rate, Real f, Real length);
  void leave_line(const Vec2& rate, Real f, Real a, Real length);
  [[nodiscard]] Real line_to_end(Real a) const;
  void move_on_line(const Vec2& rate, Real f, Real a, Real x);

  /// False while an event is known to come before γ = 0.
  [[nodiscard]] bool may_jump() const { return s_.r <= try_stop_below_; }
  /// Goes to γ = 0, and from there to the end, if no event lies before it.   [theory/impact (17)]
  bool jump_to_stop(const ApproachToStop& rest);
  /// On an attracting invariant direction: slides to the end. False if it is none.
  bool slide_straight_to_end();
  /// Goes on to a state before the next event.
  void advance(const SlipState& next);
  /// Goes on to the end of compression. True if the impact ended there.
  bool advance_to_compression_end(const SlipState& at_c);
  void advance_to_end(const SlipState& at_r);
  /// Whether no event can lie between the state and one further on in the slip.
  [[nodiscard]] bool has_no_event(const SlipState& next) const;
  void slide_by_series();
  struct Breaks;
  [[nodiscard]] Breaks pieces_of_vz(const SlipStep& step, const SlipState& at_end) const;
  [[nodiscard]] static Real first_rise(const Polynomial& f, const Breaks& breaks, Real from);
  [[nodiscard]] Real end_of_restitution(const SlipStep& step, const Breaks& breaks, Real from, Real loss) const;
  [[nodiscard]] bool is_past_end(const SlipState& state) const;

  void end_compression();
  void end_restitution();
  void jam();
  void set_gamma(const Vec2& gamma);
  [[nodiscard]] Vec3 velocity() const { return {s_.r * s_.u.x(), s_.r * s_.u.y(), s_.vz}; }
  void record(EventKind kind);
  void trace_point();
  void trace_line(const Vec2& rate, Real f, Real a, Real x);
  void trace_series(const SlipStep& step, Real from, Real to, Real loss);

  // the problem, in scaled units
  Law law_;
  PowerOfTwo impulse_out_, velocity_out_, energy_out_;  ///< from scaled units to the caller's
  SlipProblem p_;
  Vec3 v_before_;
  Real e_;
  SlipUnits units_;
  Real steepest_;  ///< bound of |vz'|
  bool monotone_;  ///< vz' > 0 throughout   [impact (18)]

  // the state
  SlipState s_;             ///< also in stick: r = 0
  Real N_ = 0;              ///< normal work so far
  Real N_compression_ = 0;  ///< at c
  bool compressing_ = true;
  bool over_ = false;
  Real try_stop_below_ = kInfinity;  ///< speed below which the way to γ = 0 may be free of events
  Real Iz_end_ = 0, vz_end_ = 0;     ///< end of restitution for Poisson, for Newton

  ImpactResult result_;
  std::vector<PathPoint>* path_;
  int points_;
};

}  // namespace visviva::impact
