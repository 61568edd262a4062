#include "bench/impact/reference_long_double.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/impact/closed_forms.hpp"

// Problem: γ' = -mu B γ/|γ| + d with vz, normal work and friction work as functionals.  [impact
// (31)] Method: dIz = |γ| dσ makes it γ_σ = -mu B γ + |γ| d; order-28 Taylor steps of length such
// that
//   the last terms are 1e-21. Events are roots of the step's polynomials, found on pieces between
//   the zeros of vz', of which a step has at most two, one each side of where γ is parallel to d.
// Stop: the event r; or γ within 1e-19 of an attracting direction, where the rest is a line.
namespace visviva::bench {
namespace {

using Long = long double;
using impact::Law;

constexpr int kOrder = 28;
constexpr Long kLastTerm = 1e-21L;
/// Longest step over what changes γ by its own size: rounding grows like exp of it.
constexpr Long kLongestStep = 3;
constexpr Long kOnRay = 2e-19L;
/// Slip over the slip at the start below which what is left is straight.
constexpr Long kAtRest = 1e-24L;
constexpr int kMaxSteps = 200'000;
constexpr Long kEpsilon = std::numeric_limits<Long>::epsilon();

using Polynomial = std::array<Long, kOrder + 1>;

struct ValueAndSlope {
  Long value, slope;
};
ValueAndSlope evaluate(const Polynomial& p, Long x) {
  ValueAndSlope at{p[kOrder], 0};
  for (std::size_t k = kOrder; k-- > 0;) {
    at.slope = at.slope * x + at.value;
    at.value = at.value * x + p[k];
  }
  return at;
}

/// The zero of p + offset in [a, b], where it changes its sign: Newton's method inside a bracket.
Long zero_between(const Polynomial& p, Long offset, Long a, Long b) {
  const bool rising = evaluate(p, b).value + offset > evaluate(p, a).value + offset;
  Long x = (a + b) / 2;
  for (int i = 0; i < 300; ++i) {
    const ValueAndSlope at = evaluate(p, x);
    const Long value = at.value + offset;
    if (value == 0) return x;
    ((value > 0) == rising ? b : a) = x;
    Long next = x - value / at.slope;
    if (!(next > a && next < b)) next = (a + b) / 2;
    const Long moved = std::abs(next - x);
    x = next;
    if (moved <= kEpsilon * x || b - a <= kEpsilon * b) break;
  }
  return x;
}

/// One step: polynomials in τ = L σ.
struct Step {
  Polynomial gx, gy, r;       ///< γ and |γ| over |γ| at the start
  Polynomial Ix, Iy, Iz, vz;  ///< increments
  Polynomial dvz;             ///< derivative of vz
  Polynomial work, friction;  ///< increments
  Long length = 0;
};

void expand(const Field<Long>& f, Long ux, Long uy, Long r0, Long vz0, Long L, Step& s) {
  s.gx[0] = ux;
  s.gy[0] = uy;
  s.r[0] = 1;
  s.Ix[0] = s.Iy[0] = s.Iz[0] = s.vz[0] = s.work[0] = s.friction[0] = 0;
  Polynomial square;  // |γ|²
  square[0] = 1;
  for (std::size_t k = 0; k < kOrder; ++k) {
    const Long over = 1 / (L * static_cast<Long>(k + 1));
    s.gx[k + 1] = (s.r[k] * f.d1 - f.mu * (f.B11 * s.gx[k] + f.B12 * s.gy[k])) * over;
    s.gy[k + 1] = (s.r[k] * f.d2 - f.mu * (f.B12 * s.gx[k] + f.B22 * s.gy[k])) * over;
    Long sum = 0, roots = 0, product = vz0 * s.r[k];
    for (std::size_t i = 0; i <= k + 1; ++i) sum += s.gx[i] * s.gx[k + 1 - i] + s.gy[i] * s.gy[k + 1 - i];
    for (std::size_t i = 1; i <= k; ++i) {
      roots += s.r[i] * s.r[k + 1 - i];
      product += s.vz[i] * s.r[k - i];
    }
    square[k + 1] = sum;
    s.r[k + 1] = (sum - roots) / 2;
    s.Ix[k + 1] = -f.mu * r0 * s.gx[k] * over;
    s.Iy[k + 1] = -f.mu * r0 * s.gy[k] * over;
    s.Iz[k + 1] = r0 * s.r[k] * over;
    s.vz[k + 1] = r0 * (f.W33 * s.r[k] - f.mu * (f.d1 * s.gx[k] + f.d2 * s.gy[k])) * over;
    s.dvz[k] = s.vz[k + 1] * static_cast<Long>(k + 1);
    s.work[k + 1] = r0 * product * over;
    s.friction[k + 1] = -f.mu * r0 * r0 * square[k] * over;
  }
  s.dvz[kOrder] = 0;
  s.length = kLongestStep;
  const Long size_vz = std::abs(vz0) + r0 * (f.W33 + f.mu * std::hypot(f.d1, f.d2)) / L;
  const Long size_work = size_vz * r0 / L;
  for (const std::size_t k : {std::size_t{kOrder - 2}, std::size_t{kOrder - 1}}) {
    const Long size = std::abs(s.gx[k]) + std::abs(s.gy[k]) + std::abs(s.r[k]) + std::abs(s.vz[k]) / size_vz +
                      std::abs(s.work[k]) / size_work;
    if (size > 0) s.length = std::min(s.length, std::pow(kLastTerm / size, 1 / static_cast<Long>(k)));
  }
}

/// At most 8 increasing numbers.
struct Breaks {
  std::array<Long, 8> at;
  std::size_t count = 0;
  void push(Long x) { at[count++] = x; }
  [[nodiscard]] const Long* begin() const { return at.data(); }
  [[nodiscard]] const Long* end() const { return at.data() + count; }
};

/// Ends of the pieces of the step on which vz is monotone.
Breaks monotone_pieces(const Field<Long>& f, const Step& s) {
  Breaks breaks;
  const Long d = std::hypot(f.d1, f.d2);
  if (f.mu * d > f.W33) {
    // vz' / r = W33 - mu d·u is least where γ points along d.
    Polynomial cross, dot;
    for (std::size_t k = 0; k <= kOrder; ++k) {
      cross[k] = f.d1 * s.gy[k] - f.d2 * s.gx[k];
      dot[k] = f.d1 * s.gx[k] + f.d2 * s.gy[k];
    }
    std::array<Long, 3> ends{0, s.length, s.length};
    if (cross[0] * evaluate(cross, s.length).value < 0) {
      const Long x = zero_between(cross, 0, 0, s.length);
      if (evaluate(dot, x).value > 0) ends[1] = x;
    }
    for (std::size_t i = 0; i < 2 && ends[i] < ends[i + 1]; ++i) {
      const Long left = evaluate(s.dvz, ends[i]).value, right = evaluate(s.dvz, ends[i + 1]).value;
      if (left * right < 0) breaks.push(zero_between(s.dvz, 0, ends[i], ends[i + 1]));
    }
  }
  breaks.push(s.length);
  return breaks;
}

/// First τ > 0 where p + offset, negative at 0, is zero; -1 if there is none. p is monotone on each
/// piece.
Long first_zero(const Polynomial& p, Long offset, const Breaks& pieces) {
  Long from = 0;
  for (const Long to : pieces) {
    if (evaluate(p, to).value + offset >= 0) return zero_between(p, offset, from, to);
    from = to;
  }
  return -1;
}

/// τ of the next event, -1 if it is not in this step.
Long next_event(const Field<Long>& f, const Progress<Long>& p, const Step& s) {
  Breaks breaks = monotone_pieces(f, s);
  if (p.compressing) return first_zero(s.vz, p.vz, breaks);
  const Long left = remaining(f, p, p.vz, p.Iz, p.work);
  if (!(left > 0)) return 0;
  if (f.law == Law::Poisson) return first_zero(s.Iz, -left, breaks);
  if (f.law == Law::Newton) return first_zero(s.vz, -left, breaks);
  Breaks pieces;  // the normal work is monotone between the zeros of vz
  Long from = 0, vz_from = p.vz;
  for (const Long to : breaks) {
    const Long vz_to = p.vz + evaluate(s.vz, to).value;
    if (vz_from * vz_to < 0) pieces.push(zero_between(s.vz, p.vz, from, to));
    pieces.push(to);
    from = to;
    vz_from = vz_to;
  }
  return first_zero(s.work, -left, pieces);
}

class LongImpact {
 public:
  LongImpact(const impact::ImpactProblem& problem, Law law) : f_(problem, law) {
    p_.vz = f_.vz;
    r_ = start_ = std::hypot(f_.vx, f_.vy);
    if (r_ > 0) {
      ux_ = f_.vx / r_;
      uy_ = f_.vy / r_;
    }
    rate_ = f_.mu * (f_.B11 + f_.B22) + std::hypot(f_.d1, f_.d2);
  }

