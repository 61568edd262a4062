#include "impact/solve_exact.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "impact/approach_to_stop.hpp"
#include "impact/centrifugal.hpp"
#include "impact/slip_series.hpp"
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
constexpr int kOrder = 20;
/// Size of the last term of the series at the end of a step, relative to the first; what follows is
/// a fifth of it.
constexpr Real kLastTerm = 1e-15;
/// |g| over its scale below which a direction is invariant: the rounding of g itself.
constexpr Real kOnRay = 4 * kEpsilon;
/// Rate of vz over its scale below which an impulse moves nothing: the rounding of the rate itself.
constexpr Real kNoMotion = 16 * kEpsilon;
/// More steps than any impact takes; (18) violated by 1e12 takes about 200.
constexpr int kMaxSteps = 20'000;
/// When a curve is drawn, the last of the slip that is drawn straight, relative to the slip at the
/// start.
constexpr Real kDrawnStraight = 1e-3;

using Series = SlipSeries<Real, kOrder>;

Vec2 left_of(const Vec2& u) {
  return {-u.y(), u.x()};
}

/// x^(1/n) to a few per cent for x > 0, from the bits of x: the same on every machine.
Real rough_root(Real x, int n) {
  constexpr std::int64_t kOne = 0x3ff0'0000'0000'0000;
  return std::bit_cast<Real>(kOne + (std::bit_cast<std::int64_t>(x) - kOne) / n);
}

/// Length of a step: the last two terms of each series are to be at most kLastTerm. `work_weight`
/// is what a unit of the work series amounts to in the energy of the impact.
Real step_length(const Series& s, Real work_weight) {
  const auto size = [&s, work_weight](std::size_t k) {
    return std::abs(s.gx[k]) + std::abs(s.gy[k]) + std::abs(s.r[k]) +
           work_weight * std::abs(s.work[k]) + std::numeric_limits<Real>::min();
  };
  return std::min(rough_root(kLastTerm / size(kOrder), kOrder),
                  rough_root(kLastTerm / size(kOrder - 1), kOrder - 1));
}

/// The series at one σ, relative to r (work: to r²) at σ = 0.
struct SeriesPoint {
  Real gx, gy;  ///< γ
  Real z;       ///< ∫ r dσ
  Real cx, cy;  ///< ∫ γ dσ
  Real work;    ///< ∫ (vz - vz(0)) dIz
};

SeriesPoint evaluate(const Series& s, Real sigma) {
  constexpr auto over = kReciprocals<kOrder>;
  SeriesPoint p{0, 0, 0, 0, 0, 0};
  for (std::size_t k = kOrder + 1; k-- > 0;) {
    p.gx = p.gx * sigma + s.gx[k];
    p.gy = p.gy * sigma + s.gy[k];
    p.z = p.z * sigma + s.r[k] * over[k + 1];
    p.cx = p.cx * sigma + s.gx[k] * over[k + 1];
    p.cy = p.cy * sigma + s.gy[k] * over[k + 1];
    p.work = p.work * sigma + s.work[k];
  }
  p.z *= sigma;
  p.cx *= sigma;
  p.cy *= sigma;
  return p;
}

struct ValueAndSlope {
  Real value, slope;
};

template <class Coefficient>
ValueAndSlope evaluate_polynomial(Coefficient coefficient, Real sigma) {
  ValueAndSlope p{coefficient(kOrder), 0};
  for (std::size_t k = kOrder; k-- > 0;) {
    p.slope = p.slope * sigma + p.value;
    p.value = p.value * sigma + coefficient(k);
  }
  return p;
}

