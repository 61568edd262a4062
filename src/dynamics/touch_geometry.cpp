#include "dynamics/touch_geometry.hpp"

#include <algorithm>
#include <cmath>

namespace visviva::dynamics {

namespace {

/// Corners that lie within this of the nearest one take part in a touch, relative to the size of the smaller body: far
/// above rounding, far below any tilt that one could mean.
constexpr Real kFlat = 1e-6;

/// Cosine of a thousandth of a radian: normals that agree, as in collision::find_manifolds.
constexpr Real kSameNormal = 1 - 5e-7;

}  // namespace

void find_points(World::Data& world, const Contact& contact, const collision::Separation& separation, const Pose& X_WA,
                 const Pose& X_WB, TouchPoints& points) {
  const Shape &A = *world.shapes[contact.shape_a], &B = *world.shapes[contact.shape_b];
  const Real size = std::min(A.radius, B.radius);
  const Real margin = std::max(separation.distance, 0.0) + kFlat * size;
  points.normal = separation.normal;
  points.count = 0;
  const auto take = [&](const collision::Manifold& manifold) {
    if (manifold.count > 1 && manifold.normal.dot(separation.normal) >= kSameNormal && points.count == 0)
      points.set(manifold);
    points.normal = separation.normal;
  };
  if (contact.list == kNone) {
    take(A.plane != nullptr ? collision::find_manifold(*A.plane, X_WA, *B.convex, X_WB, margin)
                            : collision::find_manifold(*A.convex, X_WA, *B.convex, X_WB, margin));
  } else {
    world.touch_cache.clear();
    find_manifolds(A.collider, X_WA, B.collider, X_WB, margin, world.touch_cache, world.touch_manifolds);
    for (const collision::PieceManifold& found : world.touch_manifolds) take(found.manifold);
  }
  if (points.count > 0) return;
  points.points[0] = (separation.point_a + separation.point_b) / 2;
  points.count = 1;
}

}  // namespace visviva::dynamics
