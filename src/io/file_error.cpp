#include "visviva/io/file_error.hpp"

#include <fmt/format.h>

#include "io/suggest.hpp"

namespace visviva::io {

FileError::FileError(std::string_view what, const std::string& path, std::string_view reason)
    : std::runtime_error(fmt::format("cannot {} {}: {}", what, printable(path), reason)), path_(path) {}

}  // namespace visviva::io
