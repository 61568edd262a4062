#include "touch_surface.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "cast_points.hpp"
#include "clip_patches.hpp"
#include "surface_parts.hpp"
#include "visviva/geometry/core.hpp"

namespace visviva::collision {

namespace {

/// Corners of a triangle that lie within this of the farthest along a normal, relative to its size, share the feature
/// that is touched; neighbours may rise as much above it. Far above the rounding of a normal, which is 1e-12 or so.
constexpr Real kLevel = 1e-9;

int bits_of(int mask) { return (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1); }

EdgeKind kind_as_met(const Surface& surface, std::uint32_t triangle, int k, bool from_behind) {
  const EdgeKind kind = surface.edge_kind(triangle, k);
  if (!from_behind) return kind;
  return kind == EdgeKind::Convex ? EdgeKind::Concave : kind == EdgeKind::Concave ? EdgeKind::Convex : kind;
}

bool is_ridge(EdgeKind kind) { return kind == EdgeKind::Convex || kind == EdgeKind::Border; }

/// The triangle across edge k of a two-sided surface has the centre on its other side.
bool is_met_across(const Surface& surface, std::uint32_t triangle, int k, const MetTriangle& met) {
  if (surface.sides() != Sides::Both) return false;
  const std::optional<Vec3> w = surface.across(triangle, k);
  if (!w) return false;
  const auto i = static_cast<std::size_t>(k);
  const Vec3 &from = met.corners[(i + 1) % 3], &to = met.corners[i];
  const Vec3 n = (to - from).cross(*w - from);
  return (n.dot(met.center - from) < 0) != met.from_behind;
}

/// A frame with n as its z axis.
Mat3 frame_along(const Vec3& n) {
  Eigen::Index axis = 0;
  n.cwiseAbs().minCoeff(&axis);
  Mat3 R;
  R.col(0) = n.cross(Vec3::Unit(axis)).normalized();
  R.col(1) = n.cross(R.col(0));
  R.col(2) = n;
  return R;
}

ContactView view_of(const Pose& X_SC, const Pose& X_SB, bool is_b, const Vec3& touch_S, Real slack) {
  return {relative(X_SC, X_SB), move_back(to_place(X_SB), from_eigen(touch_S)), slack, is_b};
}

/// A feature of a triangle belongs to that triangle; a corner of the set is the same over all of them.
std::uint32_t name_feature(std::uint32_t feature, std::uint32_t triangle) {
  constexpr std::uint32_t kKind = 3u << 30;
  if ((feature & kKind) == static_cast<std::uint32_t>(Meeting::VertexOfB) << 30)
    return (feature & kKind) | (feature & 0x7fffu);
  return (feature & kKind) | ((feature ^ triangle * 0x9e3779b1u) & ~kKind);
}

/// Weighs the region by margin - separation, as a fan of triangles, a segment or a point.
class Weigher {
 public:
  Weigher(TriangleTouch& touch, Real margin) : touch_(touch), margin_(margin) {}
  void add(std::span<const TouchPoint> corners) {
    const std::size_t n = corners.size();
    touch_.dimension = n >= 3 ? 2 : n == 2 ? 1 : 0;
    if (n == 1) put(corners[0].point, std::max(depth(corners[0]), std::numeric_limits<Real>::min()));
    if (n == 2) simplex({corners[0], corners[1]}, (corners[1].point - corners[0].point).norm());
    for (std::size_t i = 1; n >= 3 && i + 1 < n; ++i)
      simplex({corners[0], corners[i], corners[i + 1]},
              0.5 * (corners[i].point - corners[0].point).cross(corners[i + 1].point - corners[0].point).norm());
  }

