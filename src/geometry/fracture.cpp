#include "visviva/geometry/fracture.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <string>

#include "split_by_mesh.hpp"
#include "visviva/core/error.hpp"
#include "visviva/geometry/convex_hull.hpp"
#include "visviva/geometry/core.hpp"
#include "visviva/geometry/polytope.hpp"
#include "visviva/math/elementary.hpp"
#include "volume_moments.hpp"
#include "voronoi_cell.hpp"

namespace visviva::geometry {
namespace {

constexpr Real kPi = 3.14159265358979323846;
constexpr std::size_t kRimPoints = 48, kSurfacePoints = 400;
/// Seeds that are drawn for one that lies in the solid, before there seems to be none.
constexpr std::size_t kMostDraws = 100'000;
/// Pieces below this part of the unit cube are rounding of cuts.
constexpr Real kLeastVolume = 1e-13;
/// Half the width of the box in which cells begin; the solid lies within 1.
constexpr Real kBox = 1.25;

/// Numbers in [0, 1) of 53 bits, by the generator that the standard defines and no distribution of a library.
class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  [[nodiscard]] Real unit() {
    const std::uint64_t high = engine_() >> 5u, low = engine_() >> 6u;
    return static_cast<Real>(high * 67108864u + low) * 0x1p-53;
  }
  [[nodiscard]] Vec3 in_cube() {
    const Real x = unit(), y = unit(), z = unit();
    return {2 * x - 1, 2 * y - 1, 2 * z - 1};
  }
  [[nodiscard]] Vec3 direction() {
    for (;;) {
      const Vec3 d = in_cube();
      const Real length2 = d.squaredNorm();
      if (length2 > 1e-4 && length2 <= 1) return d / std::sqrt(length2);
    }
  }

 private:
  std::mt19937 engine_;
};

/// The solid in the coordinates of the cells: p' = (p - middle) / scale.
struct Scaled {
  TriangleMesh mesh;         ///< boundary
  std::vector<Vec4> planes;  ///< n, d: of its faces, if it is convex
  bool is_convex = false;
  Vec3 middle = Vec3::Zero();
  Real scale = 1;

