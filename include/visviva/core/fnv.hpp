#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace visviva {

/// The hash FNV-1a of 64 bits, over bytes in the order in which they are added. Bytes that differ in one place never
/// have the same hash; it is no defence against somebody who wants equal ones.
class Fnv1a {
 public:
  void add_bytes(const void* bytes, std::size_t count) {
    const auto* at = static_cast<const unsigned char*>(bytes);
    for (std::size_t i = 0; i < count; ++i) hash_ = (hash_ ^ at[i]) * 0x100000001b3ull;
  }
  /// A number, or something without gaps between its members.
  template <class T>
  void add(const T& value) {
    static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);
    add_bytes(&value, sizeof value);
  }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ull;
};

}  // namespace visviva
