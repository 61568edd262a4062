#pragma once

#include <random>
#include <vector>

#include "visviva/geometry/convex.hpp"
#include "visviva/math/quaternion.hpp"
#include "visviva/math/se3.hpp"

namespace visviva::collision {

/// Random poses and shapes, the same on every machine.
class RandomPairs {
 public:
  explicit RandomPairs(unsigned seed) : engine_(seed) {}

  Real uniform(Real lo, Real hi) { return lo + (hi - lo) * (static_cast<Real>(engine_() >> 11) * 0x1p-53); }
  Vec3 in_cube(Real half) { return {uniform(-half, half), uniform(-half, half), uniform(-half, half)}; }
  Mat3 rotation() {
    Quaternion q;
    do q = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    while (!(squared_norm(q) < 1 && squared_norm(q) > 0.01));
    return rotation_from_quaternion(q);
  }
  Pose pose(Real half) { return {rotation(), in_cube(half)}; }
  Vec3 unit() { return rotation().col(0); }
  /// Lengths between 0.1 and 2 of very different proportions.
  Real length() {
    const Real u = uniform(0, 1);
    return 0.1 + 1.9 * u * u;
  }
  Vec3 lengths() { return {length(), length(), length()}; }

  geometry::Shape shape() {
    switch (engine_() % 7) {
      case 0:
        return geometry::Sphere{length()};
      case 1:
        return geometry::Ellipsoid{lengths()};
      case 2:
        return geometry::Box{lengths()};
      case 3:
        return geometry::Capsule{length(), length()};
      case 4:
        return geometry::Cylinder{length(), length()};
      case 5:
        return geometry::Cone{length(), length()};
      default:
        break;
    }
    return hull(12);
  }
  /// Of points in a cube, of which some lie inside.
  geometry::ConvexHull hull(int count, Real half = 1) {
    geometry::ConvexHull hull;
    for (int i = 0; i < count; ++i) hull.points.push_back(in_cube(half));
    return hull;
  }
  /// Of points on the unit sphere: each is a vertex.
  geometry::ConvexHull round_hull(int count) {
    geometry::ConvexHull hull;
    for (int i = 0; i < count; ++i) hull.points.push_back(unit());
    return hull;
  }
  geometry::Convex convex() {
    const geometry::Shape s = shape();
    const bool smooth = s.index() == 0 || s.index() == 1 || s.index() == 3;  // these take no rounding
    return geometry::Convex(s, pose(0.3), !smooth && engine_() % 3 == 0 ? length() / 8 : 0);
  }
  /// The intersection of two ellipsoids near each other.
  geometry::Convex lens(Real scale) {
    for (;;) {
      const geometry::Solid a(geometry::Ellipsoid{scale * lengths()}, {rotation(), Vec3::Zero()});
      const geometry::Solid b(geometry::Ellipsoid{scale * lengths()}, {rotation(), in_cube(0.2 * scale)});
      const auto pieces = geometry::ConvexPieces::of(geometry::intersect(a, b));
      if (pieces.convex.size() == 1) return pieces.convex[0];
    }
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace visviva::collision
