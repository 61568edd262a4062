#include "visviva/core/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace visviva {

namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File open_file(const std::string& path, const char* mode) {
  return {std::fopen(path.c_str(), mode), [](std::FILE* f) { return std::fclose(f); }};
}

/// Length of the well-formed UTF-8 character at the front, 0 if it is ill-formed.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80                   ? 1
                             : 0xC2 <= lead && lead < 0xE0 ? 2
                             : 0xE0 <= lead && lead < 0xF0 ? 3
                             : 0xF0 <= lead && lead < 0xF5 ? 4
                                                           : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  return length;
}

}  // namespace

std::string printable(std::string_view text, std::size_t max_bytes) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const auto lead = static_cast<unsigned char>(text[0]);
    const bool c1_control = length == 2 && lead == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
    if (shown.size() + std::max<std::size_t>(length, 1) > max_bytes) return shown + "...";
    if (length == 0 || lead < 0x20 || lead == 0x7F || c1_control)
      shown += '?';
    else
      shown += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return shown;
}

FileError::FileError(std::string_view what, const std::string& path, std::string_view reason)
    : std::runtime_error(fmt::format("cannot {} {}: {}", what, printable(path), reason)), path_(path) {}

FileBytes read_whole_file(const std::string& path, std::size_t max_bytes) {
  if (path.find('\0') != std::string::npos) return {{}, "its name holds a null character"};
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) return {{}, "it is a directory"};
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) && !std::filesystem::is_fifo(status))
    return {{}, "it is not a regular file"};
  const File file = open_file(path, "rb");
  if (!file) return {{}, std::strerror(errno)};
  std::string bytes;
  char block[1 << 16];
  while (const std::size_t n = std::fread(block, 1, sizeof block, file.get())) {
    bytes.append(block, n);
    if (bytes.size() > max_bytes) return {{}, fmt::format("it is larger than {} MiB", max_bytes >> 20)};
  }
  if (std::ferror(file.get())) return {{}, std::strerror(errno)};
  return {std::move(bytes), ""};
}

void write_whole_file(const std::string& path, std::span<const std::string_view> pieces) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw FileError("write", path, "it is a directory");
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    throw FileError("write", path, "it is neither a file nor a folder");  // a rename would replace a device
  const std::string partial = path + ".partial";
  File file = open_file(partial, "wb");
  if (!file) throw FileError("write", path, std::strerror(errno));
  bool ok = true;
  int why = 0;
  const auto check = [&](bool done) {
    if (ok && !done) why = errno;
    ok = ok && done;
  };
  for (const std::string_view piece : pieces)
    if (ok) check(std::fwrite(piece.data(), 1, piece.size(), file.get()) == piece.size());
  check(std::fclose(file.release()) == 0);
  error.clear();
  if (ok) std::filesystem::rename(partial, path, error);
  if (ok && !error) return;
  std::error_code ignored;
  std::filesystem::remove(partial, ignored);
  throw FileError("write", path, error ? error.message() : std::string(std::strerror(why)));
}

}  // namespace visviva
