#include "climb_by_newton.hpp"

#include <initializer_list>

#include "simplex.hpp"

namespace visviva::collision {

namespace {

constexpr int kMaxSteps = 12;
/// Half width of the central differences: their error, of order h², and the rounding error, of order 1e-16/h, are both
/// near 1e-10, which is more than Newton's method needs.
constexpr Real kStep = 0x1p-17;
/// After a step that short [rad] the next would be its square, which is rounding.
constexpr Real kLastStep = 1e-9;
/// How far from a ridge its search begins, if Newton's method ran over it [rad].
constexpr Real kWide = 0x1p-4;
/// A support point that moves by less in a turn of kStep is a corner; one that moves by more has jumped along an edge
/// or a face. Both in units of the size.
constexpr Real kCorner = 0x1p-50, kJump = 0x1p-8;
/// An eigenvalue of the Hessian, in units of the size, below which it counts as zero: a circle of maxima.
constexpr Real kSingular = 1e-7;

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
/// `width`: how near the jump is to x.n.
bool climb_on_ridge(const MinkowskiDifference& C, Real3 e, Direction& x, DifferenceVertex& points, Real size,
                    Real width) {
  bool arrived = false;
  // The ends are met at directions that differ by the step, so their difference is off e by as much: shrink it.
  for (const Real step : {0x1p-4, 0x1p-8, 0x1p-12, 0x1p-17, 0x1p-28, 0x1p-38, 0x1p-46, 0x1p-46}) {
    if (step > width) continue;
    const Probe ends = probe(C, x.n, e, step, size);
    if (!(ends.moved > kJump)) break;
    e = normalized(ends.minus.w - ends.plus.w);
    const Real3 n = normalized(x.n - dot(e, x.n) * e), t = cross(n, e);
    if (step > kStep) {  // first to the ridge, then along it
      x = look_along(C, n);
      continue;
    }
    const Probe sides = probe(C, n, t, step, size);
    const Real3 f = sides.minus.w - sides.plus.w;
    if (std::abs(dot(t, f)) > kJump * size) {
      points = nearest_of({ends.minus, ends.plus, sides.minus, sides.plus});
      const Real3 m = normalized(cross(e, f));
      x = look_along(C, dot(m, n) < 0 ? -m : m);
    } else {
      points = nearest_of({ends.minus, ends.plus});
      const Real K = curvature_across(C, n, e, t, step, size), H = K + x.d;
      if (!(H > -kSingular * size && H < kJump * size / kStep)) break;
      x = look_along(C, normalized(n + (dot(t, points.w) / std::max(H, kSingular * size)) * t));
    }
    arrived = norm(points.w - x.d * x.n) <= kSupportRounding * size;
    if (arrived && step < 0x1p-37) break;
  }
  return arrived;
}

/// n += t H^-1 t^T w with H = K + d I. Where H is not positive definite d(n) has no maximum near or, if it is singular,
/// a ridge of them: then each eigenvalue counts by its size, which goes uphill, and a vanishing one hardly moves n.
/// Returns the length of the step [rad].
Real step_by(const MinkowskiDifference& C, const Tangents& t, const CurvatureRadii& K, Direction& x) {
  constexpr Real kLongest = 0.3;
  const Real H11 = K.k11 + x.d, H22 = K.k22 + x.d, H12 = K.k12, det = H11 * H22 - H12 * H12;
  const Real w1 = dot(t.t1, x.vertex.w), w2 = dot(t.t2, x.vertex.w), scale = K.k11 + K.k22 + std::abs(x.d);
  Real y1, y2;
  if (H11 > 0 && det > kSingular * scale * H11) {
    y1 = (H22 * w1 - H12 * w2) / det, y2 = (H11 * w2 - H12 * w1) / det;
  } else {
    const Real middle = 0.5 * (H11 + H22), half = 0.5 * (H11 - H22), radius = std::sqrt(half * half + H12 * H12);
    // Eigenvector (c, s) of middle + radius; (-s, c) of middle - radius.
    Real c = half >= 0 ? half + radius : std::abs(H12), s = half >= 0 ? H12 : std::copysign(radius - half, H12);
    const Real length = std::sqrt(c * c + s * s);
    c = length > 0 ? c / length : 1, s = length > 0 ? s / length : 0;
    const Real p = (c * w1 + s * w2) / std::max(std::abs(middle + radius), kSingular * scale);
    const Real q = (c * w2 - s * w1) / std::max(std::abs(middle - radius), kSingular * scale);
    y1 = c * p - s * q, y2 = s * p + c * q;
  }
  const Real longest = std::max(std::abs(y1), std::abs(y2)), shorten = longest > kLongest ? kLongest / longest : 1;
  x = look_along(C, normalized(x.n + (shorten * y1) * t.t1 + (shorten * y2) * t.t2));
  return longest;
}

/// With K in closed form, as far as the gradient falls. True if it vanishes; else `beyond` is where it led last.
bool climb_smooth(const MinkowskiDifference& C, Direction& x, Direction& beyond, Real rounding) {
  Real g2 = gradient2(x);
  for (int step = 0; step < kMaxSteps; ++step) {
    const Tangents t = tangents(x.n);
    CurvatureRadii K;
    if (!C.curvature_radii(x.n, t, K)) return false;
    Direction& next = beyond;
    next = x;
    const Real length = step_by(C, t, K, next);
    const Real next_g2 = gradient2(next);
    // Far from the maximum d grows, near it the gradient falls.
    if (!(next.d >= x.d - rounding && (next_g2 < g2 || next.d > x.d + rounding))) break;
    x = next;
    g2 = next_g2;
    if (length < kLastStep) break;
  }
  return g2 <= rounding * rounding;
}

}  // namespace

bool climb_smooth(const MinkowskiDifference& C, Direction& x, Real rounding) {
  Direction beyond;
  return climb_smooth(C, x, beyond, rounding);
}

bool climb_by_newton(const MinkowskiDifference& C, Direction& x, DifferenceVertex& points, bool on_ridges) {
  const Real size = magnitude(x.vertex), rounding = kSupportRounding * size;
  if (C.is_curved()) {
    Direction smooth = x, beyond = x;
    if (climb_smooth(C, smooth, beyond, rounding)) {
      x = smooth;
      points = x.vertex;
      return true;
    }
    if (smooth.d > x.d) x = smooth;
    const Real3 jump = x.vertex.w - beyond.vertex.w, across = jump - dot(x.n, jump) * x.n;
    if (on_ridges && norm(across) > kJump * size) {
      Direction on_ridge = x;
      if (climb_on_ridge(C, normalized(across), on_ridge, points, size, kWide) && on_ridge.d >= x.d - rounding) {
        x = on_ridge;
        return true;
      }
    }
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
      if (!climb_on_ridge(C, e, on_ridge, points, size, kStep) || !(on_ridge.d >= x.d - rounding)) return false;
      x = on_ridge;
      return true;
    }
    if (larger.moved < kCorner || C.has_curvature_radii()) return false;
    Direction next = x;
    const CurvatureRadii K{dot(t.t1, p1.K_t), 0.5 * (dot(t.t1, p2.K_t) + dot(t.t2, p1.K_t)), dot(t.t2, p2.K_t)};
    step_by(C, t, K, next);
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
