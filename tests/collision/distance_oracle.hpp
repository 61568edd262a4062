#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "visviva/geometry/convex_hull.hpp"
#include "visviva/math/se3.hpp"

/// Distances of polytopes by looking at every feature, in long double. Nothing here comes from src/collision.
namespace visviva::collision::oracle {

using Long = long double;
using Long3 = Eigen::Matrix<Long, 3, 1>;

/// A polytope in the world: its corners, one normal for each face (any length and sign), its faces and its edges. May
/// be a point, a segment or a triangle.
struct Polytope {
  std::vector<Long3> corners;
  std::vector<std::array<std::size_t, 3>> triangles;
  std::vector<std::pair<std::size_t, std::size_t>> edges;
};

/// Seen from `origin`, so that no digits are lost far away.
inline Polytope polytope_of(const geometry::TriangleMesh& hull, const Pose& X, const Vec3& origin) {
  Polytope P;
  const Eigen::Matrix<Long, 3, 3> R = X.R.cast<Long>();
  for (const Vec3& v : hull.vertices)
    P.corners.push_back(R * v.cast<Long>() + (X.p.cast<Long>() - origin.cast<Long>()));
  for (const auto& t : hull.triangles) {
    P.triangles.push_back({t[0], t[1], t[2]});
    for (std::size_t k = 0; k < 3; ++k)
      if (t[k] < t[(k + 1) % 3] || hull.triangles.size() == 1) P.edges.emplace_back(t[k], t[(k + 1) % 3]);
  }
  if (hull.triangles.empty() && hull.vertices.size() == 2) P.edges.emplace_back(0, 1);
  return P;
}

inline Long3 face_normal(const Polytope& P, const std::array<std::size_t, 3>& t) {
  return (P.corners[t[1]] - P.corners[t[0]]).cross(P.corners[t[2]] - P.corners[t[0]]);
}

/// Smallest n·(b - a) for unit n.
inline Long gap_along(const Polytope& A, const Polytope& B, const Long3& n) {
  Long a = -1e4000L, b = 1e4000L;
  for (const Long3& v : A.corners) a = std::max(a, n.dot(v));
  for (const Long3& v : B.corners) b = std::min(b, n.dot(v));
  return b - a;
}

/// The largest gap over all axes of the separating axis theorem, in both directions: minus the penetration depth if it
/// is negative. Axes from cross products below `least` of their factors are left out: they are parallel edges.
inline Long largest_axis_gap(const Polytope& A, const Polytope& B, Long least = 1e-15L) {
  Long best = -1e4000L;
  const auto look = [&](const Long3& axis, Long scale) {
    const Long length = axis.norm();
    if (!(length > least * scale)) return;
    const Long3 n = axis / length;
    best = std::max({best, gap_along(A, B, n), gap_along(A, B, -n)});
  };
  for (const Polytope* P : {&A, &B})
    for (const auto& t : P->triangles)
      look(face_normal(*P, t),
           (P->corners[t[1]] - P->corners[t[0]]).norm() * (P->corners[t[2]] - P->corners[t[0]]).norm());
  for (const auto& [i, j] : A.edges)
    for (const auto& [k, l] : B.edges) {
      const Long3 e = A.corners[j] - A.corners[i], f = B.corners[l] - B.corners[k];
      look(e.cross(f), e.norm() * f.norm());
    }
  return best;
}

inline Long to_segment(const Long3& p, const Long3& a, const Long3& b) {
  const Long3 e = b - a;
  const Long l2 = e.squaredNorm();
  const Long t = l2 > 0 ? std::clamp((p - a).dot(e) / l2, 0.0L, 1.0L) : 0.0L;
  return (p - a - t * e).norm();
}

inline Long to_triangle(const Long3& p, const Long3& a, const Long3& b, const Long3& c) {
  const Long3 n = (b - a).cross(c - a);
  const auto inside = [&](const Long3& u, const Long3& v) { return (v - u).cross(p - u).dot(n) > 0; };
  if (n.squaredNorm() > 0 && inside(a, b) && inside(b, c) && inside(c, a)) return std::abs((p - a).dot(n)) / n.norm();
  return std::min({to_segment(p, a, b), to_segment(p, b, c), to_segment(p, c, a)});
}

/// Of two segments: all four ends, and the inner points of both.
inline Long between_segments(const Long3& p1, const Long3& q1, const Long3& p2, const Long3& q2) {
  Long best =
      std::min({to_segment(p1, p2, q2), to_segment(q1, p2, q2), to_segment(p2, p1, q1), to_segment(q2, p1, q1)});
  const Long3 d1 = q1 - p1, d2 = q2 - p2, r = p2 - p1, n = d1.cross(d2);
  const Long n2 = n.squaredNorm();
  if (!(n2 > 0)) return best;
  const Long s = r.cross(d2).dot(n) / n2, t = r.cross(d1).dot(n) / n2;
  if (s >= 0 && s <= 1 && t >= 0 && t <= 1) best = std::min(best, std::abs(r.dot(n)) / std::sqrt(n2));
  return best;
}

/// Of polytopes that do not overlap: corners against faces, edges against edges.
inline Long feature_distance(const Polytope& A, const Polytope& B) {
  Long best = 1e4000L;
  const auto corners_against_faces = [&](const Polytope& P, const Polytope& Q) {
    for (const Long3& p : P.corners)
      for (const auto& t : Q.triangles)
        best = std::min(best, to_triangle(p, Q.corners[t[0]], Q.corners[t[1]], Q.corners[t[2]]));
  };
  corners_against_faces(A, B);
  corners_against_faces(B, A);
  for (const auto& [i, j] : A.edges)
    for (const auto& [k, l] : B.edges)
      best = std::min(best, between_segments(A.corners[i], A.corners[j], B.corners[k], B.corners[l]));
  if (A.edges.empty() && B.edges.empty()) best = std::min(best, (A.corners[0] - B.corners[0]).norm());
  if (A.edges.empty() != B.edges.empty()) {
    const Polytope &point = A.edges.empty() ? A : B, &other = A.edges.empty() ? B : A;
    for (const auto& [i, j] : other.edges)
      best = std::min(best, to_segment(point.corners[0], other.corners[i], other.corners[j]));
  }
  return best;
}

inline Long signed_distance(const Polytope& A, const Polytope& B) {
  const Long gap = largest_axis_gap(A, B);
  return gap > 0 ? feature_distance(A, B) : gap;
}

}  // namespace visviva::collision::oracle