 private:
  [[nodiscard]] Real depth(const TouchPoint& p) const { return std::max(margin_ - p.separation, 0.0); }
  void put(const Vec3& point, Real weight) {
    touch_.weight += weight;
    touch_.weighted_point += weight * point;
  }
  /// ∫ f = |S| mean f,  ∫ f x = |S| Σᵢⱼ fᵢ xⱼ (1 + δᵢⱼ) / (m (m + 1)) over m corners.
  void simplex(std::initializer_list<TouchPoint> corners, Real measure) {
    const auto m = static_cast<Real>(corners.size());
    for (const TouchPoint& p : corners)
      for (const TouchPoint& q : corners) put(q.point, measure * depth(p) * (&p == &q ? 2 : 1) / (m * (m + 1)));
  }
  TriangleTouch& touch_;
  Real margin_;
};

/// A point lies above or below the triangle itself.
bool lies_over(const MetTriangle& met, const Vec3& p) {
  const Vec3 n = area_normal(met.corners);
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 e = met.corners[(k + 1) % 3] - met.corners[k];
    if (n.dot(e.cross(p - met.corners[k])) < -1e-12 * n.norm() * e.squaredNorm()) return false;
  }
  return true;
}

/// How far a point behind the triangle lies from the front of what is across edge k, a ridge or border: behind the
/// neighbour's plane, or within the border. Minus infinity where the neighbour is met from its other side.
Real depth_across(const Surface& surface, std::uint32_t triangle, int k, const MetTriangle& met, const Vec3& p) {
  if (is_met_across(surface, triangle, k, met)) return -std::numeric_limits<Real>::infinity();
  const auto i = static_cast<std::size_t>(k);
  const Vec3 &from = met.corners[(i + 1) % 3], &to = met.corners[i];
  const std::optional<Vec3> w = surface.across(triangle, k);
  const Vec3 n = w ? Vec3((to - from).cross(*w - from)) : Vec3((from - to).cross(area_normal(met.corners)));
  return (w && met.from_behind ? 1 : -1) * n.stableNormalized().dot(p - from);
}

/// The points of a touch with the given normal, between a triangle and a set whose nearest points are given.
class PointFinder {
 public:
  PointFinder(std::uint32_t triangle, const MetTriangle& met, const Toucher& toucher, Real margin,
              TouchWorkspace& workspace)
      : met_(met), toucher_(toucher), margin_(margin), workspace_(workspace) {
    touch_.triangle = triangle;
    touch_.first = static_cast<std::uint32_t>(workspace.points.size());
  }

  /// Along m, with the nearest points a and b of the surfaces.
  bool along(const Vec3& m, const Vec3& a, const Vec3& b) {
    touch_.normal = m;
    clip(m, a, b, false);
    const Real sag = kLevel * toucher_.set.core().reach;
    const Real s = m.dot(b - a);
    if (touch_.count == 0 || touch_.distance > s + sag) add_nearest(a, b, s);
    return finish();
  }

  /// Along the face normal, as far as the set is above or below the triangle.
  bool along_face() {
    const Vec3& n = met_.normal;
    const Vec3 support = toucher_.set.support(toucher_.X_SB.R.transpose() * -n);
    const Vec3 b = toucher_.X_SB * support - toucher_.set.rounding() * n;
    const Vec3 a = b - n.dot(b - met_.corners[0]) * n;
    touch_.normal = n;
    clip(n, a, b, true);
    if (is_over(a) && (touch_.count == 0 || touch_.distance > n.dot(b - a))) add_nearest(a, b, n.dot(b - a));
    return finish();
  }

  [[nodiscard]] TriangleTouch& touch() { return touch_; }

  /// After along_face: whether the face normal is the shortest way out, without a look at the others. `lowest` is the
  /// separation of the set from the plane. With a point q of the region that is as deep as any, δ = -lowest, and at
  /// least ρ from all edges that have a way over them, every way at an angle θ to the normal is as long as
  ///   ρ sin θ + δ cos θ >= min(ρ, δ).
  [[nodiscard]] bool face_decides(const Surface& surface, Real lowest) const {
    const Real level = lowest + kLevel * kLevel * toucher_.set.core().reach;
    if (!(touch_.distance <= level)) return false;
    if (lowest >= 0) return true;
    Vec3 q = Vec3::Zero();
    Real count = 0;
    for (std::uint32_t k = touch_.first; k < touch_.first + touch_.count; ++k)
      if (workspace_.points[k].separation <= level) q += workspace_.points[k].point, count += 1;
    q /= count;
    for (int k = 0; k < 3; ++k) {
      const bool matters =
          surface.sides() == Sides::Both || is_ridge(kind_as_met(surface, touch_.triangle, k, met_.from_behind));
      const auto i = static_cast<std::size_t>(k);
      const Vec3 e = (met_.corners[(i + 1) % 3] - met_.corners[i]).normalized();
      const Real rho = std::abs(met_.normal.dot(e.cross(q - met_.corners[i])));
      if (matters && !(rho >= -lowest)) return false;
    }
    return true;
  }

