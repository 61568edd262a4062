// Ten million steps of Case I, 28 hours of bouncing: energy without drift.
#include <gtest/gtest.h>

#include "variational_cases.hpp"

namespace visviva::variational::test {
namespace {

struct EnergyInParts : EnergyError {
  using EnergyError::EnergyError;
  void step(const Bouncer& bouncer) {
    EnergyError::step(bouncer);
    if (bouncer.steps() % 1'000'000 == 0) parts.push_back(last);
  }
  std::vector<Real> parts;
};

TEST(LongRun, EnergyOfTenMillionStepsStaysWithinRoundingAndDoesNotDrift) {
  const System system = system_of_case("I");
  EnergyInParts error(system.free());
  const BounceResult result = run(system.body, system.start, 10'000'000, {}, error);
  EXPECT_EQ(result.outcome, BounceOutcome::Running);
  EXPECT_LE(error.worst, 1e-12);
  // Not one-directional: it neither grows nor falls throughout.
  int up = 0, down = 0;
  for (std::size_t i = 1; i < error.parts.size(); ++i) (error.parts[i] > error.parts[i - 1] ? up : down) += 1;
  EXPECT_GT(up, 0);
  EXPECT_GT(down, 0);
  EXPECT_EQ(result.state.gamma.x(), 2);
}

}  // namespace
}  // namespace visviva::variational::test
