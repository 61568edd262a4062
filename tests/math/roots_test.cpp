#include "visviva/math/roots.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "visviva/math/elementary.hpp"

namespace visviva {
namespace {

// 500 bits hold p(x) without a rounding error that could matter, for the ranges used here.
namespace mp = boost::multiprecision;
using Fine = mp::number<mp::cpp_bin_float<500, mp::digit_base_2>, mp::et_off>;
using Coefficients = std::vector<Real>;  // leading first

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();
constexpr Real kUlp = 0x1p-52;

RealRoots<4> solve(const Coefficients& c, Real tolerance = kCoefficientRounding) {
  RealRoots<4> result;
  const auto copy = [&result](const auto& roots) {
    result.status = roots.status;
    for (const Root& root : roots) result.root[static_cast<std::size_t>(result.count++)] = root;
  };
  if (c.size() == 3) copy(solve_quadratic(c[0], c[1], c[2], tolerance));
  if (c.size() == 4) copy(solve_cubic(c[0], c[1], c[2], c[3], tolerance));
  if (c.size() == 5) copy(solve_quartic(c[0], c[1], c[2], c[3], c[4], tolerance));
  return result;
}

Fine value(const Coefficients& c, Real x) {
  Fine p = 0;
  for (const Real a : c) p = p * x + a;
  return p;
}

/// The coefficients of lead (x - r0)(x - r1)..., rounded once at the end.
Coefficients from_roots(const std::vector<Real>& roots, Real lead = 1) {
  std::vector<Fine> p = {Fine(lead)};
  for (const Real r : roots) {
    p.push_back(0);
    for (std::size_t i = p.size() - 1; i > 0; --i) p[i] -= p[i - 1] * r;
  }
  Coefficients c;
  for (const Fine& a : p) c.push_back(static_cast<Real>(a));
  return c;
}

/// The exact polynomial changes its sign between the neighbours of x.
bool is_root_to_one_ulp(const Coefficients& c, Real x) {
  return value(c, std::nextafter(x, -kInfinity)).sign() * value(c, std::nextafter(x, kInfinity)).sign() <= 0;
}

/// A relative change of the coefficients by `tolerance` can make x a root.
bool is_root_within(Real tolerance, const Coefficients& c, Real x) {
  Fine magnitude = 0;
  for (const Real a : c) magnitude = magnitude * std::abs(x) + std::abs(a);
  return abs(value(c, x)) <= tolerance * magnitude;
}

/// Number of distinct real roots by Sturm's theorem, in 500 bits.
int sturm_count(const Coefficients& c) {
  std::vector<Fine> p(c.begin(), c.end());
  while (!p.empty() && p.front() == 0) p.erase(p.begin());
  std::vector<Fine> q;
  for (std::size_t i = 0; i + 1 < p.size(); ++i) q.push_back(p[i] * static_cast<Real>(p.size() - 1 - i));
  int changes_left = 0, changes_right = 0;
  const auto sign_left = [](const std::vector<Fine>& f) { return f.front().sign() * (f.size() % 2 == 0 ? -1 : 1); };
  while (!q.empty()) {
    changes_left += sign_left(p) * sign_left(q) < 0 ? 1 : 0;
    changes_right += p.front().sign() * q.front().sign() < 0 ? 1 : 0;
    std::vector<Fine> rest = p;
    Fine size = 0;
    for (const Fine& a : p) size = std::max(size, Fine(abs(a)));
    while (rest.size() >= q.size()) {
      const Fine factor = rest.front() / q.front();
      for (std::size_t i = 0; i < q.size(); ++i) rest[i] -= factor * q[i];
      rest.erase(rest.begin());
    }
    // A remainder of rounding errors is zero: the division was exact.
    while (!rest.empty() && abs(rest.front()) <= ldexp(size, -400)) rest.erase(rest.begin());
    for (Fine& a : rest) a = -a;
    p = q;
    q = rest;
  }
  return changes_left - changes_right;
}

int total_multiplicity(const RealRoots<4>& roots) {
  int sum = 0;
  for (const Root& root : roots) sum += root.multiplicity;
  return sum;
}

TEST(PolynomialRoots, IntegerRootsAreExact) {
  EXPECT_EQ(solve({1, -3, 2}).root[0].x, 1);
  EXPECT_EQ(solve({1, -3, 2}).root[1].x, 2);
  const RealRoots<4> cubic = solve({2, -12, 22, -12});  // 2 (x-1)(x-2)(x-3)
  ASSERT_EQ(cubic.count, 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(cubic[i].x, i + 1);
  const RealRoots<4> quartic = solve({1, 0, -5, 0, 4});  // (x²-1)(x²-4)
  ASSERT_EQ(quartic.count, 4);
  EXPECT_EQ(quartic[0].x, -2);
  EXPECT_EQ(quartic[1].x, -1);
  EXPECT_EQ(quartic[2].x, 1);
  EXPECT_EQ(quartic[3].x, 2);
}

TEST(PolynomialRoots, PolynomialsWithoutRealRootsHaveNone) {
  EXPECT_EQ(solve({1, 0, 1}).count, 0);
  EXPECT_EQ(solve({1, 0, 0, 0, 1}).count, 0);
  EXPECT_EQ(solve({1, -4, 7, -6, 2.5}).count, 0);  // (x² - 2x + 1.5)² + 0.25
  EXPECT_EQ(solve({1, 0, 0, 1}).count, 1);
}

TEST(PolynomialRoots, LeadingZerosLowerTheDegree) {
  const RealRoots<4> linear = solve({0, 0, 0, 2, 3});
  ASSERT_EQ(linear.count, 1);
  EXPECT_EQ(linear[0].x, -1.5);
  const RealRoots<4> quadratic = solve({0, 0, 1, -5, 6});
  ASSERT_EQ(quadratic.count, 2);
  EXPECT_EQ(quadratic[0].x, 2);
  EXPECT_EQ(quadratic[1].x, 3);
  EXPECT_EQ(solve({0, 0, 0, 0, 3}).count, 0);
  EXPECT_EQ(solve({0, 0, 0, 0, 3}).status, RootsStatus::Ok);
}

TEST(PolynomialRoots, ZeroPolynomialAndNonFiniteCoefficientsAreTold) {
  EXPECT_EQ(solve({0, 0, 0}).status, RootsStatus::Everywhere);
  EXPECT_EQ(solve({0, 0, 0, 0, 0}).status, RootsStatus::Everywhere);
  EXPECT_EQ(solve({1, kNaN, 0}).status, RootsStatus::NotFinite);
  EXPECT_EQ(solve({1, 2, kInfinity, 0, 0}).status, RootsStatus::NotFinite);
}

TEST(PolynomialRoots, RootsAtZeroKeepTheirMultiplicityAndOrder) {
  const RealRoots<4> roots = solve({1, 0, -1, 0, 0});  // x² (x² - 1)
  ASSERT_EQ(roots.count, 3);
  EXPECT_EQ(roots[0].x, -1);
  EXPECT_EQ(roots[1].x, 0);
  EXPECT_EQ(roots[1].multiplicity, 2);
  EXPECT_EQ(roots[2].x, 1);
  EXPECT_EQ(solve({3, 0, 0, 0, 0}).root[0].multiplicity, 4);
}

// Roots that are multiples of 1/8 have exact coefficients: the answer must be exact, in every pattern.
TEST(PolynomialRoots, MultipleRootsWithExactCoefficientsAreExact) {
  std::mt19937_64 random(20240601);
  std::uniform_int_distribution<int> eighth(-80, 80);
  const std::vector<std::vector<int>> patterns = {{2},    {1, 1}, {3},       {2, 1},    {1, 1, 1},   {4},
                                                  {3, 1}, {2, 2}, {2, 1, 1}, {1, 2, 1}, {1, 1, 1, 1}};
  for (int trial = 0; trial < 20'000; ++trial) {
    const std::vector<int>& pattern = patterns[static_cast<std::size_t>(trial) % patterns.size()];
    std::vector<Real> distinct, all;
    while (distinct.size() < pattern.size()) {
      const Real r = eighth(random) / 8.0;
      if (std::find(distinct.begin(), distinct.end(), r) == distinct.end()) distinct.push_back(r);
    }
    std::sort(distinct.begin(), distinct.end());
    for (std::size_t i = 0; i < pattern.size(); ++i)
      all.insert(all.end(), static_cast<std::size_t>(pattern[i]), distinct[i]);
    const RealRoots<4> roots = solve(from_roots(all, trial % 3 == 0 ? -3 : 1));
    ASSERT_EQ(roots.count, static_cast<int>(pattern.size())) << "trial " << trial;
    for (int i = 0; i < roots.count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      ASSERT_EQ(roots[i].multiplicity, pattern[k]) << "trial " << trial;
      ASSERT_NEAR(roots[i].x, distinct[k], kUlp * std::abs(distinct[k])) << "trial " << trial;
    }
  }
}

// With coefficients rounded to double the multiple root is gone, strictly; it must be reported still,
// within what the rounding does to the zero of p^(m-1), which is simple.
TEST(PolynomialRoots, MultipleRootsAreRecognisedFromRoundedCoefficients) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<Real> anywhere(0.1, 2);
  for (int trial = 0; trial < 20'000; ++trial) {
    const Real r = anywhere(random), other = -anywhere(random), third = -3 - anywhere(random);
    const std::vector<std::vector<Real>> cases = {
        {r, r}, {r, r, r}, {r, r, other}, {r, r, r, r}, {r, r, r, other}, {r, r, other, third}, {r, r, other, other}};
    const std::vector<Real>& all = cases[static_cast<std::size_t>(trial) % cases.size()];
    const RealRoots<4> roots = solve(from_roots(all, anywhere(random)));
    const auto multiplicity = static_cast<int>(std::count(all.begin(), all.end(), r));
    ASSERT_EQ(total_multiplicity(roots), static_cast<int>(all.size())) << "trial " << trial;
    ASSERT_EQ(roots[roots.count - 1].multiplicity, multiplicity) << "trial " << trial;
    // Σ|c_i r^i| / |r^m p^(m)/m!| <= (2r)^m (r + |s|)... / r^m (r - s)... <= 2^4, one rounding each side.
    ASSERT_NEAR(roots[roots.count - 1].x, r, 16 * kUlp * r) << "trial " << trial;
  }
}

// x² - (2 + d) x + (1 + d), all exact for d = 2^-k: roots 1 and 1 + d. Default tolerance 2^-52 joins
// them where D = d² is below 2^-52 (3 b² + 4 a c) = 2^-48, that is below d = 2^-24.
TEST(PolynomialRoots, ClosePairsAreOneRootExactlyWhenTheCoefficientsCannotTell) {
  for (int k = 3; k <= 40; ++k) {
    const Real d = std::ldexp(1.0, -k);
    const Coefficients c = {1, -(2 + d), 1 + d};
    const RealRoots<4> by_default = solve(c);
    EXPECT_EQ(by_default.count, k < 24 ? 2 : 1) << k;
    EXPECT_EQ(total_multiplicity(by_default), 2);
    const RealRoots<4> exact = solve(c, 0);
    ASSERT_EQ(exact.count, 2) << k;
    EXPECT_EQ(exact[0].x, 1) << k;
    EXPECT_EQ(exact[1].x, 1 + d) << k;
  }
}

// Cluster width from 1e-3 to 1e-9 in cubics and quartics with rounded coefficients. What the solver
// calls simple must be there to one unit in the last place; what it joins must be a root under the
// tolerance (twice that at the mean of a cluster), and close.
TEST(PolynomialRoots, ClustersAreResolvedOrJoinedAsDocumented) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<Real> unit(0.5, 2);
  for (int trial = 0; trial < 20'000; ++trial) {
    const Real width = std::pow(10.0, -3 - trial % 7), r = unit(random);
    std::vector<Real> all = {r, r * (1 + width * unit(random))};
    if (trial % 2 == 0) all.push_back(r * (1 - width * unit(random)));
    all.push_back(-unit(random));
    const Coefficients c = from_roots(all);
    const RealRoots<4> roots = solve(c);
    // A near pair may be complex after rounding; then it is gone only if it was not joined.
    ASSERT_EQ((static_cast<int>(all.size()) - total_multiplicity(roots)) % 2, 0) << "trial " << trial;
    for (const Root& root : roots) {
      if (root.multiplicity == 1) {
        ASSERT_TRUE(is_root_to_one_ulp(c, root.x)) << "trial " << trial;
      } else {
        ASSERT_TRUE(is_root_within(2 * kCoefficientRounding, c, root.x)) << "trial " << trial;
        ASSERT_LE(width, all.size() == 3 ? 1e-7 : 1e-4) << "trial " << trial;
      }
    }
  }
}

// p = (x+1)³ - 3 w² (x+1) + s with s = 1.625 w²: at the zeros -1 ± w of p', p is s (1 ∓ 1.23 w) and
// Σ|c_i x^i| is 8 (1 ∓ 1.5 w). A tolerance between the two ratios must not split the cluster: that
// would leave a cubic with two roots.
TEST(PolynomialRoots, ClusterAtTheEdgeOfTheToleranceIsNotSplit) {
  const Real w = 0x1p-23, s = 1.625 * w * w;
  const Coefficients c = {1, 3, 3 - 3 * w * w, 1 - 3 * w * w + s};
  int triples = 0;
  for (int k = -100; k <= 100; ++k) {
    const RealRoots<4> roots = solve(c, s / 8 * (1 + k * 1e-9));
    ASSERT_EQ(roots.count, 1) << k;
    ASSERT_TRUE(roots[0].multiplicity == 1 || roots[0].multiplicity == 3) << k;
    if (roots[0].multiplicity == 3) {
      ++triples;
      ASSERT_NEAR(roots[0].x, -1, 4 * kUlp);  // the mean, a zero of p''
    }
  }
  EXPECT_GT(triples, 50);
  EXPECT_LT(triples, 150);
}

// Simple roots of exact coefficients, whatever their size; the count is Sturm's.
TEST(PolynomialRoots, RandomPolynomialsOfAnyScaleHaveSturmsNumberOfRootsToOneUlp) {
  std::mt19937_64 random(20240601);
  std::uniform_real_distribution<Real> unit(-1, 1);
  for (int trial = 0; trial < 100'000; ++trial) {
    const int spread = trial % 4 == 0 ? 0 : trial % 4 == 1 ? 3 : trial % 4 == 2 ? 30 : 60;
    Coefficients c;
    for (int i = 0; i < 3 + trial % 3; ++i)
      c.push_back(std::ldexp(unit(random), static_cast<int>(spread * unit(random))));
    const RealRoots<4> roots = solve(c, 0);
    for (int i = 0; i < roots.count; ++i) {
      ASSERT_EQ(roots[i].multiplicity, 1) << "trial " << trial;
      ASSERT_TRUE(is_root_to_one_ulp(c, roots[i].x)) << "trial " << trial << " root " << roots[i].x;
      if (i > 0) {
        ASSERT_LT(roots[i - 1].x, roots[i].x);
      }
    }
    if (trial % 10 == 0) {
      ASSERT_EQ(roots.count, sturm_count(c)) << "trial " << trial;
    }
  }
}

TEST(PolynomialRoots, PowersOfTwoScaleTheRootsBitForBit) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<Real> unit(-1, 1);
  for (int trial = 0; trial < 10'000; ++trial) {
    const int n = 2 + trial % 3;
    Coefficients c, scaled;
    const int height = trial % 2 == 0 ? 600 : -600, width = trial % 4 < 2 ? 90 : -90;
    for (int i = 0; i <= n; ++i) {
      c.push_back(unit(random));
      scaled.push_back(std::ldexp(c.back(), height - width * (n - i)));  // x -> 2^width x
    }
    const RealRoots<4> roots = solve(c), large = solve(scaled);
    ASSERT_EQ(roots.count, large.count);
    for (int i = 0; i < roots.count; ++i) ASSERT_EQ(std::ldexp(roots[i].x, width), large[i].x) << "trial " << trial;
  }
}

