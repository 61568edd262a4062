// scenes/ropes: what they show, at 60 Hz and for any number of threads.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "joint_run.hpp"
#include "visviva/core/task_pool.hpp"
#include "visviva/sim/run.hpp"

namespace visviva::sim {
namespace {

/// A run of a scene, with all its frames and breaks.
class RopeRun final : public Observer {
 public:
  explicit RopeRun(const std::string& scene, unsigned threads = 1) : model(shipped_scene(scene)) {
    std::uint32_t moving = 0;
    for (const model::BodyDesc& body : model.bodies)
      if (body.type != model::BodyType::Static) places_[body.name] = moving++;
    for (std::uint32_t i = 0; i < model.joints.size(); ++i) joints_[model.joints[i].name] = i;
    TaskPool pool(threads);
    RunSettings settings;
    settings.tasks = &pool;
    summary = sim::run(model, *this, settings);
  }

  void on_frame(const model::Frame& frame, const model::Energies&) override { frames.push_back(frame); }
  void on_event(const model::Event& event) override {
    if (event.kind == model::EventKind::Break) breaks.push_back(event);
  }

  [[nodiscard]] const model::Frame& at(Real time) const {
    for (const model::Frame& frame : frames)
      if (frame.time >= time - 1e-9) return frame;
    return frames.back();
  }
  [[nodiscard]] Vec3 center(const std::string& body, Real time) const { return at(time).bodies[places_.at(body)].x; }
  [[nodiscard]] const model::JointFrame& joint(const std::string& name, Real time) const {
    return at(time).joints[joints_.at(name)];
  }

  model::Model model;
  model::RunSummary summary;
  std::vector<model::Frame> frames;
  std::vector<model::Event> breaks;

 private:
  std::map<std::string, std::uint32_t> places_, joints_;
};

TEST(HangingRopesScene, OneIsCutAndTheOthersHold) {
  const RopeRun run("ropes/hanging");
  EXPECT_EQ(run.summary.status, model::RunStatus::Completed);
  ASSERT_EQ(run.breaks.size(), 1u);
  EXPECT_NEAR(run.breaks[0].time, 2, 0.02);
  EXPECT_EQ(run.model.joints[run.breaks[0].joint].name, "limp[17]");  // 1.8 m of 5 m in 50 segments
  EXPECT_FALSE(run.joint("limp[17]", 1.9).broken);
  EXPECT_TRUE(run.joint("limp[17]", 2.1).broken);
  // In balance until then.
  EXPECT_LT((run.center("limp[24]", 1.9) - run.center("limp[24]", 0)).norm(), 0.02);
  EXPECT_LT(run.center("limp[17]", 8).z(), 0.8);
  // The cable weighs 2 kg/m and hangs from both walls.
  const Real weight = 2 * 4.6 * 9.80665;
  EXPECT_NEAR(run.joint("cable held[0]", 8).force.z() + run.joint("cable held[1]", 8).force.z(), -weight,
              0.01 * weight);
}

TEST(RopeBridgeScene, FallsRopeByRope) {
  const RopeRun run("ropes/bridge");
  EXPECT_EQ(run.summary.status, model::RunStatus::Completed);
  ASSERT_EQ(run.breaks.size(), 3u);
  EXPECT_NEAR(run.breaks[0].time, 3, 0.02);
  EXPECT_NEAR(run.breaks[1].time, 6, 0.02);
  EXPECT_NEAR(run.breaks[2].time, 9, 0.02);
  EXPECT_GT(run.center("plank 5", 2.9).z(), 1.5);
  EXPECT_GT(run.center("crate 2", 2.9).z(), 1.5);
  EXPECT_GT(run.center("plank 5", 8.9).z(), 1);  // on the last one
  EXPECT_LT(run.center("plank 1", 12).z(), 1);
  for (const char* crate : {"crate 1", "crate 2", "crate 3"}) EXPECT_LT(run.center(crate, 12).z(), 0.5) << crate;
  EXPECT_LT(run.summary.energy_final, run.summary.energy_initial);
  EXPECT_LT(run.summary.energy_max_relative_error, 1e-4);
  // Before anything is cut, the banks bear all of it.
  Real weight = 3 * 40 + 3 * 1.2 * 8.4;
  for (const model::BodyDesc& body : run.model.bodies)
    if (body.name.rfind("plank", 0) == 0) weight += body.mass;
  Real borne = 0;
  for (const std::string rope : {"left", "middle", "right"})
    for (const char* end : {"0", "1"})
      for (int i = 0; i < 120; ++i) borne -= run.joint(rope + " held[" + end + "]", 0.9 + i / 60.0).force.z() / 120;
  EXPECT_NEAR(borne, weight * 9.80665, 0.05 * weight * 9.80665);
}

TEST(WinchScene, LiftsTheLoadAsTheDrumTurns) {
  const RopeRun run("ropes/winch");
  EXPECT_EQ(run.summary.status, model::RunStatus::Completed);
  const Real lift = run.center("load", 5).z() - run.center("load", 1).z();
  EXPECT_NEAR(lift, 0.8 * 0.32 * 4, 0.05 * 0.8 * 0.32 * 4);  // radius of drum and rope, 4 s
  const Real weight = 20 * 9.80665;
  Real mean = 0;
  for (int i = 0; i < 60; ++i) mean -= run.joint("rope held[1]", 4 + i / 60.0).force.z() / 60;
  EXPECT_NEAR(std::abs(mean), weight, 0.05 * weight);
  // The pulley turns with the rope.
  const model::BodyFrame& pulley = run.at(4).bodies[1];
  EXPECT_NEAR(std::abs(pulley.w.y()), 0.8 * 0.32 / 0.27, 0.1 * 0.8 * 0.32 / 0.27);
}

TEST(RopeScenes, SameBitsForAnyNumberOfThreads) {
  for (const char* scene : {"ropes/hanging"}) {
    const RopeRun one(scene, 1), two(scene, 2);
    EXPECT_EQ(one.summary.hash, two.summary.hash) << scene;
  }
}

// A torsion spring of k = I (2π 0.5)², a leaf spring that bends under a weight, a band that stretches by m g/k.
TEST(RodScene, BendsTwistsAndStretches) {
  const RopeRun run("joints/rod");
  constexpr Real kG = 9.80665;
  EXPECT_NEAR(run.center("bob", 4).z(), 2 - kG / 40, 0.01);
  // k φ = m g (L/2) cos φ
  Real angle = 0;
  for (int i = 0; i < 50; ++i) angle = 2 * kG * 0.5 * std::cos(angle) / 20;
  EXPECT_NEAR(run.center("leaf", 4).z(), 2 - 0.5 * std::sin(angle), 0.02);
  // Twice through the middle, half a period apart.
  const auto spin = [&](Real t) { return run.at(t).bodies[1].w.z(); };
  EXPECT_NEAR(spin(1), -2, 0.1);
  EXPECT_NEAR(spin(0.5), 0, 0.15);
  EXPECT_NEAR(spin(2), 2, 0.1);
}

}  // namespace
}  // namespace visviva::sim
