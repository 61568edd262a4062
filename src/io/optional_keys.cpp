#include "io/optional_keys.hpp"

#include <fmt/format.h>

namespace visviva::io {

bool is_object(const Node& node, std::string_view noun, Faults& faults) {
  if (node.value->is_object()) return true;
  add_fault(faults, node, fmt::format("{} must be an object, got {}", noun, describe(*node.value)));
  return false;
}

bool is_array(const Node& node, std::string_view noun, Faults& faults) {
  if (node.value->is_array()) return true;
  add_fault(faults, node, fmt::format("{} must be an array, got {}", noun, describe(*node.value)));
  return false;
}

std::optional<std::array<Node, 2>> read_two(const Node& node, std::string_view what, Faults& faults) {
  if (node.value->is_array() && node.value->size() == 2) return std::array<Node, 2>{node.child(0), node.child(1)};
  add_fault(faults, node, fmt::format("must be an array of two {}, got {}", what, describe(*node.value)));
  return {};
}

}  // namespace visviva::io
