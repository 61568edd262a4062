#include "paper_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "visviva/core/assert.hpp"

namespace visviva::app {

namespace {

/// mantissa "6.0469" and exponent -5 of "6.0469E-5"
struct Parts {
  std::string_view mantissa;
  int exponent = 0;
};
Parts split(std::string_view text) {
  Parts parts{text};
  const std::size_t e = text.find_first_of("eE");
  if (e == std::string_view::npos) return parts;
  parts.mantissa = text.substr(0, e);
  std::from_chars(text.data() + e + 1, text.data() + text.size(), parts.exponent);
  return parts;
}

int decimals(std::string_view mantissa) {
  const std::size_t point = mantissa.find('.');
  return point == std::string_view::npos ? 0 : static_cast<int>(mantissa.size() - point - 1);
}

std::string percent(Real relative) {
  return relative < 1e-4 ? fmt::format("{:.1e}", relative)
                         : fmt::format("{:.{}g} %", 100 * relative, relative < 0.1 ? 2 : 3);
}

}  // namespace

Real Printed::value() const {
  Real number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  VISVIVA_ASSERT(error == std::errc{} && end == text.data() + text.size());
  return number;
}

Real Printed::half_digit() const {
  const Parts parts = split(text);
  const std::string unit = fmt::format("5e{}", parts.exponent - decimals(parts.mantissa) - 1);
  return Printed{unit}.value();
}

int Printed::digits() const {
  int count = 0;
  for (const char c : split(text).mantissa)
    if (c >= '0' && c <= '9' && (count > 0 || c != '0')) ++count;
  return count;
}

std::string_view to_word(Mark mark) {
  switch (mark) {
    case Mark::AllDigits:
      return "all_digits";
    case Mark::WithinData:
      return "within_data";
    case Mark::WithinSpread:
      return "within_spread";
    case Mark::Near:
      return "near";
    case Mark::Differs:
      return "differs";
    case Mark::Measured:
      return "measured";
  }
  return "";
}

std::string Comparison::verdict() const {
  switch (mark) {
    case Mark::AllDigits:
      return "agrees";
    case Mark::WithinData:
      return fmt::format("agrees within {}, the rounding of the printed data", percent(deviation));
    case Mark::WithinSpread:
      return "agrees within the scatter of the runs";
    case Mark::Near:
      return fmt::format("agrees within {}", percent(deviation));
    case Mark::Differs:
      return deviation > 0 ? fmt::format("DIFFERS by {}", percent(deviation)) : "DIFFERS";
    case Mark::Measured:
      return "measured here and now";
  }
  return "";
}

Comparison compare(std::string quantity, Printed printed, Real ours, std::string why, Real uncertainty) {
  Comparison c;
  c.quantity = std::move(quantity);
  c.printed = printed.text;
  c.ours = fmt::format("{:.{}g}", ours + 0.0, std::max(printed.digits(), 1) + 2);
  c.value = ours;
  const Real distance = std::abs(ours - printed.value());
  const Real size = std::abs(printed.value());
  c.deviation = size > 0 ? distance / size : distance;
  // A number that was cut between two digits lies on the border: leave room for rounding.
  const Real half = printed.half_digit() * (1 + 1e-9);
  if (distance <= half)
    c.mark = Mark::AllDigits;
  else if (distance <= half + uncertainty)
    c.mark = Mark::WithinData;
  else
    c.mark = c.deviation <= kNear ? Mark::Near : Mark::Differs;
  if (c.mark != Mark::AllDigits) c.why = std::move(why);
  return c;
}

Comparison compare(std::string quantity, std::string printed, std::string ours, std::string why) {
  Comparison c;
  c.mark = printed == ours ? Mark::AllDigits : Mark::Differs;
  c.quantity = std::move(quantity);
  c.printed = std::move(printed);
  c.ours = std::move(ours);
  if (c.mark != Mark::AllDigits) c.why = std::move(why);
  return c;
}

Comparison measured(std::string quantity, std::string printed, Real seconds, std::string why) {
  Comparison c;
  c.quantity = std::move(quantity);
  c.printed = std::move(printed);
  c.ours = fmt::format("{:.3g}", seconds);
  c.value = seconds;
  c.mark = Mark::Measured;
  c.why = std::move(why);
  return c;
}

}  // namespace visviva::app
