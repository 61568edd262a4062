// The same bits for any number of threads, in every run, and for every lane width.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>

#include "crowd.hpp"
#include "tests/sanitizer_size.hpp"
#include "visviva/core/task_pool.hpp"
#include "visviva/math/lanes.hpp"

namespace visviva::dynamics {
namespace {

constexpr int kBodies = 200, kGoldenSteps = 100;  // enough for several colours, islands and tasks
constexpr int kSteps = sanitizer_size(kGoldenSteps, 40);

/// Of the hashes of all steps.
std::uint64_t run_crowd(TaskSystem* tasks, int steps = kSteps) {
  World world;
  add_crowd(world, kBodies);
  std::uint64_t all = 0;
  for (int i = 0; i < steps; ++i) {
    static_cast<void>(world.step(kStep, tasks));
    all = all * 1099511628211u + world.hash();
  }
  return all;
}

/// The same for every compiler that builds this test, and every machine. A commit that changes it says why.
constexpr std::uint64_t kGolden = 9163058772861023420ull;

TEST(WorldDeterminism, HashIsTheGoldenOne) { EXPECT_EQ(run_crowd(nullptr, kGoldenSteps), kGolden); }

TEST(WorldDeterminism, ThreadsMakeNoDifference) {
  const std::uint64_t expected = run_crowd(nullptr);
  for (const int threads : {1, 2, 4, 8}) {
    TaskPool pool(threads);
    EXPECT_EQ(run_crowd(&pool), expected) << threads << " threads";
  }
}

TEST(WorldDeterminism, SecondRunIsTheSame) { EXPECT_EQ(run_crowd(nullptr), run_crowd(nullptr)); }

// Their rows are solved to the end, by passes that are mixed.
TEST(WorldDeterminism, HeavyOnLightIsTheSameOnThreadsAndAfterASnapshot) {
  const auto add = [](World& world) {
    const MaterialIndex material = make_material(world, 0.5, 0);
    world.create_body(ground_plane(material));
    for (int k = 0; k < 10; ++k)
      for (const bool heavy : {false, true}) {
        BodyDesc box = dynamic_body(cube_of(heavy ? 1 : 0.5), at(2 * k, 0, heavy ? 1.2 : 0.25), material);
        if (heavy) box.shapes[0].density *= 1 + 14 * k;
        world.create_body(box);
      }
  };
  World world, threaded, restored;
  add(world);
  add(threaded);
  TaskPool pool(4);
  for (int i = 0; i < 60; ++i) {
    static_cast<void>(world.step(kStep));
    static_cast<void>(threaded.step(kStep, &pool));
    ASSERT_EQ(threaded.hash(), world.hash()) << i;
    if (i > 15) {
      static_cast<void>(restored.step(kStep));
      ASSERT_EQ(restored.hash(), world.hash()) << i;
    }
    if (i == 15) restored.restore(world.snapshot());
  }
}

// An application's scheduler may take the tasks in any order.
TEST(WorldDeterminism, OrderOfTasksMakesNoDifference) {
  class Backwards : public TaskSystem {
   public:
    [[nodiscard]] int concurrency() const override { return 2; }
    void run_tasks(std::size_t count, Task task, void* context) override {
      for (std::size_t i = count; i-- > 0;) task(context, i);
    }
  } backwards;
  EXPECT_EQ(run_crowd(&backwards), run_crowd(nullptr));
}

// The instruction set is chosen once a process, so each one runs in a process of its own and tells its hash.
TEST(WorldDeterminismDeathTest, LaneWidthMakesNoDifference) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string expected = fmt::format("{:016x}", run_crowd(nullptr));
  for (const Isa isa : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    setenv("VISVIVA_ISA", to_string(isa), 1);
    EXPECT_EXIT(
        {
          std::cerr << fmt::format("{:016x}", run_crowd(nullptr));
          std::exit(best_isa() == std::min(isa, supported_isa()) ? 0 : 1);
        },
        testing::ExitedWithCode(0), expected);
  }
  unsetenv("VISVIVA_ISA");
}

TEST(WorldDeterminism, HashKnowsEveryBody) {
  World a, b;
  add_crowd(a, 20);
  add_crowd(b, 20);
  EXPECT_EQ(a.hash(), b.hash());
  std::vector<BodyId> ids;
  a.bodies(ids);
  for (const BodyId id : {ids[1], ids[12], ids.back()}) {
    const std::uint64_t before = a.hash();
    Pose pose = a.pose(id);
    pose.p.x() += 1e-12;
    a.set_pose(id, pose);
    EXPECT_NE(a.hash(), before);
  }
}

}  // namespace
}  // namespace visviva::dynamics
