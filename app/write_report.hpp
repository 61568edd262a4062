#pragma once

#include <cstdint>
#include <string>

#include "visviva/report/html_report.hpp"

namespace visviva::app {

/// What is said where a report is asked of a program that was built without its page.
inline constexpr const char* kNoPage =
    "this program was built without the page of reports: node and npm were missing, or VISVIVA_WEB was OFF";

/// Empty, or why no report can be written to `path`: it does not end in .html, its folder is not there (unless it is
/// `to_be_made`), or it would overwrite `input`.
[[nodiscard]] std::string report_fault(const std::string& path, const std::string& input,
                                       const std::string& to_be_made = "");

/// "1.3 MB".
[[nodiscard]] std::string size_text(std::uintmax_t bytes);

}  // namespace visviva::app
