#pragma once

#include <span>
#include <string>
#include <string_view>

namespace visviva::io {

/// The candidate that a user most likely meant: within a third of the word's length in
/// single-letter edits, letter case aside. Empty if none is near.
[[nodiscard]] std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates);

/// "; did you mean 'impact'?", or an empty text if no candidate is near.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

/// Text from a file or the command line made fit for one line of a terminal: control characters and
/// ill-formed UTF-8 become '?', and what exceeds `max_bytes` becomes "...".
[[nodiscard]] std::string printable(std::string_view text, std::size_t max_bytes = 200);

}  // namespace visviva::io
