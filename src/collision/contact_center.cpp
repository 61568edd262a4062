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
    const double length = std::hypot(b.x - a.x, b.y - a.y), sum = a.w + b.w, f = length / 6;
    w += length / 2 * sum;
    x += f * (sum * (a.x + b.x) + a.w * a.x + b.w * b.x);
    y += f * (sum * (a.y + b.y) + a.w * a.y + b.w * b.y);
    z += f * (sum * (a.z + b.z) + a.w * a.z + b.w * b.z);
  }
};

}  // namespace

void set_center(const Contact& contact, const ContactRegion& region, Manifold& manifold) {
  const double farthest = contact.farthest();
  const auto corner = [&](int i) -> Weighted {
    const double z = 0.5 * (region.z_a[i] + contact.rounding_a + region.z_b[i] - contact.rounding_b);
    return {region.x[i], region.y[i], z, farthest - (region.z_b[i] - region.z_a[i])};
  };
  Sums sums;
  if (region.count == 2) {
    Weighted p = corner(0), q = corner(1);
    if (p.w > 0 && q.w < 0) q = crossing(p, q);
    if (p.w < 0 && q.w > 0) p = crossing(p, q);
    if (p.w >= 0 && q.w >= 0) sums.add_segment(p, q);
  } else if (region.count > 2) {
    const Weighted first = corner(0);
    Weighted last = corner(1);
    for (int i = 2; i < region.count; ++i) {
      const Weighted next = corner(i);
      sums.add_triangle(first, last, next);
      last = next;
    }
  }
  if (sums.w > 0)
    manifold.center = to_eigen(turn_back(contact.R_CS, (1 / sums.w) * Real3{sums.x, sums.y, sums.z}) + contact.p_SC);
  else
    manifold.center = manifold.points[0].point;
}

}  // namespace visviva::collision
