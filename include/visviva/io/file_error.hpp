#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace visviva::io {

/// A file that cannot be read or written, or that is not what it should be. The message names the file and the reason:
/// "cannot write out/recording.h5: No space left on device".
class FileError : public std::runtime_error {
 public:
  FileError(std::string_view what, const std::string& path, std::string_view reason);

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace visviva::io
