#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "distance_parts.hpp"
#include "visviva/math/elementary.hpp"

namespace visviva::geometry {
namespace {

constexpr Real kEpsilon = 0x1p-52;

struct Corners {
  Vec3 a, b, c;
};

Corners corners(const TriangleMesh& mesh, const TriangleMesh::Triangle& t) {
  return {mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]};
}

Vec3 unit_normal(const Corners& t) {
  const Vec3 n = (t.b - t.a).cross(t.c - t.a);
  const Real length = n.norm();
  return length > 0 ? Vec3(n / length) : Vec3::Zero();
}

struct Nearest {
  Vec3 point;
  bool within = false;  // inside the triangle, not on its rim
};

Vec3 nearest_on_segment(const Vec3& a, const Vec3& b, const Vec3& p) {
  const Vec3 ab = b - a;
  const Real square = ab.squaredNorm();
  const Real s = square > 0 ? std::clamp((p - a).dot(ab) / square, 0.0, 1.0) : 0;
  return a + s * ab;
}

/// The projection on the plane if it lies within all three edges, else the nearest point of the edges.
Nearest nearest_on_triangle(const Corners& t, const Vec3& n, const Vec3& p) {
  const auto left_of = [&](const Vec3& from, const Vec3& to) { return n.dot((to - from).cross(p - from)) > 0; };
  if (left_of(t.a, t.b) && left_of(t.b, t.c) && left_of(t.c, t.a)) return {p - n.dot(p - t.a) * n, true};
  Vec3 best = nearest_on_segment(t.a, t.b, p);
  for (const Vec3& q : {nearest_on_segment(t.b, t.c, p), nearest_on_segment(t.c, t.a, p)})
    if ((q - p).squaredNorm() < (best - p).squaredNorm()) best = q;
  return {best, false};
}

/// Solid angle of a triangle seen from the origin.                                [VanOosterom1983]
Real solid_angle(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Real A = a.norm(), B = b.norm(), C = c.norm();
  return 2 * visviva::atan2(a.dot(b.cross(c)), A * B * C + a.dot(b) * C + b.dot(c) * A + c.dot(a) * B);
}

/// Winding number of the surface about the point: 1 inside, 0 outside.
bool is_inside(const TriangleMesh& mesh, const Vec3& p) {
  Real sum = 0;
  for (const auto& triangle : mesh.triangles) {
    const Corners t = corners(mesh, triangle);
    sum += solid_angle(t.a - p, t.b - p, t.c - p);
  }
  return sum > 2 * std::numbers::pi;
}

/// Largest height over the planes of the faces: exact inside a convex polyhedron; > 0 outside.
SignedDistance deepest_plane(const TriangleMesh& hull, const Vec3& p, Real tie) {
  SignedDistance result{-std::numeric_limits<Real>::infinity(), Vec3::Zero(), true};
  for (const auto& triangle : hull.triangles) {
    const Corners t = corners(hull, triangle);
    const Vec3 n = unit_normal(t);
    if (n.isZero()) continue;
    const Real height = n.dot(p - t.a);
    if (height > result.value + tie)
      result = {height, n, true};
    else if (height >= result.value - tie && (n - result.gradient).norm() > 1e-6)
      result.gradient_defined = false;
  }
  if (!result.gradient_defined) result.gradient.setZero();
  return result;
}

Real extent(const TriangleMesh& mesh) {
  Vec3 low = mesh.vertices[mesh.triangles[0][0]], high = low;
  for (const auto& t : mesh.triangles)
    for (const std::uint32_t v : t) {
      low = low.cwiseMin(mesh.vertices[v]);
      high = high.cwiseMax(mesh.vertices[v]);
    }
  return (high - low).maxCoeff();
}

}  // namespace

SignedDistance mesh_distance(const TriangleMesh& mesh, bool convex, const Vec3& point) {
  const Real size = std::max(extent(mesh), (point - mesh.vertices[mesh.triangles[0][0]]).cwiseAbs().maxCoeff());
  const Real tie = 16 * kEpsilon * size;
  if (convex) {
    const SignedDistance inside = deepest_plane(mesh, point, tie);
    if (inside.value <= 0) return inside;
  }
  Real distance = std::numeric_limits<Real>::infinity();
  for (const auto& triangle : mesh.triangles) {
    const Corners t = corners(mesh, triangle);
    distance = std::min(distance, (nearest_on_triangle(t, unit_normal(t), point).point - point).norm());
  }
  // On the surface the difference to the nearest point is rounding: there the triangles' normals tell the gradient.
  const bool on_surface = distance <= tie;
  SignedDistance result = without_gradient(distance);
  Vec3 touch = Vec3::Zero();
  bool found = false, sign_known = convex;
  bool inside = false;
  result.gradient_defined = true;
  for (const auto& triangle : mesh.triangles) {
    const Corners t = corners(mesh, triangle);
    const Vec3 n = unit_normal(t);
    const Nearest nearest = nearest_on_triangle(t, n, point);
    if (n.isZero() || (nearest.point - point).norm() > distance + tie) continue;
    if (!on_surface && nearest.within && !sign_known) {
      inside = n.dot(point - t.a) < 0;
      sign_known = true;
    }
    Vec3 gradient = n;
    if (!on_surface)
      gradient = nearest.within ? (n.dot(point - t.a) < 0 ? Vec3(-n) : n) : (point - nearest.point).normalized();
    if (!found) {
      result.gradient = gradient;
      touch = nearest.point;
      found = true;
    } else if (on_surface ? (n - result.gradient).norm() > 1e-6 : (nearest.point - touch).norm() > 1e-6 * size) {
      result.gradient_defined = false;
    }
  }
  if (!sign_known && !on_surface) inside = is_inside(mesh, point);
  if (inside) {
    result.value = -distance;
    result.gradient = -result.gradient;
  }
  if (!result.gradient_defined) result.gradient.setZero();
  return result;
}

}  // namespace visviva::geometry
