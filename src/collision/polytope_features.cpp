#include "polytope_features.hpp"

#include <algorithm>
#include <cmath>

#include "polytope_lanes.hpp"

namespace visviva::collision {
namespace {

using geometry::Polytope;
using Index = Polytope::Index;

/// Of the size: rounding turns the normal of nearer points by more than 1e-12.
constexpr double kSure = 1e-3;

Real3 vertex(const Polytope& P, Index i) { return from_eigen(P.vertex(i)); }

/// Where a vertex is nearest: the edge that leads nearer most steeply; false if none does.
bool find_rising_edge(const Polytope& P, Index v, const Real3& n, Index& edge) {
  const auto neighbours = P.neighbours_of(v), edges = P.edges_at(v);
  const Real3 p = vertex(P, v);
  double steepest = 0;
  for (std::size_t k = 0; k < neighbours.size(); ++k) {
    const Real3 e = vertex(P, neighbours[k]) - p;
    const double rise = dot(n, e);
    if (rise > 0 && rise * rise > steepest * squared_norm(e)) {
      steepest = rise * rise / squared_norm(e);
      edge = edges[k];
    }
  }
  return steepest > 0;
}

/// The side of a face beyond which p lies farthest; false if it lies beyond none.
bool find_side_before(const Polytope& P, Index face, const Real3& p, Index& edge) {
  const Real3 n = from_eigen(P.normal(face));
  const auto corners = P.corners_of(face), sides = P.sides_of(face);
  double most = 0;
  Real3 from = vertex(P, corners.back());
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const Real3 to = vertex(P, corners[k]), along = to - from;
    const double outside = dot(cross(along, n), p - from);
    if (outside > 0 && outside * outside > most * squared_norm(along)) {
      most = outside * outside / squared_norm(along);
      edge = sides[k == 0 ? corners.size() - 1 : k - 1];
    }
    from = to;
  }
  return most > 0;
}

}  // namespace

bool SegmentPair::find(const Real3& a0, const Real3& a1, const Real3& b0, const Real3& b1) {
  const Real3 a = a1 - a0, b = b1 - b0, r = b0 - a0, product = cross(a, b);
  const double a2 = squared_norm(a), b2 = squared_norm(b), area2 = squared_norm(product), ab = dot(a, b);
  const double ra = dot(r, a), rb = dot(r, b);
  const auto nearest_on_b = [&](double s) { return std::clamp((s * ab - rb) / b2, 0.0, 1.0); };
  const auto nearest_on_a = [&](double t) { return std::clamp((t * ab + ra) / a2, 0.0, 1.0); };
  // Of the lines; then, as an end may have been cut off, each anew for the other.
  const double s0 = area2 > 0 ? std::clamp(dot(cross(r, b), product) / area2, 0.0, 1.0) : nearest_on_a(0.5);
  const double t = nearest_on_b(s0), s = nearest_on_a(t);
  end_a = s <= 0 ? -1 : s >= 1 ? 1 : 0;
  end_b = t <= 0 ? -1 : t >= 1 ? 1 : 0;
  on_a = a0 + s * a;
  on_b = b0 + t * b;
  const Real3 w = on_b - on_a;
  const double w2 = squared_norm(w);
  if (!(w2 > kSure * kSure * std::max(squared_norm(on_a), squared_norm(on_b)))) return false;
  d = std::sqrt(w2);
  n = (1 / d) * w;
  return true;
}

Nearer find_nearer(const Polytope& P, Index edge, int end, const Real3& n, const Real3& p, Index& found) {
  const Polytope::Edge e = P.edge(edge);
  if (end != 0) return find_rising_edge(P, end < 0 ? e.from : e.to, n, found) ? Nearer::Edge : Nearer::Nothing;
  const Real3 along = vertex(P, e.to) - vertex(P, e.from);
  const double left = dot(n, cross(from_eigen(P.normal(e.left)), along)),
               right = dot(n, cross(along, from_eigen(P.normal(e.right))));
  if (left <= 0 && right <= 0) return Nearer::Nothing;
  const Index face = left > right ? e.left : e.right;
  if (find_side_before(P, face, p, found)) return Nearer::Edge;
  found = face;
  return Nearer::Face;
}

bool find_nearest(const Polytope& P, const Real3& point, Real3& n, double& distance) {
  constexpr int kMostSteps = 6;
  const double p[3] = {point.x, point.y, point.z};
  const auto over_face = [&](Index face) {
    n = from_eigen(P.normal(face));
    distance = dot(n, point) - P.offset(face);
    return distance > 0;
  };
  const Index highest = polytope_lanes().highest_face_below(P.planes(), P.face_stride(), p, p).index;
  Index edge = 0;
  if (!find_side_before(P, highest, point, edge)) return over_face(highest);
  for (int i = 0; i < kMostSteps; ++i) {
    const Polytope::Edge e = P.edge(edge);
    const Real3 from = vertex(P, e.from), along = vertex(P, e.to) - from;
    const double t = std::clamp(dot(point - from, along) / squared_norm(along), 0.0, 1.0);
    const Real3 w = point - (from + t * along);
    distance = norm(w);
    if (!(distance > kSure * std::max(largest(point), largest(from)))) return false;
    n = (1 / distance) * w;
    Index found = 0;
    switch (find_nearer(P, edge, t <= 0 ? -1 : t >= 1 ? 1 : 0, n, point, found)) {
      case Nearer::Nothing:
        return true;
      case Nearer::Face:
        return over_face(found);
      case Nearer::Edge:
        if (found == edge) return false;
        edge = found;
    }
  }
  return false;
}

}  // namespace visviva::collision
