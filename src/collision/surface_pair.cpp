#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <optional>

#include "piece_queries.hpp"
#include "surface_parts.hpp"
#include "visviva/collision/overlap.hpp"

namespace visviva::collision {

namespace {

const Pose kHere{};

Surface::Corners moved(const Pose& X, const Surface::Corners& c) { return {X * c[0], X * c[1], X * c[2]}; }

Bounds moved(const Pose& X, const Bounds& box) {
  const Vec3 middle = X * center(box), reach = X.R.cwiseAbs() * (0.5 * (box.upper - box.lower));
  return grown({middle - reach, middle + reach}, 0x1p-48 * (middle.norm() + reach.norm() + X.p.norm()));
}

/// B, all of it, is pushed out of A along the normal of a face of A.
TriangleTouch push_out(const Surface& A, std::uint32_t triangle, const Surface& B, const Pose& X_AB) {
  const Surface::Corners c = A.corners(triangle);
  TriangleTouch touch;
  touch.triangle = triangle;
  touch.other = 0;  // all of B
  touch.normal = area_normal(c).stableNormalized();
  touch.point_b = X_AB * B.support(X_AB.R.transpose() * -touch.normal);
  touch.distance = touch.normal.dot(touch.point_b - c[0]);
  touch.point_a = touch.point_b - touch.distance * touch.normal;
  return touch;
}

void flip(TriangleTouch& touch, const Pose& X_AB) {
  std::swap(touch.triangle, touch.other);
  touch.normal = -(X_AB.R * touch.normal);
  std::swap(touch.point_a, touch.point_b);
  touch.point_a = X_AB * touch.point_a;
  touch.point_b = X_AB * touch.point_b;
  touch.weighted_point = X_AB.R * touch.weighted_point + touch.weight * X_AB.p;
}

/// Pairs of triangles of two surfaces, A and B, in the frame of A.
class SurfacePair {
 public:
  SurfacePair(const Surface& A, const Surface& B, const Pose& X_AB)
      : A_(A), B_(B), X_AB_(X_AB), X_BA_(relative_pose(X_AB, {})), workspace_(touch_workspace()) {}

  /// f(triangle of A as it is met, its number, toucher for the triangle of B, its number) for all pairs whose boxes are
  /// no farther apart than reach(), which may shrink. Ends when f says so. `sided`: only those that face or cross.
  template <class Reach, class F>
  void for_each_pair(bool sided, Reach&& reach, F&& f) {
    B_.find_in(moved(X_BA_, grown(A_.bounds(), reach())), workspace_.found_other);
    for (const std::uint32_t tb : workspace_.found_other) {
      const Surface::Corners b = moved(X_AB_, B_.corners(tb));
      if (is_thin(b)) continue;
      const geometry::Convex& set = workspace_.other.set(b[0], b[1], b[2]);
      Toucher toucher{set, kHere, (b[0] + b[1] + b[2]) / 3};
      if (B_.sides() != Sides::Both) toucher.facing = area_normal(b).stableNormalized();
      toucher.any_side = !sided;
      A_.find_in(grown(bounds_of(b), reach()), workspace_.found);
      for (const std::uint32_t ta : workspace_.found) {
        MetTriangle met;
        if (!meets_front(A_, ta, toucher, met)) continue;
        if (sided && !is_before_front(met, toucher)) continue;
        if (!f(met, ta, toucher, tb)) return;
      }
    }
  }

  [[nodiscard]] Separation nearest() {
    Separation best = never_meeting();
    // A corner of B is as far from A as it is; one-sided triangles that are not met may lie between.
    Real reach = A_.nearest(X_AB_ * B_.vertex(0)).distance;
    const Bounds a = A_.bounds(), b = moved(X_AB_, B_.bounds());
    const Real farthest = (a.upper.cwiseMax(b.upper) - a.lower.cwiseMin(b.lower)).maxCoeff();
    for (;; reach = 2 * reach + 1e-3) {
      for_each_pair(
          is_sided(), [&] { return std::min(reach, std::max(best.distance, 0.0)); },
          [&](const MetTriangle& met, std::uint32_t, const Toucher& toucher, std::uint32_t) {
            const Separation s = distance(set(met), kHere, toucher.set, kHere);
            if (s.distance < best.distance) best = s;
            return true;
          });
      if (best.distance <= reach || reach >= farthest) return best;
    }
  }

  /// One lies inside the other, as far as a corner tells.
  [[nodiscard]] bool one_is_inside() const { return b_is_inside() || a_is_inside(); }
  [[nodiscard]] bool b_is_inside() const { return A_.contains(X_AB_ * B_.vertex(0)); }
  [[nodiscard]] bool a_is_inside() const { return B_.contains(X_BA_ * A_.vertex(0)); }

