#include "impact/approach_to_stop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "impact/slip_series.hpp"

namespace visviva::impact {
namespace {

constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();

struct Attractor {
  Vec2 u, n;
  ApproachField<Real> field;
};

/// Newton's method on g(θ) = n·(-mu B u + d) from a direction close to a root.
std::optional<Attractor> attracting_centripetal(const SlipProblem& problem, Vec2 u) {
  const auto& [B, d, W33, mu, scale] = problem;
  Attractor at;
  for (int i = 0; i < kAttractorIterations; ++i) {
    const Vec2 n = left_of(u);
    const Vec2 Bu = B * u, Bn = B * n;
    ApproachField<Real> f{mu * u.dot(Bu), mu * u.dot(Bn), mu * n.dot(Bn), d.dot(u), d.dot(n), 0, 0};
    f.lambda = f.d_u - f.b11;
    f.A = -(f.lambda + f.b22);
    if (!(f.lambda < 0 && f.A < 0)) return std::nullopt;
    at = {u, n, f};
    const Real g = f.d_n - f.b12;
    if (std::abs(g) <= 2 * kEpsilon * scale) break;
    const Real turn = -g / f.A;
    if (!(std::abs(turn) < kAttractorReach)) return std::nullopt;
    u = (u + turn * n).normalized();
  }
  return at;
}

/// Three terms in a row are rounding.
class IsDone {
 public:
  bool operator()(Real term_k, Real sum_k, Real term_z, Real&) {
    size_z_ += std::abs(term_z);
    const bool small =
        std::abs(term_k) <= 0.25 * kEpsilon * std::abs(sum_k) && std::abs(term_z) <= 0.25 * kEpsilon * size_z_;
    in_a_row_ = small ? in_a_row_ + 1 : 0;
    return converged();
  }
  [[nodiscard]] bool converged() const { return in_a_row_ == 3; }

 private:
  Real size_z_ = 0;
  int in_a_row_ = 0;
};

}  // namespace

std::optional<ApproachToStop> approach_to_stop(const SlipProblem& problem, const Vec2& direction, Real speed) {
  const auto found = attracting_centripetal(problem, direction);
  if (!found) return std::nullopt;
  const auto& [u, n, f] = *found;
  const Real cos_phi = u.dot(direction), sin_phi = n.dot(direction);
  if (!(cos_phi > 0)) return std::nullopt;
  const Real t = sin_phi / (1 + cos_phi);
  if (!is_within_reach(f, std::abs(t))) return std::nullopt;
  IsDone is_done;
  const auto sum = sum_approach(f, problem.W33, problem.mu, t, is_done);
  if (!is_done.converged()) return std::nullopt;
  const Real y = speed / (1 + t * t);
  ApproachToStop rest;
  rest.impulse_z = y * sum.k;
  rest.impulse_t = -problem.mu * y * (sum.c * u + sum.s * n);
  rest.dv = problem.W33 * rest.impulse_z + problem.d.dot(rest.impulse_t);
  rest.work_about_stop = -y * y * sum.z;
  return rest;
}

}  // namespace visviva::impact
