#pragma once

// One SIMD register: what lanes.hpp is made of. Include that one.

#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define VISVIVA_LANES_AVX512 1
#define VISVIVA_LANES_NAMESPACE lanes_avx512
#elif defined(__AVX2__)
#define VISVIVA_LANES_AVX2 1
#define VISVIVA_LANES_NAMESPACE lanes_avx2
#elif defined(__SSE2__)
#define VISVIVA_LANES_NAMESPACE lanes_baseline
#else
#define VISVIVA_LANES_NAMESPACE lanes_generic
#endif
#define VISVIVA_LANES_INLINE inline __attribute__((always_inline))
#define VISVIVA_LANES_LAMBDA __attribute__((always_inline))

namespace visviva {

/// Instruction sets that lane files are compiled for, each including those before it.
enum class Isa { Baseline, Avx2, Avx512 };

inline namespace VISVIVA_LANES_NAMESPACE {

/// What this translation unit is compiled for.
#if defined(VISVIVA_LANES_AVX512)
inline constexpr Isa kIsa = Isa::Avx512;
inline constexpr int kRegisterBytes = 64;
#elif defined(VISVIVA_LANES_AVX2)
inline constexpr Isa kIsa = Isa::Avx2;
inline constexpr int kRegisterBytes = 32;
#else
inline constexpr Isa kIsa = Isa::Baseline;
inline constexpr int kRegisterBytes = 16;
#endif

/// Number of T in one register.
template <class T>
inline constexpr int kRegisterLanes = kRegisterBytes / static_cast<int>(sizeof(T));

namespace lanes_detail {

// A value of N lanes is one number, one register, or two halves: halves instead of vectors wider
// than a register, because compilers pass and compare the latter badly.
enum class Shape { Scalar, Register, Halves };

template <class T, int N>
inline constexpr Shape kShape = N == 1                                                             ? Shape::Scalar
                                : (N* static_cast<int>(sizeof(T)) >= 16 && N <= kRegisterLanes<T>) ? Shape::Register
                                                                                                   : Shape::Halves;

template <int bytes>
struct SignedInteger;
template <>
struct SignedInteger<4> {
  using Type = std::int32_t;
};
template <>
struct SignedInteger<8> {
  using Type = std::int64_t;
};
template <class T>
using IntegerOf = typename SignedInteger<sizeof(T)>::Type;

template <class T, int N>
struct VectorOf {
  typedef T Type __attribute__((vector_size(N * sizeof(T))));
};
template <class T, int N>
using Vector = typename VectorOf<T, N>::Type;

#if defined(VISVIVA_LANES_AVX512)
template <class T, int N>
struct MaskOf {
  using Type = std::uint16_t;  // bit i is lane i
};
#else
template <class T, int N>
struct MaskOf {
  typedef IntegerOf<T> Type __attribute__((vector_size(N * sizeof(T))));  // lanes of 0 or -1
};
#endif

// The representation of each shape, without naming a vector type as a template argument.
template <Shape shape, class ScalarType, class RegisterType, class HalvesType>
struct Choose {
  using Type = HalvesType;
};
template <class ScalarType, class RegisterType, class HalvesType>
struct Choose<Shape::Scalar, ScalarType, RegisterType, HalvesType> {
  using Type = ScalarType;
};
template <class ScalarType, class RegisterType, class HalvesType>
struct Choose<Shape::Register, ScalarType, RegisterType, HalvesType> {
  using Type = typename RegisterType::Type;
};

enum class Relation { Less, LessEqual, Equal, NotEqual };

// ---- one register -------------------------------------------------------------------------------

#if defined(VISVIVA_LANES_AVX512)

// The maskz forms with all lanes on compile to the plain instruction, without a false warning of
// g++ 12 about the undefined source of the plain intrinsic.
inline constexpr __mmask8 kLanes8 = 0xff;
inline constexpr __mmask16 kLanes16 = 0xffff;

template <Relation r>
inline constexpr int kPredicate = r == Relation::Less        ? _CMP_LT_OS
                                  : r == Relation::LessEqual ? _CMP_LE_OS
                                  : r == Relation::Equal     ? _CMP_EQ_OQ
                                                             : _CMP_NEQ_UQ;

template <Relation r, class T, int N>
VISVIVA_LANES_INLINE std::uint16_t compare(Vector<T, N> a, Vector<T, N> b) {
  constexpr int bytes = N * static_cast<int>(sizeof(T));
  if constexpr (sizeof(T) == 8 && bytes == 64)
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, kPredicate<r>);
  else if constexpr (sizeof(T) == 8 && bytes == 32)
    return _mm256_cmp_pd_mask((__m256d)a, (__m256d)b, kPredicate<r>);
  else if constexpr (sizeof(T) == 8)
    return _mm_cmp_pd_mask((__m128d)a, (__m128d)b, kPredicate<r>);
  else if constexpr (bytes == 64)
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, kPredicate<r>);
  else if constexpr (bytes == 32)
    return _mm256_cmp_ps_mask((__m256)a, (__m256)b, kPredicate<r>);
  else
    return _mm_cmp_ps_mask((__m128)a, (__m128)b, kPredicate<r>);
}

template <class T, int N>
VISVIVA_LANES_INLINE Vector<T, N> blend(std::uint16_t mask, Vector<T, N> a, Vector<T, N> b) {
  constexpr int bytes = N * static_cast<int>(sizeof(T));
  if constexpr (sizeof(T) == 8) {
    const auto m = static_cast<__mmask8>(mask);
    if constexpr (bytes == 64)
      return (Vector<T, N>)_mm512_mask_blend_pd(m, (__m512d)b, (__m512d)a);
    else if constexpr (bytes == 32)
      return (Vector<T, N>)_mm256_mask_blend_pd(m, (__m256d)b, (__m256d)a);
    else
      return (Vector<T, N>)_mm_mask_blend_pd(m, (__m128d)b, (__m128d)a);
  } else {
    if constexpr (bytes == 64)
      return (Vector<T, N>)_mm512_mask_blend_ps(mask, (__m512)b, (__m512)a);
    else if constexpr (bytes == 32)
      return (Vector<T, N>)_mm256_mask_blend_ps(static_cast<__mmask8>(mask), (__m256)b, (__m256)a);
    else
      return (Vector<T, N>)_mm_mask_blend_ps(static_cast<__mmask8>(mask), (__m128)b, (__m128)a);
  }
}

template <class T, int N>
VISVIVA_LANES_INLINE std::uint32_t mask_bits(std::uint16_t mask) {
  return mask;
}

template <class T, int N>
VISVIVA_LANES_INLINE std::uint16_t mask_from_bits(std::uint32_t bits) {
  return static_cast<std::uint16_t>(bits & ((1u << N) - 1u));
}

#else

template <Relation r, class T, int N>
VISVIVA_LANES_INLINE auto compare(Vector<T, N> a, Vector<T, N> b) {
  using Mask = typename MaskOf<T, N>::Type;
  if constexpr (r == Relation::Less)
    return (Mask)(a < b);
  else if constexpr (r == Relation::LessEqual)
    return (Mask)(a <= b);
  else if constexpr (r == Relation::Equal)
    return (Mask)(a == b);
  else
    return (Mask)(a != b);
}

template <class T, int N>
VISVIVA_LANES_INLINE Vector<T, N> blend(typename MaskOf<T, N>::Type mask, Vector<T, N> a, Vector<T, N> b) {
#if defined(VISVIVA_LANES_AVX2)
  constexpr int bytes = N * static_cast<int>(sizeof(T));
  if constexpr (sizeof(T) == 8 && bytes == 32)
    return (Vector<T, N>)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)mask);
  else if constexpr (sizeof(T) == 8)
    return (Vector<T, N>)_mm_blendv_pd((__m128d)b, (__m128d)a, (__m128d)mask);
  else if constexpr (bytes == 32)
    return (Vector<T, N>)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)mask);
  else
    return (Vector<T, N>)_mm_blendv_ps((__m128)b, (__m128)a, (__m128)mask);
