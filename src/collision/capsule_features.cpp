#include "capsule_features.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "polytope_lanes.hpp"

namespace visviva::collision {
namespace {

using geometry::Polytope;
using Index = Polytope::Index;

Real3 vertex(const Polytope& P, Index i) { return from_eigen(P.vertex(i)); }

}  // namespace

AxisOverFace::AxisOverFace(const Polytope& P, const Real3* axis_ends) : end{axis_ends[0], axis_ends[1]} {
  const double p[3] = {end[0].x, end[0].y, end[0].z}, q[3] = {end[1].x, end[1].y, end[1].z};
  face = polytope_lanes().highest_face_below(P.planes(), P.face_stride(), p, q).index;
  n = from_eigen(P.normal(face));
  for (int i = 0; i < 2; ++i) height[i] = dot(n, end[i]) - P.offset(face);
}

AxisOverFace::AxisOverFace(const Polytope& P, const Real3* axis_ends, Index face_below, const Real3& along)
    : end{axis_ends[0], axis_ends[1]}, face(face_below), n(along) {
  const Real3 m = from_eigen(P.normal(face));
  const double scale = 1 / dot(m, n);
  for (int i = 0; i < 2; ++i) height[i] = scale * (dot(m, end[i]) - P.offset(face));
}

bool AxisOverFace::cut(const Polytope& P) {
  const auto corners = P.corners_of(face);
  const int count = static_cast<int>(corners.size()), lower = low();
  Real3 from = vertex(P, corners[0]);
  double least = std::numeric_limits<double>::infinity();
  bool some = true;
  for (int j = 0; j < count; ++j) {
    const Real3 to = vertex(P, corners[j + 1 == count ? 0 : static_cast<std::size_t>(j) + 1]);
    const Real3 along = to - from, inward = cross(n, along);
    const double length2 = squared_norm(along), d0 = dot(inward, end[0] - from), d1 = dot(inward, end[1] - from),
                 d = lower == 0 ? d0 : d1, inside = d * std::abs(d);
    if (inside < least * length2) least = inside / length2, nearest_side = j;
    some = some && part.cut(j, d0, d1, kOnSide * length2);
    from = to;
  }
  low_inside = least >= 0;
  return some;
}

bool walk_edges(const Polytope& P, const Real3* axis_ends, Index first_edge, AxisOverEdge& nearest) {
  constexpr int kMostSteps = 5;
  Index next = first_edge;
  for (int i = 0; i < kMostSteps; ++i) {
    nearest.edge = next;
    SegmentPair& pair = nearest.pair;
    const Polytope::Edge edge = P.edge(next);
    if (!pair.find(vertex(P, edge.from), vertex(P, edge.to), axis_ends[0], axis_ends[1])) return false;
    const Nearer nearer = find_nearer(P, nearest.edge, pair.end_a, pair.n, pair.on_b, next);
    if (nearer == Nearer::Nothing) return true;
    if (nearer == Nearer::Face || next == nearest.edge) return false;
  }
  return false;
}

}  // namespace visviva::collision