/// The zero of f in [a, b], where f changes sign once; Newton's method, kept inside by bisection.
template <class Function>
Real zero_between(Function f, Real a, Real b) {
  const bool rising = f(b).value > 0;
  const ValueAndSlope at_a = f(a), at_b = f(b);
  // where the parabola through f(a), f'(a), f(b) has its zero
  const Real width = b - a;
  const Real bend = (at_b.value - at_a.value - at_a.slope * width) / (width * width);
  const Real root = at_a.slope * at_a.slope - 4 * bend * at_a.value;
  Real x = a + width * (at_a.value / (at_a.value - at_b.value));
  if (root > 0) {
    const Real guess =
        a - 2 * at_a.value / (at_a.slope + std::copysign(std::sqrt(root), at_a.slope));
    if (guess > a && guess < b) x = guess;
  }
  for (int i = 0; i < 100; ++i) {
    const ValueAndSlope at_x = f(x);
    if (at_x.value == 0) return x;
    ((at_x.value > 0) == rising ? b : a) = x;
    Real next = x - at_x.value / at_x.slope;
    if (!(next > a && next < b)) next = 0.5 * (a + b);
    const Real moved = std::abs(next - x);
    x = next;
    // quadratic convergence: the next correction would be its square
    if (moved <= 1e-8 * x || b - a <= 2 * kEpsilon * b) return x;
  }
  return x;
}

/// 2^k as a factor, without overflow on the way.
Real scaled(Real x, int k) {
  return std::abs(k) <= 1000 ? x * std::bit_cast<Real>(static_cast<std::int64_t>(1023 + k) << 52)
                             : std::scalbn(x, k);
}

int exponent(Real x) {
  return x == 0 ? -2000 : std::ilogb(x);
}

/// The impact in units in which W33 and |vz-| are between 1 and 2, by exact powers of two: results
/// scale bit for bit.
class ExactImpact {
 public:
  ExactImpact(const ImpactProblem& problem, Law law, std::vector<PathPoint>* path, int points)
      : law_(law), path_(path), points_(points) {
    const Mat3 W = symmetric_part(problem.W);
    // A component 2^500 times larger than its reference would overflow when squared.
    exponent_W_ = std::max(exponent(W(2, 2)), exponent(W.cwiseAbs().maxCoeff()) - 500);
    exponent_v_ =
        std::max(exponent(problem.v.z()), exponent(problem.v.cwiseAbs().maxCoeff()) - 500);
    const auto scale_W = [this](Real x) { return scaled(x, -exponent_W_); };
    const auto scale_v = [this](Real x) { return scaled(x, -exponent_v_); };
    B_ = problem_B(W).unaryExpr(scale_W);
    d_ = Vec2(scale_W(W(0, 2)), scale_W(W(1, 2)));
    W33_ = scale_W(W(2, 2));
    mu_ = problem.friction;
    e_ = problem.restitution;
    const Vec2 gamma(scale_v(problem.v.x()), scale_v(problem.v.y()));
    vz_ = scale_v(problem.v.z());
    gamma_before_ = gamma;
    vz_before_ = vz_;
    r_ = gamma.norm();
    u_ = r_ > 0 ? Vec2(gamma / r_) : Vec2(Vec2::UnitX());
    rate_scale_ = mu_ * (B_(0, 0) + B_(1, 1)) + d_.norm();
    monotone_ = W33_ > mu_ * d_.norm();  // [impact (18)]
  }

  ImpactResult run() {
    result_.status = Status::Solved;
    trace_point();
    if (mu_ == 0)
      slide_without_friction();
    else
      slide();
    return finish();
  }

 private:
  static Mat2 problem_B(const Mat3& W) { return W.topLeftCorner<2, 2>(); }

