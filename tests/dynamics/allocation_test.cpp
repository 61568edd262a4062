// A step allocates nothing once warm, and a state that is no number any more is told, not thrown.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "crowd.hpp"
#include "tests/properties/count_allocations.hpp"
#include "visviva/core/task_pool.hpp"

namespace visviva::dynamics {
namespace {

// The warm-up is a run of its own, after which all bodies are put back to where they began.
void expect_no_allocation(const WorldSettings& settings, TaskSystem* tasks) {
  World world(settings);
  add_crowd(world, 64);
  std::vector<BodyId> ids;
  world.bodies(ids);
  std::vector<Pose> poses;
  for (const BodyId id : ids) poses.push_back(world.pose(id));
  const auto put_back = [&] {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      world.set_pose(ids[i], poses[i]);
      world.set_velocity(ids[i], Vec3::Zero());
      world.set_angular_velocity(ids[i], Vec3::Zero());
    }
  };
  for (int round = 0; round < 3; ++round) {  // no two of them are quite alike
    for (int i = 0; i < 240; ++i) static_cast<void>(world.step(kStep, tasks));
    put_back();
  }
  static_cast<void>(world.step(kStep, tasks));
  for (int i = 0; i < 200; ++i) {
    const long before = allocation_count();
    static_cast<void>(world.step(kStep, tasks));
    ASSERT_EQ(allocation_count() - before, 0) << "in step " << i;
  }
}

TEST(WorldAllocation, StepAllocatesNothingOnceWarm) { expect_no_allocation({}, nullptr); }

TEST(WorldAllocation, NorWithALedger) {
  WorldSettings settings;
  settings.keep_ledger = true;
  expect_no_allocation(settings, nullptr);
}

TEST(WorldAllocation, NorOnThreads) {
  TaskPool pool(2);
  expect_no_allocation({}, &pool);
}

// A world that goes back keeps the memory that it had grown to.
TEST(WorldAllocation, NorAfterARestore) {
  World world;
  add_crowd(world, 64);
  run_steps(world, 30);
  const Snapshot snapshot = world.snapshot();
  for (int round = 0; round < 2; ++round) {
    run_steps(world, 240);
    world.restore(snapshot);
  }
  for (int i = 0; i < 240; ++i) {
    const long before = allocation_count();
    static_cast<void>(world.step(kStep));
    ASSERT_EQ(allocation_count() - before, 0) << "in step " << i;
  }
}

TEST(WorldAllocation, PileAtRestNeedsNoWarmUpOfItsOwn) {
  World world(without_sleep());
  world.create_body(ground_box());
  for (int i = 0; i < 10; ++i) world.create_body(dynamic_body(cube_of(1), at(0, 0, 0.5 + i)));
  run_steps(world, 60);
  const long before = allocation_count();
  run_steps(world, 240);
  EXPECT_EQ(allocation_count() - before, 0);
}

TEST(WorldNotFinite, IsToldWithTheFirstBodyAndUndone) {
  World world;
  add_crowd(world, 16);
  run_steps(world, 60);
  std::vector<BodyId> ids;
  world.bodies(ids);
  const Snapshot snapshot = world.snapshot();
  run_steps(world, 10);
  const std::uint64_t expected = world.hash();
  world.restore(snapshot);

  // What is given is valid; what it makes of a body of a milligram is not.
  world.set_mass(ids[5], {.mass = 1e-6, .inertia = 1e-6 * Mat3::Identity()});
  world.add_force(ids[5], Vec3(9e11, 0, 0));
  StepReport report;
  EXPECT_NO_THROW(report = world.step(kStep));
  EXPECT_FALSE(report.finite);
  EXPECT_EQ(report.first_not_finite, ids[5]);
  EXPECT_EQ(report.status, StepStatus::Stepped) << "the step that led there was made";
  EXPECT_NO_THROW(report = world.step(kStep)) << "and goes on telling so";
  EXPECT_FALSE(report.finite);
  EXPECT_EQ(report.status, StepStatus::NotFinite);
  world.restore(snapshot);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(world.step(kStep).finite);
  EXPECT_EQ(world.hash(), expected);
}

TEST(WorldStep, TimeStepsThatAreNoneAreTold) {
  World world;
  add_crowd(world, 6);
  run_steps(world, 30);
  const std::uint64_t hash = world.hash(), steps = world.steps();
  const Real time = world.time();
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  for (const Real dt : {0.0, -0.01, kInfinity, -kInfinity, std::nan("")}) {
    const StepReport report = world.step(dt);
    EXPECT_EQ(report.status, StepStatus::BadTimeStep) << dt;
    EXPECT_TRUE(report.finite);
    EXPECT_EQ(world.hash(), hash);
    EXPECT_EQ(world.time(), time);
    EXPECT_EQ(world.steps(), steps);
  }
  EXPECT_EQ(world.step(kStep).status, StepStatus::Stepped);
  EXPECT_EQ(world.steps(), steps + 1);
  EXPECT_STREQ(to_string(StepStatus::BadTimeStep), "bad time step");
}

TEST(WorldNotFinite, WhatFliesTooFarIsTold) {
  World world;
  world.create_body(ground_box());
  const BodyId ball = world.create_body(dynamic_body(ball_of(0.5), at(0, 0, 2)));
  world.set_velocity(ball, Vec3(0, 0, 1e11));  // beyond 1e12 m nothing can be told from its neighbour
  StepReport report;
  for (int i = 0; i < 10 && report.finite; ++i) EXPECT_NO_THROW(report = world.step(1000));
  EXPECT_FALSE(report.finite);
  EXPECT_EQ(report.first_not_finite, ball);
}

}  // namespace
}  // namespace visviva::dynamics