TEST(PolynomialRoots, ExtremeCoefficientsNeitherOverflowNorUnderflow) {
  // Roots -1 and -1e300 + 1.
  const RealRoots<4> far = solve({1e-300, 1, 1});
  ASSERT_EQ(far.count, 2);
  EXPECT_NEAR(far[0].x, -1e300, 2 * kUlp * 1e300);
  EXPECT_EQ(far[1].x, -1);
  // x² + x - 1 with everything near the largest double: the golden ratio.
  const RealRoots<4> golden = solve({1e308, 1e308, -1e308});
  ASSERT_EQ(golden.count, 2);
  EXPECT_NEAR(golden[1].x, (std::sqrt(5.0) - 1) / 2, kUlp);
  // x⁴ = 1e600.
  const RealRoots<4> fourth = solve({1e-300, 0, 0, 0, -1e300});
  ASSERT_EQ(fourth.count, 2);
  EXPECT_NEAR(fourth[1].x, 1e150, kUlp * 1e150);
  EXPECT_EQ(fourth[0].x, -fourth[1].x);
  // Roots beyond the range of double.
  EXPECT_EQ(solve({0, 0, 0, 1e-300, 1e300}).root[0].x, -kInfinity);
  EXPECT_EQ(solve({1e-300, 1e300, 0, 1e-300}).root[0].x, -kInfinity);
  EXPECT_EQ(std::abs(solve({0, 1e300, 1e-300}).root[0].x), 0);
  // Subnormal coefficients.
  const RealRoots<4> small = solve({3 * 0x1p-1074, 0, -12 * 0x1p-1074});
  ASSERT_EQ(small.count, 2);
  EXPECT_EQ(small[1].x, 2);
}

