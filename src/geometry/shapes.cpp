#include "visviva/geometry/shapes.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>

#include "visviva/core/error.hpp"

namespace visviva::geometry {
namespace {

void require_length(Real length, std::string_view name, std::string_view field) {
  require(length > 0 && std::isfinite(length), name, field, "be positive and finite", length);
  require(length >= kLeastLength && length <= kLargestLength, name, field, "be from 1e-30 m to 1e30 m", length);
}

void require_coordinate(Real x, std::string_view name, std::string_view field) {
  require(std::isfinite(x), name, field, "be finite", x);
  require(std::abs(x) <= kLargestLength, name, field, "be at most 1e30 m in size", x);
}

void require_lengths(const Vec3& lengths, std::string_view name, std::string_view field) {
  constexpr std::array<const char*, 3> kAxes = {".x", ".y", ".z"};
  for (int i = 0; i < 3; ++i) require_length(lengths[i], name, std::string(field) + kAxes[static_cast<std::size_t>(i)]);
}

/// Lowest and highest coordinates.
std::array<Vec3, 2> box_of(const std::vector<Vec3>& points) {
  Vec3 low = points.front(), high = points.front();
  for (const Vec3& p : points) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  return {low, high};
}

/// Each within the range, and together not smaller than it.
void require_points(const std::vector<Vec3>& points, std::string_view name, std::string_view field) {
  if (points.empty()) return;
  for (std::size_t i = 0; i < points.size(); ++i) validate_position(points[i], name, fmt::format("{}[{}]", field, i));
  const auto [low, high] = box_of(points);
  const Real extent = (high - low).maxCoeff();
  require(!(extent > 0) || extent >= kLeastLength, name, fmt::format("extent of {}", field), "be at least 1e-30 m",
          extent);
}

/// Of a mesh or a surface.
template <class Mesh>
void require_indices(const Mesh& mesh, std::string_view name) {
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const auto& t = mesh.triangles[i];
    for (const std::uint32_t v : t)
      require(v < mesh.vertices.size(), name, fmt::format("triangles[{}]", i),
              fmt::format("hold indices below {}", mesh.vertices.size()), v);
    require(t[0] != t[1] && t[1] != t[2] && t[2] != t[0], name, fmt::format("triangles[{}]", i),
            "name three different vertices", fmt::format("({}, {}, {})", t[0], t[1], t[2]));
  }
}

/// Seen from outside the triangles run counter-clockwise, so that the volume is positive. Flat ones have none.
void require_outward(const TriangleMesh& mesh, std::string_view name) {
  constexpr Real kRounding = 1e-12;
  const auto [low, high] = box_of(mesh.vertices);
  const Vec3 middle = 0.5 * (low + high);
  Real volume = 0, absolute = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vec3 &p = mesh.vertices[a], &q = mesh.vertices[b], &r = mesh.vertices[c];
    const Real sixth = (p - middle).dot((q - middle).cross(r - middle)) / 6;
    volume += sixth;
    absolute += std::abs(sixth);
  }
  require(!(volume < -kRounding * absolute), name, "volume",
          "be positive (a negative one means that the triangles are seen from inside)", volume);
}

struct Edge {
  std::uint32_t low, high;  ///< vertices, in order of index
  bool ascending;           ///< the triangle runs from low to high
};

/// Consistently oriented: each undirected edge occurs at most once in each direction; if closed, in both.
void require_edges(const std::vector<TriangleMesh::Triangle>& triangles, bool closed, std::string_view name) {
  std::vector<Edge> edges;
  edges.reserve(3 * triangles.size());
  for (const auto& t : triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t from = t[k], to = t[(k + 1) % 3];
      edges.push_back({std::min(from, to), std::max(from, to), from < to});
    }
  std::sort(edges.begin(), edges.end(),
            [](const Edge& a, const Edge& b) { return a.low != b.low ? a.low < b.low : a.high < b.high; });
  for (std::size_t first = 0; first < edges.size();) {
    const Edge& edge = edges[first];
    std::size_t last = first, ascending = 0;
    for (; last < edges.size() && edges[last].low == edge.low && edges[last].high == edge.high; ++last)
      ascending += edges[last].ascending ? 1 : 0;
    const std::size_t descending = last - first - ascending;
    require(closed ? ascending == 1 && descending == 1 : ascending <= 1 && descending <= 1, name,
            fmt::format("edge from vertex {} to vertex {}", edge.low, edge.high),
            closed ? "be shared by two triangles, once in each direction"
                   : "be in two triangles at most, once in each direction",
            fmt::format("{} in this direction and {} in the other", ascending, descending));
    first = last;
  }
}

void require_areas(const TriangleSurface& surface, std::string_view name) {
  for (std::size_t i = 0; i < surface.triangles.size(); ++i) {
    const auto& [a, b, c] = surface.triangles[i];
    const Vec3 ab = surface.vertices[b] - surface.vertices[a], ac = surface.vertices[c] - surface.vertices[a];
    // Thinner than this the direction of its normal is rounding.
    constexpr Real kThin = 1e-14;
    const Real longest = std::max({ab.stableNorm(), ac.stableNorm(), (ac - ab).stableNorm()});
    require(!(longest > 0) || longest >= kLeastLength, name, fmt::format("triangles[{}]", i),
            "have a side of at least 1e-30 m", longest);
    require(
        ab.stableNormalized().cross(ac.stableNormalized()).norm() * std::min(ab.norm(), ac.norm()) > kThin * longest,
        name, fmt::format("triangles[{}]", i), "have an area", "corners on a line");
  }
}

}  // namespace

