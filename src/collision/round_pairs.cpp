#include "round_pairs.hpp"

namespace visviva::collision {

namespace {

using geometry::Core;
using geometry::CoreKind;

/// Any unit vector orthogonal to the unit vector e.
Real3 any_normal(const Real3& e) { return tangents(e).t1; }

/// Of a query point q that is off x by v, outside.
Foot foot_outside(const Real3& x, const Real3& v, const Real3& fallback) {
  const Real length = norm(v);
  return length > 0 ? Foot{x, normalized(v), length} : Foot{x, fallback, 0};
}

Foot foot_on_segment(Real half, const Real3& q) {
  const Real3 x{0, 0, std::clamp(q.z, -half, half)};
  return foot_outside(x, q - x, {1, 0, 0});
}

Foot foot_on_box(const Vec3& size, const Real3& q) {
  const Real3 h = from_eigen(size),
              x{std::clamp(q.x, -h.x, h.x), std::clamp(q.y, -h.y, h.y), std::clamp(q.z, -h.z, h.z)};
  if (!(x == q)) return foot_outside(x, q - x, {1, 0, 0});
  const Real3 depth{h.x - std::abs(q.x), h.y - std::abs(q.y), h.z - std::abs(q.z)};
  if (depth.x <= depth.y && depth.x <= depth.z) {
    const Real s = std::copysign(1.0, q.x);
    return {{s * h.x, q.y, q.z}, {s, 0, 0}, -depth.x};
  }
  if (depth.y <= depth.z) {
    const Real s = std::copysign(1.0, q.y);
    return {{q.x, s * h.y, q.z}, {0, s, 0}, -depth.y};
  }
  const Real s = std::copysign(1.0, q.z);
  return {{q.x, q.y, s * h.z}, {0, 0, s}, -depth.z};
}

/// In the half plane through the z axis and q: rho outward, e its direction.
struct HalfPlane {
  Real rho;
  Real ex, ey;

