#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "visviva/io/fault.hpp"

namespace visviva::io {

/// Faults in the order of the file; beyond kMaxKept they are only counted.
class Faults {
 public:
  static constexpr std::size_t kMaxKept = 500;

  /// The same fault counts once: what is read for many bodies is wrong for all of them.
  void add(std::string place, std::string message, std::string_view file = {});
  /// Notes nothing if this place has a fault already.
  void add_once(std::string place, std::string message, std::string_view file = {});
  [[nodiscard]] bool empty() const { return kept_.empty(); }
  [[nodiscard]] const std::vector<Fault>& kept() const { return kept_; }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  std::vector<Fault> kept_;
  std::size_t count_ = 0;
};

/// `pointer` extended by one step, escaped as RFC 6901 says.
[[nodiscard]] std::string child_pointer(std::string_view pointer, std::string_view key);
[[nodiscard]] std::string child_pointer(std::string_view pointer, std::size_t index);

inline constexpr std::size_t kMaxDepth = 32;

struct JsonOptions {
  bool comments = false;              ///< // and /* */ are white space
  std::size_t max_depth = kMaxDepth;  ///< levels of arrays and objects
  std::string_view file{};            ///< for the faults
};

/// JSON without trailing commas, without a key twice in an object, without a number beyond the range of double. After a
/// fault of syntax the value is null.
[[nodiscard]] nlohmann::json parse_strict_json(std::string_view text, Faults& faults, const JsonOptions& options = {});

}  // namespace visviva::io
