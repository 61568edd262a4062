#pragma once

#include <limits>

#include "visviva/geometry/convex.hpp"

namespace visviva::collision {

/// The part of a line o + t d that lies in a convex set: enter <= t <= exit, and nothing if enter > exit.
struct LineInterval {
  static constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  Real enter = -kInfinity, exit = kInfinity;
  Vec3 normal = Vec3::Zero();  ///< out of the set where the line enters; not unit

  [[nodiscard]] bool empty() const { return !(enter <= exit); }
  [[nodiscard]] static LineInterval nothing() { return {kInfinity, -kInfinity, Vec3::Zero()}; }
  void intersect(const LineInterval& other) {
    if (other.enter > enter) enter = other.enter, normal = other.normal;
    exit = exit < other.exit ? exit : other.exit;
  }
};

/// Of the half-space n·x <= offset.
[[nodiscard]] LineInterval in_half_space(const Vec3& o, const Vec3& d, const Vec3& n, Real offset);

/// Whether there is a closed form of a line within the set grown by a ball of radius `grow`: for balls and capsules
/// always, for the others without rounding.
[[nodiscard]] bool has_line_interval(const geometry::Convex& set, Real grow);

/// That form, for a line and an answer in the frame B of the set.
[[nodiscard]] LineInterval line_interval(const geometry::Convex& set, Real grow, const Vec3& o, const Vec3& d);

}  // namespace visviva::collision
