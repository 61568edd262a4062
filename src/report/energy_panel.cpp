#include <algorithm>

#include "report/axes.hpp"
#include "report/panels.hpp"

namespace visviva::report {

void draw_energy(Svg& svg, const PanelBox& box, const Trace& trace) {
  constexpr Real kLeft = 62, kRight = 12, kTop = 8, kBottom = 42;  // room for the axis labels [px]
  Interval x, y;
  for (const impact::PathPoint& point : trace.path) {
    x.include(point.impulse.z());
    y.include(point.energy);
  }
  PlotArea area{box.corner + Vec2(kLeft, kTop), Vec2(box.size.x() - kLeft - kRight, box.size.y() - kTop - kBottom),
                x.widened(0.06, 1), y.widened(0.1, 1)};
  const Vec2 zero = area.pixel({0, 0});
  svg.line({area.corner.x(), zero.y()}, {area.corner.x() + area.size.x(), zero.y()}, {ink::kGrid, 0.8});
  draw_axes(svg, area, "*I*_{z}", "N s", "*E*", "J");

  LabelPlacer placer(area.corner + Vec2(4, 4), area.size - Vec2(8, 8));
  std::vector<Vec2> pixels;
  for (const impact::PathPoint& point : trace.path) pixels.push_back(area.pixel({point.impulse.z(), point.energy}));
  for (std::size_t i = 1; i < pixels.size(); ++i) placer.avoid_line(pixels[i - 1], pixels[i]);
  const std::size_t split = std::min(trace.restitution, pixels.size());
  const std::span<const Vec2> all(pixels);
  svg.polyline(all.subspan(split), kRestitutionStroke);
  svg.polyline(all.first(split), kCompressionStroke);

  std::vector<MarkedPoint> marks;
  for (const TraceEvent& event : trace.events)
    if (event.letter != '-')
      marks.push_back(
          {area.pixel({event.point.impulse.z(), event.point.energy}), {event.letter}, event_symbol("E", event.letter)});
  if (0 < split && split < pixels.size()) {
    const Vec2 &before = pixels[split - 1], &after = pixels[split];
    svg.line(before, after, {ink::kAxis, 1, "2.5 2.5"});
    if (trace.input->settings.law == impact::Law::Stronge && (after - before).norm() > 12)
      marks.push_back({after, {'-'}, "*e*^{2}*E*_{c}"});
  }
  draw_marks(svg, placer, merge_marks(marks));
}

}  // namespace visviva::report
