// The impact as a curve.
#include "visviva/impact/path.hpp"

#include <gtest/gtest.h>

#include "tests/impact/impact_cases.hpp"
#include "visviva/core/error.hpp"

namespace visviva::impact {
namespace {

class Paths : public testing::TestWithParam<ReferenceCase> {};

TEST_P(Paths, RunFromRestToTheImpulseByRisingNormalImpulse) {
  const auto& [name, problem, law, data] = GetParam();
  const std::vector<PathPoint> path = sample_path(problem, {.law = law});
  const ImpactResult result = solve(problem, {.law = law});
  ASSERT_GE(path.size(), 3u);
  EXPECT_EQ(path.front().impulse, Vec3::Zero());
  EXPECT_LE((path.back().impulse - result.impulse).norm(), 1e-12 * result.impulse.norm());
  EXPECT_LE((path.back().v - result.v).norm(), 1e-12 * problem.v.norm());
  for (std::size_t i = 1; i < path.size(); ++i) {
    ASSERT_GE(path[i].impulse.z(), path[i - 1].impulse.z());
    // every point obeys Δv = W I   [impact (4)]
    const Vec3 v = problem.v + problem.W * path[i].impulse;
    const Real scale = problem.v.norm() + problem.W.norm() * path[i].impulse.norm();
    ASSERT_LE((path[i].v - v).norm(), 1e-12 * scale) << i;
  }
}

TEST_P(Paths, PassThroughTheEvents) {
  const auto& [name, problem, law, data] = GetParam();
  const std::vector<PathPoint> path = sample_path(problem, {.law = law}, 4);
  for (const ImpactEvent& event : solve(problem, {.law = law}).sequence) {
    Real nearest = 1e300;
    for (const PathPoint& point : path) nearest = std::min(nearest, (point.impulse - event.impulse).norm());
    EXPECT_LE(nearest, 1e-9 * path.back().impulse.norm()) << static_cast<char>(event.kind);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Paths, testing::ValuesIn(read_reference_cases()), test_name);

TEST(Path, LosesItsEnergyAtTheEndOfCompression) {
  const ReferenceCase c = reference_case("fig3_4a");
  const std::vector<PathPoint> path = sample_path(c.problem);
  int drops = 0;
  for (std::size_t i = 1; i < path.size(); ++i)
    if (path[i].impulse == path[i - 1].impulse && path[i].energy < path[i - 1].energy) {
      ++drops;
      EXPECT_NEAR(path[i].energy, 0.95 * 0.95 * path[i - 1].energy, 1e-17);
      EXPECT_NEAR(path[i - 1].energy, c.data.at("Ec").get<Real>(), 1e-15);
    }
  EXPECT_EQ(drops, 1);
}

TEST(Path, IsEmptyWithoutImpactAndRefusesBadInput) {
  ImpactProblem p{.W = Mat3::Identity(), .v = {0, 0, 1}, .friction = 0, .restitution = 0};
  EXPECT_TRUE(sample_path(p).empty());
  EXPECT_THROW(static_cast<void>(sample_path(p, {}, 0)), InvalidArgument);
  p.friction = -1;
  EXPECT_THROW(static_cast<void>(sample_path(p)), InvalidArgument);
}

}  // namespace
}  // namespace visviva::impact
