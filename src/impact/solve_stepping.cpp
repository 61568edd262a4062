// Algorithm 1 of the text, corrected: Euler steps on γ' = -mu B γ̂ + d over Iz until the sliding
// velocity vanishes (event s) or its direction is invariant (event l), then closed forms.
//
// Over a step, as on the straight pieces after s and l, I' is constant: so vz is linear and E
// quadratic in Iz, and the crossings vz = 0 and E = 0 that the text asks for are roots of those.
// Everything is made of such pieces (`advance`). Stops at the law's end, or after max_iterations.
// First order in the step. Against the text: the tangential impulse is carried along, since (26)
// needs B⁻¹; a step past γ = 0 is made implicit; the tolerance of event l, which it does not state, is
// below.
#include "impact/solve_stepping.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "impact/centrifugal.hpp"
#include "impact/scaling.hpp"
#include "impact/validity.hpp"

namespace visviva::impact {
namespace {

constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

// Event l: the sine of the angle between γ and γ' that counts as zero. The text states no tolerance. Its own runs
// with steps of 1e-6 end where the sine is 0.080 (icosahedron, 68212 steps) and 0.087 (pin, 165073), so it was about
// that, and not one number. A fixed one keeps an error of 1e-3 for any step; the second bound, the largest turn of γ in
// so many steps at the speed of the start, lets the method converge. Both are fitted: among the values near these they
// give Table 1's 69 and 83 steps of FS and 29 of VS on the pin.
constexpr Real kInvariantSine = 0.08;
constexpr Real kInvariantSteps = 2.4;
// A start on an invariant direction: the rounding of γ̂ x γ' itself.
constexpr Real kOnRay = 4 * kEpsilon;
// (36) is infinite where the hodograph is straight: longest arc of a step, in units of h1.
constexpr Real kLongestArc = 10;
// Rate of vz over its scale below which an impulse moves nothing, and rates of vz and γ below which
// slip has come to a stand.
constexpr Real kNoMotion = 16 * kEpsilon;
constexpr Real kStandstill = 1e-12;
// det B over (tr B)² below which B⁻¹ is avoided: it multiplies errors by the inverse.
constexpr Real kWellConditioned = 1e-4;
// Steps in scaled units stay finite, whatever the units of the problem.
constexpr Real kLongestStep = 1e100;

Real cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

// The impact in units in which W33 and |vz-| are about 1, by powers of two.
class SteppedImpact {
 public:
  SteppedImpact(const ImpactProblem& problem, const ImpactSettings& settings)
      : settings_(settings),
        units_(symmetric_part(problem.W), problem.v),
        mu_(problem.friction),
        e_(problem.restitution) {
    W_ = units_.per_inverse_mass()(symmetric_part(problem.W));
    v_before_ = units_.per_velocity()(problem.v);
    B_ = W_.topLeftCorner<2, 2>();
    d_ = W_.topRightCorner<2, 1>();
    gamma_ = v_before_.head<2>();
    vz_ = v_before_.z();
    step_ = std::min(units_.per_impulse()(settings.step), kLongestStep);
    h1_ = std::min(units_.per_velocity()(settings.h1), kLongestStep);
    const Vec2 gap(0.5 * (B_(0, 0) - B_(1, 1)), B_(0, 1));
    rate_size_ = mu_ * (0.5 * B_.trace() + gap.norm()) + d_.norm();
    speed_before_ = gamma_.norm();
  }

  ImpactResult run() {
    result_.status = Status::Solved;
    const bool slides = gamma_.norm() > 0;
    if (settings_.method == Method::Integration)
      integrate();
    else if (!slides || !slide())
      continue_from_rest();
    return finish();
  }

 private:
  // ---- slip ----

