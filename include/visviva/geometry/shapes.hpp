#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "visviva/math/types.hpp"

/// Shapes as plain data, each in its own frame S. Lengths in metres. Round shapes have z as axis
/// and, like the box, the middle of their extent at the origin of S.
namespace visviva::geometry {

/// Every length of a shape lies in [kLeastLength, kLargestLength], every coordinate in [-kLargestLength,
/// kLargestLength] [m]; others are refused. Products of up to ten lengths then stay within the number range.
inline constexpr Real kLeastLength = 1e-30, kLargestLength = 1e30;

/// Ball about the origin.
struct Sphere {
  Real radius = 0.5;  ///< > 0 [m]
};

/// (x/a)² + (y/b)² + (z/c)² <= 1.
struct Ellipsoid {
  Vec3 semi_axes = Vec3::Constant(0.5);  ///< a, b, c, each > 0 [m]
};

/// |x| <= half_extents.x, and so on.
struct Box {
  Vec3 half_extents = Vec3::Constant(0.5);  ///< each > 0 [m]
};

/// All points within `radius` of the segment from (0, 0, -half_height) to (0, 0, half_height).
struct Capsule {
  Real radius = 0.5;       ///< > 0 [m]
  Real half_height = 0.5;  ///< of the segment, without the caps, > 0 [m]
};

/// x² + y² <= radius², |z| <= half_height.
struct Cylinder {
  Real radius = 0.5;       ///< > 0 [m]
  Real half_height = 0.5;  ///< > 0 [m]
};

/// Base disc at z = -half_height, apex at z = +half_height. The centre of mass is at
/// z = -half_height / 2.
struct Cone {
  Real radius = 0.5;       ///< of the base, > 0 [m]
  Real half_height = 0.5;  ///< > 0 [m]
};

/// Smallest convex set that holds all points. They must span a volume.
struct ConvexHull {
  std::vector<Vec3> points;  ///< [m]
};

/// Solid bounded by triangles, each counter-clockwise when seen from outside.
struct TriangleMesh {
  using Triangle = std::array<std::uint32_t, 3>;
  std::vector<Vec3> vertices;       ///< [m]
  std::vector<Triangle> triangles;  ///< indices into `vertices`
};

/// Triangles that need not close, without thickness or volume. A triangle is seen from its front, where it is
/// counter-clockwise; a one-sided surface is not met from behind.
struct TriangleSurface {
  std::vector<Vec3> vertices;                     ///< [m]
  std::vector<TriangleMesh::Triangle> triangles;  ///< indices into `vertices`
  bool two_sided = false;                         ///< met from behind, too
};

/// A landscape: the height z over a grid in x and y, whose middle is the origin. Sample (row, column) is
/// heights[row * columns + column], at
///   x = (column - (columns - 1)/2) spacing.x,   y = (row - (rows - 1)/2) spacing.y.
/// Between the samples it is made of triangles: each cell is cut along the diagonal from its corner (row, column) to
/// (row + 1, column + 1). All that is below the surface, within the rectangle of the grid, is solid; it has no walls at
/// the sides and no bottom.
struct HeightField {
  std::uint32_t rows = 2;                    ///< samples along y, >= 2
  std::uint32_t columns = 2;                 ///< samples along x, >= 2
  Vec2 spacing = Vec2::Ones();               ///< of neighbouring samples along x and y, > 0 [m]
  std::vector<Real> heights = {0, 0, 0, 0};  ///< rows * columns of them, row by row [m]
};

/// All points with normal·x <= offset: a half-space, solid below the plane. Not a Shape: it has no bounds.
struct Plane {
  Vec3 normal = Vec3::UnitZ();  ///< unit, out of the solid
  Real offset = 0;              ///< [m]
};

using Shape = std::variant<Sphere, Ellipsoid, Box, Capsule, Cylinder, Cone, ConvexHull, TriangleMesh, TriangleSurface,
                           HeightField>;

/// Throws InvalidArgument that names the field: lengths must be positive and finite, points finite.
/// That hull points span a volume is found out when the hull is built.
void validate(const Sphere& sphere, std::string_view name = "sphere");
void validate(const Ellipsoid& ellipsoid, std::string_view name = "ellipsoid");
void validate(const Box& box, std::string_view name = "box");
void validate(const Capsule& capsule, std::string_view name = "capsule");
void validate(const Cylinder& cylinder, std::string_view name = "cylinder");
void validate(const Cone& cone, std::string_view name = "cone");
void validate(const ConvexHull& hull, std::string_view name = "convex hull");

/// Also: indices in range, three different ones in each triangle, every edge shared by exactly two
/// triangles that run along it in opposite directions (closed and consistently oriented). Which
/// side is outside shows in the sign of the volume and is checked with the mass properties.
void validate(const TriangleMesh& mesh, std::string_view name = "triangle mesh");

/// At least one triangle, indices in range, triangles with an area, and every edge at most in two triangles, which run
/// along it in opposite directions.
void validate(const TriangleSurface& surface, std::string_view name = "triangle surface");
/// At least 2 by 2 samples, no more than 2³¹ triangles, as many heights as there are samples.
void validate(const HeightField& field, std::string_view name = "height field");

void validate(const Shape& shape, std::string_view name = "shape");

/// The name of its kind: "sphere", "convex hull", …
[[nodiscard]] const char* kind_name(const Shape& shape);

/// Sample (row, column) as a point in the field's frame.
[[nodiscard]] inline Vec3 sample(const HeightField& field, std::uint32_t row, std::uint32_t column) {
  return {(column - 0.5 * (field.columns - 1)) * field.spacing.x(), (row - 0.5 * (field.rows - 1)) * field.spacing.y(),
          field.heights[std::size_t{row} * field.columns + column]};
}
/// The samples row by row, and the two triangles of each cell: of cell (row, column) the one below the diagonal
/// (greater x) is number 2 (row (columns - 1) + column), the one above it the next.
[[nodiscard]] TriangleSurface to_surface(const HeightField& field);

/// The normal must have length 1 within 1e-6, the offset must be a coordinate.
void validate(const Plane& plane, std::string_view name = "plane");

/// Every coordinate of a position must be finite and within kLargestLength.
void validate_position(const Vec3& p, std::string_view name, std::string_view field);

/// A rounding must be finite, >= 0, and 0 for an ellipsoid, which is smooth, and for a surface or a height field.
void validate_rounding(const Shape& shape, Real rounding, std::string_view name = "placed shape");

}  // namespace visviva::geometry
