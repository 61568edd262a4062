#include <algorithm>
#include <cmath>
#include <utility>

#include "distance_parts.hpp"

namespace visviva::geometry {
namespace {

/// z = y/a, r = a²/a_min², rest = r - 1 without cancellation; y in the first octant.
struct Scaled {
  Vec3 z, r, rest;

  /// (r z/(σ + r - 1))² summed, less 1, and its slope; terms with z = 0 do not count, whatever σ.
  [[nodiscard]] std::pair<Real, Real> excess(Real sigma) const {
    Real f = -1, slope = 0;
    for (int i = 0; i < 3; ++i) {
      if (z[i] == 0) continue;
      const Real x = r[i] * z[i] / (sigma + rest[i]);
      f += x * x;
      slope -= 2 * x * x / (sigma + rest[i]);
    }
    return {f, slope};
  }
};

}  // namespace

// Nearest point x of the surface: y - x = t x/a², so x = a² y/(t + a²) with Σ (a y/(t + a²))² = 1, t > -a_min².
// The left side falls and is convex. In σ = 1 + t/a_min² >= 0 it is known to rounding however
// near y is to the medial disc σ = 0. The distance t |x/a²| does not cancel and has its sign; x/a² is the normal.
// [Eberly2013, with σ for t]
SignedDistance ellipsoid_distance(const Vec3& semi_axes, const Vec3& point) {
  int least = 0;
  const Real a_min = semi_axes.minCoeff(&least);
  const Vec3 y = point.cwiseAbs(), a = semi_axes / a_min;
  const Scaled scaled{y.cwiseQuotient(semi_axes), a.cwiseAbs2(), (a - Vec3::Ones()).cwiseProduct(a + Vec3::Ones())};
  // Where one term alone makes 1 the sum is not below it: the largest such σ, or 0, lies left of the root.
  Real sigma = std::max(0.0, (scaled.r.cwiseProduct(scaled.z) - scaled.rest).maxCoeff());
  const bool on_disc = sigma == 0 && !(scaled.excess(0).first > 0);
  // From the left Newton's method climbs to the root of a falling convex function without passing it; rounding alone
  // makes a step back. It takes a dozen steps at most, but for points within a few ulp of the disc.
  constexpr int kMaxSteps = 100;
  for (int i = 0; i < kMaxSteps && !on_disc; ++i) {
    const auto [f, slope] = scaled.excess(sigma);
    const Real next = sigma - f / slope;
    if (!(next > sigma)) break;
    sigma = next;
  }

  Vec3 unit;  // x/a
  for (int i = 0; i < 3; ++i) unit[i] = scaled.z[i] == 0 ? 0 : scaled.r[i] * scaled.z[i] / (sigma + scaled.rest[i]);
  bool defined = true;
  if (on_disc) {
    unit[least] = std::sqrt(std::max(0.0, 1 - unit.squaredNorm()));
    defined = unit[least] == 0;  // else the mirror image is as near
  }
  const Vec3 normal = unit.cwiseQuotient(a);  // x/a², times a_min
  const Real length = normal.norm(), value = (sigma - 1) * a_min * length;
  if (!defined) return without_gradient(value);
  Vec3 gradient;
  for (int i = 0; i < 3; ++i) gradient[i] = std::copysign(normal[i] / length, point[i]);
  return {value, gradient, true};
}

}  // namespace visviva::geometry
