#include "lanes_kernels.hpp"

#include "visviva/math/lanes.hpp"

namespace visviva::lanes_test::VISVIVA_LANES_NAMESPACE {
namespace {

template <class T, int N>
void evaluate_lanes(const T* pa, const T* pb, const T* pc, Outputs<T>& out) {
  using L = Lanes<T, N>;
  using M = typename L::MaskType;
  const L a = L::load(pa), b = L::load(pb), c = L::load(pc);
  (a + b).store(out.add);
  (a - b).store(out.subtract);
  (a * b).store(out.multiply);
  (a / b).store(out.divide);
  (-a).store(out.negate);
  (a * b + c).store(out.multiply_add);  // must not become an FMA
  L mixed = T{2} * a;
  mixed += T{3};
  mixed -= b;
  mixed *= c;
  mixed /= T{7};
  mixed.store(out.mixed);
  min(a, b).store(out.minimum);
  max(a, b).store(out.maximum);
  abs(a).store(out.absolute);
  sqrt(a).store(out.root);
  L(pa[0]).store(out.broadcast);
  select(a < b, b, c).store(out.chosen);
  L indexed = a;
  for (int i = 0; i < N; ++i) indexed.set(i, b[N - 1 - i]);
  indexed.store(out.by_index);

  const M less = a < b, equal = a == b;
  out.less = to_bits(less);
  out.less_equal = to_bits(a <= b);
  out.greater = to_bits(a > b);
  out.greater_equal = to_bits(a >= b);
  out.equal = to_bits(equal);
  out.not_equal = to_bits(a != b);
  const M positive = c > T{0};
  out.mask_and = to_bits(less & positive);
  out.mask_or = to_bits(less | positive);
  out.mask_xor = to_bits(less ^ positive);
  out.mask_not = to_bits(!less);
  out.first_three = to_bits(M::first(N < 3 ? N : 3));
  out.from_bits = to_bits(M::from_bits(out.less));
  out.by_lane = 0;
  for (int i = 0; i < N; ++i) out.by_lane |= (less[i] ? 1u : 0u) << i;
  out.any = any(less);
  out.all = all(less);
  out.none = none(less);
}

template <class T>
void evaluate_for(int n, const T* a, const T* b, const T* c, Outputs<T>& out) {
  if (n == 1) evaluate_lanes<T, 1>(a, b, c, out);
  if (n == 2) evaluate_lanes<T, 2>(a, b, c, out);
  if (n == 4) evaluate_lanes<T, 4>(a, b, c, out);
  if (n == 8) evaluate_lanes<T, 8>(a, b, c, out);
  if (n == 16) evaluate_lanes<T, 16>(a, b, c, out);
}

}  // namespace

void evaluate(int n, const float* a, const float* b, const float* c, Outputs<float>& out) {
  evaluate_for(n, a, b, c, out);
}

void evaluate(int n, const double* a, const double* b, const double* c, Outputs<double>& out) {
  evaluate_for(n, a, b, c, out);
}

}  // namespace visviva::lanes_test::VISVIVA_LANES_NAMESPACE
