#include "clip_patches.hpp"

#include <algorithm>
#include <cmath>

namespace visviva::collision {
namespace {

/// Two lines are parallel if they part by no more than this times the radii of curvature across them: the surfaces then
/// fall off each other by less than its square half, a few thousandths of the radius.
constexpr double kParallel = 0.05;

/// Left of the line from corner j to the next is inside.
struct Side {
  double ax, ay, ex, ey, slack;
  Side(const ContactPatch& window, int j) {
    const int next = j + 1 == window.count ? 0 : j + 1;
    ax = window.x[j];
    ay = window.y[j];
    ex = window.x[next] - ax;
    ey = window.y[next] - ay;
    slack = kOnSide * (ex * ex + ey * ey);
  }
  [[nodiscard]] double operator()(double x, double y) const { return ex * (y - ay) - ey * (x - ax); }
};

/// A polygon under the shears of Sutherland and Hodgman.
struct Clipped {
  int count = 0;
  double x[ContactRegion::kMaxCorners];
  double y[ContactRegion::kMaxCorners];
  int side[ContactRegion::kMaxCorners];
  int corner[ContactRegion::kMaxCorners];

  void push(double px, double py, int side_after, int corner_of_subject) {
    if (count == ContactRegion::kMaxCorners) return;
    x[count] = px;
    y[count] = py;
    side[count] = side_after;
    corner[count] = corner_of_subject;
    ++count;
  }
};

/// The part of `in` where d, linear and given at the corners, is not negative; its new side is called `name`.
void cut(const Clipped& in, const double* d, double slack, int name, Clipped& out) {
  out.count = 0;
  for (int i = 0; i < in.count; ++i) {
    const int next = i + 1 == in.count ? 0 : i + 1;
    const double dp = d[i], dq = d[next];
    const bool p_in = dp >= -slack, q_in = dq >= -slack;
    const bool crosses = p_in != q_in && (p_in ? dp : dq) > slack;
    if (p_in) out.push(in.x[i], in.y[i], q_in || crosses ? in.side[i] : name, in.corner[i]);
    if (!crosses) continue;
    const double t = dp / (dp - dq);
    out.push(in.x[i] + t * (in.x[next] - in.x[i]), in.y[i] + t * (in.y[next] - in.y[i]), p_in ? name : in.side[i], -1);
  }
}

/// Cuts `in` by the line, if any of its corners lie beyond it; in the end `in` is the result.
template <class Distance>
void cut_by(Clipped*& in, Clipped*& out, double slack, int name, Distance&& distance) {
  double d[ContactRegion::kMaxCorners];
  bool all_in = true;
  for (int i = 0; i < in->count; ++i) {
    d[i] = distance(in->x[i], in->y[i]);
    all_in &= d[i] >= -slack;
  }
  if (all_in) return;
  cut(*in, d, slack, name, *out);
  std::swap(in, out);
}

void meet_polygons(const ContactPatch& a, const ContactPatch& b, double farthest, double slack, ContactRegion& region) {
  Clipped one, two;
  Clipped *in = &one, *out = &two;
  for (int i = 0; i < b.count; ++i) in->push(b.x[i], b.y[i], i, i);
  // First the limit, which in most contacts leaves little to cut.
  const double g0 = farthest - (b.z0 - a.z0), gx = a.slope_x - b.slope_x, gy = a.slope_y - b.slope_y;
  cut_by(in, out, slack, ContactRegion::kLimit, [&](double x, double y) { return g0 + gx * x + gy * y; });
  for (int j = 0; j < a.count && in->count > 0; ++j) {
    const Side side(a, j);
    cut_by(in, out, side.slack, ~j, side);
  }
  region.count = in->count;
  region.slope = std::sqrt(gx * gx + gy * gy);
  for (int i = 0; i < in->count; ++i) {
    region.x[i] = in->x[i];
    region.y[i] = in->y[i];
    region.side[i] = in->side[i];
    region.corner[i] = in->corner[i];
    region.z_a[i] = a.height(in->x[i], in->y[i]);
    region.z_b[i] = b.height(in->x[i], in->y[i]);
  }
}

void meet_segment_and_polygon(const ContactPatch& segment, const ContactPatch& window, bool segment_is_b,
                              ContactRegion& region) {
  SegmentCut part;
  region.count = 0;
  for (int j = 0; j < window.count; ++j) {
    const Side side(window, j);
    if (!part.cut(j, side(segment.x[0], segment.y[0]), side(segment.x[1], segment.y[1]), side.slack)) return;
  }
  const auto& [t, cut_by] = part;
  region.count = t[0] < t[1] ? 2 : 1;
  for (int i = 0; i < region.count; ++i) {
    region.x[i] = (1 - t[i]) * segment.x[0] + t[i] * segment.x[1];
    region.y[i] = (1 - t[i]) * segment.y[0] + t[i] * segment.y[1];
    const double z = (1 - t[i]) * segment.z[0] + t[i] * segment.z[1], w = window.height(region.x[i], region.y[i]);
    region.z_a[i] = segment_is_b ? w : z;
    region.z_b[i] = segment_is_b ? z : w;
    const Meeting vertex = segment_is_b ? Meeting::VertexOfB : Meeting::VertexOfA;
    const std::uint32_t s = cut_by[i] < 0 ? segment.vertex_id[i] : segment.side_id[0];
    const std::uint32_t w_id = cut_by[i] < 0 ? window.face_id : window.side_id[cut_by[i]];
    const Meeting meeting = cut_by[i] < 0 ? vertex : Meeting::Sides;
    region.name[i] = segment_is_b ? make_feature(meeting, w_id, s) : make_feature(meeting, s, w_id);
  }
}

/// Parallel lines share an interval along the line between them, which parts their distance as the radii of the
/// surfaces do: there they are nearest to each other. Others cross in a point, which the nearest points are already.
void meet_segments(const ContactPatch& a, const ContactPatch& b, ContactRegion& region) {
  region.count = 0;
  const double ax = a.x[1] - a.x[0], ay = a.y[1] - a.y[0], bx = b.x[1] - b.x[0], by = b.y[1] - b.y[0];
  const double length_a = std::sqrt(ax * ax + ay * ay), length_b = std::sqrt(bx * bx + by * by);
  if (!(length_a > 0 && length_b > 0)) return;
  const double sign = ax * bx + ay * by < 0 ? -1 : 1;
  const double mx = ax / length_a + sign * bx / length_b, my = ay / length_a + sign * by / length_b;
  const double length_m = std::sqrt(mx * mx + my * my), ux = mx / length_m, uy = my / length_m;
  const int low_b = sign < 0 ? 1 : 0;
  const auto along = [&](const ContactPatch& p, int i) { return ux * p.x[i] + uy * p.y[i]; };
  const double a0 = along(a, 0), a1 = along(a, 1), b0 = along(b, low_b), b1 = along(b, 1 - low_b);
  const double ends[2] = {std::max(a0, b0), std::min(a1, b1)};
  const double shorter = std::min(length_a, length_b);
  if (!(ends[1] - ends[0] > kOnSide * shorter)) return;
  const double slack = kParallel * (a.mean_round() + b.mean_round()) + kOnSide * shorter;
  for (int i = 0; i < 2; ++i) {
    const double t = (ends[i] - a0) / (a1 - a0), s = (ends[i] - b0) / (b1 - b0);
    const auto on_b = [&](const double* v) { return (1 - s) * v[low_b] + s * v[1 - low_b]; };
    const double pa_x = a.x[0] + t * ax, pa_y = a.y[0] + t * ay, pb_x = on_b(b.x), pb_y = on_b(b.y);
    if (!(std::abs(ux * (pb_y - pa_y) - uy * (pb_x - pa_x)) <= slack)) return;
    const double round_a = (1 - t) * a.round[0] + t * a.round[1], round = round_a + on_b(b.round);
    const double part = round > 0 ? round_a / round : 0.5;
    region.x[i] = pa_x + part * (pb_x - pa_x);
    region.y[i] = pa_y + part * (pb_y - pa_y);
    region.z_a[i] = (1 - t) * a.z[0] + t * a.z[1];
    region.z_b[i] = on_b(b.z);
    const bool end_of_a = i == 0 ? a0 >= b0 : a1 <= b1;
    region.name[i] = end_of_a ? make_feature(Meeting::VertexOfA, a.vertex_id[i], b.side_id[0])
                              : make_feature(Meeting::VertexOfB, a.side_id[0], b.vertex_id[i == 0 ? low_b : 1 - low_b]);
  }
  region.count = 2;
}

}  // namespace

std::uint32_t feature_at(const ContactPatch& a, const ContactPatch& b, const ContactRegion& region, int i) {
  if (region.count <= 2 && (a.count == 2 || b.count == 2)) return region.name[i];
  if (region.corner[i] >= 0) return make_feature(Meeting::VertexOfB, a.face_id, b.vertex_id[region.corner[i]]);
  const int before = region.side[i == 0 ? region.count - 1 : i - 1], after = region.side[i];
  if (before < 0 && after < 0) {
    // The corner between two sides of A is where the later one begins.
    const int j = ~before, k = ~after;
    return make_feature(Meeting::VertexOfA, a.vertex_id[(j + 1) % a.count == k ? k : j], b.face_id);
  }
  const int side_b = before >= 0 ? before : after, side_a = before >= 0 ? after : before;
  return make_feature(Meeting::Sides, side_a < 0 ? a.side_id[~side_a] : 0, side_b < b.count ? b.side_id[side_b] : 0);
}

void clip_patches(const ContactPatch& a, const ContactPatch& b, double farthest, double slack, ContactRegion& region) {
  if (a.count == 1 || b.count == 1)
    region.count = 0;
  else if (a.count == 2 && b.count == 2)
    meet_segments(a, b, region);
  else if (a.count == 2)
    meet_segment_and_polygon(a, b, false, region);
  else if (b.count == 2)
    meet_segment_and_polygon(b, a, true, region);
  else
    meet_polygons(a, b, farthest, slack, region);
}

}  // namespace visviva::collision
