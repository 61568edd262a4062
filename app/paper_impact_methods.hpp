#pragma once

#include "paper_impact_data.hpp"
#include "visviva/impact/solve.hpp"

namespace visviva::app {

/// The settings that a column of Table 1 stands for.
[[nodiscard]] impact::ImpactSettings text_settings(const paper_impact::TableColumn& column);

}  // namespace visviva::app
