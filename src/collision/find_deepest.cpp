#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "minkowski_difference.hpp"

namespace visviva::collision {

namespace {

constexpr int kMaxExpansions = 200;
/// Of the size. Newton's method does the rest where C is curved.
constexpr Real kTolerance = 1e-13;

struct Facet {
  std::array<std::size_t, 3> vertex;  ///< counter-clockwise from outside
  Vec3 m;                             ///< unit, outward
  Real height;                        ///< of its plane over 0 along m
};

/// Polytope inside C. Outward is away from `inside`.
class Expanding {
 public:
  Expanding(const MinkowskiDifference& C, Real tolerance) : C_(C), tolerance_(tolerance) {}

  [[nodiscard]] bool make_tetrahedron(Direction& flat_normal);
  /// Until the nearest facet lies on the surface of C.
  void expand();

  [[nodiscard]] const Direction& best() const { return best_; }
  /// The point of the nearest facet that is nearest to 0, as far as it lies on it.
  [[nodiscard]] const DifferenceVertex& foot() const { return foot_; }

 private:
  bool add_facet(std::size_t i, std::size_t j, std::size_t k);
  /// Adds the support point along m; true if it is the best direction so far.
  bool look_along(const Vec3& m);
  [[nodiscard]] DifferenceVertex foot(const Facet& facet) const;
  [[nodiscard]] std::size_t facet_along(std::size_t from, std::size_t to) const;  ///< with that directed edge
  bool replace_visible(const Vec3& w);
  /// Of two supports along ±m the one farther from vertex 0 along m.
  [[nodiscard]] DifferenceVertex farther(const Vec3& m) const;

