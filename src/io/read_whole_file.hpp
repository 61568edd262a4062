#pragma once

#include <optional>
#include <string>

namespace visviva::io {

/// Largest file that is read: an end to a stream without one.
inline constexpr std::size_t kMaxInputBytes = std::size_t{256} << 20;

/// Either the bytes or the reason why there are none.
struct FileBytes {
  std::optional<std::string> bytes;
  std::string fault;  ///< "No such file or directory"; without the file's name
};

/// Of a regular file or a pipe; folders and devices are refused.
[[nodiscard]] FileBytes read_whole_file(const std::string& path);

}  // namespace visviva::io