  /// After along_face: no neighbour across a ridge or border over which m leans (across any, if m leads backwards) has
  /// a shorter way out for the deepest points (one of them). Never true for a triangle of another surface that would
  /// leave backwards: the depth is not its own but that of what it bounds.
  [[nodiscard]] bool face_is_nearest(const Surface& surface, const Vec3& m) const {
    if (!toucher_.facing.isZero(0) && m.dot(met_.normal) < -kLevel) return false;
    const Real level = touch_.distance + kLevel * toucher_.set.core().reach;
    for (std::uint32_t k = touch_.first; k < touch_.first + touch_.count; ++k) {
      const TouchPoint& point = workspace_.points[k];
      const Vec3 b = point.point + 0.5 * point.separation * met_.normal;
      if (point.separation <= level && is_nearest(surface, m, b, -point.separation)) return true;
    }
    return false;
  }

 private:
  [[nodiscard]] bool is_over(const Vec3& p) const { return lies_over(met_, p); }

  [[nodiscard]] bool is_nearest(const Surface& surface, const Vec3& m, const Vec3& b, Real depth) const {
    for (int k = 0; k < 3; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const Vec3 out = (met_.corners[(i + 1) % 3] - met_.corners[i]).cross(area_normal(met_.corners));
      const bool matters = is_met_across(surface, touch_.triangle, k, met_) ||
                           is_ridge(kind_as_met(surface, touch_.triangle, k, met_.from_behind));
      const bool leans = m.dot(out) > 0 || m.dot(met_.normal) < -kLevel;
      if (matters && leans && depth_across(surface, touch_.triangle, k, met_, b) < depth) return false;
    }
    return true;
  }

  void add_nearest(const Vec3& a, const Vec3& b, Real s) {
    if (!(s <= margin_)) return;
    workspace_.points.push_back(
        {0.5 * (a + b), s, name_feature(make_feature(Meeting::Nearest, 0, 0), touch_.triangle)});
    ++touch_.count;
  }

  /// The triangle in a frame whose origin lies in its plane and whose z axis is its normal.
  void set_triangle_patch(const Pose& X_SC, ContactPatch& patch) const {
    patch.count = 3;
    patch.face_id = 0;
    patch.slope_x = patch.slope_y = patch.z0 = patch.sag = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t k = met_.from_behind ? 2 - i : i;  // counter-clockwise as seen along the normal
      const Vec3 p = X_SC.R.transpose() * (met_.corners[k] - X_SC.p);
      patch.x[i] = p.x();
      patch.y[i] = p.y();
      patch.vertex_id[i] = static_cast<std::uint32_t>(k);
      patch.side_id[i] = static_cast<std::uint32_t>(met_.from_behind ? (k + 2) % 3 : k);
    }
  }