  explicit HalfPlane(const Real3& q) : rho(std::sqrt(q.x * q.x + q.y * q.y)) {
    ex = rho > 0 ? q.x / rho : 1;
    ey = rho > 0 ? q.y / rho : 0;
  }
  [[nodiscard]] Real3 at(Real r, Real z) const { return {r * ex, r * ey, z}; }
};

Foot foot_on_cylinder(Real radius, Real half, const Real3& q) {
  const HalfPlane plane(q);
  const Real r = std::min(plane.rho, radius), z = std::clamp(q.z, -half, half);
  if (r < plane.rho || z != q.z) return foot_outside(plane.at(r, z), plane.at(plane.rho - r, q.z - z), {1, 0, 0});
  const Real side = radius - r, end = half - std::abs(z);
  if (side <= end) return {plane.at(radius, z), plane.at(1, 0), -side};
  const Real s = std::copysign(1.0, z);
  return {plane.at(r, s * half), {0, 0, s}, -end};
}

Foot foot_on_cone(Real radius, Real half, const Real3& q) {
  const HalfPlane plane(q);
  // The side from the apex (0, h) to the rim (r, -h): unit outward normal (2h, r) / l, along it (r, -2h) / l.
  const Real l = std::sqrt(radius * radius + 4 * half * half), c = 2 * half / l, s = radius / l;
  const Real over_side = c * plane.rho + s * (q.z - half), along = s * plane.rho - c * (q.z - half);
  const Real over_base = -half - q.z;
  if (over_side <= 0 && over_base <= 0) {
    if (over_base >= over_side) return {plane.at(plane.rho, -half), {0, 0, -1}, over_base};
    const Real t = std::clamp(along, 0.0, l);
    return {plane.at(s * t, half - c * t), plane.at(c, s), over_side};
  }
  if (over_base > 0 && plane.rho <= radius) return {plane.at(plane.rho, -half), {0, 0, -1}, over_base};
  const Real t = std::clamp(along, 0.0, l);
  if (t == along) return {plane.at(s * t, half - c * t), plane.at(c, s), over_side};
  const Real3 corner = t > 0 ? plane.at(radius, -half) : plane.at(0, half);
  return foot_outside(corner, q - corner, plane.at(c, s));
}

/// Of the lengths: points of segments that are no farther apart may have a difference that rounding turns.
constexpr Real kNear = 0x1p-20;

/// A's segment is s z, |s| <= a; that of B p + t u, |t| <= b.
CorePair between_segments(Real a, Real b, const Real3& p, const Real3& u) {
  const Real sine2 = u.x * u.x + u.y * u.y;  // of the angle between them, without cancellation
  const auto nearest_t = [&](Real s) { return std::clamp(u.z * (s - p.z) - (u.x * p.x + u.y * p.y), -b, b); };
  // Of the lines, seen along z; where they are parallel, any t is as good.
  Real t = sine2 > 0 ? std::clamp(-(p.x * u.x + p.y * u.y) / sine2, -b, b) : nearest_t(0);
  Real s = std::clamp(p.z + t * u.z, -a, a);
  t = nearest_t(s);
  s = std::clamp(p.z + t * u.z, -a, a);
  CorePair pair;
  pair.points.a = {0, 0, s};
  pair.points.b = p + t * u;
  pair.points.w = pair.points.b - pair.points.a;
  const Real3& w = pair.points.w;
  const Real3 m{-u.y, u.x, 0};  // z × u
  const Real w2 = squared_norm(w), rounding = kSupportRounding * magnitude(pair.points), near = kNear * (a + b);
  const bool inside = std::abs(s) < a && std::abs(t) < b;
  if (w2 > rounding * rounding && !(inside && sine2 * (a * a + b * b) > w2)) {
    pair.n = normalized(w);
    pair.d = std::sqrt(w2);
    if (w2 > near * near) return pair;
  } else {  // they cross, or nearly so: their common normal is surer than w
    pair.n = sine2 > 0 ? normalized(m) : any_normal({0, 0, 1});
    if (dot(pair.n, w) < 0) pair.n = -pair.n;
    pair.d = dot(pair.n, w);
  }
  // Of coaxial segments that share points, w is rounding alone, along the axes too. What is across them is surer.
  const auto gap = [&](const Real3& n) { return dot(n, p) - b * std::abs(dot(n, u)) - a * std::abs(n.z); };
  const Real3 across{w.x, w.y, 0}, level = squared_norm(across) > 0 ? normalized(across) : any_normal({0, 0, 1});
  if (gap(level) > gap(pair.n)) {
    pair.n = level;
    pair.d = dot(level, w);
  }
  return pair;
}

}  // namespace

bool find_foot(const Core& core, const Real3& q, Foot& foot) {
  const Real radius = core.size.x(), half = core.size.z();
  switch (core.kind) {
    case CoreKind::Point:
      foot = foot_outside({0, 0, 0}, q, {1, 0, 0});
      return true;
    case CoreKind::Segment:
      foot = foot_on_segment(half, q);
      return true;
    case CoreKind::Box:
      foot = foot_on_box(core.size, q);
      return true;
    case CoreKind::Cylinder:
      foot = foot_on_cylinder(radius, half, q);
      return true;
    case CoreKind::Cone:
      foot = foot_on_cone(radius, half, q);
      return true;
    default:
      return false;
  }
}

bool find_round_pair(const MinkowskiDifference& C, CorePair& pair) {
  const Core &A = C.core_a(), &B = C.core_b();
  Foot foot;
  if (B.kind == CoreKind::Point) {
    if (!find_foot(A, C.p(), foot)) return false;
    pair = {{foot.height * foot.m, foot.x, C.p()}, foot.m, foot.height};
    return true;
  }
  if (A.kind == CoreKind::Point) {
    if (!find_foot(B, turn_back(C.R(), -C.p()), foot)) return false;
    pair.n = -(C.R() * foot.m);
    pair.d = foot.height;
    pair.points = {foot.height * pair.n, {0, 0, 0}, C.R() * foot.x + C.p()};
    return true;
  }
  if (A.kind != CoreKind::Segment || B.kind != CoreKind::Segment) return false;
  pair = between_segments(A.size.z(), B.size.z(), C.p(), {C.R().row0.z, C.R().row1.z, C.R().row2.z});
  return true;
}

}  // namespace visviva::collision