  /// Euler steps until s (false) or the end (true). [impact Algorithm 1]
  bool slide() {
    while (true) {
      const Real r = gamma_.norm();
      if (!(r > 0)) return false;
      const Vec2 u = gamma_ / r;
      const Vec2 rate = d_ - mu_ * (B_ * u);  // [impact (31)]
      const Real f = rate_of_speed(B_, d_, mu_, u);
      if (result_.iterations == 0 && is_on_ray(u, rate)) {
        record(EventKind::Slide);
        return advance(-mu_ * u, f * u, f < 0 ? -r / f : kInfinity) || rest();  // [impact (42)]
      }
      const Real h = settings_.method == Method::Fixed ? step_ : adaptive_step(u, r, rate);
      if (is_invariant(u, rate, h)) {
        const Real to_s = f < 0 ? length_to_stop() : kInfinity;
        if (f >= 0 || to_s < kInfinity) {
          record(EventKind::Slide);
          return f < 0 ? stop_after(to_s) : advance(-mu_ * u, rate, kInfinity);
        }
      }
      if (stands_still(u, rate)) return jam();
      if (++result_.iterations > settings_.max_iterations) return give_up();
      if (step(u, rate, h).over) return true;
    }
  }

  struct StepOutcome {
    bool over;   // the impact
    Real taken;  // of the step; less than all if γ has become 0
  };

  /// One Euler step. If it would carry γ past zero, an implicit one: with the direction w of γ at its
  /// end, w ∼ γ + h d - mu h B w. Its equation is that of the centrifugal direction, and where it has
  /// no solution friction can bring γ to 0 within the step.
  StepOutcome step(const Vec2& u, const Vec2& rate, Real h) {
    if (gamma_.dot(gamma_ + h * rate) > 0) return {advance(-mu_ * u, rate, h), h};
    if (const auto w = centrifugal_direction(B_, gamma_ + h * d_, mu_ * h))
      return {advance(-mu_ * *w, d_ - mu_ * (B_ * *w), h), h};
    const Real x = std::min(h, length_to_stop());
    return {stop_after(x), x};
  }

  /// Shortest Iz over which friction can bring γ to 0: ‖B⁻¹(γ + x d)‖ = mu x. Not asked of a B that
  /// is close to singular. To first order it is (42), and it leaves no rest of γ.
  [[nodiscard]] Real length_to_stop() const {
    if (!(B_.determinant() > kWellConditioned * B_.trace() * B_.trace())) return kInfinity;
    const Vec2 p = sticking_rate(B_, gamma_);
    const Vec2 q = sticking_rate(B_, d_);
    const Real pq = p.dot(q);
    const Real discriminant = pq * pq + (mu_ - q.norm()) * (mu_ + q.norm()) * p.squaredNorm();
    const Real divisor = std::sqrt(std::max(discriminant, Real{0})) - pq;
    return discriminant >= 0 && divisor > 0 ? p.squaredNorm() / divisor : kInfinity;
  }

  /// Brings γ to 0 with a constant I'. True if the impact ends before. [impact (47)]
  bool stop_after(Real x) { return advance(sticking_rate(B_, gamma_ + x * d_) / x, -gamma_ / x, x) || rest(); }
  bool rest() {
    gamma_.setZero();
    return false;
  }

  /// The step (36), with γ'' = -mu B [γ̂ x (γ' x γ̂)]/|γ| in (37).
  [[nodiscard]] Real adaptive_step(const Vec2& u, Real r, const Vec2& rate) const {
    const Real speed = rate.norm();
    const Vec2 second = -mu_ / r * (B_ * (rate - u.dot(rate) * u));
    const Real curvature = std::abs(cross(rate, second)) / (speed * speed * speed);
    const Real arc = settings_.epsilon * h1_ + (1 - settings_.epsilon) * settings_.h2 / curvature;
    const Real longest = kLongestArc * h1_;
    const Real h = std::min((arc < longest ? arc : longest) / speed, kLongestStep);
    // Where the hodograph is straight because γ̂ has almost reached an attracting direction, a longer
    // step would carry it across.
    const Real slope = turning_slope(u, rate);
    return slope < 0 ? std::min(h, -r / slope) : h;
  }

  /// Derivative of γ̂ x γ' over the angle of γ: negative where neighbours turn towards γ̂.
  [[nodiscard]] Real turning_slope(const Vec2& u, const Vec2& rate) const {
    const Vec2 n(-u.y(), u.x());
    return -u.dot(rate) - mu_ * n.dot(B_ * n);
  }

