#include "io/read_whole_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace visviva::io {

FileBytes read_whole_file(const std::string& path) {
  if (path.find('\0') != std::string::npos) return {{}, "its name holds a null character"};
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) return {{}, "it is a directory"};
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) && !std::filesystem::is_fifo(status))
    return {{}, "it is not a regular file"};
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             [](std::FILE* f) { return std::fclose(f); });
  if (!file) return {{}, std::strerror(errno)};
  std::string bytes;
  char block[1 << 16];
  while (const std::size_t n = std::fread(block, 1, sizeof block, file.get())) {
    bytes.append(block, n);
    if (bytes.size() > kMaxInputBytes) return {{}, fmt::format("it is larger than {} MiB", kMaxInputBytes >> 20)};
  }
  if (std::ferror(file.get())) return {{}, std::strerror(errno)};
  return {std::move(bytes), ""};
}

}  // namespace visviva::io
