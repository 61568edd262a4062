#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace visviva {

/// A file that cannot be read or written, or that is not what it should be. The message names the file and the reason:
/// "cannot write out/recording.h5: No space left on device".
class FileError : public std::runtime_error {
 public:
  FileError(std::string_view what, const std::string& path, std::string_view reason);

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Largest file that is read if nothing else is said: an end to a stream without one.
inline constexpr std::size_t kMaxInputBytes = std::size_t{256} << 20;

/// Either the bytes or the reason why there are none.
struct FileBytes {
  std::optional<std::string> bytes;
  std::string fault;  ///< "No such file or directory"; without the file's name
};

/// Of a regular file or a pipe; folders and devices are refused.
[[nodiscard]] FileBytes read_whole_file(const std::string& path, std::size_t max_bytes = kMaxInputBytes);

/// Writes the pieces, one after the other, beside the target and renames: the target is whole or as it was. Throws
/// FileError.
void write_whole_file(const std::string& path, std::span<const std::string_view> pieces);

/// Text from a file or the command line made fit for one line of a terminal: control characters and
/// ill-formed UTF-8 become '?', and what exceeds `max_bytes` becomes "...".
[[nodiscard]] std::string printable(std::string_view text, std::size_t max_bytes = 200);

}  // namespace visviva
