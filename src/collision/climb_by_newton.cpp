#include <Eigen/Geometry>
#include <cmath>
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

struct Tangents {
  Vec3 t1, t2;
};

Tangents tangents(const Vec3& n) {
  Eigen::Index axis = 0;
  n.cwiseAbs().minCoeff(&axis);
  const Vec3 t1 = n.cross(Vec3::Unit(axis)).normalized();
  return {t1, n.cross(t1)};
}

struct Probe {
  DifferenceVertex minus, plus;  ///< supports at n ∓ step t
  Vec3 K_t;                      ///< -Dw(n) t
  Real moved = 0;                ///< of w, in units of the size
};

Probe probe(const MinkowskiDifference& C, const Vec3& n, const Vec3& t, Real step, Real size) {
  Probe p{C.support(n - step * t), C.support(n + step * t), Vec3::Zero(), 0};
  const Vec3 difference = p.minus.w - p.plus.w;
  p.K_t = difference / (2 * step);
  p.moved = difference.lpNorm<Eigen::Infinity>() / size;
  return p;
}

Direction look_along(const MinkowskiDifference& C, const Vec3& n) {
  const Direction x{n.normalized(), C.support(n), 0};
  return {x.n, x.vertex, x.n.dot(x.vertex.w)};
}

Real gradient2(const Direction& x) { return (x.vertex.w - x.d * x.n).squaredNorm(); }

/// The point nearest to 0 of the hull of points of C.
Simplex nearest_of(std::initializer_list<DifferenceVertex> vertices) {
  Simplex simplex;
  for (const DifferenceVertex& v : vertices) simplex.add(v);
  reduce_to_nearest_face(simplex);
  return simplex;
}

/// The curvature radius across a ridge e where it is nearest to 0: the two ends may bend differently (a cone's apex and
/// rim), and in between K changes linearly.
Real curvature_across(const MinkowskiDifference& C, const Vec3& n, const Vec3& e, const Vec3& t, Real step, Real size) {
  // Shorter than the root of the step, or a ridge that is curved in n would be left.
  const Real short_step = std::min(kStep, 0.5 * std::sqrt(step));
  const Probe minus = probe(C, n - step * e, t, short_step, size), plus = probe(C, n + step * e, t, short_step, size);
  const DifferenceVertex &p = minus.plus, &q = plus.plus;
  const Real s = std::clamp(-p.w.dot(q.w - p.w) / std::max((q.w - p.w).squaredNorm(), size * size * kCorner), 0.0, 1.0);
  return (1 - s) * t.dot(minus.K_t) + s * t.dot(plus.K_t);
}

/// On a ruled part, where w jumps between the ends of a segment along e, and on a face, where it jumps along two lines.
bool climb_on_ridge(const MinkowskiDifference& C, Vec3 e, Direction& x, DifferenceVertex& points, Real size) {
  bool arrived = false;
  // The ends are met at directions that differ by the step, so their difference is off e by as much: shrink it.
  for (const Real step : {0x1p-17, 0x1p-28, 0x1p-38, 0x1p-46, 0x1p-46}) {
    const Probe ends = probe(C, x.n, e, step, size);
    if (!(ends.moved > kJump)) break;
    e = (ends.minus.w - ends.plus.w).normalized();
    const Vec3 n = (x.n - e * e.dot(x.n)).normalized(), t = n.cross(e);
    const Probe sides = probe(C, n, t, step, size);
    const Vec3 f = sides.minus.w - sides.plus.w;
    Simplex nearest;
    if (std::abs(t.dot(f)) > kJump * size) {
      nearest = nearest_of({ends.minus, ends.plus, sides.minus, sides.plus});
      const Vec3 m = e.cross(f);
      x = look_along(C, m.dot(n) < 0 ? Vec3(-m) : m);
    } else {
      nearest = nearest_of({ends.minus, ends.plus});
      const Real H = curvature_across(C, n, e, t, step, size) + x.d;
      if (!(H > 0 && H < kJump * size / kStep)) break;
      x = look_along(C, n + t * (t.dot(nearest.mean().w) / H));
    }
    points = nearest.mean();
    arrived = (points.w - x.d * x.n).norm() <= kSupportRounding * size;
    if (arrived && step < 0x1p-37) break;
  }
  return arrived;
}

}  // namespace

bool climb_by_newton(const MinkowskiDifference& C, Direction& x, DifferenceVertex& points, bool on_ridges) {
  const Real size = magnitude(x.vertex), rounding = kSupportRounding * size;
  Real g2 = gradient2(x);
  for (int step = 0; step < kMaxSteps; ++step) {
    const auto [t1, t2] = tangents(x.n);
    const Probe p1 = probe(C, x.n, t1, kStep, size), p2 = probe(C, x.n, t2, kStep, size);
    const Probe& larger = p1.moved > p2.moved ? p1 : p2;
    if (larger.moved > kJump) {
      if (!on_ridges) return false;
      Direction on_ridge = x;
      const Vec3 jump = larger.minus.w - larger.plus.w, e = (jump - x.n * x.n.dot(jump)).normalized();
      if (!climb_on_ridge(C, e, on_ridge, points, size) || !(on_ridge.d >= x.d - rounding)) return false;
      x = on_ridge;
      return true;
    }
    if (larger.moved < kCorner) return false;
    // H = K + d I, H y = t^T w, n += t y
    const Real H11 = t1.dot(p1.K_t) + x.d, H22 = t2.dot(p2.K_t) + x.d, H12 = 0.5 * (t1.dot(p2.K_t) + t2.dot(p1.K_t));
    const Real det = H11 * H22 - H12 * H12;
    if (!(H11 > 0 && det > 0)) break;
    const Real w1 = t1.dot(x.vertex.w), w2 = t2.dot(x.vertex.w);
    const Direction next = look_along(C, x.n + ((H22 * w1 - H12 * w2) * t1 + (H11 * w2 - H12 * w1) * t2) / det);
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
