#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "piece_queries.hpp"
#include "surface_parts.hpp"
#include "visviva/collision/overlap.hpp"

namespace visviva::collision {

using geometry::Convex;

namespace {

/// The set in the frame S of the surface.
struct InSurface {
  InSurface(const PlacedSurface& A, const Pose& X_WA, const Convex& B, const Pose& X_WB)
      : X_WS(X_WA * A.X_BS), X_SB(relative_pose(X_WS, X_WB)), toucher{B, X_SB, X_SB * B.center()} {}
  Pose X_WS, X_SB;
  Toucher toucher;
};

Separation in_world(const Pose& X_WS, const Separation& s) {
  Separation w = s;
  w.normal = X_WS.R * s.normal;
  w.point_a = X_WS * s.point_a;
  w.point_b = X_WS * s.point_b;
  return w;
}

Separation to_separation(const TriangleTouch& touch) {
  Separation s;
  s.distance = touch.distance;
  s.normal = touch.normal;
  s.point_a = touch.point_a;
  s.point_b = touch.point_b;
  return s;
}

/// The nearest of all triangles that are met, each on its own; of none: infinitely far.
Separation nearest_triangle(const Surface& surface, const Toucher& toucher, TouchWorkspace& workspace) {
  Separation best = never_meeting();
  MetTriangle met;
  const auto look_at = [&](std::uint32_t t) {
    if (!meets_front(surface, t, toucher, met)) return;
    const Vec3 low = toucher.X_SB * toucher.set.support(toucher.X_SB.R.transpose() * -met.normal);
    if (met.normal.dot(low - met.corners[0]) - toucher.set.rounding() > best.distance) return;
    const Convex& triangle = workspace.triangle.set(met.corners[0], met.corners[1], met.corners[2]);
    const Separation s = distance(triangle, {}, toucher.set, toucher.X_SB);
    if (s.distance < best.distance) best = s;
  };
  const Surface::Nearest nearest = surface.nearest(toucher.center);
  look_at(nearest.triangle);
  // One-sided triangles may have to be looked for farther away.
  for (Real reach = std::min(std::max(best.distance, 0.0), nearest.distance);; reach = 2 * reach + 1e-3) {
    const Bounds box = bounds(toucher.set, toucher.X_SB, reach);
    surface.find_in(box, workspace.found);
    for (const std::uint32_t t : workspace.found) look_at(t);
    if (best.distance <= reach || contains(box, surface.bounds())) return best;
  }
}

}  // namespace

Separation never_meeting() {
  Separation s;
  s.distance = std::numeric_limits<Real>::infinity();
  return s;
}

Separation distance(const PlacedSurface& A, const Pose& X_WA, const Convex& B, const Pose& X_WB) {
  const InSurface in(A, X_WA, B, X_WB);
  const Surface& surface = *A.surface;
  TouchWorkspace& workspace = touch_workspace();
  const bool inside = surface.contains(in.toucher.center);
  const Separation nearest = nearest_triangle(surface, in.toucher, workspace);
  if (nearest.distance > 0 && !inside) return in_world(in.X_WS, nearest);
  find_touches(surface, in.toucher, 0, workspace);
  if (workspace.touches.empty()) return in_world(in.X_WS, nearest);
  const auto deepest =
      std::min_element(workspace.touches.begin(), workspace.touches.end(),
                       [](const TriangleTouch& s, const TriangleTouch& t) { return s.distance < t.distance; });
  return in_world(in.X_WS, to_separation(*deepest));
}

bool overlap(const PlacedSurface& A, const Pose& X_WA, const Convex& B, const Pose& X_WB) {
  const InSurface in(A, X_WA, B, X_WB);
  const Surface& surface = *A.surface;
  TouchWorkspace& workspace = touch_workspace();
  if (surface.contains(in.toucher.center)) return true;
  surface.find_in(bounds(B, in.X_SB), workspace.found);
  MetTriangle met;
  return std::any_of(workspace.found.begin(), workspace.found.end(), [&](std::uint32_t t) {
    if (!meets_front(surface, t, in.toucher, met)) return false;
    return overlap(workspace.triangle.set(met.corners[0], met.corners[1], met.corners[2]), {}, B, in.X_SB);
  });
}

void find_touches(const PlacedSurface& A, const Pose& X_WA, const Convex& B, const Pose& X_WB, Real margin,
                  TouchSeeds seeds) {
  const InSurface in(A, X_WA, B, X_WB);
  find_touches(*A.surface, in.toucher, margin, touch_workspace(), seeds);
}

Separation distance(const geometry::Plane& A, const Pose& X_WA, const PlacedSurface& B, const Pose& X_WB) {
  const Pose X_WS = X_WB * B.X_BS;
  const Vec3 n = X_WA.R * A.normal;
  const Vec3 b = X_WS.R * B.surface->support(X_WS.R.transpose() * -n);
  Separation s;
  s.distance = n.dot(b + (X_WS.p - X_WA.p)) - A.offset;
  s.normal = n.normalized();
  s.point_b = b + X_WS.p;
  s.point_a = s.point_b - s.distance * s.normal;
  s.iterations = 1;
  return s;
}

}  // namespace visviva::collision