#else
  using Mask = typename MaskOf<T, N>::Type;
  return (Vector<T, N>)(((Mask)a & mask) | ((Mask)b & ~mask));
#endif
}

template <class T, int N>
VISVIVA_LANES_INLINE std::uint32_t mask_bits(typename MaskOf<T, N>::Type mask) {
  constexpr int bytes = N * static_cast<int>(sizeof(T));
  (void)bytes;
#if defined(VISVIVA_LANES_AVX2)
  if constexpr (sizeof(T) == 8 && bytes == 32)
    return static_cast<std::uint32_t>(_mm256_movemask_pd((__m256d)mask));
  else if constexpr (bytes == 32)
    return static_cast<std::uint32_t>(_mm256_movemask_ps((__m256)mask));
#endif
#if defined(__SSE2__)
  if constexpr (sizeof(T) == 8 && bytes == 16)
    return static_cast<std::uint32_t>(_mm_movemask_pd((__m128d)mask));
  else if constexpr (bytes == 16)
    return static_cast<std::uint32_t>(_mm_movemask_ps((__m128)mask));
#endif
  std::uint32_t bits = 0;
  for (int i = 0; i < N; ++i) bits |= (mask[i] != 0 ? 1u : 0u) << i;
  return bits;
}

template <class T, int N>
VISVIVA_LANES_INLINE auto mask_from_bits(std::uint32_t bits) {
  typename MaskOf<T, N>::Type mask = {};
  for (int i = 0; i < N; ++i) mask[i] = (bits >> i & 1u) != 0 ? -1 : 0;
  return mask;
}