  void clip(const Vec3& m, const Vec3& a, const Vec3& b, bool is_face) {
    const Real rounding = toucher_.set.rounding();
    const Vec3 core_b = b + rounding * m;
    const Pose X_SC{frame_along(m), a};
    const Real slack = margin_ + rounding - m.dot(core_b - a);
    ContactPatch patch_a, patch_b;
    if (is_face)
      set_triangle_patch(X_SC, patch_a);
    else
      find_patch(workspace_.triangle.convex(), view_of(X_SC, {}, false, a, slack), patch_a);
    find_patch(toucher_.set, view_of(X_SC, toucher_.X_SB, true, core_b, slack), patch_b);
    ContactRegion region;
    clip_patches(patch_a, patch_b, std::numeric_limits<Real>::infinity(), 0, region);
    touch_.distance = std::numeric_limits<Real>::infinity();
    const bool lines = patch_a.count == 2 && patch_b.count == 2;
    const Place X_BS = inverse(to_place(toucher_.X_SB));
    const Real level = m.dot(b - a) + kLevel * toucher_.set.core().reach;
    for (int i = 0; i < region.count; ++i) {
      Real low_b = region.z_b[i] - rounding;
      if (!(low_b - region.z_a[i] <= margin_)) continue;
      const auto at_height = [&](Real z) { return Vec3(X_SC * Vec3(region.x[i], region.y[i], z)); };
      // The nearest points have nothing beyond them.
      if (lines || (rounding > 0 && low_b - region.z_a[i] > level))
        low_b -= rise_of_surface(toucher_.set, X_BS * from_eigen(at_height(low_b)), -(X_BS.R * from_eigen(m)));
      const Real separation = low_b - region.z_a[i];
      if (!(separation <= margin_)) continue;
      const std::uint32_t feature = feature_at(patch_a, patch_b, region, i);
      workspace_.points.push_back(
          {at_height(0.5 * (region.z_a[i] + low_b)), separation, name_feature(feature, touch_.triangle)});
      ++touch_.count;
      touch_.distance = std::min(touch_.distance, separation);
    }
  }

  bool finish() {
    if (touch_.count == 0) return false;
    const std::span points(workspace_.points.data() + touch_.first, touch_.count);
    const TouchPoint& deepest = *std::min_element(
        points.begin(), points.end(), [](const auto& p, const auto& q) { return p.separation < q.separation; });
    touch_.distance = deepest.separation;
    touch_.point_a = deepest.point - 0.5 * deepest.separation * touch_.normal;
    touch_.point_b = deepest.point + 0.5 * deepest.separation * touch_.normal;
    Weigher(touch_, margin_).add(points);
    return true;
  }

  const MetTriangle& met_;
  const Toucher& toucher_;
  Real margin_;
  TouchWorkspace& workspace_;
  TriangleTouch touch_;
};

bool share_a_corner(const Surface::Corners& a, const Surface::Corners& b) {
  for (const Vec3& p : a)
    for (const Vec3& q : b)
      if (p == q) return true;
  return false;
}

}  // namespace

TouchWorkspace& touch_workspace() {
  thread_local TouchWorkspace workspace;
  return workspace;
}

bool meets_front(const Surface& surface, std::uint32_t triangle, const Toucher& toucher, MetTriangle& met) {
  met.corners = surface.corners(triangle);
  if (is_thin(met.corners)) return false;
  met.normal = area_normal(met.corners).stableNormalized();
  met.center = toucher.center;
  if (toucher.any_side) return true;
  const Real height = met.normal.dot(toucher.center - met.corners[0]);
  met.from_behind = surface.sides() == Sides::Both && height < 0;
  if (met.from_behind) {
    met.normal = -met.normal;
    return true;
  }
  if (surface.sides() == Sides::Both) return true;
  constexpr Real kEdgeOn = 1e-9;
  return toucher.facing.isZero(0) ? height > 0 : met.normal.dot(toucher.facing) <= kEdgeOn;
}

