#pragma once

#include <optional>

#include "touch_surface.hpp"
#include "visviva/collision/collider.hpp"
#include "visviva/collision/time_of_impact.hpp"

/// The queries of two pieces that are not both convex, in the world; those of colliders are made of them.
namespace visviva::collision {

[[nodiscard]] inline Separation flipped(Separation s) {
  s.normal = -s.normal;
  std::swap(s.point_a, s.point_b);
  return s;
}
/// X_AB of two poses in the world, without the digits that a far origin costs.
[[nodiscard]] inline Pose relative_pose(const Pose& X_WA, const Pose& X_WB) {
  return {X_WA.R.transpose() * X_WB.R, X_WA.R.transpose() * (X_WB.p - X_WA.p)};
}
/// Of two that cannot meet.
[[nodiscard]] Separation never_meeting();

// A surface (A) and a convex set (B); surface_distance.cpp.
[[nodiscard]] Separation distance(const PlacedSurface& A, const Pose& X_WA, const geometry::Convex& B,
                                  const Pose& X_WB);
[[nodiscard]] bool overlap(const PlacedSurface& A, const Pose& X_WA, const geometry::Convex& B, const Pose& X_WB);
/// Touches in the frame of the surface, in the thread's workspace.
void find_touches(const PlacedSurface& A, const Pose& X_WA, const geometry::Convex& B, const Pose& X_WB, Real margin,
                  TouchSeeds seeds = {});

// A half-space (A) and a surface that is no ground (B): that of its farthest corners; surface_distance.cpp.
[[nodiscard]] Separation distance(const geometry::Plane& A, const Pose& X_WA, const PlacedSurface& B, const Pose& X_WB);

// Two surfaces, not both grounds; surface_pair.cpp.
[[nodiscard]] Separation distance(const PlacedSurface& A, const Pose& X_WA, const PlacedSurface& B, const Pose& X_WB);
[[nodiscard]] bool overlap(const PlacedSurface& A, const Pose& X_WA, const PlacedSurface& B, const Pose& X_WB);
/// Touches in the frame of A, in the thread's workspace.
void find_touches(const PlacedSurface& A, const Pose& X_WA, const PlacedSurface& B, const Pose& X_WB, Real margin);

// surface_impact.cpp.
[[nodiscard]] std::optional<ImpactTime> time_of_impact(const PlacedSurface& A, const Path& path_A,
                                                       const geometry::Convex& B, const Path& path_B, Real t0, Real t1,
                                                       const TimeOfImpactSettings& settings);
[[nodiscard]] std::optional<ImpactTime> time_of_impact(const geometry::Plane& A, const Path& path_A,
                                                       const PlacedSurface& B, const Path& path_B, Real t0, Real t1,
                                                       const TimeOfImpactSettings& settings);
[[nodiscard]] std::optional<ImpactTime> time_of_impact(const PlacedSurface& A, const Path& path_A,
                                                       const PlacedSurface& B, const Path& path_B, Real t0, Real t1,
                                                       const TimeOfImpactSettings& settings);

}  // namespace visviva::collision
