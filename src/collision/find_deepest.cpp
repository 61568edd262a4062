#include "find_deepest.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "climb_by_newton.hpp"
#include "expanding_polytope.hpp"
#include "meeting_axes.hpp"

namespace visviva::collision {

namespace {

/// Of a curved C: from a facet that is so near the surface, in units of the depth and of the size, Newton's method
/// finds what the surface above it holds, if its answer is not farther off than the angle.
constexpr Real kNearDepth = 0.05, kNearSize = 0.005, kNearCosine = 0.98, kSameCosine = 0.99999;
/// The search on a ridge costs more: it begins when the facet is so much nearer.
constexpr Real kNearRidge = 0.1;
/// Newton's method costs as much as some expansions. After it has led nowhere for the k-th time, it is not tried for k
/// times as many facets.
constexpr int kPause = 3;
/// A support point that is a vertex already ends the search, if the facet is so near, of the size; but the facet must
/// not be farther from it than rounding explains, in units of the tolerance.
constexpr Real kKnownGap = 1e-6, kNoise = 64;
/// Of the size: how far climb_by_distances moves out.
constexpr Real kFarther = 1e-3;

class Search {
 public:
  Search(const MinkowskiDifference& C, Real size)
      : C_(C), polytope_(C), size_(size), tolerance_(4 * kSupportRounding * size), curved_(C.is_curved()) {
    best_.direction.d = -std::numeric_limits<Real>::infinity();
  }

  /// Along a known direction: the nearest points after a move apart, if they fit it, else those that support it.
  [[nodiscard]] Deepest along(const Direction& direction, bool proved) const {
    Deepest known{direction, direction.vertex, 1, proved}, apart = known;
    if (improve(direction, apart) && std::abs(dot(direction.n, apart.points.w) - direction.d) <= 4 * tolerance_)
      known.points = apart.points;
    return known;
  }
  /// How far the difference of the points is from that along the normal.
  [[nodiscard]] static Real off_normal(const Deepest& deepest) {
    return norm(deepest.points.w - deepest.direction.d * deepest.direction.n);
  }
  [[nodiscard]] bool is_stationary(const Deepest& deepest) const { return off_normal(deepest) <= tolerance_; }

  [[nodiscard]] Deepest run(const Nearest& overlap, const FaceMaximum& face) {
    if (!polytope_.begin(overlap.simplex) && !polytope_.begin_anew(tolerance_)) {
      const Real3 n = polytope_.flat_normal();
      return {{n, C_.support(n), 0}, overlap.points, 1, true};
    }
    if (face.found) {  // it remains to be proved that none is better
      best_.direction = face.direction;
      best_.points = face.points;
      found_ = true;
    }
    while (look()) {
    }
    return best_;
  }

 private:
  /// One expansion; false at the end.
  bool look() {
    const std::size_t f = polytope_.lowest();
    const Real height = polytope_.height(f);
    ++best_.iterations;
    if (found_ && !(height < -best_.direction.d - tolerance_)) return finish(!left_out_);
    if (height == ExpandingPolytope::kNever) return finish(false);
    const Direction x = look_along(C_, -polytope_.normal(f));
    const Real gap = -x.d - height;
    const bool known = gap < kKnownGap * size_ && polytope_.holds(x.vertex.w);
    if (known && gap > kNoise * tolerance_) {  // a sliver whose normal is noise
      keep(x, f);
      left_out_ = true;
      polytope_.set_aside(f);
      return true;
    }
    if (known || !(gap > tolerance_)) {
      keep(x, f, kNoise * tolerance_);
      return finish(!left_out_);
    }
    const Real near = kNearDepth * -x.d + kNearSize * size_;
    if (curved_ && gap < near && is_resolved(x, gap < kNearRidge * near)) {
      polytope_.set_aside(f);
      return true;
    }
    keep(x, f);
    if (polytope_.expand(f, x.vertex)) return true;
    climb_from_facets();
    return finish(false);
  }

  /// Where the room for facets ran out, as on circles of almost equal depths: any of those that are lower than the
  /// best direction may lead to a better one.
  void climb_from_facets() {
    constexpr std::size_t kMostStarts = 32;
    if (!curved_) return;
    std::array<std::size_t, ExpandingPolytope::kMostFacets> lower;
    std::size_t count = 0;
    for (std::size_t f = 0; f < polytope_.facet_count(); ++f)
      if (polytope_.height(f) < -best_.direction.d - tolerance_) lower[count++] = f;
    const std::size_t starts = std::min(count, kMostStarts);
    for (std::size_t i = 0; i < starts; ++i) {
      Direction direction = look_along(C_, -polytope_.normal(lower[i * count / starts]));
      DifferenceVertex points;
      if (!climb_by_newton(C_, direction, points) || !(direction.d > best_.direction.d)) continue;
      best_.direction = direction;
      best_.points = points;
      found_ = true;
    }
  }

  /// Whether Newton's method knows what the surface above a facet with the outward normal -x.n holds.
  bool is_resolved(const Direction& x, bool on_ridges) {
    if (found_ && dot(x.n, best_.direction.n) > kSameCosine) return true;
    if (pause_ > 0) {
      --pause_;
      return false;
    }
    Direction direction = x;
    DifferenceVertex points;
    if (!climb_by_newton(C_, direction, points, on_ridges) || !(dot(direction.n, x.n) > kNearCosine)) {
      pause_ = kPause * ++failures_;
      return false;
    }
    if (direction.d > best_.direction.d - (found_ ? 0 : tolerance_)) {
      best_.direction = direction;
      best_.points = points;
      found_ = true;
    }
    return true;
  }

