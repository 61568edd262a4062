#pragma once

#include "visviva/core/file.hpp"

namespace visviva::io {

using visviva::FileBytes;
using visviva::kMaxInputBytes;
using visviva::read_whole_file;

}  // namespace visviva::io
