#include "visviva/geometry/convex.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "convex_data.hpp"
#include "support_lanes.hpp"
#include "visviva/core/error.hpp"
#include "visviva/geometry/convex_hull.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::geometry {
namespace {

using Data = Convex::Data;

/// Up to this many vertices looking at all of them is faster than climbing.
constexpr std::size_t kScanAtMost = kLanesAtMost;

class DataMaker {
 public:
  DataMaker(const Pose& X, Real rounding) {
    data_.X = X;
    data_.turned = X.R != Mat3::Identity();
    data_.rounding = rounding;
    data_.center = X.p;
  }

  void operator()(const Sphere& s) {
    data_.kind = CoreKind::Point;
    data_.rounding += s.radius;
  }
  void operator()(const Ellipsoid& s) {
    data_.kind = CoreKind::Ellipsoid;
    data_.size = s.semi_axes;
  }
  void operator()(const Box& s) {
    data_.kind = CoreKind::Box;
    data_.size = s.half_extents;
    data_.half_axes = data_.X.R * s.half_extents.asDiagonal();
    data_.polytope = make_box_polytope(data_.X.p, data_.half_axes);
  }
  void operator()(const Capsule& s) {
    data_.kind = CoreKind::Segment;
    data_.rounding += s.radius;
    data_.size = {0, 0, s.half_height};
  }
  void operator()(const Cylinder& s) {
    data_.kind = CoreKind::Cylinder;
    data_.size = {s.radius, s.radius, s.half_height};
  }
  void operator()(const Cone& s) {
    data_.kind = CoreKind::Cone;
    data_.size = {s.radius, s.radius, s.half_height};
    data_.center = data_.X * Vec3(0, 0, -0.5 * s.half_height);  // of mass
  }
  void operator()(const ConvexHull& s) {
    TriangleMesh hull = make_convex_hull(s);
    for (Vec3& v : hull.vertices) v = data_.X * v;
    data_.X = {};
    data_.turned = false;
    set_polytope(data_, hull);
  }
  void operator()(const TriangleMesh&) {
    require(false, "convex set", "shape", "be convex by its kind (take the hull of a mesh)", "a triangle mesh");
  }
  void operator()(const TriangleSurface&) {
    require(false, "convex set", "shape", "be convex by its kind", "a triangle surface");
  }
  void operator()(const HeightField&) {
    require(false, "convex set", "shape", "be convex by its kind", "a height field");
  }

  [[nodiscard]] Data take() { return std::move(data_); }

