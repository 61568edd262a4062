#pragma once

#include <span>
#include <vector>

#include "report/axes.hpp"
#include "report/panels.hpp"
#include "visviva/report/line_figure.hpp"

namespace visviva::report {

/// Draws one panel with title, legend, axes and curves into the box.
void draw_line_panel(Svg& svg, const PanelBox& box, const Panel& panel);

/// What can be seen of a curve in pixels, see line_figure. The first and the last point stay.
[[nodiscard]] std::vector<Vec2> thinned(std::span<const Vec2> pixels);

/// Ticks at whole powers of ten within an interval of decimal logarithms, at most `wanted` of them.
[[nodiscard]] Ticks decade_ticks(const Interval& decades, int wanted);

}  // namespace visviva::report
