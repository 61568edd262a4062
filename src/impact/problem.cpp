#include "visviva/impact/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "impact/validity.hpp"
#include "visviva/core/error.hpp"
#include "visviva/impact/settings.hpp"

namespace visviva::impact {
namespace {

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

// Outside this range the shift of is_semidefinite underflows or the trace overflows.
constexpr Real kSmallTrace = 1e-280;
constexpr Real kLargeEntry = 1e300;
constexpr Real kRescale = 0x1p+200;

// Any sum of 0 * x is 0 if all x are finite and NaN otherwise; the sum of x itself may overflow.
template <class Derived>
bool all_finite(const Eigen::MatrixBase<Derived>& x) {
  return (Real{0} * x).sum() == 0;
}

bool is_friction(Real mu) { return mu >= 0 && mu < kInfinity; }

bool is_restitution(Real e) { return e >= 0 && e <= 1; }

std::string to_text(const Mat3& m) {
  return fmt::format("[[{}, {}, {}], [{}, {}, {}], [{}, {}, {}]]", m(0, 0), m(0, 1), m(0, 2), m(1, 0), m(1, 1), m(1, 2),
                     m(2, 0), m(2, 1), m(2, 2));
}

}  // namespace

bool is_symmetric(const Mat3& W) {
  const Real gap = std::max({std::abs(W(0, 1) - W(1, 0)), std::abs(W(0, 2) - W(2, 0)), std::abs(W(1, 2) - W(2, 1))});
  if (gap == 0) return true;
  return gap <= kSymmetryTolerance * W.cwiseAbs().maxCoeff();
}

// The pivots of L D Lᵀ of W + tolerance trace(W): all positive iff that matrix is positive
// definite. The factorisation is backward stable to a few eps trace(W), far below the tolerance.
bool is_semidefinite(const Mat3& W) {
  const Real trace = W(0, 0) + W(1, 1) + W(2, 2);
  if (W.cwiseAbs().maxCoeff() == 0) return true;
  if (trace > kLargeEntry) return is_semidefinite(W / kRescale);
  if (!(trace > 0)) return false;
  if (trace < kSmallTrace) return is_semidefinite(W * kRescale);
  const Real shift = kSemidefiniteTolerance * trace;
  const Real b = 0.5 * (W(0, 1) + W(1, 0));
  const Real c = 0.5 * (W(0, 2) + W(2, 0));
  const Real e = 0.5 * (W(1, 2) + W(2, 1));
  const Real pivot0 = W(0, 0) + shift;
  if (!(pivot0 > 0)) return false;
  const Real l1 = b / pivot0;
  const Real l2 = c / pivot0;
  const Real pivot1 = W(1, 1) + shift - l1 * b;
  if (!(pivot1 > 0)) return false;
  const Real rest = e - l1 * c;
  return W(2, 2) + shift - l2 * c - rest * (rest / pivot1) > 0;
}

bool is_valid(const ImpactProblem& problem) {
  return all_finite(problem.W) && all_finite(problem.v) && is_friction(problem.friction) &&
         is_restitution(problem.restitution) && is_symmetric(problem.W) && is_semidefinite(problem.W);
}

void validate(const ImpactProblem& problem, std::string_view name) {
  if (is_valid(problem)) return;  // no text is made for a good one
  require(all_finite(problem.W), name, "W", "be finite", to_text(problem.W));
  require(all_finite(problem.v), name, "v", "be finite",
          fmt::format("[{}, {}, {}]", problem.v.x(), problem.v.y(), problem.v.z()));
  require(is_friction(problem.friction), name, "friction", "be finite and >= 0", problem.friction);
  require(is_restitution(problem.restitution), name, "restitution", "lie in [0, 1]", problem.restitution);
  require(is_symmetric(problem.W), name, "W", "be symmetric", to_text(problem.W));
  require(is_semidefinite(problem.W), name, "W", "be positive semidefinite", to_text(problem.W));
}

Real condition18(const ImpactProblem& problem) {
  const Mat3 W = symmetric_part(problem.W);
  const Vec2 d = W.topRightCorner<2, 1>();
  return W(2, 2) - problem.friction * d.stableNorm();  // [impact (18)]
}

void validate(const ImpactSettings& settings) {
  constexpr std::string_view kName = "impact settings";
  const auto positive = [](Real x) { return x > 0 && x < kInfinity; };
  require(settings.law == Law::Stronge || settings.law == Law::Poisson || settings.law == Law::Newton, kName, "law",
          "be Stronge, Poisson or Newton", static_cast<int>(settings.law));
  require(settings.method == Method::Exact || settings.method == Method::Adaptive || settings.method == Method::Fixed ||
              settings.method == Method::Integration,
          kName, "method", "be Exact, Adaptive, Fixed or Integration", static_cast<int>(settings.method));
  require(positive(settings.h1), kName, "h1", "be finite and > 0", settings.h1);
  require(positive(settings.h2), kName, "h2", "be finite and > 0", settings.h2);
  require(settings.epsilon > 0 && settings.epsilon < 1, kName, "epsilon", "lie in (0, 1)", settings.epsilon);
  require(positive(settings.step), kName, "step", "be finite and > 0", settings.step);
  require(settings.max_iterations > 0, kName, "max_iterations", "be > 0", settings.max_iterations);
}

}  // namespace visviva::impact
