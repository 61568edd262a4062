#pragma once

#include <string>

namespace visviva::io {

/// One thing wrong with a file.
struct Fault {
  std::string file;   ///< its name as it was given; empty if there is only one and the caller knows it
  std::string place;  ///< JSON pointer ("/bodies/3/mass", "/" for the whole) or "line 3, column 7"
  std::string message;
};

}  // namespace visviva::io
