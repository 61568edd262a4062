#pragma once

#include <vector>

#include "visviva/math/types.hpp"

/// The smooth curve through the points of PointOnPath: a centripetal Catmull-Rom spline (Yuksel, Schaefer and Keyser
/// 2011), which has a continuous tangent and neither cusps nor loops between two points. An open one goes on straight
/// beyond its ends. Holds no memory of its own: pieces are made from four points when they are needed.
namespace visviva::constraint {

/// A place on the curve.
struct CurvePoint {
  Vec3 c, dc, ddc;  ///< position and derivatives by the parameter of the piece [m]
};

/// c(t) = k0 + t k1 + t² k2 + t³ k3, t in [0, 1]; straight outside.
struct CurvePiece {
  Vec3 k0, k1, k2, k3;  ///< [m]

  [[nodiscard]] CurvePoint at(Real t) const;
  /// From 0 to t [m], by an 8 point Gauss rule within the piece.
  [[nodiscard]] Real length(Real t) const;
};

class PathCurve {
 public:
  PathCurve(const std::vector<Vec3>& points, bool closed) : points_(points), closed_(closed) {}

  [[nodiscard]] int pieces() const { return static_cast<int>(points_.size()) - (closed_ ? 0 : 1); }
  [[nodiscard]] CurvePiece piece(int i) const;
  [[nodiscard]] bool is_closed() const { return closed_; }

 private:
  [[nodiscard]] Vec3 point(int i) const;

  const std::vector<Vec3>& points_;
  bool closed_;
};

/// Where on the curve: piece, parameter in it, length up to the piece's start, laps counted.
struct CurvePlace {
  int piece = 0;
  Real t = 0;     ///< [-]
  Real base = 0;  ///< [m]
};

/// Nearest place to p among samples of all pieces.
[[nodiscard]] CurvePlace search_curve(const PathCurve& curve, const Vec3& p);

/// From a place near it to where (p - c)·c' = 0, by Newton's method; crosses into neighbouring pieces.
[[nodiscard]] CurvePlace approach_curve(const PathCurve& curve, const Vec3& p, CurvePlace from);

}  // namespace visviva::constraint
