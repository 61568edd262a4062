// solve() works on the stack alone.
#include <gtest/gtest.h>

#include <new>
#include <vector>

#include "bench/impact/random_problem.hpp"
#include "tests/properties/count_allocations.hpp"
#include "visviva/impact/solve.hpp"

namespace visviva::impact {
namespace {

TEST(Solve, AllocatesNothing) {
  bench::Generator random(1);
  std::vector<ImpactProblem> problems;
  for (const bench::Family family : bench::kFamilies)
    for (int i = 0; i < 200; ++i) problems.push_back(bench::random_problem(family, random));
  const long before = allocation_count();
  Real sum = 0;
  for (const Law law : {Law::Stronge, Law::Poisson, Law::Newton})
    for (const ImpactProblem& problem : problems) sum += solve(problem, {.law = law}).impulse.z();
  EXPECT_EQ(allocation_count(), before);
  EXPECT_GT(sum, 0);
}

TEST(Allocations, AreCounted) {
  const long before = allocation_count();
  ::operator delete(::operator new(100));  // the compiler may leave out new-expressions, but not these
  EXPECT_GT(allocation_count(), before);
}

}  // namespace
}  // namespace visviva::impact
