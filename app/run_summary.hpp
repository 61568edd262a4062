#pragma once

#include <string>
#include <string_view>

#include "visviva/model/model.hpp"
#include "visviva/model/run.hpp"

namespace visviva::app {

/// What a run was, for a reader at a terminal.
[[nodiscard]] std::string run_summary_text(const model::RunSummary& summary, const model::Model& model,
                                           const std::string& directory, bool csv);

inline constexpr std::string_view kWhatToLookAt =
    "\nWhat to look at: the ellipsoid bounces without loss. Energy flows between spin and flight at each impact, and\n"
    "after thousands of steps the sum is what it was, to rounding. Try next:\n"
    "  visviva run bouncing_ellipsoid --duration 1000     longer, and no worse\n"
    "  visviva scenes                                     what else there is\n"
    "  visviva convert out/bouncing_ellipsoid/recording.h5 -o ellipsoid.glb     for Blender or three.js\n";

}  // namespace visviva::app
