#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace visviva {

/// What the engine asks of a scheduler. TaskPool is ours; an application that has its own job
/// system derives from this and passes it instead.
class TaskSystem {
 public:
  using Task = void (*)(void* context, std::size_t index) noexcept;

  virtual ~TaskSystem() = default;

  /// How many tasks may run at once, the calling thread included, >= 1.
  [[nodiscard]] virtual int concurrency() const = 0;

  /// Calls task(context, i) once for each i in [0, count), on any threads and in any order, and
  /// returns when all have returned. What a task wrote is visible to the caller afterwards.
  virtual void run_tasks(std::size_t count, Task task, void* context) = 0;
};

/// Threads that wait for parallel loops: spinning for a moment, then asleep.
///
/// One loop runs at a time: a second thread that starts a loop meanwhile does its tasks itself.
class TaskPool final : public TaskSystem {
 public:
  /// `threads` counts the calling thread, so TaskPool(1) starts none. 0 stands for one a core.
  /// Throws InvalidArgument if it is negative.
  explicit TaskPool(int threads = 0);
  ~TaskPool() override;  ///< no loop may be running
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  [[nodiscard]] int concurrency() const override;
  void run_tasks(std::size_t count, Task task, void* context) override;

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

namespace detail {
struct RangeLoop {
  std::size_t count;
  std::size_t grain;
  void (*call)(void* function, std::size_t begin, std::size_t end);
  void* function;
};
void run_loop(TaskSystem& tasks, const RangeLoop& loop);
}  // namespace detail

/// Calls function(begin, end) for the ranges [0, grain), [grain, 2 grain), … that cover [0, count),
/// and returns when all are done. The ranges depend on `count` and `grain` alone, never on the
/// number of threads, so what is computed a range is the same bits for any TaskSystem.
///
/// If ranges throw, the exception of the first of them by index is thrown on; ranges after it may
/// have been left out. A loop inside a loop runs on the thread it is called from. Allocates
/// nothing. Throws InvalidArgument if grain is 0.
template <class Function>
void parallel_for(TaskSystem& tasks, std::size_t count, std::size_t grain, Function&& function) {
  using F = std::remove_reference_t<Function>;
  const auto call = [](void* f, std::size_t begin, std::size_t end) { (*static_cast<F*>(f))(begin, end); };
  void* address = const_cast<void*>(static_cast<const void*>(std::addressof(function)));
  detail::run_loop(tasks, {.count = count, .grain = grain, .call = call, .function = address});
}

}  // namespace visviva
