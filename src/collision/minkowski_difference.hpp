#pragma once

#include <algorithm>

#include "visviva/geometry/convex.hpp"
#include "visviva/math/se3.hpp"

namespace visviva::collision {

/// A point w = b - a of the Minkowski difference, with the points of the cores that it came from; in frame A.
struct DifferenceVertex {
  Vec3 w, a, b;
};

/// C = B - A, of the cores of two convex sets, in the frame of A: so nothing is lost far from the world's origin. The
/// distance of the cores is the distance of C from 0. For a unit direction n from A to B
///   d(n) = min n·c over C = (min of n·b over B) - (max of n·a over A)
/// is the width of the gap between the two planes with normal n that support A and B. The distance is the maximum of
/// d(n), so each d(n) is a lower bound; if the cores overlap, the maximum is minus their penetration depth.
class MinkowskiDifference {
 public:
  MinkowskiDifference(const geometry::Convex& A, const Pose& X_WA, const geometry::Convex& B, const Pose& X_WB)
      : A_(A), B_(B), R_AB_(X_WA.R.transpose() * X_WB.R), p_AB_(X_WA.R.transpose() * (X_WB.p - X_WA.p)) {}

  /// The point of C with the smallest n·c; n need not be unit.
  [[nodiscard]] DifferenceVertex support(const Vec3& n) const {
    const Vec3 a = A_.support(n);
    const Vec3 b = R_AB_ * B_.support(R_AB_.transpose() * -n) + p_AB_;
    return {b - a, a, b};
  }
  /// From A to B, roughly; not zero.
  [[nodiscard]] Vec3 first_guess() const {
    const Vec3 n = R_AB_ * B_.center() + p_AB_ - A_.center();
    return n.squaredNorm() > 0 ? n : Vec3(Vec3::UnitX());
  }

 private:
  const geometry::Convex& A_;
  const geometry::Convex& B_;
  Mat3 R_AB_;
  Vec3 p_AB_;
};

/// Size of the numbers whose rounding w carries.
[[nodiscard]] inline Real magnitude(const DifferenceVertex& v) {
  return std::max(v.a.lpNorm<Eigen::Infinity>(), v.b.lpNorm<Eigen::Infinity>());
}

/// Rounding error of d(n) in units of `magnitude`: a support point and its dot product are some ten operations.
inline constexpr Real kSupportRounding = 0x1p-49;

/// Best direction known so far, with its support point.
struct Direction {
  Vec3 n;  ///< unit
  DifferenceVertex vertex;
  Real d = 0;  ///< d(n)
};

/// Climbs to the nearest maximum of d(n) on the unit sphere by Newton's method. Stops when the gradient no longer
/// falls: n is then right to rounding, where a search by the values of d alone leaves n with the square root of it.
/// With tangents t, w(n) and the matrix of curvature radii K = -t^T Dw(n) t >= 0, the gradient is t^T w and the Hessian
/// -(K + d I); so n += t (K + d I)^-1 t^T w, normalised. K by central differences of w, five supports a step.
///
/// Where the surface of C is ruled (an edge against a curved surface), w(n) jumps along a line e of it: there n is kept
/// orthogonal to e, and moves in one dimension; on request, since it does nothing for two polytopes.
///
/// Returns true if it arrived; `points` is then the point of C nearest to 0, w = d n to rounding. Else (at corners and
/// faces, which GJK does itself) nothing changes but for the better.
bool climb_by_newton(const MinkowskiDifference& C, Direction& direction, DifferenceVertex& points,
                     bool on_ridges = true);

/// The smallest translation that separates overlapping cores.
struct Deepest {
  Direction direction;      ///< d = -depth
  DifferenceVertex points;  ///< the points of A and B that lie deepest in the other; w = d n
};

/// Expands a polytope inside C, which holds 0, where it is nearest to 0 until it reaches the surface of C there
/// ([VanDenBergen2001]); then climb_by_newton. The depth is right to rounding for polytopes and where C is smooth.
/// If C is flat, the direction is its normal and d = 0; `common` is a pair of points with w = 0, answered then.
[[nodiscard]] Deepest find_deepest(const MinkowskiDifference& C, const DifferenceVertex& common);

}  // namespace visviva::collision
