#pragma once

#include <span>
#include <string>

#include "impact_cases.hpp"

namespace visviva::app {

/// {"results": […]}: every number read back gives the same double; what did not happen is null.
[[nodiscard]] std::string impact_json(std::span<const SolvedCase> cases);

/// One entry of these results.
[[nodiscard]] std::string impact_result_json(const SolvedCase& solved);

/// For people: a card for one case, one line a case for many.
[[nodiscard]] std::string impact_table(std::span<const SolvedCase> cases);

}  // namespace visviva::app
