#include "report/axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "visviva/math/elementary.hpp"

namespace visviva::report {

namespace {

constexpr std::string_view kMinus = "\u2212";

std::string with_minus(std::string text) {
  if (text.starts_with('-')) text.replace(0, 1, kMinus);
  return text;
}

/// 10^n by repeated products: exact for small n, the same everywhere.
Real power_of_ten(int n) {
  Real power = 1;
  for (int i = 0; i < std::abs(n); ++i) power *= 10;
  return n < 0 ? 1 / power : power;
}

int floor_log10(Real x) {
  int n = static_cast<int>(std::floor(log(x) / log(10.0)));
  while (power_of_ten(n) > x) --n;
  while (power_of_ten(n + 1) <= x) ++n;
  return n;
}

}  // namespace

void Interval::include(Real v) {
  lo = std::min(lo, v);
  hi = std::max(hi, v);
}

Interval Interval::widened(Real part, Real least) const {
  const Real margin = length() > 0 ? part * length() : 0.5 * least;
  return {lo - margin, hi + margin};
}

Ticks nice_ticks(const Interval& interval, int wanted) {
  Ticks ticks;
  const Real raw = interval.length() / wanted;
  // Beyond these a figure has no scale to show; ticks would only print rounding.
  if (!(raw > 1e-290 && raw < 1e290)) return ticks;
  const int power = floor_log10(raw);
  const Real mantissa = raw / power_of_ten(power);
  const int multiple = mantissa < 1.5 ? 1 : mantissa < 3.5 ? 2 : mantissa < 7.5 ? 5 : 10;
  const Real step = multiple * power_of_ten(power);
  const auto first = static_cast<long long>(std::ceil(interval.lo / step - 1e-9));
  const auto last = static_cast<long long>(std::floor(interval.hi / step + 1e-9));
  const Real largest = std::max(std::abs(static_cast<Real>(first)), std::abs(static_cast<Real>(last))) * step;
  const int magnitude = largest > 0 ? floor_log10(largest * (1 + 1e-12)) : 0;
  if (magnitude < -2 || magnitude > 3) ticks.exponent = magnitude;
  const int step_power = multiple == 10 ? power + 1 : power;
  const int decimals = std::clamp(ticks.exponent - step_power, 0, 9);
  for (long long k = first; k <= last && k - first < 20; ++k) {
    const Real value = static_cast<Real>(k) * step;
    ticks.values.push_back(value);
    ticks.labels.push_back(with_minus(fmt::format("{:.{}f}", value / power_of_ten(ticks.exponent) + 0.0, decimals)));
  }
  return ticks;
}

std::string axis_label(std::string_view symbol, std::string_view unit, int exponent) {
  if (exponent == 0) return fmt::format("{} ({})", symbol, unit);
  return fmt::format("{} (10^{{{}}} {})", symbol, with_minus(std::to_string(exponent)), unit);
}

Vec2 PlotArea::pixel(const Vec2& data) const {
  return {corner.x() + size.x() * (data.x() - x.lo) / x.length(),
          corner.y() + size.y() * (y.hi - data.y()) / y.length()};
}

void draw_axes(Svg& svg, const PlotArea& area, std::string_view x_symbol, std::string_view x_unit,
               std::string_view y_symbol, std::string_view y_unit) {
  constexpr Real kTick = 4, kTickText = 10;
  const Real spacing = 62;  // pixels between ticks, roughly
  const int wanted = std::max(2, static_cast<int>(std::min(area.size.x(), area.size.y()) / spacing));
  const Ticks x_ticks = nice_ticks(area.x, wanted), y_ticks = nice_ticks(area.y, wanted);
  const Real left = area.corner.x(), bottom = area.corner.y() + area.size.y();
  svg.rectangle(area.corner, area.size, "none", {ink::kAxis, 0.8});
  Real widest = 0;
  for (std::size_t i = 0; i < x_ticks.values.size(); ++i) {
    const Real x = area.pixel({x_ticks.values[i], area.y.lo}).x();
    svg.line({x, bottom}, {x, bottom - kTick}, {ink::kAxis, 0.8});
    svg.text({x, bottom + 14}, x_ticks.labels[i], {kTickText, ink::kAxis, Anchor::Middle});
  }
  for (std::size_t i = 0; i < y_ticks.values.size(); ++i) {
    const Real y = area.pixel({area.x.lo, y_ticks.values[i]}).y();
    svg.line({left, y}, {left + kTick, y}, {ink::kAxis, 0.8});
    svg.text({left - 6, y + 3.5}, y_ticks.labels[i], {kTickText, ink::kAxis, Anchor::End});
    widest = std::max(widest, text_width(y_ticks.labels[i], kTickText));
  }
  svg.text({left + 0.5 * area.size.x(), bottom + 31}, axis_label(x_symbol, x_unit, x_ticks.exponent),
           {12, ink::kBlack, Anchor::Middle});
  svg.text({left - 14 - widest, area.corner.y() + 0.5 * area.size.y()}, axis_label(y_symbol, y_unit, y_ticks.exponent),
           {12, ink::kBlack, Anchor::Middle, false, -90});
}

void LabelPlacer::avoid_line(const Vec2& a, const Vec2& b) {
  constexpr Real kSpacing = 3;  // finer than the height of any label
  constexpr Real kLongest = 1e4;
  const Real length = (b - a).norm();
  if (std::isnan(length)) return;  // beyond all that is drawn
  const int n = std::max(1, static_cast<int>(std::min(length, kLongest) / kSpacing));
  for (int i = 0; i <= n; ++i) avoid(a + (b - a) * (static_cast<Real>(i) / n));
}

Real LabelPlacer::clearance(const Vec2& at) const {
  Real nearest = std::numeric_limits<Real>::infinity();
  for (const Vec2& p : points_) nearest = std::min(nearest, (p - at).norm());
  return nearest;
}

Real LabelPlacer::cost(const Box& box) const {
  Real sum = 0;
  for (const Vec2& p : points_)
    if ((p.array() > box.lo.array() - 1).all() && (p.array() < box.hi.array() + 1).all()) sum += 1;
  for (const Box& other : boxes_) {
    // Side by side two labels would read as one.
    const Vec2 overlap = box.hi.cwiseMin(other.hi) - box.lo.cwiseMax(other.lo) + Vec2(5, 0);
    if ((overlap.array() > 0).all()) sum += 10 + overlap.x() * overlap.y();
  }
  const Vec2 outside = (corner_ - box.lo).cwiseMax(0) + (box.hi - corner_ - size_).cwiseMax(0);
  return sum + 20 * outside.sum();
}

Vec2 LabelPlacer::place(const Vec2& at, const Vec2& text_size, const Vec2& preferred) {
  constexpr int kDirections = 16;
  Box best{at, at};
  Real best_cost = std::numeric_limits<Real>::infinity();
  const Vec2 wish = preferred.norm() > 0 ? Vec2(preferred.normalized()) : Vec2(0, -1);
  for (const Real gap : {6.0, 11.0, 18.0, 28.0})
    for (int k = 0; k < kDirections; ++k) {
      const SinCos turn = sin_cos(6.283185307179586 * k / kDirections);
      const Vec2 side(turn.cos, turn.sin);
      const Vec2 center = at + gap * side + 0.5 * side.cwiseProduct(text_size);
      const Box box{center - 0.5 * text_size, center + 0.5 * text_size};
      const Real total = cost(box) + 0.08 * gap + 0.8 * (1 - side.dot(wish));
      if (total < best_cost) {
        best_cost = total;
        best = box;
      }
    }
  boxes_.push_back(best);
  return {best.lo.x(), best.hi.y()};
}

}  // namespace visviva::report
