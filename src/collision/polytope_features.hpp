#pragma once

#include "place.hpp"
#include "visviva/geometry/polytope.hpp"

// Nearest points from feature to feature: an edge or a vertex is nearest if the normal lies in its cell on the sphere
// of normals, else a neighbour is nearer.                                                              [Mirtich1998]
namespace visviva::collision {

/// Nearest points of two segments.
struct SegmentPair {
  Real3 on_a{}, on_b{};
  Real3 n{};                 ///< unit, from A to B
  double d = 0;              ///< [m]
  int end_a = 0, end_b = 0;  ///< 0: inside the segment; -1 and 1: at its beginning and end

  /// Of a0 to a1 and b0 to b1. False if they are too near to each other for their difference to be a sure normal.
  [[nodiscard]] bool find(const Real3& a0, const Real3& a1, const Real3& b0, const Real3& b1);
};

/// What is nearer than an edge of a polytope.
enum class Nearer {
  Nothing,  ///< the edge has the nearest point
  Edge,     ///< another edge, whose number is found
  Face,     ///< the inside of a face, whose number is found
};

/// Of an edge of P of which `end` (as above) is nearest to the point p, along n from there; both in P.
[[nodiscard]] Nearer find_nearer(const geometry::Polytope& P, std::uint32_t edge, int end, const Real3& n,
                                 const Real3& p, std::uint32_t& found);

/// Of P to a point outside of it: the unit direction n from there to the point, and how far away it is [m]. False if it
/// is not found in a few steps, or the point is inside or too near for the direction to be sure.
[[nodiscard]] bool find_nearest(const geometry::Polytope& P, const Real3& point, Real3& n, double& distance);

}  // namespace visviva::collision
