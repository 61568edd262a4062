// Hooks of an application: its own memory, log and handling of failed assertions.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>

#include <cstdlib>
#include <new>

#include "many_kinds.hpp"
#include "visviva/core/assert.hpp"
#include "visviva/core/log.hpp"

#ifdef VISVIVA_SANITIZED
#define VISVIVA_TEST_OWN_MEMORY 0
#else
#define VISVIVA_TEST_OWN_MEMORY 1
#endif

namespace {

std::size_t given_bytes = 0;
long given_blocks = 0, taken_blocks = 0;

/// An application's memory: cut from one piece that malloc knows nothing of, and never given back.
[[maybe_unused]] void* give(std::size_t size, std::size_t alignment) {
  constexpr std::size_t kAll = std::size_t{8} << 30;  // of addresses; the system gives memory as it is touched
  static char* next = static_cast<char*>(
      mmap(nullptr, kAll, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  static char* const end = next + kAll;
  next += (alignment - reinterpret_cast<std::uintptr_t>(next) % alignment) % alignment;
  if (next + size > end) std::abort();
  void* block = next;
  next += size;
  given_bytes += size;
  ++given_blocks;
  return block;
}

}  // namespace

#if VISVIVA_TEST_OWN_MEMORY
void* operator new(std::size_t size) { return give(size, 16); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return give(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* block) noexcept { taken_blocks += block != nullptr ? 1 : 0; }
void operator delete(void* block, std::size_t) noexcept { taken_blocks += block != nullptr ? 1 : 0; }
void operator delete(void* block, std::align_val_t) noexcept { taken_blocks += block != nullptr ? 1 : 0; }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { taken_blocks += block != nullptr ? 1 : 0; }
#endif

namespace visviva::dynamics {
namespace {

// What malloc holds does not grow while a world is made, stepped, drawn upon and copied: all of it is the
// application's.
TEST(MemoryHook, AllMemoryOfAWorldIsTheApplications) {
#if !VISVIVA_TEST_OWN_MEMORY
  GTEST_SKIP() << "the sanitizer has memory of its own";
#endif
  std::size_t malloc_while_alive = 0, memory = 0;
  const auto live = [&] {
    World world;
    add_many_kinds(world);
    add_crowd(world, 60);
    run_steps(world, 100);
    const Snapshot snapshot = Snapshot::from_bytes(world.snapshot().to_bytes());
    world.restore(snapshot);
    run_steps(world, 5);
    malloc_while_alive = mallinfo2().uordblks;
    memory = world.memory();
  };
  live();  // what threads and libraries keep for the next time: workspaces of collisions, Qhull's blocks in malloc
  const std::size_t malloc_before = mallinfo2().uordblks, bytes_before = given_bytes;
  const long blocks_before = given_blocks - taken_blocks;
  live();
  EXPECT_GT(memory, 100'000u);
  EXPECT_LE(malloc_while_alive, malloc_before);
  EXPECT_GT(given_bytes - bytes_before, memory);
  EXPECT_EQ(given_blocks - taken_blocks, blocks_before) << "all of it is given back";
}

TEST(LogHook, TakesMessagesOfTheLibrary) {
  std::vector<std::string> seen;
  set_log_handler([&](LogLevel, std::string_view message) { seen.emplace_back(message); });
  log_warning("{} bodies", 3);
  set_log_handler({});
  EXPECT_EQ(seen, std::vector<std::string>{"3 bodies"});
}

TEST(AssertHook, MayThrow) {
  const AssertHandler before =
      set_assert_handler([](const AssertFailure& failure) { throw std::logic_error(failure.condition); });
  EXPECT_THROW(fail_assert({"1 == 2", "file", 1, "function"}), std::logic_error);
  set_assert_handler(before);
}

}  // namespace
}  // namespace visviva::dynamics
