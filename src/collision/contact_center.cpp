#include <algorithm>
#include <cmath>

#include "contact_points.hpp"

namespace visviva::collision {
namespace {

/// A point of the region with its weight, how far the surfaces there are below the margin, and its height midway.
struct Weighted {
  double x, y, z, w;
};

double length_between(const Weighted& p, const Weighted& q) {
  const double dx = q.x - p.x, dy = q.y - p.y;
  return std::sqrt(dx * dx + dy * dy);
}

Weighted crossing(const Weighted& p, const Weighted& q) {
  const double t = p.w / (p.w - q.w);
  return {p.x + t * (q.x - p.x), p.y + t * (q.y - p.y), p.z + t * (q.z - p.z), 0};
}

/// Sums of w, w x, w y, w z over a triangle or a segment, w and the coordinates being linear:
///   ∫ w q = |T| / 12 (Σw Σq + Σ w q),   ∫ w = |T| / 3 Σw                                       (triangle)
///   ∫ w q = |S| / 6  (Σw Σq + Σ w q),   ∫ w = |S| / 2 Σw                                       (segment)
struct Sums {
  double w = 0, x = 0, y = 0, z = 0;

  void add_triangle(const Weighted& a, const Weighted& b, const Weighted& c) {
    const double area = 0.5 * ((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));
    const double sum = a.w + b.w + c.w, f = area / 12;
    w += area / 3 * sum;
    x += f * (sum * (a.x + b.x + c.x) + a.w * a.x + b.w * b.x + c.w * c.x);
    y += f * (sum * (a.y + b.y + c.y) + a.w * a.y + b.w * b.y + c.w * c.y);
    z += f * (sum * (a.z + b.z + c.z) + a.w * a.z + b.w * b.z + c.w * c.z);
  }
  void add_segment(const Weighted& a, const Weighted& b) {
    const double length = length_between(a, b), sum = a.w + b.w, f = length / 6;
    w += length / 2 * sum;
    x += f * (sum * (a.x + b.x) + a.w * a.x + b.w * b.x);
    y += f * (sum * (a.y + b.y) + a.w * a.y + b.w * b.y);
    z += f * (sum * (a.z + b.z) + a.w * a.z + b.w * b.z);
  }
};

/// 1 for surfaces that part by less than `flat`, height over distance, 0 beyond `steep`.
double blend(double slope, double flat, double steep) { return std::clamp((steep - slope) / (steep - flat), 0.0, 1.0); }

/// Slopes between which a region changes from a polygon to its low sides, and these to the lowest point. What is
/// steeper than a polygon is one of several faces that meet there; that it is no longer counted where another takes its
/// place keeps the centre continuous. [theory/collision.md (3)]
constexpr double kFlatFace = 0.1, kSteepFace = 0.2, kFlatSide = 0.05, kSteepSide = 0.1;

Sums over_polygon(const Weighted* corners, int count) {
  Sums sums;
  for (int i = 2; i < count; ++i) sums.add_triangle(corners[0], corners[i - 1], corners[i]);
  return sums;
}

/// Slope of the side from p up to q, and the middle of pressure of its part within the margin.
struct LowSide {
  double weight = 0;
  Real3 middle{};

  LowSide(const Weighted& p, const Weighted& q) {
    const double length = length_between(p, q);
    if (!(length > 0)) return;
    weight = blend((p.w - q.w) / length, kFlatSide, kSteepSide);
    Sums sums;
    sums.add_segment(p, q.w < 0 ? crossing(p, q) : q);
    if (sums.w > 0)
      middle = (1 / sums.w) * Real3{sums.x, sums.y, sums.z};
    else
      weight = 0;
  }
};

}  // namespace

void set_center(const Contact& contact, const ContactRegion& region, Manifold& manifold) {
  const double farthest = contact.farthest(), middle = 0.5 * (contact.rounding_a - contact.rounding_b);
  Weighted corners[ContactRegion::kMaxCorners];
  int lowest = 0;
  for (int i = 0; i < region.count; ++i) {
    corners[i] = {region.x[i], region.y[i], 0.5 * (region.z_a[i] + region.z_b[i]) + middle,
                  farthest - (region.z_b[i] - region.z_a[i])};
    if (corners[i].w > corners[lowest].w) lowest = i;
  }
  const Real3 point{0, 0, middle};  // the nearest points
  Real3 center = point;
  if (region.count >= 2 && corners[lowest].w > 0) {
    const int n = region.count, next = lowest + 1 == n ? 0 : lowest + 1, last = lowest == 0 ? n - 1 : lowest - 1;
    double face = 0;
    if (n > 2) {
      face = blend(region.slope, kFlatFace, kSteepFace);
      const Sums sums = face > 0 ? over_polygon(corners, n) : Sums{};
      if (sums.w > 0)
        center = center + face * ((1 / sums.w) * Real3{sums.x, sums.y, sums.z} - point);
      else
        face = 0;
    }
    if (face < 1) {
      const LowSide a(corners[lowest], corners[next]), b(corners[lowest], corners[last]);
      const double weight_b = n > 2 ? b.weight : 0, scale = (1 - face) / std::max(1.0, a.weight + weight_b);
      center = center + scale * (a.weight * (a.middle - point) + weight_b * (b.middle - point));
    }
  }
  manifold.center = to_eigen(turn_back(contact.R_CS, center) + contact.p_SC);
}

}  // namespace visviva::collision