  [[nodiscard]] bool any_overlap() {
    bool found = false;
    for_each_pair(
        is_sided(), [] { return 0.0; },
        [&](const MetTriangle& met, std::uint32_t, const Toucher& toucher, std::uint32_t) {
          found = overlap(set(met), kHere, toucher.set, kHere);
          return !found;
        });
    return found || one_is_inside();
  }

  /// Overlaps no deeper than this are touches: rounding, with room.
  [[nodiscard]] Real slack() const {
    const auto size = [](const Surface& s) { return (s.bounds().upper - s.bounds().lower).norm(); };
    return 1e-9 * std::min(size(A_), size(B_));
  }
  /// The shortest way along a face of one of them, if it is solid, that a triangle of the other crosses: out of the
  /// plane of that face with all of the other.
  [[nodiscard]] std::optional<TriangleTouch> shortest_way_out() {
    std::optional<TriangleTouch> best;
    const auto offer = [&](const TriangleTouch& touch) {
      if (!best || touch.distance > best->distance) best = touch;
    };
    for_each_pair(
        is_sided(), [] { return 0.0; },
        [&](const MetTriangle& met, std::uint32_t ta, const Toucher& toucher, std::uint32_t tb) {
          if (!overlap(set(met), kHere, toucher.set, kHere)) return true;
          if (!(distance(set(met), kHere, toucher.set, kHere).distance < -slack())) return true;
          if (A_.sides() == Sides::Solid && !B_.is_ground()) offer(push_out(A_, ta, B_, X_AB_));
          if (B_.sides() == Sides::Solid && !A_.is_ground()) {
            TriangleTouch touch = push_out(B_, tb, A_, X_BA_);
            flip(touch, X_AB_);
            offer(touch);
          }
          return true;
        });
    return best;
  }
  /// One lies inside the other and no triangles cross: out of the face that is nearest to a corner.
  [[nodiscard]] std::optional<TriangleTouch> way_from_inside() const {
    if (b_is_inside()) return push_out(A_, A_.nearest(X_AB_ * B_.vertex(0)).triangle, B_, X_AB_);
    if (!a_is_inside()) return std::nullopt;
    TriangleTouch touch = push_out(B_, B_.nearest(X_BA_ * A_.vertex(0)).triangle, A_, X_BA_);
    flip(touch, X_AB_);
    return touch;
  }

  const geometry::Convex& set(const MetTriangle& met) {
    return workspace_.triangle.set(met.corners[0], met.corners[1], met.corners[2]);
  }

  /// Touches of A's faces and ridges with B's triangles that B allows, too. If `faces_only`, not along ridges.
  void find_touches(Real margin, bool faces_only) {
    workspace_.touches.clear();
    workspace_.points.clear();
    for_each_pair(
        true, [&] { return margin; },
        [&](const MetTriangle& met, std::uint32_t ta, const Toucher& toucher, std::uint32_t tb) {
          const Separation raw = distance(set(met), kHere, toucher.set, kHere);
          if (!(raw.distance <= margin)) return true;
          if (try_touch(met, ta, toucher, tb, raw, margin, faces_only)) return true;
          // Along the face, where the shortest way apart is not allowed: only if there is nothing better.
          Separation face = raw;
          face.normal = met.normal;
          if (try_touch(met, ta, toucher, tb, face, margin, faces_only)) workspace_.touches.back().weak = true;
          return true;
        });
    drop_weak(A_, workspace_);
  }

 private:
  bool try_touch(const MetTriangle& met, std::uint32_t ta, const Toucher& toucher, std::uint32_t tb,
                 const Separation& raw, Real margin, bool faces_only) {
    if (!add_touch(A_, ta, met, toucher, raw, margin, workspace_)) return false;
    TriangleTouch& touch = workspace_.touches.back();
    touch.other = tb;
    const bool along_ridge = !touch.normal.isApprox(met.normal, 1e-9);
    const bool taken = !touch.weak && !(faces_only && along_ridge) && other_allows(tb, touch.normal, met);
    if (!taken) workspace_.touches.pop_back();
    return taken;
  }

  /// Triangles of a solid are not passed through unseen, whichever way they face.
  [[nodiscard]] bool is_sided() const { return A_.sides() != Sides::Solid && B_.sides() != Sides::Solid; }

  /// A triangle of a two-sided A has no front that must see the one of B, but that of B may have one.
  [[nodiscard]] bool is_before_front(const MetTriangle& of_a, const Toucher& of_b) const {
    if (A_.sides() != Sides::Both || B_.sides() == Sides::Both) return true;
    return of_b.facing.dot((of_a.corners[0] + of_a.corners[1] + of_a.corners[2]) / 3 - of_b.center) > 0;
  }

