#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "visviva/geometry/convex.hpp"
#include "visviva/geometry/mass_properties.hpp"

/// Solids cut into convex pieces, and where the pieces touch.
namespace visviva::geometry {

enum class SeedPattern : std::uint8_t {
  Uniform,    ///< anywhere in the solid alike
  Clustered,  ///< the nearer to a point, the denser: distances fall off as exp(-d / radius)
  Given,
};

/// Where the seeds of Voronoi cells lie. The same numbers give the same pieces, bit for bit.
struct FractureDesc {
  SeedPattern pattern = SeedPattern::Uniform;
  std::size_t pieces = 10;        ///< seeds to draw; not used for given ones
  Vec3 center = Vec3::Zero();     ///< of a cluster [m]
  Real radius = 0.1;              ///< of a cluster: mean distance, where the solid has room [m]
  std::vector<Vec3> seeds = {};   ///< given ones, in the frame of the solid; they may lie outside [m]
  std::uint32_t random_seed = 1;  ///< of std::mt19937
  std::size_t max_pieces = 20'000;
};

/// A convex piece of a solid, in the solid's frame.
struct Piece {
  ConvexHull hull;
  MassProperties mass;     ///< of density 1
  std::uint32_t cell = 0;  ///< index of its seed; a cell that is not convex gives several pieces
};

/// Where two convex sets touch: a plane and convex area that belongs to the surfaces of both.
struct SharedFacet {
  std::uint32_t a = 0, b = 0;   ///< a < b
  Real area = 0;                ///< [m²]
  Vec3 center = Vec3::Zero();   ///< its centroid [m]
  Vec3 normal = Vec3::UnitZ();  ///< unit, from a to b
  Vec3 axis_u = Vec3::UnitX();  ///< unit, principal; the other axis is v = normal × u
  Real I_u = 0, I_v = 0;        ///< second moments about u, ∫v² dA, and about v, ∫u² dA [m⁴]
  std::vector<Vec2> outline;    ///< its corners (u, v) about the centre, counter-clockwise [m]
};

struct Fracture {
  std::vector<Piece> pieces;
  std::vector<SharedFacet> facets;  ///< by a, then b
};

/// Corners in which the volumes of pieces add up to that of the solid: those of a box or hull themselves; of a round
/// convex solid points on its surface, whose hull it is taken for (48 around a cylinder or cone, 400 elsewhere).
[[nodiscard]] ConvexHull polyhedron_of(const Convex& convex);

/// The Voronoi cells of the seeds within the solid, each as one convex piece, or as several where the solid is not
/// convex. Takes what is one convex set (ConvexPieces) and closed meshes. Throws InvalidArgument for other solids, for
/// an open mesh, for numbers that cannot be, two seeds in one place, a cluster whose point is too far from the solid,
/// and if there would be no piece or more than `max_pieces`.
///
/// Cells are cut by voro++ [Rycroft2009], whose arithmetic is +, -, ·, / and square roots: its bits depend on no C
/// library. It works on the solid moved and scaled to the unit cube, as its tolerance (1e-11) is a length. Within a
/// mesh a cell is cut on by the planes of the triangles that run through it (a BSP tree), until each part is all inside
/// or all outside.
[[nodiscard]] Fracture fracture(const Solid& solid, const FractureDesc& desc, std::string_view name = "solid");

/// Where convex polytopes that do not overlap touch each other: faces in one plane within `gap` that look at each other
/// and share more than a millionth of the square of the smaller one's size. Throws InvalidArgument for a set that is no
/// polytope.
[[nodiscard]] std::vector<SharedFacet> find_shared_facets(std::span<const Convex> pieces, Real gap,
                                                          std::string_view name = "pieces");

/// Area, centre, principal axes and moments of a facet from its corners (any points in a plane, counter-clockwise about
/// the unit normal).
[[nodiscard]] SharedFacet make_facet(std::span<const Vec3> corners, const Vec3& normal);

}  // namespace visviva::geometry
