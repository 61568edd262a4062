#include "visviva/core/task_pool.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "visviva/core/error.hpp"

namespace visviva {
namespace {

using Ranges = std::vector<std::pair<std::size_t, std::size_t>>;

Ranges ranges_of(TaskSystem& tasks, std::size_t count, std::size_t grain) {
  std::mutex mutex;
  Ranges ranges;
  parallel_for(tasks, count, grain, [&](std::size_t begin, std::size_t end) {
    const std::lock_guard lock(mutex);
    ranges.emplace_back(begin, end);
  });
  std::sort(ranges.begin(), ranges.end());
  return ranges;
}

TEST(TaskPool, RangesCoverEachIndexOnceForAnyNumberOfThreads) {
  for (const int threads : {1, 2, 4, 8}) {
    TaskPool pool(threads);
    EXPECT_EQ(pool.concurrency(), threads);
    EXPECT_EQ(ranges_of(pool, 10, 4), (Ranges{{0, 4}, {4, 8}, {8, 10}}));
    EXPECT_EQ(ranges_of(pool, 8, 4), (Ranges{{0, 4}, {4, 8}}));
    EXPECT_EQ(ranges_of(pool, 3, 4), (Ranges{{0, 3}}));
    EXPECT_EQ(ranges_of(pool, 0, 4), (Ranges{}));
    for (const std::size_t count : {1u, 7u, 64u, 1000u}) {
      std::vector<std::atomic<int>> visits(count);
      parallel_for(pool, count, 3, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ++visits[i];
      });
      for (const auto& v : visits) ASSERT_EQ(v, 1);
    }
  }
}

TEST(TaskPool, CountNearTheLargestDoesNotOverflow) {
  TaskPool pool(2);
  const std::size_t largest = SIZE_MAX;
  EXPECT_EQ(ranges_of(pool, largest, largest / 2 + 1), (Ranges{{0, largest / 2 + 1}, {largest / 2 + 1, largest}}));
}

// Sums of ranges, added in the order of the ranges: rounding included, the same for any pool.
TEST(TaskPool, SumsOfRangesHaveTheSameBitsForAnyNumberOfThreads) {
  constexpr std::size_t kCount = 100'003, kGrain = 512;
  const auto sum = [&](TaskSystem& tasks) {
    std::vector<double> partial((kCount - 1) / kGrain + 1);
    parallel_for(tasks, kCount, kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) partial[begin / kGrain] += 1 / std::sqrt(static_cast<double>(i + 1));
    });
    double total = 0;
    for (const double p : partial) total += p;
    return total;
  };
  TaskPool one(1);
  const double expected = sum(one);
  // sum k^-1/2 = 2 sqrt(n) + zeta(1/2) + O(n^-1/2)
  EXPECT_NEAR(expected, 2 * std::sqrt(1.0 * kCount) - 1.4603545088095868, 0.5 / 316 + 1e-6);
  for (const int threads : {2, 4, 8}) {
    TaskPool pool(threads);
    for (int repeat = 0; repeat < 20; ++repeat) {
      const double result = sum(pool);
      ASSERT_EQ(std::memcmp(&result, &expected, sizeof result), 0) << threads;
    }
  }
}

// Ten thousand short loops: workers come late, sleep between some, and never miss one.
TEST(TaskPool, ManyShortLoopsAreAllDone) {
  TaskPool pool(4);
  std::vector<std::uint64_t> data(64, 0);
  for (int loop = 0; loop < 10'000; ++loop) {
    if (loop % 1000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    parallel_for(pool, data.size(), 1, [&](std::size_t begin, std::size_t) { data[begin] += begin; });
  }
  for (std::size_t i = 0; i < data.size(); ++i) EXPECT_EQ(data[i], 10'000 * i);
}

TEST(TaskPool, TasksReallyRunAtTheSameTimeWhetherThreadsSpunOrSlept) {
  for (const int wait_ms : {0, 50}) {
    TaskPool pool(2);
    std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
    std::atomic<int> arrived = 0;
    // Each waits for the other: one thread alone would never end, but for the bound.
    parallel_for(pool, 2, 1, [&](std::size_t, std::size_t) {
      ++arrived;
      for (int i = 0; i < 5000 && arrived < 2; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      EXPECT_EQ(arrived, 2) << "after " << wait_ms << " ms";
    });
  }
}

TEST(TaskPool, ExceptionOfTheFirstFailedRangeArrives) {
  for (const int threads : {1, 2, 4}) {
    TaskPool pool(threads);
    for (int repeat = 0; repeat < 200; ++repeat) {
      try {
        parallel_for(pool, 100, 1, [](std::size_t begin, std::size_t) {
          if (begin % 30 == 17) throw std::runtime_error(std::to_string(begin));
        });
        FAIL() << "nothing was thrown";
      } catch (const std::runtime_error& error) {
        ASSERT_STREQ(error.what(), "17");
      }
    }
    EXPECT_EQ(ranges_of(pool, 10, 5).size(), 2u) << "the pool must work on after an exception";
  }
}

TEST(TaskPool, LoopInsideALoopRunsOnItsOwnThread) {
  TaskPool pool(4), idle(4);
  for (TaskPool* inner_pool : {&pool, &idle}) {
    std::atomic<int> inner = 0;
    parallel_for(pool, 8, 1, [&](std::size_t, std::size_t) {
      const auto here = std::this_thread::get_id();
      parallel_for(*inner_pool, 10, 1, [&](std::size_t, std::size_t) {
        EXPECT_EQ(std::this_thread::get_id(), here);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));  // time for others to come
        ++inner;
      });
    });
    EXPECT_EQ(inner, 80);
  }
}

TEST(TaskPool, LoopsOfSeveralThreadsAtOnceAreAllDone) {
  TaskPool pool(3);
  std::atomic<int> sum = 0;
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&] {
      for (int loop = 0; loop < 200; ++loop) parallel_for(pool, 20, 1, [&](std::size_t, std::size_t) { ++sum; });
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 4 * 200 * 20);
}

