#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/svg.hpp"

namespace visviva::report {

struct Interval {
  Real lo = 0;
  Real hi = 0;
  [[nodiscard]] Real length() const { return hi - lo; }
  void include(Real x);
  /// Wider by the share `part` of its length on each side; `least` is the length of a point.
  [[nodiscard]] Interval widened(Real part, Real least) const;
};

/// Round numbers inside an interval with their labels, and the power of ten they all share.
struct Ticks {
  std::vector<Real> values;
  std::vector<std::string> labels;
  int exponent = 0;  ///< labels are values / 10^exponent
};
/// About `wanted` ticks at multiples of 1, 2 or 5 times a power of ten.
[[nodiscard]] Ticks nice_ticks(const Interval& interval, int wanted);

/// "*γ*_{x} (m/s)" or, with an exponent, "*γ*_{x} (10^{−3} m/s)".
[[nodiscard]] std::string axis_label(std::string_view symbol, std::string_view unit, int exponent);

/// A rectangle of pixels with data coordinates.
struct PlotArea {
  Vec2 corner;  ///< upper left [px]
  Vec2 size;    ///< [px]
  Interval x, y;

  [[nodiscard]] Vec2 pixel(const Vec2& data) const;
};

/// Frame, ticks and labels of both axes; `x_symbol` and `y_symbol` are markup.
void draw_axes(Svg& svg, const PlotArea& area, std::string_view x_symbol, std::string_view x_unit,
               std::string_view y_symbol, std::string_view y_unit);

/// Finds free places for labels beside points: away from curves and from earlier labels.
class LabelPlacer {
 public:
  LabelPlacer(const Vec2& corner, const Vec2& size) : corner_(corner), size_(size) {}

  void avoid(const Vec2& point) { points_.push_back(point); }
  void avoid_line(const Vec2& a, const Vec2& b);
  /// To the nearest pixel that labels avoid [px].
  [[nodiscard]] Real clearance(const Vec2& at) const;
  /// Lower left corner of a text of that size near `at`, if possible on the side `preferred`.
  [[nodiscard]] Vec2 place(const Vec2& at, const Vec2& text_size, const Vec2& preferred);

 private:
  struct Box {
    Vec2 lo, hi;
  };
  [[nodiscard]] Real cost(const Box& box) const;

  Vec2 corner_, size_;
  std::vector<Vec2> points_;
  std::vector<Box> boxes_;
};

}  // namespace visviva::report
