#pragma once

#include <cstdint>

// What lanes_test.cpp asks of lanes_kernels.cpp, which is compiled once for each instruction set.
// No standard library here beyond integers: its inline functions would be compiled with AVX too.

namespace visviva::lanes_test {

/// Every operation on N <= 16 lanes of a, b, c.
template <class T>
struct Outputs {
  T add[16], subtract[16], multiply[16], divide[16], negate[16], multiply_add[16], mixed[16];
  T minimum[16], maximum[16], absolute[16], root[16], broadcast[16], chosen[16], by_index[16];
  std::uint32_t less, less_equal, greater, greater_equal, equal, not_equal;
  std::uint32_t mask_and, mask_or, mask_xor, mask_not, first_three, from_bits, by_lane;
  bool any, all, none;
};

/// Fills the outputs; n is 1, 2, 4, 8 or 16. p may have any alignment.
#define VISVIVA_DECLARE_KERNELS(name)                                                            \
  namespace name {                                                                               \
  void evaluate(int n, const float* a, const float* b, const float* c, Outputs<float>& out);     \
  void evaluate(int n, const double* a, const double* b, const double* c, Outputs<double>& out); \
  }
VISVIVA_DECLARE_KERNELS(lanes_generic)
VISVIVA_DECLARE_KERNELS(lanes_baseline)
VISVIVA_DECLARE_KERNELS(lanes_avx2)
VISVIVA_DECLARE_KERNELS(lanes_avx512)

}  // namespace visviva::lanes_test