TEST(TaskPool, BadArgumentsAreRefused) {
  EXPECT_THROW(TaskPool(-1), InvalidArgument);
  TaskPool pool(1);
  EXPECT_THROW(parallel_for(pool, 10, 0, [](std::size_t, std::size_t) {}), InvalidArgument);
}

TEST(TaskPool, ZeroThreadsStandForOneACore) {
  EXPECT_EQ(TaskPool().concurrency(), std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
}

TEST(TaskPool, PoolWithoutWorkEndsWhetherItsThreadsSpinOrSleep) {
  for (const int wait_ms : {0, 5})
    for (int i = 0; i < 20; ++i) {
      TaskPool pool(3);
      std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
    }
}

// Thread and address sanitizers take terabytes of address space for themselves, so no limit can be set on it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kAddressSpaceCanBeLimited = false;
#elif defined(__has_feature)
constexpr bool kAddressSpaceCanBeLimited = !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer);
#else
constexpr bool kAddressSpaceCanBeLimited = true;
#endif

/// Leaves this process address space for the stacks of so many threads more.
void limit_stacks(std::size_t stacks) {
  pthread_attr_t attributes;
  std::size_t stack = 0, pages = 0;
  pthread_getattr_default_np(&attributes);
  pthread_attr_getstacksize(&attributes, &stack);
  std::ifstream("/proc/self/statm") >> pages;
  const rlimit limit{pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + stacks * (stack + (stack >> 6)),
                     RLIM_INFINITY};
  if (pages == 0 || setrlimit(RLIMIT_AS, &limit) != 0) std::_Exit(2);
}

// In a process of its own, which has no room for the stacks of a thousand threads.
TEST(TaskPoolDeathTest, ThatCannotStartAllItsThreadsEndsThoseThatStarted) {
  if (!kAddressSpaceCanBeLimited) GTEST_SKIP() << "a sanitizer needs the address space";
  const auto start_too_many = [] {
    limit_stacks(6);
    bool refused = false;
    try {
      TaskPool pool(1000);
    } catch (const std::system_error&) {
      refused = true;
    }
    // Threads that were left over would hold the stacks that this one needs.
    TaskPool pool(4);
    std::_Exit(refused && ranges_of(pool, 10, 4).size() == 3 ? 0 : 3);
  };
  EXPECT_EXIT(start_too_many(), testing::ExitedWithCode(0), "");
}

// An application's own scheduler: here one that runs the tasks backwards.
class BackwardTasks : public TaskSystem {
 public:
  int calls = 0;
  [[nodiscard]] int concurrency() const override { return 2; }
  void run_tasks(std::size_t count, Task task, void* context) override {
    ++calls;
    while (count > 0) task(context, --count);
  }
};

TEST(TaskSystem, OfTheUserRunsTheLoops) {
  BackwardTasks tasks;
  std::vector<std::size_t> order;
  parallel_for(tasks, 6, 2, [&](std::size_t begin, std::size_t) { order.push_back(begin); });
  EXPECT_EQ(order, (std::vector<std::size_t>{4, 2, 0}));
  EXPECT_EQ(tasks.calls, 1);
}

TEST(TaskSystem, FirstExceptionByIndexArrivesEvenIfItComesLast) {
  BackwardTasks tasks;
  try {
    parallel_for(tasks, 3, 1, [](std::size_t begin, std::size_t) { throw std::runtime_error(std::to_string(begin)); });
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "0");
  }
}

TEST(TaskSystem, LoopTakesAConstFunctionAndATemporary) {
  BackwardTasks tasks;
  std::size_t sum = 0;
  const auto add = [&](std::size_t begin, std::size_t end) { sum += end - begin; };
  parallel_for(tasks, 10, 3, add);
  EXPECT_EQ(sum, 10u);
}

}  // namespace
}  // namespace visviva