  void slide() {
    if (r_ > 0 && on_invariant_direction()) {
      record(EventKind::Slide);
      if (slide_straight()) return;
    }
    while (r_ > 0) {
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

  [[nodiscard]] Vec2 slip_rate() const {
    return d_ - mu_ * (B_ * u_);
  }  ///< γ' in slip   [impact (31)]

  [[nodiscard]] bool on_invariant_direction() const {
    return std::abs(left_of(u_).dot(slip_rate())) <= kOnRay * rate_scale_;  // [impact (33)]
  }
  [[nodiscard]] Real turning_slope() const {
    const Vec2 n = left_of(u_);
    return -(u_.dot(slip_rate()) + mu_ * n.dot(B_ * n));
  }

  /// Slides along u until the impact ends (true) or γ = 0 (false).   [impact (32), (43)]
  bool slide_straight() {
    Real f = u_.dot(slip_rate());
    if (std::abs(f) <= kOnRay * rate_scale_) f = 0;
    const bool over = advance_on_line(-mu_ * u_, f, f < 0 ? -r_ / f : kInfinity);
    if (!over) r_ = 0;
    return over;
  }

  /// γ = 0: the contact sticks or slips on in the centrifugal direction.   [impact (38)]
  void continue_from_rest() {
    const auto direction = centrifugal_direction(B_, d_, mu_);
    if (direction) {
      u_ = *direction;
      advance_on_line(-mu_ * u_, u_.dot(slip_rate()), kInfinity);
    } else {
      advance_on_line(sticking_rate(B_, d_), 0, kInfinity);
    }
  }

  void slide_without_friction() {  // [impact §2.4]
    advance_on_line(Vec2::Zero(), 0, kInfinity);
    const Vec2 gamma = gamma_before_ + I_.z() * d_;
    r_ = gamma.norm();
    if (r_ > 0) u_ = gamma / r_;
  }

  /// Follows I' = (rate, 1) with |γ|' = f for at most `length` of Iz. True if the impact ended.
  bool advance_on_line(const Vec2& rate, Real f, Real length) {
    const Real d_rate = d_.dot(rate);
    Real a = W33_ + d_rate;  // vz'
    if (std::abs(a) <= kNoMotion * (W33_ + std::abs(d_rate))) a = 0;
    if (compressing_) {
      const Real to_c = a > 0 ? -vz_ / a : kInfinity;
      if (!(to_c < length)) {
        if (length == kInfinity) {
          result_.status = Status::Jammed;
          return true;
        }
        move_on_line(rate, f, a, length);
        return false;
      }
      move_on_line(rate, f, a, to_c);
      vz_ = 0;
      if (end_compression()) return true;
      length -= to_c;
    }
    const Real to_r = line_to_end(a);
    if (!(to_r < length)) {
      if (length == kInfinity) {
        result_.status = Status::Jammed;
        return true;
      }
      move_on_line(rate, f, a, length);
      return false;
    }
    move_on_line(rate, f, a, to_r);
    record(EventKind::Restitution);
    return true;
  }

  /// Iz from here to the end of restitution while vz' = a.
  [[nodiscard]] Real line_to_end(Real a) const {
    if (law_ == Law::Poisson) return std::max(Iz_end_ - I_.z(), 0.0);
    if (law_ == Law::Newton) return a > 0 ? std::max((vz_end_ - vz_) / a, 0.0) : kInfinity;
    // E = vz x + a x²/2, the smallest root that is not behind us, without cancellation   [impact
    // (46)]
    const Real discriminant = vz_ * vz_ + 2 * a * E_;
    if (discriminant < 0) return kInfinity;
    const Real root = std::sqrt(discriminant);
    if (vz_ >= 0) return vz_ + root > 0 ? 2 * E_ / (vz_ + root) : kInfinity;
    return a > 0 ? (root - vz_) / a : kInfinity;
  }

  void move_on_line(const Vec2& rate, Real f, Real a, Real x) {
    if (path_) trace_line(rate, f, a, x);
    const Real work = x * (vz_ + 0.5 * a * x);
    I_ += x * Vec3(rate.x(), rate.y(), 1);
    vz_ += a * x;
    r_ = std::max(r_ + f * x, 0.0);
    E_ -= work;
    N_ += work;
  }

  // ---- curved pieces ----

  /// Goes to γ = 0 at once if the series of the approach converges and no event lies before it.
  bool jump_to_stop() {
    if (event_before_stop_) return false;
    if (path_ && r_ > kDrawnStraight * gamma_before_.norm()) return false;
    const auto rest = approach_to_stop(B_, d_, W33_, mu_, u_, r_);
    if (!rest) return false;
    const Real vz_stop = vz_ + rest->dv;
    const Real work = vz_stop * rest->impulse_z + rest->work_about_stop;
    if (!monotone_) {
      // vz moves by at most (W33 + mu|d|) ΔIz: it must not be able to change its sign on the way.
      const Real reach = (W33_ + mu_ * d_.norm()) * rest->impulse_z;
      if (!(std::abs(vz_stop) > reach)) return false;
    }
    if (!stops_before_next_event(vz_stop, I_.z() + rest->impulse_z, E_ - work)) {
      event_before_stop_ = monotone_;
      return false;
    }
    I_ += Vec3(rest->impulse_t.x(), rest->impulse_t.y(), rest->impulse_z);
    vz_ = vz_stop;
    E_ -= work;
    N_ += work;
    r_ = 0;
    trace_point();
    return true;
  }

  [[nodiscard]] bool stops_before_next_event(Real vz_stop, Real Iz_stop, Real E_stop) const {
    if (compressing_) return vz_stop <= 0;
    switch (law_) {
      case Law::Poisson:
        return Iz_stop <= Iz_end_;
      case Law::Newton:
        return vz_stop <= vz_end_;
      case Law::Stronge:
        break;
    }
    return E_stop >= 0;
  }

  /// One expansion. True if the impact ended.
  bool slide_by_series() {
    const Vec2 n = left_of(u_);
    // L: a power of two not below the rates, so that the coefficients stay in range
    const Real L =
        std::bit_cast<Real>((std::bit_cast<std::int64_t>(rate_scale_) & 0x7ff0'0000'0000'0000) +
                            (std::int64_t{1} << 52));
    const Real over_L = 1 / L;
    const Real mu_over_L = mu_ * over_L;
    const Vec2 Bu = B_ * u_, Bn = B_ * n;
    const Real d_u = d_.dot(u_), d_n = d_.dot(n);
    const SlipField<Real> field{
        mu_over_L * u_.dot(Bu), mu_over_L * u_.dot(Bn), mu_over_L * n.dot(Bn), over_L * d_u,
        over_L * d_n,           W33_ * over_L,          mu_over_L * d_u,       mu_over_L * d_n};
    Series s;
    expand<Real, kOrder>(field, s);
    const Real h =
        step_length(s, std::min(r_ * r_ * over_L * W33_ / (vz_before_ * vz_before_), 1.0));
    step_ = {&s, u_, n, r_, over_L, I_, vz_, E_, N_};

    Real from = 0;
    const Piece all = piece_end(h);
    if (!monotone_ || (compressing_ ? all.vz >= 0 : ended(all))) {
      Breaks breaks = find_breaks(h);
      if (compressing_) {
        const Real at = first_zero(
            breaks, 0, [this](Real x) { return vz_at(x); }, false);
        if (at < kInfinity) {
          arrive(0, at);
          vz_ = 0;
          if (end_compression()) return true;
          step_.E = E_ + (N_ - step_.N);  // so that E at σ is step_.E less the work since σ = 0
          from = at;
        }
      }
      if (!compressing_) {
        const Real at = end_of_restitution(breaks, from);
        if (at < kInfinity) {
          arrive(from, at);
          record(EventKind::Restitution);
          return true;
        }
      }
    }
    arrive(from, h);
    return false;
  }

  /// What the series says at σ, in the units of the state.
  struct Piece {
    SeriesPoint p;
    Vec2 dI;
    Real dIz, vz, work;
  };
  [[nodiscard]] Piece piece_end(Real sigma) const {
    Piece piece;
    piece.p = evaluate(*step_.series, sigma);
    const Real unit = step_.r * step_.over_L;
    piece.dI = -mu_ * unit * (piece.p.cx * step_.u + piece.p.cy * step_.n);
    piece.dIz = unit * piece.p.z;
    piece.vz = step_.vz + (W33_ * piece.dIz + d_.dot(piece.dI));
    piece.work = step_.vz * piece.dIz + step_.r * unit * piece.p.work;
    return piece;
  }
  [[nodiscard]] bool ended(const Piece& piece) const {
    switch (law_) {
      case Law::Poisson:
        return step_.I.z() + piece.dIz >= Iz_end_;
      case Law::Newton:
        return piece.vz >= vz_end_;
      case Law::Stronge:
        break;
    }
    return step_.E - piece.work <= 0;
  }

  /// Moves the state to σ of the current step.
  void arrive(Real from, Real sigma) {
    if (path_) trace_series(from, sigma);
    const Piece piece = piece_end(sigma);
    const Vec2 g = piece.p.gx * step_.u + piece.p.gy * step_.n;
    const Real length = g.norm();
    r_ = step_.r * length;
    u_ = g / length;
    I_ = step_.I + Vec3(piece.dI.x(), piece.dI.y(), piece.dIz);
    vz_ = piece.vz;
    E_ = step_.E - piece.work;
    N_ = step_.N + piece.work;
  }

  [[nodiscard]] ValueAndSlope vz_at(Real sigma) const {
    auto p = evaluate_polynomial([this](std::size_t k) { return step_.series->dv[k]; }, sigma);
    return {step_.vz + step_.r * p.value, step_.r * p.slope};
  }
  /// -E, so that it rises to its zero like vz does
  [[nodiscard]] ValueAndSlope minus_E_at(Real sigma) const {
    constexpr auto over = kReciprocals<kOrder>;
    const Real unit = step_.r * step_.over_L;
    auto p = evaluate_polynomial(
        [&](std::size_t k) {
          return step_.r * step_.series->work[k] +
                 (k > 0 ? step_.vz * step_.series->r[k - 1] * over[k] : 0);
        },
        sigma);
    return {unit * p.value - step_.E, unit * p.slope};
  }
  [[nodiscard]] ValueAndSlope Iz_at(Real sigma) const {
    constexpr auto over = kReciprocals<kOrder>;
    const Real unit = step_.r * step_.over_L;
    auto p = evaluate_polynomial(
        [&](std::size_t k) { return k > 0 ? step_.series->r[k - 1] * over[k] : 0; }, sigma);
    return {step_.I.z() + unit * p.value, unit * p.slope};
  }

  /// Ends of the pieces of a step in which vz is monotone.
  struct Breaks {
    std::array<Real, 16> at;
    int count = 0;
    void push(Real x) {
      if (count < 16) at[static_cast<std::size_t>(count++)] = x;
    }
    [[nodiscard]] const Real* begin() const { return at.data(); }
    [[nodiscard]] const Real* end() const { return at.data() + count; }
  };

  [[nodiscard]] Breaks find_breaks(Real h) const {
    Breaks breaks;
    if (!monotone_) {
      // Slip turns one way only, so that vz' = r (W33 - mu d·u) changes its sign at most twice.
      constexpr int kSamples = 8;
      const auto slope_at = [this](Real x) {
        return evaluate_polynomial(
            [this](std::size_t k) {
              return k < kOrder ? static_cast<Real>(k + 1) * step_.series->dv[k + 1] : 0;
            },
            x);
      };
      Real left = 0, at_left = slope_at(0).value;
      for (int i = 1; i <= kSamples; ++i) {
        const Real right = h * i / kSamples, at_right = slope_at(right).value;
        if ((at_left < 0) != (at_right < 0)) breaks.push(zero_between(slope_at, left, right));
        left = right;
        at_left = at_right;
      }
    }
    breaks.push(h);
    return breaks;
  }

  /// First σ > from at which the function, negative there, becomes zero or more; infinity if there
  /// is none.
  template <class Function>
  [[nodiscard]] Real first_zero(const Breaks& breaks, Real from, Function f, bool at_from) const {
    if (at_from) return from;
    for (const Real to : breaks) {
      if (to <= from) continue;
      if (f(to).value >= 0) return zero_between(f, from, to);
      from = to;
    }
    return kInfinity;
  }

  [[nodiscard]] Real end_of_restitution(const Breaks& breaks, Real from) const {
    if (law_ == Law::Poisson)
      return first_zero(
          breaks, from,
          [this](Real x) {
            auto p = Iz_at(x);
            return ValueAndSlope{p.value - Iz_end_, p.slope};
          },
          I_.z() >= Iz_end_);
    if (law_ == Law::Newton)
      return first_zero(
          breaks, from,
          [this](Real x) {
            auto p = vz_at(x);
            return ValueAndSlope{p.value - vz_end_, p.slope};
          },
          vz_ >= vz_end_);
    // E falls while vz > 0: its monotone pieces end where vz changes its sign.
    Breaks pieces;
    Real left = from, vz_left = from > 0 ? 0 : step_.vz;
    for (const Real to : breaks) {
      if (to <= from) continue;
      const Real vz_to = vz_at(to).value;
      if (vz_left * vz_to < 0)
        pieces.push(zero_between([this](Real x) { return vz_at(x); }, left, to));
      pieces.push(to);
      left = to;
      vz_left = vz_to;
    }
    return first_zero(
        pieces, from, [this](Real x) { return minus_E_at(x); }, E_ <= 0);
  }

  // ---- events and results ----

  /// True if that was all (e = 0).
  bool end_compression() {
    record(EventKind::Compression);
    compressing_ = false;
    event_before_stop_ = false;
    N_compression_ = N_;
    if (law_ == Law::Stronge) E_ *= e_ * e_;
    Iz_end_ = (1 + e_) * I_.z();
    vz_end_ = -e_ * vz_before_;
    trace_point();
    const bool over = law_ == Law::Stronge ? !(E_ > 0) : e_ == 0;
    if (over) record(EventKind::Restitution);
    return over;
  }

  [[nodiscard]] Vec3 velocity() const { return {r_ * u_.x(), r_ * u_.y(), vz_}; }

  void record(EventKind kind) {
    ImpactEvent event;
    event.kind = kind;
    event.impulse = impulse_out(I_);
    event.v = velocity_out(velocity());
    event.energy = energy_out(std::max(E_, 0.0));
    if (kind == EventKind::Restitution && law_ == Law::Stronge) event.energy = 0;
    result_.sequence.push(event);
  }

  ImpactResult finish() {
    if (result_.status == Status::Jammed) {
      ImpactResult jammed;
      jammed.status = Status::Jammed;
      jammed.iterations = result_.iterations;
      jammed.v = velocity_out(Vec3(gamma_before_.x(), gamma_before_.y(), vz_before_));
      return jammed;
    }
    const Vec3 v_before(gamma_before_.x(), gamma_before_.y(), vz_before_);
    result_.impulse = impulse_out(I_);
    result_.v = velocity_out(velocity());
    result_.work_compression = energy_out(N_compression_);
    result_.work_restitution = energy_out(N_ - N_compression_);
    // All work changes kinetic energy: friction's is what the normal work leaves.   [theory/impact
    // (8)]
    const bool slipped = mu_ > 0 && (gamma_before_ != Vec2::Zero() || r_ > 0);
    const Real all = I_.dot(0.5 * (v_before + velocity()));
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
    if (path_) path_->push_back({impulse_out(I_), velocity_out(velocity()), energy_out(E_)});
  }
  void trace_line(const Vec2& rate, Real f, Real a, Real x) {
    const ExactImpact start = *this;
    for (int i = 1; i <= points_; ++i) {
      ExactImpact point = start;
      point.path_ = nullptr;
      point.move_on_line(rate, f, a, x * i / points_);
      if (mu_ == 0) {
        const Vec2 gamma = gamma_before_ + point.I_.z() * d_;
        point.r_ = gamma.norm();
        if (point.r_ > 0) point.u_ = gamma / point.r_;
      }
      point.path_ = path_;
      point.trace_point();
    }
  }
  void trace_series(Real from, Real to) {
    for (int i = 1; i <= points_; ++i) {
      ExactImpact point = *this;
      point.path_ = nullptr;
      point.arrive(from, from + (to - from) * i / points_);
      point.path_ = path_;
      point.trace_point();
    }
  }

  // the problem, in scaled units
  Law law_;
  int exponent_W_, exponent_v_;
  Mat2 B_;
  Vec2 d_, gamma_before_;
  Real W33_, mu_, e_, vz_before_;
  Real rate_scale_;  ///< bound of |γ'|
  bool monotone_;    ///< vz' > 0 throughout

  // the state
  Vec2 u_;                  ///< direction of γ
  Real r_;                  ///< |γ|
  Vec3 I_ = Vec3::Zero();   ///< impulse so far
  Real vz_;                 ///< normal velocity
  Real E_ = 0;              ///< stored in the contact
  Real N_ = 0;              ///< normal work so far
  Real N_compression_ = 0;  ///< at c
  bool compressing_ = true;
  bool event_before_stop_ = false;  ///< known: the next event comes before γ = 0
  Real Iz_end_ = 0, vz_end_ = 0;    ///< where Poisson's and Newton's laws end restitution

  /// Where the current step starts. E: such that the stored energy at σ is E less the work since
  /// the start.
  struct Step {
    const Series* series;
    Vec2 u, n;
    Real r, over_L;
    Vec3 I;
    Real vz, E, N;
  } step_;

  ImpactResult result_;
  std::vector<PathPoint>* path_;
  int points_;
};

}  // namespace

ImpactResult solve_exact(const ImpactProblem& problem, Law law, std::vector<PathPoint>* path,
                         int points_per_piece) {
  return ExactImpact(problem, law, path, points_per_piece).run();
}

}  // namespace visviva::impact
