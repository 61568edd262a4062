#include "visviva/math/elementary.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

namespace visviva {
namespace {

namespace mp = boost::multiprecision;
using Fine = mp::cpp_bin_float_50;  // 168 bits
// sin of 1e308 needs 1024 bits of pi before the first bit of the answer.
using Wide = mp::number<mp::cpp_bin_float<1300, mp::digit_base_2>, mp::et_off>;

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();
constexpr Real kPi = 3.14159265358979323846;

/// Spacing of doubles at the exact value.
Real ulp(const Fine& exact) {
  const Real size = std::abs(static_cast<Real>(exact));
  if (size < std::numeric_limits<Real>::min()) return std::numeric_limits<Real>::denorm_min();
  int exponent = std::ilogb(size);
  if (mp::abs(exact) < mp::ldexp(Fine(1), exponent)) --exponent;
  return std::ldexp(1.0, std::max(exponent - 52, -1074));
}

Real error_in_ulp(Real value, const Fine& exact) {
  return static_cast<Real>(mp::abs(Fine(value) - exact) / ulp(exact));
}

class Arguments {
 public:
  explicit Arguments(std::uint64_t seed) : random_(seed) {}

  Real uniform(Real a, Real b) { return std::uniform_real_distribution<Real>(a, b)(random_); }
  /// ±m 2^e, e uniform in [a, b].
  Real of_size(int a, int b) {
    const int exponent = std::uniform_int_distribution<int>(a, b)(random_);
    const Real x = std::ldexp(uniform(1, 2), exponent);
    return random_() % 2 == 0 ? x : -x;
  }
  Real any_finite() {
    Real x;
    do {
      const std::uint64_t bits = random_();
      std::memcpy(&x, &bits, sizeof x);
    } while (!std::isfinite(x));
    return x;
  }

