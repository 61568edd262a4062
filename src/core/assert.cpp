#include "visviva/core/assert.hpp"

#include <atomic>
#include <cstdlib>

#include "visviva/core/log.hpp"

namespace visviva {
namespace {

void log_failure(const AssertFailure& failure) {
  log_error("{}:{}: {}: assertion failed: {}", failure.file, failure.line, failure.function, failure.condition);
}

std::atomic<AssertHandler> current_handler = nullptr;

}  // namespace

AssertHandler set_assert_handler(AssertHandler handler) noexcept { return current_handler.exchange(handler); }

void fail_assert(const AssertFailure& failure) {
  const AssertHandler handler = current_handler.load();
  (handler != nullptr ? handler : log_failure)(failure);
  std::abort();
}

}  // namespace visviva