  /// Any direction is an upper bound of the depth; but what Newton's method found has the surer points, and a facet
  /// that touches the surface has surer ones than one that did not, even if it is worse by the slack.
  void keep(const Direction& x, std::size_t f, Real slack = 0) {
    if (!(x.d > best_.direction.d + (found_ ? tolerance_ : -slack))) return;
    best_.direction = x;
    best_.points = polytope_.foot(f);
    found_ = false;
  }

  bool finish(bool proved) {
    best_.proved = proved;
    // A facet that touches a curved surface has its normal to the root of rounding only, and the foot of a sliver may
    // be far off.
    if (!is_stationary(best_) && !climb()) climb_by_distances();
    // What still is off the surface there: the nearest points of the cores, moved apart, are on it.
    if (!(std::abs(dot(best_.direction.n, best_.points.w) - best_.direction.d) <= 4 * tolerance_)) {
      Deepest apart = best_;
      best_.points = improve(best_.direction, apart) ? apart.points : best_.direction.vertex;
    }
    return false;
  }

  bool climb() {
    if (!curved_) return false;
    Deepest climbed = best_;
    if (!climb_by_newton(C_, climbed.direction, climbed.points) ||
        !(climbed.direction.d >= best_.direction.d - tolerance_))
      return false;
    best_.direction = climbed.direction;
    best_.points = climbed.points;
    return true;
  }

  /// A better direction and its points: the normal of the cores after B has been moved out along n and a little
  /// farther. With H of climb_by_newton and a move by s and a gap g, its error is s / (H + s) of that of n where C is
  /// smooth, and none across edges. False if that does not part the cores.
  bool improve(const Direction& x, Deepest& better) const {
    const Real3 out = (-x.d + kFarther * size_) * x.n;
    Nearest nearest;
    run_gjk(C_.moved(out), x.n, nearest);
    better.direction = look_along(C_, nearest.best.n);
    better.points = {nearest.points.w - out, nearest.points.a, nearest.points.b - out};
    return !nearest.overlap;
  }

  /// Takes what is better, or as good with points that fit better.
  bool take(const Deepest& other) {
    const bool deeper = other.direction.d > best_.direction.d;
    if (!deeper && !(other.direction.d >= best_.direction.d - tolerance_ && off_normal(other) < off_normal(best_)))
      return false;
    best_.direction = other.direction;
    best_.points = other.points;
    return true;
  }

  /// Where facets came to no end, as on circles of almost equal depths. There each move is short and like the one
  /// before, so it is tried to go on as far as the secant of two of them says, or as far as it leads uphill.
  void climb_by_distances() {
    constexpr int kMaxMoves = 32;
    constexpr Real kFarthest = 0.5, kLonger = 4;  // of a turn [rad], and how much longer than the last one
    Real3 turn{0, 0, 0}, last_move{0, 0, 0};
    for (int i = 0; i < kMaxMoves && !is_stationary(best_); ++i) {
      const Real3 n = best_.direction.n;
      Deepest next = best_, ahead = best_;
      if (!improve(best_.direction, next)) return;
      const Real3 move = next.direction.n - n;
      const Real turned = norm(turn), moved = norm(move);
      const Real left = turned > 0 ? dot(move, last_move) / squared_norm(last_move) : 0;  // of the move, after the turn
      Real way = std::min(left < 1 ? left / (1 - left) : kLonger, std::min(kLonger, kFarthest / turned));
      for (; moved > 0 && std::abs(way) * turned > moved; way /= kLonger) {
        if (!improve(look_along(C_, normalized(n + way * turn)), ahead) || !(ahead.direction.d > next.direction.d))
          continue;
        next = ahead;
        break;
      }
      turn = next.direction.n - n;
      last_move = move;
      if (!take(next) || climb()) return;
    }
  }

  const MinkowskiDifference& C_;
  ExpandingPolytope polytope_;
  Real size_, tolerance_;
  bool curved_;
  int failures_ = 0;       ///< of Newton's method
  int pause_ = 0;          ///< facets for which it is not tried
  bool left_out_ = false;  ///< slivers
  bool found_ = false;     ///< best_ is a maximum of d(n), and not only the best direction so far
  Deepest best_;
};

}  // namespace

Deepest find_deepest(const MinkowskiDifference& C, const Nearest& overlap, const FaceMaximum& face) {
  const Real3 x{1, 0, 0};
  const Real size = magnitude(C.support(x)) + magnitude(C.support(-x)) + C.rounding() / kSupportRounding;
  const AxesDirection axes = find_direction_by_axes(C);
  if (!axes.found) return Search(C, size).run(overlap, face);
  Search search(C, size);
  Deepest by_axes;
  if (axes.proved) {
    by_axes = search.along(axes.direction, true);
    if (search.is_stationary(by_axes)) return by_axes;
  }
  const Deepest found = search.run(overlap, face);
  if (!(axes.direction.d > found.direction.d)) return found;
  Deepest climbed{axes.direction, {}, 1, found.proved};
  if (climb_by_newton(C, climbed.direction, climbed.points)) return climbed;
  return axes.proved ? by_axes : search.along(axes.direction, found.proved);
}

}  // namespace visviva::collision
