#pragma once

#include <algorithm>

#include "place.hpp"
#include "visviva/geometry/core.hpp"
#include "visviva/geometry/polytope.hpp"

namespace visviva::collision {

struct BoxPair;

/// Of the size: an axis of two edges must beat those of faces by this, and by the rounding of its own direction, which
/// grows as the edges become parallel.
inline constexpr double kPreferFace = 1e-12, kRounding = 4e-15;

/// The direction along which two polytopes are farthest apart, or overlap least, among the normals of their faces and
/// the products of their edges. If they overlap, that is the penetration depth and no other direction has less.
struct PolytopeAxis {
  enum class Kind : std::uint8_t { FaceOfA, FaceOfB, Edges };

  Kind kind = Kind::FaceOfA;
  std::uint32_t a = 0, b = 0;  ///< the face and the other body's farthest vertex, or both edges
  Real3 n;                     ///< unit, in A, from A to B
  double gap = 0;              ///< along n, negative: overlap [m]
  /// If asked for: axes whose direction differs from n by more than `spread` (the length of the difference of the unit
  /// vectors) have no larger gap than `second` [m]. Holds for as long as both bodies keep their orientation.
  double second = 0, spread = 0;
};

/// Axes besides the best one, as far as they are known.
class OtherAxes {
 public:
  /// An axis, or an upper bound of its gap.
  void add(double gap, const Real3& n) {
    if (count_ < kMost)
      axes_[count_++] = {n, gap};
    else
      rest_ = std::max(rest_, gap);
  }
  /// A bound for all that are not added.
  void add_rest(double gap) { rest_ = std::max(rest_, gap); }
  /// Sorts them into those about parallel to the best one and the others.
  void bound(PolytopeAxis& axis) const;

 private:
  static constexpr int kMost = 48;
  struct Other {
    Real3 n;
    double gap;
  };
  Other axes_[kMost];
  int count_ = 0;
  double rest_ = -1e300;
};

/// How a search ended.
enum class AxisSearch {
  Found,
  Apart,  ///< farther than asked for; the axis is one that shows it
  Deep,   ///< overlapping so deep that too many pairs of edges remain
};

/// What a search may know and what it shall do.
struct AxisQuestion {
  double stop_above = 0;  ///< a larger gap than this ends the search [m]
  double slack = 0;       ///< > 0: `second` is wanted, as far as this below the best gap [m]
  Real3 guess;            ///< a direction from A to B, in A
};

/// Separating axes of two polytopes [Gottschalk1996], pruned. Every vertex of B known so far bounds the gap along every
/// face of A from above, so the face with the highest bound is tried next, and its support vertex lowers the bounds of
/// the others; it ends when no bound exceeds the best gap. Then the same with A and B exchanged, and of the edges only
/// those whose own bound exceeds it, in pairs whose arcs cross on the sphere of normals [Gregorius2013]. Where the best
/// gap is positive the edges are left out: distance() knows better, if the faces do not meet.
[[nodiscard]] AxisSearch find_polytope_axis(const geometry::Polytope& A, const geometry::Polytope& B, const Place& X_AB,
                                            const AxisQuestion& question, PolytopeAxis& axis);

/// The same for two boxes, in closed form.
[[nodiscard]] AxisSearch find_box_axis(const geometry::Core& A, const BoxPair& boxes, const AxisQuestion& question,
                                       PolytopeAxis& axis);

}  // namespace visviva::collision