  /// B allows the normal -m where it is extreme along it.
  [[nodiscard]] bool other_allows(std::uint32_t tb, const Vec3& m, const MetTriangle& of_a) const {
    const Vec3 m_B = -(X_BA_.R * m);
    MetTriangle met;
    const Vec3 middle = X_BA_ * Vec3((of_a.corners[0] + of_a.corners[1] + of_a.corners[2]) / 3);
    const Toucher toucher{workspace_.other.convex(), kHere, middle, X_BA_.R * of_a.normal};
    if (!meets_front(B_, tb, toucher, met)) return false;
    const Verdict verdict = judge_normal(B_, tb, met, m_B);
    return verdict == Verdict::Allowed || (verdict == Verdict::Face && m_B.dot(met.normal) > 1 - 1e-12);
  }

  const Surface& A_;
  const Surface& B_;
  Pose X_AB_, X_BA_;
  TouchWorkspace& workspace_;
};

Separation in_world(const Pose& X_WS, Separation s) {
  s.normal = X_WS.R * s.normal;
  s.point_a = X_WS * s.point_a;
  s.point_b = X_WS * s.point_b;
  return s;
}

void add_point(TriangleTouch touch, Real margin, TouchWorkspace& workspace) {
  touch.first = static_cast<std::uint32_t>(workspace.points.size());
  touch.count = 1;
  touch.weight = margin - touch.distance;
  const Vec3 middle = 0.5 * (touch.point_a + touch.point_b);
  touch.weighted_point = touch.weight * middle;
  workspace.points.push_back({middle, touch.distance, touch.triangle});
  workspace.touches.push_back(touch);
}

}  // namespace

Separation distance(const PlacedSurface& A, const Pose& X_WA, const PlacedSurface& B, const Pose& X_WB) {
  const Pose X_WS = X_WA * A.X_BS, X_WT = X_WB * B.X_BS;
  SurfacePair pair(*A.surface, *B.surface, relative_pose(X_WS, X_WT));
  const Separation nearest = pair.nearest();
  if (nearest.distance > 0 && !pair.one_is_inside()) return in_world(X_WS, nearest);
  find_touches(A, X_WA, B, X_WB, 0);
  const auto& touches = touch_workspace().touches;
  if (touches.empty()) return in_world(X_WS, nearest);
  const auto deepest = std::min_element(touches.begin(), touches.end(),
                                        [](const auto& s, const auto& t) { return s.distance < t.distance; });
  Separation s;
  s.distance = deepest->distance;
  s.normal = deepest->normal;
  s.point_a = deepest->point_a;
  s.point_b = deepest->point_b;
  return in_world(X_WS, s);
}

bool overlap(const PlacedSurface& A, const Pose& X_WA, const PlacedSurface& B, const Pose& X_WB) {
  return SurfacePair(*A.surface, *B.surface, relative_pose(X_WA * A.X_BS, X_WB * B.X_BS)).any_overlap();
}

void find_touches(const PlacedSurface& A, const Pose& X_WA, const PlacedSurface& B, const Pose& X_WB, Real margin) {
  const Pose X_WS = X_WA * A.X_BS, X_WT = X_WB * B.X_BS;
  const Pose X_AB = relative_pose(X_WS, X_WT), X_BA = relative_pose(X_WT, X_WS);
  TouchWorkspace& workspace = touch_workspace();
  // The faces of B first, in its frame; then those of A, and the ridges.
  thread_local std::vector<TriangleTouch> of_b;
  thread_local std::vector<TouchPoint> points_of_b;
  SurfacePair(*B.surface, *A.surface, X_BA).find_touches(margin, true);
  of_b = workspace.touches;
  points_of_b = workspace.points;
  SurfacePair pair(*A.surface, *B.surface, X_AB);
  pair.find_touches(margin, false);
  for (TriangleTouch& touch : of_b) {
    const std::uint32_t first = touch.first;
    touch.first = static_cast<std::uint32_t>(workspace.points.size());
    for (std::uint32_t k = first; k < first + touch.count; ++k)
      workspace.points.push_back({X_AB * points_of_b[k].point, points_of_b[k].separation, points_of_b[k].feature});
    flip(touch, X_AB);
    workspace.touches.push_back(touch);
  }
  drop_weak(*A.surface, workspace);
  const auto is_touch = [most = pair.slack()](const TriangleTouch& t) { return t.distance <= most; };
  if (std::any_of(workspace.touches.begin(), workspace.touches.end(), is_touch)) return;
  // Deep in each other, no single pair of triangles may have an allowed way; solids have one all the same.
  std::optional<TriangleTouch> way = pair.shortest_way_out();
  if (!way) way = pair.way_from_inside();
  if (way && way->distance <= margin) add_point(*way, margin, workspace);
}

}  // namespace visviva::collision
