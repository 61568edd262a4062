#include "meeting_axes.hpp"

#include <cmath>

// Let u and v be the axes of A and B, p = n·u, q = n·v, and c the way between their centres. The depth along n is
//   F(n) = h_A(n) + h_B(-n) - n·c,
// and the support h of a body of revolution depends on p (or q) alone:
//   cylinder  r √(1 - p²) + h |p|,     segment  h |p|,     cone  max(r √(1 - p²) - h p, h p).
// Each is concave between its kinks: p = 0, of the cone p = r / √(r² + 4h²), the normals of its side. If c lies in the
// plane of u and v, n·c is linear in p and q. So in each cell between the kinks F is a concave function of (p, q), and
// smallest at an extreme point of what the cell shares with the ellipse of all (p, q): a kink of A and of B at once, or
// the rim of the ellipse, where n lies in the plane of the axes. There F is, between kinks and the ends of the axes
// (p or q = ±1), a sinusoid over at most a quarter of a turn: positive between if at both ends, and concave there. So
// if F is positive at these few directions, the bodies overlap, and the least of F is at one of them. If c is off the
// plane by a little, it is near one of them, or on a circle of directions that are about equally deep. Parallel axes:
// for a given p the best n leans towards c, so n lies in the plane of u and c.
namespace visviva::collision {
namespace {

using geometry::Core;
using geometry::CoreKind;

/// Where the support of a core along its axis has a kink; false for other kinds.
bool find_kink(const Core& core, Real& kink) {
  kink = 0;
  if (core.kind == CoreKind::Cone) kink = core.size.x() / std::hypot(core.size.x(), 2 * core.size.z());
  return core.kind == CoreKind::Cone || core.kind == CoreKind::Cylinder || core.kind == CoreKind::Segment;
}

/// The plane of the axes: u, e across it, both unit, and w = u × e; v = cosine u + sine e.
struct AxisPlane {
  Real3 u{0, 0, 1}, e{}, w{};
  Real cosine, sine;

  AxisPlane(const Real3& v, const Real3& c) : cosine(v.z), sine(std::sqrt(v.x * v.x + v.y * v.y)) {
    const bool parallel = !(sine > kSupportRounding);
    const Real3 across = parallel ? Real3{c.x, c.y, 0} : Real3{v.x, v.y, 0};
    if (parallel) sine = 0;
    e = across.x == 0 && across.y == 0 ? Real3{1, 0, 0} : normalized(across);
    w = {-e.y, e.x, 0};
  }
  [[nodiscard]] Real3 at(Real x, Real y) const { return x * u + y * e; }
  [[nodiscard]] Real3 at(Real x, Real y, Real z) const { return at(x, y) + z * w; }
};

class Best {
 public:
  Best(const MinkowskiDifference& C, Direction& best) : C_(C), best_(best) {}

  void look(const Real3& n) {
    const Direction x = look_along(C_, normalized(n));
    if (count_++ == 0 || x.d > best_.d) best_ = x;
  }
  /// In the plane, where n·axis = kink or ±1; the axis is cosine u + sine e.
  void look_about(const AxisPlane& plane, Real cosine, Real sine, Real kink) {
    const Real across = std::sqrt(1 - kink * kink);
    for (const Real s : {-1.0, 1.0}) {
      look(plane.at(s * cosine, s * sine));
      look(plane.at(kink * cosine - s * across * sine, kink * sine + s * across * cosine));
    }
  }

 private:
  const MinkowskiDifference& C_;
  Direction& best_;
  int count_ = 0;
};

}  // namespace

AxesDirection find_direction_by_axes(const MinkowskiDifference& C) {
  AxesDirection result;
  Real kink_a, kink_b;
  if (!find_kink(C.core_a(), kink_a) || !find_kink(C.core_b(), kink_b)) return result;
  kink_b = -kink_b;  // h_B is of -n
  const Real3 v = C.R() * Real3{0, 0, 1};
  const AxisPlane plane(v, C.p());
  const Real size = C.core_a().reach + C.core_b().reach;
  result.found = true;
  const bool in_plane = std::abs(dot(plane.w, C.p())) <= kSupportRounding * size + C.rounding();
  Best best(C, result.direction);
  best.look_about(plane, 1, 0, kink_a);
  best.look_about(plane, plane.cosine, plane.sine, kink_b);
  if (plane.sine > 0) {
    const Real x = kink_a, y = (kink_b - x * plane.cosine) / plane.sine, z2 = 1 - x * x - y * y;
    if (z2 > 0) best.look(plane.at(x, y, std::sqrt(z2)));  // its mirror image in the plane is as deep
  }
  result.proved = in_plane && result.direction.d <= 0;
  return result;
}

}  // namespace visviva::collision
