// Two solvers that share nothing, Boost.odeint's Dormand–Prince on (31) and long double series, say
// what solve() says.
#include <gtest/gtest.h>

#include "bench/impact/odeint_solver.hpp"
#include "bench/impact/random_problem.hpp"
#include "bench/impact/reference_long_double.hpp"
#include "impact_cases.hpp"
#include "visviva/impact/solve.hpp"

namespace visviva::impact {
namespace {

bench::OdeintSettings tight(Law law = Law::Stronge) {
  bench::OdeintSettings settings;
  settings.law = law;
  settings.absolute = 1e-12;
  settings.relative = 1e-12;
  return settings;
}

// A few hundred steps of error 1e-12 each, in a problem whose condition adds a digit.
constexpr Real kOdeintError = 1e-9;

TEST(Odeint, AgreesOnTheReferenceCases) {
  for (const ReferenceCase& c : read_reference_cases()) {
    const ImpactResult ours = solve(c.problem, {.law = c.law});
    const bench::OdeintResult theirs = bench::solve_odeint(c.problem, tight(c.law));
    ASSERT_TRUE(theirs.solved) << c.name;
    EXPECT_LE((ours.impulse - theirs.impulse).norm(), kOdeintError * ours.impulse.norm()) << c.name;
    const Real energy = -ours.work_compression - ours.work_friction;
    EXPECT_NEAR(ours.work_compression, theirs.work_compression, kOdeintError * energy) << c.name;
    EXPECT_NEAR(ours.work_restitution, theirs.work_restitution, kOdeintError * energy) << c.name;
  }
}

TEST(Odeint, AgreesOnRandomBodies) {
  bench::Generator random(31);
  for (int i = 0; i < 1000; ++i) {
    const ImpactProblem problem = bench::random_problem(random);
    const Law law = static_cast<Law>(i % 3);
    const ImpactResult ours = solve(problem, {.law = law});
    const bench::OdeintResult theirs = bench::solve_odeint(problem, tight(law));
    ASSERT_TRUE(theirs.solved) << "sample " << i;
    EXPECT_LE((ours.impulse - theirs.impulse).norm(), kOdeintError * ours.impulse.norm()) << "sample " << i;
  }
}

TEST(LongDouble, AgreesWithTheReferenceCases) {
  // The file has 17 digits and the cases are well conditioned but for the start next to a ray.
  constexpr Real kPrinted = 4e-16;
  for (const ReferenceCase& c : read_reference_cases()) {
    const bench::ReferenceResult r = bench::solve_long_double(c.problem, c.law);
    ASSERT_TRUE(r.solved) << c.name;
    EXPECT_LE(bench::relative_error(to_vec3(c.data.at("impulse")), r), kPrinted) << c.name;
    const Real Ec = c.data.at("Ec").get<Real>();
    const Real friction = c.data.at("friction_work").get<Real>();
    EXPECT_NEAR(static_cast<Real>(r.work_compression), -Ec, kPrinted * (Ec - friction)) << c.name;
    EXPECT_NEAR(static_cast<Real>(r.work_friction), friction, kPrinted * (Ec - friction)) << c.name;
  }
}

}  // namespace
}  // namespace visviva::impact
