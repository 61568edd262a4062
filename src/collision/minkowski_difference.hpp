#pragma once

#include <algorithm>

#include "core_support.hpp"
#include "place.hpp"
#include "visviva/math/se3.hpp"

namespace visviva::collision {

/// A point w = b - a of the Minkowski difference, with the points of the cores that it came from; in frame S of A.
struct DifferenceVertex {
  Real3 w, a, b;
};

/// Rounding error of d(n) in units of `magnitude`: a support point and its dot product are some ten operations.
inline constexpr Real kSupportRounding = 0x1p-49;

/// Size of the numbers whose rounding w carries.
[[nodiscard]] inline Real magnitude(const DifferenceVertex& v) { return std::max(largest(v.a), largest(v.b)); }

/// C = B - A, of the cores of two convex sets, in the frame S of A's core: so nothing is lost far from the world's
/// origin. The distance of the cores is the distance of C from 0. For a unit direction n from A to B
///   d(n) = min n·c over C = (min of n·b over B) - (max of n·a over A)
/// is the width of the gap between the two planes with normal n that support A and B. The distance is the maximum of
/// d(n), so each d(n) is a lower bound; if the cores overlap, the maximum is minus their penetration depth.
class MinkowskiDifference {
 public:
  /// Throws InvalidArgument if a pose is not finite.
  MinkowskiDifference(const geometry::Convex& A, const Pose& X_WA, const geometry::Convex& B, const Pose& X_WB);
  /// With A as the world; the pose must be finite.
  MinkowskiDifference(const geometry::Convex& A, const geometry::Convex& B, const Place& X_AB);

  /// The same with B moved by t.
  [[nodiscard]] MinkowskiDifference moved(const Real3& t) const {
    MinkowskiDifference C = *this;
    C.p_ = p_ + t;
    return C;
  }

  /// The point of C with the smallest n·c; n about unit.
  [[nodiscard]] DifferenceVertex support(const Real3& n) const {
    const Real3 a = collision::support(A_, n);
    const Real3 b = R_ * collision::support(B_, turn_back(R_, -n)) + p_;
    return {b - a, a, b};
  }
  /// Of C at the support point of the unit n; false if one of the cores has none in closed form.
  [[nodiscard]] bool curvature_radii(const Real3& n, const Tangents& t, CurvatureRadii& sum) const;
  [[nodiscard]] bool has_curvature_radii() const {
    return core_a().kind != geometry::CoreKind::Intersection && core_b().kind != geometry::CoreKind::Intersection;
  }

  /// Of two smooth cores: no radius of curvature of C is less, for those of A and B add up.
  [[nodiscard]] Real least_curvature_radius() const {
    const auto least = [](const geometry::Core& core) {
      const Real longest = core.size.maxCoeff(), shortest = core.size.minCoeff();
      return longest > 0 ? shortest * shortest / longest : 0;  // of an ellipsoid; a point has none
    };
    return least(core_a()) + least(core_b());
  }

  /// Unit, from A to B, roughly.
  [[nodiscard]] Real3 first_guess() const;

  [[nodiscard]] const geometry::Core& core_a() const { return *A_.core; }
  [[nodiscard]] const geometry::Core& core_b() const { return *B_.core; }
  [[nodiscard]] bool is_curved() const {
    return collision::is_curved(core_a().kind) || collision::is_curved(core_b().kind);
  }
  /// Only ellipsoids and points: w(n) is smooth everywhere, with K in closed form.
  [[nodiscard]] bool is_smooth() const {
    const auto smooth = [](geometry::CoreKind kind) {
      return kind == geometry::CoreKind::Ellipsoid || kind == geometry::CoreKind::Point;
    };
    return smooth(core_a().kind) && smooth(core_b().kind);
  }
  /// Pose of B's core in the frame of A's.
  [[nodiscard]] const Rotation3& R() const { return R_; }
  [[nodiscard]] const Real3& p() const { return p_; }
  /// Rounding of p, which every w carries.
  [[nodiscard]] Real rounding() const { return rounding_; }

  [[nodiscard]] Vec3 direction_to_world(const Real3& n) const { return to_eigen(R_WS_ * n); }
  [[nodiscard]] Real3 direction_from_world(const Vec3& n) const { return turn_back(R_WS_, from_eigen(n)); }
  [[nodiscard]] Vec3 point_to_world(const Real3& x) const { return to_eigen(R_WS_ * x + p_WS_); }

 private:
  CoreView A_, B_;
  Rotation3 R_;
  Real3 p_;
  Real rounding_;
  Rotation3 R_WS_;
  Real3 p_WS_;
};

/// Best direction known so far, with its support point.
struct Direction {
  Real3 n;  ///< unit
  DifferenceVertex vertex;
  Real d = 0;  ///< d(n)
};

[[nodiscard]] inline Direction look_along(const MinkowskiDifference& C, const Real3& unit) {
  Direction x{unit, C.support(unit), 0};
  x.d = dot(unit, x.vertex.w);
  return x;
}

}  // namespace visviva::collision
