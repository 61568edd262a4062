#include "climb_intersection.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory_resource>
#include <vector>

namespace visviva::geometry {
namespace {

constexpr int kMaxSteps = 60;
constexpr Real kFirstMu = 0.1, kLastMu = 1e-15;
/// Below these values of μ the parts that hold the point are guessed.
constexpr std::array<Real, 5> kGuessAt = {2e-3, 2e-5, 2e-8, 2e-11, 2 * kLastMu};
/// Share of the way to the boundary that a step may go.
constexpr Real kShare = 0.995;
/// μ falls by this much at once; λᵢ stays within this factor of μ/sᵢ.
constexpr Real kFall = 0.1, kSpread = 10;

/// A part on the way: s at x, λ, and the step of λ.
struct Held {
  const IntersectionPart* part;
  Slack slack;
  Real lambda, lambda_step;
};

/// Newton's method on the conditions of up to three parts.
class HeldPoint {
 public:
  HeldPoint(std::span<const Held> held, const Vec3& x) : x_(x) { choose(held); }

  /// True if it arrives at a point inside all parts with multipliers that are not negative.
  bool polish(std::span<const IntersectionPart> parts, const Vec3& u) {
    constexpr int kRounds = 8;
    constexpr Real kArrived = 2e-15, kFar = 0.5;
    if (count_ == 0) return false;
    Real last = std::numeric_limits<Real>::infinity();
    for (int round = 0; round < kRounds; ++round) {
      const Real residual = step(u);
      if (!(residual < kFar)) return false;
      if (residual < kArrived || (residual < 1e-12 && residual >= 0.5 * last)) return is_maximum(parts);
      last = residual;
    }
    return false;
  }
  [[nodiscard]] const Vec3& x() const { return x_; }

 private:
  /// Those with λ > s, independent ones only: more than three planes may meet in a corner.
  void choose(std::span<const Held> held) {
    constexpr Real kIndependent = 1e-4;
    std::array<const Held*, 12> candidates;
    std::size_t n = 0;
    for (const Held& h : held)
      if (h.lambda > h.slack.s && n < candidates.size()) candidates[n++] = &h;
    std::stable_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(n),
                     [](const Held* a, const Held* b) { return a->lambda > b->lambda; });
    std::array<Vec3, 3> basis;
    for (std::size_t i = 0; i < n && count_ < 3; ++i) {
      const Real length = candidates[i]->slack.gradient.norm();
      Vec3 g = candidates[i]->slack.gradient / length;
      for (std::size_t j = 0; j < count_; ++j) g -= basis[j].dot(g) * basis[j];
      const Real left = g.norm();
      if (!(left > kIndependent)) continue;
      basis[count_] = g / left;
      parts_[count_] = candidates[i]->part;
      lambda_[count_++] = candidates[i]->lambda;
    }
  }

  /// One step; returns how far from fulfilled the conditions were before it.
  Real step(const Vec3& u) {
    // A face or a line that is flat across u holds more than one point; this keeps the nearest, and costs no accuracy,
    // as it multiplies the step, which vanishes.
    constexpr Real kProximal = 1e-9;
    Mat6 J = Mat6::Identity();
    Vec6 r = Vec6::Zero();
    r.head<3>() = u;
    J.topLeftCorner<3, 3>() *= -kProximal;
    for (std::size_t i = 0; i < count_; ++i) {
      const Slack p = slack(*parts_[i], x_);
      const auto row = static_cast<Eigen::Index>(3 + i);
      J.topLeftCorner<3, 3>() += lambda_[i] * p.hessian;
      J.block<3, 1>(0, row) = p.gradient;
      J.block<1, 3>(row, 0) = p.gradient.transpose();
      J(row, row) = 0;
      r.head<3>() += lambda_[i] * p.gradient;
      r[row] = p.s;
    }
    const Vec6 change = J.partialPivLu().solve(-r);
    x_ += change.head<3>();
    for (std::size_t i = 0; i < count_; ++i) lambda_[i] += change[static_cast<Eigen::Index>(3 + i)];
    return r.cwiseAbs().maxCoeff();
  }

  [[nodiscard]] bool is_maximum(std::span<const IntersectionPart> parts) const {
    constexpr Real kNotNegative = -1e-12;
    for (std::size_t i = 0; i < count_; ++i)
      if (!(lambda_[i] >= kNotNegative)) return false;
    return x_.allFinite() && least(parts, x_) >= -kInside;
  }

