#include "visviva/geometry/signed_distance.hpp"

#include <algorithm>
#include <cmath>

#include "distance_parts.hpp"
#include "visviva/core/error.hpp"
#include "visviva/geometry/convex_hull.hpp"

namespace visviva::geometry {
namespace {

/// |v| - radius, v being the difference to the middle or to the nearest point of the axis.
SignedDistance ball_distance(const Vec3& v, Real radius) {
  const Real length = v.norm();
  if (!(length > 0)) return without_gradient(-radius);
  return {length - radius, v / length, true};
}

/// Box of half extents h in N dimensions.
template <int N>
struct BoxDistance {
  using Vector = Eigen::Matrix<Real, N, 1>;
  Real value = 0;
  Vector gradient = Vector::Zero();
  bool defined = true;

  BoxDistance(const Vector& p, const Vector& h) {
    const Vector beyond = p.cwiseAbs() - h;
    const Vector outside = beyond.cwiseMax(0);
    const Real length = outside.norm();
    if (length > 0) {
      value = length;
      for (int i = 0; i < N; ++i) gradient[i] = std::copysign(outside[i] / length, p[i]);
      return;
    }
    int axis = 0;
    value = beyond.maxCoeff(&axis);
    for (int i = 0; i < N; ++i) defined = defined && (i == axis || beyond[i] != value);
    defined = defined && p[axis] != 0;
    if (defined) gradient[axis] = std::copysign(1.0, p[axis]);
  }
};

/// From (distance from the z axis, z) back to space.
Vec3 from_profile(const Vec2& g, const Vec3& p, Real axis) {
  return axis > 0 ? Vec3(g.x() * p.x() / axis, g.x() * p.y() / axis, g.y()) : Vec3(0, 0, g.y());
}

SignedDistance distance_to(const Sphere& s, const Vec3& p) { return ball_distance(p, s.radius); }

SignedDistance distance_to(const Ellipsoid& s, const Vec3& p) { return ellipsoid_distance(s.semi_axes, p); }

SignedDistance distance_to(const Box& s, const Vec3& p) {
  const BoxDistance<3> box(p, s.half_extents);
  return {box.value, box.gradient, box.defined};
}

SignedDistance distance_to(const Capsule& s, const Vec3& p) {
  return ball_distance(p - Vec3(0, 0, std::clamp(p.z(), -s.half_height, s.half_height)), s.radius);
}

SignedDistance distance_to(const Cylinder& s, const Vec3& p) {
  const Real axis = p.head<2>().norm();
  // On the axis itself the wall is near on all sides: p[axis] == 0 tells the box so.
  const BoxDistance<2> profile({axis, p.z()}, {s.radius, s.half_height});
  return {profile.value, from_profile(profile.gradient, p, axis), profile.defined};
}

/// In the half plane (axis distance, z): below the slant n·(q - apex) <= 0 and above the base.
SignedDistance distance_to(const Cone& s, const Vec3& p) {
  const Real axis = p.head<2>().norm(), h = s.half_height;
  const Vec2 q(axis, p.z()), apex(0, h), rim(s.radius, -h);
  const Vec2 n = Vec2(2 * h, s.radius).normalized(), along = (rim - apex).normalized();
  const Real over_slant = n.dot(q - apex), under_base = -h - p.z();
  if (over_slant <= 0 && under_base <= 0) {
    if (over_slant == under_base || (over_slant > under_base && axis == 0))
      return without_gradient(std::max(over_slant, under_base));
    if (under_base > over_slant) return {under_base, -Vec3::UnitZ(), true};
    return {over_slant, from_profile(n, p, axis), true};
  }
  const Real down = along.dot(q - apex);
  if (under_base > 0 && axis <= s.radius) return {under_base, -Vec3::UnitZ(), true};
  if (over_slant > 0 && down >= 0 && down <= (rim - apex).norm()) return {over_slant, from_profile(n, p, axis), true};
  const Vec2 v = q - (down < 0 ? apex : rim);
  return {v.norm(), from_profile(v.normalized(), p, axis), true};
}

SignedDistance distance_to(const ConvexHull& s, const Vec3& p) { return mesh_distance(make_convex_hull(s), true, p); }

SignedDistance distance_to(const TriangleMesh& s, const Vec3& p) { return mesh_distance(s, false, p); }

SignedDistance distance_to(const TriangleSurface&, const Vec3&) {
  require(false, "triangle surface", "signed distance", "be asked of a solid", "a surface, which has no inside");
  return {};
}

SignedDistance distance_to(const HeightField&, const Vec3&) {
  require(false, "height field", "signed distance", "be asked of a bounded solid", "a height field");
  return {};
}

SignedDistance distance_to_shape(const Shape& shape, const Vec3& point) {
  return std::visit([&point](const auto& s) { return distance_to(s, point); }, shape);
}

SignedDistance negative(const SignedDistance& d) { return {-d.value, -d.gradient, d.gradient_defined}; }

/// The smaller of both; no gradient where they tie and differ.                                 [lgvci (95), (96)]
SignedDistance least(const SignedDistance& a, const SignedDistance& b) {
  if (a.value < b.value) return a;
  if (b.value < a.value) return b;
  if (a.gradient_defined && b.gradient_defined && a.gradient == b.gradient) return a;
  return without_gradient(a.value);
}

}  // namespace

SignedDistance signed_distance(const Shape& shape, const Vec3& point) {
  validate(shape);
  return distance_to_shape(shape, point);
}

SignedDistance signed_distance(const Plane& plane, const Vec3& point) {
  return {plane.normal.dot(point) - plane.offset, plane.normal, true};
}

SignedDistance signed_distance(const Solid& solid, const Vec3& point) {
  if (const PlacedShape* placed = solid.placed()) {
    const Pose& X = placed->X_BS;
    const SignedDistance d = distance_to_shape(placed->shape, X.R.transpose() * (point - X.p));
    return {d.value - placed->rounding, X.R * d.gradient, d.gradient_defined};  // [lgvci (91)]
  }
  if (const Plane* plane = solid.plane()) return signed_distance(*plane, point);
  if (const Solid* inside = solid.complemented()) return negative(signed_distance(*inside, point));  // [lgvci (99)]
  const BooleanSolid& tree = *solid.tree();
  const SignedDistance a = signed_distance(tree.a, point), b = signed_distance(tree.b, point);
  switch (tree.operation) {
    case BooleanOperation::Union:
      return least(a, b);
    case BooleanOperation::Intersection:
      return negative(least(negative(a), negative(b)));  // the greater: [lgvci (97), (98)]
    case BooleanOperation::Difference:
      break;
  }
  return negative(least(negative(a), b));
}

}  // namespace visviva::geometry
