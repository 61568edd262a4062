#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "convex_intersection.hpp"
#include "ellipsoid_pair.hpp"
#include "visviva/geometry/convex.hpp"
#include "visviva/geometry/core.hpp"
#include "visviva/geometry/polytope.hpp"

namespace visviva::geometry {

/// What a Convex shares with its copies. Which members count depends on the kind.
class Convex::Data : public Core {
 public:
  Data() = default;
  Data(Data&&) = default;  // not copied: `coordinates` point into the polytope
  Data& operator=(Data&&) = default;

  Polytope polytope;              ///< Box, Polytope
  Mat3 half_axes = Mat3::Zero();  ///< Box: columns, in B
  std::vector<Vec3> vertices;     ///< Polytope: in B
  EllipsoidPair pair;
  /// Instead of the pair: other parts.
  std::shared_ptr<const ConvexIntersection> intersection;
};

/// Fills in vertices, centre and what climbing needs; the hull's vertices are in B.
void set_polytope(Convex::Data& data, const TriangleMesh& hull);

/// Fills in reach and thickness, when all else is known.
void set_measures(Convex::Data& data, const Convex& convex);

}  // namespace visviva::geometry
