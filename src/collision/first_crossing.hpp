#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "visviva/math/roots.hpp"

namespace visviva::collision {

/// What is known of a gap g(t) beforehand.
struct GapBounds {
  Real slope = 0;     ///< |g(s) - g(t)| <= slope |s - t| [m/s]
  Real bend = 0;      ///< g - bend t²/2 is concave; may be infinite [m/s²]
  Real rounding = 0;  ///< error of an evaluated g [m]
  Real slack = 0;     ///< a g up to this counts as zero, if that saves time [m]
};

struct Crossing {
  enum class Kind { None, Found, OutOfEvaluations };
  Kind kind = Kind::None;
  Real time = 0;  ///< no crossing before it
};

/// Without initial values: first_crossing has many of them, and seldom uses more than a few.
struct GapSample {
  Real t, g;
};

/// An interval with the values of g above the level at its ends, and what the bounds say of g in between.
///
/// With u = t - a, D = b - a: a function whose difference to bend t²/2 is concave lies above its chord less
/// bend u (D - u) / 2, a parabola with its minimum at u0 = D/2 - (g_b - g_a) / (bend D):
///   g(a + u) >= g_a - bend u0 u + bend u²/2.                                                     (1)
/// Also g(a + u) >= max(g_a - slope u, g_b - slope (D - u)).                                      (2)
class GapInterval {
 public:
  GapInterval(const GapSample& a, const GapSample& b, const GapBounds& bounds) : a_(a), b_(b), bounds_(bounds) {
    width_ = b.t - a.t;
    u0_ = 0.5 * width_ - (b.g - a.g) / (bounds.bend * width_);
  }

  /// A lower bound of g on the interval.
  [[nodiscard]] Real lowest() const {
    const Real ends = std::min(a_.g, b_.g);
    const Real by_slope = std::min(ends, 0.5 * (a_.g + b_.g - bounds_.slope * width_));
    if (!has_bend()) return by_slope;
    const bool inside = 0 < u0_ && u0_ < width_;
    return std::max(by_slope, inside ? a_.g - 0.5 * bounds_.bend * u0_ * u0_ : ends);
  }
  /// True if g > 0 on the way from a to any zero: (1) with g_b = 0 is (D - u) (g_a / D - bend u / 2).
  [[nodiscard]] bool has_one_zero() const { return has_bend() && a_.g > 0.5 * bounds_.bend * width_ * width_; }

  /// Where to look next.
  [[nodiscard]] Real split(bool crossed) const {
    if (!has_bend())
      return crossed ? a_.t + (a_.g + 2 * bounds_.rounding) / bounds_.slope
                     : a_.t + std::clamp(0.5 * (width_ + (a_.g - b_.g) / bounds_.slope), 0.1 * width_, 0.9 * width_);
    const Real u = crossed ? width_ * a_.g / (a_.g - b_.g) : u0_;
    return a_.t + std::clamp(u, 0.1 * width_, 0.9 * width_);
  }
  [[nodiscard]] bool has_bend() const { return bounds_.bend < std::numeric_limits<Real>::infinity(); }
  [[nodiscard]] Real width() const { return width_; }

 private:
  GapSample a_, b_;
  GapBounds bounds_;
  Real width_ = 0, u0_ = 0;
};

/// The zero of g between a (g >= 0) and b (g < 0), to rounding of t, on the side where g >= 0; or, with a slack, a time
/// before it at which g is at most that.
template <class Gap>
Crossing crossing_between(Gap&& g, const GapSample& a, const GapSample& b, Real resolution, Real slack) {
  const Real middle = 0.5 * slack;
  if (a.g < middle) return {Crossing::Kind::Found, a.t};
  Real before = a.t;
  const auto value = [&](Real t) {
    const Real g_t = g(t);
    if (g_t >= 0) before = std::max(before, t);
    return g_t - middle;
  };
  const RootFindSettings settings{.x_tolerance = resolution, .f_tolerance = middle};
  const auto root = find_root(value, Bracket{a.t, a.g - middle, b.t, b.g - middle}, settings);
  return {root.converged ? Crossing::Kind::Found : Crossing::Kind::OutOfEvaluations, before};
}

/// The first time in (a.t, end.t] at which g, not below 0 at a, falls below 0, on the side where it is not negative.
/// g(t) is evaluated at most `evaluations` times, and then for one zero. Intervals are split, the left part first,
/// until (1) or (2) shows that g stays above -rounding, or that there is one zero. `rise`: slope of g at a, if a.g is
/// about zero and g grows: how far to look first.
template <class Gap>
Crossing first_crossing(Gap&& g, GapSample a, GapSample end, const GapBounds& bounds, Real rise, int evaluations) {
  std::array<GapSample, 256> pending;  // right ends of the intervals still to see, the next one last
  std::size_t count = 0;
  pending[count++] = end;
  const Real resolution = 0x1p-53 * std::max(std::abs(a.t), std::abs(end.t));
  bool at_start = rise > 0;
  GapSample clear = a;  // the last at which g was not negative
  while (count > 0) {
    const GapSample b = pending[count - 1];
    const GapInterval interval(a, b, bounds);
    const bool crossed = b.g < -bounds.rounding, at_end = interval.width() <= 2 * resolution;
    if (!crossed && (at_end || interval.lowest() >= -bounds.rounding)) {
      a = b;
      if (b.g >= 0) clear = b;
      --count;
      at_start = at_start && !interval.has_bend() && a.g <= 4 * bounds.rounding;
      continue;
    }
    if (crossed) {
      if (a.g < 0) return crossing_between(g, clear, a, resolution, bounds.slack);
      if (at_end || (!interval.has_bend() && a.g <= bounds.rounding && !at_start)) return {Crossing::Kind::Found, a.t};
      if (interval.has_one_zero()) return crossing_between(g, a, b, resolution, bounds.slack);
    }
    if (evaluations-- <= 0 || count == pending.size()) return {Crossing::Kind::OutOfEvaluations, clear.t};
    Real t = interval.split(crossed);
    // Just after a bounce g rises like rise u - bend u²/2: (1) clears what is shorter than 2 rise / bend.
    if (at_start && interval.has_bend()) {
      t = std::min(t, a.t + std::max(rise / bounds.bend, std::sqrt(16 * bounds.rounding / bounds.bend)));
      at_start = false;
    }
    t = std::clamp(t, a.t + resolution, b.t - resolution);
    pending[count++] = {t, g(t)};
  }
  return {};
}

}  // namespace visviva::collision
