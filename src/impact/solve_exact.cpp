#include "impact/solve_exact.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "impact/approach_to_stop.hpp"
#include "impact/centrifugal.hpp"
#include "impact/slip_step.hpp"
#include "impact/validity.hpp"

// One impact, to rounding.
// Problem: slip γ' = -mu B γ/|γ| + d from γ-, with vz and the stored energy E as functionals;
// unknown: where E, vz or
//   Iz meet the law's end.   [impact (31), (11)]
// Method: in the variable σ of slip_series.hpp the equation is regular, and its Taylor series
// carries the whole state
//   over a step; the way down to γ = 0, infinitely long in σ, is summed by approach_to_stop.hpp;
//   straight slip, stick and resumed slip are lines in I, where c and r are roots of a linear and a
//   quadratic equation.
// Stop: events are roots of the series inside a step; every impact ends ([theory/impact (6)]).
// Cost: 2 to 10 expansions.   Derivation: docs/theory/impact.md.
namespace visviva::impact {
namespace {

constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
/// |g| over its scale below which a direction is invariant: the rounding of g itself.
constexpr Real kOnRay = 4 * kEpsilon;
/// Rate of vz over its scale below which an impulse moves nothing: the rounding of the rate itself.
constexpr Real kNoMotion = 16 * kEpsilon;
/// More steps than any impact takes.
constexpr int kMaxSteps = 20'000;
/// Below this e restitution starts with an expansion of its own.
constexpr Real kSmallRestitution = 1.0 / 16;
/// When a curve is drawn, the last of the slip that is drawn straight, relative to the slip at the
/// start.
constexpr Real kDrawnStraight = 1e-3;

/// Ends of the pieces of a step in which a function is monotone.
struct Breaks {
  std::array<Real, 20> at;
  int count = 0;
  void push(Real x) { at[static_cast<std::size_t>(count++)] = x; }
  [[nodiscard]] const Real* begin() const { return at.data(); }
  [[nodiscard]] const Real* end() const { return at.data() + count; }
};

/// First x > from at which f, negative at `from`, becomes zero or more; infinity if there is none.
Real first_rise(const Polynomial& f, const Breaks& breaks, Real from) {
  for (const Real to : breaks) {
    if (to <= from) continue;
    if (evaluate(f, to) >= 0) return zero_between(f, from, to);
    from = to;
  }
  return kInfinity;
}

/// 2^k as a factor, without overflow on the way.
Real scaled(Real x, int k) {
  return std::abs(k) <= 1000 ? x * std::bit_cast<Real>(static_cast<std::int64_t>(1023 + k) << 52) : std::scalbn(x, k);
}

int exponent(Real x) { return x == 0 ? -2000 : std::ilogb(x); }

/// The impact in units in which W33 and |vz-| are between 1 and 2, by exact powers of two: results
/// scale bit for bit.
class ExactImpact {
 public:
  ExactImpact(const ImpactProblem& problem, Law law, std::vector<PathPoint>* path, int points)
      : law_(law), path_(path), points_(points) {
    const Mat3 W = symmetric_part(problem.W);
    // A component 2^500 times larger than its reference would overflow when squared.
    exponent_W_ = std::max(exponent(W(2, 2)), exponent(W.cwiseAbs().maxCoeff()) - 500);
    exponent_v_ = std::max(exponent(problem.v.z()), exponent(problem.v.cwiseAbs().maxCoeff()) - 500);
    const Mat3 scaled_W = W.unaryExpr([this](Real x) { return scaled(x, -exponent_W_); });
    v_before_ = problem.v.unaryExpr([this](Real x) { return scaled(x, -exponent_v_); });
    p_.B = scaled_W.topLeftCorner<2, 2>();
    p_.d = scaled_W.topRightCorner<2, 1>();
    p_.W33 = scaled_W(2, 2);
    p_.mu = problem.friction;
    e_ = problem.restitution;
    const Real norm_d = p_.d.norm();
    p_.rate_scale = p_.mu * p_.B.trace() + norm_d;
    monotone_ = p_.W33 > p_.mu * norm_d;  // [impact (18)]
    steepest_ = p_.W33 + p_.mu * norm_d;
    energy_unit_ = v_before_.z() * v_before_.z() / p_.W33;
    s_.I = Vec3::Zero();
    s_.vz = v_before_.z();
    s_.E = 0;
    set_gamma(v_before_.head<2>());
  }

  ImpactResult run() {
    result_.status = Status::Solved;
    trace_point();
    if (p_.mu == 0)
      slide_without_friction();
    else
      slide();
    return finish();
  }