void validate_position(const Vec3& p, std::string_view name, std::string_view field) {
  const auto text = [&] { return fmt::format("({}, {}, {})", p.x(), p.y(), p.z()); };
  if (!p.allFinite()) throw InvalidArgument(std::string(name), std::string(field), "be finite", text());
  if (!(p.lpNorm<Eigen::Infinity>() <= kLargestLength))
    throw InvalidArgument(std::string(name), std::string(field), "have coordinates of at most 1e30 m", text());
}

void validate(const Sphere& sphere, std::string_view name) { require_length(sphere.radius, name, "radius"); }

void validate(const Ellipsoid& ellipsoid, std::string_view name) {
  require_lengths(ellipsoid.semi_axes, name, "semi_axes");
}

void validate(const Box& box, std::string_view name) { require_lengths(box.half_extents, name, "half_extents"); }

void validate(const Capsule& capsule, std::string_view name) {
  require_length(capsule.radius, name, "radius");
  require_length(capsule.half_height, name, "half_height");
}

void validate(const Cylinder& cylinder, std::string_view name) {
  require_length(cylinder.radius, name, "radius");
  require_length(cylinder.half_height, name, "half_height");
}

void validate(const Cone& cone, std::string_view name) {
  require_length(cone.radius, name, "radius");
  require_length(cone.half_height, name, "half_height");
}

void validate(const ConvexHull& hull, std::string_view name) {
  require(hull.points.size() >= 4, name, "number of points", "be at least 4", hull.points.size());
  require_points(hull.points, name, "points");
}

void validate(const TriangleMesh& mesh, std::string_view name) {
  require(mesh.triangles.size() >= 4, name, "number of triangles", "be at least 4", mesh.triangles.size());
  require_points(mesh.vertices, name, "vertices");
  require_indices(mesh, name);
  require_edges(mesh.triangles, true, name);
  require_outward(mesh, name);
}

void validate(const TriangleSurface& surface, std::string_view name) {
  require(!surface.triangles.empty(), name, "number of triangles", "be at least 1", 0);
  require_points(surface.vertices, name, "vertices");
  require_indices(surface, name);
  require_areas(surface, name);
  require_edges(surface.triangles, false, name);
}

void validate(const HeightField& field, std::string_view name) {
  require(field.rows >= 2, name, "rows", "be at least 2", field.rows);
  require(field.columns >= 2, name, "columns", "be at least 2", field.columns);
  const std::uint64_t samples = std::uint64_t{field.rows} * field.columns;
  require(samples < (std::uint64_t{1} << 30), name, "number of samples", "be less than 2^30", samples);
  require(field.heights.size() == samples, name, "heights", fmt::format("be rows * columns = {} numbers", samples),
          field.heights.size());
  require_length(field.spacing.x(), name, "spacing.x");
  require_length(field.spacing.y(), name, "spacing.y");
  for (std::size_t i = 0; i < field.heights.size(); ++i)
    require_coordinate(field.heights[i], name, fmt::format("heights[{}]", i));
}

void validate(const Shape& shape, std::string_view name) {
  std::visit([name](const auto& s) { validate(s, name); }, shape);
}

const char* kind_name(const Shape& shape) {
  constexpr std::array<const char*, std::variant_size_v<Shape>> kNames = {
      "sphere", "ellipsoid",   "box",           "capsule",          "cylinder",
      "cone",   "convex hull", "triangle mesh", "triangle surface", "height field"};
  return kNames[shape.index()];
}

TriangleSurface to_surface(const HeightField& field) {
  validate(field);
  TriangleSurface surface;
  surface.vertices.reserve(field.heights.size());
  for (std::uint32_t row = 0; row < field.rows; ++row)
    for (std::uint32_t column = 0; column < field.columns; ++column)
      surface.vertices.push_back(sample(field, row, column));
  for (std::uint32_t row = 0; row + 1 < field.rows; ++row)
    for (std::uint32_t column = 0; column + 1 < field.columns; ++column) {
      const std::uint32_t a = row * field.columns + column, b = a + 1, c = a + field.columns, d = c + 1;
      surface.triangles.push_back({a, b, d});
      surface.triangles.push_back({a, d, c});
    }
  return surface;
}

void validate(const Plane& plane, std::string_view name) {
  constexpr Real kUnit = 1e-6;  // what seven printed digits of a direction allow
  const Vec3& n = plane.normal;
  require(n.allFinite() && std::abs(n.norm() - 1) <= kUnit, name, "normal", "have length 1",
          fmt::format("({}, {}, {})", n.x(), n.y(), n.z()));
  require_coordinate(plane.offset, name, "offset");
}

void validate_rounding(const Shape& shape, Real rounding, std::string_view name) {
  require(rounding >= 0 && std::isfinite(rounding), name, "rounding", "be finite and not negative", rounding);
  require(rounding == 0 || (rounding >= kLeastLength && rounding <= kLargestLength), name, "rounding",
          "be 0 or from 1e-30 m to 1e30 m", rounding);
  require(rounding == 0 || !std::holds_alternative<Ellipsoid>(shape), name, "rounding",
          "be 0 (an ellipsoid is smooth: rounding does not apply)", rounding);
  require(
      rounding == 0 || !(std::holds_alternative<TriangleSurface>(shape) || std::holds_alternative<HeightField>(shape)),
      name, "rounding", fmt::format("be 0 (a {} is not rounded)", kind_name(shape)), rounding);
}

}  // namespace visviva::geometry
