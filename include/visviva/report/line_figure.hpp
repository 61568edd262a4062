#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "visviva/math/types.hpp"

/// Figures with several plots: curves over time or in the plane, and outlines of bodies true to scale.
namespace visviva::report {

enum class AxisScale {
  Linear,
  Logarithmic  ///< whole decades; points that are not positive are left out
};

struct Axis {
  std::string symbol;  ///< markup: *x* is italic, _{x} a subscript, ^{x} a superscript
  std::string unit;    ///< empty: none
  AxisScale scale = AxisScale::Linear;
  std::optional<Vec2> range = {};  ///< lowest and highest value; unset: what the data need
};

/// Colours that stay apart for every kind of colour vision.
enum class Color { Black, Gray, Blue, Red, Green, Sky, Purple };

enum class CurveMarks { None, Squares, Circles };

struct Curve {
  std::string name;  ///< markup, for the legend; empty: not in it
  std::vector<Vec2> points;
  Color color = Color::Black;
  Real width = 1.4;  ///< [px]
  bool dashed = false;
  CurveMarks marks = CurveMarks::None;  ///< on the curve at equal distances
};

struct PictureLine {
  std::vector<Vec2> points;
  Real width = 1;  ///< [px]
};

/// Filled polygons and black lines over them, drawn below the curves; later pictures hide earlier ones.
struct Picture {
  std::string name;  ///< markup, for the legend; empty: not in it
  std::vector<std::vector<Vec2>> areas;
  std::string fill = "#ffffff";  ///< an SVG colour
  std::vector<PictureLine> lines;
};

struct Label {
  Vec2 at;           ///< its middle
  std::string text;  ///< markup
};

struct Panel {
  std::string title;  ///< markup
  Axis x = {}, y = {};
  std::vector<Picture> pictures = {};
  std::vector<Curve> curves = {};
  std::vector<Label> labels = {};
  std::vector<Real> verticals = {};  ///< dashed lines at these x
  std::string verticals_name = {};   ///< markup, for the legend
  bool equal_units = false;          ///< a unit of x is as long as one of y: the ranges are widened as needed
};

struct LineFigure {
  std::string title;                ///< plain text, of the document
  std::vector<Panel> panels;        ///< row by row
  std::vector<Real> column_widths;  ///< of the panels with their axis labels [px]
  Real row_height = 300;            ///< the same [px]
};

/// The figure as SVG text. Curves of many points are thinned to what can be seen: over a rising x the lowest and the
/// highest value of each half pixel stay, and of all curves what bends them by more than 0.06 pixels. Throws
/// InvalidArgument if there is no panel or no column, a size is too small for axes (120 px), a number is not finite, or
/// a logarithmic axis has nothing positive to show.
[[nodiscard]] std::string line_figure(const LineFigure& figure);

}  // namespace visviva::report
