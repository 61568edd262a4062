#include "constraint/path_curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace visviva::constraint {

CurvePoint CurvePiece::at(Real t) const {
  if (t < 0) return {k0 + t * k1, k1, Vec3::Zero()};
  if (t > 1) {
    const Vec3 end = k1 + 2 * k2 + 3 * k3;
    return {k0 + k1 + k2 + k3 + (t - 1) * end, end, Vec3::Zero()};
  }
  return {k0 + t * (k1 + t * (k2 + t * k3)), k1 + t * (2 * k2 + t * (3 * k3)), 2 * k2 + t * (6 * k3)};
}

Real CurvePiece::length(Real t) const {
  if (t < 0) return t * k1.norm();
  // Half of the nodes and weights on [-1, 1]; the rest by symmetry.
  constexpr std::array<Real, 4> kNode = {0.18343464249564980494, 0.52553240991632898582, 0.79666647741362673959,
                                         0.96028985649753623168};
  constexpr std::array<Real, 4> kWeight = {0.36268378337836198297, 0.31370664587788728734, 0.22238103445337447054,
                                           0.10122853629037625915};
  const Real end = std::min(t, Real(1)), half = 0.5 * end;
  Real sum = 0;
  for (std::size_t i = 0; i < kNode.size(); ++i)
    sum += kWeight[i] * (at(half * (1 - kNode[i])).dc.norm() + at(half * (1 + kNode[i])).dc.norm());
  return half * sum + (t - end) * (t > 1 ? at(1).dc.norm() : 0);
}

Vec3 PathCurve::point(int i) const {
  const int n = static_cast<int>(points_.size());
  const auto get = [&](int k) -> const Vec3& { return points_[static_cast<std::size_t>(k)]; };
  if (closed_) return get((i + n) % n);
  // Beyond an open end: the neighbour, mirrored.
  if (i < 0) return 2 * get(0) - get(1);
  if (i >= n) return 2 * get(n - 1) - get(n - 2);
  return get(i);
}

CurvePiece PathCurve::piece(int i) const {
  const Vec3 p0 = point(i - 1), p1 = point(i), p2 = point(i + 1), p3 = point(i + 2);
  const Vec3 d0 = p1 - p0, d1 = p2 - p1, d2 = p3 - p2;
  // Knots are √|chord| apart; tangents are those of the parabolas through three points.    [theory/joints.md (16)]
  const Real h0 = std::sqrt(d0.norm()), h1 = std::sqrt(d1.norm()), h2 = std::sqrt(d2.norm());
  const Vec3 m1 = h1 * (d0 / h0 - (d0 + d1) / (h0 + h1)) + d1;
  const Vec3 m2 = h1 * (d2 / h2 - (d1 + d2) / (h1 + h2)) + d1;
  return {p1, m1, 3 * d1 - 2 * m1 - m2, m1 + m2 - 2 * d1};
}

CurvePlace search_curve(const PathCurve& curve, const Vec3& p) {
  constexpr int kSamples = 8;  // in each piece
  CurvePlace best;
  Real least = std::numeric_limits<Real>::infinity(), base = 0;
  for (int i = 0; i < curve.pieces(); ++i) {
    const CurvePiece piece = curve.piece(i);
    // The end of a piece is the start of the next, and that of a closed curve is its start.
    const bool is_last = !curve.is_closed() && i + 1 == curve.pieces();
    for (int k = 0; k < kSamples + (is_last ? 1 : 0); ++k) {
      const Real t = static_cast<Real>(k) / kSamples, distance2 = (piece.at(t).c - p).squaredNorm();
      if (distance2 < least) {
        least = distance2;
        best = {i, t, base};
      }
    }
    base += piece.length(1);
  }
  return best;
}

CurvePlace approach_curve(const PathCurve& curve, const Vec3& p, CurvePlace from) {
  // Newton doubles its digits: from a sub-step's motion away, four or five steps reach rounding. More are for pieces
  // that are crossed.
  constexpr int kMaxSteps = 12;
  constexpr Real kDone = 1e-14;
  CurvePiece piece = curve.piece(from.piece);
  for (int step = 0; step < kMaxSteps; ++step) {
    const CurvePoint q = piece.at(from.t);
    const Real speed2 = q.dc.squaredNorm(), gap = (p - q.c).dot(q.dc), bend = (p - q.c).dot(q.ddc);
    // Near the centre of curvature Newton's step is no use; without the curvature it still goes the right way.
    const Real slope = bend < 0.9 * speed2 ? speed2 - bend : speed2;
    const Real dt = std::clamp(gap / slope, Real(-1), Real(1)), t = from.t + dt;
    if (std::abs(dt) <= kDone) break;
    const bool ahead = t > 1 && (curve.is_closed() || from.piece + 1 < curve.pieces());
    const bool back = t < 0 && (curve.is_closed() || from.piece > 0);
    if (ahead) {
      from.base += piece.length(1);
      from.piece = (from.piece + 1) % curve.pieces();
      from.t = 0;
      piece = curve.piece(from.piece);
    } else if (back) {
      from.piece = (from.piece + curve.pieces() - 1) % curve.pieces();
      from.t = 1;
      piece = curve.piece(from.piece);
      from.base -= piece.length(1);
    } else {
      from.t = t;
    }
  }
  return from;
}

}  // namespace visviva::constraint
