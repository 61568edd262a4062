#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

#include "visviva/collision/surface.hpp"

namespace visviva::collision {

/// The point of a triangle nearest to another, and on what it lies.
struct TrianglePoint {
  Vec3 point;
  int feature;  ///< 0 to 2: a corner; 3 to 5: the edge from corner feature - 3 to the next; 6: the face
};
[[nodiscard]] TrianglePoint nearest_on_triangle(const Surface::Corners& corners, const Vec3& p);

/// Not unit; zero if the triangle has no area.
[[nodiscard]] inline Vec3 area_normal(const Surface::Corners& c) { return (c[1] - c[0]).cross(c[2] - c[0]); }

/// No higher than rounding of its corners explains: it has no normal, and lies in what its neighbours bound.
[[nodiscard]] inline bool is_thin(const Surface::Corners& c) {
  constexpr Real kThin = 1e-14, kRounding = 0x1p-50;  // of its longest side; of its coordinates
  const Vec3 ab = c[1] - c[0], ac = c[2] - c[0];
  const Real longest2 = std::max({ab.squaredNorm(), ac.squaredNorm(), (ac - ab).squaredNorm()});
  const Real height = kThin * std::sqrt(longest2) +
                      kRounding * c[0].cwiseAbs().cwiseMax(c[1].cwiseAbs()).cwiseMax(c[2].cwiseAbs()).maxCoeff();
  return ab.cross(ac).squaredNorm() <= height * height * longest2;
}

/// The kind of the edge from corner k to the next, with the neighbour's far corner w.
[[nodiscard]] EdgeKind kind_of_edge(const Surface::Corners& corners, int k, const Vec3& w);

[[nodiscard]] inline Bounds bounds_of(const Surface::Corners& c) {
  return {c[0].cwiseMin(c[1]).cwiseMin(c[2]), c[0].cwiseMax(c[1]).cwiseMax(c[2])};
}

/// Squared distance of a point from a box; 0 inside.
[[nodiscard]] inline Real squared_distance(const Bounds& box, const Vec3& p) {
  return (box.lower - p).cwiseMax(p - box.upper).cwiseMax(0).squaredNorm();
}

/// Rays against triangles without gaps at shared edges: in a frame in which the ray is the z axis, the three edge
/// functions decide, and that of a shared edge has exactly opposite values for its two triangles. [Woop2013]
class RayTest {
 public:
  RayTest(const Vec3& origin, const Vec3& direction);
  /// t of origin + t direction, and the unit normal against the ray; false if they do not meet. A ray in the plane of
  /// the triangle does not meet it.
  [[nodiscard]] bool meets(const Surface::Corners& corners, bool from_behind, Real& t, Vec3& normal) const;

 private:
  Vec3 origin_, direction_;
  int x_, y_, z_;
  Real shear_x_, shear_y_, scale_;
};

/// Whether a segment meets a box; never misses one, may take one that it misses by rounding.
class SegmentTest {
 public:
  SegmentTest(const Vec3& from, const Vec3& to, const Vec3& half_extents);
  [[nodiscard]] bool operator()(const Bounds& box) const;

 private:
  Vec3 from_, along_, reach_;
};

}  // namespace visviva::collision
