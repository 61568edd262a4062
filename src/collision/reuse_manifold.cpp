#include "reuse_manifold.hpp"

#include <algorithm>
#include <cmath>

#include "polytope_lanes.hpp"

namespace visviva::collision {
namespace {

using geometry::Core;
using geometry::Polytope;
using Kind = ManifoldCache::Kind;

/// What the distance is kept to: absolutely, and relative to the thinner body.
constexpr double kTolerance = 1e-3, kRelativeTolerance = 0.01;
/// Of the smaller body's reach: how far it may slide before other axes are asked.
constexpr double kSlide = 0.02;

Place place_of(const std::array<Real, 12>& x) {
  return {{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]}}, {x[9], x[10], x[11]}};
}

Real3 at(const std::array<Real, 12>& x, int i) {
  const auto k = static_cast<std::size_t>(3 * i);
  return {x[k], x[k + 1], x[k + 2]};
}

Real3 at(const std::array<Real, 3>& x) { return {x[0], x[1], x[2]}; }

double squared_distance(const Rotation3& R, const Rotation3& S) {
  return squared_norm(R.row0 - S.row0) + squared_norm(R.row1 - S.row1) + squared_norm(R.row2 - S.row2);
}

std::uint32_t farthest(const Polytope& P, const Real3& u) {
  const double direction[3] = {u.x, u.y, u.z};
  return polytope_lanes().farthest(P.coordinates(), P.vertex_stride(), direction).index;
}

Real3 vertex(const Polytope& P, std::uint32_t i) { return from_eigen(P.vertex(i)); }

}  // namespace

PairMotion motion_since(const ManifoldCache& cache, const Core& A, const Core& B, const Place& X_AB) {
  PairMotion m;
  const Place X0 = place_of(cache.X_AB);
  const double turn2 = squared_distance(X_AB.R, X0.R);
  m.none = turn2 == 0 && X_AB.p == X0.p;
  if (m.none) return m;
  m.turn = X_AB.R * transposed(X0.R);
  m.shift = X_AB.p - m.turn * X0.p;
  // Of the body with the smaller reach its centre's displacement, and with it that of any of its points.          (4)
  const double turn = std::sqrt(0.5 * turn2);  // 2 sin(angle / 2)
  const Real3 n = at(cache.normal);
  Real3 displacement;
  if (B.reach <= A.reach) {
    const Real3 c = from_eigen(B.center);
    displacement = X_AB * c - X0 * c;
  } else {
    // A's, seen from B and then turned to A; the other way round it is B that moves.
    const Real3 c = from_eigen(A.center);
    displacement = X0.R * (move_back(X0, c) - move_back(X_AB, c));
  }
  const double swing = turn * std::min(A.reach, B.reach), slide = norm(displacement);
  const double along = dot(n, displacement), doubt = cache.turned * slide;
  m.length = slide + swing;
  m.own = cache.own + along + doubt;  // (6)
  m.second = cache.second + slide;
  m.upper = std::max(m.own, m.second);
  // Gaps along axes are all there is to know only while the cores overlap; else (5).
  if (m.upper + A.rounding + B.rounding > 0) m.own = m.second = m.upper = std::max(cache.own, cache.second) + slide;
  m.own += swing;
  m.second += swing;
  m.upper += swing;
  m.turned = cache.turned + turn;
  m.lower = cache.distance + along - swing;  // (7)
  m.tolerance = std::min(kTolerance, kRelativeTolerance * std::min(A.thickness, B.thickness));
  return m;
}

void load(const ManifoldCache& cache, Manifold& manifold) {
  manifold.normal = to_eigen(at(cache.normal));
  manifold.center = to_eigen(at(cache.center));
  manifold.distance = cache.distance;
  manifold.count = cache.count;
  for (int i = 0; i < manifold.count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    manifold.points[k] = {to_eigen(at(cache.points, i)), cache.separations[k], cache.features[k]};
  }
}

