#include "bench/collision/reference_distance.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "visviva/geometry/convex_hull.hpp"

namespace visviva::bench {

namespace {

using Long = long double;
using Vec3L = Eigen::Matrix<Long, 3, 1>;
using Mat3L = Eigen::Matrix<Long, 3, 3>;

// ---------------------------------------------------------------------------- polytopes and less, with a radius

struct Core {
  std::vector<Vec3L> vertices;
  std::vector<std::array<std::size_t, 2>> edges;
  std::vector<std::array<std::size_t, 3>> triangles;
  Long radius = 0;
};

class CoreMaker {
 public:
  explicit CoreMaker(const Pose& X) : X_(X) {}

  std::optional<Core> operator()(const geometry::Sphere& s) const { return Core{{at({0, 0, 0})}, {}, {}, s.radius}; }
  std::optional<Core> operator()(const geometry::Capsule& s) const {
    return Core{{at({0, 0, -s.half_height}), at({0, 0, s.half_height})}, {{0, 1}}, {}, s.radius};
  }
  std::optional<Core> operator()(const geometry::Box& s) const {
    geometry::ConvexHull corners;
    for (int i = 0; i < 8; ++i)
      corners.points.push_back(s.half_extents.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
    return (*this)(corners);
  }
  std::optional<Core> operator()(const geometry::ConvexHull& s) const {
    const geometry::TriangleMesh mesh = geometry::make_convex_hull(s);
    Core core;
    for (const Vec3& v : mesh.vertices) core.vertices.push_back(at(v));
    for (const auto& t : mesh.triangles) {
      core.triangles.push_back({t[0], t[1], t[2]});
      for (std::size_t k = 0; k < 3; ++k)
        if (t[k] < t[(k + 1) % 3]) core.edges.push_back({t[k], t[(k + 1) % 3]});
    }
    return core;
  }
  template <class Other>
  std::optional<Core> operator()(const Other&) const {
    return std::nullopt;
  }

 private:
  [[nodiscard]] Vec3L at(const Vec3& p) const { return X_.R.cast<Long>() * p.cast<Long>() + X_.p.cast<Long>(); }
  Pose X_;
};

/// Gap along n from A to B.
Long gap(const Core& A, const Core& B, const Vec3L& n) {
  Long a = -std::numeric_limits<Long>::infinity(), b = std::numeric_limits<Long>::infinity();
  for (const Vec3L& v : A.vertices) a = std::max(a, v.dot(n));
  for (const Vec3L& v : B.vertices) b = std::min(b, v.dot(n));
  return b - a;
}

void widen(const Core& A, const Core& B, const Vec3L& direction, Long& widest) {
  const Long length = direction.norm();
  if (!(length > 1e-15L)) return;  // of parallel edges: other axes hold for them
  const Vec3L n = direction / length;
  widest = std::max({widest, gap(A, B, n), gap(A, B, -n)});
}

/// Largest gap over the normals of all faces and all pairs of edges. Two polytopes overlap if it is negative, and then
/// it is minus the depth; one of them may be a segment or a point.
Long widest_gap(const Core& A, const Core& B) {
  Long widest = -std::numeric_limits<Long>::infinity();
  for (const Core* C : {&A, &B})
    for (const auto& t : C->triangles) {
      const Vec3L& p = C->vertices[t[0]];
      widen(A, B, (C->vertices[t[1]] - p).cross(C->vertices[t[2]] - p), widest);
    }
  for (const auto& e : A.edges)
    for (const auto& f : B.edges)
      widen(A, B, (A.vertices[e[1]] - A.vertices[e[0]]).cross(B.vertices[f[1]] - B.vertices[f[0]]), widest);
  return widest;
}

Long point_to_segment(const Vec3L& p, const Vec3L& a, const Vec3L& b) {
  const Long t = std::clamp<Long>((p - a).dot(b - a) / (b - a).squaredNorm(), 0, 1);
  return (p - a - t * (b - a)).norm();
}

/// Of the plane if the foot is within, else infinite: edges and vertices have their own turn.
Long point_to_triangle(const Vec3L& p, const Vec3L& a, const Vec3L& b, const Vec3L& c) {
  const Vec3L m = (b - a).cross(c - a);
  const bool within =
      m.dot((b - a).cross(p - a)) >= 0 && m.dot((c - b).cross(p - b)) >= 0 && m.dot((a - c).cross(p - c)) >= 0;
  return within ? std::abs(m.dot(p - a)) / m.norm() : std::numeric_limits<Long>::infinity();
}

/// Of the lines if they meet the common perpendicular within both, else of an end.
Long segment_to_segment(const Vec3L& a, const Vec3L& b, const Vec3L& c, const Vec3L& d) {
  Long least = std::min(
      {point_to_segment(a, c, d), point_to_segment(b, c, d), point_to_segment(c, a, b), point_to_segment(d, a, b)});
  const Vec3L u = b - a, v = d - c, m = u.cross(v);
  const Long m2 = m.squaredNorm();
  if (m2 > 1e-30L * u.squaredNorm() * v.squaredNorm()) {
    const Long s = (c - a).cross(v).dot(m) / m2, t = (c - a).cross(u).dot(m) / m2;
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) least = std::min(least, std::abs((c - a).dot(m)) / std::sqrt(m2));
  }
  return least;
}

Long least_feature_distance(const Core& A, const Core& B) {
  Long least = std::numeric_limits<Long>::infinity();
  for (const Vec3L& a : A.vertices)
    for (const Vec3L& b : B.vertices) least = std::min(least, (a - b).norm());
  const auto vertices_to_others = [&](const Core& P, const Core& Q) {
    for (const Vec3L& p : P.vertices) {
      for (const auto& e : Q.edges) least = std::min(least, point_to_segment(p, Q.vertices[e[0]], Q.vertices[e[1]]));
      for (const auto& t : Q.triangles)
        least = std::min(least, point_to_triangle(p, Q.vertices[t[0]], Q.vertices[t[1]], Q.vertices[t[2]]));
    }
  };
  vertices_to_others(A, B);
  vertices_to_others(B, A);
  for (const auto& e : A.edges)
    for (const auto& f : B.edges)
      least =
          std::min(least, segment_to_segment(A.vertices[e[0]], A.vertices[e[1]], B.vertices[f[0]], B.vertices[f[1]]));
  return least;
}

Long distance_of_cores(const Core& A, const Core& B) {
  const bool solid = !A.triangles.empty() || !B.triangles.empty();
  const Long widest = solid ? widest_gap(A, B) : 1;
  return (widest < 0 ? widest : least_feature_distance(A, B)) - A.radius - B.radius;
}

// --------------------------------------------------------------------------------------------- two ellipsoids

/// σ(n) = n·c − √(n·P n) − √(n·Q n), whose maximum over the sphere is the signed distance.
class EllipsoidGap {
 public:
  EllipsoidGap(const geometry::Ellipsoid& a, const Pose& X_WA, const geometry::Ellipsoid& b, const Pose& X_WB)
      : c_((X_WB.p.cast<Long>() - X_WA.p.cast<Long>())), P_(shape_matrix(a, X_WA)), Q_(shape_matrix(b, X_WB)) {}

