#pragma once

#include "visviva/core/file.hpp"

namespace visviva::io {

using visviva::write_whole_file;

}  // namespace visviva::io
