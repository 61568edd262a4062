#pragma once

#include <chrono>

namespace visviva {

/// Wall time since construction or `restart`.
class Timer {
 public:
  [[nodiscard]] double seconds() const {  ///< [s]
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }
  void restart() { start_ = Clock::now(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// CPU time that the calling thread has used so far; other work on the machine does not count. [s]
[[nodiscard]] double thread_cpu_seconds();

/// CPU time of the calling thread since construction or `restart`. Read it on the same thread.
class ThreadCpuTimer {
 public:
  [[nodiscard]] double seconds() const { return thread_cpu_seconds() - start_; }  ///< [s]
  void restart() { start_ = thread_cpu_seconds(); }

 private:
  double start_ = thread_cpu_seconds();
};

}  // namespace visviva
