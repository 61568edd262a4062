#pragma once

#include "dynamics/world_data.hpp"

namespace visviva::dynamics {

/// Of the speed that is an impact, (6): the rounding of the solver's floats makes as much of bodies that rest side by
/// side with nothing that presses them together. It is no touch, and settles nothing.
inline constexpr Real kNoise = 1e-5;

/// Where two shapes touch at an instant: up to four points with one normal.
struct TouchPoints {
  Vec3 normal = Vec3::UnitZ();  ///< from A to B, world
  std::array<Vec3, kPoints> points;
  int count = 0;

  [[nodiscard]] const Vec3& at(int i) const { return points[static_cast<std::size_t>(i)]; }
  [[nodiscard]] Vec3 middle() const {
    Vec3 sum = Vec3::Zero();
    for (int i = 0; i < count; ++i) sum += at(i);
    return sum / count;
  }
  void set(const collision::Manifold& manifold) {
    normal = manifold.normal;
    count = manifold.count;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) points[i] = manifold.points[i].point;
  }
};

/// Of a touch that was found: the nearest points, or all corners of the faces that lie on each other.
void find_points(World::Data& world, const Contact& contact, const collision::Separation& separation, const Pose& X_WA,
                 const Pose& X_WB, TouchPoints& points);

}  // namespace visviva::dynamics
