#pragma once

/// VISVIVA_ASSERT(condition): a check for bugs of this library, never for what a caller passes in.
///
/// It is on where VISVIVA_ENABLE_ASSERTS is 1. The build of the library decides that (on in Debug
/// and RelWithDebInfo, see the CMake option VISVIVA_ASSERTS) and hands the decision to every target
/// that links visviva::core, installed or not: an inline function of a public header is then the
/// same in the library and in the program that uses it. When off, the condition is not evaluated.

namespace visviva {

struct AssertFailure {
  const char* condition;
  const char* file;
  int line;
  const char* function;
};

/// Called when an assertion fails. It may throw or end the program; if it returns, the program
/// aborts. It may be called from any thread.
using AssertHandler = void (*)(const AssertFailure&);

/// Returns the handler that was set before. nullptr stands for the default, which logs an error.
AssertHandler set_assert_handler(AssertHandler handler) noexcept;

[[noreturn]] void fail_assert(const AssertFailure& failure);

}  // namespace visviva

#if defined(VISVIVA_ENABLE_ASSERTS) && VISVIVA_ENABLE_ASSERTS
#define VISVIVA_ASSERT(...) \
  ((__VA_ARGS__) ? void() : ::visviva::fail_assert({#__VA_ARGS__, __FILE__, __LINE__, __func__}))
#else
#define VISVIVA_ASSERT(...) void(sizeof((__VA_ARGS__) ? 1 : 0))
#endif
