#include "visviva/motion/touch_points.hpp"

#include <algorithm>
#include <cmath>

#include "visviva/impact/contact.hpp"

namespace visviva::motion {

namespace {

using Polygon = std::vector<Vec2>;

Real cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

/// Corners of the hull, counter-clockwise (Andrew's monotone chain); two points stay a segment.
Polygon convex_order(Polygon points) {
  std::sort(points.begin(), points.end(),
            [](const Vec2& a, const Vec2& b) { return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y(); });
  if (points.size() < 3) return points;
  Polygon hull;
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t start = hull.size();
    for (const Vec2& p : points) {
      while (hull.size() >= start + 2 && cross(hull.back() - hull[hull.size() - 2], p - hull.back()) <= 0)
        hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

/// The part of `subject` on the left of the line from a to b (Sutherland and Hodgman).
Polygon clip(const Polygon& subject, const Vec2& a, const Vec2& b, Real slack) {
  Polygon kept;
  const Real length = (b - a).norm();
  const auto side = [&](const Vec2& p) { return cross(b - a, p - a) / length; };
  const std::size_t n = subject.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Vec2& p = subject[i];
    const Vec2& q = subject[(i + 1) % n];
    const Real sp = side(p);
    const Real sq = side(q);
    if (sp >= -slack) kept.push_back(p);
    if (n == 2 && i == 1) break;  // a segment has one edge
    if ((sp > slack && sq < -slack) || (sp < -slack && sq > slack)) kept.push_back(p + (sp / (sp - sq)) * (q - p));
  }
  return kept;
}

/// Where two segments meet: a point, or the ends of what they share if they are parallel within the slack.
Polygon meet(const Polygon& s, const Polygon& t, Real slack) {
  const Vec2 u = s[1] - s[0];
  const Vec2 v = t[1] - t[0];
  const Real area = cross(u, v);
  if (std::abs(area) <= slack * std::max(u.norm(), v.norm())) {
    const Real length2 = u.squaredNorm();
    const auto along = [&](const Vec2& p) { return u.dot(p - s[0]) / length2; };
    const auto [low, high] = std::minmax({along(t[0]), along(t[1])});
    return {s[0] + std::clamp(low, 0.0, 1.0) * u, s[0] + std::clamp(high, 0.0, 1.0) * u};
  }
  return {s[0] + std::clamp(cross(t[0] - s[0], v) / area, 0.0, 1.0) * u};
}

Polygon overlap(const Polygon& a, const Polygon& b, Real slack) {
  if (a.size() == 2 && b.size() == 2) return meet(a, b, slack);
  const Polygon& window = a.size() > 2 ? a : b;
  Polygon rest = a.size() > 2 ? b : a;
  for (std::size_t i = 0; i < window.size() && rest.size() > 1; ++i)
    rest = clip(rest, window[i], window[(i + 1) % window.size()], slack);
  return rest;
}

}  // namespace

void touch_points(const geometry::Convex& A, const Pose& X_WA, const geometry::Convex& B, const Pose& X_WB,
                  const collision::Separation& separation, Real slack, std::vector<Vec3>& points) {
  const Vec3& n = separation.normal;
  std::vector<Vec3> a, b;
  A.extreme_points(X_WA.R.transpose() * n, slack, a);
  B.extreme_points(-(X_WB.R.transpose() * n), slack, b);
  points.clear();
  const Vec3 middle = (separation.point_a + separation.point_b) / 2;
  if (a.size() > 1 && b.size() > 1) {
    const Mat3 R_WC = impact::contact_frame(n);
    const auto flatten = [&](const std::vector<Vec3>& corners, const Pose& X) {
      Polygon flat;
      for (const Vec3& p : corners) flat.push_back((R_WC.transpose() * (X * p - middle)).head<2>());
      return convex_order(std::move(flat));
    };
    for (const Vec2& p : overlap(flatten(a, X_WA), flatten(b, X_WB), slack))
      points.push_back(middle + R_WC.leftCols<2>() * p);
  }
  if (points.empty()) points.push_back(middle);
}

namespace {

/// Manifolds of a pair in which one is a surface.
const std::vector<collision::PieceManifold>& surface_manifolds(const collision::Collider& A, const Pose& X_WA,
                                                               const collision::Collider& B, const Pose& X_WB,
                                                               Real margin) {
  thread_local std::vector<collision::PieceManifold> manifolds;
  thread_local collision::ContactCache cache;
  cache.clear();  // so that what was asked before does not matter
  find_manifolds(A, X_WA, B, X_WB, margin, cache, manifolds);
  return manifolds;
}

}  // namespace

void touch_points(const collision::Collider& A, const Pose& X_WA, const collision::Collider& B, const Pose& X_WB,
                  const collision::Separation& separation, Real slack, std::vector<Vec3>& points) {
  const collision::Collider::Piece &a = A.pieces()[0], &b = B.pieces()[0];
  if (a.convex() != nullptr && b.convex() != nullptr)
    return touch_points(*a.convex(), X_WA, *b.convex(), X_WB, separation, slack, points);
  if (a.plane() != nullptr && b.convex() != nullptr)
    return touch_points(*a.plane(), X_WA, *b.convex(), X_WB, separation, slack, points);
  points.clear();
  constexpr Real kSameNormal = 1 - 5e-7;  // a thousandth of a radian, as in find_manifolds
  const Real margin = std::max(separation.distance, 0.0) + slack;
  for (const collision::PieceManifold& found : surface_manifolds(A, X_WA, B, X_WB, margin))
    if (found.manifold.normal.dot(separation.normal) >= kSameNormal)
      for (int i = 0; i < found.manifold.count; ++i)
        points.push_back(found.manifold.points[static_cast<std::size_t>(i)].point);
  if (points.empty()) points.push_back((separation.point_a + separation.point_b) / 2);
}

void find_patches(const collision::Collider& A, const Pose& X_WA, const collision::Collider& B, const Pose& X_WB,
                  Real slack, std::vector<TouchPatch>& patches) {
  patches.clear();
  if (A.pieces()[0].surface() == nullptr && B.pieces()[0].surface() == nullptr) {
    const collision::Separation s = distance(A, X_WA, B, X_WB);
    if (s.distance > slack) return;
    patches.emplace_back();
    patches.back().normal = s.normal;
    touch_points(A, X_WA, B, X_WB, s, slack, patches.back().points);
    return;
  }
  for (const collision::PieceManifold& found : surface_manifolds(A, X_WA, B, X_WB, slack)) {
    patches.emplace_back();
    patches.back().normal = found.manifold.normal;
    for (int i = 0; i < found.manifold.count; ++i)
      patches.back().points.push_back(found.manifold.points[static_cast<std::size_t>(i)].point);
  }
}

void touch_points(const geometry::Plane&, const Pose&, const geometry::Convex& B, const Pose& X_WB,
                  const collision::Separation& separation, Real slack, std::vector<Vec3>& points) {
  const Vec3& n = separation.normal;
  B.extreme_points(-(X_WB.R.transpose() * n), slack, points);
  for (Vec3& p : points) {
    const Vec3 p_W = X_WB * p;
    // On the plane itself, so that all of them share it.
    p = p_W - n * n.dot(p_W - separation.point_a);
  }
}

}  // namespace visviva::motion
