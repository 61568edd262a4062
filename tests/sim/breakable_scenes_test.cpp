#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "visviva/core/task_pool.hpp"
#include "visviva/io/scene.hpp"
#include "visviva/sim/run.hpp"

// The scenes of bodies that break: what they show, and that threads change nothing.
namespace visviva::sim {
namespace {

model::Model shipped(const std::string& name, Real duration) {
  io::SceneOptions options;
  options.duration = duration;
  const io::SceneResult result = io::read_scene(std::string(VISVIVA_SOURCE_DIR "/scenes/") + name + ".json", options);
  for (const io::Fault& fault : result.faults) ADD_FAILURE() << fault.place << ": " << fault.message;
  return result.model.value_or(model::Model{});
}

struct Seen : Observer {
  std::vector<model::Frame> frames;
  std::vector<model::Energies> energies;
  int bonds = 0, impacts = 0;
  void on_frame(const model::Frame& frame, const model::Energies& now) override {
    frames.push_back(frame);
    energies.push_back(now);
  }
  void on_event(const model::Event& event) override {
    bonds += event.kind == model::EventKind::Bond ? 1 : 0;
    impacts += event.kind == model::EventKind::Impact ? 1 : 0;
  }
};

/// Runs it with one thread and with eight.
model::RunSummary run_twice(const model::Model& model, Seen& seen) {
  TaskPool one(1), eight(8);
  RunSettings settings;
  settings.tasks = &one;
  const model::RunSummary summary = run(model, seen, settings);
  Observer nothing;
  settings.tasks = &eight;
  EXPECT_EQ(run(model, nothing, settings).hash, summary.hash);
  EXPECT_EQ(summary.status, model::RunStatus::Completed) << summary.reason;
  EXPECT_LT(summary.energy_max_relative_error, 1e-6);
  return summary;
}

/// Energies of every frame: nothing comes from nowhere but by what the ledger says, and bonds only break.
void expect_sound(const Seen& seen) {
  for (std::size_t i = 1; i < seen.energies.size(); ++i) {
    EXPECT_LE(seen.energies[i].bonds, seen.energies[i - 1].bonds);
    EXPECT_LE(seen.energies[i].total(), seen.energies[0].total() * (1 + 1e-3) + 1e-6);
  }
  EXPECT_EQ(seen.energies.front().bonds - seen.energies.back().bonds, seen.bonds);
}

TEST(BreakableScenes, WallOf252BricksIsBrokenByThreeBalls) {
  const model::Model model = shipped("brick_wall", 0.5);
  ASSERT_EQ(model.breakables.size(), 1u);
  EXPECT_EQ(model.breakables[0].bodies.size(), 252u);
  Seen seen;
  run_twice(model, seen);
  EXPECT_GT(seen.bonds, 20);
  expect_sound(seen);
}

TEST(BreakableScenes, WreckingBallGoesThroughTheWall) {
  const model::Model model = shipped("wrecking_ball", 2.5);
  Seen seen;
  run_twice(model, seen);
  EXPECT_GT(seen.bonds, 20);
  EXPECT_LT(seen.energies.back().bonds, seen.energies.front().bonds);
  expect_sound(seen);
}

TEST(BreakableScenes, GlassBreaksWhereTheBallHits) {
  const model::Model model = shipped("glass_plate", 0.4);
  Seen seen;
  run_twice(model, seen);
  EXPECT_GT(seen.bonds, 20);
  expect_sound(seen);
}

// A row of blocks on a wall of which the outer two are cut off: what is lighter than the scene says goes after its
// time, and its energy with it, 0.25 s of fall.
TEST(BreakableScenes, DebrisGoesAsTheSceneSays) {
  const io::SceneResult scene = io::read_scene_text(R"({"visviva": 1, "duration": 1, "gravity": [0, 0, -9.81],
    "stepper": {"kind": "realtime", "debris_mass": 20, "debris_lifetime": 0.25},
    "bodies": [{"grid": [4, 1, 1], "spacing": [0.2, 1, 1], "body": {"name": "block", "density": 1000,
      "shapes": [{"kind": "box", "half_extents": [0.1, 0.1, 0.1]}]}}],
    "breakables": [{"name": "row", "bodies": ["block"], "anchored": ["block[0]"], "tension": 1e6, "shear": 1e6,
      "compression": 1e7, "cuts": [{"time": 0.2, "low": [0.25, -1, -1], "high": [0.35, 1, 1]}]}]})");
  ASSERT_TRUE(scene.model) << scene.faults[0].message;
  Seen seen;
  const model::RunSummary summary = run_twice(*scene.model, seen);
  const auto energy_after = [](Real time) { return 16.0 / 2 * 9.81 * 9.81 * time * time; };
  Real largest = 0;
  for (const model::Energies& now : seen.energies) largest = std::max(largest, now.kinetic_translation);
  EXPECT_GT(largest, energy_after(0.25));
  EXPECT_LT(largest, energy_after(0.25 + 1.0 / 60));  // it goes at the start of a step
  EXPECT_EQ(seen.energies.back().kinetic_translation, 0);
  EXPECT_NEAR(seen.energies.back().rest_loss, largest, 1e-6 * largest);
  EXPECT_EQ(summary.energy_initial, seen.energies.front().total());
}

TEST(BreakableScenes, TowerFallsTowardsTheLegThatIsCut) {
  const model::Model model = shipped("felled_tower", 2);
  Seen seen;
  run_twice(model, seen);
  // Before the cut nothing moves; afterwards the top goes towards +x, -y, and down.
  std::size_t top = 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].X_WB.p.z() > model.bodies[top].X_WB.p.z()) top = i;
  std::size_t moving = 0;  // its place among the bodies of a frame
  for (std::size_t i = 0; i < top; ++i) moving += model.bodies[i].type == model::BodyType::Static ? 0 : 1;
  const auto at = [&](const model::Frame& frame) { return frame.bodies[moving].x; };
  const Vec3 start = at(seen.frames.front());
  for (const model::Frame& frame : seen.frames)
    if (frame.time < 0.49) {
      EXPECT_LT((at(frame) - start).norm(), 1e-9) << frame.time;
    }
  const Vec3 end = at(seen.frames.back());
  EXPECT_GT(end.x(), start.x() + 0.2);
  EXPECT_LT(end.y(), start.y() - 0.2);
  EXPECT_LT(end.z(), start.z() - 0.1);
}

}  // namespace
}  // namespace visviva::sim
