#pragma once

#include <string_view>

namespace visviva::app {

/// The page of reports, made from web/ at build time. Empty if the program was built without it.
[[nodiscard]] std::string_view report_page();

}  // namespace visviva::app
