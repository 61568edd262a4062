#include "capsule_contact.hpp"

#include <algorithm>
#include <cmath>

#include "fetch.hpp"
#include "polytope_contact.hpp"
#include "polytope_lanes.hpp"
#include "visviva/geometry/core.hpp"

namespace visviva::collision {
namespace {

using geometry::Core;
using geometry::CoreKind;
using geometry::Polytope;

/// A point of a polytope's surface, the normal n of the contact there, from the polytope, and the direction of the
/// capsule, unit; all in the polytope.
struct Touch {
  const Polytope& P;
  Real3 point, n, along;

  /// Faces whose planes are not farther above the point than `depth`: how many, and up to two of them.
  [[nodiscard]] std::uint32_t faces_within(double depth, std::uint32_t* faces) const {
    const double p[3] = {point.x, point.y, point.z};
    return polytope_lanes().faces_above(P.planes(), P.face_stride(), P.face_count(), p, -depth, faces, 2);
  }
};

/// Whether the lower end stands on a single face, whose number is found. No side of it is so near that the capsule
/// is within the slack there: the face beyond would have its plane as near. `half` is that of the capsule's length.
bool is_single_end(const Touch& touch, double half, double slack, double rounding, std::uint32_t& face) {
  const double rise = dot(touch.n, touch.along), rise2 = rise * rise, across2 = std::max(0.0, 1 - rise2);
  if (!(rise2 >= kPointSlope * kPointSlope * across2 && 2 * half * std::abs(rise) > slack)) return false;
  std::uint32_t faces[2];
  if (touch.faces_within(slack * std::sqrt(across2 / rise2) + rounding, faces) != 1) return false;
  face = faces[0];
  return true;
}

/// The face on which the point lies; of two at an edge that which is turned to n more. False on a vertex.
bool find_face(const Touch& touch, double rounding, std::uint32_t& face) {
  /// As that of contact_patch.cpp.
  constexpr double kSteep = 0.1;
  std::uint32_t faces[2];
  const std::uint32_t count = touch.faces_within(rounding, faces);
  if (count != 1 && count != 2) return false;
  const auto facing = [&](std::uint32_t f) { return dot(from_eigen(touch.P.normal(f)), touch.n); };
  face = count == 2 && facing(faces[1]) > facing(faces[0]) ? faces[1] : faces[0];
  return facing(face) >= kSteep;
}

/// The polytope that a capsule may lie on, or nullptr.
const Polytope* polytope_beside_capsule(const geometry::Convex& A, const geometry::Convex& B) {
  const Polytope* P = A.core().kind == CoreKind::Segment   ? B.polytope()
                      : B.core().kind == CoreKind::Segment ? A.polytope()
                                                           : nullptr;
  return P == nullptr || P->flat() ? nullptr : P;
}

}  // namespace

void fetch_capsule_contact(const geometry::Convex& A, const geometry::Convex& B) {
  const Polytope* P = polytope_beside_capsule(A, B);
  if (P == nullptr) return;
  fetch_coordinates(*P);
  fetch_planes(*P);
  fetch_surface(*P);
}

CapsuleContact set_capsule_contact(const geometry::Convex& A, const geometry::Convex& B, const Place& X_AB,
                                   const Real3& touch_a, const Real3& touch_b, const Contact& contact,
                                   ContactArea& area, Manifold& manifold) {
  const Polytope* P = polytope_beside_capsule(A, B);
  if (P == nullptr) return CapsuleContact::Other;
  const bool capsule_is_b = B.core().kind == CoreKind::Segment;
  const Core& segment = capsule_is_b ? B.core() : A.core();
  const Real3 along{segment.X.R(0, 2), segment.X.R(1, 2), segment.X.R(2, 2)}, &n = contact.R_CS.row2;
  const Touch touch = capsule_is_b
                          ? Touch{*P, touch_a, n, X_AB.R * along}
                          : Touch{*P, move_back(X_AB, touch_b), -turn_back(X_AB.R, n), turn_back(X_AB.R, along)};
  const double slack = contact.farthest() - contact.core_distance;
  std::uint32_t face = 0;
  if (is_single_end(touch, segment.size.z(), slack, contact.sag, face)) {
    const std::uint32_t end = dot(touch.n, touch.along) > 0 ? 0 : 1;  // as contact_patch.cpp names it
    put_single_point(
        contact,
        capsule_is_b ? make_feature(Meeting::VertexOfB, face, end) : make_feature(Meeting::VertexOfA, end, face),
        manifold);
    return CapsuleContact::Point;
  }
  if (!find_face(touch, contact.sag, face)) return CapsuleContact::Other;
  const ContactView view_a = {{contact.R_CS, -(contact.R_CS * contact.p_SC)}, touch_a, slack, false};
  const ContactView view_b = view_of(contact, X_AB, true, touch_b);
  set_face_patch(*P, face, capsule_is_b ? view_a : view_b, capsule_is_b ? area.a : area.b);
  find_patch(capsule_is_b ? B : A, capsule_is_b ? view_b : view_a, capsule_is_b ? area.b : area.a);
  return CapsuleContact::Patches;
}

}  // namespace visviva::collision