#endif

/// Lane by lane a < b ? a : b, or b < a ? a : b: the rule of the instructions themselves.
template <bool smaller, class T, int N>
VISVIVA_LANES_INLINE Vector<T, N> extreme(Vector<T, N> a, Vector<T, N> b) {
  constexpr int bytes = N * static_cast<int>(sizeof(T));
  (void)bytes;
#if defined(VISVIVA_LANES_AVX512)
  if constexpr (sizeof(T) == 8 && bytes == 64)
    return (Vector<T, N>)(smaller ? _mm512_maskz_min_pd(kLanes8, (__m512d)a, (__m512d)b)
                                  : _mm512_maskz_max_pd(kLanes8, (__m512d)a, (__m512d)b));
  else if constexpr (bytes == 64)
    return (Vector<T, N>)(smaller ? _mm512_maskz_min_ps(kLanes16, (__m512)a, (__m512)b)
                                  : _mm512_maskz_max_ps(kLanes16, (__m512)a, (__m512)b));
#endif
#if defined(VISVIVA_LANES_AVX512) || defined(VISVIVA_LANES_AVX2)
  if constexpr (sizeof(T) == 8 && bytes == 32)
    return (Vector<T, N>)(smaller ? _mm256_min_pd((__m256d)a, (__m256d)b) : _mm256_max_pd((__m256d)a, (__m256d)b));
  else if constexpr (bytes == 32)
    return (Vector<T, N>)(smaller ? _mm256_min_ps((__m256)a, (__m256)b) : _mm256_max_ps((__m256)a, (__m256)b));
#endif
#if defined(__SSE2__)
  if constexpr (sizeof(T) == 8 && bytes == 16)
    return (Vector<T, N>)(smaller ? _mm_min_pd((__m128d)a, (__m128d)b) : _mm_max_pd((__m128d)a, (__m128d)b));
  else if constexpr (bytes == 16)
    return (Vector<T, N>)(smaller ? _mm_min_ps((__m128)a, (__m128)b) : _mm_max_ps((__m128)a, (__m128)b));
#else
  if constexpr (smaller)
    return blend<T, N>(compare<Relation::Less, T, N>(a, b), a, b);
  else
    return blend<T, N>(compare<Relation::Less, T, N>(b, a), a, b);
#endif
}

template <class T>
VISVIVA_LANES_INLINE T square_root_of(T a) {
  if constexpr (sizeof(T) == 8)
    return __builtin_sqrt(a);
  else
    return __builtin_sqrtf(a);
}