  [[nodiscard]] Vec3 to_cell(const Vec3& p) const { return (p - middle) / scale; }
  [[nodiscard]] Vec3 from_cell(const Vec3& p) const { return middle + scale * p; }
};

Scaled scaled(TriangleMesh mesh, bool is_convex) {
  Scaled solid;
  Vec3 low = mesh.vertices[mesh.triangles[0][0]], high = low;
  for (const auto& t : mesh.triangles)
    for (const std::uint32_t i : t) {
      low = low.cwiseMin(mesh.vertices[i]);
      high = high.cwiseMax(mesh.vertices[i]);
    }
  solid.middle = low / 2 + high / 2;
  solid.scale = (high / 2 - low / 2).maxCoeff();
  for (Vec3& p : mesh.vertices) p = solid.to_cell(p);
  solid.mesh = std::move(mesh);
  solid.is_convex = is_convex;
  if (!is_convex) return solid;
  const Polytope polytope = make_polytope(solid.mesh);
  for (Polytope::Index i = 0; i < polytope.face_count(); ++i)
    solid.planes.emplace_back(polytope.normal(i).x(), polytope.normal(i).y(), polytope.normal(i).z(),
                              polytope.offset(i));
  return solid;
}

Scaled to_scaled(const Solid& solid, std::string_view name) {
  const PlacedShape* placed = solid.placed();
  if (placed != nullptr && std::holds_alternative<TriangleMesh>(placed->shape)) {
    require(placed->rounding == 0, name, "solid", "be without rounding, if it is a mesh", placed->rounding);
    TriangleMesh mesh = std::get<TriangleMesh>(placed->shape);
    validate(mesh, name);
    for (Vec3& p : mesh.vertices) p = placed->X_BS * p;
    static_cast<void>(polyhedron_moments(mesh, name));  // it encloses a volume, and its outside is outside
    return scaled(std::move(mesh), false);
  }
  const ConvexPieces pieces = ConvexPieces::of(solid);
  require(!pieces.refusal && pieces.planes.empty() && pieces.convex.size() == 1, name, "solid",
          "be one convex set or a closed mesh, to be cut into pieces",
          pieces.refusal ? *pieces.refusal : std::string(pieces.planes.empty() ? "a union" : "a half-space"));
  return scaled(make_convex_hull(polyhedron_of(pieces.convex.front()), name), true);
}

bool contains(const Scaled& solid, const MeshSplitter& splitter, const Vec3& p) {
  if (!solid.is_convex) return (p.cwiseAbs().array() <= 1).all() && splitter.contains(p);
  return std::all_of(solid.planes.begin(), solid.planes.end(),
                     [&](const Vec4& plane) { return plane.head<3>().dot(p) <= plane.w(); });
}

std::vector<Vec3> draw_seeds(const FractureDesc& desc, const Scaled& solid, const MeshSplitter& splitter,
                             std::string_view name) {
  Random random(desc.random_seed);
  const bool clustered = desc.pattern == SeedPattern::Clustered;
  const Vec3 center = solid.to_cell(desc.center);
  std::vector<Vec3> seeds;
  std::size_t draws = 0;
  while (seeds.size() < desc.pieces) {
    require(++draws <= kMostDraws, name, clustered ? "center" : "solid",
            clustered ? "be near enough to the solid for seeds to fall into it" : "fill more of its bounds",
            fmt::format("a place where {} draws in a row missed it", kMostDraws));
    const Vec3 p = clustered ? Vec3(center - desc.radius / solid.scale * log(1 - random.unit()) * random.direction())
                             : random.in_cube();
    if (!contains(solid, splitter, p)) continue;
    seeds.push_back(p);
    draws = 0;
  }
  return seeds;
}

void check(const FractureDesc& desc, std::string_view name) {
  require(desc.max_pieces > 0, name, "max_pieces", "be positive", desc.max_pieces);
  require(desc.pattern == SeedPattern::Uniform || desc.pattern == SeedPattern::Clustered ||
              desc.pattern == SeedPattern::Given,
          name, "pattern", "be a known one", static_cast<int>(desc.pattern));
  const bool given = desc.pattern == SeedPattern::Given;
  const std::size_t count = given ? desc.seeds.size() : desc.pieces;
  require(count > 0, name, given ? "seeds" : "pieces", "be at least one", count);
  require(count <= desc.max_pieces, name, given ? "seeds" : "pieces", fmt::format("be at most {}", desc.max_pieces),
          count);
  for (std::size_t i = 0; given && i < desc.seeds.size(); ++i)
    require(desc.seeds[i].allFinite(), name, fmt::format("seeds[{}]", i), "be finite", desc.seeds[i].sum());
  if (desc.pattern != SeedPattern::Clustered) return;
  require(desc.center.allFinite(), name, "center", "be finite", desc.center.sum());
  require(desc.radius > 0 && std::isfinite(desc.radius), name, "radius", "be positive and finite", desc.radius);
}

/// Cells of all seeds, from the nearest neighbours on; who is farther away than twice the cell's reach cuts nothing.
class Cells {
 public:
  explicit Cells(std::vector<Vec3> seeds) : seeds_(std::move(seeds)) {}

  /// The cell of one seed in the box, and the planes that made it; nothing if its seed is outside and it is empty.
  [[nodiscard]] std::optional<VoronoiCell> cell(std::size_t i, const std::vector<Vec4>& faces,
                                                std::vector<Vec4>& planes) const {
    VoronoiCell cell(Vec3::Constant(-kBox), Vec3::Constant(kBox));
    planes = faces;
    for (const Vec4& face : faces)
      if (!cell.cut(face.head<3>(), face.w())) return std::nullopt;
    std::vector<std::pair<Real, std::size_t>> others;
    for (std::size_t j = 0; j < seeds_.size(); ++j)
      if (j != i) others.emplace_back((seeds_[j] - seeds_[i]).squaredNorm(), j);
    std::sort(others.begin(), others.end());
    for (const auto& [distance2, j] : others) {
      if (distance2 > 4 * reach2_of(cell, seeds_[i])) break;
      const Vec3 n = (seeds_[j] - seeds_[i]).normalized();
      const Real d = n.dot(seeds_[i] + seeds_[j]) / 2;
      planes.emplace_back(n.x(), n.y(), n.z(), d);
      if (!cell.cut(n, d)) return std::nullopt;
    }
    return cell;
  }

