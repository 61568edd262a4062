#include "visviva/collision/manifold.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "contact_points.hpp"
#include "visviva/collision/distance.hpp"
#include "visviva/core/error.hpp"
#include "visviva/geometry/core.hpp"

namespace visviva::collision {
namespace {

using geometry::Convex;

/// A frame with n as its z axis; as rows.
Mat3 rows_along(const Vec3& n) {
  Eigen::Index axis = 0;
  n.cwiseAbs().minCoeff(&axis);
  const Vec3 t1 = n.cross(Vec3::Unit(axis)).normalized();
  Mat3 R;
  R << t1.transpose(), n.cross(t1).transpose(), n.transpose();
  return R;
}

void check_margin(Real margin) {
  require(margin >= 0 && std::isfinite(margin), "find_manifold", "margin", "be finite and not negative", margin);
}

/// Of the size: what rounding makes of the height of a point that was meant to be the deepest.
constexpr Real kDeepest = 1e-9;

ContactView view_of(const Contact& contact, const Pose& X_WS, bool is_b, const Vec3& touch_W) {
  ContactView view;
  view.R_CS = contact.X_WC.R.transpose() * X_WS.R;
  view.p_CS = contact.X_WC.R.transpose() * (X_WS.p - contact.X_WC.p);
  view.is_b = is_b;
  view.touch_S = X_WS.R.transpose() * (touch_W - X_WS.p);
  view.slack = contact.margin + contact.rounding_a + contact.rounding_b - contact.core_distance;
  return view;
}

}  // namespace

Manifold find_manifold(const Convex& A, const Pose& X_WA, const Convex& B, const Pose& X_WB, Real margin,
                       ManifoldCache* cache) {
  check_margin(margin);
  SeparationCache seed;
  if (cache != nullptr) seed.normal = X_WA.R * cache->normal;
  const Separation s = distance(A, X_WA, B, X_WB, &seed);
  Manifold manifold;
  manifold.normal = s.normal;
  manifold.distance = s.distance;
  manifold.center = 0.5 * (s.point_a + s.point_b);
  if (cache != nullptr) cache->normal = X_WA.R.transpose() * s.normal;
  if (!(s.distance <= margin)) return manifold;

  Contact contact;
  contact.rounding_a = A.rounding();
  contact.rounding_b = B.rounding();
  contact.core_distance = s.distance + contact.rounding_a + contact.rounding_b;
  contact.margin = margin;
  const Vec3 core_a = s.point_a - contact.rounding_a * s.normal, core_b = s.point_b + contact.rounding_b * s.normal;
  contact.X_WC = {rows_along(s.normal).transpose(), 0.5 * (core_a + core_b)};
  const Real reach = std::min(A.core().reach, B.core().reach);
  contact.sag = kDeepest * reach;
  ContactPatch patch_a, patch_b;
  find_patch(A, view_of(contact, X_WA, false, core_a), patch_a);
  find_patch(B, view_of(contact, X_WB, true, core_b), patch_b);
  ContactRegion region;
  clip_patches(patch_a, patch_b, region);
  set_points(contact, region, manifold);
  set_center(contact, region, manifold);
  return manifold;
}

Manifold find_manifold(const geometry::Plane& A, const Pose& X_WA, const Convex& B, const Pose& X_WB, Real margin) {
  check_margin(margin);
  const Separation s = distance(A, X_WA, B, X_WB);
  Manifold manifold;
  manifold.normal = s.normal;
  manifold.distance = s.distance;
  manifold.center = 0.5 * (s.point_a + s.point_b);
  if (!(s.distance <= margin)) return manifold;

  Contact contact;
  contact.rounding_b = B.rounding();
  contact.core_distance = s.distance + contact.rounding_b;
  contact.margin = margin;
  contact.sag = kDeepest * B.core().reach;
  const Vec3 core_b = s.point_b + contact.rounding_b * s.normal;
  contact.X_WC = {rows_along(s.normal).transpose(), 0.5 * (s.point_a + core_b)};
  ContactPatch patch_b;
  find_patch(B, view_of(contact, X_WB, true, core_b), patch_b);
  ContactRegion region;
  region.count = patch_b.count;
  for (int i = 0; i < patch_b.count; ++i) {
    region.x[i] = patch_b.x[i];
    region.y[i] = patch_b.y[i];
    region.z_a[i] = -0.5 * contact.core_distance;
    region.z_b[i] = patch_b.z[i];
    region.feature[i] = make_feature(Meeting::VertexOfB, 0, patch_b.vertex_id[i]);
  }
  set_points(contact, region, manifold);
  set_center(contact, region, manifold);
  return manifold;
}

}  // namespace visviva::collision
