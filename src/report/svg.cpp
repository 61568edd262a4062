#include "report/svg.hpp"

#include <fmt/format.h>

#include <iterator>

namespace visviva::report {

namespace {

std::string attributes(const Stroke& stroke) {
  std::string text = fmt::format(R"(stroke="{}" stroke-width="{:.4g}")", stroke.color, stroke.width);
  if (!stroke.dash.empty()) text += fmt::format(R"( stroke-dasharray="{}")", stroke.dash);
  return text;
}

std::string coordinates(std::span<const Vec2> points) {
  std::string text;
  for (const Vec2& p : points)
    fmt::format_to(std::back_inserter(text), "{}{:.2f},{:.2f}", text.empty() ? "" : " ", p.x(), p.y());
  return text;
}

/// One run of a text in one style.
struct Run {
  std::string_view text;
  bool italic = false;
  int level = 0;  ///< -1 subscript, 1 superscript
};

std::vector<Run> parse_markup(std::string_view markup) {
  std::vector<Run> runs;
  bool italic = false;
  std::size_t begin = 0, i = 0;
  const auto flush = [&](std::size_t end) {
    if (end > begin) runs.push_back({markup.substr(begin, end - begin), italic, 0});
  };
  while (i < markup.size()) {
    const std::size_t end = markup.find('}', i);
    const bool script =
        (markup[i] == '_' || markup[i] == '^') && markup.substr(i + 1, 1) == "{" && end != std::string_view::npos;
    if (script) {
      flush(i);
      const std::string_view inner = markup.substr(i + 2, end - i - 2);
      runs.push_back({inner, false, markup[i] == '_' ? -1 : 1});
      begin = i = end + 1;
    } else if (markup[i] == '*') {
      flush(i);
      italic = !italic;
      begin = ++i;
    } else {
      ++i;
    }
  }
  flush(markup.size());
  return runs;
}

constexpr Real kScriptScale = 0.72;
constexpr Real kScriptShift = 0.28;  // of the font size

/// Width in units of the font size, after Helvetica: narrow, wide and other letters.
Real em_width(std::string_view text) {
  Real width = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0) == 0x80) continue;  // inside a UTF-8 character
    if (std::string_view("iljtfrI.,:;'()[] ").find(c) != std::string_view::npos)
      width += 0.34;
    else if (std::string_view("mwMW").find(c) != std::string_view::npos)
      width += 0.88;
    else
      width += 0.6;
  }
  return width;
}

}  // namespace

std::string escape_xml(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool noncharacter = text.substr(i, 3) == "\xEF\xBF\xBE" || text.substr(i, 3) == "\xEF\xBF\xBF";
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (noncharacter) {
      out += "\xEF\xBF\xBD";
      i += 2;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      out += ' ';
    else
      out += c;
  }
  return out;
}

Real plain_text_width(std::string_view text, Real size) { return size * em_width(text); }

Real text_width(std::string_view markup, Real size) {
  Real width = 0;
  for (const Run& run : parse_markup(markup)) width += em_width(run.text) * (run.level == 0 ? 1 : kScriptScale);
  return size * width;
}

Svg::Svg(Real width, Real height, std::string_view title) {
  body_ = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" font-family="Helvetica, Arial, 'Liberation Sans', sans-serif" stroke-linecap="round" stroke-linejoin="round">
<title>{2}</title>
<rect width="100%" height="100%" fill="#ffffff"/>
)",
      width, height, escape_xml(title));
}

void Svg::line(const Vec2& a, const Vec2& b, const Stroke& stroke) {
  body_ += fmt::format(
      "<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" {} "
      "stroke-linecap=\"butt\"/>\n",
      a.x(), a.y(), b.x(), b.y(), attributes(stroke));
}

void Svg::polyline(std::span<const Vec2> points, const Stroke& stroke) {
  if (points.size() < 2) return;
  body_ += fmt::format("<polyline points=\"{}\" fill=\"none\" {}/>\n", coordinates(points), attributes(stroke));
}

void Svg::polygon(std::span<const Vec2> points, std::string_view fill, Real opacity, const Stroke& stroke) {
  body_ += fmt::format("<polygon points=\"{}\" fill=\"{}\" fill-opacity=\"{:.3g}\" {}/>\n", coordinates(points), fill,
                       opacity, attributes(stroke));
}

