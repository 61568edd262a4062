#pragma once

#include "visviva/collision/distance.hpp"

namespace visviva::collision {

/// True if two convex sets share a point; touching counts. At the least cost: the first direction that separates ends
/// it. Sets that are apart by no more than the rounding of their coordinates (2^-49 of the largest in the frame of A)
/// may count as touching, and sets that touch may count as apart by as much.
[[nodiscard]] bool overlap(const geometry::Convex& A, const Pose& X_WA, const geometry::Convex& B, const Pose& X_WB,
                           SeparationCache* cache = nullptr);

/// Of a half-space (A) and a convex set (B).
[[nodiscard]] bool overlap(const geometry::Plane& A, const Pose& X_WA, const geometry::Convex& B, const Pose& X_WB);

}  // namespace visviva::collision
