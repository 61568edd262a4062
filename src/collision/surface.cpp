#include "visviva/collision/surface.hpp"

#include <algorithm>

#include "surface_parts.hpp"

namespace visviva::collision {

namespace {

/// Sine of the angle below which two triangles are one plane: far above the rounding of their corners.
constexpr Real kFlatSine = 1e-9;

Vec3 on_segment(const Vec3& a, const Vec3& b, const Vec3& p, Real& t) {
  const Vec3 e = b - a;
  const Real length2 = e.squaredNorm();
  t = length2 > 0 ? std::clamp((p - a).dot(e) / length2, 0.0, 1.0) : 0;
  return t == 1 ? b : Vec3(a + t * e);
}

}  // namespace

TrianglePoint nearest_on_triangle(const Surface::Corners& c, const Vec3& p) {
  const Vec3 n = area_normal(c);
  const Real n2 = n.squaredNorm();
  bool inside = n2 > 0;
  for (std::size_t k = 0; k < 3 && inside; ++k) inside = (c[(k + 1) % 3] - c[k]).cross(p - c[k]).dot(n) > 0;
  if (inside) return {p - n.dot(p - c[0]) / n2 * n, 6};
  TrianglePoint best{c[0], 0};
  Real least = std::numeric_limits<Real>::infinity();
  for (int k = 0; k < 3; ++k) {
    Real t = 0;
    const auto i = static_cast<std::size_t>(k);
    const Vec3 q = on_segment(c[i], c[(i + 1) % 3], p, t);
    const Real d2 = (p - q).squaredNorm();
    if (d2 < least) least = d2, best = {q, t == 0 ? k : t == 1 ? (k + 1) % 3 : 3 + k};
  }
  return best;
}

Vec3 nearest_point(const Surface::Corners& corners, const Vec3& p) { return nearest_on_triangle(corners, p).point; }

EdgeKind kind_of_edge(const Surface::Corners& corners, int k, const Vec3& w) {
  const auto i = static_cast<std::size_t>(k);
  const Vec3 n = area_normal(corners).stableNormalized();
  const Vec3 e = (corners[(i + 1) % 3] - corners[i]).stableNormalized();
  const Vec3 q = w - corners[i];
  const Real up = n.dot(q), out = e.cross(n).dot(q);
  if (n.isZero(0) || (up == 0 && out == 0)) return EdgeKind::Flat;
  if (std::abs(up) <= kFlatSine * std::sqrt(up * up + out * out)) return out > 0 ? EdgeKind::Flat : EdgeKind::Convex;
  return up < 0 ? EdgeKind::Convex : EdgeKind::Concave;
}

RayTest::RayTest(const Vec3& origin, const Vec3& direction) : origin_(origin), direction_(direction) {
  direction.cwiseAbs().maxCoeff(&z_);
  x_ = (z_ + 1) % 3;
  y_ = (z_ + 2) % 3;
  if (direction[z_] < 0) std::swap(x_, y_);
  shear_x_ = direction[x_] / direction[z_];
  shear_y_ = direction[y_] / direction[z_];
  scale_ = 1 / direction[z_];
}

bool RayTest::meets(const Surface::Corners& corners, bool from_behind, Real& t, Vec3& normal) const {
  const Vec3 a = corners[0] - origin_, b = corners[1] - origin_, c = corners[2] - origin_;
  const Real ax = a[x_] - shear_x_ * a[z_], ay = a[y_] - shear_y_ * a[z_];
  const Real bx = b[x_] - shear_x_ * b[z_], by = b[y_] - shear_y_ * b[z_];
  const Real cx = c[x_] - shear_x_ * c[z_], cy = c[y_] - shear_y_ * c[z_];
  const Real u = cx * by - cy * bx, v = ax * cy - ay * cx, w = bx * ay - by * ax;
  if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return false;
  const Real det = u + v + w;
  if (!(det != 0)) return false;
  t = scale_ * ((u * a[z_] + v * b[z_] + w * c[z_]) / det);
  normal = area_normal(corners).stableNormalized();
  const Real facing = normal.dot(direction_);
  if (facing > 0 && !from_behind) return false;
  if (facing > 0) normal = -normal;
  return facing != 0;
}

SegmentTest::SegmentTest(const Vec3& from, const Vec3& to, const Vec3& half_extents)
    : from_(from), along_(to - from), reach_(half_extents) {
  constexpr Real kRounding = 0x1p-48;
  reach_ += kRounding * (from.cwiseAbs() + to.cwiseAbs() + half_extents);
}

bool SegmentTest::operator()(const Bounds& box) const {
  Real enter = 0, leave = 1;
  for (int i = 0; i < 3; ++i) {
    const Real low = box.lower[i] - reach_[i] - from_[i], high = box.upper[i] + reach_[i] - from_[i];
    if (along_[i] == 0) {
      if (low > 0 || high < 0) return false;
      continue;
    }
    const Real s = low / along_[i], t = high / along_[i];
    enter = std::max(enter, std::min(s, t));
    leave = std::min(leave, std::max(s, t));
  }
  constexpr Real kSlack = 0x1p-50;  // of the quotients
  return enter <= leave + kSlack * (1 + std::abs(leave));
}

}  // namespace visviva::collision
