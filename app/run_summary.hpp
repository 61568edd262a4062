#pragma once

#include <cstdint>
#include <string>

#include "visviva/model/model.hpp"
#include "visviva/model/run.hpp"

namespace visviva::app {

/// What a run was, for a reader at a terminal.
[[nodiscard]] std::string run_summary_text(const model::RunSummary& summary, const model::Model& model,
                                           const std::string& directory, bool csv);

/// The line that names the report.
[[nodiscard]] std::string report_text(const std::string& path, std::uintmax_t bytes);

/// What a reader should see in the default example, whose output is in `directory`.
[[nodiscard]] std::string what_to_look_at(const std::string& directory);

}  // namespace visviva::app
