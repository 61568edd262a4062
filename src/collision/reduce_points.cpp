#include <algorithm>
#include <cmath>
#include <limits>

#include "contact_points.hpp"

namespace visviva::collision {
namespace {

/// Corners of the region that lie within the margin, by index.
struct Candidates {
  int count = 0;
  int index[ContactRegion::kMaxCorners];
};

double cross(const ContactRegion& r, int a, int b, int c) {
  return (r.x[b] - r.x[a]) * (r.y[c] - r.y[a]) - (r.y[b] - r.y[a]) * (r.x[c] - r.x[a]);
}

/// Moves the best of the candidates from position `k` on to position k.
template <class Score>
double move_best_to(Candidates& c, int k, Score&& score) {
  int best = k;
  double highest = score(c.index[k]);
  for (int i = k + 1; i < c.count; ++i) {
    const double s = score(c.index[i]);
    if (s > highest) highest = s, best = i;
  }
  std::swap(c.index[k], c.index[best]);
  return highest;
}

/// Four of more than four: the first stays, then the farthest from it, then the one that makes the largest triangle
/// with them, then the one that adds most to that triangle.
void keep_four(const ContactRegion& r, Candidates& c) {
  const int p0 = c.index[0];
  move_best_to(c, 1, [&](int i) { return r.squared_length(r.x[i] - r.x[p0], r.y[i] - r.y[p0]); });
  const int p1 = c.index[1];
  move_best_to(c, 2, [&](int i) { return std::abs(cross(r, p0, p1, i)); });
  int p2 = c.index[2], q1 = p1;
  if (cross(r, p0, p1, p2) < 0) std::swap(q1, p2);  // counter-clockwise
  const double added = move_best_to(c, 3, [&](int i) {
    return std::max({-cross(r, p0, q1, i), -cross(r, q1, p2, i), -cross(r, p2, p0, i)});
  });
  c.count = added > 0 ? 4 : 3;
}

void put_point(const Contact& contact, double x, double y, double z_a, double z_b, std::uint32_t feature,
               ManifoldPoint& point) {
  const double surface_a = z_a + contact.rounding_a, surface_b = z_b - contact.rounding_b;
  const Real3 p = turn_back(contact.R_CS, {x, y, 0.5 * (surface_a + surface_b)}) + contact.p_SC;
  point.point = to_eigen(p);
  point.separation = surface_b - surface_a;
  point.feature = feature;
}

}  // namespace

double set_points(const Contact& contact, const ContactArea& area, Manifold& manifold) {
  const ContactRegion& region = area.region;
  const double farthest = contact.farthest();
  Candidates candidates;
  double lowest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < region.count; ++i) {
    const double gap = region.z_b[i] - region.z_a[i];
    if (region.count > 2 ? region.is_limit(i) : !(gap <= farthest)) continue;
    candidates.index[candidates.count++] = i;
    if (gap < lowest) {
      lowest = gap;
      std::swap(candidates.index[0], candidates.index[candidates.count - 1]);
    }
  }
  // The nearest points themselves, where the region does not hold them: in place of the corner of the rim next to them,
  // or beside the region.
  const bool misses = !(lowest <= contact.core_distance + contact.sag);
  const bool beside = misses && !(lowest <= contact.core_distance + contact.sag + contact.rim_sag);
  if (misses && !beside)
    move_best_to(candidates, 0, [&](int i) { return -region.squared_length(region.x[i], region.y[i]); });
  if (candidates.count > 4) keep_four(region, candidates);
  int count = 0;
  if (misses)
    put_point(contact, 0, 0, -0.5 * contact.core_distance, 0.5 * contact.core_distance,
              beside ? make_feature(Meeting::Nearest, 0, 0) : feature_at(area.a, area.b, region, candidates.index[0]),
              manifold.points[static_cast<std::size_t>(count++)]);
  // Corners that coincide are one: an end of a segment on the side of a face.
  const double same = contact.sag + contact.rim_sag;
  const auto is_new = [&](int k) {
    const int i = candidates.index[k];
    for (int j = 0; j < k; ++j) {
      const double dx = region.x[i] - region.x[candidates.index[j]], dy = region.y[i] - region.y[candidates.index[j]];
      if (region.squared_length(dx, dy) <= same * same) return false;
    }
    return true;
  };
  for (int k = count > 0 && !beside ? 1 : 0; k < candidates.count && count < 4; ++k) {
    const int i = candidates.index[k];
    if (!is_new(k)) continue;
    put_point(contact, region.x[i], region.y[i], region.z_a[i], region.z_b[i], feature_at(area.a, area.b, region, i),
              manifold.points[static_cast<std::size_t>(count++)]);
  }
  manifold.count = count;
  return lowest;
}

}  // namespace visviva::collision
