#pragma once

#include "real3.hpp"
#include "visviva/geometry/convex.hpp"
#include "visviva/geometry/core.hpp"

namespace visviva::collision {

/// A core in its own frame S, for the inner loops.
struct CoreView {
  const geometry::Convex* set;
  const geometry::Core* core;

  explicit CoreView(const geometry::Convex& convex) : set(&convex), core(&convex.core()) {}
};

inline Real3 disc_support(Real radius, Real z, const Real3& u) {
  const Real length = std::sqrt(u.x * u.x + u.y * u.y);
  if (!(length > 0)) return {0, 0, z};
  const Real scale = radius / length;
  return {scale * u.x, scale * u.y, z};
}

/// The point farthest along u, about unit, in S. Signs are copied: a branch on them would be a coin's toss.
inline Real3 support(const CoreView& view, const Real3& u) {
  const geometry::Core& core = *view.core;
  const Real a = core.size.x(), b = core.size.y(), c = core.size.z();
  switch (core.kind) {
    case geometry::CoreKind::Point:
      return {0, 0, 0};
    case geometry::CoreKind::Segment:
      return {0, 0, std::copysign(c, u.z)};
    case geometry::CoreKind::Box:
      return {std::copysign(a, u.x), std::copysign(b, u.y), std::copysign(c, u.z)};
    case geometry::CoreKind::Polytope: {
      const std::uint32_t i = geometry::farthest_vertex(core, u.x, u.y, u.z);
      return {core.x()[i], core.y()[i], core.z()[i]};
    }
    case geometry::CoreKind::Ellipsoid: {  // I²u / |I u|                                      [lgvci (104)]
      const Real x = a * u.x, y = b * u.y, z = c * u.z;
      const Real scale = 1 / std::sqrt(x * x + y * y + z * z);
      return {a * x * scale, b * y * scale, c * z * scale};
    }
    case geometry::CoreKind::Cylinder:
      return disc_support(a, std::copysign(c, u.z), u);
    case geometry::CoreKind::Cone: {
      const Real apex = c * u.z, rim = a * std::sqrt(u.x * u.x + u.y * u.y) - apex;
      return apex >= rim ? Real3{0, 0, c} : disc_support(a, -c, u);
    }
    case geometry::CoreKind::Intersection:
      break;
  }
  return from_eigen(view.set->support(to_eigen(u)));
}

/// True if the surface has parts that are curved.
inline bool is_curved(geometry::CoreKind kind) {
  using enum geometry::CoreKind;
  return kind == Ellipsoid || kind == Cylinder || kind == Cone || kind == Intersection;
}

/// Derivative of the support point along two tangents of the unit sphere: t_i · D(support) t_j, symmetric, >= 0. The
/// matrix of curvature radii where the surface is smooth.
struct CurvatureRadii {
  Real k11 = 0, k12 = 0, k22 = 0;
};

inline CurvatureRadii disc_radii(Real radius, const Real3& u, const Real3& t1, const Real3& t2) {
  const Real l2 = u.x * u.x + u.y * u.y;
  if (!(l2 > 0)) return {};
  const Real K = radius / (l2 * std::sqrt(l2)), e1 = u.x * t1.y - u.y * t1.x, e2 = u.x * t2.y - u.y * t2.x;
  return {K * e1 * e1, K * e1 * e2, K * e2 * e2};
}

/// Closed form; false for a kind without one. u unit, all in S.
inline bool curvature_radii(const CoreView& view, const Real3& u, const Real3& t1, const Real3& t2,
                            CurvatureRadii& radii) {
  const geometry::Core& core = *view.core;
  switch (core.kind) {
    case geometry::CoreKind::Ellipsoid: {
      // h = |I u|, D = (I² - (I²u)(I²u)^T / h²) / h
      const Real a = core.size.x(), b = core.size.y(), c = core.size.z();
      const Real3 v{a * u.x, b * u.y, c * u.z}, s1{a * t1.x, b * t1.y, c * t1.z}, s2{a * t2.x, b * t2.y, c * t2.z};
      const Real h2 = squared_norm(v), scale = 1 / (h2 * std::sqrt(h2));
      // |s|² h² - (s·v)² = |s × v|², without the cancellation
      const Real3 e1 = cross(s1, v), e2 = cross(s2, v);
      radii = {dot(e1, e1) * scale, dot(e1, e2) * scale, dot(e2, e2) * scale};
      return true;
    }
    case geometry::CoreKind::Cylinder:
      radii = disc_radii(core.size.x(), u, t1, t2);
      return true;
    case geometry::CoreKind::Cone: {
      const Real apex = core.size.z() * u.z, rim = core.size.x() * std::sqrt(u.x * u.x + u.y * u.y) - apex;
      radii = apex >= rim ? CurvatureRadii{} : disc_radii(core.size.x(), u, t1, t2);
      return true;
    }
    case geometry::CoreKind::Intersection:
      return false;
    default:
      radii = {};
      return true;
  }
}

}  // namespace visviva::collision
