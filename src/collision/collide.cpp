#include "visviva/collision/collide.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "check_poses.hpp"
#include "piece_queries.hpp"
#include "visviva/collision/overlap.hpp"
#include "visviva/core/error.hpp"

namespace visviva::collision {

using geometry::Plane;

namespace {

using Piece = Collider::Piece;

bool is_ground(const Piece& piece) {
  return piece.plane() != nullptr || (piece.surface() != nullptr && piece.surface()->surface->is_ground());
}

/// Squared distance of two boxes; 0 if they overlap or one is infinite.
Real squared_gap(const Bounds& a, const Bounds& b) {
  return (a.lower - b.upper).cwiseMax(b.lower - a.upper).cwiseMax(0).squaredNorm();
}

// The table of pairs, in the order in which a half-space comes before a surface and that before a convex set; the
// other half of it is flipped.

Separation piece_distance(const Piece& A, const Pose& X_WA, const Piece& B, const Pose& X_WB) {
  if (is_ground(A) && is_ground(B)) return never_meeting();
  if (const Plane* plane = A.plane())
    return B.convex() != nullptr ? distance(*plane, X_WA, *B.convex(), X_WB)
                                 : distance(*plane, X_WA, *B.surface(), X_WB);
  if (B.plane() != nullptr) return flipped(piece_distance(B, X_WB, A, X_WA));
  if (const PlacedSurface* surface = A.surface())
    return B.convex() != nullptr ? distance(*surface, X_WA, *B.convex(), X_WB)
                                 : distance(*surface, X_WA, *B.surface(), X_WB);
  if (B.surface() != nullptr) return flipped(piece_distance(B, X_WB, A, X_WA));
  return distance(*A.convex(), X_WA, *B.convex(), X_WB);
}

bool piece_overlap(const Piece& A, const Pose& X_WA, const Piece& B, const Pose& X_WB) {
  if (is_ground(A) && is_ground(B)) return false;
  if (const Plane* plane = A.plane())
    return B.convex() != nullptr ? overlap(*plane, X_WA, *B.convex(), X_WB)
                                 : distance(*plane, X_WA, *B.surface(), X_WB).distance <= 0;
  if (B.plane() != nullptr) return piece_overlap(B, X_WB, A, X_WA);
  if (const PlacedSurface* surface = A.surface())
    return B.convex() != nullptr ? overlap(*surface, X_WA, *B.convex(), X_WB)
                                 : overlap(*surface, X_WA, *B.surface(), X_WB);
  if (B.surface() != nullptr) return piece_overlap(B, X_WB, A, X_WA);
  return overlap(*A.convex(), X_WA, *B.convex(), X_WB);
}

std::optional<ImpactTime> piece_impact(const Piece& A, const Path& path_A, const Piece& B, const Path& path_B, Real t0,
                                       Real t1, const TimeOfImpactSettings& settings) {
  const auto exchanged = [&] {
    TimeOfImpactSettings other = settings;
    std::swap(other.radius_a, other.radius_b);
    std::optional<ImpactTime> found = piece_impact(B, path_B, A, path_A, t0, t1, other);
    if (found) found->separation = flipped(found->separation);
    return found;
  };
  if (is_ground(A) && is_ground(B)) return std::nullopt;
  if (const Plane* plane = A.plane())
    return B.convex() != nullptr ? time_of_impact(*plane, path_A, *B.convex(), path_B, t0, t1, settings)
                                 : time_of_impact(*plane, path_A, *B.surface(), path_B, t0, t1, settings);
  if (B.plane() != nullptr) return exchanged();
  if (const PlacedSurface* surface = A.surface())
    return B.convex() != nullptr ? time_of_impact(*surface, path_A, *B.convex(), path_B, t0, t1, settings)
                                 : time_of_impact(*surface, path_A, *B.surface(), path_B, t0, t1, settings);
  if (B.surface() != nullptr) return exchanged();
  return time_of_impact(*A.convex(), path_A, *B.convex(), path_B, t0, t1, settings);
}

}  // namespace

Separation distance(const Collider& A, const Pose& X_WA, const Collider& B, const Pose& X_WB) {
  check_poses(X_WA, X_WB);
  Separation best = never_meeting();
  const bool several = A.piece_count() * B.piece_count() > 1;
  for (std::size_t i = 0; i < A.piece_count(); ++i) {
    const Bounds box_a = several ? A.bounds(i, X_WA) : Bounds{};
    for (std::size_t k = 0; k < B.piece_count(); ++k) {
      // Height fields reach down without end.
      const bool ground = is_ground(A.pieces()[i]) || is_ground(B.pieces()[k]);
      if (several && !ground && best.distance > 0 &&
          squared_gap(box_a, B.bounds(k, X_WB)) > best.distance * best.distance)
        continue;
      const Separation s = piece_distance(A.pieces()[i], X_WA, B.pieces()[k], X_WB);
      if (s.distance < best.distance) best = s;
    }
  }
  return best;
}

bool overlap(const Collider& A, const Pose& X_WA, const Collider& B, const Pose& X_WB) {
  check_poses(X_WA, X_WB);
  const bool several = A.piece_count() * B.piece_count() > 1;
  for (std::size_t i = 0; i < A.piece_count(); ++i) {
    const Bounds box_a = several ? A.bounds(i, X_WA) : Bounds{};
    for (std::size_t k = 0; k < B.piece_count(); ++k) {
      const bool ground = is_ground(A.pieces()[i]) || is_ground(B.pieces()[k]);
      if (several && !ground && !overlap(box_a, B.bounds(k, X_WB))) continue;
      if (piece_overlap(A.pieces()[i], X_WA, B.pieces()[k], X_WB)) return true;
    }
  }
  return false;
}

std::optional<ImpactTime> time_of_impact(const Collider& A, const Path& path_A, const Collider& B, const Path& path_B,
                                         Real t0, Real t1, const TimeOfImpactSettings& settings) {
  require(std::isfinite(t0), "time of impact", "t0", "be finite", t0);
  require(t0 <= t1 && std::isfinite(t1), "time of impact", "t1", "be finite and not before t0", t1);
  std::optional<ImpactTime> first;
  // Radii that the caller knows are those of the whole; pieces have their own.
  TimeOfImpactSettings own = settings;
  if (A.piece_count() > 1) own.radius_a = -1;
  if (B.piece_count() > 1) own.radius_b = -1;
  if (A.piece_count() * B.piece_count() > 1) own.cache = nullptr;
  for (const Piece& a : A.pieces())
    for (const Piece& b : B.pieces()) {
      const std::optional<ImpactTime> found = piece_impact(a, path_A, b, path_B, t0, first ? first->time : t1, own);
      if (found && (!first || found->time < first->time)) first = found;
    }
  return first;
}

}  // namespace visviva::collision
