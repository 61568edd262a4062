#pragma once

#include <array>
#include <cstdint>

#include "visviva/geometry/convex.hpp"
#include "visviva/math/se3.hpp"

namespace visviva::collision {

/// Where two surfaces meet, or nearly so.
struct ManifoldPoint {
  /// Midway between both surfaces, world [m]: point ∓ normal * separation / 2 lie on A and on B.
  /// With a cache they may be the points of an earlier step that have moved along, one half with A and one with B: then
  /// the half points have slid over each other by at most the bound of ManifoldCache, `point` is midway between them,
  /// and `separation` the part of their difference along the normal.
  Vec3 point = Vec3::Zero();
  Real separation = 0;        ///< of the surfaces along the normal there; negative: overlap [m]
  std::uint32_t feature = 0;  ///< which features of A and B meet; the same as long as they do
};

/// How two convex sets touch: up to four points of the region in which their surfaces are no farther apart than the
/// margin, the deepest first.
struct Manifold {
  Vec3 normal = Vec3::UnitZ();  ///< unit, world, from A to B
  /// Centre of the contact, midway between the surfaces, world [m]: the centre of pressure of the region, weighted by
  /// how far below the margin it lies; of edges and corners that stand on something, these themselves. It moves
  /// continuously as the bodies slide, roll and tilt, as long as the normal does.           [theory/collision.md (3)]
  Vec3 center = Vec3::Zero();
  Real distance = 0;  ///< signed, as distance() reports; with no points, a lower bound of it above the margin [m]
  int count = 0;      ///< of points; 0 if farther apart than the margin
  std::array<ManifoldPoint, 4> points;
};

/// What a pair keeps between steps. It belongs to the pair (A, B) in this order; a new one is empty. Trivially
/// copyable; its members are of no use to others. It changes speed, and the answer by no more than a proved bound: as
/// long as the motion since the last full test keeps the distance known to min(1 mm, 1 % of the thinner body) the
/// manifold moves along or is clipped anew between the same features; else it is found anew. [theory/collision.md (8)]
struct ManifoldCache {
  enum class Kind : std::uint8_t { Empty, FaceOfA, FaceOfB, Edges, Other };

  std::array<Real, 12> X_AB{};        ///< where B was: rows of the rotation, then the origin [m]
  std::array<Real, 3> normal{};       ///< in A
  std::array<Real, 3> center{};       ///< in A [m]
  std::array<Real, 12> points{};      ///< in A [m]
  std::array<Real, 4> separations{};  ///< [m]
  std::array<std::uint32_t, 4> features{};
  Real distance = 0;  ///< as reported [m]
  Real own = 0;       ///< bound of the gap along the normal [m]                              [theory/collision.md (6)]
  Real second = 0;    ///< bound of the gap along all other axes [m]
  Real turned = 0;    ///< how far the normal may have turned since these bounds were found [-]
  Real margin = 0;    ///< [m]
  std::uint32_t feature_a = 0, feature_b = 0;
  std::uint32_t full_tests = 0;  ///< how often the pair was tested in full
  std::uint8_t count = 0;
  Kind kind = Kind::Empty;
};

/// Contact manifold of two convex sets, for all kinds of them. A point is reported only where the surfaces are no
/// farther apart than `margin` [m], which must be finite and not negative (InvalidArgument).
[[nodiscard]] Manifold find_manifold(const geometry::Convex& A, const Pose& X_WA, const geometry::Convex& B,
                                     const Pose& X_WB, Real margin, ManifoldCache* cache = nullptr);

/// Of a half-space (A) and a convex set (B).
[[nodiscard]] Manifold find_manifold(const geometry::Plane& A, const Pose& X_WA, const geometry::Convex& B,
                                     const Pose& X_WB, Real margin);

}  // namespace visviva::collision
