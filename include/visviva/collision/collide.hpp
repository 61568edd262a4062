#pragma once

#include <optional>
#include <vector>

#include "visviva/collision/collider.hpp"
#include "visviva/collision/manifold.hpp"
#include "visviva/collision/time_of_impact.hpp"

/// Queries for two colliders: all pairs of their pieces, every kind with every kind. Docs: docs/collision.md.
///
///               convex   half-space   mesh   height field
/// convex          x          x         x          x
/// half-space                 -         x          -
/// mesh                                 x          x
/// height field                                    -
///
/// Half-spaces and height fields are grounds: two of them never meet (the pairs with "-"). They are infinitely far
/// apart, do not overlap and have neither contacts nor a time of impact.
///
/// Triangles. A triangle is touched from its front only; of a two-sided surface the side on which the centre of the
/// other set lies is the front. A triangle behind which that centre lies is not touched. Where triangles meet, only
/// normals count that a plane touching the surface there can have: those of the faces, and on ridges and peaks those
/// between them, never one that leans over an inner edge. So a set that slides over many triangles meets no ghosts.
namespace visviva::collision {

/// Distance of the nearest pieces; infinite if no pieces can meet. If pieces overlap, minus the depth of the deepest
/// pair: for convex pieces their penetration depth, for triangles how far the other set lies behind the touched face
/// or ridge. Where a solid mesh is crossed and no triangle has an allowed way apart, the depth is that of all of the
/// other behind a face that it crosses, the shortest of these. The signs agree with `overlap`.
[[nodiscard]] Separation distance(const Collider& A, const Pose& X_WA, const Collider& B, const Pose& X_WB);

/// Whether they share a point; touching counts, up to the rounding of coordinates.
[[nodiscard]] bool overlap(const Collider& A, const Pose& X_WA, const Collider& B, const Pose& X_WB);

inline constexpr std::uint32_t kNoTriangle = 0xffffffff;

/// A manifold of two pieces. Triangles are those of its deepest point; kNoTriangle for other pieces.
struct PieceManifold {
  Manifold manifold;
  std::uint32_t piece_a = 0, piece_b = 0;
  std::uint32_t triangle_a = kNoTriangle, triangle_b = kNoTriangle;
};

/// What two colliders keep between steps: one ManifoldCache for each pair of convex pieces that was near, one seed for
/// each triangle that was. It holds no more than the last call met, in the order of pieces and triangles.
class ContactCache {
 public:
  struct Seed {
    std::uint32_t triangle = 0;
    Vec3 normal = Vec3::Zero();  ///< in the frame of the surface
  };
  struct Pair {
    std::uint32_t piece_a = 0, piece_b = 0;
    std::uint32_t first_seed = 0, end_seed = 0;
    ManifoldCache manifold;
  };

  ContactCache() = default;
  /// One that goes on from what another has kept. Throws InvalidArgument if pairs are not in the order of their pieces
  /// or their seeds not there; that the pieces and triangles are those of the colliders is the caller's matter.
  ContactCache(std::vector<Pair> pairs, std::vector<Seed> seeds);

  [[nodiscard]] std::size_t size() const { return pairs_.size() + seeds_.size(); }
  void clear() { *this = {}; }
  [[nodiscard]] const std::vector<Pair>& pairs() const { return pairs_; }
  [[nodiscard]] const std::vector<Seed>& seeds() const { return seeds_; }

 private:
  friend class ManifoldFinder;
  std::vector<Pair> pairs_, next_pairs_;
  std::vector<Seed> seeds_, next_seeds_;
};

/// Contact manifolds of all pairs of pieces that are no farther apart than `margin` [m], in the order of the pieces.
/// `found` is overwritten. Convex sets and half-spaces have one manifold a pair. Touches of triangles whose normals
/// agree within a thousandth of a radian are one manifold, with the normal of the deepest: its region is the union of
/// theirs, its points the deepest of all and those that span the largest area, its centre the centre of pressure of the
/// union. There are at most sixteen of them for a pair of pieces, the deepest first. Allocates nothing once `cache` and
/// `found` have grown to what they need. Throws InvalidArgument if the margin is negative or not finite.
void find_manifolds(const Collider& A, const Pose& X_WA, const Collider& B, const Pose& X_WB, Real margin,
                    ContactCache& cache, std::vector<PieceManifold>& found);

/// First touch in [t0, t1] of any two pieces, never late, as for convex sets. A one-sided triangle that is reached from
/// behind is not touched. Of touches at the same time that of the first pieces.
[[nodiscard]] std::optional<ImpactTime> time_of_impact(const Collider& A, const Path& path_A, const Collider& B,
                                                       const Path& path_B, Real t0, Real t1,
                                                       const TimeOfImpactSettings& settings = {});

}  // namespace visviva::collision
