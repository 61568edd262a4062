#include "report/trace.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/axes.hpp"
#include "visviva/impact/solve.hpp"

namespace visviva::report {

namespace {

using impact::EventKind;
using impact::PathPoint;

PathPoint point_at(const std::vector<PathPoint>& path, Real Iz) {
  std::size_t i = 1;
  while (i + 1 < path.size() && path[i].impulse.z() < Iz) ++i;
  if (path.size() < 2) return path.front();
  const PathPoint &a = path[i - 1], &b = path[i];
  const Real step = b.impulse.z() - a.impulse.z();
  const Real t = step > 0 ? std::clamp((Iz - a.impulse.z()) / step, 0.0, 1.0) : 0;
  PathPoint mid;
  mid.impulse = a.impulse + t * (b.impulse - a.impulse);
  mid.v = a.v + t * (b.v - a.v);
  mid.energy = a.energy + t * (b.energy - a.energy);
  return mid;
}

}  // namespace

Trace make_trace(const FigureCase& input) {
  constexpr int kPointsPerPiece = 48;  // a chord then differs from its arc by less than a line width
  Trace trace;
  trace.input = &input;
  impact::ImpactSettings settings = input.settings;
  settings.method = impact::Method::Exact;
  trace.result = impact::solve(input.problem, settings);
  trace.path = impact::sample_path(input.problem, settings, kPointsPerPiece);
  PathPoint start;
  start.v = input.problem.v;
  if (trace.path.empty()) trace.path.push_back(start);
  trace.restitution = trace.path.size();
  trace.events.push_back({'-', start});
  for (const impact::ImpactEvent& event : trace.result.sequence)
    trace.events.push_back({static_cast<char>(event.kind), {event.impulse, event.v, event.energy}});
  const impact::TextLabel label = impact::text_label(input.problem, settings, input.tolerances);
  const bool has_l = trace.result.sequence.find(EventKind::Slide) != nullptr;
  if (!has_l && label.Iz_l >= 0 && label.sequence.find('l') != std::string::npos)
    trace.events.push_back({'l', point_at(trace.path, label.Iz_l)});
  if (const impact::ImpactEvent* c = trace.result.sequence.find(EventKind::Compression))
    for (std::size_t i = trace.path.size(); i-- > 0 && trace.path[i].impulse.z() >= c->impulse.z();)
      trace.restitution = i;
  // Of the two points with the Iz of c, the first closes compression and the second opens
  // restitution.
  if (trace.restitution + 1 < trace.path.size() &&
      trace.path[trace.restitution + 1].impulse.z() == trace.path[trace.restitution].impulse.z())
    ++trace.restitution;
  return trace;
}

std::string events_text(const Trace& trace) {
  switch (trace.result.status) {
    case impact::Status::NotApproaching:
      return "not approaching: no impulse";
    case impact::Status::Immovable:
      return "immovable: no impulse";
    case impact::Status::Jammed:
      return "jammed: no impulse";
    default:
      break;
  }
  std::vector<TraceEvent> events = trace.events;
  std::stable_sort(events.begin(), events.end(),
                   [](const TraceEvent& a, const TraceEvent& b) { return a.point.impulse.z() < b.point.impulse.z(); });
  std::string letters;
  for (const TraceEvent& event : events)
    if (event.letter != '-') letters += event.letter;
  return "events " + letters;
}

Mark event_mark(char letter) {
  switch (letter) {
    case 'l':
      return Mark::Diamond;
    case 's':
      return Mark::Ring;
    case 'c':
      return Mark::Circle;
    case 'r':
      return Mark::Square;
    default:
      return Mark::Dot;
  }
}

std::string_view event_color(char letter) {
  return letter == 's' ? ink::kPurple : letter == 'r' ? ink::kGreen : ink::kBlack;
}

std::string event_symbol(std::string_view symbol, char letter) { return fmt::format("*{}*_{{{}}}", symbol, letter); }

std::vector<MarkedPoint> merge_marks(const std::vector<MarkedPoint>& marks) {
  constexpr Real kSamePixel = 1.5;
  std::vector<MarkedPoint> merged;
  for (const MarkedPoint& mark : marks) {
    const auto same = std::find_if(merged.begin(), merged.end(),
                                   [&](const MarkedPoint& other) { return (other.at - mark.at).norm() < kSamePixel; });
    if (same == merged.end()) {
      merged.push_back(mark);
    } else {
      same->letters.insert(same->letters.end(), mark.letters.begin(), mark.letters.end());
      same->label += " = " + mark.label;
    }
  }
  return merged;
}

void draw_marks(Svg& svg, LabelPlacer& placer, const std::vector<MarkedPoint>& marks) {
  constexpr Real kSize = 12;
  // Where events coincide the larger, open marks come last and surround the others.
  for (const char letter : {'-', 'c', 'r', 'l', 's'})
    for (const MarkedPoint& mark : marks)
      for (const char present : mark.letters)
        if (present == letter) svg.mark(event_mark(letter), mark.at, event_color(letter));
  // Labels stay off the marks too: the corners of a square around the largest, the ring.
  constexpr Real kRing = 6;
  for (const MarkedPoint& mark : marks)
    for (const Real x : {-kRing, 0.0, kRing})
      for (const Real y : {-kRing, 0.0, kRing}) placer.avoid(mark.at + Vec2(x, y));
  for (const MarkedPoint& mark : marks) {
    if (mark.label.empty()) continue;
    const Vec2 size(text_width(mark.label, kSize), kSize);
    const Vec2 at = placer.place(mark.at, size, Vec2(0.6, -0.8));
    svg.text(at + Vec2(0, -3), mark.label, {kSize, ink::kBlack, Anchor::Start, false, 0, true});
  }
}

}  // namespace visviva::report
