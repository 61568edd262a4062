#include "visviva/math/quadrature.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "visviva/core/error.hpp"
#include "visviva/math/elementary.hpp"

namespace visviva {
namespace {

using Fine = boost::multiprecision::cpp_bin_float_100;
constexpr Real kUlp = 0x1p-52;
constexpr Real kPi = 3.14159265358979323846;

struct Legendre {
  Fine p, slope;
};

Legendre legendre(int n, const Fine& x) {
  Fine p = x, previous = 1;
  for (int k = 1; k < n; ++k) {
    const Fine next = ((2 * k + 1) * x * p - k * previous) / (k + 1);
    previous = p;
    p = next;
  }
  return {p, Fine(n * (previous - x * p) / (1 - x * x))};
}

TEST(GaussLegendre, NodesAndWeightsAreRoundedFromMultiprecision) {
  for (int n = 1; n <= kMaxGaussPoints; ++n) {
    const GaussLegendre& rule = gauss_legendre(n);
    ASSERT_EQ(rule.count, n);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      // Newton from our node stays with it, because the nodes are simple and our error is 1e-16.
      Fine x = rule.node[i];
      for (int iteration = 0; iteration < 4; ++iteration) x -= legendre(n, x).p / legendre(n, x).slope;
      const Fine slope = legendre(n, x).slope;
      const Fine weight = 2 / ((1 - x * x) * slope * slope);
      ASSERT_LE(abs(x - rule.node[i]), 0.51 * std::ldexp(1.0, std::ilogb(rule.node[i] + 1e-300) - 52)) << n << ' ' << i;
      ASSERT_LE(abs(weight - rule.weight[i]), 0.51 * std::ldexp(1.0, std::ilogb(rule.weight[i]) - 52)) << n << ' ' << i;
      if (i > 0) {
        ASSERT_LT(rule.node[i - 1], rule.node[i]);
      }
      ASSERT_EQ(rule.node[i], -rule.node[static_cast<std::size_t>(n) - 1 - i]);
    }
  }
}

// Hand-computed: 1/sqrt 3; 0, sqrt(3/5) with 8/9, 5/9.
TEST(GaussLegendre, SmallRulesAreTheKnownOnes) {
  EXPECT_EQ(gauss_legendre(1).node[0], 0);
  EXPECT_EQ(gauss_legendre(1).weight[0], 2);
  EXPECT_NEAR(gauss_legendre(2).node[1], 1 / std::sqrt(3.0), kUlp);
  EXPECT_NEAR(gauss_legendre(2).weight[1], 1, kUlp);
  EXPECT_NEAR(gauss_legendre(3).node[2], std::sqrt(0.6), kUlp);
  EXPECT_NEAR(gauss_legendre(3).weight[1], 8.0 / 9, kUlp);
  EXPECT_NEAR(gauss_legendre(3).weight[0], 5.0 / 9, kUlp);
}

TEST(GaussLegendre, NumberOfPointsOutsideItsRangeIsRefused) {
  EXPECT_THROW((void)gauss_legendre(0), InvalidArgument);
  EXPECT_THROW((void)gauss_legendre(65), InvalidArgument);
}

TEST(GaussLegendre, ThreadsShareOneRule) {
  std::vector<const GaussLegendre*> rules(8);
  std::vector<std::thread> threads;
  for (auto& rule : rules) threads.emplace_back([&rule] { rule = &gauss_legendre(33); });
  for (std::thread& thread : threads) thread.join();
  for (const GaussLegendre* rule : rules) EXPECT_EQ(rule, rules[0]);
  EXPECT_EQ(rules[0]->count, 33);
}

// n points are exact for x^k with k < 2n, and miss x^(2n) by 2^(2n+1) n!⁴ / ((2n+1) (2n)!²).
TEST(Integrate, IsExactUpToDegreeTwoNMinusOne) {
  for (int n = 1; n <= 20; ++n) {
    for (int k = 0; k < 2 * n; ++k) {
      const Real exact = 1.0 / (k + 1);
      EXPECT_NEAR(integrate([k](Real x) { return std::pow(x, k); }, 0, 1, n), exact, 4 * kUlp) << n << ' ' << k;
    }
  }
  for (int n = 1; n <= 6; ++n) {
    Real miss = 2.0 / (2 * n + 1);
    for (int i = 1; i <= n; ++i) miss *= 4.0 * i * i / ((n + i) * (n + i));
    const Real exact = 2.0 / (2 * n + 1);
    EXPECT_NEAR(exact - integrate([n](Real x) { return std::pow(x, 2 * n); }, -1, 1, n), miss, 4 * kUlp) << n;
  }
}

TEST(Integrate, SwappedLimitsChangeTheSign) {
  const auto f = [](Real x) { return exp(x); };
  EXPECT_EQ(integrate(f, 0, 1, 12), -integrate(f, 1, 0, 12));
  EXPECT_EQ(integrate(f, 2, 2, 12), 0);
}

struct Known {
  const char* name;
  Real (*f)(Real);
  Real a, b, exact;
};

const Known kKnown[] = {
    {"exp", [](Real x) { return exp(x); }, 0, 1, 1.71828182845904523536},
    {"1/(1+x²)", [](Real x) { return 1 / (1 + x * x); }, -5, 5, 2 * 1.37340076694501586086},
    {"sharp peak", [](Real x) { return 1e-3 / (x * x + 1e-6); }, -1, 2,
     1.56979632712822975250 + 1.57029632683656327965},
    {"sqrt", [](Real x) { return std::sqrt(x); }, 0, 1, 2.0 / 3},
    {"|x - 1/3|", [](Real x) { return std::abs(x - 1.0 / 3); }, 0, 1, 5.0 / 18},
    {"cos 100x", [](Real x) { return cos(100 * x); }, 0, 1, -0.00506365641109758793},
    {"log", [](Real x) { return log(x); }, 0, 1, -1},
};

TEST(IntegrateAdaptive, ReachesTheToleranceAndBoundsTheError) {
  for (const auto& [name, f, a, b, exact] : kKnown) {
    const IntegralResult r = integrate_adaptive(f, a, b, {.relative_tolerance = 1e-10});
    EXPECT_TRUE(r.converged) << name;
    EXPECT_LE(r.error, 1e-10 * std::abs(exact) * (1 + 1e-9)) << name;
    EXPECT_LE(std::abs(r.value - exact), r.error + 8 * kUlp * std::max(1.0, std::abs(exact))) << name;
    EXPECT_LE(r.evaluations, 3000) << name;
  }
}

TEST(IntegrateAdaptive, SmoothFunctionsReachRounding) {
  const IntegralResult r = integrate_adaptive([](Real x) { return sin(x); }, 0, kPi, {.relative_tolerance = 0});
  EXPECT_TRUE(r.converged);
  EXPECT_NEAR(r.value, 2, 4 * kUlp);
  EXPECT_LE(r.evaluations, 200);
  // An integral of zero has no relative accuracy; rounding of Σ|w f| ends it.
  const IntegralResult zero = integrate_adaptive([](Real x) { return x * x * x; }, -1, 1);
  EXPECT_TRUE(zero.converged);
  EXPECT_NEAR(zero.value, 0, kUlp);
}

TEST(IntegrateAdaptive, EvaluationsAreBoundedAndCounted) {
  int calls = 0;
  const auto wild = [&calls](Real x) {
    ++calls;
    return sin(1 / (x * x));
  };
  const IntegralResult r = integrate_adaptive(wild, 1e-3, 1, {.max_evaluations = 1000});
  EXPECT_FALSE(r.converged);
  EXPECT_LE(r.evaluations, 1000);
  EXPECT_EQ(r.evaluations, calls);
  EXPECT_GT(r.error, 0);
}

TEST(IntegrateAdaptive, NonFiniteValuesEndItUnconverged) {
  const auto bad = [](Real x) { return x > 0.9 ? std::numeric_limits<Real>::quiet_NaN() : x; };
  const IntegralResult r = integrate_adaptive(bad, 0, 1);
  EXPECT_FALSE(r.converged);
  EXPECT_EQ(r.evaluations, 30);
  EXPECT_THROW((void)integrate_adaptive(bad, 0, std::numeric_limits<Real>::infinity()), InvalidArgument);
}

}  // namespace
}  // namespace visviva
