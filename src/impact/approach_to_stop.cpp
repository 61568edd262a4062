#include "impact/approach_to_stop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "impact/slip_series.hpp"

namespace visviva::impact {
namespace {

constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();

/// The slip in the frame of u and n, its left; lambda and A as if u were invariant.
ApproachField<Real> field_along(const SlipProblem& problem, const Vec2& u, const Vec2& n) {
  const auto& [B, d, W33, mu, scale] = problem;
  const Vec2 Bu = B * u, Bn = B * n;
  ApproachField<Real> f{mu * u.dot(Bu), mu * u.dot(Bn), mu * n.dot(Bn), d.dot(u), d.dot(n), 0, 0};
  f.lambda = f.d_u - f.b11;
  f.A = -(f.lambda + f.b22);
  return f;
}

/// tan(φ/2) of the angle φ from u to the root of g next to it: Newton's method on
///   (1 + t²)² g/2 = (d_n - b12)/2 + A t + 3 b12 t² + (b22 - b11 - d_u) t³ - (d_n + b12)/2 t⁴.
/// nullopt if no attracting root is near.
std::optional<Real> turn_to_root(const ApproachField<Real>& f) {
  if (!(f.lambda < 0 && f.A < 0)) return std::nullopt;
  const Real G0 = 0.5 * (f.d_n - f.b12), G2 = 3 * f.b12, G3 = f.b22 - f.b11 - f.d_u, G4 = -0.5 * (f.d_n + f.b12);
  Real t = -G0 / f.A;
  if (!(std::abs(t) < 0.5 * kAttractorReach)) return std::nullopt;
  for (int i = 0; i < kAttractorIterations; ++i) {
    const Real value = G0 + t * (f.A + t * (G2 + t * (G3 + t * G4)));
    const Real slope = f.A + t * (2 * G2 + t * (3 * G3 + t * (4 * G4)));
    if (!(slope < 0)) return std::nullopt;
    const Real move = -value / slope;
    t += move;
    if (std::abs(move) <= kAttractorFound) return t;
    if (!(std::abs(t) < kAttractorReach)) return std::nullopt;
  }
  return std::nullopt;
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
  const Vec2 left = left_of(direction);
  const auto turn = turn_to_root(field_along(problem, direction, left));
  if (!turn) return std::nullopt;
  const Real t = -*turn;  // back from the root to γ
  const Real over = 1 / (1 + t * t), cos_phi = (1 - t * t) * over, sin_phi = 2 * t * over;
  const Vec2 u = cos_phi * direction - sin_phi * left, n = left_of(u);
  const ApproachField<Real> f = field_along(problem, u, n);
  if (!(f.lambda < 0 && f.A < 0)) return std::nullopt;
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
