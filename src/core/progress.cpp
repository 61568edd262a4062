#include "visviva/core/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>

namespace visviva {
namespace {

constexpr std::size_t kBarWidth = 20;

// "12 s", "3 min 20 s", "2 h 5 min"
std::string readable_time(double seconds) {
  const auto whole = static_cast<long long>(std::ceil(std::min(seconds, 1e9)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace

std::string progress_line(std::string_view label, std::size_t done, std::size_t total, double seconds) {
  done = std::min(done, total);
  const double part = total == 0 ? 1 : static_cast<double>(done) / static_cast<double>(total);
  const auto filled = static_cast<std::size_t>(part * static_cast<double>(kBarWidth));
  std::string line = fmt::format("{}  [{:#<{}}{:-<{}}]  {:.0f} %  {}/{}", label, "", filled, "", kBarWidth - filled,
                                 std::floor(100 * part), done, total);
  if (done > 0 && done < total) line += fmt::format("  {} left", readable_time(seconds * (1 - part) / part));
  return line;
}

Progress::Progress(std::string_view label, std::size_t total, const ProgressSettings& settings)
    : label_(label),
      total_(total),
      stream_(settings.stream != nullptr ? settings.stream : &std::cerr),
      interval_(std::chrono::duration<double>(settings.interval).count()),
      note_(settings.note),
      shown_(settings.terminal.value_or(isatty(STDERR_FILENO) == 1)),
      next_drawing_(interval_) {}

void Progress::advance(std::size_t steps) {
  const std::size_t done = done_.fetch_add(steps, std::memory_order_relaxed) + steps;
  if (!shown_.load(std::memory_order_relaxed)) return;
  const double seconds = timer_.seconds();
  if (seconds < next_drawing_.load(std::memory_order_relaxed)) return;
  // Whoever comes while another thread draws goes on with its work.
  if (const std::unique_lock lock(drawing_, std::try_to_lock); lock && shown_) {
    next_drawing_ = seconds + interval_;
    draw(done, seconds);
  }
}

void Progress::finish() {
  const std::lock_guard lock(drawing_);
  shown_ = false;
  if (width_ > 0) *stream_ << '\r' << std::string(width_, ' ') << '\r' << std::flush;
  width_ = 0;
}

void Progress::draw(std::size_t done, double seconds) {
  std::string line = progress_line(label_, done, total_, seconds);
  if (note_) line += "  " + note_(done, seconds);
  const std::size_t width = line.size();
  // Blanks instead of an escape sequence wipe what a longer line left: every terminal knows them.
  if (width < width_) line.append(width_ - width, ' ');
  *stream_ << '\r' << line << std::flush;
  width_ = std::max(width_, width);
}

}  // namespace visviva
