#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "visviva/math/types.hpp"

namespace visviva::app {

/// A number as a text prints it: its digits say how well it is known.
struct Printed {
  std::string_view text;  ///< "0.3157", "6.0469E-5"
  [[nodiscard]] Real value() const;
  [[nodiscard]] Real half_digit() const;  ///< half a unit of the last printed digit
  [[nodiscard]] int digits() const;       ///< significant ones
};

enum class Mark {
  AllDigits,     ///< |ours - printed| is at most half a unit of the last printed digit; words and counts: equal
  WithinData,    ///< at most that, and what rounding of the printed data that enter makes of it
  WithinSpread,  ///< a mean of runs: no farther off than their scatter allows
  Near,          ///< within kNear of the printed value
  Differs,
  Measured,  ///< a time: another machine's, not compared
};
/// Largest relative deviation that is still called near.
inline constexpr Real kNear = 0.02;

[[nodiscard]] std::string_view to_word(Mark mark);  ///< for programs: "all_digits", …

/// A statement of a text beside ours.
struct Comparison {
  std::string quantity;  ///< "W12 [1/kg]"
  std::string printed;   ///< as the text has it
  std::string ours;
  std::optional<Real> value;  ///< ours as a number; none for words
  Mark mark = Mark::Differs;
  Real deviation = 0;  ///< |ours - printed| / |printed|; 0 for words [-]
  std::string why;     ///< why it differs; empty if there is nothing to explain

  [[nodiscard]] std::string verdict() const;  ///< for readers: "agrees within 0.5 %"
};

/// `uncertainty`: what rounding of the data that enter can do to our number. `why` is kept unless all digits agree.
[[nodiscard]] Comparison compare(std::string quantity, Printed printed, Real ours, std::string why = {},
                                 Real uncertainty = 0);
[[nodiscard]] Comparison compare(std::string quantity, std::string printed, std::string ours, std::string why = {});
/// Times in seconds; printed may be empty.
[[nodiscard]] Comparison measured(std::string quantity, std::string printed, Real seconds, std::string why = {});

struct PaperSection {
  std::string key;    ///< "Eq13"
  std::string title;  ///< "(13) inverse inertia matrix W"
  std::string note;   ///< what was assumed; empty if nothing
  std::vector<Comparison> comparisons;
  std::string beside = "text";  ///< what the printed numbers are from
};

}  // namespace visviva::app