 private:
  static Real reach2_of(const VoronoiCell& cell, const Vec3& seed) {
    Real reach2 = 0;
    for (const Vec3& p : cell.vertices()) reach2 = std::max(reach2, (p - seed).squaredNorm());
    return reach2;
  }
  std::vector<Vec3> seeds_;
};

void check_distinct(const std::vector<Vec3>& seeds, std::string_view name) {
  std::vector<std::size_t> order(seeds.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return std::lexicographical_compare(seeds[i].data(), seeds[i].data() + 3, seeds[j].data(), seeds[j].data() + 3);
  });
  for (std::size_t k = 1; k < order.size(); ++k)
    require((seeds[order[k]] - seeds[order[k - 1]]).norm() > 1e-9, name, fmt::format("seeds[{}]", order[k]),
            "differ from all others", fmt::format("the place of seeds[{}]", order[k - 1]));
}

void add_piece(const VoronoiCell& region, std::size_t cell, const Scaled& solid, std::string_view name,
               Fracture& result) {
  if (!(region.volume() > kLeastVolume)) return;
  ConvexHull points;
  for (const Vec3& p : region.vertices()) points.points.push_back(solid.from_cell(p));
  TriangleMesh hull;
  try {
    hull = make_convex_hull(points, name);
  } catch (const InvalidArgument&) {
    return;  // as thin as rounding
  }
  Piece piece;
  piece.hull.points = hull.vertices;
  piece.mass = to_mass_properties(polyhedron_moments(hull, name), 1);
  piece.cell = static_cast<std::uint32_t>(cell);
  result.pieces.push_back(std::move(piece));
}

}  // namespace

ConvexHull polyhedron_of(const Convex& convex) {
  ConvexHull hull;
  const Core& core = convex.core();
  if (const Polytope* polytope = convex.polytope(); polytope != nullptr && convex.rounding() == 0) {
    for (Polytope::Index i = 0; i < polytope->vertex_count(); ++i) hull.points.push_back(polytope->vertex(i));
    return hull;
  }
  const bool is_cone = core.kind == CoreKind::Cone;
  if ((core.kind == CoreKind::Cylinder || is_cone) && convex.rounding() == 0) {
    for (std::size_t i = 0; i < kRimPoints; ++i) {
      const SinCos turn = sin_cos(2 * kPi * static_cast<Real>(i) / kRimPoints);
      const Real x = core.size.x() * turn.cos, y = core.size.x() * turn.sin;
      hull.points.push_back(core.X * Vec3(x, y, -core.size.z()));
      if (!is_cone) hull.points.push_back(core.X * Vec3(x, y, core.size.z()));
    }
    if (is_cone) hull.points.push_back(core.X * Vec3(0, 0, core.size.z()));
    return hull;
  }
  // Directions on a spiral over the sphere, of equal area each.
  for (std::size_t i = 0; i < kSurfacePoints; ++i) {
    const Real z = 1 - (2 * static_cast<Real>(i) + 1) / kSurfacePoints, r = std::sqrt(1 - z * z);
    const SinCos turn = sin_cos(2.39996322972865332 * static_cast<Real>(i));
    const Vec3 d(r * turn.cos, r * turn.sin, z);
    hull.points.push_back(convex.support(d) + convex.rounding() * d);
  }
  return hull;
}

Fracture fracture(const Solid& solid, const FractureDesc& desc, std::string_view name) {
  check(desc, name);
  const Scaled whole = to_scaled(solid, name);
  const MeshSplitter splitter(whole.mesh);
  std::vector<Vec3> seeds;
  if (desc.pattern == SeedPattern::Given)
    for (const Vec3& seed : desc.seeds) seeds.push_back(whole.to_cell(seed));
  else
    seeds = draw_seeds(desc, whole, splitter, name);
  check_distinct(seeds, name);

  Fracture result;
  const Cells cells(seeds);
  std::vector<Vec4> planes;
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    const std::optional<VoronoiCell> cell = cells.cell(i, whole.planes, planes);
    if (!cell) continue;
    if (whole.is_convex) {
      add_piece(*cell, i, whole, name, result);
    } else {
      for (const VoronoiCell& part : splitter.split(*cell, planes, desc.max_pieces - result.pieces.size()))
        add_piece(part, i, whole, name, result);
    }
    require(result.pieces.size() <= desc.max_pieces, name, "pieces", fmt::format("be at most {}", desc.max_pieces),
            "more, as cells that are not convex fall into several");
  }
  require(!result.pieces.empty(), name, "pieces", "be at least one", 0);

  std::vector<Convex> convex;
  for (const Piece& piece : result.pieces) convex.emplace_back(Shape(piece.hull));
  result.facets = find_shared_facets(convex, 1e-9 * whole.scale, name);
  return result;
}

}  // namespace visviva::geometry
