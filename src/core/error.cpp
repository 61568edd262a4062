#include "visviva/core/error.hpp"

#include <utility>

namespace visviva {

InvalidArgument::InvalidArgument(std::string object, std::string field, std::string range, std::string value)
    : std::invalid_argument(fmt::format("{}: {} must {}, got {}", object, field, range, value)),
      object_(std::move(object)),
      field_(std::move(field)),
      range_(std::move(range)),
      value_(std::move(value)) {}

InvalidState::InvalidState(std::string_view object, std::string_view call, std::string_view when)
    : std::logic_error(fmt::format("{}: {} must not be called {}", object, call, when)) {}

StaleId::StaleId(std::string_view object, std::uint32_t index, std::uint32_t generation)
    : std::out_of_range(fmt::format("{} id {} (generation {}) names nothing: it was destroyed or never created", object,
                                    index, generation)) {}

}  // namespace visviva