Verdict judge_normal(const Surface& surface, std::uint32_t triangle, const MetTriangle& met, const Vec3& m) {
  const Surface::Corners& c = met.corners;
  const Real size =
      std::sqrt(std::max({(c[1] - c[0]).squaredNorm(), (c[2] - c[1]).squaredNorm(), (c[0] - c[2]).squaredNorm()}));
  const std::array<Real, 3> reach = {m.dot(c[0]), m.dot(c[1]), m.dot(c[2])};
  const Real farthest = *std::max_element(reach.begin(), reach.end());
  int top = 0;  // corners of the feature
  for (int k = 0; k < 3; ++k)
    if (farthest - reach[static_cast<std::size_t>(k)] <= kLevel * size) top |= 1 << k;
  const bool backwards = m.dot(met.normal) < -kLevel;
  if (bits_of(top) == 3) return backwards ? Verdict::Weak : Verdict::Face;
  if (bits_of(top) == 2) {
    const int k = top == 3 ? 0 : top == 6 ? 1 : 2;
    switch (kind_as_met(surface, triangle, k, met.from_behind)) {
      case EdgeKind::Border:
        return backwards ? Verdict::Weak : Verdict::Allowed;
      case EdgeKind::Convex:
        return m.dot(*surface.across(triangle, k) - c[static_cast<std::size_t>(k)]) <= kLevel * size ? Verdict::Allowed
                                                                                                     : Verdict::Weak;
      default:
        return is_met_across(surface, triangle, k, met) ? Verdict::Weak : Verdict::Face;
    }
  }
  const int k = top == 1 ? 0 : top == 2 ? 1 : 2;
  if (!backwards && surface.rise_around(triangle, k, m) <= kLevel * size) return Verdict::Allowed;
  // Leaning over an edge: out of the triangle across it.
  for (const int edge : {k, (k + 2) % 3}) {
    const auto i = static_cast<std::size_t>(edge);
    const Vec3 out = (c[(i + 1) % 3] - c[i]).cross(area_normal(c));
    const EdgeKind kind = kind_as_met(surface, triangle, edge, met.from_behind);
    if (m.dot(out) > 0 && (is_ridge(kind) || is_met_across(surface, triangle, edge, met))) return Verdict::Weak;
  }
  return Verdict::Face;
}

bool add_touch(const Surface& surface, std::uint32_t triangle, const MetTriangle& met, const Toucher& toucher,
               const Separation& raw, Real margin, TouchWorkspace& workspace) {
  PointFinder finder(triangle, met, toucher, margin, workspace);
  const Verdict verdict = judge_normal(surface, triangle, met, raw.normal);
  const bool found =
      verdict == Verdict::Allowed ? finder.along(raw.normal, raw.point_a, raw.point_b) : finder.along_face();
  if (!found) return false;
  // What is apart overlaps along no normal: it would depend on the margin whether it is met.
  const Real slack = kLevel * toucher.set.core().reach;
  if (raw.distance > slack && finder.touch().distance < -slack) {
    workspace.points.resize(finder.touch().first);
    return false;
  }
  finder.touch().weak =
      verdict == Verdict::Weak && !(finder.touch().distance <= 0 && finder.face_is_nearest(surface, raw.normal));
  workspace.touches.push_back(finder.touch());
  return true;
}

namespace {

/// Faces first: true if the triangle is done with, touched along its face or not at all.
bool add_face(const Surface& surface, std::uint32_t triangle, const MetTriangle& met, const Toucher& toucher,
              const Vec3& low, Real lowest, Real margin, TouchWorkspace& workspace) {
  bool only_faces = surface.sides() != Sides::Both;
  for (int k = 0; k < 3 && only_faces; ++k) only_faces = !is_ridge(surface.edge_kind(triangle, k));
  if (!only_faces && !lies_over(met, low)) return false;
  PointFinder finder(triangle, met, toucher, margin, workspace);
  const bool found = finder.along_face();
  if (found && (only_faces || finder.face_decides(surface, lowest))) {
    workspace.touches.push_back(finder.touch());
    return true;
  }
  workspace.points.resize(finder.touch().first);
  return only_faces;
}

}  // namespace

void drop_weak(const Surface& surface, TouchWorkspace& workspace) {
  auto& touches = workspace.touches;
  // What overlaps is judged among what overlaps, so that it does not depend on the margin.
  const bool overlapping =
      std::any_of(touches.begin(), touches.end(), [](const TriangleTouch& t) { return t.distance <= 0; });
  const auto counts = [&](const TriangleTouch& t) { return !overlapping || t.distance <= 0; };
  const auto is_needless = [&](const TriangleTouch& weak) {
    const Surface::Corners corners = surface.corners(weak.triangle);
    return std::any_of(touches.begin(), touches.end(), [&](const TriangleTouch& t) {
      return !t.weak && (weak.distance > 0 || t.distance <= 0) && share_a_corner(corners, surface.corners(t.triangle));
    });
  };
  // Of weak ones alone the least deep: the shortest way out.
  const bool all_weak =
      std::all_of(touches.begin(), touches.end(), [&](const TriangleTouch& t) { return t.weak || !counts(t); });
  const TriangleTouch* best = nullptr;
  for (const TriangleTouch& t : touches)
    if (t.weak && counts(t) && (best == nullptr || best->distance < t.distance)) best = &t;
  // What is not weak stays, so that all weak ones see it whatever their order.
  for (TriangleTouch& t : touches)
    if (t.weak && (all_weak ? &t != best : is_needless(t))) t.count = 0;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < touches.size(); ++i)
    if (touches[i].count > 0) touches[kept++] = touches[i];
  touches.resize(kept);
}

