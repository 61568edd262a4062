#pragma once

#include <span>
#include <string>
#include <string_view>

#include "visviva/core/file.hpp"

namespace visviva::io {

/// The candidate that a user most likely meant: within a third of the word's length in
/// single-letter edits, letter case aside. Empty if none is near.
[[nodiscard]] std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates);

/// "; did you mean 'impact'?", or an empty text if no candidate is near.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

using visviva::printable;

}  // namespace visviva::io
