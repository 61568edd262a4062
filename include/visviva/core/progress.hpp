#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "visviva/core/timer.hpp"

namespace visviva {

struct ProgressSettings {
  std::ostream* stream = nullptr;  ///< where to draw; nullptr is the standard error stream
  /// Whether somebody watches. Unset: whether the standard error stream is a terminal. If not,
  /// nothing is ever written.
  std::optional<bool> terminal;
  std::chrono::milliseconds interval{100};  ///< between two drawings
  /// What else to show after `done` steps and so many seconds; asked for each drawing, so it may take its time.
  std::function<std::string(std::size_t done, double seconds)> note{};
};

/// A bar on the terminal for work that takes long. It appears after the first interval, so short
/// work shows none, and is wiped when the work ends: what the program prints stands alone.
///
///   Progress progress("impacts", problems.size());
///   for (…) { …; progress.advance(); }
class Progress {
 public:
  Progress(std::string_view label, std::size_t total, const ProgressSettings& settings = {});
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(std::size_t steps = 1);  ///< from any thread
  void finish();                        ///< wipes the bar; later calls of `advance` draw nothing

 private:
  void draw(std::size_t done, double seconds);

  std::string label_;
  std::size_t total_;
  std::ostream* stream_;
  double interval_;  // [s]
  std::function<std::string(std::size_t, double)> note_;
  Timer timer_;
  std::atomic<bool> shown_;  // false: nobody watches, or finished
  std::atomic<std::size_t> done_ = 0;
  std::atomic<double> next_drawing_;  // [s]
  std::mutex drawing_;
  std::size_t width_ = 0;  // characters on the line now
};

/// The line that is drawn, for `done` of `total` after `seconds`:
/// "impacts  [#######-------------]  35 %  350/1000  2 s left".
[[nodiscard]] std::string progress_line(std::string_view label, std::size_t done, std::size_t total, double seconds);

}  // namespace visviva