TriangleTouch push_out(const Surface& surface, std::uint32_t triangle, const Toucher& toucher, Real margin,
                       TouchWorkspace& workspace) {
  MetTriangle met;
  met.corners = surface.corners(triangle);
  met.normal = area_normal(met.corners).stableNormalized();
  const Vec3& n = met.normal;
  const Vec3 b = toucher.X_SB * toucher.set.support(toucher.X_SB.R.transpose() * -n) - toucher.set.rounding() * n;
  TriangleTouch touch;
  touch.triangle = triangle;
  touch.normal = n;
  touch.distance = n.dot(b - met.corners[0]);
  touch.point_b = b;
  touch.point_a = b - touch.distance * n;
  touch.first = static_cast<std::uint32_t>(workspace.points.size());
  touch.count = 1;
  workspace.points.push_back(
      {0.5 * (touch.point_a + b), touch.distance, name_feature(make_feature(Meeting::Nearest, 0, 0), triangle)});
  Weigher(touch, margin).add(std::span(&workspace.points.back(), 1));
  return touch;
}

void find_touches(const Surface& surface, const Toucher& toucher, Real margin, TouchWorkspace& workspace,
                  TouchSeeds seeds) {
  workspace.touches.clear();
  workspace.points.clear();
  surface.find_in(bounds(toucher.set, toucher.X_SB, margin), workspace.found);
  const Real slack = kLevel * toucher.set.core().reach;
  std::uint32_t crossed = kNoTriangle;  // of those that the set crosses, the one behind whose plane it lies least
  Real least = -std::numeric_limits<Real>::infinity();
  MetTriangle met;
  for (const std::uint32_t t : workspace.found) {
    if (!meets_front(surface, t, toucher, met)) continue;
    // Nothing of the set comes near the plane of the triangle.
    const Vec3 low = toucher.X_SB * toucher.set.support(toucher.X_SB.R.transpose() * -met.normal);
    const Real lowest = met.normal.dot(low - met.corners[0]) - toucher.set.rounding();
    if (lowest > margin) continue;
    if (add_face(surface, t, met, toucher, low, lowest, margin, workspace)) continue;
    const geometry::Convex& triangle = workspace.triangle.set(met.corners[0], met.corners[1], met.corners[2]);
    while (!seeds.last.empty() && seeds.last.front().triangle < t) seeds.last = seeds.last.subspan(1);
    SeparationCache seed;
    if (!seeds.last.empty() && seeds.last.front().triangle == t) seed.normal = seeds.last.front().normal;
    const Separation raw = distance(triangle, {}, toucher.set, toucher.X_SB, &seed);
    if (seeds.next != nullptr) seeds.next->push_back({t, seed.normal});
    if (raw.distance < -slack && lowest > least) crossed = t, least = lowest;
    if (raw.distance <= margin) add_touch(surface, t, met, toucher, raw, margin, workspace);
  }
  drop_weak(surface, workspace);
  if (surface.sides() != Sides::Solid) return;
  const auto is_touch = [&](const TriangleTouch& t) { return t.distance <= slack; };
  if (surface.contains(toucher.center))
    workspace.touches.push_back(
        push_out(surface, surface.nearest(toucher.center).triangle, toucher, margin, workspace));
  else if (crossed != kNoTriangle && std::none_of(workspace.touches.begin(), workspace.touches.end(), is_touch))
    workspace.touches.push_back(push_out(surface, crossed, toucher, margin, workspace));
}

}  // namespace visviva::collision