 private:
  void slide() {
    if (s_.r > 0 && on_invariant_direction()) {
      record(EventKind::Slide);
      if (slide_straight()) return;
    }
    while (s_.r > 0) {
      if (++result_.iterations > kMaxSteps) {
        result_.status = Status::Jammed;
        return;
      }
      if (jump_to_stop()) break;
      if (on_invariant_direction() && turning_slope() < 0) {
        if (slide_straight()) return;
        break;
      }
      if (slide_by_series()) return;
    }
    record(EventKind::Stop);
    continue_from_rest();
  }

  // ---- straight pieces: I' constant ----

  [[nodiscard]] Vec2 slip_rate() const { return p_.d - p_.mu * (p_.B * s_.u); }  ///< γ' in slip [impact (31)]

  [[nodiscard]] bool on_invariant_direction() const {
    return std::abs(left_of(s_.u).dot(slip_rate())) <= kOnRay * p_.rate_scale;  // [impact (33)]
  }
  [[nodiscard]] Real turning_slope() const {  // g' of theory/impact (10)
    const Vec2 n = left_of(s_.u);
    return -(s_.u.dot(slip_rate()) + p_.mu * n.dot(p_.B * n));
  }

  /// Slides along u until the impact ends (true) or γ = 0 (false).   [impact (32), (43)]
  bool slide_straight() {
    Real f = s_.u.dot(slip_rate());
    if (std::abs(f) <= kOnRay * p_.rate_scale) f = 0;
    const bool over = advance_on_line(-p_.mu * s_.u, f, f < 0 ? -s_.r / f : kInfinity);
    if (!over) s_.r = 0;
    return over;
  }

  /// γ = 0: the contact sticks or slips on in the centrifugal direction.   [impact (38)]
  void continue_from_rest() {
    if (const auto direction = centrifugal_direction(p_.B, p_.d, p_.mu)) {
      s_.u = *direction;
      advance_on_line(-p_.mu * s_.u, s_.u.dot(slip_rate()), kInfinity);
    } else {
      advance_on_line(sticking_rate(p_.B, p_.d), 0, kInfinity);
    }
  }

  void slide_without_friction() {  // [impact §2.4]
    advance_on_line(Vec2::Zero(), 0, kInfinity);
    set_gamma(v_before_.head<2>() + s_.I.z() * p_.d);
  }

  /// Follows I' = (rate, 1) with |γ|' = f for at most `length` of Iz. True if the impact ended.
  bool advance_on_line(const Vec2& rate, Real f, Real length) {
    const Real d_rate = p_.d.dot(rate);
    Real a = p_.W33 + d_rate;  // vz'
    if (std::abs(a) <= kNoMotion * (p_.W33 + std::abs(d_rate))) a = 0;
    if (compressing_) {
      const Real to_c = a > 0 ? -s_.vz / a : kInfinity;
      if (!(to_c < length)) return leave_line(rate, f, a, length);
      move_on_line(rate, f, a, to_c);
      s_.vz = 0;
      if (end_compression()) return true;
      length -= to_c;
    }
    const Real to_r = line_to_end(a);
    if (!(to_r < length)) return leave_line(rate, f, a, length);
    move_on_line(rate, f, a, to_r);
    record(EventKind::Restitution);
    return true;
  }

  /// No event before the end of the line. A line without end then never ends: jammed.
  bool leave_line(const Vec2& rate, Real f, Real a, Real length) {
    if (length == kInfinity) {
      result_.status = Status::Jammed;
      return true;
    }
    move_on_line(rate, f, a, length);
    return false;
  }

  /// Iz from here to the end of restitution while vz' = a.
  [[nodiscard]] Real line_to_end(Real a) const {
    if (law_ == Law::Poisson) return std::max(Iz_end_ - s_.I.z(), 0.0);
    if (law_ == Law::Newton) return a > 0 ? std::max((vz_end_ - s_.vz) / a, 0.0) : kInfinity;
    // E = vz x + a x²/2, the smallest root that is not behind us, without cancellation   [impact
    // (46)]
    const Real discriminant = s_.vz * s_.vz + 2 * a * s_.E;
    if (discriminant < 0) return kInfinity;
    const Real root = std::sqrt(discriminant);
    if (s_.vz >= 0) return s_.vz + root > 0 ? 2 * s_.E / (s_.vz + root) : kInfinity;
    return a > 0 ? (root - s_.vz) / a : kInfinity;
  }

