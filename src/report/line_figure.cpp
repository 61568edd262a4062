#include "visviva/report/line_figure.hpp"

#include <cmath>

#include "report/line_panel.hpp"
#include "visviva/core/error.hpp"

namespace visviva::report {

namespace {

constexpr Real kLeast = 120;  // px that title, ticks and labels need

void require_finite(const std::vector<Vec2>& points, std::string_view field) {
  for (const Vec2& p : points) {
    require(std::isfinite(p.x()), "line figure", field, "be finite", p.x());
    require(std::isfinite(p.y()), "line figure", field, "be finite", p.y());
  }
}

void validate(const Axis& axis) {
  if (!axis.range) return;
  require_finite({*axis.range}, "range");
  require(axis.range->x() < axis.range->y(), "line figure", "range", "rise", axis.range->y());
  require(axis.scale == AxisScale::Linear || axis.range->x() > 0, "line figure", "range",
          "be positive on a logarithmic axis", axis.range->x());
}

void validate(const LineFigure& figure) {
  require(!figure.panels.empty(), "line figure", "panels", "hold at least one panel", 0);
  require(!figure.column_widths.empty(), "line figure", "column_widths", "hold at least one column", 0);
  for (const Real width : figure.column_widths)
    require(width >= kLeast && std::isfinite(width), "line figure", "column_widths", "be at least 120 px", width);
  require(figure.row_height >= kLeast && std::isfinite(figure.row_height), "line figure", "row_height",
          "be at least 120 px", figure.row_height);
  for (const Panel& panel : figure.panels) {
    validate(panel.x);
    validate(panel.y);
    for (const Curve& curve : panel.curves) require_finite(curve.points, "curve");
    for (const Picture& picture : panel.pictures) {
      for (const std::vector<Vec2>& area : picture.areas) require_finite(area, "picture");
      for (const PictureLine& line : picture.lines) require_finite(line.points, "picture");
    }
    for (const Label& label : panel.labels) require_finite({label.at}, "label");
    for (const Real x : panel.verticals) require(std::isfinite(x), "line figure", "verticals", "be finite", x);
  }
}

}  // namespace

std::string line_figure(const LineFigure& figure) {
  constexpr Real kMargin = 8, kGap = 10;
  validate(figure);
  const std::size_t columns = figure.column_widths.size();
  const std::size_t rows = (figure.panels.size() + columns - 1) / columns;
  Real width = 2 * kMargin;
  for (const Real column : figure.column_widths) width += column;
  const Real height = 2 * kMargin + static_cast<Real>(rows) * figure.row_height + static_cast<Real>(rows - 1) * kGap;
  Svg svg(width, height, figure.title);
  Vec2 corner(kMargin, kMargin);
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const Real column = figure.column_widths[i % columns];
    draw_line_panel(svg, {corner, Vec2(column, figure.row_height)}, figure.panels[i]);
    corner.x() += column;
    if ((i + 1) % columns == 0) corner = {kMargin, corner.y() + figure.row_height + kGap};
  }
  return svg.finish();
}

}  // namespace visviva::report