 private:
  Data data_;
};

// Written out in scalars: as Eigen products of three-vectors these two take 100 ns instead of 20, for their halves are
// stored as a pair and a single and loaded again as a whole.
Vec3 to_core(const Data& data, const Vec3& v_B) {
  if (!data.turned) return v_B;
  const Mat3& R = data.X.R;
  const Real x = v_B.x(), y = v_B.y(), z = v_B.z();
  return {R(0, 0) * x + R(1, 0) * y + R(2, 0) * z, R(0, 1) * x + R(1, 1) * y + R(2, 1) * z,
          R(0, 2) * x + R(1, 2) * y + R(2, 2) * z};
}
Vec3 from_core(const Data& data, const Vec3& p_S) {
  const Vec3& p = data.X.p;
  const Real x = p_S.x(), y = p_S.y(), z = p_S.z();
  if (!data.turned) return {x + p.x(), y + p.y(), z + p.z()};
  const Mat3& R = data.X.R;
  return {R(0, 0) * x + R(0, 1) * y + R(0, 2) * z + p.x(), R(1, 0) * x + R(1, 1) * y + R(1, 2) * z + p.y(),
          R(2, 0) * x + R(2, 1) * y + R(2, 2) * z + p.z()};
}

/// I²u / |I u|                                                                                 [lgvci (104)]
Vec3 ellipsoid_support(const Vec3& a, const Vec3& u) {
  const Real x = a.x() * u.x(), y = a.y() * u.y(), z = a.z() * u.z();
  const Real scale = 1 / std::sqrt(x * x + y * y + z * z);
  return {a.x() * x * scale, a.y() * y * scale, a.z() * z * scale};
}

/// Farthest point of the disc about the z axis; its middle if all are equally far, so that no direction is favoured.
Vec3 disc_support(Real radius, Real z, const Vec3& u) {
  const Real length = std::sqrt(u.x() * u.x() + u.y() * u.y());
  if (!(length > 0)) return {0, 0, z};
  const Real scale = radius / length;
  return {scale * u.x(), scale * u.y(), z};
}

Vec3 cone_support(const Vec3& size, const Vec3& u) {
  const Real apex = size.z() * u.z(), rim = size.x() * std::sqrt(u.x() * u.x() + u.y() * u.y()) - apex;
  return apex >= rim ? Vec3(0, 0, size.z()) : disc_support(size.x(), -size.z(), u);
}

const Vec3& polytope_support(const Data& data, const Vec3& d) {
  return data.vertices[farthest_vertex(data, d.x(), d.y(), d.z())];
}

/// Appends those of eight rim points, counted from the farthest, that lie at most `slack_left` behind it; none if that
/// is negative.
void add_rim(const Data& data, const Vec3& u, Real z, Real slack_left, std::vector<Vec3>& points) {
  if (slack_left < 0) return;
  const Real radius = data.size.x(), length = u.head<2>().norm();
  const Vec2 first = length > 0 ? Vec2(u.head<2>() / length) : Vec2(1, 0);
  const Vec2 across(-first.y(), first.x());
  constexpr Real s = 0.70710678118654752;  // cos and sin of an eighth of a turn
  constexpr std::array<std::array<Real, 2>, 8> kEighths = {
      {{1, 0}, {s, s}, {0, 1}, {-s, s}, {-1, 0}, {-s, -s}, {0, -1}, {s, -s}}};
  for (const auto& [c, sine] : kEighths)
    if (radius * length * (1 - c) <= slack_left) {
      const Vec2 rim = radius * (c * first + sine * across);
      points.push_back(from_core(data, {rim.x(), rim.y(), z}));
    }
}

void add_box_corners(const Data& data, const Vec3& u, Real slack, std::vector<Vec3>& points) {
  // A corner on the far side of axis i lies 2 h_i |u_i| behind the farthest.
  for (int corner = 0; corner < 8; ++corner) {
    Real behind = 0;
    Vec3 p = data.X.p;
    for (int i = 0; i < 3; ++i) {
      const Real side = (corner >> i & 1) != 0 ? 1 : -1;
      if (side * u[i] < 0) behind += 2 * data.size[i] * std::abs(u[i]);
      p += side * data.half_axes.col(i);
    }
    if (behind <= slack) points.push_back(p);
  }
}

/// Largest |D y - q| over |y| <= 1. For every lambda >= max a_i² the value lambda + |q|² + Σ a_i² q_i²/(lambda - a_i²)
/// is a bound of its square, by Lagrange duality, and the least of them is it.
Real farthest_on_ellipsoid(const Vec3& a, const Vec3& q) {
  const Vec3 a2 = a.cwiseAbs2(), w = a.cwiseProduct(q).cwiseAbs2();
  const auto sum = [&](Real lambda, int power) {
    Real total = 0;
    for (int i = 0; i < 3; ++i)
      if (w[i] > 0) total += w[i] / (power == 2 ? (lambda - a2[i]) * (lambda - a2[i]) : lambda - a2[i]);
    return total;
  };
  Real low = a2.maxCoeff(), high = low + std::sqrt(w.sum());
  for (;;) {
    const Real middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) break;
    (sum(middle, 2) > 1 ? low : high) = middle;
  }
  // Where q is below the rounding of a, the interval has no inside and the sum is infinite; the triangle is a bound
  // too.
  return std::min(std::sqrt(high + q.squaredNorm() + sum(high, 1)), a.maxCoeff() + q.norm());
}

/// From a box around the set: at most √3 too large.
Real farthest_in_box(const Convex& convex, const Vec3& point) {
  Vec3 reach;
  for (int i = 0; i < 3; ++i) {
    const Vec3 e = Vec3::Unit(i);
    reach[i] = std::max(convex.support(e)[i] - point[i], point[i] - convex.support(-e)[i]);
  }
  return reach.cwiseMax(0).norm();
}

/// See Core::extent.
Mat3 extent_of(const Core& core) {
  if (core.kind != CoreKind::Polytope) return core.size.cwiseAbs2().asDiagonal();
  Mat3 sum = Mat3::Zero();
  for (std::uint32_t i = 0; i < core.count; ++i) {
    const Vec3 v = Vec3(core.x()[i], core.y()[i], core.z()[i]) - core.center;
    sum += v * v.transpose();
  }
  return (2 / static_cast<Real>(core.count)) * sum;
}

