#include "visviva/core/fnv.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace visviva {
namespace {

std::uint64_t hash_of(std::string_view text) {
  Fnv1a hash;
  hash.add_bytes(text.data(), text.size());
  return hash.value();
}

// The published test vectors of FNV-1a, 64 bits.
TEST(Fnv1a, AgreesWithPublishedVectors) {
  EXPECT_EQ(hash_of(""), 0xcbf29ce484222325u);
  EXPECT_EQ(hash_of("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(hash_of("foobar"), 0x85944171f73967e8u);
}

TEST(Fnv1a, TakesNumbersAsTheirBytes) {
  Fnv1a numbers, bytes;
  numbers.add(0x0403020104030201ull);
  bytes.add_bytes("\x01\x02\x03\x04\x01\x02\x03\x04", 8);
  EXPECT_EQ(numbers.value(), bytes.value());
}

}  // namespace
}  // namespace visviva
