#pragma once

#include <span>
#include <string>
#include <string_view>

#include "visviva/math/types.hpp"

namespace visviva::report {

/// Colours that stay apart for every kind of colour vision (Okabe and Ito).
namespace ink {
inline constexpr std::string_view kBlack = "#1a1a1a";
inline constexpr std::string_view kAxis = "#4d4d4d";
inline constexpr std::string_view kGrid = "#e6e6e6";
inline constexpr std::string_view kShadow = "#bdbdbd";
inline constexpr std::string_view kBlue = "#0072b2";
inline constexpr std::string_view kRed = "#d55e00";
inline constexpr std::string_view kGreen = "#009e73";
inline constexpr std::string_view kSky = "#56b4e9";
inline constexpr std::string_view kPurple = "#aa4499";
}  // namespace ink

struct Stroke {
  std::string_view color = ink::kBlack;
  Real width = 1;              ///< [px]
  std::string_view dash = "";  ///< SVG dash array
};

enum class Anchor { Start, Middle, End };

struct TextStyle {
  Real size = 11;  ///< [px]
  std::string_view color = ink::kBlack;
  Anchor anchor = Anchor::Start;
  bool bold = false;
  Real rotation = 0;  ///< [deg], clockwise about the anchor
  bool halo = false;  ///< white rim, to be read over lines
};

/// The shapes of event marks.
enum class Mark { Dot, Circle, Square, Diamond, Ring };

/// Text of a user made fit for XML: markup escaped, what XML forbids replaced.
[[nodiscard]] std::string escape_xml(std::string_view text);

/// Rough width of a text as drawn, markup aside; generic fonts differ by a tenth [px].
[[nodiscard]] Real text_width(std::string_view markup, Real size);

/// The same of a text without markup.
[[nodiscard]] Real plain_text_width(std::string_view text, Real size);

/// An SVG document in pixels, y downwards.
class Svg {
 public:
  Svg(Real width, Real height, std::string_view title);

  void line(const Vec2& a, const Vec2& b, const Stroke& stroke);
  void polyline(std::span<const Vec2> points, const Stroke& stroke);
  void polygon(std::span<const Vec2> points, std::string_view fill, Real opacity, const Stroke& stroke);
  void rectangle(const Vec2& corner, const Vec2& size, std::string_view fill, const Stroke& stroke);
  /// A triangle with its tip at `tip`, pointing along `direction`.
  void arrow_head(const Vec2& tip, const Vec2& direction, Real length, std::string_view color);
  void mark(Mark mark, const Vec2& center, std::string_view color);
  /// Markup: *x* is italic, _{x} a subscript, ^{x} a superscript. Names of users go through
  /// `plain_text`.
  void text(const Vec2& at, std::string_view markup, const TextStyle& style);
  void plain_text(const Vec2& at, std::string_view text, const TextStyle& style);
  /// What is drawn until `end_clip` shows only inside the rectangle.
  void begin_clip(const Vec2& corner, const Vec2& size);
  void end_clip();

  [[nodiscard]] std::string finish() const { return body_ + "</svg>\n"; }

 private:
  void open_text(const Vec2& at, const TextStyle& style);

  std::string body_;
  int clips_ = 0;
};

}  // namespace visviva::report
