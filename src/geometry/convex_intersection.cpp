#include "convex_intersection.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "climb_intersection.hpp"
#include "polytope_intersection.hpp"
#include "visviva/geometry/convex_hull.hpp"
#include "visviva/math/elementary.hpp"

namespace visviva::geometry {

namespace {

using Part = IntersectionPart;

constexpr int kMaxNewton = 40, kMaxHalvings = 60;

/// Maximises Σ log s from an inner point y.
void climb_to_center(std::span<const Part> parts, Vec3& y) {
  const auto gain = [&](const Vec3& from, const Vec3& to) {
    Real sum = 0;
    for (const Part& part : parts) {
      const Real s = value(part, to);
      if (!(s > 0)) return -std::numeric_limits<Real>::infinity();
      sum += visviva::log(s / value(part, from));
    }
    return sum;
  };
  for (int i = 0; i < kMaxNewton; ++i) {
    Vec3 g = Vec3::Zero();
    Mat3 K = Mat3::Zero();  // minus the Hessian
    for (const Part& part : parts) {
      const Slack p = slack(part, y);
      g += p.gradient / p.s;
      K += p.gradient * p.gradient.transpose() / (p.s * p.s) - p.hessian / p.s;
    }
    const Vec3 step = K.ldlt().solve(g);
    const Real decrement = g.dot(step);
    if (!(decrement > 1e-10)) return;
    Real share = 1;
    for (int k = 0; k < kMaxHalvings && !(gain(y, y + share * step) > 0.1 * share * decrement); ++k) share /= 2;
    if (!(gain(y, y + share * step) > 0)) return;
    y += share * step;
  }
}

/// Writes shapes as parts in B.
class PartMaker {
 public:
  PartMaker(const PlacedShape& placed, std::vector<Part>& parts, std::string& refusal)
      : X_(placed.X_BS), rounding_(placed.rounding), parts_(parts), refusal_(refusal) {}

  void operator()(const Sphere& s) { add_quadric(Mat3::Identity() / (s.radius + rounding_)); }
  void operator()(const Ellipsoid& s) { add_quadric(Mat3(s.semi_axes.cwiseInverse().asDiagonal()) * X_.R.transpose()); }
  void operator()(const Box& s) {
    if (rounding_ > 0) return add_distance(s.half_extents, rounding_);
    for (int i = 0; i < 3; ++i) add_slab(X_.R.col(i), s.half_extents[i]);
  }
  void operator()(const Capsule& s) { add_distance({0, 0, s.half_height}, s.radius + rounding_); }
  void operator()(const Cylinder& s) {
    if (refuse("cylinder")) return;
    Mat3 M = X_.R.transpose() / s.radius;
    M.row(2).setZero();
    add_quadric(M);
    add_slab(X_.R.col(2), s.half_height);
  }
  void operator()(const Cone& s) {
    if (refuse("cone")) return;
    Part part;
    part.kind = Part::Kind::Cone;
    part.n = -X_.R.col(2);
    part.c = X_ * Vec3(0, 0, s.half_height);
    part.radius = s.radius / (2 * s.half_height);
    parts_.push_back(part);
    add_plane({part.n, part.n.dot(X_ * Vec3(0, 0, -s.half_height))});
  }
  void operator()(const ConvexHull& s) {
    if (refuse("hull")) return;
    ConvexHull hull = s;
    for (Vec3& p : hull.points) p = X_ * p;
    for (const Plane& plane : face_planes(make_convex_hull(hull))) add_plane(plane);
  }
  void operator()(const TriangleMesh&) { refusal_ = "an intersection with a triangle mesh has no convex pieces"; }
  void operator()(const TriangleSurface&) { refusal_ = "an intersection with a surface has no convex pieces"; }
  void operator()(const HeightField&) { refusal_ = "an intersection with a height field has no convex pieces"; }

  void add_plane(const Plane& plane) {
    Part part;
    part.n = plane.normal;
    part.offset = plane.offset;
    parts_.push_back(part);
  }

