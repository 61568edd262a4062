#pragma once

#include <fmt/format.h>

#include <functional>
#include <string_view>
#include <utility>

namespace visviva {

enum class LogLevel {
  Debug,
  Info,
  Warning,  ///< the default threshold
  Error,
  Off,  ///< as a threshold: nothing is logged
};

/// Receives each message at or above the threshold, without a line end. It may be called from
/// several threads at once.
using LogHandler = std::function<void(LogLevel level, std::string_view message)>;

/// An empty handler stands for the default, which writes to the standard error stream.
void set_log_handler(LogHandler handler);

/// Messages below the threshold are neither formatted nor handed on.
void set_log_level(LogLevel threshold) noexcept;
[[nodiscard]] LogLevel log_level() noexcept;

/// Hands a finished message to the handler, whatever the threshold.
void write_log(LogLevel level, std::string_view message);

template <class... Args>
void log_message(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (level >= log_level()) write_log(level, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
  log_message(LogLevel::Debug, format, std::forward<Args>(args)...);
}
template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  log_message(LogLevel::Info, format, std::forward<Args>(args)...);
}
template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  log_message(LogLevel::Warning, format, std::forward<Args>(args)...);
}
template <class... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) {
  log_message(LogLevel::Error, format, std::forward<Args>(args)...);
}

}  // namespace visviva
