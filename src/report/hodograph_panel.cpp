#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "report/axes.hpp"
#include "report/panels.hpp"
#include "visviva/math/elementary.hpp"

namespace visviva::report {

namespace {

constexpr Real kLeft = 58, kRight = 12, kTop = 8, kBottom = 42;  // room for the axis labels [px]

/// Both axes with the same scale, the origin and every curve inside.
PlotArea make_area(const PanelBox& box, std::span<const Trace> traces) {
  Interval x, y;
  for (const Trace& trace : traces)
    for (const impact::PathPoint& point : trace.path) {
      x.include(point.v.x());
      y.include(point.v.y());
    }
  // Room around the origin, so that every invariant direction has some length to show.
  const Real around = 0.2 * std::max(x.length(), y.length());
  for (Interval* range : {&x, &y}) {
    range->include(-around);
    range->include(around);
  }
  Real side = 1.14 * std::max(x.length(), y.length());
  if (!(side > 0)) side = std::max(traces.front().input->problem.v.norm(), 1e-6);
  const Vec2 size(box.size.x() - kLeft - kRight, box.size.y() - kTop - kBottom);
  const Real pixel = side / std::min(size.x(), size.y());
  const auto centered = [&](const Interval& range, Real pixels) {
    const Real center = 0.5 * (range.lo + range.hi);
    return Interval{center - 0.5 * pixel * pixels, center + 0.5 * pixel * pixels};
  };
  return {box.corner + Vec2(kLeft, kTop), size, centered(x, size.x()), centered(y, size.y())};
}

/// Where the ray from the origin leaves the plot [data units].
Real ray_length(const PlotArea& area, const Vec2& s) {
  Real t = std::numeric_limits<Real>::infinity();
  if (s.x() != 0) t = std::min(t, (s.x() > 0 ? area.x.hi : area.x.lo) / s.x());
  if (s.y() != 0) t = std::min(t, (s.y() > 0 ? area.y.hi : area.y.lo) / s.y());
  return t;
}

void draw_directions(Svg& svg, const PlotArea& area, LabelPlacer& placer, const impact::InvariantDirections& found) {
  constexpr Real kDegrees = 57.29577951308232;
  for (const impact::InvariantDirection& s : found) {
    const std::string_view color = s.centrifugal() ? ink::kRed : ink::kBlue;
    const Real length = ray_length(area, s.direction);
    const Vec2 from = area.pixel({0, 0}), to = area.pixel(length * s.direction);
    svg.line(from, to, {color, 1.1, "5 3.5"});
    const Vec2 along = (to - from).normalized();
    const Real pixels = (to - from).norm();
    // The head stands far out, clear of what happens around the origin, unless a curve runs there.
    constexpr Real kClear = 9;  // [px]
    Vec2 at = from + 0.8 * pixels * along;
    for (const Real part : {0.4, 0.55, 0.9})
      if (placer.clearance(at) < kClear) at = from + part * pixels * along;
    placer.avoid_line(from, to);
    svg.arrow_head(at + (s.centrifugal() ? 4.5 : -4.5) * along, s.centrifugal() ? along : -along, 9, color);
    Real angle = kDegrees * atan2(s.direction.y(), s.direction.x());
    if (angle < 0) angle += 360;
    const std::string label = fmt::format("{:.1f}\u00b0", angle);
    const Vec2 text_size(text_width(label, 9.5), 9.5);
    const Vec2 place = placer.place(from + std::max(0.0, pixels - 16) * along, text_size, Vec2(-along.y(), along.x()));
    svg.text(place + Vec2(0, -2), label, {9.5, color, Anchor::Start, false, 0, true});
  }
}

std::vector<Vec2> pixels_of(const PlotArea& area, const Trace& trace, std::size_t begin, std::size_t end) {
  std::vector<Vec2> points;
  for (std::size_t i = begin; i < end; ++i) points.push_back(area.pixel(trace.path[i].v.head<2>()));
  return points;
}

/// An arrow half way along the curve tells which way it runs.
void draw_course(Svg& svg, const std::vector<Vec2>& points) {
  Real total = 0;
  for (std::size_t i = 1; i < points.size(); ++i) total += (points[i] - points[i - 1]).norm();
  constexpr Real kShortest = 40;  // below it the head would hide the curve [px]
  if (total < kShortest) return;
  Real walked = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Vec2 step = points[i] - points[i - 1];
    walked += step.norm();
    if (walked < 0.45 * total) continue;
    svg.arrow_head(points[i] + 3.5 * step.normalized(), step, 7.5, ink::kBlack);
    return;
  }
}

void avoid_curve(const PlotArea& area, const Trace& trace, LabelPlacer& placer) {
  const std::vector<Vec2> all = pixels_of(area, trace, 0, trace.path.size());
  for (std::size_t i = 1; i < all.size(); ++i) placer.avoid_line(all[i - 1], all[i]);
}

void draw_curve(Svg& svg, const PlotArea& area, const Trace& trace, Real width) {
  Stroke compression = kCompressionStroke, restitution = kRestitutionStroke;
  compression.width = restitution.width = width;
  const std::size_t size = trace.path.size(), split = std::min(trace.restitution, size);
  const auto before = pixels_of(area, trace, 0, split);
  svg.polyline(pixels_of(area, trace, split == 0 ? 0 : split - 1, size), restitution);
  svg.polyline(before, compression);
  draw_course(svg, before.size() > 2 ? before : pixels_of(area, trace, 0, size));
}

void draw_single(Svg& svg, const PlotArea& area, const Trace& trace, LabelPlacer& placer) {
  std::vector<MarkedPoint> marks;
  for (const TraceEvent& event : trace.events)
    marks.push_back({area.pixel(event.point.v.head<2>()),
                     {event.letter},
                     event.letter == '-' ? std::string("*\u03b3*^{\u2212}") : event_symbol("g", event.letter)});
  draw_marks(svg, placer, merge_marks(marks));
}

void draw_bundle(Svg& svg, const PlotArea& area, std::span<const Trace> traces, LabelPlacer& placer) {
  constexpr std::size_t kMostLabels = 40;  // more would only cover the curves
  std::vector<MarkedPoint> marks;
  for (const Trace& trace : traces)
    for (const TraceEvent& event : trace.events)
      marks.push_back({area.pixel(event.point.v.head<2>()), {event.letter}, ""});
  draw_marks(svg, placer, marks);
  if (traces.size() > kMostLabels) return;
  constexpr Real kSize = 10;
  const Vec2 origin = area.pixel({0, 0});
  for (const Trace& trace : traces) {
    const Vec2 start = area.pixel(trace.path.front().v.head<2>());
    const Vec2 text_size(plain_text_width(trace.input->name, kSize), kSize);
    const Vec2 at = placer.place(start, text_size, start - origin);
    svg.plain_text(at + Vec2(0, -2), trace.input->name, {kSize, ink::kBlack, Anchor::Start, false, 0, true});
  }
}

}  // namespace

