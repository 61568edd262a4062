#include "cast_points.hpp"

#include <cmath>
#include <limits>

#include "nearest_cores.hpp"
#include "polytope_features.hpp"
#include "visviva/geometry/core.hpp"

namespace visviva::collision {
namespace {

using geometry::Convex;
using geometry::CoreKind;

/// Steps take the error to about its square; a line that all but grazes the surface may need more and is left out.
constexpr int kMostSteps = 24;
/// Slope of the distance along the line below which it grazes.
constexpr double kGrazing = 0.05;
/// Of the numbers that carry it: rounding of a distance.
constexpr double kRounding = 4 * kSupportRounding;
/// Of the radii of curvature: how far a line of a round body lies above its surface beside the line, at most; somewhat
/// more than the half square of what clip_patches.cpp takes for parallel.
constexpr double kFall = 0.1;
/// Nearest points that are so far apart, compared with how far they are aside of each other, know the normal best.
constexpr double kTurn = 1e-3;
/// In units of how far nearest points are aside of each other: how far apart their surfaces are looked for.
constexpr double kAside = 1 + 1 / kGrazing;

/// How far a point is from a core, and the direction in which that grows; in the frame of the core.
struct Height {
  double d;  ///< negative inside [m]
  Real3 n;   ///< unit
};

Height over_core(const Convex& set, const Real3& q) {
  const geometry::Core& core = set.core();
  Foot foot;
  if (find_foot(core, q, foot)) return {foot.height, foot.m};
  Height height{};
  const geometry::Polytope* const polytope = set.polytope();
  if (polytope != nullptr && !polytope->flat() && find_nearest(*polytope, q, height.n, height.d)) return height;
  static const Convex point{geometry::Sphere{1}};
  const Place X = to_place(core.X);
  CorePair pair;
  find_nearest_cores(set, point, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, X * q}, pair);
  return {pair.d, turn_back(X.R, pair.n)};
}

}  // namespace

std::optional<double> leave_along(const Convex& set, const Real3& q, const Real3& u, double depth) {
  const double rounding = set.core().rounding, tolerance = kRounding * (set.core().reach + largest(q));
  const Place X = to_place(set.core().X);
  const Real3 q_S = move_back(X, q), u_S = turn_back(X.R, u);
  double t = 0;
  for (int i = 0; i < kMostSteps && t >= -depth; ++i) {
    const Height height = over_core(set, q_S + t * u_S);
    const double f = height.d - rounding, slope = dot(height.n, u_S);
    if (std::abs(f) <= tolerance) return t;
    if (!(slope > kGrazing)) break;
    t -= f / slope;
  }
  return std::nullopt;
}

double rise_of_surface(const Convex& set, const Real3& q, const Real3& u) {
  const bool across = set.core().kind == CoreKind::Intersection;  // has no other patches than faces across u
  return across ? 0 : leave_along(set, q, u, set.core().reach).value_or(0);
}

void set_opposite(const Convex& A, const Convex& B, const Place& X_AB, CorePair& pair) {
  const Real3 a = pair.points.a, b = pair.points.b, n = pair.n, skew = b - a - pair.d * n;
  const double aside = norm(skew), depth = kAside * aside;
  if (aside < kTurn * std::abs(pair.d)) {
    const Real3 w = b - a;
    pair.n = (pair.d < 0 ? -1 : 1) * normalized(w);
    pair.d = dot(pair.n, w);
    return;
  }
  const double rounding_a = A.core().rounding, rounding_b = B.core().rounding;
  double least = std::numeric_limits<double>::infinity();
  for (const double part : {0.0, 1.0, 0.5}) {
    // From points a little outside of the sets.
    const Real3 at_a = a + part * skew, at_b = b - (1 - part) * skew;
    const auto t_a = leave_along(A, at_a + (rounding_a + aside) * n, n, depth);
    const auto t_b = leave_along(B, move_back(X_AB, at_b - (rounding_b + aside) * n), -turn_back(X_AB.R, n), depth);
    if (!t_a || !t_b) continue;
    const Real3 on_a = at_a + (aside + *t_a) * n, on_b = at_b - (aside + *t_b) * n;
    const double gap = dot(n, on_b - on_a);
    if (!(gap < least)) continue;
    least = gap;
    pair.points.a = on_a;
    pair.points.b = on_b;
  }
}

void cast_points(const Convex& set, const Place& X_SB, bool is_b, const Contact& contact, Manifold& manifold) {
  const double sign = is_b ? -1 : 1;
  const Real3 n = from_eigen(manifold.normal), u = sign * turn_back(X_SB.R, n);
  for (int i = 0; i < manifold.count; ++i) {
    ManifoldPoint& point = manifold.points[static_cast<std::size_t>(i)];
    // The nearest points of the surfaces have nothing beyond them.
    if (!(point.separation > manifold.distance + contact.sag)) continue;
    const Real3 middle = from_eigen(point.point), on_set = middle - 0.5 * sign * point.separation * n;
    const double rise = rise_of_surface(set, move_back(X_SB, on_set), u);
    point.point = to_eigen(middle + 0.5 * sign * rise * n);
    point.separation -= rise;
  }
}

void cast_lines(const Convex& A, const Convex& B, const Place& X_AB, const Contact& contact, ContactArea& area) {
  ContactRegion& region = area.region;
  const Real3& n = contact.R_CS.row2;
  const double depth = kFall * (area.a.mean_round() + area.b.mean_round());
  int count = 0;
  for (int i = 0; i < region.count; ++i) {
    const auto at_height = [&](double z) {
      return turn_back(contact.R_CS, {region.x[i], region.y[i], z}) + contact.p_SC;
    };
    const auto a = leave_along(A, at_height(region.z_a[i] + contact.rounding_a), n, depth);
    const Real3 from_b = move_back(X_AB, at_height(region.z_b[i] - contact.rounding_b));
    const auto b = leave_along(B, from_b, -turn_back(X_AB.R, n), depth);
    if (!a || !b) continue;
    region.x[count] = region.x[i];
    region.y[count] = region.y[i];
    region.z_a[count] = region.z_a[i] + *a;
    region.z_b[count] = region.z_b[i] - *b;
    region.name[count] = region.name[i];
    ++count;
  }
  region.count = count;
}

}  // namespace visviva::collision
