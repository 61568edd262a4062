#include "visviva/core/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <atomic>
#include <memory>
#include <mutex>

namespace visviva {
namespace {

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return spdlog::level::debug;
    case LogLevel::Info:
      return spdlog::level::info;
    case LogLevel::Warning:
      return spdlog::level::warn;
    case LogLevel::Error:
      return spdlog::level::err;
    case LogLevel::Off:
      break;
  }
  return spdlog::level::off;
}

// A logger of our own, outside spdlog's registry: the program's spdlog settings stay the program's.
void write_to_stderr(LogLevel level, std::string_view message) {
  static const std::shared_ptr<spdlog::logger> logger = [] {
    auto made = std::make_shared<spdlog::logger>("visviva", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made->set_pattern("[%H:%M:%S] %n %^%l%$: %v");
    made->set_level(spdlog::level::trace);  // the threshold is ours
    made->flush_on(spdlog::level::warn);
    return made;
  }();
  logger->log(to_spdlog(level), spdlog::string_view_t(message.data(), message.size()));
}

std::atomic<LogLevel> threshold_now = LogLevel::Warning;

std::mutex handler_mutex;
std::shared_ptr<const LogHandler> handler_now;  // null stands for write_to_stderr

std::shared_ptr<const LogHandler> current_handler() {
  const std::lock_guard lock(handler_mutex);
  return handler_now;
}

}  // namespace

void set_log_handler(LogHandler handler) {
  std::shared_ptr<const LogHandler> next;
  if (handler) next = std::make_shared<const LogHandler>(std::move(handler));
  const std::lock_guard lock(handler_mutex);
  handler_now.swap(next);
}

void set_log_level(LogLevel threshold) noexcept { threshold_now.store(threshold); }
LogLevel log_level() noexcept { return threshold_now.load(std::memory_order_relaxed); }

void write_log(LogLevel level, std::string_view message) {
  // The handler runs outside the lock, and outlives the call even if another thread replaces it.
  if (const auto handler = current_handler())
    (*handler)(level, message);
  else
    write_to_stderr(level, message);
}

}  // namespace visviva