  ReferenceResult run() {
    ReferenceResult result;
    bool over = false;
    if (f_.mu == 0) {
      over = follow_line<Long>(f_, p_, 0, 0, std::numeric_limits<Long>::infinity());
    } else {
      while (!over && r_ > 0 && result.steps < kMaxSteps) {
        ++result.steps;
        over = on_ray() ? slide_straight() : slide();
      }
      if (!over && r_ == 0) {
        const Long Iz = p_.Iz, rate = follow_from_rest(f_, p_), x = p_.Iz - Iz;
        friction_ -= f_.mu * rate * x * x / 2;
        over = true;
      }
    }
    result.solved = over && !p_.compressing;
    result.impulse << p_.Ix, p_.Iy, p_.Iz;
    result.work_compression = p_.work_c;
    result.work_restitution = p_.work - p_.work_c;
    result.work_friction = friction_;
    return result;
  }

 private:
  [[nodiscard]] Long rate_x() const { return f_.d1 - f_.mu * (f_.B11 * ux_ + f_.B12 * uy_); }
  [[nodiscard]] Long rate_y() const { return f_.d2 - f_.mu * (f_.B12 * ux_ + f_.B22 * uy_); }

  /// γ keeps its direction: it is invariant and does not repel, or next to nothing is left of γ.
  [[nodiscard]] bool on_ray() const {
    const Long f = ux_ * rate_x() + uy_ * rate_y();
    if (r_ <= kAtRest * start_ && f < 0) return true;
    const Long g = ux_ * rate_y() - uy_ * rate_x();
    const Long nBn = f_.B11 * uy_ * uy_ - 2 * f_.B12 * ux_ * uy_ + f_.B22 * ux_ * ux_;
    const bool attracting = f + f_.mu * nBn > 0;
    return g == 0 || (attracting && std::abs(g) <= kOnRay * rate_);
  }

