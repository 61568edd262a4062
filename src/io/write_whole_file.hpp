#pragma once

#include <span>
#include <string>
#include <string_view>

namespace visviva::io {

/// Writes the pieces, one after the other, beside the target and renames: the target is whole or as it was. Throws
/// FileError.
void write_whole_file(const std::string& path, std::span<const std::string_view> pieces);

}  // namespace visviva::io
