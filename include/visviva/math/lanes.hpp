#pragma once

#include <cstdint>

#include "visviva/math/lanes_register.hpp"

/// The one SIMD wrapper. `Lanes<T, N>` is N independent numbers (T = float or double; N = 1, 2, 4,
/// 8, 16) that go through the same arithmetic. Every operation gives each lane the bits that the
/// scalar operation gives, for any N and instruction set: there is no FMA, no reciprocal estimate
/// and no arithmetic across lanes.
///
/// A lane file (`*_lanes.cpp`) is compiled once for each instruction set with these flags:
///   Baseline  none beyond the project's (SSE2 on x86-64, generic code elsewhere)
///   Avx2      -mavx2
///   Avx512    -mavx512f -mavx512dq -mavx512vl -mprefer-vector-width=512
/// always with -ffp-contract=off, and its functions are chosen at run time by best_isa(). All that
/// is here lives in an inline namespace named after the instruction set of the translation unit, so
/// the linker can never give code with AVX instructions to a caller compiled without. A lane file
/// puts its own functions into `namespace VISVIVA_LANES_NAMESPACE` for the same reason, and uses no
/// inline function of other headers that is not forced inline (Eigen's and the standard library's
/// are not): this header itself includes nothing but integers and intrinsics.
namespace visviva {

/// The best that processor and operating system support, and not above what the environment
/// variable VISVIVA_ISA (baseline, avx2, avx512) allows. It is read once, at the first call;
/// another word throws InvalidArgument.
[[nodiscard]] Isa best_isa();

/// The best that processor and operating system support.
[[nodiscard]] Isa supported_isa();

/// "baseline", "avx2" or "avx512".
[[nodiscard]] const char* to_string(Isa isa);

inline namespace VISVIVA_LANES_NAMESPACE {

template <class T, int N>
class Lanes;

/// One truth value a lane, the result of comparing two Lanes<T, N>.
template <class T, int N>
class Mask {
 public:
  Mask() = default;  ///< undefined lanes

  /// Lane i is bit i.
  [[nodiscard]] static VISVIVA_LANES_INLINE Mask from_bits(std::uint32_t bits) {
    if constexpr (kShape == Shape::Scalar)
      return of((bits & 1u) != 0);
    else if constexpr (kShape == Shape::Register)
      return of(lanes_detail::mask_from_bits<T, N>(bits));
    else
      return of({Half::from_bits(bits), Half::from_bits(bits >> (N / 2))});
  }
  /// The first `count` lanes, 0 <= count <= N: for the tail of an array.
  [[nodiscard]] static VISVIVA_LANES_INLINE Mask first(int count) { return from_bits((1u << count) - 1u); }

  friend VISVIVA_LANES_INLINE Mask operator&(Mask a, Mask b) {
    return combine([](auto x, auto y) VISVIVA_LANES_LAMBDA { return x & y; }, a, b);
  }
  friend VISVIVA_LANES_INLINE Mask operator|(Mask a, Mask b) {
    return combine([](auto x, auto y) VISVIVA_LANES_LAMBDA { return x | y; }, a, b);
  }
  friend VISVIVA_LANES_INLINE Mask operator^(Mask a, Mask b) {
    return combine([](auto x, auto y) VISVIVA_LANES_LAMBDA { return x ^ y; }, a, b);
  }
  friend VISVIVA_LANES_INLINE Mask operator!(Mask a) { return a ^ from_bits(kAllBits); }
  VISVIVA_LANES_INLINE Mask& operator&=(Mask b) { return *this = *this & b; }
  VISVIVA_LANES_INLINE Mask& operator|=(Mask b) { return *this = *this | b; }

  /// Bit i is lane i.
  [[nodiscard]] friend VISVIVA_LANES_INLINE std::uint32_t to_bits(Mask a) {
    if constexpr (kShape == Shape::Scalar)
      return a.value_ ? 1u : 0u;
    else if constexpr (kShape == Shape::Register)
      return lanes_detail::mask_bits<T, N>(a.value_);
    else
      return to_bits(a.value_.lo) | to_bits(a.value_.hi) << (N / 2);
  }
  [[nodiscard]] friend VISVIVA_LANES_INLINE bool any(Mask a) { return to_bits(a) != 0; }
  [[nodiscard]] friend VISVIVA_LANES_INLINE bool all(Mask a) { return to_bits(a) == kAllBits; }
  [[nodiscard]] friend VISVIVA_LANES_INLINE bool none(Mask a) { return to_bits(a) == 0; }
  [[nodiscard]] VISVIVA_LANES_INLINE bool operator[](int lane) const { return (to_bits(*this) >> lane & 1u) != 0; }

 private:
  template <class, int>
  friend class Mask;
  template <class, int>
  friend class Lanes;
  using Shape = lanes_detail::Shape;
  using Half = Mask<T, (N > 1 ? N / 2 : 1)>;
  static constexpr Shape kShape = lanes_detail::kShape<T, N>;
  static constexpr std::uint32_t kAllBits = (1u << N) - 1u;
  struct Halves {
    Half lo, hi;
  };
  using Value = typename lanes_detail::Choose<kShape, bool, typename lanes_detail::MaskOf<T, N>, Halves>::Type;

  static VISVIVA_LANES_INLINE Mask of(Value value) {
    Mask m;
    m.value_ = value;
    return m;
  }
  template <class F>
  static VISVIVA_LANES_INLINE Mask combine(F f, Mask a, Mask b) {
    if constexpr (kShape == Shape::Halves)
      return of({Half::combine(f, a.value_.lo, b.value_.lo), Half::combine(f, a.value_.hi, b.value_.hi)});
    else
      return of(static_cast<Value>(f(a.value_, b.value_)));
  }

  Value value_;
};

/// N numbers that go through the same arithmetic. A plain number converts to N copies of it.
template <class T, int N>
class Lanes {
  static_assert(N == 1 || N == 2 || N == 4 || N == 8 || N == 16);
  using Shape = lanes_detail::Shape;
  using Half = Lanes<T, (N > 1 ? N / 2 : 1)>;
  static constexpr Shape kShape = lanes_detail::kShape<T, N>;

 public:
  using Scalar = T;
  using MaskType = Mask<T, N>;
  static constexpr int kSize = N;

  Lanes() = default;  ///< undefined lanes
  // NOLINTNEXTLINE(google-explicit-constructor): formulas mix numbers and lanes.
  VISVIVA_LANES_INLINE Lanes(T x) {
    if constexpr (kShape == Shape::Scalar)
      value_ = x;
    else if constexpr (kShape == Shape::Register)
      value_ = x - Value{};  // x + 0 would lose the sign of -0
    else
      value_ = {Half(x), Half(x)};
  }

  /// Reads N numbers from p, of any alignment.
  [[nodiscard]] static VISVIVA_LANES_INLINE Lanes load(const T* p) {
    Lanes a;
    if constexpr (kShape == Shape::Halves)
      a.value_ = {Half::load(p), Half::load(p + N / 2)};
    else
      __builtin_memcpy(&a.value_, p, sizeof a.value_);
    return a;
  }
  /// Writes N numbers to p, of any alignment.
  VISVIVA_LANES_INLINE void store(T* p) const {
    if constexpr (kShape == Shape::Halves) {
      value_.lo.store(p);
      value_.hi.store(p + N / 2);
    } else {
      __builtin_memcpy(p, &value_, sizeof value_);
    }
  }

  // The masks below change no valid index: they keep g++ from seeing one beyond a half.
  [[nodiscard]] VISVIVA_LANES_INLINE T operator[](int lane) const {
    if constexpr (kShape == Shape::Scalar)
      return value_;
    else if constexpr (kShape == Shape::Register)
      return value_[lane & (N - 1)];
    else
      return lane < N / 2 ? value_.lo[lane] : value_.hi[lane - N / 2];
  }
  VISVIVA_LANES_INLINE void set(int lane, T x) {
    if constexpr (kShape == Shape::Scalar)
      value_ = x;
    else if constexpr (kShape == Shape::Register)
      value_[lane & (N - 1)] = x;
    else if (lane < N / 2)
      value_.lo.set(lane, x);
    else
      value_.hi.set(lane - N / 2, x);
  }

  friend VISVIVA_LANES_INLINE Lanes operator+(Lanes a, Lanes b) {
    return combine([](auto x, auto y) VISVIVA_LANES_LAMBDA { return x + y; }, a, b);
  }
  friend VISVIVA_LANES_INLINE Lanes operator-(Lanes a, Lanes b) {
    return combine([](auto x, auto y) VISVIVA_LANES_LAMBDA { return x - y; }, a, b);
  }
  friend VISVIVA_LANES_INLINE Lanes operator*(Lanes a, Lanes b) {
    return combine([](auto x, auto y) VISVIVA_LANES_LAMBDA { return x * y; }, a, b);
  }
  friend VISVIVA_LANES_INLINE Lanes operator/(Lanes a, Lanes b) {
    return combine([](auto x, auto y) VISVIVA_LANES_LAMBDA { return x / y; }, a, b);
  }
  friend VISVIVA_LANES_INLINE Lanes operator-(Lanes a) {
    return map([](auto x) VISVIVA_LANES_LAMBDA { return -x; }, a);
  }
  VISVIVA_LANES_INLINE Lanes& operator+=(Lanes b) { return *this = *this + b; }
  VISVIVA_LANES_INLINE Lanes& operator-=(Lanes b) { return *this = *this - b; }
  VISVIVA_LANES_INLINE Lanes& operator*=(Lanes b) { return *this = *this * b; }
  VISVIVA_LANES_INLINE Lanes& operator/=(Lanes b) { return *this = *this / b; }

  friend VISVIVA_LANES_INLINE MaskType operator<(Lanes a, Lanes b) {
    return compare<lanes_detail::Relation::Less>(a, b);
  }
  friend VISVIVA_LANES_INLINE MaskType operator<=(Lanes a, Lanes b) {
    return compare<lanes_detail::Relation::LessEqual>(a, b);
  }
  friend VISVIVA_LANES_INLINE MaskType operator>(Lanes a, Lanes b) { return b < a; }
  friend VISVIVA_LANES_INLINE MaskType operator>=(Lanes a, Lanes b) { return b <= a; }
  friend VISVIVA_LANES_INLINE MaskType operator==(Lanes a, Lanes b) {
    return compare<lanes_detail::Relation::Equal>(a, b);
  }
  friend VISVIVA_LANES_INLINE MaskType operator!=(Lanes a, Lanes b) {
    return compare<lanes_detail::Relation::NotEqual>(a, b);
  }

  /// a where the mask is true, b elsewhere.
  [[nodiscard]] friend VISVIVA_LANES_INLINE Lanes select(MaskType mask, Lanes a, Lanes b) { return choose(mask, a, b); }
  /// a < b ? a : b; that is b if either is NaN, or both are zeros.
  [[nodiscard]] friend VISVIVA_LANES_INLINE Lanes min(Lanes a, Lanes b) { return extreme<true>(a, b); }
  /// b < a ? a : b; that is b if either is NaN, or both are zeros.
  [[nodiscard]] friend VISVIVA_LANES_INLINE Lanes max(Lanes a, Lanes b) { return extreme<false>(a, b); }
  /// Clears the sign bit, of zeros and NaN too.
  [[nodiscard]] friend VISVIVA_LANES_INLINE Lanes abs(Lanes a) { return magnitude(a); }
  /// Correctly rounded.
  [[nodiscard]] friend VISVIVA_LANES_INLINE Lanes sqrt(Lanes a) { return square_root(a); }
  /// Lane j of row i becomes lane i of row j: eight records of eight floats become eight lanes of each number.
  friend VISVIVA_LANES_INLINE void transpose(Lanes (&rows)[8]) { exchange(rows); }

 private:
  template <class, int>
  friend class Lanes;
  struct Halves {
    Half lo, hi;
  };
  using Value = typename lanes_detail::Choose<kShape, T, lanes_detail::VectorOf<T, N>, Halves>::Type;

  static VISVIVA_LANES_INLINE Lanes of(Value value) {
    Lanes a;
    a.value_ = value;
    return a;
  }
  template <class F>
  static VISVIVA_LANES_INLINE Lanes map(F f, Lanes a) {
    if constexpr (kShape == Shape::Halves)
      return of({Half::map(f, a.value_.lo), Half::map(f, a.value_.hi)});
    else
      return of(f(a.value_));
  }
  template <class F>
  static VISVIVA_LANES_INLINE Lanes combine(F f, Lanes a, Lanes b) {
    if constexpr (kShape == Shape::Halves)
      return of({Half::combine(f, a.value_.lo, b.value_.lo), Half::combine(f, a.value_.hi, b.value_.hi)});
    else
      return of(f(a.value_, b.value_));
  }
  template <lanes_detail::Relation r>
  static VISVIVA_LANES_INLINE MaskType compare(Lanes a, Lanes b) {
    using lanes_detail::Relation;
    if constexpr (kShape == Shape::Halves)
      return MaskType::of(
          {Half::template compare<r>(a.value_.lo, b.value_.lo), Half::template compare<r>(a.value_.hi, b.value_.hi)});
    else if constexpr (kShape == Shape::Register)
      return MaskType::of(lanes_detail::compare<r, T, N>(a.value_, b.value_));
    else
      return MaskType::of(r == Relation::Less        ? a.value_ < b.value_
                          : r == Relation::LessEqual ? a.value_ <= b.value_
                          : r == Relation::Equal     ? a.value_ == b.value_
                                                     : a.value_ != b.value_);
  }
  static VISVIVA_LANES_INLINE Lanes choose(MaskType mask, Lanes a, Lanes b) {
    if constexpr (kShape == Shape::Halves)
      return of({Half::choose(mask.value_.lo, a.value_.lo, b.value_.lo),
                 Half::choose(mask.value_.hi, a.value_.hi, b.value_.hi)});
    else if constexpr (kShape == Shape::Register)
      return of(lanes_detail::blend<T, N>(mask.value_, a.value_, b.value_));
    else
      return mask.value_ ? a : b;
  }
  template <bool smaller>
  static VISVIVA_LANES_INLINE Lanes extreme(Lanes a, Lanes b) {
    if constexpr (kShape == Shape::Halves)
      return of({Half::template extreme<smaller>(a.value_.lo, b.value_.lo),
                 Half::template extreme<smaller>(a.value_.hi, b.value_.hi)});
    else if constexpr (kShape == Shape::Register)
      return of(lanes_detail::extreme<smaller, T, N>(a.value_, b.value_));
    else
      return (smaller ? a.value_ < b.value_ : b.value_ < a.value_) ? a : b;
  }
  static VISVIVA_LANES_INLINE Lanes magnitude(Lanes a) {
    if constexpr (kShape == Shape::Halves)
      return of({Half::magnitude(a.value_.lo), Half::magnitude(a.value_.hi)});
    else if constexpr (kShape == Shape::Register)
      return of(lanes_detail::magnitude<T, N>(a.value_));
    else
      return of(lanes_detail::magnitude_of(a.value_));
  }
  static VISVIVA_LANES_INLINE void exchange(Lanes (&rows)[8]) {
    static_assert(N == 8 && sizeof(T) == 4, "eight rows of eight floats");
    if constexpr (kShape == Shape::Register) {
      Value r[8];
      for (int i = 0; i < 8; ++i) r[i] = rows[i].value_;
      lanes_detail::transpose8<T>(r);
      for (int i = 0; i < 8; ++i) rows[i].value_ = r[i];
    } else {
      Half lo[8], hi[8];
      for (int i = 0; i < 8; ++i) {
        lo[i] = rows[i].value_.lo;
        hi[i] = rows[i].value_.hi;
      }
      for (int i = 0; i < 8; i += 4) {
        lanes_detail::transpose4<T>(lo[i].value_, lo[i + 1].value_, lo[i + 2].value_, lo[i + 3].value_);
        lanes_detail::transpose4<T>(hi[i].value_, hi[i + 1].value_, hi[i + 2].value_, hi[i + 3].value_);
      }
      for (int i = 0; i < 4; ++i) {
        rows[i].value_ = {lo[i], lo[i + 4]};
        rows[i + 4].value_ = {hi[i], hi[i + 4]};
      }
    }
  }
  static VISVIVA_LANES_INLINE Lanes square_root(Lanes a) {
    if constexpr (kShape == Shape::Halves)
      return of({Half::square_root(a.value_.lo), Half::square_root(a.value_.hi)});
    else if constexpr (kShape == Shape::Register)
      return of(lanes_detail::square_roots<T, N>(a.value_));
    else
      return of(lanes_detail::square_root_of(a.value_));
  }

  Value value_;
};

}  // namespace VISVIVA_LANES_NAMESPACE
}  // namespace visviva
