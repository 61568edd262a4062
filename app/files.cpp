#include "files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "io/suggest.hpp"
#include "io/write_whole_file.hpp"
#include "visviva/io/file_error.hpp"

namespace visviva::app {

namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[noreturn]] void fail(const char* what, const std::string& path, const std::string& why) {
  throw FileError(fmt::format("cannot {} {}: {}", what, io::printable(path), why));
}

}  // namespace

std::string read_text_file(const std::string& path) {
  const bool from_stdin = path == "-";
  const std::string shown = from_stdin ? "standard input" : path;
  std::error_code ignored;
  if (!from_stdin && std::filesystem::is_directory(path, ignored)) fail("read", shown, "it is a directory");
  const File opened(from_stdin ? nullptr : std::fopen(path.c_str(), "rb"),
                    [](std::FILE* file) { return std::fclose(file); });
  if (!from_stdin && !opened) fail("read", shown, std::strerror(errno));
  std::FILE* file = from_stdin ? stdin : opened.get();
  std::string text;
  char block[1 << 16];
  while (const std::size_t n = std::fread(block, 1, sizeof block, file)) {
    text.append(block, n);
    if (text.size() > kMaxFileBytes) fail("read", shown, fmt::format("it is larger than {} MiB", kMaxFileBytes >> 20));
  }
  if (std::ferror(file)) fail("read", shown, std::strerror(errno));
  return text;
}

void write_text_file(const std::string& path, const std::string& text) {
  const std::string_view piece = text;
  try {
    io::write_whole_file(path, {&piece, 1});
  } catch (const io::FileError& error) {
    throw FileError(error.what());
  }
}

void print_output(const std::string& text) {
  const bool ok = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (std::fflush(stdout) != 0 || !ok)
    throw std::runtime_error(fmt::format("cannot write the output: {}", std::strerror(errno)));
}

}  // namespace visviva::app
