#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "visviva/core/error.hpp"
#include "visviva/geometry/convex_hull.hpp"
#include "visviva/math/elementary.hpp"
#include "visviva/math/quadrature.hpp"
#include "volume_moments.hpp"

// Moments of a convex shape with a ball of radius ε added all around (Minkowski sum). A polyhedron becomes itself, a
// prism of height ε on each triangle, a wedge (sector of a circle, along the edge) at each edge and a sector of a ball
// at each corner. All integrals are closed forms. Cylinder and cone become bodies of revolution whose profile consists
// of arcs and lines; Gauss's rule is good to rounding on each.
namespace visviva::geometry {
namespace {

using std::numbers::pi;

Mat3 symmetric(const Vec3& a, const Vec3& b) { return a * b.transpose() + b * a.transpose(); }

/// A triangle at one of its edges.
struct EdgeSide {
  std::uint32_t low, high;
  bool ascending;
  Vec3 normal;
};

class RoundedPolyhedron {
 public:
  RoundedPolyhedron(const TriangleMesh& mesh, Real radius, std::string_view name)
      : mesh_(mesh), e_(radius), sum_(polyhedron_moments(mesh, name)), solid_angle_(mesh.vertices.size(), 2 * pi) {
    for (const auto& t : mesh.triangles) add_prism(t);
    const auto by_edge = [](const EdgeSide& a, const EdgeSide& b) {
      if (a.low != b.low) return a.low < b.low;
      return a.high != b.high ? a.high < b.high : a.ascending > b.ascending;
    };
    std::sort(sides_.begin(), sides_.end(), by_edge);
    for (std::size_t i = 0; i + 1 < sides_.size(); i += 2) add_edge(sides_[i], sides_[i + 1].normal);
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) add_corner(i);
  }

  [[nodiscard]] const VolumeMoments& moments() const { return sum_; }

 private:
  [[nodiscard]] Vec3 vertex(std::uint32_t i) const { return mesh_.vertices[i] - sum_.origin; }

  void add_prism(const TriangleMesh::Triangle& t) {
    const std::array<Vec3, 3> v = {vertex(t[0]), vertex(t[1]), vertex(t[2])};
    const Vec3 cross = (v[1] - v[0]).cross(v[2] - v[0]);
    const Real A = 0.5 * cross.norm();
    const Vec3 n = A > 0 ? Vec3(cross / (2 * A)) : Vec3::Zero(), s = v[0] + v[1] + v[2];
    // Over the triangle ∫p = A s/3 and ∫ppᵀ = A/12 (aaᵀ + bbᵀ + ccᵀ + ssᵀ); over the height p + h n, 0 <= h <= ε.
    Mat3 pp = s * s.transpose();
    for (const Vec3& p : v) pp += p * p.transpose();
    sum_.volume += A * e_;
    sum_.first += A * e_ * (s / 3 + e_ / 2 * n);
    sum_.second += A * e_ * (pp / 12 + e_ / 6 * symmetric(s, n) + e_ * e_ / 3 * n * n.transpose());
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t next = (k + 1) % 3;
      const Vec3 to_next = v[next] - v[k], to_last = v[(k + 2) % 3] - v[k];
      solid_angle_[t[k]] -= visviva::atan2(to_next.cross(to_last).norm(), to_next.dot(to_last));
      sides_.push_back({std::min(t[k], t[next]), std::max(t[k], t[next]), t[k] < t[next], n});
    }
  }

  /// Wedge of signed angle θ, with u along the bisector and w across; and what the edge adds to the sectors at its
  /// ends. The normals of a sector fill a spherical polygon Ω whose side at this edge has length θ and inward conormal
  /// τ, t at q and -t at p. By Gauss's theorem on the sphere (1)
  ///   ∫r dΩ = ½ Σ θ τ,   ∫rrᵀ dΩ = ⅓ (Ω·1 + Σ τ (∫r ds)ᵀ),
  /// and Ω is what the corner's angles lack to a full turn. Both sums cancel between p and q, up to the lever arm q -
  /// p.
  void add_edge(const EdgeSide& side, const Vec3& n2) {
    const Vec3 p = vertex(side.low), q = vertex(side.high), n1 = side.normal, middle = 0.5 * (p + q);
    const Real L = (q - p).norm();
    if (!(L > 0) || n1.isZero() || n2.isZero()) return;
    const Vec3 t = (q - p) / L;
    const Real sine = t.dot(n1.cross(n2)), theta = visviva::atan2(sine, n1.dot(n2));
    const Real half_sine = std::copysign(0.5 * (n2 - n1).norm(), theta);  // sin(θ/2)
    const Vec3 u = (n1 + n2).normalized(), w = t.cross(u);
    const Real e2 = e_ * e_, area = e2 / 2 * theta, reach = 2 * e2 * e_ / 3 * half_sine;
    sum_.volume += L * area;
    sum_.first += L * (area * middle + reach * u);
    sum_.second +=
        L * (area * (middle * middle.transpose() + L * L / 12 * t * t.transpose()) + reach * symmetric(middle, u) +
             e2 * e2 / 8 * ((theta + sine) * u * u.transpose() + (theta - sine) * w * w.transpose()));

    sum_.second += e2 * e2 / 4 * symmetric(q - p, 0.5 * theta * t);  // ∫ρ³dρ from 0 to ε, (1)
  }