void draw_hodograph(Svg& svg, const PanelBox& box, std::span<const Trace> traces) {
  const PlotArea area = make_area(box, traces);
  const Vec2 origin = area.pixel({0, 0});
  svg.line({area.corner.x(), origin.y()}, {area.corner.x() + area.size.x(), origin.y()}, {ink::kGrid, 0.8});
  svg.line({origin.x(), area.corner.y()}, {origin.x(), area.corner.y() + area.size.y()}, {ink::kGrid, 0.8});
  draw_axes(svg, area, "*\u03b3*_{x}", "m/s", "*\u03b3*_{y}", "m/s");
  LabelPlacer placer(area.corner + Vec2(4, 4), area.size - Vec2(8, 8));
  svg.begin_clip(area.corner, area.size);
  // Where the curves run must be known before the first label finds its place.
  for (const Trace& trace : traces) avoid_curve(area, trace, placer);
  draw_directions(svg, area, placer, impact::invariant_directions(traces.front().input->problem));
  for (const Trace& trace : traces) draw_curve(svg, area, trace, traces.size() > 1 ? 1.2 : 1.7);
  if (traces.size() == 1)
    draw_single(svg, area, traces.front(), placer);
  else
    draw_bundle(svg, area, traces, placer);
  svg.end_clip();
}

}  // namespace visviva::report
