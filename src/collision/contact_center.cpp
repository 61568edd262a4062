#include <algorithm>
#include <cmath>

#include "contact_points.hpp"

namespace visviva::collision {
namespace {

/// A point of the region with its weight, how far the surfaces there are below the margin, and its height midway.
struct Weighted {
  double x, y, z, w;
};

Weighted crossing(const Weighted& p, const Weighted& q) {
  const double t = p.w / (p.w - q.w);
  return {p.x + t * (q.x - p.x), p.y + t * (q.y - p.y), p.z + t * (q.z - p.z), 0};
}

/// 1 for surfaces that part by less than `flat`, height over distance, 0 beyond `steep`.
double blend(double slope, double flat, double steep) { return std::clamp((steep - slope) / (steep - flat), 0.0, 1.0); }

/// Slopes between which a region changes from a polygon to its low sides, and these to the lowest point. What is
/// steeper than a polygon is one of several faces that meet there; that it is no longer counted where another takes its
/// place keeps the centre continuous. [theory/collision.md (3)]
constexpr double kFlatFace = 0.1, kSteepFace = 0.2, kFlatSide = 0.05, kSteepSide = 0.1;

/// Mean of the polygon with the weights w, which as the coordinates are linear. In each triangle of the fan about its
/// first corner, with q from there,
///   ∫ w q = |T| / 12 (Σw Σq + Σ w q),   ∫ w = |T| / 3 Σw.
/// False if the weights' integral is not positive.
bool find_mean(const Weighted* corners, int count, Real3& mean) {
  const Weighted& o = corners[0];
  double w = 0;
  Real3 sum{0, 0, 0};
  Real3 b{corners[1].x - o.x, corners[1].y - o.y, corners[1].z - o.z};
  for (int i = 2; i < count; ++i) {
    const Real3 c{corners[i].x - o.x, corners[i].y - o.y, corners[i].z - o.z};
    const double area = b.x * c.y - b.y * c.x, wb = corners[i - 1].w, wc = corners[i].w, weight = o.w + wb + wc;
    w += area * weight;
    sum = sum + area * ((weight + wb) * b + (weight + wc) * c);
    b = c;
  }
  if (!(w > 0)) return false;
  mean = Real3{o.x, o.y, o.z} + 0.25 / w * sum;
  return true;
}

/// Slope of the side from p up to q, and the middle of pressure of its part within the margin:
///   ∫ w q = |S| / 6 (Σw Σq + Σ w q),   ∫ w = |S| / 2 Σw.
struct LowSide {
  double weight = 0;
  Real3 middle{};

  LowSide(const ContactRegion& region, const Weighted& p, const Weighted& up) {
    const double length = std::sqrt(region.squared_length(up.x - p.x, up.y - p.y));
    const Weighted q = up.w < 0 ? crossing(p, up) : up;
    if (!(length > 0 && p.w + q.w > 0)) return;
    weight = blend((p.w - up.w) / length, kFlatSide, kSteepSide);
    const double of_q = (p.w + 2 * q.w) / (3 * (p.w + q.w)), of_p = 1 - of_q;
    middle = of_p * Real3{p.x, p.y, p.z} + of_q * Real3{q.x, q.y, q.z};
  }
};

}  // namespace

void set_center(const Contact& contact, const ContactRegion& region, Manifold& manifold) {
  const double farthest = contact.farthest(), middle = 0.5 * (contact.rounding_a - contact.rounding_b);
  Weighted corners[ContactRegion::kMaxCorners];
  int lowest = 0;
  double most = 0;  // weight of the lowest
  for (int i = 0; i < region.count; ++i) {
    const double w = farthest - (region.z_b[i] - region.z_a[i]);
    corners[i] = {region.x[i], region.y[i], 0.5 * (region.z_a[i] + region.z_b[i]) + middle, w};
    if (w > most) most = w, lowest = i;
  }
  const Real3 point{0, 0, middle};  // the nearest points
  Real3 center = point;
  if (region.count >= 2 && most > 0) {
    const int n = region.count, next = lowest + 1 == n ? 0 : lowest + 1, last = lowest == 0 ? n - 1 : lowest - 1;
    double face = 0;
    if (n > 2) {
      Real3 mean{};
      face = blend(region.slope, kFlatFace, kSteepFace);
      if (face > 0 && find_mean(corners, n, mean))
        center = center + face * (mean - point);
      else
        face = 0;
    }
    if (face < 1) {
      const LowSide a(region, corners[lowest], corners[next]), b(region, corners[lowest], corners[last]);
      const double weight_b = n > 2 ? b.weight : 0, scale = (1 - face) / std::max(1.0, a.weight + weight_b);
      center = center + scale * (a.weight * (a.middle - point) + weight_b * (b.middle - point));
    }
  }
  manifold.center = to_eigen(turn_back(contact.R_CS, center) + contact.p_SC);
}

}  // namespace visviva::collision
