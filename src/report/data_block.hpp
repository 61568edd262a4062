#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/pack_rows.hpp"

/// The arrays of a report and how they stand in an HTML file: docs/report_format.md.
namespace visviva::report {

using Json = nlohmann::ordered_json;

/// Arrays one after the other, each at a multiple of 8 bytes, and what names them.
class DataBlock {
 public:
  using Shape = std::vector<std::size_t>;

  void add(const std::string& name, std::span<const double> values, const Shape& shape);
  void add(const std::string& name, std::span<const float> values, const Shape& shape);
  void add(const std::string& name, std::span<const std::uint32_t> values, const Shape& shape);
  void add(const std::string& name, std::span<const std::uint8_t> values, const Shape& shape);
  void add(const std::string& name, const PackedRows& rows, const Shape& shape);

  [[nodiscard]] const Json& arrays() const { return arrays_; }       ///< header.arrays
  [[nodiscard]] const std::string& bytes() const { return bytes_; }  ///< before they are compressed

 private:
  void append(const std::string& name, Json description, std::string_view bytes, const Shape& shape);

  Json arrays_ = Json::object();
  std::string bytes_;
};

[[nodiscard]] std::string compress(std::string_view bytes);  ///< as zlib does
[[nodiscard]] std::string base64(std::string_view bytes);
/// JSON in ASCII that may stand in a <script> element: without <, > and &. Ill-formed UTF-8 is replaced, a number that
/// is not finite is null.
[[nodiscard]] std::string script_json(const Json& json);

}  // namespace visviva::report
