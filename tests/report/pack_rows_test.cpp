#include "report/pack_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace visviva::report {
namespace {

constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

std::vector<unsigned> bytes_of(const PackedRows& packed) {
  std::vector<unsigned> bytes;
  for (const char c : packed.bytes) bytes.push_back(static_cast<unsigned char>(c));
  return bytes;
}

// 0, 1, 2, 4 in steps of 1: differences 0 1 1 2, second differences 0 1 0 1. All of them end in few bits, the second
// ones in fewest. Low bytes first, then high ones.
TEST(PackRows, BytesAreThoseOfTheFormat) {
  const std::vector<Real> values = {10, 11, 12, 14}, step = {1};
  const PackedRows packed = pack_rows(values, 4, step, false);
  EXPECT_EQ(packed.bytes_per_number, 2);
  EXPECT_EQ(packed.order, 2);
  EXPECT_EQ(packed.low, (std::vector<Real>{10}));
  EXPECT_EQ(packed.step, (std::vector<Real>{1}));
  EXPECT_EQ(bytes_of(packed), (std::vector<unsigned>{0, 1, 0, 1, 0, 0, 0, 0}));
}

// 3, 0: the difference is −3, that is 65533 = 0xfffd; the next row starts anew.
TEST(PackRows, ResidualsWrapAround) {
  PackedRows packed;
  packed.order = 1;
  packed.low = {100, 0};
  packed.step = {0.5, 1};
  const unsigned char bytes[] = {3, 0xfd, 7, 1, /* high */ 0, 0xff, 0, 0};
  packed.bytes.assign(reinterpret_cast<const char*>(bytes), sizeof bytes);
  EXPECT_EQ(unpack_rows(packed, 2), (std::vector<Real>{101.5, 100, 7, 8}));
}

TEST(PackRows, PredictionMayOvershootTheRange) {
  // 2 · 65000 − 0 is beyond 65535: what counts is the number modulo 65536.
  PackedRows packed;
  packed.order = 2;
  packed.low = {0};
  packed.step = {1};
  // 0; 65000 = 0xfde8; then 65000 again: residual 65000 − 130000 = −65000 = 536 = 0x0218 modulo 65536.
  const unsigned char bytes[] = {0, 0xe8, 0x18, /* high */ 0, 0xfd, 0x02};
  packed.bytes.assign(reinterpret_cast<const char*>(bytes), sizeof bytes);
  EXPECT_EQ(unpack_rows(packed, 3), (std::vector<Real>{0, 65000, 65000}));
}

TEST(PackRows, ConstantRowComesBackExactly) {
  const std::vector<Real> values(5, 0.1), step = {0};
  EXPECT_EQ(unpack_rows(pack_rows(values, 5, step, true), 5), values);
}

TEST(PackRows, WhatIsNotFiniteComesBackAsNaNAndDisturbsNothing) {
  const std::vector<Real> values = {1, kNaN, 2, kInfinity, 3, -kInfinity, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN};
  const std::vector<Real> step = {0, 0};
  const std::vector<Real> back = unpack_rows(pack_rows(values, 6, step, false), 6);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::isfinite(values[i])) {
      EXPECT_NEAR(back[i], values[i], 2.0 / 65533) << i;
    } else {
      EXPECT_TRUE(std::isnan(back[i])) << i;
    }
}

TEST(PackRows, ErrorIsAtMostHalfAStep) {
  std::mt19937_64 random(20261116);
  std::normal_distribution<Real> normal;
  for (const Real size : {1e-300, 1e-3, 1.0, 1e3, 1e290}) {
    std::vector<Real> values;
    const std::size_t columns = 1000, rows = 4;
    for (std::size_t r = 0; r < rows; ++r) {
      Real x = size * normal(random), v = 0;
      for (std::size_t i = 0; i < columns; ++i) {
        values.push_back(x);
        v += 1e-3 * size * normal(random);
        x += v;
      }
    }
    for (const bool wide : {false, true}) {
      const std::vector<Real> step(rows, wide ? 1e-8 * size : 0);
      const PackedRows packed = pack_rows(values, columns, step, wide);
      EXPECT_EQ(packed.bytes_per_number, wide ? 4 : 2);
      const std::vector<Real> back = unpack_rows(packed, columns);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const Real rounding = 4 * std::numeric_limits<Real>::epsilon() * std::abs(values[i]);
        ASSERT_LE(std::abs(back[i] - values[i]), 0.5 * packed.step[i / columns] * (1 + 1e-9) + rounding);
      }
    }
  }
}

TEST(PackRows, WhatIsBeyondAllBoundsCountsAsNotFinite) {
  const std::vector<Real> values = {-1.7e308, 1.7e308, 0, 1}, step = {0};
  const std::vector<Real> back = unpack_rows(pack_rows(values, 4, step, false), 4);
  EXPECT_TRUE(std::isnan(back[0]) && std::isnan(back[1]));
  EXPECT_EQ(back[2], 0);
  EXPECT_NEAR(back[3], 1, 1e-4);
}

TEST(PackRows, StepIsTheWantedOneIfTheRangeAllowsIt) {
  const std::vector<Real> values = {0, 1, 0, 0, 65534.0 * 10, 0}, step = {0.25, 1};
  const PackedRows narrow = pack_rows(values, 3, step, false), wide = pack_rows(values, 3, step, true);
  EXPECT_EQ(narrow.step[0], 0.25);
  EXPECT_NEAR(narrow.step[1], 10, 0.001);
  EXPECT_EQ(wide.bytes_per_number, 4);
  EXPECT_EQ(wide.step, step);
}

// x = t² in whole steps has the constant second difference 2: one byte plane is constant, the others are zero.
TEST(PackRows, ParabolaTakesAlmostNothing) {
  std::vector<Real> values;
  for (int t = 0; t < 200; ++t) values.push_back(t * t);
  const std::vector<Real> step = {1};
  const PackedRows packed = pack_rows(values, 200, step, false);
  ASSERT_EQ(packed.order, 2);
  const std::vector<unsigned> bytes = bytes_of(packed);
  for (std::size_t i = 2; i < 200; ++i) ASSERT_EQ(bytes[i], 2u);
  for (std::size_t i = 200; i < 400; ++i) ASSERT_EQ(bytes[i], 0u);
}

TEST(PackRows, NothingAtAllIsFine) {
  EXPECT_TRUE(pack_rows({}, 0, {}, true).bytes.empty());
  EXPECT_TRUE(pack_rows({}, 7, {}, true).bytes.empty());
  const std::vector<Real> step(3, 0);
  EXPECT_EQ(pack_rows({}, 0, step, true).low.size(), 3u);
}

}  // namespace
}  // namespace visviva::report
