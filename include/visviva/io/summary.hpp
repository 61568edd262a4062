#pragma once

#include <string>

#include "visviva/model/model.hpp"
#include "visviva/model/run.hpp"

namespace visviva::io {

/// The summary as JSON text; docs/recording_format.md has the keys. A number that is not finite becomes null. The
/// model gives the names of the bodies of events.
[[nodiscard]] std::string to_json(const model::RunSummary& summary, const model::Model& model);

/// Writes it; the target is whole or as it was. Throws FileError.
void write_summary(const std::string& path, const model::RunSummary& summary, const model::Model& model);

}  // namespace visviva::io