 private:
  std::mt19937_64 random_;
};

/// Largest error of f over n arguments drawn by `draw`, in ulp of the exact value.
template <class F, class Exact, class Draw>
Real worst_error(F f, Exact exact, Draw draw, int n = 6000) {
  Arguments arguments(20240601);
  Real worst = 0;
  for (int i = 0; i < n; ++i) {
    const Real x = draw(arguments);
    const Real error = error_in_ulp(f(x), exact(Fine(x)));
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

std::uint64_t bits(Real x) {
  std::uint64_t b;
  std::memcpy(&b, &x, sizeof b);
  return b;
}
#define EXPECT_SAME(a, b) EXPECT_EQ(bits(a), bits(b)) << (a) << " against " << (b)

// The bound of the header.
constexpr Real kOneUlp = 1.0;

TEST(Elementary, SineAndCosineOfModerateAnglesAreWithinOneUlp) {
  for (const Real range : {0.8, 10.0, 1.1e6}) {
    const auto draw = [range](Arguments& a) { return a.uniform(-range, range); };
    EXPECT_LE(worst_error([](Real x) { return sin(x); }, [](Fine x) { return Fine(mp::sin(x)); }, draw), kOneUlp);
    EXPECT_LE(worst_error([](Real x) { return cos(x); }, [](Fine x) { return Fine(mp::cos(x)); }, draw), kOneUlp);
    EXPECT_LE(worst_error([](Real x) { return tan(x); }, [](Fine x) { return Fine(mp::tan(x)); }, draw), kOneUlp);
  }
}

TEST(Elementary, SineAndCosineOfHugeAnglesAreWithinOneUlp) {
  const Wide pi = mp::acos(Wide(-1));
  Arguments arguments(7);
  for (int i = 0; i < 1500; ++i) {
    const Real x = arguments.of_size(18, 1023);
    const Wide wide = x;
    const Fine r = Fine(wide - 2 * pi * mp::round(wide / (2 * pi)));
    ASSERT_LE(error_in_ulp(sin(x), mp::sin(r)), kOneUlp) << x;
    ASSERT_LE(error_in_ulp(cos(x), mp::cos(r)), kOneUlp) << x;
    ASSERT_LE(error_in_ulp(tan(x), mp::tan(r)), kOneUlp) << x;
  }
}

// The double nearest to a multiple of pi/2 of all [Muller, Elementary Functions, table 11.1]: its
// cosine is about 2^-61, so 61 leading bits of the reduction cancel.
TEST(Elementary, TheWorstCaseOfArgumentReductionIsWithinOneUlp) {
  const Real x = 6381956970095103.0 * 0x1p797;
  const Wide half_pi = mp::acos(Wide(0));
  const Wide n = mp::round(Wide(x) / half_pi);
  const Fine r = Fine(Wide(x) - n * half_pi);
  ASSERT_LT(mp::abs(r), 1e-18);
  const Fine tiny = mp::abs(mp::sin(r));
  const SinCos value = sin_cos(x);
  EXPECT_LE(error_in_ulp(std::min(std::abs(value.sin), std::abs(value.cos)), tiny), kOneUlp);
}

// Doubles next to k pi/2: one of the two is as small as it gets.
TEST(Elementary, NearMultiplesOfHalfPiTheSmallOneOfSineAndCosineIsWithinOneUlp) {
  const Fine half_pi = mp::acos(Fine(0));
  for (int k = 1; k < 3000; ++k) {
    const Real x = static_cast<Real>(half_pi * (k * 223));
    ASSERT_LE(error_in_ulp(sin(x), mp::sin(Fine(x))), kOneUlp) << x;
    ASSERT_LE(error_in_ulp(cos(x), mp::cos(Fine(x))), kOneUlp) << x;
  }
}

TEST(Elementary, SinCosGivesTheSameBitsAsSineAndCosine) {
  Arguments arguments(3);
  for (int i = 0; i < 10000; ++i) {
    const Real x = arguments.any_finite();
    EXPECT_SAME(sin_cos(x).sin, sin(x));
    EXPECT_SAME(sin_cos(x).cos, cos(x));
    EXPECT_SAME(sin(-x), -sin(x));
    EXPECT_SAME(cos(-x), cos(x));
  }
}

TEST(Elementary, InverseFunctionsAreWithinOneUlp) {
  const auto arctangent = [](Fine x) { return Fine(mp::atan(x)); };
  const auto f = [](Real x) { return atan(x); };
  EXPECT_LE(worst_error(f, arctangent, [](Arguments& a) { return a.uniform(-3, 3); }), kOneUlp);
  EXPECT_LE(worst_error(f, arctangent, [](Arguments& a) { return a.of_size(-60, 60); }), kOneUlp);

  // Uniform, small, and close to both ends, where the derivative is infinite.
  const auto inside = [](Arguments& a) { return a.uniform(-1, 1); };
  const auto small = [](Arguments& a) { return a.of_size(-40, -1); };
  const auto right = [](Arguments& a) { return 1 - std::abs(a.of_size(-52, -2)); };
  const auto left = [](Arguments& a) { return std::abs(a.of_size(-52, -2)) - 1; };
  const auto arcsine = [](Fine x) { return Fine(mp::asin(x)); };
  const auto arccosine = [](Fine x) { return Fine(mp::acos(x)); };
  for (Real (*draw)(Arguments&) : {+inside, +small, +right, +left}) {
    EXPECT_LE(worst_error([](Real x) { return asin(x); }, arcsine, draw, 4000), kOneUlp);
    EXPECT_LE(worst_error([](Real x) { return acos(x); }, arccosine, draw, 4000), kOneUlp);
  }
}

TEST(Elementary, Atan2IsWithinOneUlpInAllQuadrantsAndScales) {
  Arguments arguments(11);
  for (int i = 0; i < 6000; ++i) {
    const int range = i % 3 == 0 ? 2 : i % 3 == 1 ? 40 : 1020;
    const Real y = arguments.of_size(-range, range), x = arguments.of_size(-range, range);
    const Fine exact = mp::atan2(Fine(y), Fine(x));
    ASSERT_LE(error_in_ulp(atan2(y, x), exact), kOneUlp) << y << ' ' << x;
  }
}

TEST(Elementary, Atan2UndoesSinCos) {
  Arguments arguments(5);
  for (int i = 0; i < 10000; ++i) {
    const Real angle = arguments.uniform(-3.14, 3.14);
    const SinCos value = sin_cos(angle);
    // 1 ulp in each of sin and cos turns the angle by at most 2^-53 sqrt 2, atan2 rounds once more.
    ASSERT_NEAR(atan2(value.sin, value.cos), angle, 4 * 0x1p-52);
  }
}

TEST(Elementary, ExponentialsAreWithinOneUlp) {
  const auto exponential = [](Fine x) { return Fine(mp::exp(x)); };
  const auto f = [](Real x) { return exp(x); };
  EXPECT_LE(worst_error(f, exponential, [](Arguments& a) { return a.uniform(-1, 1); }), kOneUlp);
  EXPECT_LE(worst_error(f, exponential, [](Arguments& a) { return a.uniform(-745, 709.7); }), kOneUlp);
  EXPECT_LE(worst_error(f, exponential, [](Arguments& a) { return a.uniform(-745, -708); }), kOneUlp);
  const auto minus_one = [](Fine x) { return Fine(mp::expm1(x)); };
  const auto g = [](Real x) { return expm1(x); };
  EXPECT_LE(worst_error(g, minus_one, [](Arguments& a) { return a.uniform(-1, 1); }), kOneUlp);
  EXPECT_LE(worst_error(g, minus_one, [](Arguments& a) { return a.of_size(-60, 5); }), kOneUlp);
  EXPECT_LE(worst_error(g, minus_one, [](Arguments& a) { return a.uniform(-60, 709); }), kOneUlp);
}

TEST(Elementary, LogarithmsAreWithinOneUlp) {
  const auto logarithm = [](Fine x) { return Fine(mp::log(x)); };
  const auto f = [](Real x) { return log(x); };
  EXPECT_LE(worst_error(f, logarithm, [](Arguments& a) { return a.uniform(0.5, 2); }), kOneUlp);
  EXPECT_LE(worst_error(f, logarithm, [](Arguments& a) { return std::abs(a.any_finite()); }), kOneUlp);
  EXPECT_LE(worst_error(f, logarithm, [](Arguments& a) { return 1 + a.of_size(-52, -4); }), kOneUlp);
  EXPECT_LE(worst_error(f, logarithm, [](Arguments& a) { return std::abs(a.of_size(-1070, -1023)); }), kOneUlp);
  const auto log_of_one_plus = [](Fine x) { return Fine(mp::log1p(x)); };
  const auto g = [](Real x) { return log1p(x); };
  EXPECT_LE(worst_error(g, log_of_one_plus, [](Arguments& a) { return a.of_size(-60, -1); }), kOneUlp);
  EXPECT_LE(worst_error(g, log_of_one_plus, [](Arguments& a) { return std::abs(a.of_size(0, 60)); }), kOneUlp);
}

TEST(Elementary, CubeRootIsWithinOneUlpAndExactOnCubes) {
  const auto cube_root = [](Fine x) { return Fine(mp::cbrt(x)); };
  const auto f = [](Real x) { return cbrt(x); };
  EXPECT_LE(worst_error(f, cube_root, [](Arguments& a) { return a.any_finite(); }), kOneUlp);
  EXPECT_LE(worst_error(f, cube_root, [](Arguments& a) { return a.of_size(-1073, -1023); }), kOneUlp);
  for (int i = -2000; i <= 2000; ++i) EXPECT_EQ(cbrt(static_cast<Real>(i) * i * i), i);
}

// The same on every compiler and processor: the number was the same from g++ 12 and clang 14, with
// and without -mavx2 -mfma. It changes only with the tables or the order of operations.
TEST(Elementary, BitsDependOnTheArgumentAlone) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  const auto mix = [&hash](Real x) { hash = (hash ^ bits(std::isnan(x) ? kNaN : x)) * 0x100000001b3; };
  Arguments arguments(99);
  for (int i = 0; i < 20000; ++i) {
    // Built from bits alone: the standard's distributions differ between libraries.
    const Real any = arguments.any_finite();
    const Real x = i % 2 == 0 ? any : std::fmod(any, 50.0), y = std::fmod(x, 1.0);
    for (Real (*f)(Real) : {&sin, &cos, &tan, &atan, &exp, &expm1, &log, &log1p, &cbrt}) mix(f(x));
    mix(asin(y));
    mix(acos(y));
    mix(atan2(x, y));
  }
  EXPECT_EQ(hash, 18011270529194824767u);
}

// C Annex F.
TEST(Elementary, SpecialValuesFollowIec60559) {
  for (Real (*odd)(Real) : {&sin, &tan, &atan, &asin, &expm1, &log1p, &cbrt}) {
    EXPECT_SAME(odd(0.0), 0.0);
    EXPECT_SAME(odd(-0.0), -0.0);
  }
  for (Real (*tangent_to_x)(Real) : {&sin, &tan, &atan, &asin, &expm1, &log1p})
    EXPECT_SAME(tangent_to_x(0x1p-1074), 0x1p-1074);
  for (Real (*any)(Real) : {&sin, &cos, &tan, &atan, &asin, &acos, &exp, &expm1, &log, &log1p, &cbrt})
    EXPECT_TRUE(std::isnan(any(kNaN)));
  for (Real (*bounded)(Real) : {&sin, &cos, &tan, &asin, &acos}) {
    EXPECT_TRUE(std::isnan(bounded(kInfinity)));
    EXPECT_TRUE(std::isnan(bounded(-kInfinity)));
  }
  EXPECT_SAME(cos(0.0), 1.0);
  EXPECT_SAME(exp(0.0), 1.0);
  EXPECT_SAME(exp(-kInfinity), 0.0);
  EXPECT_SAME(exp(-746.0), 0.0);
  EXPECT_SAME(exp(kInfinity), kInfinity);
  EXPECT_SAME(exp(709.79), kInfinity);
  EXPECT_TRUE(std::isfinite(exp(709.78)));
  EXPECT_SAME(expm1(-kInfinity), -1.0);
  EXPECT_SAME(expm1(kInfinity), kInfinity);
  EXPECT_SAME(log(1.0), 0.0);
  EXPECT_SAME(log(0.0), -kInfinity);
  EXPECT_SAME(log(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(log(-1.0)));
  EXPECT_SAME(log1p(-1.0), -kInfinity);
  EXPECT_TRUE(std::isnan(log1p(-1.5)));
  EXPECT_SAME(cbrt(-kInfinity), -kInfinity);
  EXPECT_SAME(atan(kInfinity), kPi / 2);
  EXPECT_SAME(asin(1.0), kPi / 2);
  EXPECT_SAME(asin(-1.0), -kPi / 2);
  EXPECT_SAME(acos(1.0), 0.0);
  EXPECT_SAME(acos(-1.0), kPi);
  EXPECT_TRUE(std::isnan(asin(1.0000000000000002)));
  EXPECT_TRUE(std::isnan(acos(-1.0000000000000002)));
}

TEST(Elementary, SpecialValuesOfAtan2FollowIec60559) {
  EXPECT_SAME(atan2(0.0, 1.0), 0.0);
  EXPECT_SAME(atan2(-0.0, 1.0), -0.0);
  EXPECT_SAME(atan2(0.0, 0.0), 0.0);
  EXPECT_SAME(atan2(-0.0, 0.0), -0.0);
  EXPECT_SAME(atan2(0.0, -0.0), kPi);
  EXPECT_SAME(atan2(-0.0, -0.0), -kPi);
  EXPECT_SAME(atan2(-0.0, -2.0), -kPi);
  EXPECT_SAME(atan2(3.0, 0.0), kPi / 2);
  EXPECT_SAME(atan2(-3.0, -0.0), -kPi / 2);
  EXPECT_SAME(atan2(kInfinity, kInfinity), kPi / 4);
  EXPECT_SAME(atan2(-kInfinity, -kInfinity), -3 * kPi / 4);
  EXPECT_SAME(atan2(kInfinity, -5.0), kPi / 2);
  EXPECT_SAME(atan2(1.0, kInfinity), 0.0);
  EXPECT_SAME(atan2(-1.0, -kInfinity), -kPi);
  EXPECT_TRUE(std::isnan(atan2(kNaN, 1.0)));
  EXPECT_TRUE(std::isnan(atan2(1.0, kNaN)));
  EXPECT_SAME(atan2(0x1p-1074, 0x1p1000), 0.0);
  EXPECT_SAME(atan2(0x1p-1074, 0x1p-1074), kPi / 4);
}

}  // namespace
}  // namespace visviva