// b² and 4ac agree in their first 16 digits, so the naive discriminant has no correct digit
// [Kahan2004].
TEST(PolynomialRoots, DiscriminantSurvivesCancellation) {
  const Coefficients c = {94906265.625, -2 * 94906267.000, 94906268.375};  // roots 1 and 1.000000028975958
  const RealRoots<4> roots = solve(c, 0);
  ASSERT_EQ(roots.count, 2);
  EXPECT_EQ(roots[0].x, 1);
  EXPECT_NEAR(roots[1].x, 1.000000028975958, kUlp);
  EXPECT_TRUE(is_root_to_one_ulp(c, roots[1].x));
  // The small root of x² - 2^60 x + 1 is 2^-60 + 2^-180.
  EXPECT_EQ(solve({1, -0x1p60, 1}).root[0].x, 0x1p-60);
}

struct Counted {
  Real (*f)(Real);
  Real a, b;
};

const Counted kSmooth[] = {
    {[](Real x) { return cos(x) - x; }, 0, 1},
    {[](Real x) { return x * x * x - 2; }, 0, 2},
    {[](Real x) { return exp(x) - 10; }, -5, 5},
    {[](Real x) { return log(x) - 0.5; }, 0.01, 100},
    {[](Real x) { return x / (1 + x * x) - 0.25; }, 0, 1},
    {[](Real x) { return sin(x); }, 2, 5},
};

