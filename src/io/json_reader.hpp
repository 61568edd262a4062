#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "io/strict_json.hpp"
#include "visviva/math/types.hpp"

namespace visviva::io {

/// A JSON value and where it stands. Readers below return nothing and note a fault if the value is
/// not what they expect.
struct Node {
  const nlohmann::json* value;
  std::string pointer;
  std::string_view file{};  ///< name of the file, if there are several

  [[nodiscard]] Node child(std::size_t index) const;  ///< of an array
};

void add_fault(Faults& faults, const Node& node, std::string message);

/// Numbers that a field accepts.
struct Range {
  bool (*holds)(Real);    ///< false for NaN
  std::string_view text;  ///< "be at least 0"
};
inline constexpr Range kFinite{[](Real) { return true; }, "be a number"};
inline constexpr Range kPositive{[](Real x) { return x > 0; }, "be positive"};
inline constexpr Range kNotNegative{[](Real x) { return x >= 0; }, "be at least 0"};

[[nodiscard]] std::optional<Real> read_number(const Node& node, Faults& faults, const Range& range = kFinite);
[[nodiscard]] std::optional<int> read_count(const Node& node, Faults& faults, int least = 1);  ///< 1, 2, …
[[nodiscard]] std::optional<bool> read_bool(const Node& node, Faults& faults);
[[nodiscard]] std::optional<std::string> read_string(const Node& node, Faults& faults);
[[nodiscard]] std::optional<Vec3> read_vec3(const Node& node, Faults& faults);
[[nodiscard]] std::optional<Vec4> read_vec4(const Node& node, Faults& faults);
[[nodiscard]] std::optional<Mat3> read_mat3(const Node& node, Faults& faults);  ///< by rows
/// Index into `words`.
[[nodiscard]] std::optional<std::size_t> read_word(const Node& node, Faults& faults,
                                                   std::span<const std::string_view> words);

/// An object of which all keys are known. Unknown keys are faults, noted at once.
class ObjectReader {
 public:
  /// `noun` names the object in messages: "a case". `node` must be an object.
  ObjectReader(Node node, std::string_view noun, std::span<const std::string_view> known, Faults& faults);

  [[nodiscard]] bool has(std::string_view key) const { return find(key).has_value(); }
  [[nodiscard]] std::optional<Node> find(std::string_view key) const;
  /// Notes a fault if the key is missing.
  [[nodiscard]] std::optional<Node> require(std::string_view key) const;
  [[nodiscard]] const std::string& pointer() const { return node_.pointer; }
  [[nodiscard]] const Node& node() const { return node_; }

 private:
  Node node_;
  std::string_view noun_;
  Faults& faults_;
};

/// "a string", "an array of 2", …: what stands there in place of the expected.
[[nodiscard]] std::string describe(const nlohmann::json& value);

}  // namespace visviva::io
