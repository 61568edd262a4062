#pragma once

#include <string_view>

namespace visviva {

[[nodiscard]] std::string_view version();  ///< semantic version of the library, "1.2.3"
[[nodiscard]] std::string_view commit();   ///< git commit it was built from, or "unknown"

}  // namespace visviva