TEST(FindRoot, SmoothFunctionsTakeAHandfulOfEvaluations) {
  for (const auto& [f, a, b] : kSmooth) {
    const auto inside = [f = f, a = a, b = b](Real x) {
      EXPECT_TRUE(a <= x && x <= b);
      return f(x);
    };
    const RootFindResult r = find_root(inside, a, b);
    EXPECT_TRUE(r.converged);
    EXPECT_LE(r.evaluations, 14);  // bisection takes 53 and more
    EXPECT_EQ(r.f, f(r.x));
    // f changes its sign within the granted unit in the last place and the rounding of f.
    const Real h = 4 * kUlp * std::abs(r.x);
    EXPECT_LE(f(r.x - h) * f(r.x + h), 0);
    const RootFindResult swapped = find_root(inside, b, a);
    EXPECT_NEAR(swapped.x, r.x, h);
  }
}

TEST(FindRoot, FlatSteepAndDiscontinuousFunctionsConvergeToo) {
  const RootFindResult flat = find_root([](Real x) { return std::pow(x - 0.3, 19); }, 0.0, 1.0);
  EXPECT_TRUE(flat.converged);
  EXPECT_LE(flat.evaluations, 100);
  EXPECT_NEAR(flat.x, 0.3, 1e-15);
  const RootFindResult step = find_root([](Real x) { return x < 1.0 / 3 ? -1.0 : 1e-3; }, 0.0, 1.0);
  EXPECT_TRUE(step.converged);
  EXPECT_NEAR(step.x, 1.0 / 3, 2 * kUlp);
  const RootFindResult pole = find_root([](Real x) { return 1 / (x - 0.7); }, 0.0, 1.0);
  EXPECT_TRUE(pole.converged);
  EXPECT_NEAR(pole.x, 0.7, 2 * kUlp);
  const RootFindResult wide = find_root([](Real x) { return x - 1; }, -1e308, 1.7e308);
  EXPECT_TRUE(wide.converged);
  EXPECT_NEAR(wide.x, 1, 2 * kUlp);
}

