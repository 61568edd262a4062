#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "simplex.hpp"

namespace visviva::collision {

/// A convex polytope inside C with triangular facets, that grows vertex by vertex. Fixed arrays, no allocation.
class ExpandingPolytope {
 public:
  static constexpr Real kNever = std::numeric_limits<Real>::infinity();
  static constexpr std::size_t kMostVertices = 400, kMostFacets = 2 * kMostVertices;

  explicit ExpandingPolytope(const MinkowskiDifference& C) : C_(C) {}

  /// From four points; false if they are not a tetrahedron that holds 0.
  [[nodiscard]] bool begin(const Simplex& simplex);
  /// From support points; false if C is flat to the tolerance.
  [[nodiscard]] bool begin_anew(Real tolerance);
  /// After that: a unit vector orthogonal to C.
  [[nodiscard]] const Real3& flat_normal() const { return flat_normal_; }

  /// The facet whose plane is nearest to 0, of those that are not set aside; height() is infinite if there is none.
  [[nodiscard]] std::size_t lowest() const;
  /// Facets have the numbers below this; the height of those that are gone is infinite.
  [[nodiscard]] std::size_t facet_count() const { return facet_count_; }
  [[nodiscard]] Real height(std::size_t f) const { return height_[f]; }
  [[nodiscard]] const Real3& normal(std::size_t f) const { return facets_[f].m; }
  /// No longer answered by lowest().
  void set_aside(std::size_t f) { height_[f] = kNever; }
  [[nodiscard]] bool holds(const Real3& w) const;
  /// The point of the facet, or of those that go on in its plane, that is nearest to 0.
  [[nodiscard]] DifferenceVertex foot(std::size_t f) const;

  /// Replaces the facets that see v, f among them, by those from their outline to v. False if there is no room, or if
  /// rounding has spoilt the outline; the polytope is then not to be used any more.
  [[nodiscard]] bool expand(std::size_t f, const DifferenceVertex& v);

 private:
  using Index = std::uint16_t;

  struct Facet {
    Real3 m;                           ///< unit, outward
    Real plane;                        ///< of its plane over 0 along m
    std::array<Index, 3> vertex;       ///< counter-clockwise from outside
    std::array<Index, 3> beside;       ///< facet across the edge from vertex k to k + 1
    std::array<std::uint8_t, 3> back;  ///< which edge that is of the other facet
    bool alive;
  };
  struct Edge {
    Index facet;
    std::uint8_t edge;
  };

  [[nodiscard]] bool add_tetrahedron();
  Index new_facet(Index i, Index j, Index k);
  /// False if it has no area to speak of.
  bool set_plane(Index f);
  void link(Index f, std::uint8_t e, Index g, std::uint8_t h);
  /// Removes what sees w, across the given edge, and lists the outline counter-clockwise.
  [[nodiscard]] bool find_outline(Index f, std::uint8_t edge, const Real3& w);
  [[nodiscard]] DifferenceVertex farther(const Real3& m) const;

  const MinkowskiDifference& C_;
  Real3 flat_normal_{1, 0, 0};
  std::size_t vertex_count_ = 0, facet_count_ = 0, free_count_ = 0, outline_count_ = 0;
  Real noise_ = 0;                        ///< rounding of a height
  std::array<Real, kMostFacets> height_;  ///< kNever: dead, or set aside
  std::array<Facet, kMostFacets> facets_;
  std::array<DifferenceVertex, kMostVertices> vertices_;
  std::array<Index, kMostFacets> free_;
  std::array<Edge, 256> outline_;
};

}  // namespace visviva::collision
