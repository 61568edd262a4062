#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace visviva {

/// A value that a caller passed in lies outside its range. The message reads
/// "body 'ball': mass must be positive, got -1".
class InvalidArgument : public std::invalid_argument {
 public:
  InvalidArgument(std::string object, std::string field, std::string range, std::string value);

  [[nodiscard]] const std::string& object() const { return object_; }  ///< "body 'ball'"
  [[nodiscard]] const std::string& field() const { return field_; }    ///< "mass"
  [[nodiscard]] const std::string& range() const { return range_; }    ///< "be positive"
  [[nodiscard]] const std::string& value() const { return value_; }    ///< "-1"

 private:
  std::string object_, field_, range_, value_;
};

/// Throws InvalidArgument unless `ok`. Write the condition so that NaN fails:
/// `require(mass > 0, "body 'ball'", "mass", "be positive", mass)`.
template <class T>
void require(bool ok, std::string_view object, std::string_view field, std::string_view range, const T& value) {
  if (!ok) [[unlikely]]
    throw InvalidArgument(std::string(object), std::string(field), std::string(range), fmt::format("{}", value));
}

/// A call at a time when it must not be made. The message reads
/// "world: create_body must not be called within a step, as from a callback of it".
class InvalidState : public std::logic_error {
 public:
  InvalidState(std::string_view object, std::string_view call, std::string_view when);
};

/// An id whose object was destroyed, or that was never issued (the null id among them).
/// The message reads "body id 7 (generation 2) names nothing: it was destroyed or never created".
class StaleId : public std::out_of_range {
 public:
  StaleId(std::string_view object, std::uint32_t index, std::uint32_t generation);
};

}  // namespace visviva
