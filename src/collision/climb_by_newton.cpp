#include "climb_by_newton.hpp"

#include <initializer_list>

#include "simplex.hpp"

namespace visviva::collision {

namespace {

constexpr int kMaxSteps = 12;
/// Half width of the central differences: their error, of order h², and the rounding error, of order 1e-16/h, are both
/// near 1e-10, which is more than Newton's method needs.
constexpr Real kStep = 0x1p-17;
/// A support point that moves by less in a turn of kStep is a corner; one that moves by more has jumped along an edge
/// or a face. Both in units of the size.
constexpr Real kCorner = 0x1p-50, kJump = 0x1p-8;

struct Probe {
  DifferenceVertex minus, plus;  ///< supports at n ∓ step t
  Real3 K_t;                     ///< -Dw(n) t
  Real moved = 0;                ///< of w, in units of the size
};

Probe probe(const MinkowskiDifference& C, const Real3& n, const Real3& t, Real step, Real size) {
  Probe p{C.support(n - step * t), C.support(n + step * t), {0, 0, 0}, 0};
  const Real3 difference = p.minus.w - p.plus.w;
  p.K_t = (1 / (2 * step)) * difference;
  p.moved = largest(difference) / size;
  return p;
}

Real gradient2(const Direction& x) { return squared_norm(x.vertex.w - x.d * x.n); }

/// The point nearest to 0 of the hull of points of C.
DifferenceVertex nearest_of(std::initializer_list<DifferenceVertex> vertices) {
  Simplex simplex;
  for (const DifferenceVertex& v : vertices) simplex.add(v);
  reduce_to_nearest_face(simplex);
  return simplex.mean();
}

/// The curvature radius across a ridge e where it is nearest to 0: the two ends may bend differently (a cone's apex and
/// rim), and in between K changes linearly.
Real curvature_across(const MinkowskiDifference& C, const Real3& n, const Real3& e, const Real3& t, Real step,
                      Real size) {
  // Shorter than the root of the step, or a ridge that is curved in n would be left.
  const Real short_step = std::min(kStep, 0.5 * std::sqrt(step));
  const Probe minus = probe(C, n - step * e, t, short_step, size), plus = probe(C, n + step * e, t, short_step, size);
  const Real3 &p = minus.plus.w, along = plus.plus.w - p;
  const Real s = std::clamp(-dot(p, along) / std::max(squared_norm(along), size * size * kCorner), 0.0, 1.0);
  return (1 - s) * dot(t, minus.K_t) + s * dot(t, plus.K_t);
}

/// On a ruled part, where w jumps between the ends of a segment along e, and on a face, where it jumps along two lines.
bool climb_on_ridge(const MinkowskiDifference& C, Real3 e, Direction& x, DifferenceVertex& points, Real size) {
  bool arrived = false;
  // The ends are met at directions that differ by the step, so their difference is off e by as much: shrink it.
  for (const Real step : {0x1p-17, 0x1p-28, 0x1p-38, 0x1p-46, 0x1p-46}) {
    const Probe ends = probe(C, x.n, e, step, size);
    if (!(ends.moved > kJump)) break;
    e = normalized(ends.minus.w - ends.plus.w);
    const Real3 n = normalized(x.n - dot(e, x.n) * e), t = cross(n, e);
    const Probe sides = probe(C, n, t, step, size);
    const Real3 f = sides.minus.w - sides.plus.w;
    if (std::abs(dot(t, f)) > kJump * size) {
      points = nearest_of({ends.minus, ends.plus, sides.minus, sides.plus});
      const Real3 m = normalized(cross(e, f));
      x = look_along(C, dot(m, n) < 0 ? -m : m);
    } else {
      points = nearest_of({ends.minus, ends.plus});
      const Real H = curvature_across(C, n, e, t, step, size) + x.d;
      if (!(H > 0 && H < kJump * size / kStep)) break;
      x = look_along(C, normalized(n + (dot(t, points.w) / H) * t));
    }
    arrived = norm(points.w - x.d * x.n) <= kSupportRounding * size;
    if (arrived && step < 0x1p-37) break;
  }
  return arrived;
}

/// n += t (K + d I)^-1 t^T w; false if the Hessian is not definite.
bool step_by(const MinkowskiDifference& C, const Tangents& t, const CurvatureRadii& K, Direction& x) {
  const Real H11 = K.k11 + x.d, H22 = K.k22 + x.d, det = H11 * H22 - K.k12 * K.k12;
  if (!(H11 > 0 && det > 0)) return false;
  const Real w1 = dot(t.t1, x.vertex.w), w2 = dot(t.t2, x.vertex.w);
  const Real y1 = (H22 * w1 - K.k12 * w2) / det, y2 = (H11 * w2 - K.k12 * w1) / det;
  x = look_along(C, normalized(x.n + y1 * t.t1 + y2 * t.t2));
  return true;
}

/// With K in closed form, as far as the gradient falls. True if it vanishes.
bool climb_smooth(const MinkowskiDifference& C, Direction& x, Real rounding) {
  Real g2 = gradient2(x);
  for (int step = 0; step < kMaxSteps; ++step) {
    const Tangents t = tangents(x.n);
    CurvatureRadii K;
    if (!C.curvature_radii(x.n, t, K)) return false;
    Direction next = x;
    if (!step_by(C, t, K, next)) break;
    const Real next_g2 = gradient2(next);
    if (!(next_g2 < g2 && next.d >= x.d - rounding)) break;
    x = next;
    g2 = next_g2;
  }
  return g2 <= rounding * rounding;
}

}  // namespace

bool climb_by_newton(const MinkowskiDifference& C, Direction& x, DifferenceVertex& points, bool on_ridges) {
  const Real size = magnitude(x.vertex), rounding = kSupportRounding * size;
  if (C.is_curved()) {
    Direction smooth = x;
    if (climb_smooth(C, smooth, rounding)) {
      x = smooth;
      points = x.vertex;
      return true;
    }
    if (smooth.d > x.d) x = smooth;
  }
  Real g2 = gradient2(x);
  for (int step = 0; step < kMaxSteps; ++step) {
    const Tangents t = tangents(x.n);
    const Probe p1 = probe(C, x.n, t.t1, kStep, size), p2 = probe(C, x.n, t.t2, kStep, size);
    const Probe& larger = p1.moved > p2.moved ? p1 : p2;
    if (larger.moved > kJump) {
      if (!on_ridges) return false;
      Direction on_ridge = x;
      const Real3 jump = larger.minus.w - larger.plus.w, e = normalized(jump - dot(x.n, jump) * x.n);
      if (!climb_on_ridge(C, e, on_ridge, points, size) || !(on_ridge.d >= x.d - rounding)) return false;
      x = on_ridge;
      return true;
    }
    if (larger.moved < kCorner) return false;
    Direction next = x;
    const CurvatureRadii K{dot(t.t1, p1.K_t), 0.5 * (dot(t.t1, p2.K_t) + dot(t.t2, p1.K_t)), dot(t.t2, p2.K_t)};
    if (!step_by(C, t, K, next)) break;
    const Real next_g2 = gradient2(next);
    if (!(next_g2 < g2 && next.d >= x.d - rounding)) break;
    x = next;
    g2 = next_g2;
  }
  if (!(g2 <= rounding * rounding)) return false;
  points = x.vertex;
  return true;
}

}  // namespace visviva::collision