template <class T, int N>
VISVIVA_LANES_INLINE Vector<T, N> square_roots(Vector<T, N> a) {
  constexpr int bytes = N * static_cast<int>(sizeof(T));
  (void)bytes;
#if defined(VISVIVA_LANES_AVX512)
  if constexpr (sizeof(T) == 8 && bytes == 64)
    return (Vector<T, N>)_mm512_maskz_sqrt_pd(kLanes8, (__m512d)a);
  else if constexpr (bytes == 64)
    return (Vector<T, N>)_mm512_maskz_sqrt_ps(kLanes16, (__m512)a);
#endif
#if defined(VISVIVA_LANES_AVX512) || defined(VISVIVA_LANES_AVX2)
  if constexpr (sizeof(T) == 8 && bytes == 32)
    return (Vector<T, N>)_mm256_sqrt_pd((__m256d)a);
  else if constexpr (bytes == 32)
    return (Vector<T, N>)_mm256_sqrt_ps((__m256)a);
#endif
#if defined(__SSE2__)
  if constexpr (sizeof(T) == 8 && bytes == 16)
    return (Vector<T, N>)_mm_sqrt_pd((__m128d)a);
  else if constexpr (bytes == 16)
    return (Vector<T, N>)_mm_sqrt_ps((__m128)a);
#else
  Vector<T, N> root = a;
  for (int i = 0; i < N; ++i) root[i] = square_root_of(a[i]);
  return root;
#endif
}

template <class T, int N>
VISVIVA_LANES_INLINE Vector<T, N> magnitude(Vector<T, N> a) {
  using Integers = Vector<IntegerOf<T>, N>;
  constexpr IntegerOf<T> all_but_sign = static_cast<IntegerOf<T>>(~(1ull << (8 * sizeof(T) - 1)));
  return (Vector<T, N>)((Integers)a & (Integers{} + all_but_sign));
}

template <class T>
VISVIVA_LANES_INLINE T magnitude_of(T a) {
  if constexpr (sizeof(T) == 8)
    return __builtin_fabs(a);
  else
    return __builtin_fabsf(a);
}

/// Lane j of row i becomes lane i of row j, of four rows of four.
template <class T>
VISVIVA_LANES_INLINE void transpose4(Vector<T, 4>& a, Vector<T, 4>& b, Vector<T, 4>& c, Vector<T, 4>& d) {
  const Vector<T, 4> ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Vector<T, 4> ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Vector<T, 4> cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Vector<T, 4> cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  c = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

/// The same of eight rows of eight: within halves of registers first, then the halves change places.
template <class T>
VISVIVA_LANES_INLINE void transpose8(Vector<T, 8> (&r)[8]) {
  Vector<T, 8> s[8];
  for (int i = 0; i < 8; i += 4) {
    const Vector<T, 8> ab_low = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    const Vector<T, 8> ab_high = __builtin_shufflevector(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    const Vector<T, 8> cd_low = __builtin_shufflevector(r[i + 2], r[i + 3], 0, 8, 1, 9, 4, 12, 5, 13);
    const Vector<T, 8> cd_high = __builtin_shufflevector(r[i + 2], r[i + 3], 2, 10, 3, 11, 6, 14, 7, 15);
    s[i] = __builtin_shufflevector(ab_low, cd_low, 0, 1, 8, 9, 4, 5, 12, 13);
    s[i + 1] = __builtin_shufflevector(ab_low, cd_low, 2, 3, 10, 11, 6, 7, 14, 15);
    s[i + 2] = __builtin_shufflevector(ab_high, cd_high, 0, 1, 8, 9, 4, 5, 12, 13);
    s[i + 3] = __builtin_shufflevector(ab_high, cd_high, 2, 3, 10, 11, 6, 7, 14, 15);
  }
  for (int i = 0; i < 4; ++i) {
    r[i] = __builtin_shufflevector(s[i], s[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    r[i + 4] = __builtin_shufflevector(s[i], s[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

}  // namespace lanes_detail

}  // namespace VISVIVA_LANES_NAMESPACE
}  // namespace visviva