/// Of a ball that fits into the core, rounding left out; see Core::thickness.
Real inner_diameter(const Data& data) {
  const Vec3& size = data.size;
  switch (data.kind) {
    case CoreKind::Point:
    case CoreKind::Segment:
    case CoreKind::Intersection:
      return 0;
    case CoreKind::Ellipsoid:
    case CoreKind::Box:
    case CoreKind::Cylinder:
      return 2 * size.minCoeff();
    case CoreKind::Cone:
      return 4 * size.x() * size.z() / (size.x() + Vec2(size.x(), 2 * size.z()).norm());
    case CoreKind::Polytope:
      break;
  }
  Real inside = std::numeric_limits<Real>::infinity();
  if (data.polytope.flat()) return inside;
  for (Polytope::Index f = 0; f < data.polytope.face_count(); ++f)
    inside = std::min(inside, data.polytope.offset(f) - data.polytope.normal(f).dot(data.center));
  return 2 * std::max(inside, 0.0);
}

/// Takes over the polytope's vertices, and their mean as the centre. Allocates nothing if there were as many before.
void set_vertices(Data& data) {
  const Polytope& polytope = data.polytope;
  data.kind = CoreKind::Polytope;
  data.count = polytope.vertex_count();
  data.stride = polytope.vertex_stride();
  data.coordinates = polytope.coordinates();
  data.vertices.clear();
  Vec3 sum = Vec3::Zero();
  for (Polytope::Index i = 0; i < data.count; ++i) {
    data.vertices.push_back(polytope.vertex(i));
    sum += data.vertices.back();
  }
  data.center = sum / static_cast<Real>(data.count);
}

}  // namespace

void set_measures(Data& data, const Convex& convex) {
  data.reach = convex.radius_about(data.center);
  data.extent = extent_of(data);
  data.thickness = inner_diameter(data) + 2 * data.rounding;
}

void set_polytope(Data& data, const TriangleMesh& hull) {
  data.polytope = make_polytope(hull);
  set_vertices(data);
  data.climbs = data.vertices.size() > kScanAtMost;
  if (!data.climbs) return;

  std::vector<std::array<std::uint32_t, 2>> edges;
  for (const auto& t : hull.triangles)
    for (std::size_t k = 0; k < 3; ++k) edges.push_back({t[k], t[(k + 1) % 3]});  // each edge comes in both directions
  std::sort(edges.begin(), edges.end());
  data.first_neighbour.assign(data.vertices.size() + 1, 0);
  for (const auto& [from, to] : edges) {
    ++data.first_neighbour[from + 1];
    data.neighbours.push_back(to);
  }
  for (std::size_t i = 0; i < data.vertices.size(); ++i) data.first_neighbour[i + 1] += data.first_neighbour[i];
  // The extreme vertices along the 26 directions from a cube's middle to its corners, edges and faces.
  std::vector<std::uint32_t> seeds;
  for (int i = 0; i < 27; ++i) {
    const int x = i % 3 - 1, y = i / 3 % 3 - 1, z = i / 9 - 1;
    const Vec3 d(x, y, z);
    if (d.isZero()) continue;
    const auto best = std::max_element(data.vertices.begin(), data.vertices.end(),
                                       [&](const Vec3& p, const Vec3& q) { return p.dot(d) < q.dot(d); });
    seeds.push_back(static_cast<std::uint32_t>(best - data.vertices.begin()));
  }
  std::sort(seeds.begin(), seeds.end());
  seeds.erase(std::unique(seeds.begin(), seeds.end()), seeds.end());
  data.seeds = std::move(seeds);
}

Convex::Convex(const Shape& shape, const Pose& X_BS, Real rounding) {
  const Solid checked(shape, X_BS, rounding);
  DataMaker maker(X_BS, rounding);
  std::visit(maker, shape);
  auto data = std::make_shared<Data>(maker.take());
  data_ = data;
  set_measures(*data, *this);
}

Vec3 Convex::support(const Vec3& direction) const {
  const Data& data = *data_;
  switch (data.kind) {
    case CoreKind::Point:
      return data.X.p;
    case CoreKind::Box: {
      Vec3 p = data.X.p;
      for (int i = 0; i < 3; ++i) {
        const Vec3 half_axis = data.half_axes.col(i);
        if (half_axis.dot(direction) >= 0)
          p += half_axis;
        else
          p -= half_axis;
      }
      return p;
    }
    case CoreKind::Polytope:
      return polytope_support(data, direction);
    case CoreKind::Intersection:
      return data.intersection != nullptr ? data.intersection->support(direction) : data.pair.support(direction);
    default:
      break;
  }
  Vec3 u = to_core(data, direction);
  // Squares of these would leave the number range.
  constexpr Real kTiny = 1e-140, kHuge = 1e140;
  const Real largest = std::max({std::abs(u.x()), std::abs(u.y()), std::abs(u.z())});
  if (largest < kTiny || largest > kHuge) u /= largest;
  switch (data.kind) {
    case CoreKind::Segment:
      return from_core(data, {0, 0, u.z() >= 0 ? data.size.z() : -data.size.z()});
    case CoreKind::Ellipsoid:
      return from_core(data, ellipsoid_support(data.size, u));
    case CoreKind::Cylinder:
      return from_core(data, disc_support(data.size.x(), u.z() >= 0 ? data.size.z() : -data.size.z(), u));
    default:
      return from_core(data, cone_support(data.size, u));
  }
}

