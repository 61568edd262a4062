// In a file of its own: where the compiler can inline these it takes new and free for a mismatch.
#include "tests/properties/count_allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

#ifdef __has_feature
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#include <sanitizer/allocator_interface.h>
#define VISVIVA_COUNT_BY_HOOKS
#endif
#endif

namespace {
std::atomic<long> count = 0;
}

long allocation_count() { return count; }

#ifdef VISVIVA_COUNT_BY_HOOKS
// The runtimes of these sanitizers have operators and a malloc of their own, and tell of all that they give.
namespace {
const int installed = __sanitizer_install_malloc_and_free_hooks([](const volatile void*, std::size_t) { ++count; },
                                                                [](const volatile void*) {});
}
#else
#ifdef __GLIBC__
// Eigen takes memory by malloc, past the operators.
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) noexcept {
  ++count;
  return __libc_malloc(size);
}
#endif
void* operator new(std::size_t size) {
  ++count;
  if (void* p = std::malloc(size > 0 ? size : 1)) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++count;
  return std::malloc(size > 0 ? size : 1);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  ++count;
  const auto a = static_cast<std::size_t>(alignment);
  if (void* p = std::aligned_alloc(a, (size + a - 1) / a * a)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
#endif
