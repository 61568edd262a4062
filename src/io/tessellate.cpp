#include "io/tessellate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <variant>

#include "io/contour.hpp"
#include "visviva/geometry/convex.hpp"
#include "visviva/geometry/convex_hull.hpp"
#include "visviva/geometry/signed_distance.hpp"
#include "visviva/math/elementary.hpp"

namespace visviva::io {

namespace {

using namespace geometry;

/// How finely round surfaces are drawn.
struct Fineness {
  int segments;  ///< around a full turn; half of it from pole to pole
  int cuts;      ///< of the icosahedron that gives the directions for other convex sets
  int cells;     ///< of a grid along the longest side
};
/// A chord misses its arc by 0.2 % or 0.9 % of the radius; directions are 4 or 8 degrees apart; facets of a grid miss
/// a ball by 0.03 % or 0.1 %.
Fineness fineness(Detail detail) { return detail == Detail::Fine ? Fineness{48, 3, 40} : Fineness{24, 2, 20}; }

std::uint32_t index(std::size_t i) { return static_cast<std::uint32_t>(i); }

/// A closed surface of revolution about z. The rings go from bottom to top; a ring of radius 0 is a point.
struct Ring {
  Real radius, z;
};
TriangleMesh revolve(const std::vector<Ring>& rings, int segments) {
  TriangleMesh mesh;
  std::vector<std::size_t> first;  // vertex of each ring
  for (const Ring& ring : rings) {
    first.push_back(mesh.vertices.size());
    const int n = ring.radius > 0 ? segments : 1;
    for (int i = 0; i < n; ++i) {
      const SinCos turn = sin_cos(2 * std::numbers::pi * i / segments);
      mesh.vertices.emplace_back(ring.radius * turn.cos, ring.radius * turn.sin, ring.z);
    }
  }
  const auto at = [&](std::size_t ring, int i) {
    return index(first[ring] + (rings[ring].radius > 0 ? static_cast<std::size_t>(i % segments) : 0));
  };
  for (std::size_t k = 0; k + 1 < rings.size(); ++k)
    for (int i = 0; i < segments; ++i) {
      if (rings[k].radius > 0) mesh.triangles.push_back({at(k, i), at(k, i + 1), at(k + 1, i)});
      if (rings[k + 1].radius > 0) mesh.triangles.push_back({at(k, i + 1), at(k + 1, i + 1), at(k + 1, i)});
    }
  return mesh;
}

/// Rings of a half sphere, from its equator to its pole (or from -pole to the equator, turned round).
std::vector<Ring> sphere_rings(Real radius, Real from_z, Real to_z, int segments) {
  const int bands = segments / 2;
  std::vector<Ring> rings = {{0, from_z - radius}};
  for (int k = 1; k < bands; ++k) {
    const SinCos latitude = sin_cos(std::numbers::pi * k / bands - 0.5 * std::numbers::pi);
    if (2 * k == bands) {
      rings.push_back({radius, from_z});
      if (to_z > from_z) rings.push_back({radius, to_z});
    } else {
      rings.push_back({radius * latitude.cos, radius * latitude.sin + (2 * k < bands ? from_z : to_z)});
    }
  }
  rings.push_back({0, to_z + radius});
  return rings;
}

TriangleMesh mesh_of(const Sphere& s, Detail detail) {
  const int n = fineness(detail).segments;
  return revolve(sphere_rings(s.radius, 0, 0, n), n);
}
TriangleMesh mesh_of(const Capsule& s, Detail detail) {
  const int n = fineness(detail).segments;
  return revolve(sphere_rings(s.radius, -s.half_height, s.half_height, n), n);
}
TriangleMesh mesh_of(const Ellipsoid& s, Detail detail) {
  TriangleMesh mesh = mesh_of(Sphere{1}, detail);
  for (Vec3& p : mesh.vertices) p = p.cwiseProduct(s.semi_axes);
  return mesh;
}
TriangleMesh mesh_of(const Cylinder& s, Detail detail) {
  return revolve({{0, -s.half_height}, {s.radius, -s.half_height}, {s.radius, s.half_height}, {0, s.half_height}},
                 fineness(detail).segments);
}
TriangleMesh mesh_of(const Cone& s, Detail detail) {
  return revolve({{0, -s.half_height}, {s.radius, -s.half_height}, {0, s.half_height}}, fineness(detail).segments);
}
TriangleMesh mesh_of(const Box& s, Detail) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.push_back(
        s.half_extents.cwiseProduct(Vec3((i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 1 : -1, (i & 4) != 0 ? 1 : -1)));
  mesh.triangles = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
  return mesh;
}
TriangleMesh mesh_of(const ConvexHull& s, Detail) { return make_convex_hull(s); }
TriangleMesh mesh_of(const TriangleMesh& s, Detail) { return s; }
TriangleMesh mesh_of(const TriangleSurface& s, Detail) {
  TriangleMesh mesh{s.vertices, s.triangles};
  if (s.two_sided)  // pictures show fronts only
    for (const auto& [a, b, c] : s.triangles) mesh.triangles.push_back({a, c, b});
  return mesh;
}
TriangleMesh mesh_of(const HeightField& s, Detail detail) { return mesh_of(to_surface(s), detail); }
TriangleMesh mesh_of(const Shape& shape, Detail detail) {
  return std::visit([detail](const auto& s) { return mesh_of(s, detail); }, shape);
}

bool is_polyhedron(const Shape& shape) {
  return std::holds_alternative<Box>(shape) || std::holds_alternative<ConvexHull>(shape) ||
         std::holds_alternative<TriangleMesh>(shape) || std::holds_alternative<TriangleSurface>(shape) ||
         std::holds_alternative<HeightField>(shape);
}

/// Unit directions spread over the sphere: the vertices of an icosahedron whose faces are cut in four, again and again.
std::vector<Vec3> make_directions(int cuts) {
  const Real t = 0.5 * (1 + std::sqrt(5.0));
  std::vector<Vec3> points;
  for (const Real a : {-1.0, 1.0})
    for (const Real b : {-t, t}) {
      points.push_back(Vec3(0, a, b).normalized());
      points.push_back(Vec3(a, b, 0).normalized());
      points.push_back(Vec3(b, 0, a).normalized());
    }
  TriangleMesh mesh = make_convex_hull(ConvexHull{points});
  for (int cut = 0; cut < cuts; ++cut) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
      const auto [found, is_new] = middles.try_emplace({std::min(a, b), std::max(a, b)}, index(mesh.vertices.size()));
      if (is_new) mesh.vertices.push_back((mesh.vertices[a] + mesh.vertices[b]).normalized());
      return found->second;
    };
    std::vector<TriangleMesh::Triangle> triangles;
    for (const auto& [a, b, c] : mesh.triangles) {
      const std::uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      triangles.insert(triangles.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    mesh.triangles = std::move(triangles);
  }
  return mesh.vertices;
}

/// Hull of the farthest points of a convex set in many directions.
TriangleMesh mesh_of(const Convex& convex, Detail detail) {
  static const std::vector<Vec3> fine = make_directions(fineness(Detail::Fine).cuts),
                                 coarse = make_directions(fineness(Detail::Coarse).cuts);
  const std::vector<Vec3>& directions = detail == Detail::Fine ? fine : coarse;
  ConvexHull samples;
  for (const Vec3& d : directions) {
    const Vec3 point = convex.support(d) + convex.rounding() * d;
    samples.points.push_back(point);
  }
  return make_convex_hull(samples);
}

TriangleMesh mesh_of(const Plane& plane, Real half_width) {
  Eigen::Index least = 0;
  plane.normal.cwiseAbs().minCoeff(&least);
  const Vec3 a = plane.normal.cross(Vec3::Unit(least)).normalized() * half_width;
  const Vec3 b = plane.normal.cross(a);
  const Vec3 middle = plane.offset * plane.normal;
  TriangleMesh mesh;
  mesh.vertices = {middle - a - b, middle + a - b, middle + a + b, middle - a + b};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  return mesh;
}

TriangleMesh moved(const Pose& X, TriangleMesh mesh) {
  for (Vec3& p : mesh.vertices) p = X * p;
  return mesh;
}

void append(Tessellation& all, const Tessellation& part) {
  const std::uint32_t offset = index(all.mesh.vertices.size());
  all.mesh.vertices.insert(all.mesh.vertices.end(), part.mesh.vertices.begin(), part.mesh.vertices.end());
  for (const auto& [a, b, c] : part.mesh.triangles) all.mesh.triangles.push_back({a + offset, b + offset, c + offset});
  all.fidelity = std::max(all.fidelity, part.fidelity);
}

/// The box around a surface that is drawn by a grid, or nothing if there is no surface. Half-spaces reach to the cube
/// of half-width `reach` about the origin.
std::optional<Box3> surface_box(const Solid& solid, Real reach);

std::optional<Box3> united(const std::optional<Box3>& a, const std::optional<Box3>& b) {
  if (!a || !b) return a ? a : b;
  return Box3{a->low.cwiseMin(b->low), a->high.cwiseMax(b->high)};
}
std::optional<Box3> common(const std::optional<Box3>& a, const std::optional<Box3>& b) {
  if (!a || !b) return std::nullopt;
  const Box3 box{a->low.cwiseMax(b->low), a->high.cwiseMin(b->high)};
  return (box.low.array() <= box.high.array()).all() ? std::optional(box) : std::nullopt;
}

/// What a solid fills at most; nothing if it is empty. `reach` as above.
std::optional<Box3> filled_box(const Solid& solid, Real reach) {
  const Box3 everything{Vec3::Constant(-reach), Vec3::Constant(reach)};
  if (const PlacedShape* placed = solid.placed()) {
    const TriangleMesh mesh = moved(placed->X_BS, mesh_of(placed->shape, Detail::Fine));
    Box3 box{mesh.vertices.front(), mesh.vertices.front()};
    for (const Vec3& p : mesh.vertices) box = {box.low.cwiseMin(p), box.high.cwiseMax(p)};
    // Facets lie within round shapes, by up to 0.2 % of them.
    const Vec3 margin = Vec3::Constant(placed->rounding) + 0.005 * (box.high - box.low);
    return Box3{box.low - margin, box.high + margin};
  }
  const BooleanSolid* tree = solid.tree();
  if (!tree) return everything;  // a half-space, or a complement
  if (tree->operation == BooleanOperation::Union) return united(filled_box(tree->a, reach), filled_box(tree->b, reach));
  if (tree->operation == BooleanOperation::Difference) return filled_box(tree->a, reach);
  return common(filled_box(tree->a, reach), filled_box(tree->b, reach));
}

std::optional<Box3> surface_box(const Solid& solid, Real reach) {
  if (const Solid* inside = solid.complemented()) return surface_box(*inside, reach);
  const std::optional<Box3> filled = filled_box(solid, reach);
  const BooleanSolid* tree = solid.tree();
  return tree ? common(filled, united(surface_box(tree->a, reach), surface_box(tree->b, reach))) : filled;
}

/// The same solid without hulls, whose signed distance would build them anew at each call.
Solid with_meshes(const Solid& solid) {
  if (const PlacedShape* placed = solid.placed()) {
    const ConvexHull* hull = std::get_if<ConvexHull>(&placed->shape);
    return hull ? Solid(make_convex_hull(*hull), placed->X_BS, placed->rounding) : solid;
  }
  if (const Solid* inside = solid.complemented()) return complement(with_meshes(*inside));
  if (const BooleanSolid* tree = solid.tree()) return {tree->operation, with_meshes(tree->a), with_meshes(tree->b)};
  return solid;
}

/// Any solid, by a grid over its signed distance.
Tessellation contour_of(const Solid& solid, Real reach, Detail detail) {
  std::optional<Box3> box = surface_box(solid, reach);
  if (!box || !((box->high - box->low).minCoeff() > 0)) return {{}, MeshFidelity::Faceted};
  // Off the planes of symmetry, where nodes of the grid would lie on flat faces.
  const Vec3 extent = box->high - box->low;
  box->low -= extent.cwiseProduct(Vec3(0.0131, 0.0117, 0.0149));
  box->high += extent.cwiseProduct(Vec3(0.0113, 0.0139, 0.0127));
  const Solid prepared = with_meshes(solid);
  return {contour([&prepared](const Vec3& p) { return signed_distance(prepared, p); }, *box, fineness(detail).cells),
          MeshFidelity::Faceted};
}

/// A shape that grows by rounding: a sphere and what is convex without error of its own.
Tessellation tessellate(const PlacedShape& placed, Real reach, Detail detail) {
  const MeshFidelity fidelity = is_polyhedron(placed.shape) ? MeshFidelity::Exact : MeshFidelity::Faceted;
  if (placed.rounding == 0) return {moved(placed.X_BS, mesh_of(placed.shape, detail)), fidelity};
  if (std::holds_alternative<TriangleMesh>(placed.shape))
    return contour_of(Solid(placed.shape, placed.X_BS, placed.rounding), reach, detail);
  return {mesh_of(Convex(placed.shape, placed.X_BS, placed.rounding), detail), MeshFidelity::Faceted};
}

/// The convex pieces of an intersection, if it has them.
bool tessellate_pieces(const Solid& solid, Tessellation& result, Detail detail) {
  const ConvexPieces pieces = ConvexPieces::of(solid);
  if (pieces.refusal || pieces.convex.empty() || !pieces.planes.empty()) return false;
  for (const Convex& convex : pieces.convex) append(result, {mesh_of(convex, detail), MeshFidelity::Faceted});
  return true;
}

}  // namespace

Tessellation tessellate(const Solid& solid, Real plane_half_width, Detail detail) {
  if (const PlacedShape* placed = solid.placed()) return tessellate(*placed, plane_half_width, detail);
  if (const Plane* plane = solid.plane()) return {mesh_of(*plane, plane_half_width), MeshFidelity::Cut};
  if (solid.complemented()) return contour_of(solid, plane_half_width, detail);
  Tessellation result;
  const BooleanSolid& tree = *solid.tree();
  if (tree.operation == BooleanOperation::Intersection && tessellate_pieces(solid, result, detail)) return result;
  if (tree.operation != BooleanOperation::Union) return contour_of(solid, plane_half_width, detail);
  append(result, tessellate(tree.a, plane_half_width, detail));
  append(result, tessellate(tree.b, plane_half_width, detail));
  return result;
}

}  // namespace visviva::io
