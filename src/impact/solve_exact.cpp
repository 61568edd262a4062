#include "impact/solve_exact.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "impact/centrifugal.hpp"
#include "impact/validity.hpp"

// One impact, to rounding.
// Problem: slip γ' = -mu B γ/|γ| + d from γ-, with vz and the stored energy E along it; unknown is where E, vz or Iz
//   meet the law's end.   [impact (31), (11)]
// Method: in the variable σ of slip_series.hpp the equation is regular, and its Taylor series carries the whole state
//   over a step; the way down to γ = 0, infinitely long in σ, is summed by approach_to_stop.hpp; straight slip, stick
//   and resumed slip are lines in I, where c and r are roots of a linear and a quadratic equation.
// Stop: events are roots of the series inside a step; every impact ends [theory/impact (6)].
// Cost: 5 expansions by mean, hundreds in near-degenerate problems.   Derivation: docs/theory/impact.md.
namespace visviva::impact {
namespace {

constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();
/// |g| over its scale below which a direction is invariant: the rounding of g itself.
constexpr Real kOnRay = 4 * kEpsilon;
/// The same for an attracting direction on the way, where the slip itself carries the rounding of the steps.
constexpr Real kOnAttractor = 16 * kEpsilon;
/// |γ| over |γ-| below which slip is nothing but rounding.
constexpr Real kNoSlip = 0x1p-60;
constexpr Real kNoNumber = 0x1p-600;
/// Farthest turn to an attracting direction that is taken for its own sake: its square is rounding [rad].
constexpr Real kSnapAngle = 1e-8;
/// Rate of vz over its scale below which an impulse moves nothing: the rounding of the rate itself.
constexpr Real kNoMotion = 16 * kEpsilon;
/// Beyond this friction stops any slip at once, within rounding.
constexpr Real kLargestFriction = 1e90;
/// More steps than any impact takes.
constexpr int kMaxSteps = 20'000;
/// When a curve is drawn, the last of the slip that is drawn straight, relative to the slip at the start.
constexpr Real kDrawnStraight = 1e-3;

Real cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

}  // namespace

/// Ends of the pieces of a step in which a function is monotone.
struct ExactImpact::Breaks {
  std::array<Real, 8> at;
  int count = 0;
  void push(Real x) { at[static_cast<std::size_t>(count++)] = x; }
  [[nodiscard]] const Real* begin() const { return at.data(); }
  [[nodiscard]] const Real* end() const { return at.data() + count; }
};

ExactImpact::ExactImpact(const ImpactProblem& problem, Law law, std::vector<PathPoint>* path, int points)
    : law_(law), path_(path), points_(points) {
  const Mat3 W = symmetric_part(problem.W);
  const ImpactUnits units(W, problem.v);
  const Mat3 scaled_W = units.per_inverse_mass()(W);
  v_before_ = units.per_velocity()(problem.v);
  impulse_out_ = units.impulse();
  velocity_out_ = units.velocity();
  energy_out_ = units.energy();
  p_.B = scaled_W.topLeftCorner<2, 2>();
  p_.d = scaled_W.topRightCorner<2, 1>();
  p_.W33 = scaled_W(2, 2);
  p_.mu = std::min(problem.friction, kLargestFriction);
  e_ = problem.restitution;
  const Real norm_d = p_.d.norm();
  p_.rate_scale = p_.mu * p_.B.trace() + norm_d;
  monotone_ = p_.W33 > p_.mu * norm_d;  // [impact (18)]
  steepest_ = p_.W33 + p_.mu * norm_d;
  s_.I = Vec3::Zero();
  s_.vz = v_before_.z();
  s_.E = 0;
  set_gamma(v_before_.head<2>());
  units_ = {s_.r, v_before_.z() * v_before_.z() / p_.W33};
  result_.status = Status::Solved;
}

ImpactResult ExactImpact::run() {
  begin();
  while (!over_) {
    if (++result_.iterations > kMaxSteps) {
      result_.status = Status::IterationLimit;
      break;
    }
    if (may_jump() && !(path_ && s_.r > kDrawnStraight * v_before_.head<2>().norm())) {
      const auto rest = approach_to_stop(p_, s_.u, s_.r);
      if (rest && jump_to_stop(*rest)) break;
    }
    if (!slide_straight_to_end()) slide_by_series();
  }
  ImpactResult result;
  finish(result);
  return result;
}

void ExactImpact::begin() {
  trace_point();
  if (p_.mu == 0) {
    slide_without_friction();
  } else if (s_.r == 0) {
    continue_from_rest();
  } else if (on_invariant_direction()) {
    record(EventKind::Slide);
    slide_straight();
  }
}

// ---- straight pieces: I' constant ----

bool ExactImpact::on_invariant_direction() const {
  return std::abs(left_of(s_.u).dot(slip_rate())) <= kOnRay * p_.rate_scale;  // [impact (33)]
}

Real ExactImpact::turning_slope() const {  // g' of theory/impact (10)
  const Vec2 n = left_of(s_.u);
  return -(s_.u.dot(slip_rate()) + p_.mu * n.dot(p_.B * n));
}

bool ExactImpact::slide_straight_to_end() {
  const Vec2 F = slip_rate(), n = left_of(s_.u);
  const Real g = n.dot(F), dg = turning_slope();
  // Near a repelling direction the distance to it still decides where the slip goes.
  const bool straight =
      dg < 0 && std::abs(g) <= kOnAttractor * p_.rate_scale / units_.weight(s_.r) && std::abs(g) <= kSnapAngle * -dg;
  if (straight)
    s_.u = (s_.u - (g / dg) * n).normalized();
  else if (!is_rounding_of_rest())
    return false;
  slide_straight();
  return true;
}

/// Whether the slip is on its way to γ = 0 and too small to matter. Where γ = 0 is passed by and left again, in the
/// centrifugal direction, only the end of the number range counts as such.
bool ExactImpact::is_rounding_of_rest() const {
  if (!(s_.r < kNoSlip * units_.speed && s_.u.dot(slip_rate()) < 0)) return false;
  return s_.r < kNoNumber * units_.speed || !centrifugal_direction(p_.B, p_.d, p_.mu);
}

/// Slides along u, to γ = 0 and on if it comes to that.   [impact (32), (43)]
void ExactImpact::slide_straight() {
  const Real f = rate_of_speed(p_.B, p_.d, p_.mu, s_.u);
  advance_on_line(-p_.mu * s_.u, f, f < 0 ? -s_.r / f : kInfinity);
  if (over_) return;
  s_.r = 0;
  continue_from_rest();
}

/// γ = 0: the contact sticks or slips on in the centrifugal direction.   [impact (38)]
void ExactImpact::continue_from_rest() {
  record(EventKind::Stop);
  if (const auto direction = centrifugal_direction(p_.B, p_.d, p_.mu)) {
    s_.u = *direction;
    advance_on_line(-p_.mu * s_.u, s_.u.dot(slip_rate()), kInfinity);
  } else {
    // ‖B⁺d‖ <= mu, but for a B so ill-conditioned that its pseudoinverse is rounding.
    const Vec2 rate = sticking_rate(p_.B, p_.d);
    advance_on_line(rate * std::min(1.0, p_.mu / std::max(rate.norm(), std::numeric_limits<Real>::min())), 0,
                    kInfinity);
  }
}

void ExactImpact::slide_without_friction() {  // [impact §2.4]
  advance_on_line(Vec2::Zero(), 0, kInfinity);
}

/// Follows I' = (rate, 1) with |γ|' = f for at most `length` of Iz.
void ExactImpact::advance_on_line(const Vec2& rate, Real f, Real length) {
  const Real d_rate = p_.d.dot(rate);
  Real a = p_.W33 + d_rate;  // vz'
  if (std::abs(a) <= kNoMotion * (p_.W33 + p_.d.norm() * rate.norm())) a = 0;
  if (compressing_) {
    const Real to_c = a > 0 ? -s_.vz / a : kInfinity;
    if (!(to_c < length)) return leave_line(rate, f, a, length);
    move_on_line(rate, f, a, to_c);
    s_.vz = 0;
    end_compression();
    if (over_) return;
    length -= to_c;
  }
  const Real to_r = line_to_end(a);
  if (!(to_r < length)) return leave_line(rate, f, a, length);
  move_on_line(rate, f, a, to_r);
  end_restitution();
}

/// No event before the end of the line; one without end then never comes to an event.
void ExactImpact::leave_line(const Vec2& rate, Real f, Real a, Real length) {
  if (length == kInfinity) return jam();
  move_on_line(rate, f, a, length);
}

/// Iz from here to the end of restitution while vz' = a.
Real ExactImpact::line_to_end(Real a) const {
  if (law_ == Law::Poisson) return std::max(Iz_end_ - s_.I.z(), 0.0);
  if (law_ == Law::Newton) return a > 0 ? std::max((vz_end_ - s_.vz) / a, 0.0) : kInfinity;
  // E = vz x + a x²/2, the smallest root that is not behind us, without cancellation   [impact (46)]
  const Real discriminant = s_.vz * s_.vz + 2 * a * s_.E;
  if (discriminant < 0) return kInfinity;
  const Real root = std::sqrt(discriminant);
  if (s_.vz >= 0) return s_.vz + root > 0 ? 2 * s_.E / (s_.vz + root) : kInfinity;
  return a > 0 ? (root - s_.vz) / a : kInfinity;
}

void ExactImpact::move_on_line(const Vec2& rate, Real f, Real a, Real x) {
  if (path_) trace_line(rate, f, a, x);
  const Real work = x * (s_.vz + 0.5 * a * x);
  s_.I += x * Vec3(rate.x(), rate.y(), 1);
  s_.vz += a * x;
  s_.E -= work;
  N_ += work;
  if (p_.mu > 0)
    s_.r = std::max(s_.r + f * x, 0.0);
  else
    set_gamma(v_before_.head<2>() + s_.I.z() * p_.d);
}

// ---- curved pieces ----

bool ExactImpact::jump_to_stop(const ApproachToStop& rest) {
  SlipState stop = s_;
  stop.I += Vec3(rest.impulse_t.x(), rest.impulse_t.y(), rest.impulse_z);
  stop.vz += rest.dv;
  stop.E -= stop.vz * rest.impulse_z + rest.work_about_stop;
  stop.r = 0;
  if (compressing_ && monotone_ ? stop.vz > 0 : !has_no_event(stop)) {
    // Monotone: the event comes first. Otherwise it may, and the next try waits until the bounds are tighter.
    try_stop_below_ = monotone_ ? 0 : 0.25 * s_.r;
    return false;
  }
  advance(stop);
  trace_point();
  continue_from_rest();
  return true;
}

/// Whether a state that was reached without an event lies beyond the end of restitution.
bool ExactImpact::is_past_end(const SlipState& state) const {
  switch (law_) {
    case Law::Poisson:
      return state.I.z() > Iz_end_;
    case Law::Newton:
      return state.vz > vz_end_;
    case Law::Stronge:
      break;
  }
  return state.E < 0;
}

bool ExactImpact::has_no_event(const SlipState& next) const {
  if (!compressing_ && is_past_end(next)) return false;
  if (monotone_) return !compressing_ || next.vz < 0;
  // vz lies between two lines of slope ±(W33 + mu|d|) through each end: it keeps its sign if they do.
  const Real sum = s_.vz + next.vz, swing = steepest_ * (next.I.z() - s_.I.z());
  if (compressing_) return sum + swing < 0;
  switch (law_) {
    case Law::Poisson:
      return true;
    case Law::Newton:
      return sum + swing < 2 * vz_end_;
    case Law::Stronge:
      break;
  }
  return std::abs(sum) > swing;
}

/// One expansion.
void ExactImpact::slide_by_series() {
  const SlipStep step(p_, s_, units_);
  const SlipState at_end = step.at(step.length());
  if (has_no_event(at_end)) {
    if (path_) trace_series(step, 0, step.length(), 0);
    return advance(at_end);
  }
  const Breaks breaks = pieces_of_vz(step, at_end);
  Real from = 0, loss = 0;
  const auto state_at = [&](Real sigma) {
    if (path_) trace_series(step, from, sigma, loss);
    SlipState state = step.at(sigma);
    state.E -= loss;
    return state;
  };
  if (compressing_) {
    const Real at = first_rise(step.vz(), breaks, 0);
    if (at < kInfinity) {
      const SlipState at_c = state_at(at);
      if (advance_to_compression_end(at_c) || e_ < kSmallRestitution) return;
      from = at;
      loss = at_c.E - s_.E;
    }
  }
  if (!compressing_) {
    const Real at = end_of_restitution(step, breaks, from, loss);
    if (at < kInfinity) return advance_to_end(state_at(at));
  }
  advance(state_at(step.length()));
}

void ExactImpact::advance(const SlipState& next) {
  N_ += s_.E - next.E;
  s_ = next;
}

bool ExactImpact::advance_to_compression_end(const SlipState& at_c) {
  advance(at_c);
  s_.vz = 0;
  end_compression();
  return over_;
}

void ExactImpact::advance_to_end(const SlipState& at_r) {
  advance(at_r);
  end_restitution();
}

ExactImpact::Breaks ExactImpact::pieces_of_vz(const SlipStep& step, const SlipState& at_end) const {
  Breaks breaks;
  const Real h = step.length();
  if (!monotone_) {
    // Slip turns one way only, from u to at_end.u, so that vz' = r (W33 - mu d·u) changes its sign once if it has
    // different signs at the ends, and otherwise twice or never: twice if it does so at its extremum, where u ∥ d.
    const auto slope_at = [this](const Vec2& u) { return p_.W33 - p_.mu * p_.d.dot(u); };
    const bool up = slope_at(s_.u) > 0;
    if (up != (slope_at(at_end.u) > 0)) {
      breaks.push(zero_between(step.vz_slope(), 0, h));
    } else if (cross(s_.u, p_.d) * cross(p_.d, at_end.u) > 0 && (p_.d.dot(s_.u) > 0) == up) {
      const Real middle = zero_between(step.cross_with_d(), 0, h);
      if (up != (slope_at(step.at(middle).u) > 0)) {
        breaks.push(zero_between(step.vz_slope(), 0, middle));
        breaks.push(zero_between(step.vz_slope(), middle, h));
      }
    }
  }
  breaks.push(h);
  return breaks;
}

/// First x > from at which f, negative at `from`, becomes zero or more; infinity if there is none.
Real ExactImpact::first_rise(const Polynomial& f, const Breaks& breaks, Real from) {
  for (const Real to : breaks) {
    if (to <= from) continue;
    if (evaluate(f, to) >= 0) return from > 0 && evaluate(f, from) >= 0 ? from : zero_between(f, from, to);
    from = to;
  }
  return kInfinity;
}

/// σ > from at which restitution ends; infinity if it does not in this step. `loss`: of energy since the step's start.
Real ExactImpact::end_of_restitution(const SlipStep& step, const Breaks& breaks, Real from, Real loss) const {
  if (law_ == Law::Poisson) {
    Polynomial f = step.Iz();
    f[0] -= Iz_end_;
    return first_rise(f, breaks, from);
  }
  const Polynomial vz = step.vz();
  if (law_ == Law::Newton) {
    Polynomial f = vz;
    f[0] -= vz_end_;
    return first_rise(f, breaks, from);
  }
  Polynomial f = step.minus_E();
  f[0] += loss;
  if (monotone_) return first_rise(f, breaks, from);
  // E falls while vz > 0: its monotone pieces end where vz changes its sign.
  Breaks pieces;
  Real left = from, vz_left = s_.vz;
  for (const Real to : breaks) {
    if (to <= from) continue;
    const Real vz_to = evaluate(vz, to);
    if (vz_left * vz_to < 0) pieces.push(zero_between(vz, left, to));
    pieces.push(to);
    left = to;
    vz_left = vz_to;
  }
  return first_rise(f, pieces, from);
}

// ---- events and results ----

void ExactImpact::end_compression() {
  record(EventKind::Compression);
  compressing_ = false;
  try_stop_below_ = kInfinity;
  N_compression_ = N_;
  if (law_ == Law::Stronge) s_.E *= e_ * e_;
  Iz_end_ = (1 + e_) * s_.I.z();
  vz_end_ = -e_ * v_before_.z();
  trace_point();
  // Also if e is so small that nothing is left of restitution but rounding.
  const bool over = law_ == Law::Stronge ? !(s_.E > 0) : law_ == Law::Poisson ? !(Iz_end_ > s_.I.z()) : !(vz_end_ > 0);
  if (over) end_restitution();
}

void ExactImpact::end_restitution() {
  if (law_ == Law::Stronge) s_.E = 0;
  record(EventKind::Restitution);
  over_ = true;
}

void ExactImpact::jam() {
  result_.status = Status::Jammed;
  over_ = true;
}

void ExactImpact::set_gamma(const Vec2& gamma) {
  s_.r = gamma.norm();
  s_.u = s_.r > 0 ? Vec2(gamma / s_.r) : Vec2(Vec2::UnitX());
}

void ExactImpact::record(EventKind kind) {
  result_.sequence.push({kind, impulse_out_(s_.I), velocity_out_(velocity()), energy_out_(s_.E)});
}

void ExactImpact::finish(ImpactResult& result) const {
  result = result_;
  if (result.status == Status::Jammed) {
    result.sequence = {};
    result.v = velocity_out_(v_before_);
    return;
  }
  result.impulse = impulse_out_(s_.I);
  result.v = velocity_out_(velocity());
  result.work_compression = energy_out_(N_compression_);
  result.work_restitution = energy_out_(N_ - N_compression_);
  // All work changes kinetic energy: friction's is what the normal work leaves.   [theory/impact (8)]
  const bool slipped = p_.mu > 0 && (v_before_.x() != 0 || v_before_.y() != 0 || s_.r > 0);
  const Real all = s_.I.dot(0.5 * (v_before_ + velocity()));
  result.work_friction = slipped ? energy_out_(std::min(all - N_, 0.0)) : 0;
}

// ---- the curve ----

void ExactImpact::trace_point() {
  if (path_) path_->push_back({impulse_out_(s_.I), velocity_out_(velocity()), energy_out_(s_.E)});
}

void ExactImpact::trace_line(const Vec2& rate, Real f, Real a, Real x) {
  const SlipState start = s_;
  const Real N_start = N_;
  std::vector<PathPoint>* const path = std::exchange(path_, nullptr);
  for (int i = 1; i <= points_; ++i) {
    move_on_line(rate, f, a, x * i / points_);
    path_ = path;
    trace_point();
    path_ = nullptr;
    s_ = start;
    N_ = N_start;
  }
  path_ = path;
}

void ExactImpact::trace_series(const SlipStep& step, Real from, Real to, Real loss) {
  const SlipState start = s_;
  for (int i = 1; i <= points_; ++i) {
    s_ = step.at(from + (to - from) * i / points_);
    s_.E -= loss;
    trace_point();
  }
  s_ = start;
}

}  // namespace visviva::impact
