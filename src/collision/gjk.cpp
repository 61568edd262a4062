#include "gjk.hpp"

#include "climb_by_newton.hpp"

namespace visviva::collision {

// GJK [Gilbert1988]: distance of C = B - A from 0. A simplex of support points of C is kept whose nearest point v to 0
// has |v| >= distance; the support plane orthogonal to v gives distance >= d(v/|v|). Each step adds that plane's
// support point to the simplex, and keeps of it the face that holds the new v. Ends when both bounds agree to rounding,
// when no new point is found, or when |v| no longer falls. Polytopes end in about ten steps. On curved sets v converges
// linearly, so after a few steps Newton's method takes over (climb_by_newton).
namespace {

constexpr int kMaxIterations = 200;
/// Of a curved set. GJK itself gets near enough for Newton's method by then.
constexpr int kFirstClimb = 4, kClimbEvery = 12;
/// Where |v| no longer falls though the bounds are far apart, in units of rounding.
constexpr int kMaxRestarts = 3;
constexpr Real kNearlyThere = 1024;

/// The support does not wait for the length of m.
Direction look_along_any(const MinkowskiDifference& C, const Real3& m) {
  Direction x{normalized(m), C.support(m), 0};
  x.d = dot(x.n, x.vertex.w);
  return x;
}

/// The second look at two polytopes. The first point alone says little of where the nearest one is: the direction to
/// it, turned back towards the guess, leads to a better one, which saves one look in six. It must be nearer along m,
/// the direction to the first point w, as one along m is.
Direction look_again(const MinkowskiDifference& C, const Direction& first, const Real3& m) {
  constexpr Real kGuess = 2, kNearer = 0.99;
  const Direction x = look_along_any(C, normalized(m) + kGuess * first.n);
  return dot(m, x.vertex.w) < kNearer * dot(m, first.vertex.w) ? x : look_along_any(C, m);
}

void take(Nearest& nearest, const Direction& direction) {
  nearest.rounding = std::max(nearest.rounding, kSupportRounding * magnitude(direction.vertex));
  if (nearest.iterations++ == 0 || direction.d > nearest.best.d) nearest.best = direction;
}

/// Near enough for Newton's method to do the rest.
bool converges(const Nearest& nearest) { return nearest.upper - nearest.best.d <= kNearlyThere * nearest.rounding; }

/// Newton's method from the best direction; takes over if it arrives.
void climb(const MinkowskiDifference& C, Nearest& nearest) {
  Direction direction = nearest.best;
  DifferenceVertex points;
  if (!climb_by_newton(C, direction, points, !nearest.converged()) ||
      !(direction.d >= nearest.best.d - nearest.rounding))
    return;
  const Real upper = norm(points.w);
  if (!(upper - direction.d <= nearest.rounding)) return;
  nearest.best = direction;
  nearest.points = points;
  nearest.upper = upper;
}

}  // namespace

void run_gjk(const MinkowskiDifference& C, const Real3& n, Nearest& nearest) {
  Simplex& simplex = nearest.simplex;
  Direction last = look_along(C, n);
  nearest.rounding = C.rounding();
  take(nearest, last);
  simplex.count = 0;
  simplex.add(last.vertex);
  const bool curved = C.is_curved();
  int restarts = 0;
  for (;;) {
    const Real3 m = reduce_to_nearest_face(simplex);
    const Real upper = norm(simplex.mean_w());
    if (simplex.count == 4 || upper <= nearest.rounding) {
      nearest.overlap = true;
      nearest.points = simplex.mean();
      return;
    }
    const bool falls = upper < nearest.upper;
    nearest.upper = upper;
    if (!falls && (converges(nearest) || restarts++ == kMaxRestarts)) break;
    if (!falls) {  // rounding chose a wrong face: begin anew from the best direction
      nearest.upper = std::numeric_limits<Real>::infinity();
      simplex.count = 0;
      simplex.add(nearest.best.vertex);
      continue;
    }
    last = nearest.iterations == 1 && !curved ? look_again(C, last, m) : look_along_any(C, m);
    take(nearest, last);
    if (nearest.converged() || nearest.iterations >= kMaxIterations || simplex.holds(last.vertex.w)) break;
    if (curved && nearest.iterations % kClimbEvery == kFirstClimb) {
      climb(C, nearest);
      if (nearest.converged()) return;
    }
    simplex.add(last.vertex);
  }
  nearest.points = simplex.mean();
  // The normal of a curved set to rounding; and what rounding kept GJK from.
  if (curved ? !(simplex.count == 1 && simplex.holds(last.vertex.w)) : !nearest.converged()) climb(C, nearest);
}

bool climb_alone(const MinkowskiDifference& C, const Real3& n, Nearest& nearest) {
  take(nearest, look_along(C, n));
  nearest.rounding = std::max(nearest.rounding, C.rounding());
  if (!climb_smooth(C, nearest.best, nearest.rounding)) return false;
  nearest.points = nearest.best.vertex;
  nearest.upper = norm(nearest.points.w);
  nearest.overlap = !(nearest.best.d > nearest.rounding);
  return nearest.overlap ? -nearest.best.d <= C.least_curvature_radius() : nearest.converged();
}

bool are_within(const MinkowskiDifference& C, Real radius, Real3& n) {
  Simplex simplex;
  Direction x = look_along(C, n);
  Real rounding = C.rounding(), least = std::numeric_limits<Real>::infinity();
  for (int i = 0; i < kMaxIterations; ++i) {
    rounding = std::max(rounding, kSupportRounding * magnitude(x.vertex));
    n = x.n;
    if (x.d > radius + rounding) return false;
    if (simplex.holds(x.vertex.w)) return x.d <= radius;
    simplex.add(x.vertex);
    const Real3 m = reduce_to_nearest_face(simplex);
    if (simplex.count == 4) return true;
    const Real upper = norm(simplex.mean_w());
    if (upper <= radius + rounding) return true;
    if (!(upper < least) || upper - x.d <= rounding) return upper <= radius + rounding;
    least = upper;
    x = look_along_any(C, m);
  }
  return least <= radius;
}

}  // namespace visviva::collision
