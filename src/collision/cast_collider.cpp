#include <Eigen/Geometry>
#include <algorithm>
#include <utility>
#include <vector>

#include "cast_parts.hpp"
#include "check_poses.hpp"
#include "visviva/collision/queries.hpp"

// Casts and nearest points on colliders: the first or nearest of their pieces, and for a mesh or height field of the
// triangles on the way.
namespace visviva::collision {
namespace {

/// Memory of the calling thread.
struct Workspace {
  geometry::ConvexTriangle triangle;
  std::vector<std::uint32_t> found;
  std::vector<std::pair<Real, std::uint32_t>> candidates;
};
Workspace& workspace() {
  thread_local Workspace memory;
  return memory;
}

void keep_first(std::optional<CastHit>& first, const std::optional<CastHit>& hit, std::size_t piece) {
  if (!hit || (first && !(hit->fraction < first->fraction))) return;
  first = hit;
  first->piece = static_cast<std::uint32_t>(piece);
}

std::optional<CastHit> cast_ray(const Ray& ray, const PlacedSurface& placed, const Pose& X_WB) {
  const Pose X_WS = X_WB * placed.X_BS;
  const Vec3 origin = X_WS.R.transpose() * (ray.origin - X_WS.p), way = X_WS.R.transpose() * ray.translation;
  if (placed.surface->contains(origin)) return inside_hit(ray.origin, ray.translation);
  if (way.isZero(0)) return std::nullopt;
  const auto hit = placed.surface->cast_ray(origin, way, 1);
  if (!hit) return std::nullopt;
  return CastHit{hit->t, ray.origin + hit->t * ray.translation, X_WS.R * hit->normal, false, 0, hit->triangle};
}

/// Triangles on the way of a box, by the fraction at which it reaches their boxes; the first ones first.
void sort_candidates(const Surface& surface, const Bounds& box_S, const Vec3& way, Workspace& memory) {
  const Vec3 from = center(box_S);
  // A cast stops up to its tolerance before it meets a triangle.
  const Real slack = 2 * kCastTolerance + 0x1p-46 * (from.lpNorm<1>() + way.lpNorm<1>());
  const Vec3 half = (0.5 * (box_S.upper - box_S.lower)).array() + slack;
  surface.find_along(from, from + way, half, memory.found);
  memory.candidates.clear();
  for (const std::uint32_t t : memory.found) {
    const auto& [a, b, c] = surface.corners(t);
    const Vec3 lower = a.cwiseMin(b).cwiseMin(c) - half - from, upper = a.cwiseMax(b).cwiseMax(c) + half - from;
    Real reach = 0;
    for (int i = 0; i < 3; ++i)
      if (way[i] != 0) reach = std::max(reach, std::min(lower[i] / way[i], upper[i] / way[i]));
    memory.candidates.emplace_back(reach, t);
  }
  std::sort(memory.candidates.begin(), memory.candidates.end());
}

/// The first triangle that something within bounds, in the frame S of the surface, meets on its way.
/// cast_on(triangle, X_WS) casts it on one.
template <class CastOn>
std::optional<CastHit> cast_on_triangles(const Surface& surface, const Pose& X_WS, const Bounds& box_S,
                                         const Vec3& translation, CastOn&& cast_on) {
  Workspace& memory = workspace();
  const Vec3 way = X_WS.R.transpose() * translation;
  sort_candidates(surface, box_S, way, memory);
  std::optional<CastHit> first;
  for (const auto& [reach, t] : memory.candidates) {
    if (first && reach > first->fraction) break;
    const auto& [a, b, c] = surface.corners(t);
    // From behind it is not met.
    if (surface.sides() == Sides::Front && (b - a).cross(c - a).dot(way) > 0) continue;
    const std::optional<CastHit> hit = cast_on(memory.triangle.set(a, b, c), X_WS);
    const bool earlier =
        hit && (!first || hit->fraction < first->fraction || (hit->fraction == first->fraction && t < first->triangle));
    if (!earlier) continue;
    first = hit;
    first->triangle = t;
  }
  return first;
}

std::optional<CastHit> cast_sphere(const SphereCast& cast, const PlacedSurface& placed, const Pose& X_WB) {
  const Pose X_WS = X_WB * placed.X_BS;
  const Vec3 middle = X_WS.R.transpose() * (cast.origin - X_WS.p);
  if (placed.surface->contains(middle)) return inside_hit(cast.origin, cast.translation);
  return cast_on_triangles(*placed.surface, X_WS, grown({middle, middle}, cast.radius), cast.translation,
                           [&](const geometry::Convex& t, const Pose& X) { return cast_sphere(cast, t, X); });
}

std::optional<CastHit> cast_shape(const ShapeCast& cast, const PlacedSurface& placed, const Pose& X_WB) {
  const Pose X_WS = X_WB * placed.X_BS, X_SA = inverse(X_WS) * cast.pose;
  const Vec3 middle = X_SA * cast.set.center();
  if (placed.surface->contains(middle))
    return CastHit{0, X_WS * middle, -cast.translation.stableNormalized(), true, 0, 0};
  return cast_on_triangles(*placed.surface, X_WS, bounds(cast.set, X_SA), cast.translation,
                           [&](const geometry::Convex& t, const Pose& X) { return cast_shape(cast, t, X); });
}

/// Whether the way of a box with these bounds in the world can meet the piece.
bool may_meet(const Collider& set, std::size_t piece, const Pose& X_WB, const Bounds& box, const Vec3& translation) {
  if (set.piece_count() == 1 || set.pieces()[piece].plane() != nullptr) return true;
  const Bounds way = united(box, {box.lower + translation, box.upper + translation});
  // A height field is solid far below its bounds.
  return set.pieces()[piece].surface() != nullptr || overlap(set.bounds(piece, X_WB), grown(way, kCastTolerance));
}

template <class Cast, class CastOn>
std::optional<CastHit> cast_on_pieces(const Cast& cast, const Collider& set, const Pose& X_WB, const Bounds& box,
                                      CastOn&& cast_on) {
  std::optional<CastHit> first;
  for (std::size_t i = 0; i < set.piece_count(); ++i) {
    if (!may_meet(set, i, X_WB, box, cast.translation)) continue;
    const Collider::Piece& piece = set.pieces()[i];
    std::visit([&](const auto& part) { keep_first(first, cast_on(cast, part, X_WB), i); }, piece.set);
  }
  return first;
}

ClosestPoint closest_point(const Vec3& point, const PlacedSurface& placed, const Pose& X_WB) {
  const Pose X_WS = X_WB * placed.X_BS;
  const Vec3 p = X_WS.R.transpose() * (point - X_WS.p);
  const Surface::Nearest nearest = placed.surface->nearest(p);
  const bool inside = placed.surface->contains(p);
  const Vec3 n = (X_WS.R * (p - nearest.point)).stableNormalized();
  return {inside ? -nearest.distance : nearest.distance, X_WS * nearest.point, inside ? Vec3(-n) : n, 0,
          nearest.triangle};
}

}  // namespace

std::optional<CastHit> cast_ray(const Ray& ray, const Collider& set, const Pose& X_WB) {
  validate_cast("ray", ray.origin, ray.translation);
  check_pose(X_WB, "set");
  return cast_on_pieces(ray, set, X_WB, {ray.origin, ray.origin},
                        [](const Ray& r, const auto& part, const Pose& X) { return cast_ray(r, part, X); });
}

std::optional<CastHit> cast_sphere(const SphereCast& cast, const Collider& set, const Pose& X_WB) {
  validate_cast("sphere cast", cast.origin, cast.translation);
  validate_radius(cast.radius);
  check_pose(X_WB, "set");
  return cast_on_pieces(cast, set, X_WB, grown({cast.origin, cast.origin}, cast.radius),
                        [](const SphereCast& c, const auto& part, const Pose& X) { return cast_sphere(c, part, X); });
}

std::optional<CastHit> cast_shape(const ShapeCast& cast, const Collider& set, const Pose& X_WB) {
  check_pose(cast.pose, "shape cast");
  validate_cast("shape cast", cast.pose.p, cast.translation);
  check_pose(X_WB, "set");
  return cast_on_pieces(cast, set, X_WB, bounds(cast.set, cast.pose),
                        [](const ShapeCast& c, const auto& part, const Pose& X) { return cast_shape(c, part, X); });
}

ClosestPoint closest_point(const Vec3& point, const Collider& set, const Pose& X_WB) {
  validate_point(point, "closest point");
  check_pose(X_WB, "set");
  ClosestPoint best;
  for (std::size_t i = 0; i < set.piece_count(); ++i) {
    ClosestPoint c =
        std::visit([&](const auto& part) { return closest_point(point, part, X_WB); }, set.pieces()[i].set);
    c.piece = static_cast<std::uint32_t>(i);
    if (i == 0 || c.distance < best.distance) best = c;
  }
  return best;
}

}  // namespace visviva::collision