void Convex::extreme_points(const Vec3& direction, Real slack, std::vector<Vec3>& points) const {
  const Data& data = *data_;
  points.clear();
  const Vec3 u = to_core(data, direction);
  const Real h = data.size.z();
  switch (data.kind) {
    case CoreKind::Segment:
      for (const Real z : {-h, h})
        if (h * std::abs(u.z()) - z * u.z() <= slack) points.push_back(from_core(data, {0, 0, z}));
      return;
    case CoreKind::Box:
      return add_box_corners(data, u, slack, points);
    case CoreKind::Cylinder:
      for (const Real z : {-h, h}) add_rim(data, u, z, slack - (h * std::abs(u.z()) - z * u.z()), points);
      return;
    case CoreKind::Cone: {
      const Real apex = h * u.z(), rim = data.size.x() * u.head<2>().norm() - h * u.z();
      const Real farthest = std::max(apex, rim);
      add_rim(data, u, -h, slack - (farthest - rim), points);
      if (farthest - apex <= slack) points.push_back(from_core(data, {0, 0, h}));
      return;
    }
    case CoreKind::Polytope: {
      const Real farthest = polytope_support(data, direction).dot(direction);
      for (const Vec3& v : data.vertices)
        if (farthest - v.dot(direction) <= slack) points.push_back(v);
      return;
    }
    case CoreKind::Intersection:
      if (data.intersection != nullptr) return data.intersection->extreme_points(direction, slack, points);
      points.push_back(support(direction));
      return;
    default:
      points.push_back(support(direction));
  }
}

Real Convex::rounding() const { return data_->rounding; }

Vec3 Convex::center() const { return data_->center; }

Real Convex::radius_about(const Vec3& point) const {
  const Data& data = *data_;
  const Vec3 q = to_core(data, point - data.X.p);
  const Vec3 far = q.cwiseAbs() + data.size;
  switch (data.kind) {
    case CoreKind::Point:
    case CoreKind::Segment:
    case CoreKind::Box:
      return far.norm() + data.rounding;
    case CoreKind::Ellipsoid:
      return farthest_on_ellipsoid(data.size, q) + data.rounding;
    case CoreKind::Cylinder:
      return Vec2(q.head<2>().norm() + data.size.x(), far.z()).norm() + data.rounding;
    case CoreKind::Cone: {
      const Real axis = q.head<2>().norm();
      const Real rim = Vec2(axis + data.size.x(), q.z() + data.size.z()).norm();
      return std::max(rim, Vec2(axis, q.z() - data.size.z()).norm()) + data.rounding;
    }
    case CoreKind::Polytope: {
      Real farthest = 0;
      for (const Vec3& v : data.vertices) farthest = std::max(farthest, (v - point).norm());
      return farthest + data.rounding;
    }
    case CoreKind::Intersection:
      break;
  }
  return farthest_in_box(*this, point) + data.rounding;
}

const Core& Convex::core() const { return *data_; }

const Polytope* Convex::polytope() const {
  return data_->kind == CoreKind::Box || data_->kind == CoreKind::Polytope ? &data_->polytope : nullptr;
}

bool Convex::is_smooth() const { return data_->rounding > 0 || data_->kind == CoreKind::Ellipsoid; }

ConvexTriangle::ConvexTriangle(Real rounding) : data_(std::make_shared<Convex::Data>()), convex_(data_) {
  require(rounding >= 0 && std::isfinite(rounding), "convex triangle", "rounding", "be finite and not negative",
          rounding);
  data_->rounding = rounding;
  set(Vec3::Zero(), Vec3::Zero(), Vec3::Zero());
}

const Convex& ConvexTriangle::set(const Vec3& a, const Vec3& b, const Vec3& c) {
  set_triangle(data_->polytope, a, b, c);
  set_vertices(*data_);
  set_measures(*data_, convex_);
  return convex_;
}

}  // namespace visviva::geometry
