#include "io/write_whole_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "visviva/io/file_error.hpp"

namespace visviva::io {

void write_whole_file(const std::string& path, std::span<const std::string_view> pieces) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw FileError("write", path, "it is a directory");
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    throw FileError("write", path, "it is neither a file nor a folder");  // a rename would replace a device
  const std::string partial = path + ".partial";
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  File file(std::fopen(partial.c_str(), "wb"), [](std::FILE* f) { return std::fclose(f); });
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

}  // namespace visviva::io