TEST(FindRoot, TolerancesEndTheSearchEarly) {
  const auto f = [](Real x) { return cos(x) - x; };
  const RootFindResult exact = find_root(f, 0.0, 1.0);
  const RootFindResult in_x = find_root(f, 0.0, 1.0, {.x_tolerance = 1e-3});
  EXPECT_LT(in_x.evaluations, exact.evaluations);
  EXPECT_NEAR(in_x.x, exact.x, 2e-3);
  const RootFindResult in_f = find_root(f, 0.0, 1.0, {.f_tolerance = 1e-2});
  EXPECT_LT(in_f.evaluations, exact.evaluations);
  EXPECT_LE(std::abs(in_f.f), 1e-2);
}

TEST(FindRoot, FailuresAreTold) {
  EXPECT_EQ(find_root([](Real x) { return x * x + 1; }, -1.0, 2.0).status, RootStatus::NotBracketed);
  const RootFindResult nan = find_root([](Real x) { return x > 0.4 && x < 0.6 ? kNaN : x - 0.5; }, 0.0, 1.0);
  EXPECT_EQ(nan.status, RootStatus::NotANumber);
  EXPECT_FALSE(nan.converged);
  EXPECT_TRUE(std::isnan(nan.f));
  EXPECT_EQ(find_root([](Real) { return kNaN; }, 0.0, 1.0).status, RootStatus::NotANumber);
  const RootFindResult cut = find_root([](Real x) { return cos(x) - x; }, 0.0, 1.0, {.max_evaluations = 3});
  EXPECT_EQ(cut.status, RootStatus::OutOfEvaluations);
  EXPECT_EQ(cut.evaluations, 5);
  EXPECT_NEAR(cut.x, 0.739, 0.1);
}