  void add_corner(std::size_t i) {
    const Vec3 p = vertex(static_cast<std::uint32_t>(i));
    const Real volume = e_ * e_ * e_ / 3 * solid_angle_[i];
    sum_.volume += volume;
    sum_.first += volume * p;
    sum_.second += volume * (p * p.transpose() + e_ * e_ / 5 * Mat3::Identity());
  }

  const TriangleMesh& mesh_;
  Real e_;
  VolumeMoments sum_;
  std::vector<Real> solid_angle_;
  std::vector<EdgeSide> sides_;
};

/// A point of the profile of a body of revolution about z, and dz by the parameter.
struct ProfilePoint {
  Real r, z, dz;
};

class Revolution {
 public:
  /// From `begin` to `end` (r, z), upwards.
  void add_line(const Vec2& begin, const Vec2& end) {
    constexpr int kPoints = 4;  // z²r² and r⁴ are of degree 4
    add(
        [&](Real s) {
          return ProfilePoint{begin.x() + s * (end - begin).x(), begin.y() + s * (end - begin).y(), (end - begin).y()};
        },
        0, 1, kPoints);
  }
  /// About `center` (r, z), where the normal turns from angle `low` to `high` above the plane z = 0.
  void add_arc(const Vec2& center, Real radius, Real low, Real high) {
    constexpr int kPoints = 24;  // entire functions, over at most half a turn
    add(
        [&](Real angle) {
          const SinCos a = sin_cos(angle);
          return ProfilePoint{center.x() + radius * a.cos, center.y() + radius * a.sin, radius * a.cos};
        },
        low, high, kPoints);
  }
  [[nodiscard]] const VolumeMoments& moments() const { return sum_; }

 private:
  template <class F>
  void add(F&& profile, Real low, Real high, int points) {
    const GaussLegendre& rule = gauss_legendre(points);
    for (std::size_t i = 0; i < static_cast<std::size_t>(points); ++i) {
      const Real half = 0.5 * (high - low);
      const ProfilePoint p = profile(0.5 * (low + high) + half * rule.node[i]);
      const Real disc = pi * p.r * p.r * p.dz * half * rule.weight[i], x2 = 0.25 * p.r * p.r;
      sum_.volume += disc;
      sum_.first.z() += disc * p.z;
      sum_.second.diagonal() += disc * Vec3(x2, x2, p.z * p.z);
    }
  }

  VolumeMoments sum_;
};

VolumeMoments rounded(const Box& s, Real radius, std::string_view name) {
  ConvexHull corners;
  for (const Real x : {-1, 1})
    for (const Real y : {-1, 1})
      for (const Real z : {-1, 1}) corners.points.push_back(s.half_extents.cwiseProduct(Vec3(x, y, z)));
  return RoundedPolyhedron(make_convex_hull(corners, name), radius, name).moments();
}

VolumeMoments rounded(const ConvexHull& s, Real radius, std::string_view name) {
  return RoundedPolyhedron(make_convex_hull(s, name), radius, name).moments();
}

VolumeMoments rounded(const Cylinder& s, Real radius, std::string_view) {
  Revolution body;
  const Real R = s.radius, h = s.half_height;
  body.add_arc({R, -h}, radius, -pi / 2, 0);
  body.add_line({R + radius, -h}, {R + radius, h});
  body.add_arc({R, h}, radius, 0, pi / 2);
  return body.moments();
}

VolumeMoments rounded(const Cone& s, Real radius, std::string_view) {
  Revolution body;
  const Real R = s.radius, h = s.half_height;
  const Vec2 out = radius * Vec2(2 * h, R).normalized();  // along the normal of the slant
  const Real slant = visviva::atan2(R, 2 * h);
  body.add_arc({R, -h}, radius, -pi / 2, slant);
  body.add_line(Vec2(R, -h) + out, Vec2(0, h) + out);
  body.add_arc({0, h}, radius, slant, pi / 2);
  return body.moments();
}

/// Spheres, capsules and ellipsoids do not come here.
template <class S>
VolumeMoments rounded(const S&, Real radius, std::string_view name) {
  require(false, name, "rounding", "be 0 for mass properties from a density (a rounded mesh is not integrated)",
          radius);
  return {};
}

}  // namespace

MassProperties mass_properties(const Shape& shape, Real rounding, Real density, std::string_view name) {
  validate(shape, name);
  validate_rounding(shape, rounding, name);
  if (rounding == 0) return mass_properties(shape, density, name);
  require_density(density, name);
  if (const auto* sphere = std::get_if<Sphere>(&shape))
    return mass_properties(Shape(Sphere{sphere->radius + rounding}), density, name);
  if (const auto* capsule = std::get_if<Capsule>(&shape))
    return mass_properties(Shape(Capsule{capsule->radius + rounding, capsule->half_height}), density, name);
  const VolumeMoments moments = std::visit([&](const auto& s) { return rounded(s, rounding, name); }, shape);
  const MassProperties result = to_mass_properties(moments, density);
  validate(result, name);
  return result;
}

}  // namespace visviva::geometry