  Vec3 x_;
  std::size_t count_ = 0;
  std::array<const IntersectionPart*, 3> parts_ = {};
  std::array<Real, 3> lambda_ = {};
};

class InteriorPoint {
 public:
  InteriorPoint(std::span<const IntersectionPart> parts, const Vec3& u, const Vec3& inner, std::span<Held> held)
      : parts_(parts), u_(u), x_(inner), held_(held) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      held_[i].part = &parts[i];
      held_[i].slack = slack(parts[i], inner);
      held_[i].lambda = mu_ / held_[i].slack.s;
    }
  }

  Vec3 run() {
    std::size_t guess = 0;
    for (int i = 0; i < kMaxSteps; ++i) {
      Vec3 step = newton_step();
      if (is_central(step)) {
        if (mu_ < kGuessAt[guess]) {
          HeldPoint point(held_, x_);
          if (point.polish(parts_, u_)) return point.x();
          while (guess + 1 < kGuessAt.size() && mu_ < kGuessAt[guess]) ++guess;
        }
        if (mu_ <= kLastMu) break;
        mu_ *= kFall;
        step = newton_step();
      }
      if (!move(step)) break;
    }
    return x_;
  }

 private:
  /// g = u + Σ μ/sᵢ Dsᵢ, the gradient of u·x + μ Σ log sᵢ, and the step K dx = g with
  /// K = Σ λᵢ/sᵢ Dsᵢ Dsᵢᵀ - λᵢ D²sᵢ, which is minus the Hessian where λᵢ = μ/sᵢ.
  Vec3 newton_step() {
    Mat3 K = Mat3::Zero();
    Vec3 g = u_;
    for (const Held& h : held_) {
      const Slack& p = h.slack;
      g += (mu_ / p.s) * p.gradient;
      K += (h.lambda / p.s) * p.gradient * p.gradient.transpose() - h.lambda * p.hessian;
    }
    const Vec3 step = K.llt().solve(g);
    slope_ = g.dot(step);
    return step;
  }

  /// Near the maximum for this μ: Newton's decrement is below a half.
  [[nodiscard]] bool is_central(const Vec3& step) const { return step.allFinite() && slope_ <= 0.25 * mu_; }

  /// Goes along the step until u·x + μ Σ log s falls, and takes λ along.
  bool move(const Vec3& step) {
    constexpr int kMaxCuts = 50;
    constexpr Real kCut = 0.6, kFalls = -0.5;
    Real share = 1 / kShare, dual = 1 / kShare;
    for (Held& h : held_) {
      const Real along = h.slack.gradient.dot(step);
      // dλᵢ = μ/sᵢ - λᵢ - λᵢ/sᵢ Dsᵢ·dx
      h.lambda_step = (mu_ - h.lambda * along) / h.slack.s - h.lambda;
      if (along < 0) share = std::min(share, -h.slack.s / along);  // beyond its tangent no concave s is positive
      if (h.lambda_step < 0) dual = std::min(dual, -h.lambda / h.lambda_step);
    }
    share = std::min(1.0, kShare * share), dual = std::min(1.0, kShare * dual);
    const Vec3 from = x_;
    for (int cuts = 0; !(slope_at(from + share * step, step) > kFalls * slope_); ++cuts) {
      if (cuts == kMaxCuts) return false;
      share *= kCut;
    }
    x_ = from + share * step;
    for (Held& h : held_) {
      const Real central = mu_ / h.slack.s;
      h.lambda = std::clamp(h.lambda + dual * h.lambda_step, central / kSpread, central * kSpread);
    }
    return true;
  }

  /// Slope of u·x + μ Σ log s along the step, with all s at x; minus infinity outside.
  Real slope_at(const Vec3& x, const Vec3& step) {
    Real slope = u_.dot(step);
    for (Held& h : held_) {
      if (!(value(*h.part, x) > 0)) return -std::numeric_limits<Real>::infinity();
      h.slack = slack(*h.part, x);
      slope += mu_ / h.slack.s * h.slack.gradient.dot(step);
    }
    return slope;
  }

  std::span<const IntersectionPart> parts_;
  const Vec3& u_;
  Vec3 x_;
  std::span<Held> held_;
  Real mu_ = kFirstMu;
  Real slope_ = 0;  ///< of u·x + μ Σ log s along the step
};

}  // namespace

Vec3 climb_intersection(std::span<const IntersectionPart> parts, const Vec3& u, const Vec3& inner) {
  constexpr std::size_t kOnStack = 32;
  alignas(Held) std::array<std::byte, kOnStack * sizeof(Held)> buffer;
  std::pmr::monotonic_buffer_resource memory(buffer.data(), buffer.size());
  std::pmr::vector<Held> held(parts.size(), &memory);
  return InteriorPoint(parts, u, inner, held).run();
}

}  // namespace visviva::geometry