void load_moved(const ManifoldCache& cache, const PairMotion& motion, Manifold& manifold) {
  const Real3 n = at(cache.normal), c = at(cache.center);
  manifold.normal = to_eigen(n);
  manifold.center = to_eigen(0.5 * (c + motion.turn * c + motion.shift));
  int count = 0;
  double lowest = motion.upper;
  for (int i = 0; i < cache.count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double s = cache.separations[k];
    const Real3 p = at(cache.points, i), a = p - 0.5 * s * n, b0 = p + 0.5 * s * n;
    const Real3 b = motion.turn * b0 + motion.shift;
    const double separation = dot(n, b - a);
    lowest = std::min(lowest, separation);
    if (!(separation <= cache.margin)) continue;
    const auto place = static_cast<std::size_t>(count++);
    manifold.points[place] = {to_eigen(0.5 * (a + b)), separation, cache.features[k]};
    if (separation < manifold.points[0].separation) std::swap(manifold.points[0], manifold.points[place]);
  }
  manifold.count = count;
  manifold.distance = std::max(lowest, motion.lower);
}

void store(const Manifold& manifold, const Place& X_AB, Real margin, ManifoldCache& cache) {
  const Rotation3& R = X_AB.R;
  cache.X_AB = {R.row0.x, R.row0.y, R.row0.z, R.row1.x, R.row1.y, R.row1.z,
                R.row2.x, R.row2.y, R.row2.z, X_AB.p.x, X_AB.p.y, X_AB.p.z};
  cache.normal = {manifold.normal.x(), manifold.normal.y(), manifold.normal.z()};
  cache.center = {manifold.center.x(), manifold.center.y(), manifold.center.z()};
  for (int i = 0; i < manifold.count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const ManifoldPoint& point = manifold.points[k];
    for (std::size_t j = 0; j < 3; ++j) cache.points[3 * k + j] = point.point[static_cast<Eigen::Index>(j)];
    cache.separations[k] = point.separation;
    cache.features[k] = point.feature;
  }
  cache.distance = manifold.distance;
  cache.margin = margin;
  cache.count = static_cast<std::uint8_t>(manifold.count);
}

void set_bounds(const Manifold& manifold, const PolytopeAxis* axis, Real rounding, ManifoldCache& cache) {
  cache.own = cache.second = manifold.distance;
  cache.turned = 0;
  ++cache.full_tests;
  cache.kind = Kind::Other;
  if (axis == nullptr) return;
  cache.kind = axis->kind == PolytopeAxis::Kind::FaceOfA   ? Kind::FaceOfA
               : axis->kind == PolytopeAxis::Kind::FaceOfB ? Kind::FaceOfB
                                                           : Kind::Edges;
  cache.feature_a = axis->a;
  cache.feature_b = axis->b;
  // Where the cores are apart, their distance is the largest gap along all directions, and not only along axes.
  if (axis->gap > 0) return;
  cache.second = axis->second - rounding;
  cache.turned = axis->spread;
}

double wanted_slack(const Core& A, const Core& B) { return kSlide * std::min(A.reach, B.reach); }

bool renew_axis(const ManifoldCache& cache, const Polytope& A, const Polytope& B, const Place& X_AB,
                PolytopeAxis& axis) {
  axis.a = cache.feature_a;
  axis.b = cache.feature_b;
  if (cache.kind == Kind::FaceOfA && axis.a < A.face_count()) {
    axis.kind = PolytopeAxis::Kind::FaceOfA;
    axis.n = from_eigen(A.normal(axis.a));
    axis.b = farthest(B, -turn_back(X_AB.R, axis.n));
    axis.gap = dot(axis.n, X_AB * vertex(B, axis.b)) - A.offset(axis.a);
    return true;
  }
  if (cache.kind == Kind::FaceOfB && axis.b < B.face_count()) {
    const Real3 m = from_eigen(B.normal(axis.b));
    axis.kind = PolytopeAxis::Kind::FaceOfB;
    axis.n = -(X_AB.R * m);
    axis.a = farthest(A, axis.n);
    axis.gap = dot(m, move_back(X_AB, vertex(A, axis.a))) - B.offset(axis.b);
    return true;
  }
  return false;
}

}  // namespace visviva::collision
