#pragma once

#include "visviva/core/file.hpp"

namespace visviva::io {

using visviva::FileError;

}  // namespace visviva::io
