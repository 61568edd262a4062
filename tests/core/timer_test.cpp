#include "visviva/core/timer.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace visviva {
namespace {

TEST(Timer, WallTimePassesWhileAThreadSleepsAndItsCpuTimeDoesNot) {
  const Timer wall;
  const ThreadCpuTimer cpu;
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_GE(wall.seconds(), 0.05);
  EXPECT_LT(cpu.seconds(), 0.04);
}

TEST(Timer, CpuTimeOfWorkPassesAndIsNoMoreThanWallTime) {
  const Timer wall;
  ThreadCpuTimer cpu;
  while (cpu.seconds() < 0.01) continue;
  EXPECT_LE(cpu.seconds(), wall.seconds() + 1e-3);  // the two clocks are not read at one instant
  cpu.restart();
  EXPECT_LT(cpu.seconds(), 0.01);
}

TEST(Timer, CpuTimeOfAnotherThreadDoesNotCount) {
  const ThreadCpuTimer cpu;
  std::thread([] {
    const ThreadCpuTimer own;
    while (own.seconds() < 0.05) continue;
  }).join();
  EXPECT_LT(cpu.seconds(), 0.04);
}

}  // namespace
}  // namespace visviva