  /// A start on an invariant direction, attracting or not. [impact (33)]
  [[nodiscard]] bool is_on_ray(const Vec2& u, const Vec2& rate) const {
    return std::abs(cross(u, rate)) <= kOnRay * rate_size_;
  }

  /// Event l. Beside a repelling direction the exact path turns away, however close it is.
  [[nodiscard]] bool is_invariant(const Vec2& u, const Vec2& rate, Real h) const {
    const Real slope = turning_slope(u, rate);
    if (!(slope < 0)) return false;
    const Real g = std::abs(cross(u, rate));
    const Real sine = std::min(kInvariantSine, kInvariantSteps * h * rate_size_ / speed_before_);
    return g <= sine * rate.norm() && g <= sine * -slope;
  }

  // ---- rest ----

  /// I⊥' and γ' of stick or of resumed slip. [impact (38)]
  struct Rates {
    Vec2 I, gamma;
  };
  [[nodiscard]] Rates rates_from_rest() const {
    const auto direction = centrifugal_direction(B_, d_, mu_);
    if (!direction) return {sticking_rate(B_, d_), Vec2::Zero()};
    const Real f = direction->dot(d_ - mu_ * (B_ * *direction));
    return {-mu_ * *direction, f * *direction};
  }

  /// Event s and what follows. [impact §6.2]
  void continue_from_rest() {
    record(EventKind::Stop);
    const Rates after = rates_from_rest();
    advance(after.I, after.gamma, kInfinity);
  }

  // ---- no closed forms ----

  /// Steps of one size to the end.
  void integrate() {
    bool slides = gamma_.norm() > 0;
    const Rates after = rates_from_rest();
    if (!slides) record(EventKind::Stop);
    while (slides || !is_jammed(after.I)) {
      if (++result_.iterations > settings_.max_iterations) {
        give_up();
        return;
      }
      Real left = step_;
      if (slides) {
        const Vec2 u = gamma_.normalized();
        const Vec2 rate = d_ - mu_ * (B_ * u);
        if (stands_still(u, rate)) break;
        const StepOutcome outcome = step(u, rate, step_);
        if (outcome.over) return;
        left -= outcome.taken;
        slides = gamma_ != Vec2::Zero();
        if (!slides) record(EventKind::Stop);
      }
      if (!slides && left > 0 && advance(after.I, after.gamma, left)) return;
    }
    jam();
  }

  // ---- pieces with I' = (rate, 1) and γ' constant ----

  [[nodiscard]] Real normal_rate(const Vec2& rate) const {
    const Real a = W_(2, 2) + d_.dot(rate);
    return std::abs(a) <= kNoMotion * (W_(2, 2) + d_.norm() * rate.norm()) ? 0 : a;
  }
  [[nodiscard]] bool is_jammed(const Vec2& rate) const { return compressing_ && vz_ < 0 && !(normal_rate(rate) > 0); }
  /// Slip in which nothing changes any more: a jam with γ != 0, for a singular W.
  [[nodiscard]] bool stands_still(const Vec2& u, const Vec2& rate) const {
    return compressing_ && rate.norm() <= kStandstill * rate_size_ &&
           std::abs(W_(2, 2) - mu_ * d_.dot(u)) <= kStandstill * (W_(2, 2) + mu_ * d_.norm());
  }

  /// Follows the piece for at most `length` of Iz. True if the impact is over.
  bool advance(const Vec2& rate, const Vec2& gamma_rate, Real length) {
    const Real a = normal_rate(rate);
    const auto move = [&](Real x) {
      const Real work = x * (vz_ + 0.5 * a * x);
      friction_work_ += x * rate.dot(gamma_ + 0.5 * x * gamma_rate);
      I_ += x * Vec3(rate.x(), rate.y(), 1);
      gamma_ += x * gamma_rate;
      vz_ += a * x;
      E_ -= work;  // [impact (11)]
      normal_work_ += work;
    };
    if (compressing_) {
      const Real to_c = vz_ >= 0 ? 0 : a > 0 ? -vz_ / a : kInfinity;
      if (!(to_c <= length)) {
        move(length);
        return false;
      }
      if (to_c == kInfinity) return jam();
      move(to_c);
      vz_ = 0;
      if (end_compression()) return true;
      length -= to_c;
    }
    const Real to_r = length_to_end(a);
    if (!(to_r <= length)) {
      move(length);
      return false;
    }
    if (to_r == kInfinity) return jam();
    move(to_r);
    if (settings_.law == Law::Newton) vz_ = vz_end_;
    record(EventKind::Restitution);
    return true;
  }

