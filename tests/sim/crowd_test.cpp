// Two hundred bodies for 10⁵ impacts. Without gravity and without a paddle a lossy crowd would never get that far: it
// cools as 1/t², and its impacts grow with the logarithm of time.
#include <gtest/gtest.h>

#include "visviva/io/scene.hpp"
#include "visviva/sim/run.hpp"

namespace visviva::sim {
namespace {

model::RunSummary run_scene(const std::string& name, Real duration) {
  const io::SceneResult result = io::read_scene(std::string(VISVIVA_SOURCE_DIR "/scenes/") + name + ".json");
  EXPECT_TRUE(result.model);
  model::Model m = *result.model;
  m.duration = duration;
  m.frame_interval = 1;
  Observer nobody;
  return run(m, nobody);
}

TEST(Crowd, ElasticOneKeepsItsEnergyForAHundredThousandImpacts) {
  const model::RunSummary summary = run_scene("box_of_200", 210);
  EXPECT_EQ(summary.status, model::RunStatus::Completed) << summary.reason;
  EXPECT_GE(summary.collisions, 100'000);
  EXPECT_LT(summary.energy_max_relative_error, 1e-12);
  EXPECT_LT(summary.linear_momentum_error, 1e-12);
  EXPECT_LT(summary.angular_momentum_error, 1e-12);
  EXPECT_LT(summary.max_penetration, 1e-9);
}

TEST(Crowd, StirredLossyOneExplainsEveryJouleOfAHundredThousandImpacts) {
  const model::RunSummary summary = run_scene("stirred_box_of_200", 250);
  EXPECT_EQ(summary.status, model::RunStatus::Completed) << summary.reason;
  EXPECT_GE(summary.collisions, 100'000);
  EXPECT_LT(summary.energy_max_relative_error, 1e-12);
  EXPECT_LT(summary.linear_momentum_error, 1e-12);
  EXPECT_LT(summary.angular_momentum_error, 1e-12);
}

}  // namespace
}  // namespace visviva::sim