  [[nodiscard]] const Vec3L& centres() const { return c_; }

  /// The local maximum that Newton's method on the sphere, with ascent where it does not go up, finds from n.
  [[nodiscard]] Long climb(Vec3L n) const {
    Long value = at(n);
    for (int i = 0; i < 200; ++i) {
      const Vec3L pn = P_ * n, qn = Q_ * n;
      const Long hp = std::sqrt(n.dot(pn)), hq = std::sqrt(n.dot(qn));
      const Vec3L g = c_ - pn / hp - qn / hq, tangent = g - n * n.dot(g);
      const Mat3L H = pn * pn.transpose() / (hp * hp * hp) - P_ / hp + qn * qn.transpose() / (hq * hq * hq) - Q_ / hq -
                      n.dot(g) * Mat3L::Identity();
      const Mat3L T = Mat3L::Identity() - n * n.transpose();
      // −n nᵀ makes the projected matrix regular.
      Vec3L step = (T * H * T - n * n.transpose()).fullPivLu().solve(-tangent);
      if (!(step.dot(tangent) > 0)) step = tangent;
      Long scale = 1;
      for (; scale > 1e-12L; scale /= 2) {
        const Vec3L next = (n + scale * step).normalized();
        if (at(next) > value) {
          n = next;
          value = at(n);
          break;
        }
      }
      if (!(scale > 1e-12L)) break;
    }
    return value;
  }

 private:
  static Mat3L shape_matrix(const geometry::Ellipsoid& e, const Pose& X) {
    const Mat3L R = X.R.cast<Long>();
    return R * e.semi_axes.cast<Long>().cwiseAbs2().asDiagonal() * R.transpose();
  }
  [[nodiscard]] Long at(const Vec3L& n) const {
    return n.dot(c_) - std::sqrt(n.dot(P_ * n)) - std::sqrt(n.dot(Q_ * n));
  }
  Vec3L c_;
  Mat3L P_, Q_;
};

Long distance_of_ellipsoids(const EllipsoidGap& gap) {
  constexpr int kStarts = 200;
  Long widest = gap.climb(gap.centres().normalized());
  if (widest > 0) return widest;  // the only maximum
  for (int i = 0; i < kStarts; ++i) {
    // Points of a spiral that covers the sphere evenly.
    const Long z = 1 - (2 * static_cast<Long>(i) + 1) / kStarts, r = std::sqrt(1 - z * z);
    const Long angle = 2.399963229728653L * static_cast<Long>(i);
    widest = std::max(widest, gap.climb({r * std::cos(angle), r * std::sin(angle), z}));
  }
  return widest;
}

}  // namespace

std::optional<Real> reference_distance(const geometry::Shape& a, const Pose& X_WA, const geometry::Shape& b,
                                       const Pose& X_WB) {
  const auto *e = std::get_if<geometry::Ellipsoid>(&a), *f = std::get_if<geometry::Ellipsoid>(&b);
  if (e != nullptr && f != nullptr) return static_cast<Real>(distance_of_ellipsoids(EllipsoidGap(*e, X_WA, *f, X_WB)));
  const std::optional<Core> A = std::visit(CoreMaker(X_WA), a), B = std::visit(CoreMaker(X_WB), b);
  if (!A || !B) return std::nullopt;
  return static_cast<Real>(distance_of_cores(*A, *B));
}

}  // namespace visviva::bench
