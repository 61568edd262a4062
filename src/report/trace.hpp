#pragma once

#include <string_view>
#include <vector>

#include "report/svg.hpp"
#include "visviva/impact/invariant_directions.hpp"
#include "visviva/impact/path.hpp"
#include "visviva/impact/result.hpp"
#include "visviva/report/impact_figure.hpp"

namespace visviva::report {

/// A moment of the impact that a figure marks.
struct TraceEvent {
  char letter;  ///< l, s, c, r; '-' for the start
  impact::PathPoint point;
};

/// A case as a curve.
struct Trace {
  const FigureCase* input = nullptr;
  impact::ImpactResult result;          ///< exact
  std::vector<impact::PathPoint> path;  ///< at least one point, by rising Iz
  std::size_t restitution = 0;          ///< path[i] for i >= this comes after compression
  std::vector<TraceEvent> events;       ///< start, then in the order of Iz; l by the text's label
};
[[nodiscard]] Trace make_trace(const FigureCase& input);

/// The words under a title: what there is to know besides the curves.
[[nodiscard]] std::string events_text(const Trace& trace);

[[nodiscard]] Mark event_mark(char letter);
[[nodiscard]] std::string_view event_color(char letter);
/// "*g*_{c}"; markup.
[[nodiscard]] std::string event_symbol(std::string_view symbol, char letter);

/// A marked pixel and all symbols that belong there: events that coincide share a label.
struct MarkedPoint {
  Vec2 at;
  std::vector<char> letters;
  std::string label;
};
[[nodiscard]] std::vector<MarkedPoint> merge_marks(const std::vector<MarkedPoint>& marks);

/// Draws marks and, beside them, their labels.
class LabelPlacer;
void draw_marks(Svg& svg, LabelPlacer& placer, const std::vector<MarkedPoint>& marks);

inline constexpr Stroke kCompressionStroke{ink::kBlack, 1.7};
inline constexpr Stroke kRestitutionStroke{ink::kGreen, 1.7};

}  // namespace visviva::report
