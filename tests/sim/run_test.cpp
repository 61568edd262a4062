#include "visviva/sim/run.hpp"

#include <gtest/gtest.h>

#include "any_threads.hpp"
#include "visviva/io/scene.hpp"

namespace visviva::sim {
namespace {

model::Model scene(const std::string& name) {
  io::SceneResult result = io::read_scene(std::string(VISVIVA_SOURCE_DIR "/scenes/") + name + ".json");
  EXPECT_TRUE(result.model) << (result.faults.empty() ? "" : result.faults[0].message);
  return *result.model;
}

class Counter final : public Observer {
 public:
  void on_frame(const model::Frame& frame, const model::Energies& energies) override {
    times.push_back(frame.time);
    EXPECT_EQ(frame.time, energies.time);
    bodies = frame.bodies.size();
  }
  void on_event(const model::Event& event) override {
    if (event.kind == model::EventKind::Impact) ++impacts;
    EXPECT_GE(event.time, last_event);
    last_event = event.time;
  }
  std::vector<Real> times;
  std::size_t bodies = 0;
  std::int64_t impacts = 0;
  Real last_event = 0;
};

TEST(Run, FramesComeEveryIntervalAndAtBothEnds) {
  model::Model m = scene("bouncing_ellipsoid");
  m.duration = 1.005;  // 100.5 steps: rounded up
  m.frame_interval = 0.25;
  Counter counter;
  const model::RunSummary summary = run(m, counter);
  EXPECT_EQ(summary.steps, 101);
  EXPECT_EQ(step_count(m), 101);
  ASSERT_EQ(counter.times.size(), 6u);  // 0, 0.25, 0.5, 0.75, 1, and the end
  EXPECT_NEAR(counter.times[1], 0.25, 1e-15);
  EXPECT_NEAR(counter.times[5], 1.01, 1e-15);
  EXPECT_EQ(counter.bodies, 1u);  // the ground is static
}

TEST(Run, StopsWhenAsked) {
  model::Model m = scene("bouncing_ellipsoid");
  Counter counter;
  int asked = 0;
  RunSettings settings;
  settings.should_stop = [&] { return ++asked > 10; };
  const model::RunSummary summary = run(m, counter, settings);
  EXPECT_EQ(summary.status, model::RunStatus::Interrupted);
  EXPECT_EQ(summary.steps, 10);
  EXPECT_EQ(counter.times.back(), summary.simulated_time);
}

TEST(Run, EveryShippedSceneRuns) {
  for (const char* name : {"bouncing_ellipsoid",
                           "box_of_200",
                           "box_of_200_lossy",
                           "stirred_box_of_200",
                           "dice",
                           "drilled_ball",
                           "friction_box",
                           "gutter",
                           "landscape",
                           "three_laws",
                           "lgvci/case1",
                           "lgvci/case2",
                           "lgvci/case3",
                           "lgvci/case3_printed",
                           "lgvci/case4",
                           "zeno/ball_rest",
                           "zeno/ball_stop",
                           "zeno/hovering_ellipsoid",
                           "zeno/standing_cube",
                           "zeno/standing_ellipsoid"}) {
    SCOPED_TRACE(name);
    model::Model m = scene(name);
    m.duration = std::min(m.duration, 2.0);
    EXPECT_TRUE(sim::find_faults(m).empty());
    Counter counter;
    const model::RunSummary summary = run(m, counter);
    EXPECT_EQ(summary.collisions, counter.impacts);
    EXPECT_LT(summary.energy_max_relative_error, 1e-13);
    EXPECT_LT(summary.linear_momentum_error, 1e-13);
    EXPECT_LT(summary.angular_momentum_error, 1e-13);
    EXPECT_LT(summary.max_penetration, 1e-9);
  }
}

TEST(Run, SameHashForAnyNumberOfThreads) {
  model::Model m = scene("box_of_200");
  m.duration = 1;
  expect_same_hash_for_any_threads(m, 100);
}

}  // namespace
}  // namespace visviva::sim
