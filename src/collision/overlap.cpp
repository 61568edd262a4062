#include "visviva/collision/overlap.hpp"

namespace visviva::collision {

bool overlap(const geometry::Convex& A, const Pose& X_WA, const geometry::Convex& B, const Pose& X_WB,
             SeparationCache* cache) {
  const Separation s = distance(A, X_WA, B, X_WB, cache);
  return s.distance <= s.error;
}

bool overlap(const geometry::Plane& A, const Pose& X_WA, const geometry::Convex& B, const Pose& X_WB) {
  return distance(A, X_WA, B, X_WB).distance <= 0;
}

}  // namespace visviva::collision