TEST(FindRoot, EndsThatAreRootsAreReturned) {
  EXPECT_EQ(find_root([](Real x) { return x; }, 0.0, 1.0).x, 0);
  EXPECT_EQ(find_root([](Real x) { return x - 1; }, 0.0, 1.0).x, 1);
  EXPECT_EQ(find_root([](Real x) { return x - 1; }, Bracket{0, -1, 1, 0}).evaluations, 0);
}

TEST(FindRootNewton, ConvergesQuadraticallyAndStaysInside) {
  const auto f = [](Real x) {
    EXPECT_TRUE(0 <= x && x <= 2);
    return std::pair{x * x * x - 2, 3 * x * x};
  };
  const RootFindResult r = find_root_newton(f, 0.0, 2.0, 1.5);
  EXPECT_TRUE(r.converged);
  EXPECT_LE(r.evaluations, 8);
  EXPECT_NEAR(r.x, cbrt(2.0), 2 * kUlp);
}

TEST(FindRootNewton, FallsBackToBisectionWhereNewtonFails) {
  // Newton diverges from |x| > 1.392 for atan, and cycles or leaves the bracket for the others.
  const auto arctangent = [](Real x) { return std::pair{atan(x), 1 / (1 + x * x)}; };
  EXPECT_NEAR(find_root_newton(arctangent, -50.0, 80.0, 20.0).x, 0, 1e-15);
  const auto cube_root = [](Real x) { return std::pair{cbrt(x - 0.1), 1 / (3 * cbrt(x - 0.1) * cbrt(x - 0.1))}; };
  const RootFindResult vertical = find_root_newton(cube_root, -1.0, 2.0, 2.0);
  EXPECT_TRUE(vertical.converged);
  EXPECT_NEAR(vertical.x, 0.1, 4 * kUlp);
  const auto no_slope = [](Real x) { return std::pair{x - 0.3, 0.0}; };
  const RootFindResult blind = find_root_newton(no_slope, 0.0, 1.0, 0.9);
  EXPECT_TRUE(blind.converged);
  EXPECT_NEAR(blind.x, 0.3, 2 * kUlp);
  const auto infinite_slope = [](Real x) { return std::pair{x - 0.3, kInfinity}; };
  EXPECT_NEAR(find_root_newton(infinite_slope, 0.0, 1.0, 0.9).x, 0.3, 2 * kUlp);
}

TEST(FindRootNewton, FailuresAreTold) {
  EXPECT_EQ(find_root_newton(
                [](Real x) {
                  return std::pair{x * x + 1, 2 * x};
                },
                -1.0, 2.0, 0.0)
                .status,
            RootStatus::NotBracketed);
  EXPECT_EQ(find_root_newton(
                [](Real x) {
                  return std::pair{x == 0.5 ? kNaN : x - 0.2, 1.0};
                },
                0.0, 1.0, 0.5)
                .status,
            RootStatus::NotANumber);
}

}  // namespace
}  // namespace visviva
