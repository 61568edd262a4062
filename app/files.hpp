#pragma once

#include <stdexcept>
#include <string>

namespace visviva::app {

/// A file that cannot be read or written; the message names it.
class FileError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Largest file that is read: enough for half a million cases, and an end to a stream without one.
inline constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20;

/// The whole file; "-" is standard input.
[[nodiscard]] std::string read_text_file(const std::string& path);

/// Writes beside the target and renames, so that the target is whole or as it was.
void write_text_file(const std::string& path, const std::string& text);

/// Writes to standard output; throws if it was not taken (a full disk behind a redirection).
void print_output(const std::string& text);

}  // namespace visviva::app