  bool slide_straight() {
    const Long f = ux_ * rate_x() + uy_ * rate_y();
    const Long length = f < 0 ? -r_ / f : std::numeric_limits<Long>::infinity();
    const Long Iz = p_.Iz;
    const bool over = follow_line(f_, p_, -f_.mu * ux_, -f_.mu * uy_, length);
    const Long x = p_.Iz - Iz;
    friction_ -= f_.mu * x * (r_ + f * x / 2);
    r_ = over ? r_ + f * x : 0;
    return over;
  }

  /// One step. True if the impact ended.
  bool slide() {
    expand(f_, ux_, uy_, r_, p_.vz, rate_, step_);
    const Long event = next_event(f_, p_, step_);
    const bool stop = event >= 0;
    const Long x = stop ? event : step_.length;
    p_.Ix += evaluate(step_.Ix, x).value;
    p_.Iy += evaluate(step_.Iy, x).value;
    p_.Iz += evaluate(step_.Iz, x).value;
    p_.vz += evaluate(step_.vz, x).value;
    p_.work += evaluate(step_.work, x).value;
    friction_ += evaluate(step_.friction, x).value;
    const Long gx = evaluate(step_.gx, x).value, gy = evaluate(step_.gy, x).value;
    const Long g = std::hypot(gx, gy);
    r_ *= g;
    ux_ = gx / g;
    uy_ = gy / g;
    if (!stop) return false;
    if (!p_.compressing) return true;
    p_.end_compression();
    return !(remaining(f_, p_, p_.vz, p_.Iz, p_.work) > 0);
  }

  Field<Long> f_;
  Progress<Long> p_;
  Long ux_ = 1, uy_ = 0, r_ = 0, start_ = 0, rate_ = 0, friction_ = 0;
  Step step_;
};

}  // namespace

ReferenceResult solve_long_double(const impact::ImpactProblem& problem, Law law) {
  return LongImpact(problem, law).run();
}

Real relative_error(const Vec3& impulse, const ReferenceResult& reference) {
  const auto difference = impulse.cast<long double>() - reference.impulse;
  return static_cast<Real>(difference.norm() / reference.impulse.norm());
}

}  // namespace visviva::bench
