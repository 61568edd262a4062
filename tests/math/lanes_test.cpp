#include "visviva/math/lanes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "lanes_kernels.hpp"

namespace visviva {
namespace {

using lanes_test::Outputs;

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// The standard leaves sign and payload of a computed NaN open.
template <class T>
bool same_result(T a, T b) {
  return same_bits(a, b) || (std::isnan(a) && std::isnan(b));
}

template <class T>
T random_number(std::mt19937_64& random) {
  using Limits = std::numeric_limits<T>;
  const T special[] = {T{0},
                       -T{0},
                       Limits::infinity(),
                       -Limits::infinity(),
                       Limits::min(),
                       Limits::max(),
                       Limits::quiet_NaN(),
                       Limits::denorm_min(),
                       -Limits::max(),
                       -Limits::min(),
                       T{1},
                       T{-1}};
  const std::uint64_t bits = random();
  if (bits % 4 == 0) return special[(bits >> 8) % std::size(special)];
  // Near 1, so that sums round and a * b + c cancels.
  return std::uniform_real_distribution<T>(-2, 2)(random);
}

template <class T>
void expect_scalar_results(int n, const T* a, const T* b, const T* c, const Outputs<T>& out) {
  std::uint32_t less = 0, less_equal = 0, greater = 0, greater_equal = 0, equal = 0, positive = 0;
  for (int i = 0; i < n; ++i) {
    EXPECT_TRUE(same_result(out.add[i], a[i] + b[i])) << i;
    EXPECT_TRUE(same_result(out.subtract[i], a[i] - b[i])) << i;
    EXPECT_TRUE(same_result(out.multiply[i], a[i] * b[i])) << i;
    EXPECT_TRUE(same_result(out.divide[i], a[i] / b[i])) << i;
    EXPECT_TRUE(same_bits(out.negate[i], -a[i])) << i;
    const T product = a[i] * b[i];
    EXPECT_TRUE(same_result(out.multiply_add[i], product + c[i])) << i;
    EXPECT_TRUE(same_result(out.mixed[i], (T{2} * a[i] + T{3} - b[i]) * c[i] / T{7})) << i;
    EXPECT_TRUE(same_bits(out.minimum[i], a[i] < b[i] ? a[i] : b[i])) << i;
    EXPECT_TRUE(same_bits(out.maximum[i], a[i] > b[i] ? a[i] : b[i])) << i;
    EXPECT_TRUE(same_bits(out.absolute[i], std::abs(a[i]))) << i;
    EXPECT_TRUE(same_result(out.root[i], std::sqrt(a[i]))) << i;
    EXPECT_TRUE(same_result(out.broadcast[i], a[0])) << i;
    EXPECT_TRUE(same_bits(out.chosen[i], a[i] < b[i] ? b[i] : c[i])) << i;
    EXPECT_TRUE(same_bits(out.by_index[i], b[n - 1 - i])) << i;
    const auto bit = [i](bool truth) { return (truth ? 1u : 0u) << i; };
    less |= bit(a[i] < b[i]);
    less_equal |= bit(a[i] <= b[i]);
    greater |= bit(a[i] > b[i]);
    greater_equal |= bit(a[i] >= b[i]);
    equal |= bit(a[i] == b[i]);
    positive |= bit(c[i] > 0);
  }
  const std::uint32_t every = (1u << n) - 1u;
  EXPECT_EQ(out.less, less);
  EXPECT_EQ(out.less_equal, less_equal);
  EXPECT_EQ(out.greater, greater);
  EXPECT_EQ(out.greater_equal, greater_equal);
  EXPECT_EQ(out.equal, equal);
  EXPECT_EQ(out.not_equal, every & ~equal);
  EXPECT_EQ(out.mask_and, less & positive);
  EXPECT_EQ(out.mask_or, less | positive);
  EXPECT_EQ(out.mask_xor, less ^ positive);
  EXPECT_EQ(out.mask_not, every & ~less);
  EXPECT_EQ(out.first_three, every & 7u);
  EXPECT_EQ(out.from_bits, less);
  EXPECT_EQ(out.by_lane, less);
  EXPECT_EQ(out.any, less != 0);
  EXPECT_EQ(out.all, less == every);
  EXPECT_EQ(out.none, less == 0);
}

template <class T, class Evaluate>
void expect_lanes_equal_scalars(Evaluate evaluate) {
  std::mt19937_64 random(20240601);
  for (int trial = 0; trial < 2000; ++trial) {
    // An offset of one element makes every load and store unaligned.
    T a[17], b[17], c[17];
    for (int i = 0; i < 17; ++i) {
      a[i] = random_number<T>(random);
      b[i] = trial % 8 == 0 ? a[i] : trial % 8 == 1 ? a[i] + T{1} : random_number<T>(random);
      c[i] = random_number<T>(random);
    }
    for (const int n : {1, 2, 4, 8, 16}) {
      Outputs<T> out = {};
      evaluate(n, a + 1, b + 1, c + 1, out);
      expect_scalar_results(n, a + 1, b + 1, c + 1, out);
      ASSERT_FALSE(testing::Test::HasFailure()) << "trial " << trial << ", N = " << n;
    }
  }
}

#define EXPECT_LANES_EQUAL_SCALARS(name)                                                    \
  expect_lanes_equal_scalars<float>([](auto&&... x) { lanes_test::name::evaluate(x...); }); \
  expect_lanes_equal_scalars<double>([](auto&&... x) { lanes_test::name::evaluate(x...); })

TEST(Lanes, GenericVectorsGiveTheBitsOfScalars) { EXPECT_LANES_EQUAL_SCALARS(lanes_generic); }

#if defined(__x86_64__)
TEST(Lanes, Sse2GivesTheBitsOfScalars) { EXPECT_LANES_EQUAL_SCALARS(lanes_baseline); }

TEST(Lanes, Avx2GivesTheBitsOfScalars) {
  if (supported_isa() < Isa::Avx2) GTEST_SKIP() << "processor without AVX2";
  EXPECT_LANES_EQUAL_SCALARS(lanes_avx2);
}

TEST(Lanes, Avx512GivesTheBitsOfScalars) {
  if (supported_isa() < Isa::Avx512) GTEST_SKIP() << "processor without AVX-512";
  EXPECT_LANES_EQUAL_SCALARS(lanes_avx512);
}
#endif

TEST(Lanes, BestInstructionSetIsSupported) { EXPECT_LE(best_isa(), supported_isa()); }

// best_isa reads the environment once, so each value needs a process of its own.
TEST(LanesDeathTest, EnvironmentCapsTheInstructionSet) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const Isa cap : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    EXPECT_EXIT(
        {
          setenv("VISVIVA_ISA", to_string(cap), 1);
          std::exit(best_isa() == std::min(cap, supported_isa()) ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
  }
  EXPECT_EXIT(
      {
        setenv("VISVIVA_ISA", "avx9000", 1);
        try {
          (void)best_isa();
        } catch (const std::invalid_argument& error) {
          const std::string expected = "environment: VISVIVA_ISA must be baseline, avx2 or avx512, got avx9000";
          std::exit(error.what() == expected ? 0 : 1);
        }
        std::exit(2);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace visviva
