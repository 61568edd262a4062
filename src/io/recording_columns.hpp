#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "io/hdf5.hpp"
#include "io/recording_layout.hpp"
#include "visviva/math/types.hpp"

/// Tables of /model, column by column.
namespace visviva::io {

// --- Writing

inline void write_reals(hid_t group, const char* name, const Extents& extents, const std::vector<Real>& values) {
  write_dataset(group, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, extents, values.data());
}
inline void write_indices(hid_t group, const char* name, const Extents& extents,
                          const std::vector<std::uint32_t>& values) {
  write_dataset(group, name, H5T_STD_U32LE, H5T_NATIVE_UINT32, extents, values.data());
}
template <std::size_t n>
void write_words(hid_t group, const char* name, const std::array<const char*, n>& words,
                 const std::vector<std::uint8_t>& values) {
  const Hdf5Handle type = enum_type(words);
  write_dataset(group, name, type.get(), type.get(), {values.size()}, values.data());
}

/// One column of a table: f of every element, one number or several.
template <class T, class F>
std::vector<Real> column(const std::vector<T>& rows, F f) {
  std::vector<Real> values;
  for (const T& row : rows) {
    const auto value = f(row);
    if constexpr (std::is_convertible_v<decltype(value), Real>)
      values.push_back(value);
    else
      values.insert(values.end(), value.data(), value.data() + value.size());
  }
  return values;
}
template <class T, class F>
std::vector<std::uint8_t> words(const std::vector<T>& rows, F f) {
  std::vector<std::uint8_t> values;
  values.reserve(rows.size());
  for (const T& row : rows) values.push_back(static_cast<std::uint8_t>(f(row)));
  return values;
}
template <class T>
std::vector<std::string> names(const std::vector<T>& rows) {
  std::vector<std::string> values;
  values.reserve(rows.size());
  for (const T& row : rows) values.push_back(row.name);
  return values;
}

// --- Reading

/// Throws unless there are as many values as rows.
template <class T>
std::vector<T> checked(std::vector<T> values, std::size_t rows, std::size_t width, const char* name) {
  if (values.size() != rows * width) throw Hdf5Error(fmt::format("'{}' has a wrong number of rows", name));
  return values;
}
inline std::vector<Real> read_reals(hid_t group, const char* name, std::size_t rows, const Extents& row = {}) {
  std::size_t width = 1;
  for (const hsize_t n : row) width *= n;
  return checked(read_dataset<Real>(group, name, H5T_NATIVE_DOUBLE, row), rows, width, name);
}
/// Throws if a value is not below `limit`.
inline std::vector<std::uint32_t> read_indices(hid_t group, const char* name, std::size_t rows, std::size_t limit) {
  std::vector<std::uint32_t> values =
      checked(read_dataset<std::uint32_t>(group, name, H5T_NATIVE_UINT32, {}), rows, 1, name);
  for (const std::uint32_t value : values)
    if (value >= limit) throw Hdf5Error(fmt::format("'{}' has the value {}, beyond {}", name, value, limit));
  return values;
}
inline std::vector<std::uint8_t> read_words(hid_t group, const char* name, std::size_t rows, std::size_t limit) {
  std::vector<std::uint8_t> values =
      checked(read_dataset<std::uint8_t>(group, name, H5T_NATIVE_UINT8, {}), rows, 1, name);
  for (const std::uint8_t value : values)
    if (value >= limit) throw Hdf5Error(fmt::format("'{}' has the unknown value {}", name, value));
  return values;
}

inline Vec3 vec3_at(const std::vector<Real>& values, std::size_t i) {
  return {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
}

}  // namespace visviva::io
