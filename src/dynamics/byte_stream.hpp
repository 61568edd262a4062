#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "visviva/core/error.hpp"
#include "visviva/core/id.hpp"
#include "visviva/math/types.hpp"

/// Values as bytes and back. Both ends have the same calls, so that the members of a struct are listed once, in a
/// function that either of them is given: `stream(body.x, body.R)`.
namespace visviva::dynamics {

/// The largest value of an enum, which a reader refuses to exceed; each enum that is written has one.
template <class T>
struct LastOf;

class ByteWriter {
 public:
  static constexpr bool kReads = false;

  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  void size(std::size_t count) { put(static_cast<std::uint64_t>(count)); }
  void append(const ByteWriter& other) { put_bytes(other.bytes_.data(), other.bytes_.size()); }
  [[nodiscard]] std::vector<std::byte>& bytes() { return bytes_; }

 private:
  template <class T>
  requires std::is_arithmetic_v<T>
  void put(T value) {
    if constexpr (std::is_floating_point_v<T>)
      require(!std::isnan(value), "snapshot", "state", "hold numbers only", "one that is none");
    put_bytes(&value, sizeof value);
  }
  void put(bool value) { put(static_cast<std::uint8_t>(value ? 1 : 0)); }
  template <class T>
  requires std::is_enum_v<T>
  void put(T value) { put(static_cast<std::uint8_t>(value)); }
  template <int R, int C>
  void put(const Eigen::Matrix<Real, R, C>& m) {
    for (Eigen::Index i = 0; i < m.size(); ++i) put(m.data()[i]);
  }
  template <class Tag>
  void put(const Id<Tag>& id) {
    (*this)(id.index, id.generation);
  }
  template <class T, std::size_t N>
  void put(const std::array<T, N>& values) {
    for (const T& value : values) put(value);
  }
  void put(const std::string& text) {
    size(text.size());
    put_bytes(text.data(), text.size());
  }
  template <class T>
  void put(const std::vector<T>& values) {
    size(values.size());
    if constexpr (std::is_arithmetic_v<T> && !std::is_floating_point_v<T>) {
      put_bytes(values.data(), values.size() * sizeof(T));
    } else {
      for (const T& value : values) put(value);
    }
  }
  template <class A, class B>
  void put(const std::pair<A, B>& pair) {
    (*this)(pair.first, pair.second);
  }
  /// Anything else has a function `fields(stream, value)`.
  template <class T>
  requires std::is_class_v<T>
  void put(const T& value) { fields(*this, value); }
  void put_bytes(const void* from, std::size_t count) {
    const auto* at = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), at, at + count);
  }

  std::vector<std::byte> bytes_;
};

/// Throws InvalidArgument where the bytes end too early or hold what cannot be; never makes room for more than is
/// there.
class ByteReader {
 public:
  static constexpr bool kReads = true;

  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (take(values), ...);
  }
  [[nodiscard]] std::size_t left() const { return bytes_.size(); }
  /// A number of things that take at least so many bytes each.
  std::size_t size(std::size_t least_bytes = 1) {
    std::uint64_t count = 0;
    take(count);
    require(count <= left() / least_bytes, "snapshot", "number of elements", "be no more than its bytes can hold",
            count);
    return static_cast<std::size_t>(count);
  }

 private:
  template <class T>
  requires std::is_arithmetic_v<T>
  void take(T& value) {
    take_bytes(&value, sizeof value);
    if constexpr (std::is_floating_point_v<T>)
      require(!std::isnan(value), "snapshot", "state", "hold numbers only", "one that is none");
  }
  void take(bool& value) {
    std::uint8_t byte = 0;
    take(byte);
    require(byte <= 1, "snapshot", "flag", "be 0 or 1", static_cast<int>(byte));
    value = byte == 1;
  }
  template <class T>
  requires std::is_enum_v<T>
  void take(T& value) {
    std::uint8_t byte = 0;
    take(byte);
    require(byte <= static_cast<std::uint8_t>(LastOf<T>::kValue), "snapshot", "kind", "be one that is known",
            static_cast<int>(byte));
    value = static_cast<T>(byte);
  }
  template <int R, int C>
  void take(Eigen::Matrix<Real, R, C>& m) {
    for (Eigen::Index i = 0; i < m.size(); ++i) take(m.data()[i]);
  }
  template <class Tag>
  void take(Id<Tag>& id) {
    (*this)(id.index, id.generation);
  }
  template <class T, std::size_t N>
  void take(std::array<T, N>& values) {
    for (T& value : values) take(value);
  }
  void take(std::string& text) {
    text.resize(size());
    take_bytes(text.data(), text.size());
  }
  template <class T>
  void take(std::vector<T>& values) {
    values.clear();
    if constexpr (std::is_arithmetic_v<T> && !std::is_floating_point_v<T>) {
      values.resize(size(sizeof(T)));
      take_bytes(values.data(), values.size() * sizeof(T));
    } else {
      // One by one: an element may be larger here than there, and the bytes may end at any of them.
      for (std::size_t count = size(); count > 0; --count) take(values.emplace_back());
    }
  }
  template <class A, class B>
  void take(std::pair<A, B>& pair) {
    (*this)(pair.first, pair.second);
  }
  template <class T>
  requires std::is_class_v<T>
  void take(T& value) { fields(*this, value); }
  void take_bytes(void* to, std::size_t count) {
    require(count <= bytes_.size(), "snapshot", "contents", "be whole", "an end too early");
    if (count > 0) std::memcpy(to, bytes_.data(), count);
    bytes_ = bytes_.subspan(count);
  }

  std::span<const std::byte> bytes_;
};

}  // namespace visviva::dynamics