 private:
  bool refuse(const char* kind) {
    if (rounding_ > 0) refusal_ = fmt::format("an intersection with a rounded {} is not done", kind);
    return rounding_ > 0;
  }
  void add_slab(const Vec3& n, Real half) {
    add_plane({n, n.dot(X_.p) + half});
    add_plane({-n, -n.dot(X_.p) + half});
  }
  void add_quadric(const Mat3& M) {
    Part part;
    part.kind = Part::Kind::Quadric;
    part.M = M;
    part.c = X_.p;
    parts_.push_back(part);
  }
  void add_distance(const Vec3& half, Real radius) {
    Part part;
    part.kind = Part::Kind::Distance;
    part.M = X_.R;
    part.c = X_.p;
    part.half = half;
    part.radius = radius;
    parts_.push_back(part);
  }

  const Pose& X_;
  Real rounding_;
  std::vector<Part>& parts_;
  std::string& refusal_;
};

/// From B to units of the size about the origin.
void normalise(Part& part, const Vec3& origin, Real size) {
  switch (part.kind) {
    case Part::Kind::Plane:
      part.offset = (part.offset - part.n.dot(origin)) / size;
      return;
    case Part::Kind::Quadric:
      part.M *= size;
      part.radius = 1 / part.M.rowwise().norm().maxCoeff();  // s then falls by about 1 for each unit of length
      break;
    case Part::Kind::Cone:
      break;
    case Part::Kind::Distance:
      part.half /= size;
      part.radius /= size;
      break;
  }
  part.c = (part.c - origin) / size;
}

/// -s, but for a cone a function that is defined everywhere, and a little larger.
Slack excess(const Part& part, const Vec3& y, Real blunt) {
  if (part.kind != Part::Kind::Cone) {
    Slack p = slack(part, y);
    return {-p.s, -p.gradient, -p.hessian};
  }
  const Vec3 q = y - part.c;
  const Mat3 B = Mat3::Identity() - part.n * part.n.transpose();
  const Vec3 b = B * q;
  const Real length = std::sqrt(b.squaredNorm() + blunt * blunt);
  return {length - part.radius * part.n.dot(q), b / length - part.radius * part.n,
          (B - b * b.transpose() / (length * length)) / length};
}

}  // namespace

std::shared_ptr<const ConvexIntersection> ConvexIntersection::make(std::span<const PlacedShape* const> shapes,
                                                                   std::span<const Plane> planes,
                                                                   std::string& refusal) {
  auto result = std::make_shared<ConvexIntersection>();
  result->size_ = std::numeric_limits<Real>::infinity();
  for (const PlacedShape* shape : shapes) {
    std::visit(PartMaker(*shape, result->parts_, refusal), shape->shape);
    if (!refusal.empty()) return nullptr;
    const Convex convex(shape->shape, shape->X_BS, shape->rounding);
    const Real radius = convex.radius_about(convex.center());
    if (radius < result->size_) {
      result->size_ = radius;
      result->origin_ = convex.center();
    }
    result->shapes_.push_back(convex);
  }
  const PlacedShape nowhere{Sphere{}, {}, 0};
  for (const Plane& plane : planes) PartMaker(nowhere, result->parts_, refusal).add_plane(plane);
  for (Part& part : result->parts_) normalise(part, result->origin_, result->size_);
  if (!result->find_center()) {
    refusal = "the parts of an intersection share no volume";
    return nullptr;
  }
  result->drop_idle_planes();
  return result;
}

// An inner point: Newton's method on T log Σ exp(-sᵢ/T), which comes near max(-sᵢ) as T falls. Then the middle, as far
// from all as their product tells.
bool ConvexIntersection::find_center() {
  Vec3 y = Vec3::Zero();
  for (Real T = 0.3; T > 1e-9; T *= 0.3) {
    const Real blunt = 0.1 * T;
    const auto smooth = [&](const Vec3& p) {
      Real highest = -std::numeric_limits<Real>::infinity(), sum = 0;
      for (const Part& part : parts_) highest = std::max(highest, excess(part, p, blunt).s);
      for (const Part& part : parts_) sum += visviva::exp((excess(part, p, blunt).s - highest) / T);
      return highest + T * visviva::log(sum);
    };
    for (int i = 0; i < kMaxNewton; ++i) {
      const Real f = smooth(y);
      Vec3 g = Vec3::Zero();
      Mat3 K = 1e-9 * Mat3::Identity(), outer = Mat3::Zero();
      for (const Part& part : parts_) {
        const Slack p = excess(part, y, blunt);
        const Real weight = visviva::exp((p.s - f) / T);
        g += weight * p.gradient;
        K += weight * p.hessian;
        outer += weight * p.gradient * p.gradient.transpose();
      }
      K += (outer - g * g.transpose()) / T;
      const Vec3 step = -K.ldlt().solve(g);
      const Real fall = -g.dot(step);
      if (!(fall > 1e-6 * T)) break;
      Real share = 1;
      for (int k = 0; k < kMaxHalvings && !(smooth(y + share * step) < f - 0.1 * share * fall); ++k) share /= 2;
      if (!(smooth(y + share * step) < f)) break;
      y += share * step;
    }
    if (least(parts_, y) > 0.5 * T) break;
  }
  // Thinner than this, the rounding of the parts decides.
  if (!(least(parts_, y) > 1e-9)) return false;
  climb_to_center(parts_, y);
  center_ = y;
  return true;
}

// A plane that holds any point holds the farthest one along its normal.
void ConvexIntersection::drop_idle_planes() {
  constexpr Real kIdle = 1e-6;  // far above the error of a support
  std::vector<Part> kept;
  for (const Part& part : parts_)
    if (part.kind != Part::Kind::Plane || value(part, climb_intersection(parts_, part.n, center_)) <= kIdle)
      kept.push_back(part);
  parts_ = std::move(kept);
}

bool ConvexIntersection::holds(const Vec3& y) const {
  return std::all_of(parts_.begin(), parts_.end(), [&](const Part& part) {
    // A cone is not smooth at its apex, where s is not defined.
    if (part.kind == Part::Kind::Cone && (y - part.c).norm() < kInside) return true;
    return value(part, y) >= -kInside;
  });
}

Vec3 ConvexIntersection::support(const Vec3& direction) const {
  const Vec3 u = direction.stableNormalized();
  for (const Convex& shape : shapes_) {
    const Vec3 p = shape.support(u) + shape.rounding() * u;
    if (holds((p - origin_) / size_)) return p;
  }
  return to_frame(climb_intersection(parts_, u, center_));
}

void ConvexIntersection::extreme_points(const Vec3& direction, Real slack_, std::vector<Vec3>& points) const {
  points.clear();
  const Vec3 middle = support(direction);
  Eigen::Index axis = 0;
  direction.cwiseAbs().minCoeff(&axis);
  const Vec3 t1 = direction.cross(Vec3::Unit(axis)).normalized(), t2 = direction.cross(t1).normalized();
  constexpr Real s = 0.70710678118654752;
  constexpr std::array<std::array<Real, 2>, 8> kEighths = {
      {{1, 0}, {s, s}, {0, 1}, {-s, s}, {-1, 0}, {-s, -s}, {0, -1}, {s, -s}}};
  // Leaning by so little, the support point of a flat face moves to its rim, that of a curved one by as little.
  constexpr Real kLean = 1e-6, kMoved = 1e-3;
  for (const auto& [a, b] : kEighths) {
    const Vec3 p = support(direction + kLean * (a * t1 + b * t2));
    if (direction.dot(middle - p) <= slack_ && (p - middle).norm() > kMoved * size_) points.push_back(p);
  }
  if (points.empty()) points.push_back(middle);
}

}  // namespace visviva::geometry
