#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace visviva::app {

/// One thing wrong with a file.
struct Fault {
  std::string place;  ///< JSON pointer ("/cases/3/W/1/2", "/" for the whole) or "line 3, column 7"
  std::string message;
};

/// Faults in the order of the file; beyond kMaxKept they are only counted.
class Faults {
 public:
  static constexpr std::size_t kMaxKept = 500;

  void add(std::string place, std::string message);
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

/// Plain JSON: no comments, no trailing commas, no key twice in an object, no number beyond the
/// range of double, at most kMaxDepth levels. After a fault of syntax the value is null.
inline constexpr std::size_t kMaxDepth = 32;
[[nodiscard]] nlohmann::json parse_strict_json(std::string_view text, Faults& faults);

}  // namespace visviva::app
