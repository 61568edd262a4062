#pragma once

#include <span>
#include <vector>

#include "visviva/collision/collide.hpp"
#include "visviva/collision/surface.hpp"

/// How a convex set touches the triangles of a surface, without ghosts; all in the frame S of the surface.
///
/// A triangle allows a normal m at the face, edge or corner that is extreme along m if no neighbouring corner lies
/// farther along m: then a plane with that normal touches the surface there. At flat and concave edges no other normals
/// than those of the faces are allowed. What the nearest points (or the penetration depth) of the set and one triangle
/// alone say is
///   allowed:                            taken as it is;
///   not, leaning over inner flat or concave edges:  taken along the face normal, where the set is above or below
///                                       the triangle itself; else the neighbour has it;
///   not, leaning over a ridge or border: taken along the face normal, too, if for its deepest point that is no longer
///                                       than the way over the ridge, along the neighbour's normal (at a border: along
///                                       the plane); else the neighbour has it, and it is weak;
///   not, leaning over an edge whose other triangle (of a two-sided surface) is met from the other side: weak.
/// Weak ones are taken along the face normal only if no triangle with a common corner has a contact that is not weak;
/// what overlaps is judged among what overlaps, whatever the margin. A weak contact that is left out is farther behind
/// its own face than behind a neighbour's: with an angle θ between their normals and a depth δ, it lies nearer than
/// δ tan(θ/2) to the ridge.
namespace visviva::collision {

/// The other side of a touch: a convex set, in a pose in S.
struct Toucher {
  const geometry::Convex& set;
  const Pose& X_SB;
  Vec3 center;  ///< in S: triangles behind which it lies are not touched
  /// Of a triangle of another surface, which is touched by what it faces or crosses: its normal in S; else zero.
  Vec3 facing = Vec3::Zero();
  bool any_side = false;  ///< whatever lies in front or behind
};

struct TouchPoint {
  Vec3 point;  ///< midway between the surfaces
  Real separation;
  std::uint32_t feature;
};

/// One triangle that is touched, with points first up to first + count of the workspace.
struct TriangleTouch {
  std::uint32_t triangle = 0;
  std::uint32_t other = kNoTriangle;  ///< of the other surface, if the set is one of its triangles
  bool weak = false;
  Vec3 normal = Vec3::UnitZ();  ///< unit, from the triangle to the set
  Real distance = 0;            ///< least separation of its points
  Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();
  std::uint32_t first = 0, count = 0;
  /// Of the region of contact: its dimension, its measure weighted by margin - separation, and the sum of its points
  /// under the same weight.
  int dimension = 0;
  Real weight = 0;
  Vec3 weighted_point = Vec3::Zero();
};

struct TouchWorkspace {
  geometry::ConvexTriangle triangle, other;
  std::vector<std::uint32_t> found, found_other;
  std::vector<TriangleTouch> touches;
  std::vector<TouchPoint> points;
};
/// One for each thread.
[[nodiscard]] TouchWorkspace& touch_workspace();

/// A triangle as it is met: its unit normal turned to the side from which it is.
struct MetTriangle {
  Surface::Corners corners;
  Vec3 normal = Vec3::Zero();
  bool from_behind = false;
  Vec3 center = Vec3::Zero();  ///< of who meets it
};
/// False if it is not met: without area, or with the centre behind it.
[[nodiscard]] bool meets_front(const Surface& surface, std::uint32_t triangle, const Toucher& toucher,
                               MetTriangle& met);

enum class Verdict { Allowed, Face, Weak };
/// What the surface says to a touch of one triangle with the unit normal m.
[[nodiscard]] Verdict judge_normal(const Surface& surface, std::uint32_t triangle, const MetTriangle& met,
                                   const Vec3& m);

/// Appends the touch of one triangle to the workspace if it is one; see the table above. `raw` is the separation of the
/// triangle (A) and the set (B) on their own.
bool add_touch(const Surface& surface, std::uint32_t triangle, const MetTriangle& met, const Toucher& toucher,
               const Separation& raw, Real margin, TouchWorkspace& workspace);

/// Normals with which to begin, of the last query and for the next; ascending by triangle.
struct TouchSeeds {
  std::span<const ContactCache::Seed> last;
  std::vector<ContactCache::Seed>* next = nullptr;
};

/// All touches within `margin`, those that are weak without need left out; in workspace.touches, which is overwritten.
void find_touches(const Surface& surface, const Toucher& toucher, Real margin, TouchWorkspace& workspace,
                  TouchSeeds seeds = {});
/// What is left of workspace.touches when contacts that are weak without need are taken out.
void drop_weak(const Surface& surface, TouchWorkspace& workspace);

/// All of the set is pushed out along the normal of a face of a solid: of the nearest if its centre is inside, of one
/// that it crosses if no touch is allowed.
[[nodiscard]] TriangleTouch push_out(const Surface& surface, std::uint32_t triangle, const Toucher& toucher,
                                     Real margin, TouchWorkspace& workspace);

}  // namespace visviva::collision
