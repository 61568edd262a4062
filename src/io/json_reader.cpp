#include "io/json_reader.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "io/suggest.hpp"

namespace visviva::io {

namespace {

using nlohmann::json;

std::string list_of(std::span<const std::string_view> words) { return fmt::format("{}", fmt::join(words, ", ")); }

/// N numbers in an array.
template <int N>
std::optional<Eigen::Matrix<Real, N, 1>> read_vector(const Node& node, Faults& faults) {
  if (!node.value->is_array() || node.value->size() != N) {
    add_fault(faults, node, fmt::format("must be an array of {} numbers, got {}", N, describe(*node.value)));
    return {};
  }
  Eigen::Matrix<Real, N, 1> vector;
  bool ok = true;
  for (int i = 0; i < N; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const auto entry = read_number(node.child(index), faults);
    ok = ok && entry.has_value();
    vector(i) = entry.value_or(0);
  }
  if (!ok) return {};
  return vector;
}

}  // namespace

Node Node::child(std::size_t index) const { return {&(*value)[index], child_pointer(pointer, index), file}; }

void add_fault(Faults& faults, const Node& node, std::string message) {
  faults.add(node.pointer, std::move(message), node.file);
}

std::string describe(const json& value) {
  if (value.is_array()) return fmt::format("an array of {}", value.size());
  if (value.is_object()) return "an object";
  if (value.is_string()) return fmt::format("the string \"{}\"", printable(value.get_ref<const std::string&>(), 40));
  return value.dump();
}

std::optional<Real> read_number(const Node& node, Faults& faults, const Range& range) {
  if (!node.value->is_number()) {
    add_fault(faults, node, fmt::format("must be a number, got {}", describe(*node.value)));
    return {};
  }
  const Real number = node.value->get<Real>();
  if (!std::isfinite(number) || !range.holds(number)) {
    add_fault(faults, node, fmt::format("must {}, got {}", range.text, number));
    return {};
  }
  return number;
}

std::optional<int> read_count(const Node& node, Faults& faults, int least) {
  constexpr int kMax = std::numeric_limits<int>::max();
  const bool whole = node.value->is_number_unsigned();  // JSON's parser: an integer >= 0
  const auto lowest = static_cast<std::uint64_t>(least);
  if (!whole || node.value->get<std::uint64_t>() < lowest || node.value->get<std::uint64_t>() > kMax) {
    add_fault(faults, node,
              fmt::format("must be a whole number from {} to {}, got {}", least, kMax, describe(*node.value)));
    return {};
  }
  return node.value->get<int>();
}

std::optional<bool> read_bool(const Node& node, Faults& faults) {
  if (node.value->is_boolean()) return node.value->get<bool>();
  add_fault(faults, node, fmt::format("must be true or false, got {}", describe(*node.value)));
  return {};
}

std::optional<std::string> read_string(const Node& node, Faults& faults) {
  if (node.value->is_string()) return node.value->get<std::string>();
  add_fault(faults, node, fmt::format("must be a string, got {}", describe(*node.value)));
  return {};
}

std::optional<Vec3> read_vec3(const Node& node, Faults& faults) { return read_vector<3>(node, faults); }

std::optional<Vec4> read_vec4(const Node& node, Faults& faults) { return read_vector<4>(node, faults); }

std::optional<Mat3> read_mat3(const Node& node, Faults& faults) {
  if (!node.value->is_array() || node.value->size() != 3) {
    add_fault(faults, node, fmt::format("must be 3 rows of 3 numbers, got {}", describe(*node.value)));
    return {};
  }
  Mat3 matrix;
  bool ok = true;
  for (int i = 0; i < 3; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const auto row = read_vec3(node.child(index), faults);
    ok = ok && row.has_value();
    if (row) matrix.row(i) = row->transpose();
  }
  if (!ok) return {};
  return matrix;
}

std::optional<std::size_t> read_word(const Node& node, Faults& faults, std::span<const std::string_view> words) {
  const auto text = read_string(node, faults);
  if (!text) return {};
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == *text) return i;
  add_fault(
      faults, node,
      fmt::format("must be one of {}, got \"{}\"{}", list_of(words), printable(*text, 40), did_you_mean(*text, words)));
  return {};
}

ObjectReader::ObjectReader(Node node, std::string_view noun, std::span<const std::string_view> known, Faults& faults)
    : node_(std::move(node)), noun_(noun), faults_(faults) {
  for (const auto& [key, value] : node_.value->items()) {
    bool is_known = false;
    for (const std::string_view name : known) is_known = is_known || name == key;
    if (is_known) continue;
    std::string hint = did_you_mean(key, known);
    if (hint.empty()) hint = fmt::format("; its keys are {}", list_of(known));
    faults_.add(child_pointer(node_.pointer, key), fmt::format("{} has no key '{}'{}", noun_, printable(key, 40), hint),
                node_.file);
  }
}

std::optional<Node> ObjectReader::find(std::string_view key) const {
  const auto found = node_.value->find(key);
  if (found == node_.value->end()) return {};
  return Node{&*found, child_pointer(node_.pointer, key), node_.file};
}

std::optional<Node> ObjectReader::require(std::string_view key) const {
  auto found = find(key);
  if (!found) add_fault(faults_, node_, fmt::format("{} needs the key '{}'", noun_, key));
  return found;
}

}  // namespace visviva::io
