#include "visviva/core/task_pool.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "visviva/core/error.hpp"

namespace visviva {
namespace {

void pause_processor() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Rounds of pause_processor (about 40 ns each) before a waiting thread gives its core away. It
// covers the gap between two loops of one step; waking a sleeper costs more than that.
constexpr int kSpinRounds = 2000;

// The gate of the pool is one word, so that entering and closing cannot pass each other:
//   bits 32..63  epoch, counts the loops
//   bit  31      open: tasks of this epoch may be taken
//   bits 0..30   workers inside
constexpr std::uint64_t kOpen = std::uint64_t{1} << 31;
constexpr std::uint64_t kInside = kOpen - 1;
constexpr std::uint64_t kEpoch = ~(kOpen | kInside);
constexpr std::uint64_t kNextEpoch = std::uint64_t{1} << 32;

// True on a thread that is running a range of some loop: loops inside it run there and then.
thread_local bool inside_loop = false;

}  // namespace

struct TaskPool::Shared {
  // The loop. Written while the gate is closed and nobody is inside, read inside.
  Task task = nullptr;
  void* context = nullptr;
  std::size_t count = 0;
  alignas(64) std::atomic<std::size_t> next = 0;  // first task that nobody has taken

  alignas(64) std::atomic<std::uint64_t> gate = 0;
  alignas(64) std::atomic<int> sleepers = 0;
  std::atomic<bool> stop = false;
  std::mutex sleep_mutex;
  std::condition_variable wake;

  std::mutex loop_mutex;  // held by the thread whose loop is running
  int spin_rounds = kSpinRounds;
  std::vector<std::thread> workers;

  void take_tasks() {
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) task(context, i);
  }

  // A loop that this worker has not been in yet, or the end.
  [[nodiscard]] bool has_news(std::uint64_t seen_epoch) const {
    const std::uint64_t g = gate.load();
    return ((g & kOpen) != 0 && (g & kEpoch) != seen_epoch) || stop.load();
  }

  void wait_for_news(std::uint64_t seen_epoch) {
    for (int i = 0; i < spin_rounds; ++i) {
      if (has_news(seen_epoch)) return;
      pause_processor();
    }
    // `sleepers` rises before the gate is read, and `open_gate` writes the gate before it reads
    // `sleepers`: one of the two sees the other, so no wake-up is lost.
    std::unique_lock lock(sleep_mutex);
    ++sleepers;
    wake.wait(lock, [&] { return has_news(seen_epoch); });
    --sleepers;
  }

  void work() {
    std::uint64_t seen_epoch = 0;
    while (true) {
      wait_for_news(seen_epoch);
      if (stop) return;
      std::uint64_t g = gate.load();
      while ((g & kOpen) != 0)
        if (gate.compare_exchange_weak(g, g + 1)) {
          seen_epoch = g & kEpoch;
          take_tasks();
          --gate;
          break;
        }
    }
  }

  void open_gate() {
    // Epoch 0 is what a worker starts with as seen, so it is skipped.
    std::uint64_t epoch = (gate.load() & kEpoch) + kNextEpoch;
    if (epoch == 0) epoch = kNextEpoch;
    gate = epoch | kOpen;
    if (sleepers > 0) wake_all();
  }

  void wake_all() {
    // Taking the lock waits out a worker that is between its last look and its sleep.
    { const std::lock_guard lock(sleep_mutex); }
    wake.notify_all();
  }

  void end_workers() {
    stop = true;
    wake_all();
    for (std::thread& worker : workers) worker.join();
  }

  // Afterwards every task that was taken has returned.
  void close_gate() {
    gate &= ~kOpen;
    for (int i = 0; (gate.load() & kInside) != 0; ++i)
      if (i < spin_rounds)
        pause_processor();
      else
        std::this_thread::yield();
  }
};

TaskPool::TaskPool(int threads) : shared_(std::make_unique<Shared>()) {
  require(threads >= 0, "task pool", "threads", "not be negative", threads);
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (threads == 0) threads = cores;
  // With more threads than cores, one that spins keeps another from its work.
  if (threads > cores) shared_->spin_rounds = 0;
  shared_->workers.reserve(static_cast<std::size_t>(threads - 1));
  try {
    for (int i = 1; i < threads; ++i) shared_->workers.emplace_back([shared = shared_.get()] { shared->work(); });
  } catch (...) {
    shared_->end_workers();  // the machine has no thread left: those that started must not outlive the pool
    throw;
  }
}

TaskPool::~TaskPool() { shared_->end_workers(); }

int TaskPool::concurrency() const { return static_cast<int>(shared_->workers.size()) + 1; }

void TaskPool::run_tasks(std::size_t count, Task task, void* context) {
  Shared& s = *shared_;
  std::unique_lock mine(s.loop_mutex, std::try_to_lock);
  if (!mine || s.workers.empty() || count < 2) {
    for (std::size_t i = 0; i < count; ++i) task(context, i);
    return;
  }
  s.task = task;
  s.context = context;
  s.count = count;
  s.next = 0;
  s.open_gate();
  s.take_tasks();
  s.close_gate();
}

namespace detail {
namespace {

struct RunningLoop {
  explicit RunningLoop(const RangeLoop& l) : loop(l) {}

  const RangeLoop& loop;
  std::atomic<std::size_t> first_failed = std::numeric_limits<std::size_t>::max();
  std::mutex error_mutex;
  std::exception_ptr error;  // of range first_failed

  void run_range(std::size_t index) noexcept {
    // A range before the first failed one still runs: it may turn out to be the first.
    if (index > first_failed.load(std::memory_order_relaxed)) return;
    const std::size_t begin = index * loop.grain;
    const std::size_t end = begin + std::min(loop.grain, loop.count - begin);
    inside_loop = true;
    try {
      loop.call(loop.function, begin, end);
    } catch (...) {
      const std::lock_guard lock(error_mutex);
      if (index < first_failed) {
        first_failed = index;
        error = std::current_exception();
      }
    }
    inside_loop = false;
  }
};

void run_inline(const RangeLoop& loop) {
  for (std::size_t begin = 0; begin < loop.count;) {
    const std::size_t end = begin + std::min(loop.grain, loop.count - begin);
    loop.call(loop.function, begin, end);
    begin = end;
  }
}

}  // namespace

void run_loop(TaskSystem& tasks, const RangeLoop& loop) {
  require(loop.grain > 0, "parallel_for", "grain", "be positive", loop.grain);
  if (loop.count <= loop.grain || inside_loop || tasks.concurrency() == 1) return run_inline(loop);

  RunningLoop running(loop);
  const std::size_t ranges = (loop.count - 1) / loop.grain + 1;
  tasks.run_tasks(
      ranges, [](void* context, std::size_t index) noexcept { static_cast<RunningLoop*>(context)->run_range(index); },
      &running);
  if (running.error) std::rethrow_exception(running.error);
}

}  // namespace detail
}  // namespace visviva
