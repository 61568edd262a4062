#pragma once

#include "io/json_reader.hpp"

/// Optional keys of an object: a key that is missing leaves its target as it is.
namespace visviva::io {

/// One of the words of an enumeration, in its order.
template <class Enum>
void read_enum(const ObjectReader& object, std::string_view key, std::span<const std::string_view> words,
               Faults& faults, Enum& target) {
  if (const auto node = object.find(key))
    if (const auto index = read_word(*node, faults, words)) target = static_cast<Enum>(*index);
}

// The target is a value, or an optional one that stays empty without the key.

template <class Target>
void read_real(const ObjectReader& object, std::string_view key, Faults& faults, Target& target,
               const Range& range = kFinite) {
  if (const auto node = object.find(key))
    if (const auto value = read_number(*node, faults, range)) target = *value;
}

template <class Target>
void read_flag(const ObjectReader& object, std::string_view key, Faults& faults, Target& target) {
  if (const auto node = object.find(key))
    if (const auto value = read_bool(*node, faults)) target = *value;
}

template <class Target>
void read_whole(const ObjectReader& object, std::string_view key, Faults& faults, int least, Target& target) {
  if (const auto node = object.find(key))
    if (const auto value = read_count(*node, faults, least)) target = *value;
}

/// Notes a fault unless the value is an object (an array); `noun` names it.
[[nodiscard]] bool is_object(const Node& node, std::string_view noun, Faults& faults);
[[nodiscard]] bool is_array(const Node& node, std::string_view noun, Faults& faults);

/// The nodes of an array of two `what`.
[[nodiscard]] std::optional<std::array<Node, 2>> read_two(const Node& node, std::string_view what, Faults& faults);

}  // namespace visviva::io
