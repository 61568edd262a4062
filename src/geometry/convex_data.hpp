#pragma once

#include <cstdint>
#include <vector>

#include "ellipsoid_pair.hpp"
#include "visviva/geometry/convex.hpp"

namespace visviva::geometry {

enum class CoreKind { Point, Segment, Ellipsoid, Box, Cylinder, Cone, Polytope, EllipsoidPair };

/// What a Convex shares with its copies. Which members count depends on the kind.
class Convex::Data {
 public:
  CoreKind kind = CoreKind::Point;
  Real rounding = 0;
  Pose X;                    ///< pose of the core's frame S in B
  bool turned = false;       ///< X.R is not the identity
  Vec3 size = Vec3::Zero();  ///< semi-axes, half extents, or (radius, -, half height)
  Vec3 center = Vec3::Zero();
  Mat3 half_axes = Mat3::Zero();  ///< Box: columns, in B
  std::vector<Vec3> vertices;     ///< Polytope: in B
  // Neighbours of vertex i: neighbours[first_neighbour[i]] up to [first_neighbour[i + 1]]. Only for large polytopes.
  std::vector<std::uint32_t> first_neighbour, neighbours;
  std::vector<std::uint32_t> seeds;  ///< vertices to start climbing from
  EllipsoidPair pair;
};

/// Fills in vertices, centre and what climbing needs; the hull's vertices are in B.
void set_polytope(Convex::Data& data, TriangleMesh hull);

}  // namespace visviva::geometry
