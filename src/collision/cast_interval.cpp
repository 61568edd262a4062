#include "cast_interval.hpp"

#include <algorithm>
#include <cmath>

#include "visviva/geometry/core.hpp"
#include "visviva/geometry/polytope.hpp"

namespace visviva::collision {
namespace {

using geometry::Core;
using geometry::CoreKind;

/// q(t) = |o + t d|² - r² <= 0 for vectors of two or three dimensions. The foot of the perpendicular from the middle
/// comes first: so a far start costs the digits of its distance, and not of their square.
template <class Vector>
LineInterval in_ball(const Vector& o, const Vector& d, Real r) {
  const Real dd = d.squaredNorm();
  if (!(dd > 0)) return o.squaredNorm() <= r * r ? LineInterval{} : LineInterval::nothing();
  const Real middle = -o.dot(d) / dd;
  const Vector foot = o + middle * d;
  const Real h2 = r * r - foot.squaredNorm();
  if (!(h2 >= 0)) return LineInterval::nothing();
  const Real half = std::sqrt(h2 / dd);
  LineInterval interval{middle - half, middle + half, Vec3::Zero()};
  const Vector hit = foot - half * d;
  interval.normal.template head<Vector::RowsAtCompileTime>() = hit;
  return interval;
}

/// |x_axis| <= half.
LineInterval in_slab(const Vec3& o, const Vec3& d, int axis, Real half) {
  const Real x = o[axis], v = d[axis];
  if (v == 0) return std::abs(x) <= half ? LineInterval{} : LineInterval::nothing();
  const Real inverse = 1 / v, side = v > 0 ? -1 : 1;
  return {(side * half - x) * inverse, (-side * half - x) * inverse, side * Vec3::Unit(axis)};
}

/// A union of convex sets that is convex: the interval reaches from the first entry to the last exit.
void unite(LineInterval& all, const LineInterval& part) {
  if (part.empty()) return;
  if (part.enter < all.enter) all.enter = part.enter, all.normal = part.normal;
  all.exit = std::max(all.exit, part.exit);
}

LineInterval in_cylinder(const Vec3& o, const Vec3& d, Real radius, Real half_height) {
  LineInterval interval = in_ball<Vec2>(o.head<2>(), d.head<2>(), radius);
  interval.intersect(in_slab(o, d, 2, half_height));
  return interval;
}

LineInterval in_capsule(const Vec3& o, const Vec3& d, Real radius, Real half_height) {
  LineInterval interval = LineInterval::nothing();
  unite(interval, in_cylinder(o, d, radius, half_height));
  for (const Real z : {-half_height, half_height}) unite(interval, in_ball<Vec3>(o - Vec3(0, 0, z), d, radius));
  return interval;
}

LineInterval in_ellipsoid(const Vec3& o, const Vec3& d, const Vec3& a) {
  LineInterval interval = in_ball<Vec3>(o.cwiseQuotient(a), d.cwiseQuotient(a), 1);
  interval.normal = interval.normal.cwiseQuotient(a);
  return interval;
}

/// Newton's method for the entry: |(x, y)| - k w is convex along a line, so from anywhere near it leads to a place
/// before the entry, and from there to the entry. The quadratic's root has lost digits where its discriminant cancels.
Real refine_cone_entry(const Vec3& p, const Vec3& d, Real k, Real t, Real most) {
  for (int i = 0; i < 3; ++i) {
    const Vec3 hit = p + t * d;
    const Real rho = hit.head<2>().norm();
    const Real step = (rho + k * hit.z()) / (hit.head<2>().dot(d.head<2>()) / rho + k * d.z());
    if (!(rho > 0 && std::abs(step) < most)) break;
    t -= step;
  }
  return t;
}

/// Below the apex at (0, 0, half_height), within the slope: q(t) = x² + y² - k² w² <= 0 and w = half_height - z >= 0.
LineInterval in_infinite_cone(const Vec3& o, const Vec3& d, Real k, Real half_height) {
  // From the point of the line nearest to the apex on, for the digits.
  const Vec3 from_apex = o - Vec3(0, 0, half_height);
  const Real dd = d.squaredNorm();
  const Real shift = dd > 0 ? -from_apex.dot(d) / dd : 0;
  const Vec3 p = from_apex + shift * d;
  const Real w = -p.z(), dw = -d.z(), k2 = k * k;
  const Real a = d.head<2>().squaredNorm() - k2 * dw * dw;
  const Real b = p.head<2>().dot(d.head<2>()) - k2 * w * dw;
  const Real c = p.head<2>().squaredNorm() - k2 * w * w;
  const auto end = [&](Real from, Real to) {
    // Where the line grazes the cone and the interval is short, steps must not leave it.
    if (std::isfinite(from)) from = refine_cone_entry(p, d, k, from, 0.25 * (to - from));
    LineInterval interval{from + shift, to + shift, Vec3::Zero()};
    const Vec3 hit = p + from * d;
    if (std::isfinite(from)) interval.normal = {hit.x(), hit.y(), -k2 * hit.z()};
    return interval;
  };
  constexpr Real kInfinity = LineInterval::kInfinity;
  if (a == 0) {  // parallel to a line of the cone: 2 b t + c <= 0
    if (b == 0) return c <= 0 && w >= 0 ? LineInterval{} : LineInterval::nothing();
    return b > 0 ? end(-kInfinity, -0.5 * c / b) : end(-0.5 * c / b, kInfinity);
  }
  const Real discriminant = b * b - a * c;
  if (a > 0 && !(discriminant >= 0)) return LineInterval::nothing();
  // Both roots without cancellation.
  const Real s = -(b + std::copysign(std::sqrt(std::max(discriminant, 0.0)), b));
  const Real t1 = s / a, t2 = s != 0 ? c / s : t1;
  const Real first = std::min(t1, t2), last = std::max(t1, t2);
  // Flat lines stay in the upper or lower half of the double cone, steep ones go from one to the other.
  if (a > 0) return w + 0.5 * (first + last) * dw >= 0 ? end(first, last) : LineInterval::nothing();
  return dw > 0 ? end(last, kInfinity) : end(-kInfinity, first);
}

LineInterval in_cone(const Vec3& o, const Vec3& d, Real radius, Real half_height) {
  LineInterval interval = in_infinite_cone(o, d, 0.5 * radius / half_height, half_height);
  interval.intersect(in_slab(o, d, 2, half_height));
  // Through the apex, where the cone has no normal: the axis will do.
  if (interval.normal.isZero(0)) interval.normal = Vec3::UnitZ();
  return interval;
}

/// Without branches: on which side of a face the line starts, and how it passes it, cannot be foreseen.
LineInterval in_polytope(const geometry::Polytope& polytope, const Vec3& o, const Vec3& d) {
  constexpr Real kInfinity = LineInterval::kInfinity;
  const std::size_t stride = polytope.face_stride(), count = polytope.face_count();
  const Real* const nx = polytope.planes();
  const Real *const ny = nx + stride, *const nz = ny + stride, *const offset = nz + stride;
  LineInterval interval;
  std::size_t entry = 0;
  for (std::size_t f = 0; f < count; ++f) {
    const Real above = nx[f] * o.x() + ny[f] * o.y() + nz[f] * o.z() - offset[f];
    const Real rise = nx[f] * d.x() + ny[f] * d.y() + nz[f] * d.z();
    const Real t = -above / rise;
    const Real in = rise < 0 ? t : -kInfinity;
    const Real beside = above > 0 ? -kInfinity : kInfinity;  // along the face
    const Real out = rise > 0 ? t : rise < 0 ? kInfinity : beside;
    entry = in > interval.enter ? f : entry;
    interval.enter = in > interval.enter ? in : interval.enter;
    interval.exit = out < interval.exit ? out : interval.exit;
  }
  interval.normal = polytope.normal(static_cast<geometry::Polytope::Index>(entry));
  return interval;
}

LineInterval in_core(const Core& core, Real r, const Vec3& o, const Vec3& d) {
  switch (core.kind) {
    case CoreKind::Point:
      return in_ball<Vec3>(o, d, r);
    case CoreKind::Segment:
      return in_capsule(o, d, r, core.size.z());
    case CoreKind::Ellipsoid:
      return in_ellipsoid(o, d, core.size);
    case CoreKind::Cylinder:
      return in_cylinder(o, d, core.size.x(), core.size.z());
    case CoreKind::Cone:
      return in_cone(o, d, core.size.x(), core.size.z());
    default:
      break;
  }
  LineInterval box = in_slab(o, d, 0, core.size.x());
  box.intersect(in_slab(o, d, 1, core.size.y()));
  box.intersect(in_slab(o, d, 2, core.size.z()));
  return box;
}

}  // namespace

LineInterval in_half_space(const Vec3& o, const Vec3& d, const Vec3& n, Real offset) {
  const Real above = n.dot(o) - offset, rise = n.dot(d);
  if (rise == 0) return above <= 0 ? LineInterval{} : LineInterval::nothing();
  LineInterval interval;
  (rise < 0 ? interval.enter : interval.exit) = -above / rise;
  if (rise < 0) interval.normal = n;
  return interval;
}

bool has_line_interval(const geometry::Convex& set, Real grow) {
  const Core& core = set.core();
  if (core.kind == CoreKind::Point || core.kind == CoreKind::Segment) return true;
  if (core.kind == CoreKind::Intersection || core.rounding + grow > 0) return false;
  return core.kind != CoreKind::Polytope || (set.polytope() != nullptr && !set.polytope()->flat());
}

LineInterval line_interval(const geometry::Convex& set, Real grow, const Vec3& o, const Vec3& d) {
  const Core& core = set.core();
  if (core.kind == CoreKind::Polytope) return in_polytope(*set.polytope(), o, d);
  const Mat3 R_SB = core.X.R.transpose();
  LineInterval interval = in_core(core, core.rounding + grow, R_SB * (o - core.X.p), R_SB * d);
  interval.normal = core.X.R * interval.normal;
  return interval;
}

}  // namespace visviva::collision