  const MinkowskiDifference& C_;
  Real tolerance_;
  std::vector<DifferenceVertex> vertices_;
  std::vector<Facet> facets_;
  std::size_t nearest_ = 0;  ///< facet
  DifferenceVertex foot_;
  Direction best_{Vec3::UnitX(), {}, -std::numeric_limits<Real>::infinity()};
  std::vector<std::size_t> visible_;
  std::vector<std::array<std::size_t, 2>> horizon_;
};

DifferenceVertex Expanding::farther(const Vec3& m) const {
  const DifferenceVertex plus = C_.support(-m), minus = C_.support(m);
  const Vec3& w0 = vertices_[0].w;
  return m.dot(plus.w - w0) >= m.dot(w0 - minus.w) ? plus : minus;
}

bool Expanding::make_tetrahedron(Direction& flat_normal) {
  vertices_.push_back(C_.support(-Vec3::UnitX()));
  const Vec3 w0 = vertices_[0].w;
  DifferenceVertex far = vertices_[0];
  for (const Vec3& axis : {Vec3(Vec3::UnitX()), Vec3(Vec3::UnitY()), Vec3(Vec3::UnitZ())}) {
    const DifferenceVertex v = farther(axis);
    if ((v.w - w0).squaredNorm() > (far.w - w0).squaredNorm()) far = v;
  }
  vertices_.push_back(far);
  flat_normal.n = Vec3::UnitX();
  const Real length = (far.w - w0).norm();
  if (!(length > tolerance_)) return false;  // a point

  const Vec3 e = (far.w - w0) / length;
  Eigen::Index axis = 0;
  e.cwiseAbs().minCoeff(&axis);
  const Vec3 t1 = e.cross(Vec3::Unit(axis)).normalized(), t2 = e.cross(t1);
  const auto off_line = [&](const DifferenceVertex& v) { return e.cross(v.w - w0).norm(); };
  const DifferenceVertex p = farther(t1), q = farther(t2);
  vertices_.push_back(off_line(p) >= off_line(q) ? p : q);
  flat_normal.n = t1;
  if (!(off_line(vertices_[2]) > tolerance_)) return false;  // a segment

  const Vec3 m = e.cross(vertices_[2].w - w0).normalized();
  vertices_.push_back(farther(m));
  flat_normal.n = m;
  const Real height = m.dot(vertices_[3].w - w0);
  if (!(std::abs(height) > tolerance_)) return false;  // flat
  if (height > 0) std::swap(vertices_[1], vertices_[2]);
  return add_facet(0, 1, 2) && add_facet(0, 3, 1) && add_facet(1, 3, 2) && add_facet(2, 3, 0);
}

bool Expanding::add_facet(std::size_t i, std::size_t j, std::size_t k) {
  const Vec3 &a = vertices_[i].w, &b = vertices_[j].w, &c = vertices_[k].w;
  const Vec3 m = (b - a).cross(c - a);
  const Real length = m.norm();
  if (!(length > 0)) return false;
  facets_.push_back({{i, j, k}, m / length, (m / length).dot(a)});
  return true;
}

bool Expanding::look_along(const Vec3& m) {
  Direction x{-m, C_.support(-m), 0};
  x.d = x.n.dot(x.vertex.w);
  vertices_.push_back(x.vertex);
  if (!(x.d > best_.d)) return false;
  best_ = x;
  return true;
}

bool Expanding::replace_visible(const Vec3& w) {
  // From the nearest facet over its neighbours, so that what is removed hangs together whatever rounding says.
  visible_.assign(1, nearest_);
  horizon_.clear();
  for (std::size_t i = 0; i < visible_.size(); ++i)
    for (std::size_t s = 0; s < 3; ++s) {
      const std::size_t from = facets_[visible_[i]].vertex[s], to = facets_[visible_[i]].vertex[(s + 1) % 3];
      const std::size_t neighbour = facet_along(to, from);
      if (neighbour == facets_.size()) return false;
      if (std::find(visible_.begin(), visible_.end(), neighbour) != visible_.end()) continue;
      if (facets_[neighbour].m.dot(w) - facets_[neighbour].height > 0)
        visible_.push_back(neighbour);
      else
        horizon_.push_back({from, to});
    }
  std::sort(visible_.begin(), visible_.end());
  for (std::size_t i = visible_.size(); i-- > 0;) {
    facets_[visible_[i]] = facets_.back();
    facets_.pop_back();
  }
  // An edge seen before its other facet was found visible is not on the horizon.
  std::erase_if(horizon_, [&](const auto& edge) { return facet_along(edge[1], edge[0]) == facets_.size(); });
  const std::size_t last = vertices_.size() - 1;
  for (const auto& [from, to] : horizon_)
    if (!add_facet(from, to, last)) return false;
  return true;
}

std::size_t Expanding::facet_along(std::size_t from, std::size_t to) const {
  for (std::size_t f = 0; f < facets_.size(); ++f)
    for (std::size_t s = 0; s < 3; ++s)
      if (facets_[f].vertex[s] == from && facets_[f].vertex[(s + 1) % 3] == to) return f;
  return facets_.size();
}

void Expanding::expand() {
  for (int i = 0; i < kMaxExpansions; ++i) {
    nearest_ = 0;
    for (std::size_t f = 1; f < facets_.size(); ++f)
      if (facets_[f].height < facets_[nearest_].height) nearest_ = f;
    const Facet facet = facets_[nearest_];
    if (look_along(facet.m)) foot_ = foot(facet);
    const Vec3 w = vertices_.back().w;
    if (!(facet.m.dot(w) - facet.height > tolerance_) || !replace_visible(w)) return;
  }
}

DifferenceVertex Expanding::foot(const Facet& facet) const {
  const DifferenceVertex &a = vertices_[facet.vertex[0]], &b = vertices_[facet.vertex[1]],
                         &c = vertices_[facet.vertex[2]];
  const Vec3 p = facet.height * facet.m;
  const auto area = [&](const Vec3& u, const Vec3& v) { return std::max((u - p).cross(v - p).dot(facet.m), 0.0); };
  const Real A = area(b.w, c.w), B = area(c.w, a.w), C = area(a.w, b.w), sum = A + B + C;
  return {(A * a.w + B * b.w + C * c.w) / sum, (A * a.a + B * b.a + C * c.a) / sum,
          (A * a.b + B * b.b + C * c.b) / sum};
}

}  // namespace

Deepest find_deepest(const MinkowskiDifference& C, const DifferenceVertex& common) {
  const Real size = magnitude(C.support(Vec3::UnitX())) + magnitude(C.support(-Vec3::UnitX()));
  Expanding polytope(C, kTolerance * size);
  Direction flat;
  if (!polytope.make_tetrahedron(flat)) {
    flat.vertex = C.support(flat.n);
    flat.d = 0;
    return {flat, common};
  }
  polytope.expand();
  Deepest deepest{polytope.best(), polytope.foot()};
  climb_by_newton(C, deepest.direction, deepest.points);
  return deepest;
}

}  // namespace visviva::collision