  void move_on_line(const Vec2& rate, Real f, Real a, Real x) {
    if (path_) trace_line(rate, f, a, x);
    const Real work = x * (s_.vz + 0.5 * a * x);
    s_.I += x * Vec3(rate.x(), rate.y(), 1);
    s_.vz += a * x;
    s_.r = std::max(s_.r + f * x, 0.0);
    s_.E -= work;
    N_ += work;
  }

  // ---- curved pieces ----

  /// Goes to γ = 0 at once if the series of the approach converges and no event lies before it.
  /// [theory/impact (17)]
  bool jump_to_stop() {
    if (s_.r > try_stop_below_) return false;
    if (path_ && s_.r > kDrawnStraight * v_before_.head<2>().norm()) return false;
    const auto rest = approach_to_stop(p_, s_.u, s_.r);
    if (!rest) return false;
    SlipState stop = s_;
    stop.I += Vec3(rest->impulse_t.x(), rest->impulse_t.y(), rest->impulse_z);
    stop.vz += rest->dv;
    const Real work = stop.vz * rest->impulse_z + rest->work_about_stop;
    stop.E -= work;
    stop.r = 0;
    if (compressing_ && monotone_ ? stop.vz > 0 : !has_no_event(stop)) {
      // Monotone: the event comes first. Otherwise it may, and the next try waits until the bounds are tighter.
      try_stop_below_ = monotone_ ? 0 : 0.25 * s_.r;
      return false;
    }
    s_ = stop;
    N_ += work;
    trace_point();
    return true;
  }

