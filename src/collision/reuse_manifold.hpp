#pragma once

#include "place.hpp"
#include "polytope_axis.hpp"
#include "visviva/collision/manifold.hpp"

namespace visviva::collision {

/// How a pair has moved since its cache was filled, and what is still known of its distance.   [theory/collision.md]
struct PairMotion {
  bool none = false;  ///< not at all
  Rotation3 turn;     ///< R_AB R_AB0^T
  Real3 shift;        ///< a point q of B in A has become turn q + shift
  double length = 0;  ///< no point of one body has moved by more, seen from the other [m]     (4)
  double lower = 0;   ///< bounds of the signed distance [m]                                    (7)
  double upper = 0;
  double tolerance = 0;                    ///< by how much they may differ [m]                                      (8)
  double own = 0, second = 0, turned = 0;  ///< the cache's bounds, after the motion

  [[nodiscard]] bool is_certain() const { return upper - lower <= tolerance; }
};

[[nodiscard]] PairMotion motion_since(const ManifoldCache& cache, const geometry::Core& A, const geometry::Core& B,
                                      const Place& X_AB);

/// The cached manifold, in A.
void load(const ManifoldCache& cache, Manifold& manifold);

/// The cached manifold with each point moved along with the bodies that it lies on. For small certain motions.
void load_moved(const ManifoldCache& cache, const PairMotion& motion, Manifold& manifold);

/// Keeps a manifold in A.
void store(const Manifold& manifold, const Place& X_AB, Real margin, ManifoldCache& cache);

/// Bounds after a full test: `axis` if the normal was found by axes, and known exactly to be the distance.
void set_bounds(const Manifold& manifold, const PolytopeAxis* axis, Real rounding, ManifoldCache& cache);

/// How far below the best gap the other axes shall be known [m].
[[nodiscard]] double wanted_slack(const geometry::Core& A, const geometry::Core& B);

/// The cached axis at another pose: same face or edges, support anew. False if there is none.
[[nodiscard]] bool renew_axis(const ManifoldCache& cache, const geometry::Polytope& A, const geometry::Polytope& B,
                              const Place& X_AB, PolytopeAxis& axis);

}  // namespace visviva::collision
