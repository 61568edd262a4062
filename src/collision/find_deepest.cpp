#include "find_deepest.hpp"

#include <array>
#include <limits>

#include "climb_by_newton.hpp"
#include "expanding_polytope.hpp"

namespace visviva::collision {

namespace {

/// Of a curved C: from a facet that is so near the surface, in units of the depth and of the size, Newton's method
/// finds what the surface above it holds, if its answer is not farther off than the angle.
constexpr Real kNearDepth = 0.1, kNearSize = 0.01, kNearCosine = 0.95, kSameCosine = 0.99;
/// The search on a ridge costs more: it begins when the facet is so much nearer.
constexpr Real kNearRidge = 0.1;

class Search {
 public:
  Search(const MinkowskiDifference& C, Real size)
      : C_(C), polytope_(C), size_(size), tolerance_(4 * kSupportRounding * size), curved_(C.is_curved()) {}

  [[nodiscard]] Deepest run(const Nearest& overlap) {
    if (!polytope_.begin(overlap.simplex) && !polytope_.begin_anew(tolerance_)) {
      const Real3 n = polytope_.flat_normal();
      return {{n, C_.support(n), 0}, overlap.points, 1, true};
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
    if (found_ && !(height < -best_.direction.d - tolerance_)) return finish(true);
    const Direction x = look_along(C_, -polytope_.normal(f));
    const Real gap = -x.d - height;
    if (!(gap > tolerance_) || (gap < 1e-6 * size_ && polytope_.holds(x.vertex.w))) {
      // What Newton's method found has the surer points.
      if (!found_ || x.d > best_.direction.d + tolerance_) take({x, polytope_.foot(f), 0, false});
      return finish(true);
    }
    const Real near = kNearDepth * -x.d + kNearSize * size_;
    if (curved_ && gap < near && is_resolved(x, gap < kNearRidge * near)) {
      polytope_.set_aside(f);
      return true;
    }
    if (!found_ && (best_.iterations == 1 || x.d > best_.direction.d)) {
      best_.direction = x;
      best_.points = polytope_.foot(f);
    }
    return polytope_.expand(f, x.vertex) || finish(false);
  }

  /// Whether Newton's method knows what the surface above a facet with the outward normal -x.n holds.
  bool is_resolved(const Direction& x, bool on_ridges) {
    if (found_ && dot(x.n, best_.direction.n) > kSameCosine) return true;
    Deepest here{x, {}, 0, false};
    if (!climb_by_newton(C_, here.direction, here.points, on_ridges) || !(dot(here.direction.n, x.n) > kNearCosine))
      return false;
    take(here);
    return true;
  }

  void take(const Deepest& here) {
    if (found_ && !(here.direction.d > best_.direction.d)) return;
    best_.direction = here.direction;
    best_.points = here.points;
    found_ = true;
  }

  bool finish(bool proved) {
    best_.proved = proved;
    // A facet that touches a curved surface has its normal to the root of rounding only.
    if (curved_ && norm(best_.points.w - best_.direction.d * best_.direction.n) > tolerance_) {
      Deepest climbed = best_;
      if (climb_by_newton(C_, climbed.direction, climbed.points) &&
          climbed.direction.d >= best_.direction.d - tolerance_)
        best_ = climbed;
    }
    // On a circle of equal depths the facets may end before they touch the surface: the support points do.
    if (!(std::abs(dot(best_.direction.n, best_.points.w) - best_.direction.d) <= 4 * tolerance_))
      best_.points = best_.direction.vertex;
    return false;
  }

  const MinkowskiDifference& C_;
  ExpandingPolytope polytope_;
  Real size_, tolerance_;
  bool curved_;
  bool found_ = false;  ///< best_ is a maximum of d(n), and not only the best direction so far
  Deepest best_;
};

}  // namespace

Deepest find_deepest(const MinkowskiDifference& C, const Nearest& overlap) {
  const Real3 x{1, 0, 0};
  const Real size = magnitude(C.support(x)) + magnitude(C.support(-x)) + C.rounding() / kSupportRounding;
  return Search(C, size).run(overlap);
}

}  // namespace visviva::collision
