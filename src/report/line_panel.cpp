#include "report/line_panel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "visviva/core/error.hpp"
#include "visviva/math/elementary.hpp"

namespace visviva::report {

namespace {

constexpr Real kTickText = 10.5, kLegendText = 11, kLabelText = 12, kTitleText = 12.5;
constexpr Real kLegendLine = 16, kLegendSample = 24, kLegendGap = 16;
constexpr Stroke kVerticalStroke{ink::kRed, 0.9, "4 3"};

std::string_view to_ink(Color color) {
  switch (color) {
    case Color::Gray:
      return "#8c8c8c";
    case Color::Blue:
      return ink::kBlue;
    case Color::Red:
      return ink::kRed;
    case Color::Green:
      return ink::kGreen;
    case Color::Sky:
      return ink::kSky;
    case Color::Purple:
      return ink::kPurple;
    case Color::Black:
      break;
  }
  return ink::kBlack;
}

Stroke stroke_of(const Curve& curve) {
  return {to_ink(curve.color), curve.width, curve.dashed ? std::string_view("6 4") : std::string_view()};
}

// ------------------------------------------------------------------------------- data

Real scaled(Real value, AxisScale scale) {
  return scale == AxisScale::Linear ? value : log(value) / 2.302585092994046;  // ln 10
}

bool shows(const Vec2& p, const Panel& panel) {
  return (panel.x.scale == AxisScale::Linear || p.x() > 0) && (panel.y.scale == AxisScale::Linear || p.y() > 0);
}

Vec2 scaled(const Vec2& p, const Panel& panel) { return {scaled(p.x(), panel.x.scale), scaled(p.y(), panel.y.scale)}; }

/// Whole decades, or a little more than the data; `margin` is a share of their length.
Interval range_of(const Axis& axis, const Interval& data, Real margin) {
  if (axis.range) return {scaled(axis.range->x(), axis.scale), scaled(axis.range->y(), axis.scale)};
  if (axis.scale == AxisScale::Linear) return data.widened(data.length() > 0 ? margin : 0.5, 1);
  const Real lo = std::floor(data.lo);
  return {lo, std::max(std::ceil(data.hi), lo + 1)};
}

/// Wider about its middle by the factor.
Interval stretched(const Interval& interval, Real factor) { return interval.widened(0.5 * (factor - 1), 1); }

PlotArea make_area(const PanelBox& frame, const Panel& panel) {
  constexpr Real kNone = std::numeric_limits<Real>::infinity();
  Interval x{kNone, -kNone}, y{kNone, -kNone};
  const auto include = [&](const Vec2& p) {
    if (!shows(p, panel)) return;
    const Vec2 q = scaled(p, panel);
    x.include(q.x());
    y.include(q.y());
  };
  for (const Curve& curve : panel.curves)
    for (const Vec2& p : curve.points) include(p);
  for (const Picture& picture : panel.pictures)
    for (const std::vector<Vec2>& polygon : picture.areas)
      for (const Vec2& p : polygon) include(p);
  require(x.lo <= x.hi, "line figure", "panel", "have a point to show", panel.title);
  PlotArea area{frame.corner, frame.size, range_of(panel.x, x, panel.equal_units ? 0.04 : 0),
                range_of(panel.y, y, 0.05)};
  if (panel.equal_units) {
    const Real x_unit = area.size.x() / area.x.length(), y_unit = area.size.y() / area.y.length();  // [px]
    if (x_unit > y_unit)
      area.x = stretched(area.x, x_unit / y_unit);
    else
      area.y = stretched(area.y, y_unit / x_unit);
  }
  return area;
}

// ------------------------------------------------------------------------------- axes

Ticks ticks_of(const Axis& axis, const Interval& interval, Real pixels, Real spacing) {
  const int wanted = std::max(2, static_cast<int>(pixels / spacing));
  return axis.scale == AxisScale::Linear ? nice_ticks(interval, wanted) : decade_ticks(interval, wanted);
}

std::string label_of(const Axis& axis, int exponent) {
  if (axis.unit.empty() && exponent == 0) return axis.symbol;
  return axis_label(axis.symbol, axis.unit, exponent);
}

struct AxisTicks {
  Ticks x, y;
  Real widest = 0;  ///< label of y [px]
};

AxisTicks ticks_of(const Panel& panel, const PlotArea& area) {
  AxisTicks ticks{ticks_of(panel.x, area.x, area.size.x(), 70), ticks_of(panel.y, area.y, area.size.y(), 42)};
  for (const std::string& label : ticks.y.labels) ticks.widest = std::max(ticks.widest, text_width(label, kTickText));
  return ticks;
}

void draw_grid(Svg& svg, const PlotArea& area, const AxisTicks& ticks) {
  const Real top = area.corner.y(), bottom = top + area.size.y();
  const Real left = area.corner.x(), right = left + area.size.x();
  for (const Real value : ticks.x.values) {
    const Real x = area.pixel({value, area.y.lo}).x();
    svg.line({x, top}, {x, bottom}, {ink::kGrid, 0.8});
  }
  for (const Real value : ticks.y.values) {
    const Real y = area.pixel({area.x.lo, value}).y();
    svg.line({left, y}, {right, y}, {ink::kGrid, 0.8});
  }
}

void draw_frame(Svg& svg, const PlotArea& area, const Panel& panel, const AxisTicks& ticks) {
  constexpr Real kTick = 4;
  const Real left = area.corner.x(), bottom = area.corner.y() + area.size.y();
  svg.rectangle(area.corner, area.size, "none", {ink::kAxis, 0.9});
  for (std::size_t i = 0; i < ticks.x.values.size(); ++i) {
    const Real x = area.pixel({ticks.x.values[i], area.y.lo}).x();
    svg.line({x, bottom}, {x, bottom - kTick}, {ink::kAxis, 0.9});
    svg.text({x, bottom + 14}, ticks.x.labels[i], {kTickText, ink::kAxis, Anchor::Middle});
  }
  for (std::size_t i = 0; i < ticks.y.values.size(); ++i) {
    const Real y = area.pixel({area.x.lo, ticks.y.values[i]}).y();
    svg.line({left, y}, {left + kTick, y}, {ink::kAxis, 0.9});
    svg.text({left - 6, y + 3.5}, ticks.y.labels[i], {kTickText, ink::kAxis, Anchor::End});
  }
  svg.text({left + 0.5 * area.size.x(), bottom + 31}, label_of(panel.x, ticks.x.exponent),
           {kLabelText, ink::kBlack, Anchor::Middle});
  svg.text({left - 16 - ticks.widest, area.corner.y() + 0.5 * area.size.y()}, label_of(panel.y, ticks.y.exponent),
           {kLabelText, ink::kBlack, Anchor::Middle, false, -90});
}

// ------------------------------------------------------------------------------- legend

struct LegendEntry {
  std::string_view name;
  Stroke stroke;
  CurveMarks marks = CurveMarks::None;
  std::string_view fill = {};  ///< of a picture, whose sample is a box
  Vec2 at = Vec2::Zero();      ///< left end of the sample, relative to the legend [px]
};

struct Legend {
  std::vector<LegendEntry> entries;
  Real height = 0;  ///< [px]
};

/// Entries in lines no longer than `width`.
Legend make_legend(const Panel& panel, Real width) {
  Legend legend;
  for (const Curve& curve : panel.curves)
    if (!curve.name.empty()) legend.entries.push_back({curve.name, stroke_of(curve), curve.marks});
  if (!panel.verticals.empty() && !panel.verticals_name.empty())
    legend.entries.push_back({panel.verticals_name, kVerticalStroke});
  for (const Picture& picture : panel.pictures)
    if (!picture.name.empty())
      legend.entries.push_back({picture.name, {ink::kBlack, 0.8}, CurveMarks::None, picture.fill});
  Vec2 pen(0, 0);
  for (LegendEntry& entry : legend.entries) {
    const Real length = kLegendSample + 6 + text_width(entry.name, kLegendText);
    if (pen.x() > 0 && pen.x() + length > width) pen = {0, pen.y() + kLegendLine};
    entry.at = pen;
    pen.x() += length + kLegendGap;
  }
  legend.height = legend.entries.empty() ? 0 : pen.y() + kLegendLine;
  return legend;
}

void draw_mark(Svg& svg, CurveMarks marks, const Vec2& at, std::string_view color) {
  if (marks == CurveMarks::Squares) svg.mark(Mark::Square, at, color);
  if (marks == CurveMarks::Circles) svg.mark(Mark::Circle, at, color);
}

void draw_legend(Svg& svg, const Vec2& corner, const Legend& legend) {
  for (const LegendEntry& entry : legend.entries) {
    const Vec2 at = corner + entry.at + Vec2(0, 0.5 * kLegendLine);
    svg.text(at + Vec2(kLegendSample + 6, 3.8), entry.name, {kLegendText, ink::kBlack});
    if (!entry.fill.empty()) {
      svg.rectangle(at + Vec2(6, -5), Vec2(kLegendSample - 6, 10), entry.fill, entry.stroke);
      continue;
    }
    Stroke stroke = entry.stroke;
    stroke.width = std::max(stroke.width, 1.6);
    svg.line(at, at + Vec2(kLegendSample, 0), stroke);
    draw_mark(svg, entry.marks, at + Vec2(0.5 * kLegendSample, 0), stroke.color);
  }
}

// ------------------------------------------------------------------------------- curves

std::vector<Vec2> without_near_points(std::span<const Vec2> pixels) {
  constexpr Real kNear = 0.15;  // [px]
  std::vector<Vec2> kept;
  for (std::size_t i = 0; i < pixels.size(); ++i)
    if (i == 0 || i + 1 == pixels.size() || (pixels[i] - kept.back()).norm() >= kNear) kept.push_back(pixels[i]);
  return kept;
}

std::vector<Vec2> extremes_of_columns(std::span<const Vec2> pixels) {
  constexpr Real kColumn = 0.5;  // [px]
  std::vector<Vec2> kept;
  for (std::size_t begin = 0; begin < pixels.size();) {
    std::size_t end = begin;
    while (end < pixels.size() && pixels[end].x() < pixels[begin].x() + kColumn) ++end;
    const auto column = pixels.subspan(begin, end - begin);
    const auto [low, high] =
        std::minmax_element(column.begin(), column.end(), [](const Vec2& a, const Vec2& b) { return a.y() < b.y(); });
    // first, lowest, highest and last of the column, in their order and each once
    std::size_t stay[4] = {0, static_cast<std::size_t>(low - column.begin()),
                           static_cast<std::size_t>(high - column.begin()), column.size() - 1};
    std::sort(std::begin(stay), std::end(stay));
    for (std::size_t i = 0; i < 4; ++i)
      if (i == 0 || stay[i] != stay[i - 1]) kept.push_back(column[stay[i]]);
    begin = end;
  }
  return kept;
}

Real distance_from_segment(const Vec2& p, const Vec2& a, const Vec2& b) {
  const Vec2 along = b - a;
  const Real length2 = along.squaredNorm();
  const Real s = length2 > 0 ? std::clamp<Real>((p - a).dot(along) / length2, 0, 1) : 0;
  return (p - a - s * along).norm();
}

/// Leaves out points that lie within a small distance of the line through those that stay [Douglas and Peucker].
std::vector<Vec2> without_bends(const std::vector<Vec2>& points) {
  constexpr Real kSeen = 0.06;  // [px]
  if (points.size() < 3) return points;
  std::vector<char> stays(points.size(), 0);
  stays.front() = stays.back() = 1;
  std::vector<std::pair<std::size_t, std::size_t>> todo{{0, points.size() - 1}};
  while (!todo.empty()) {
    const auto [first, last] = todo.back();
    todo.pop_back();
    std::size_t farthest = first;
    Real largest = kSeen;
    for (std::size_t i = first + 1; i < last; ++i) {
      const Real distance = distance_from_segment(points[i], points[first], points[last]);
      if (distance <= largest) continue;
      largest = distance;
      farthest = i;
    }
    if (farthest == first) continue;
    stays[farthest] = 1;
    todo.push_back({first, farthest});
    todo.push_back({farthest, last});
  }
  std::vector<Vec2> kept;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (stays[i]) kept.push_back(points[i]);
  return kept;
}

/// Marks along a curve in pixels, each `kSpacing` of its length; several curves start at different places.
void draw_marks(Svg& svg, std::span<const Vec2> pixels, const Curve& curve, Real start) {
  constexpr Real kSpacing = 48;
  Real to_next = start;
  for (std::size_t i = 1; i < pixels.size(); ++i) {
    const Vec2 step = pixels[i] - pixels[i - 1];
    const Real length = step.norm();
    Real done = 0;
    while (length - done >= to_next) {
      done += to_next;
      draw_mark(svg, curve.marks, pixels[i - 1] + step * (done / length), to_ink(curve.color));
      to_next = kSpacing;
    }
    to_next -= length - done;
  }
}

void draw_picture(Svg& svg, const PlotArea& area, const Panel& panel, const Picture& picture) {
  const auto to_pixels = [&](const std::vector<Vec2>& points) {
    std::vector<Vec2> pixels;
    pixels.reserve(points.size());
    for (const Vec2& p : points) pixels.push_back(area.pixel(scaled(p, panel)));
    return thinned(pixels);
  };
  for (const std::vector<Vec2>& polygon : picture.areas) svg.polygon(to_pixels(polygon), picture.fill, 1, {"none", 0});
  for (const PictureLine& line : picture.lines) svg.polyline(to_pixels(line.points), {ink::kBlack, line.width});
}

void draw_curves(Svg& svg, const PlotArea& area, const Panel& panel) {
  Real start = 10;
  for (const Curve& curve : panel.curves) {
    std::vector<Vec2> pixels;
    for (const Vec2& p : curve.points)
      if (shows(p, panel)) pixels.push_back(area.pixel(scaled(p, panel)));
    pixels = thinned(pixels);
    svg.polyline(pixels, stroke_of(curve));
    if (curve.marks == CurveMarks::None) continue;
    draw_marks(svg, pixels, curve, start);
    start += 24;
  }
}

}  // namespace

std::vector<Vec2> thinned(std::span<const Vec2> pixels) {
  const bool rising =
      std::is_sorted(pixels.begin(), pixels.end(), [](const Vec2& a, const Vec2& b) { return a.x() < b.x(); });
  return without_bends(rising ? extremes_of_columns(pixels) : without_near_points(pixels));
}

Ticks decade_ticks(const Interval& decades, int wanted) {
  Ticks ticks;
  const int first = static_cast<int>(std::ceil(decades.lo - 1e-9));
  const int last = static_cast<int>(std::floor(decades.hi + 1e-9));
  const int every = 1 + (last - first) / std::max(1, wanted);
  for (int n = first; n <= last; ++n) {
    if (n % every != 0) continue;
    ticks.values.push_back(n);
    ticks.labels.push_back(n == 0   ? "1"
                           : n == 1 ? "10"
                                    : fmt::format("10^{{{}{}}}", n < 0 ? "\u2212" : "", std::abs(n)));
  }
  return ticks;
}

void draw_line_panel(Svg& svg, const PanelBox& box, const Panel& panel) {
  constexpr Real kLeft = 66, kRight = 16, kTop = 26, kBottom = 42;
  const Real width = box.size.x() - kLeft - kRight;
  const Legend legend = make_legend(panel, width);
  const Real top = kTop + legend.height + (legend.height > 0 ? 4 : 0);
  const PanelBox frame{box.corner + Vec2(kLeft, top), Vec2(width, box.size.y() - top - kBottom)};
  const PlotArea area = make_area(frame, panel);
  const AxisTicks ticks = ticks_of(panel, area);

  svg.text(box.corner + Vec2(kLeft, 18), panel.title, {kTitleText, ink::kBlack, Anchor::Start, true});
  draw_legend(svg, box.corner + Vec2(kLeft, kTop), legend);
  draw_grid(svg, area, ticks);
  svg.begin_clip(area.corner, area.size);
  for (const Real x : panel.verticals) {
    if (panel.x.scale == AxisScale::Logarithmic && !(x > 0)) continue;
    const Real at = area.pixel({scaled(x, panel.x.scale), area.y.lo}).x();
    svg.line({at, area.corner.y()}, {at, area.corner.y() + area.size.y()}, kVerticalStroke);
  }
  for (const Picture& picture : panel.pictures) draw_picture(svg, area, panel, picture);
  draw_curves(svg, area, panel);
  for (const Label& label : panel.labels)
    svg.text(area.pixel(scaled(label.at, panel)) + Vec2(0, 3.5), label.text,
             {10, ink::kBlack, Anchor::Middle, false, 0, true});
  svg.end_clip();
  draw_frame(svg, area, panel, ticks);
}

}  // namespace visviva::report
