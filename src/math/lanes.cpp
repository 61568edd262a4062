#include "visviva/math/lanes.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "visviva/core/error.hpp"

namespace visviva {
namespace {

Isa isa_allowed_by_environment() {
  const char* const value = std::getenv("VISVIVA_ISA");
  const std::string_view word = value == nullptr ? "" : value;
  if (word.empty()) return Isa::Avx512;
  for (const Isa isa : {Isa::Baseline, Isa::Avx2, Isa::Avx512})
    if (word == to_string(isa)) return isa;
  throw InvalidArgument("environment", "VISVIVA_ISA", "be baseline, avx2 or avx512", std::string(word));
}

}  // namespace

const char* to_string(Isa isa) {
  switch (isa) {
    case Isa::Avx2:
      return "avx2";
    case Isa::Avx512:
      return "avx512";
    case Isa::Baseline:
      break;
  }
  return "baseline";
}

Isa supported_isa() {
#if defined(__x86_64__) || defined(__i386__)
  if (!__builtin_cpu_supports("avx2")) return Isa::Baseline;
  const bool avx512 =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return avx512 ? Isa::Avx512 : Isa::Avx2;
#else
  return Isa::Baseline;
#endif
}

Isa best_isa() {
  static const Isa isa = std::min(supported_isa(), isa_allowed_by_environment());
  return isa;
}

}  // namespace visviva