  /// Event c. True if the impact ends with it.
  bool end_compression() {
    record(EventKind::Compression);
    compressing_ = false;
    work_compression_ = normal_work_;
    E_ = e_ * e_ * E_;
    Iz_end_ = (1 + e_) * I_.z();
    vz_end_ = -e_ * v_before_.z();
    if (e_ > 0) return false;
    record(EventKind::Restitution);
    return true;
  }

  /// Iz from here to the end of restitution while vz' = a.
  [[nodiscard]] Real length_to_end(Real a) const {
    if (settings_.law == Law::Poisson) return std::max(Iz_end_ - I_.z(), Real{0});
    if (settings_.law == Law::Newton) return vz_ >= vz_end_ ? 0 : a > 0 ? (vz_end_ - vz_) / a : kInfinity;
    // E = vz x + a x²/2, the first root ahead, without cancellation. [impact (41), (46)]
    const Real discriminant = vz_ * vz_ + 2 * a * E_;
    if (discriminant < 0) return kInfinity;
    const Real root = std::sqrt(discriminant);
    if (vz_ >= 0) return vz_ + root > 0 ? std::max(2 * E_ / (vz_ + root), Real{0}) : kInfinity;
    return a > 0 ? (root - vz_) / a : kInfinity;
  }

  // ---- answer ----

  bool give_up() {
    --result_.iterations;
    result_.status = Status::IterationLimit;
    return true;
  }
  bool jam() {
    result_.status = Status::Jammed;
    return true;
  }

  void record(EventKind kind) {
    ImpactEvent event;
    event.kind = kind;
    event.impulse = units_.impulse()(I_);
    event.v = units_.velocity()(velocity());
    event.energy = energy_out(E_);
    result_.sequence.push(event);
  }
  [[nodiscard]] Vec3 velocity() const { return {gamma_.x(), gamma_.y(), vz_}; }
  [[nodiscard]] Real energy_out(Real E) const { return units_.energy()(E); }

  ImpactResult finish() {
    if (result_.status == Status::Jammed) {
      const int iterations = result_.iterations;
      result_ = {};
      result_.status = Status::Jammed;
      result_.iterations = iterations;
      result_.v = units_.velocity()(v_before_);
      return result_;
    }
    result_.impulse = units_.impulse()(I_);
    result_.v = units_.velocity()(velocity());
    const Real first = compressing_ ? normal_work_ : work_compression_;
    result_.work_compression = energy_out(std::min(first, Real{0}));
    result_.work_restitution = energy_out(normal_work_ - first);
    result_.work_friction = energy_out(std::min(friction_work_, Real{0}));
    return result_;
  }

  // the problem, in scaled units
  const ImpactSettings& settings_;
  ImpactUnits units_;
  Real mu_, e_;
  Mat3 W_;
  Mat2 B_;
  Vec2 d_;
  Vec3 v_before_;
  Real step_, h1_;
  Real rate_size_;     ///< bound of |γ'|
  Real speed_before_;  ///< |γ-|

  // the state
  Vec2 gamma_;
  Real vz_;
  Vec3 I_ = Vec3::Zero();
  Real E_ = 0;
  Real normal_work_ = 0, friction_work_ = 0;
  Real work_compression_ = 0;
  bool compressing_ = true;
  Real Iz_end_ = 0, vz_end_ = 0;  ///< where Poisson's and Newton's laws end restitution
  ImpactResult result_;
};

}  // namespace

ImpactResult solve_stepping(const ImpactProblem& problem, const ImpactSettings& settings) {
  return SteppedImpact(problem, settings).run();
}

}  // namespace visviva::impact