void Svg::rectangle(const Vec2& corner, const Vec2& size, std::string_view fill, const Stroke& stroke) {
  body_ += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\" {}/>\n",
                       corner.x(), corner.y(), size.x(), size.y(), fill, attributes(stroke));
}

void Svg::arrow_head(const Vec2& tip, const Vec2& direction, Real length, std::string_view color) {
  const Real norm = direction.norm();
  if (!(norm > 0)) return;
  const Vec2 along = direction / norm, across(-along.y(), along.x());
  const Vec2 points[3] = {tip, tip - length * along + 0.38 * length * across,
                          tip - length * along - 0.38 * length * across};
  polygon(points, color, 1, {color, 0.5});
}

void Svg::mark(Mark mark, const Vec2& center, std::string_view color) {
  const auto circle = [&](Real radius, std::string_view fill, Real width) {
    body_ += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.4g}\" fill=\"{}\" {}/>\n", center.x(), center.y(),
                         radius, fill, attributes({color, width}));
  };
  switch (mark) {
    case Mark::Dot:
      return circle(2.2, color, 0.5);
    case Mark::Circle:
      return circle(3.4, "#ffffff", 1.4);
    case Mark::Ring:
      return circle(6.2, "none", 1.4);
    case Mark::Square:
      return rectangle(center - Vec2(2.8, 2.8), Vec2(5.6, 5.6), color, {color, 0.5});
    case Mark::Diamond: {
      const Vec2 points[4] = {center + Vec2(4.4, 0), center + Vec2(0, 4.4), center - Vec2(4.4, 0),
                              center - Vec2(0, 4.4)};
      return polygon(points, "#ffffff", 1, {color, 1.3});
    }
  }
}

void Svg::open_text(const Vec2& at, const TextStyle& style) {
  constexpr std::string_view kAnchors[] = {"start", "middle", "end"};
  body_ += fmt::format(
      "<text xml:space=\"preserve\" x=\"{0:.2f}\" y=\"{1:.2f}\" font-size=\"{2:.4g}\" fill=\"{3}\" text-anchor=\"{4}\"",
      at.x(), at.y(), style.size, style.color, kAnchors[static_cast<int>(style.anchor)]);
  if (style.bold) body_ += " font-weight=\"bold\"";
  if (style.halo) body_ += " paint-order=\"stroke\" stroke=\"#ffffff\" stroke-width=\"3\" stroke-opacity=\"0.85\"";
  if (style.rotation != 0)
    body_ += fmt::format(" transform=\"rotate({:.4g} {:.2f} {:.2f})\"", style.rotation, at.x(), at.y());
  body_ += ">";
}

void Svg::text(const Vec2& at, std::string_view markup, const TextStyle& style) {
  open_text(at, style);
  Real shift = 0;  // of the baseline so far, to be undone by the next run
  for (const Run& run : parse_markup(markup)) {
    const Real wanted = -kScriptShift * style.size * static_cast<Real>(run.level);
    body_ += fmt::format("<tspan dy=\"{:.2f}\"", wanted - shift);
    shift = wanted;
    if (run.level != 0) body_ += fmt::format(" font-size=\"{:.4g}\"", kScriptScale * style.size);
    if (run.italic)
      body_ +=
          " font-style=\"italic\" font-family=\"'Times New Roman', Times, 'Liberation Serif', "
          "serif\"";
    body_ += fmt::format(">{}</tspan>", escape_xml(run.text));
  }
  body_ += "</text>\n";
}

void Svg::plain_text(const Vec2& at, std::string_view text, const TextStyle& style) {
  open_text(at, style);
  body_ += escape_xml(text) + "</text>\n";
}

void Svg::begin_clip(const Vec2& corner, const Vec2& size) {
  body_ += fmt::format(
      "<clipPath id=\"clip{0}\"><rect x=\"{1:.2f}\" y=\"{2:.2f}\" width=\"{3:.2f}\" "
      "height=\"{4:.2f}\"/></clipPath>\n<g clip-path=\"url(#clip{0})\">\n",
      clips_++, corner.x(), corner.y(), size.x(), size.y());
}

void Svg::end_clip() { body_ += "</g>\n"; }

}  // namespace visviva::report
