#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "visviva/variational/bouncing_body.hpp"

namespace visviva::variational {

/// A point of a path, with Φ there. tau is the time since the start of the current step [s].
template <class State>
struct PathPoint {
  Real tau = 0;
  Real phi = 0;
  State state{};
};

/// Rounding of Φ for a body at x, from the terms of which it is made, times a few operations.
inline Real phi_rounding(const Detection& detection, const Vec3& x) {
  const geometry::Plane& plane = detection.plane();
  return 4 * 0x1p-52 * (plane.normal.cwiseAbs().dot(x.cwiseAbs()) + std::abs(plane.offset) + detection.radius());
}

/// The impact between lo and hi, where Φ(lo) >= 0 > Φ(hi); `at(tau)` gives a PathPoint. Ends with 0 <= Φ <= tolerance,
/// or on the side of lo when the bracket has collapsed: the tolerance may be out of reach.  [lgvci §5.2]
template <class State, class At>
PathPoint<State> find_impact(PathPoint<State> lo, const PathPoint<State>& hi, At&& at, ImpactRoot root,
                             Real tolerance) {
  // Bisection halves the bracket. The secant aims at the middle of [0, tolerance], and gives way to bisection when it
  // points out of the bracket, when three of them did not halve it, and while the path has not left the impact before:
  // that one must not be found again.
  bool away = lo.phi > tolerance;
  Real a = hi.tau, f_a = hi.phi, b = lo.tau, f_b = lo.phi;  // newest two points
  Real upper = hi.tau, width = upper - lo.tau;
  for (int i = 1;; ++i) {
    Real tau = lo.tau + (upper - lo.tau) / 2;
    if (!(lo.tau < tau && tau < upper)) return lo;
    const bool fall_back = !away || (i % 4 == 0 && upper - lo.tau > width / 2);
    if (root == ImpactRoot::Secant && !fall_back) {
      const Real aimed = a - (f_a - tolerance / 2) * (a - b) / (f_a - f_b);
      if (lo.tau < aimed && aimed < upper) tau = aimed;
    }
    if (i % 4 == 0) width = upper - lo.tau;
    PathPoint<State> point = at(tau);
    b = a, f_b = f_a;
    a = tau, f_a = point.phi;
    if (point.phi < 0) {
      upper = tau;
      continue;
    }
    lo = std::move(point);
    if (away && lo.phi <= tolerance) return lo;
    away = away || lo.phi > tolerance;
  }
}

}  // namespace visviva::variational
