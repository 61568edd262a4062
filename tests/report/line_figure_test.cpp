#include "visviva/report/line_figure.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "report/line_panel.hpp"
#include "visviva/core/error.hpp"

namespace visviva::report {
namespace {

LineFigure one_curve(const std::vector<Vec2>& points) {
  LineFigure figure{"figure", {}, {400}, 300};
  figure.panels.push_back({.title = "panel", .x = {"*t*", "s"}, .y = {"*y*", "m"}, .curves = {{"curve", points}}});
  return figure;
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(LineFigure, HoldsTitleLabelsAndLegend) {
  LineFigure figure = one_curve({{0, 1}, {10, 2}});
  figure.panels[0].verticals = {3, 7};
  figure.panels[0].verticals_name = "impacts";
  const std::string svg = line_figure(figure);
  for (const char* part : {"<title>figure</title>", ">panel<", ">curve<", ">impacts<", " (s)", " (m)"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  // Two lines across the plot and the sample of the legend.
  EXPECT_EQ(count(svg, "stroke-dasharray"), 3U);
}

TEST(LineFigure, PanelsStandInRowsOfTheGivenColumns) {
  LineFigure figure = one_curve({{0, 1}, {10, 2}});
  figure.column_widths = {400, 300};
  figure.panels.resize(3, figure.panels[0]);
  const std::string svg = line_figure(figure);
  EXPECT_NE(svg.find("width=\"716\" height=\"626\""), std::string::npos)
      << svg.substr(0, 200);  // 8 px around, 10 between
  EXPECT_EQ(count(svg, ">panel<"), 3U);
}

TEST(LineFigure, LogarithmicAxisHasDecadesAndLeavesOutWhatIsNotPositive) {
  LineFigure figure = one_curve({{0, 1e-8}, {1, 0}, {2, -1}, {3, 3}});
  figure.panels[0].y.scale = AxisScale::Logarithmic;
  const std::string svg = line_figure(figure);
  EXPECT_NE(svg.find(">\u22128<"), std::string::npos);
  const std::size_t at = svg.find("<polyline points=\"");
  ASSERT_NE(at, std::string::npos);
  const std::string points = svg.substr(at + 18, svg.find('"', at + 18) - at - 18);
  EXPECT_EQ(count(points, ","), 2U) << points;
}

TEST(LineFigure, UnitsAreEqualIfAskedFor) {
  // A square of 2 m, drawn wide: its picture must be a square of pixels.
  LineFigure figure{"figure", {}, {700}, 300};
  figure.panels.push_back({.title = "square"});
  figure.panels[0].pictures = {{"", {{{0, 0}, {2, 0}, {2, 2}, {0, 2}}}, "#abcdef", {}}};
  figure.panels[0].equal_units = true;
  const std::string svg = line_figure(figure);
  const std::size_t at = svg.find("<polygon points=\"") + 17;
  Real x[4], y[4];
  ASSERT_EQ(std::sscanf(svg.c_str() + at, "%lf,%lf %lf,%lf %lf,%lf %lf,%lf", &x[0], &y[0], &x[1], &y[1], &x[2], &y[2],
                        &x[3], &y[3]),
            8);
  EXPECT_GT(x[1] - x[0], 50);
  EXPECT_NEAR(x[1] - x[0], y[1] - y[2], 0.02);  // coordinates have two decimals
}

TEST(LineFigure, RefusesWhatItCannotDraw) {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  const auto message = [](const LineFigure& figure) -> std::string {
    try {
      (void)line_figure(figure);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  };
  LineFigure figure = one_curve({{0, nan}});
  EXPECT_EQ(message(figure), "line figure: curve must be finite, got nan");
  figure = one_curve({});
  EXPECT_EQ(message(figure), "line figure: panel must have a point to show, got panel");
  figure = one_curve({{0, -1}, {1, 0}});
  figure.panels[0].y.scale = AxisScale::Logarithmic;
  EXPECT_EQ(message(figure), "line figure: panel must have a point to show, got panel");
  figure = one_curve({{0, 1}});
  EXPECT_EQ(message(figure), "");
  figure.column_widths = {};
  EXPECT_EQ(message(figure), "line figure: column_widths must hold at least one column, got 0");
  figure.column_widths = {100};
  EXPECT_EQ(message(figure), "line figure: column_widths must be at least 120 px, got 100");
  figure = one_curve({{0, 1}});
  figure.row_height = nan;
  EXPECT_EQ(message(figure), "line figure: row_height must be at least 120 px, got nan");
  figure = one_curve({{0, 1}});
  figure.panels[0].x.range = Vec2(1, 1);
  EXPECT_EQ(message(figure), "line figure: range must rise, got 1");
  figure.panels.clear();
  EXPECT_EQ(message(figure), "line figure: panels must hold at least one panel, got 0");
}

TEST(ThinnedCurve, KeepsEveryPeakOfManyPoints) {
  std::vector<Vec2> points;
  // 400 px with 100 peaks and 100 troughs, none of them at the end of a column of half a pixel
  for (int i = 0; i < 100'000; ++i)
    points.emplace_back(0.004 * i, i % 1000 == 537 ? 50.0 : i % 1000 == 213 ? -50.0 : 0.0);
  const std::vector<Vec2> kept = thinned(points);
  EXPECT_LT(kept.size(), 1000U);
  int peaks = 0, troughs = 0;
  for (const Vec2& p : kept) {
    peaks += p.y() == 50 ? 1 : 0;
    troughs += p.y() == -50 ? 1 : 0;
  }
  EXPECT_EQ(peaks, 100);
  EXPECT_EQ(troughs, 100);
  EXPECT_EQ(kept.front(), points.front());
  EXPECT_EQ(kept.back(), points.back());
}

TEST(ThinnedCurve, StaysWithinAPixelFractionOfACircle) {
  std::vector<Vec2> points;
  for (int i = 0; i <= 5000; ++i) {
    const Real t = 6.283185307179586 * i / 5000;
    points.emplace_back(100 * std::cos(t), 100 * std::sin(t));
  }
  const std::vector<Vec2> kept = thinned(points);
  EXPECT_LT(kept.size(), 200U);
  EXPECT_GT(kept.size(), 40U);
  for (std::size_t i = 1; i < kept.size(); ++i) {
    const Vec2 middle = 0.5 * (kept[i - 1] + kept[i]);
    EXPECT_GE(middle.norm(), 100 - 0.07);  // 0.06, and the chords of the given points
  }
}

TEST(ThinnedCurve, StraightLinesNeedTwoPoints) {
  std::vector<Vec2> points;
  for (int i = 0; i <= 1000; ++i) points.emplace_back(i, 2 * i);
  EXPECT_EQ(thinned(points).size(), 2U);
  EXPECT_TRUE(thinned({}).empty());
}

TEST(DecadeTicks, AreWholePowersAndNotTooMany) {
  const Ticks few = decade_ticks({-2, 1}, 5);
  ASSERT_EQ(few.labels.size(), 4U);
  EXPECT_EQ(few.labels, (std::vector<std::string>{"10^{\u22122}", "10^{\u22121}", "1", "10"}));
  const Ticks many = decade_ticks({-16, 4}, 5);
  EXPECT_LE(many.values.size(), 6U);
  EXPECT_GE(many.values.size(), 3U);
}

}  // namespace
}  // namespace visviva::report
