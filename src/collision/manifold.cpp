#include "visviva/collision/manifold.hpp"

#include <algorithm>
#include <cmath>

#include "box_contact.hpp"
#include "box_pair.hpp"
#include "capsule_contact.hpp"
#include "cast_points.hpp"
#include "check_poses.hpp"
#include "fetch.hpp"
#include "nearest_cores.hpp"
#include "polytope_contact.hpp"
#include "reuse_manifold.hpp"
#include "visviva/collision/distance.hpp"
#include "visviva/core/error.hpp"
#include "visviva/geometry/core.hpp"

// A manifold in three steps: the normal (of two polytopes by their axes, of a capsule and a polytope by their features,
// of others by distance()), the patches of both surfaces that face each other along it, clipped against each other
// (clip_patches.cpp), and the choice of four points (reduce_points.cpp). All in the frame of A, then moved to the
// world.                                                                                      [theory/collision.md]
namespace visviva::collision {
namespace {

using geometry::Convex;
using geometry::CoreKind;
using geometry::Polytope;

/// Of the size: what rounding makes of the height of a point that was meant to be the deepest.
constexpr double kDeepest = 1e-9;
/// Of that: how far from opposite each other nearest points may be.
constexpr double kAside = 0.1;

void check_margin(Real margin) {
  if (margin >= 0 && margin <= geometry::kLargestLength) [[likely]]
    return;
  require(false, "find_manifold", "margin", "be from 0 to 1e30 m", margin);
}

Contact make_contact(const Convex& A, const Convex& B, Real margin) {
  Contact contact;
  contact.rounding_a = A.rounding();
  contact.rounding_b = B.rounding();
  contact.margin = margin;
  contact.sag = kDeepest * std::min(A.core().reach, B.core().reach);
  return contact;
}

/// By the nearest points of the cores; for every pair.
void find_by_distance(const Convex& A, const Convex& B, const Place& X_AB, Contact& contact, Manifold& manifold) {
  if (set_capsule_contact(A, B, X_AB, contact, manifold)) return;
  CorePair pair;
  find_nearest_cores(A, B, X_AB, pair);
  align_nearest(A, B, X_AB, kAside * contact.sag, pair);
  const Real3 &touch_a = pair.points.a, &touch_b = pair.points.b;
  contact.core_distance = pair.d;
  contact.R_CS = frame_along(pair.n);
  contact.p_SC = 0.5 * (touch_a + touch_b);
  set_contact_normal(contact, manifold);
  manifold.center = to_eigen(contact.p_SC + 0.5 * (contact.rounding_a - contact.rounding_b) * pair.n);
  if (!(manifold.distance <= contact.margin)) return;

  ContactArea area;
  const Place X_CA = {contact.R_CS, -(contact.R_CS * contact.p_SC)};
  find_patch(A, {X_CA, touch_a, contact.farthest() - contact.core_distance, false}, area.a);
  find_patch(B, view_of(contact, X_AB, true, touch_b), area.b);
  area.clip(contact);
  if (area.a.count == 2 && area.b.count == 2) cast_lines(A, B, X_AB, contact, area);
  contact.rim_sag = area.a.sag + area.b.sag;
  set_points(contact, area, manifold);
  cast_points(A, B, X_AB, contact, manifold);
  set_center(contact, area.region, manifold);
}

/// The manifold of an axis. False if the axis does not give the distance: where the cores are apart, a point of both
/// faces must have its gap.
bool set_manifold(const Convex& A, const Convex& B, const Place& X_AB, const BoxPair* boxes, const PolytopeAxis& axis,
                  Contact& contact, Manifold& manifold) {
  ContactArea area;
  BoxContact box = BoxContact::Other;
  if (boxes != nullptr && axis.gap <= contact.farthest())
    box = set_box_contact(A.core(), *boxes, axis, contact, area, manifold);
  if (box == BoxContact::Other) set_frame(*A.polytope(), *B.polytope(), X_AB, axis, contact);
  set_contact_normal(contact, manifold);
  if (box == BoxContact::Point) return true;
  if (box == BoxContact::Other) {
    const Polytope &a = *A.polytope(), &b = *B.polytope();
    manifold.center = to_eigen(contact.p_SC);
    if (axis.gap > contact.farthest() || set_single_point(a, b, X_AB, axis, contact, manifold)) return true;
    find_patches(a, b, X_AB, axis, contact, area);
    area.clip(contact);
  }
  const double lowest = set_points(contact, area, manifold);
  if (axis.gap > 0 && !(lowest <= axis.gap + contact.sag)) return false;
  cast_points(A, B, X_AB, contact, manifold);
  set_center(contact, area.region, manifold);
  return true;
}

bool are_boxes(const Convex& A, const Convex& B) {
  return A.core().kind == CoreKind::Box && B.core().kind == CoreKind::Box;
}

/// By the axes of both; false if they do not give the answer.
bool find_by_axes(const Convex& A, const Convex& B, const Place& X_AB, AxisQuestion& question, PolytopeAxis& axis,
                  Contact& contact, Manifold& manifold) {
  if (are_boxes(A, B)) {
    const BoxPair boxes = BoxPair::of(A.core(), B.core(), X_AB);
    return find_box_axis(A.core(), boxes, question, axis) != AxisSearch::Deep &&
           set_manifold(A, B, X_AB, &boxes, axis, contact, manifold);
  }
  question.guess = X_AB * from_eigen(B.core().center) - from_eigen(A.core().center);
  return find_polytope_axis(*A.polytope(), *B.polytope(), X_AB, question, axis) != AxisSearch::Deep &&
         set_manifold(A, B, X_AB, nullptr, axis, contact, manifold);
}

/// A pair of cores on one place of which the axes are searched.
bool has_axes(const Convex& A, const Convex& B) {
  if (are_boxes(A, B)) return true;
  const Polytope *a = A.polytope(), *b = B.polytope();
  return a != nullptr && b != nullptr && !a->flat() && !b->flat();
}

/// The full test; fills the cache.
void find_anew(const Convex& A, const Convex& B, const Place& X_AB, Real margin, ManifoldCache* cache,
               Manifold& manifold) {
  Contact contact = make_contact(A, B, margin);
  PolytopeAxis axis;
  bool by_axes = false;
  if (has_axes(A, B)) {
    AxisQuestion question;
    question.stop_above = contact.farthest();
    question.slack = cache != nullptr ? wanted_slack(A.core(), B.core()) : 0;
    by_axes = find_by_axes(A, B, X_AB, question, axis, contact, manifold);
  }
  if (!by_axes) {
    manifold.count = 0;
    find_by_distance(A, B, X_AB, contact, manifold);
  }
  if (cache == nullptr) return;
  store(manifold, X_AB, margin, *cache);
  set_bounds(manifold, by_axes ? &axis : nullptr, contact.rounding_a + contact.rounding_b, *cache);
}

/// What is not finite in one of the poses is so in the relative one, which has fewer numbers. What is far away together
/// passes: only the difference counts.
void check_place(const Place& X_AB, const Pose& X_WA, const Pose& X_WB) {
  constexpr Real kFar = geometry::kLargestLength;
  const Real3 sum = X_AB.R.row0 + X_AB.R.row1 + X_AB.R.row2;
  if (!(0 * (sum.x + sum.y + sum.z) == 0 && squared_norm(X_AB.p) <= kFar * kFar)) [[unlikely]]
    refuse_poses(X_WA, X_WB);
}

/// From the cache, as far as it is certain enough. False if the full test must be made.
bool find_by_cache(const Convex& A, const Convex& B, const Place& X_AB, Real margin, ManifoldCache& cache,
                   Manifold& manifold) {
  if (cache.kind == ManifoldCache::Kind::Empty || cache.margin != margin) return false;
  const PairMotion motion = motion_since(cache, A.core(), B.core(), X_AB);
  if (motion.none) {
    load(cache, manifold);
    return true;
  }
  if (cache.count == 0) {  // the axis still keeps them apart
    if (!(motion.lower > margin)) return false;
    load(cache, manifold);
    manifold.distance = motion.lower;
    return true;
  }
  if (motion.length <= motion.tolerance && motion.is_certain()) {
    load_moved(cache, motion, manifold);
    return manifold.count > 0;
  }
  // Slid farther: the same axis and faces, clipped where they are now.
  PolytopeAxis axis;
  if (!has_axes(A, B) || !renew_axis(cache, *A.polytope(), *B.polytope(), X_AB, axis)) return false;
  Contact contact = make_contact(A, B, margin);
  const double rounding = contact.rounding_a + contact.rounding_b;
  const bool apart = axis.gap > 0;
  if (!apart && !(motion.upper - (axis.gap - rounding) <= motion.tolerance)) return false;
  if (axis.gap > contact.farthest()) return false;
  if (are_boxes(A, B)) {
    const BoxPair boxes = BoxPair::of(A.core(), B.core(), X_AB);
    if (!set_manifold(A, B, X_AB, &boxes, axis, contact, manifold)) return false;
  } else if (!set_manifold(A, B, X_AB, nullptr, axis, contact, manifold)) {
    return false;
  }
  store(manifold, X_AB, margin, cache);
  cache.own = apart ? manifold.distance : motion.own;
  cache.second = apart ? manifold.distance : motion.second;
  cache.turned = apart ? 0 : motion.turned;
  return true;
}

/// Of a plane at height z: a square that is larger than the patch that lies on it.
void set_plane_patch(const ContactPatch& other, double z, ContactPatch& patch) {
  double reach = 0;
  for (int i = 0; i < other.count; ++i) reach = std::max({reach, std::abs(other.x[i]), std::abs(other.y[i])});
  patch.count = 4;
  patch.z0 = z;
  for (int i = 0; i < 4; ++i) {
    patch.x[i] = (i == 0 || i == 3 ? -2 : 2) * reach;
    patch.y[i] = (i < 2 ? -2 : 2) * reach;
    patch.vertex_id[i] = patch.side_id[i] = 0;
  }
}

void move_to_world(const Pose& X_WA, Manifold& manifold) {
  const Place X = to_place(X_WA);
  manifold.normal = to_eigen(X.R * from_eigen(manifold.normal));
  manifold.center = to_eigen(X * from_eigen(manifold.center));
  for (int i = 0; i < manifold.count; ++i) {
    Vec3& p = manifold.points[static_cast<std::size_t>(i)].point;
    p = to_eigen(X * from_eigen(p));
  }
}

}  // namespace

Manifold find_manifold(const Convex& A, const Pose& X_WA, const Convex& B, const Pose& X_WB, Real margin,
                       ManifoldCache* cache) {
  check_margin(margin);
  fetch_core(A);
  fetch_core(B);
  const Place X_AB = relative(X_WA, X_WB);
  check_place(X_AB, X_WA, X_WB);
  Manifold manifold;
  if (cache == nullptr || !find_by_cache(A, B, X_AB, margin, *cache, manifold)) {
    manifold.count = 0;
    find_anew(A, B, X_AB, margin, cache, manifold);
  }
  move_to_world(X_WA, manifold);
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

  Contact contact = make_contact(B, B, margin);
  contact.rounding_a = 0;
  contact.core_distance = s.distance + contact.rounding_b;
  contact.R_CS = frame_along(from_eigen(s.normal));
  const Real3 touch_b = from_eigen(s.point_b) + contact.rounding_b * contact.R_CS.row2;
  contact.p_SC = 0.5 * (from_eigen(s.point_a) + touch_b);
  ContactArea area;
  find_patch(B, view_of(contact, to_place(X_WB), true, touch_b), area.b);
  set_plane_patch(area.b, -0.5 * contact.core_distance, area.a);
  area.clip(contact);
  contact.rim_sag = area.b.sag;
  set_points(contact, area, manifold);
  if (contact.rounding_b > 0) cast_points(B, to_place(X_WB), true, contact, manifold);
  set_center(contact, area.region, manifold);
  return manifold;
}

}  // namespace visviva::collision