  /// Whether a state that was reached without an event lies beyond the end of restitution.
  [[nodiscard]] bool is_past_end(const SlipState& state) const {
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

  /// Whether no event can lie between the state and one further on in the slip.
  [[nodiscard]] bool has_no_event(const SlipState& next) const {
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

  /// One expansion. True if the impact ended.
  bool slide_by_series() {
    const SlipStep step(p_, s_, energy_unit_);
    const SlipState at_end = step.at(step.length());
    if (has_no_event(at_end)) {
      if (path_) trace_series(step, 0, step.length(), 0);
      arrive(at_end, s_.E - at_end.E, 0);
      return false;
    }
    const Breaks breaks = pieces_of_vz(step);
    const Real E_start = s_.E, N_start = N_;
    Real from = 0, loss = 0;
    const auto move = [&](Real sigma) {
      if (path_) trace_series(step, from, sigma, loss);
      N_ = N_start;
      const SlipState state = step.at(sigma);
      arrive(state, E_start - state.E, loss);
    };
    if (compressing_) {
      const Real at = first_rise(step.vz(), breaks, 0);
      if (at < kInfinity) {
        move(at);
        s_.vz = 0;
        const Real E_c = s_.E;
        if (end_compression()) return true;
        // For a small e the rest of the energy would drown in the rounding of what was stored:
        // start anew.
        if (e_ < kSmallRestitution) return false;
        from = at;
        loss = E_c - s_.E;
      }
    }
    if (!compressing_) {
      const Real at = end_of_restitution(step, breaks, from, loss);
      if (at < kInfinity) {
        move(at);
        record(EventKind::Restitution);
        return true;
      }
    }
    move(step.length());
    return false;
  }

  [[nodiscard]] Breaks pieces_of_vz(const SlipStep& step) const {
    Breaks breaks;
    if (!monotone_) {
      // Slip turns one way only, so that vz' = r (W33 - mu d·u) changes its sign at most twice in
      // half a turn.
      constexpr int kSamples = 8;
      const Polynomial slope = step.vz_slope();
      Real left = 0, at_left = slope[0];
      for (int i = 1; i <= kSamples; ++i) {
        const Real right = step.length() * i / kSamples, at_right = evaluate(slope, right);
        if ((at_left < 0) != (at_right < 0)) breaks.push(zero_between(slope, left, right));
        left = right;
        at_left = at_right;
      }
    }
    breaks.push(step.length());
    return breaks;
  }

  /// σ > from at which restitution ends, in a step that began in compression if from > 0; infinity
  /// if it does not.
  [[nodiscard]] Real end_of_restitution(const SlipStep& step, const Breaks& breaks, Real from, Real loss) const {
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
    Real left = from, vz_left = from > 0 ? 0 : s_.vz;
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

  void arrive(const SlipState& state, Real work, Real loss) {
    s_ = state;
    s_.E -= loss;
    N_ += work;
  }

  // ---- events and results ----

  /// True if that was all (e = 0).
  bool end_compression() {
    record(EventKind::Compression);
    compressing_ = false;
    try_stop_below_ = kInfinity;
    N_compression_ = N_;
    if (law_ == Law::Stronge) s_.E *= e_ * e_;
    Iz_end_ = (1 + e_) * s_.I.z();
    vz_end_ = -e_ * v_before_.z();
    trace_point();
    const bool over = law_ == Law::Stronge ? !(s_.E > 0) : e_ == 0;
    if (over) record(EventKind::Restitution);
    return over;
  }

  void set_gamma(const Vec2& gamma) {
    s_.r = gamma.norm();
    s_.u = s_.r > 0 ? Vec2(gamma / s_.r) : Vec2(Vec2::UnitX());
  }
  [[nodiscard]] Vec3 velocity() const { return {s_.r * s_.u.x(), s_.r * s_.u.y(), s_.vz}; }

  void record(EventKind kind) {
    const bool spent = kind == EventKind::Restitution && law_ == Law::Stronge;
    result_.sequence.push({kind, impulse_out(s_.I), velocity_out(velocity()), spent ? 0 : energy_out(s_.E)});
  }

  ImpactResult finish() {
    if (result_.status == Status::Jammed) {
      ImpactResult jammed;
      jammed.status = Status::Jammed;
      jammed.iterations = result_.iterations;
      jammed.v = velocity_out(v_before_);
      return jammed;
    }
    result_.impulse = impulse_out(s_.I);
    result_.v = velocity_out(velocity());
    result_.work_compression = energy_out(N_compression_);
    result_.work_restitution = energy_out(N_ - N_compression_);
    // All work changes kinetic energy: friction's is what the normal work leaves.   [theory/impact
    // (8)]
    const bool slipped = p_.mu > 0 && (v_before_.x() != 0 || v_before_.y() != 0 || s_.r > 0);
    const Real all = s_.I.dot(0.5 * (v_before_ + velocity()));
    result_.work_friction = slipped ? energy_out(std::min(all - N_, 0.0)) : 0;
    return result_;
  }

  [[nodiscard]] Vec3 impulse_out(const Vec3& I) const {
    return I.unaryExpr([this](Real x) { return scaled(x, exponent_v_ - exponent_W_); });
  }
  [[nodiscard]] Vec3 velocity_out(const Vec3& v) const {
    return v.unaryExpr([this](Real x) { return scaled(x, exponent_v_); });
  }
  [[nodiscard]] Real energy_out(Real E) const { return scaled(E, 2 * exponent_v_ - exponent_W_); }

  // ---- the curve ----

  void trace_point() {
    if (path_) path_->push_back({impulse_out(s_.I), velocity_out(velocity()), energy_out(s_.E)});
  }
  void trace_line(const Vec2& rate, Real f, Real a, Real x) {
    const SlipState start = s_;
    const Real N_start = N_;
    std::vector<PathPoint>* const path = std::exchange(path_, nullptr);
    for (int i = 1; i <= points_; ++i) {
      move_on_line(rate, f, a, x * i / points_);
      if (p_.mu == 0) set_gamma(v_before_.head<2>() + s_.I.z() * p_.d);
      path_ = path;
      trace_point();
      path_ = nullptr;
      s_ = start;
      N_ = N_start;
    }
    path_ = path;
  }
  void trace_series(const SlipStep& step, Real from, Real to, Real loss) {
    const SlipState start = s_;
    for (int i = 1; i <= points_; ++i) {
      s_ = step.at(from + (to - from) * i / points_);
      s_.E -= loss;
      trace_point();
    }
    s_ = start;
  }

  // the problem, in scaled units
  Law law_;
  int exponent_W_, exponent_v_;
  SlipProblem p_;
  Vec3 v_before_;
  Real e_;
  Real energy_unit_;  ///< energy that a normal impact would store, twice
  Real steepest_;     ///< bound of |vz'|
  bool monotone_;     ///< vz' > 0 throughout

  // the state
  SlipState s_;             ///< also in stick: r = 0
  Real N_ = 0;              ///< normal work so far
  Real N_compression_ = 0;  ///< at c
  bool compressing_ = true;
  Real try_stop_below_ = kInfinity;  ///< speed below which the way to γ = 0 may be free of events
  Real Iz_end_ = 0, vz_end_ = 0;     ///< where Poisson's and Newton's laws end restitution

  ImpactResult result_;
  std::vector<PathPoint>* path_;
  int points_;
};

}  // namespace

ImpactResult solve_exact(const ImpactProblem& problem, Law law, std::vector<PathPoint>* path, int points_per_piece) {
  return ExactImpact(problem, law, path, points_per_piece).run();
}

}  // namespace visviva::impact
