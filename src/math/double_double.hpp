#pragma once

#include <cmath>

#include "visviva/math/types.hpp"

/// Error-free transformations [Dekker1971], [Knuth TAOCP 4.2.2]: a sum or product of two doubles is
/// the rounded result plus a rounding error that is itself a double. No FMA, so the bits do not
/// depend on the instruction set. They need -ffp-contract=off and no overflow.
namespace visviva {

/// The unevaluated sum hi + lo with |lo| <= ulp(hi)/2 or a few times that: about 106 bits.
struct DoubleDouble {
  Real hi = 0;
  Real lo = 0;
};

/// hi + lo = a + b exactly.
inline DoubleDouble two_sum(Real a, Real b) {
  const Real s = a + b;
  const Real b_part = s - a;
  return {s, (a - (s - b_part)) + (b - b_part)};
}

/// hi + lo = a + b exactly, if |a| >= |b| or a = 0.
inline DoubleDouble fast_two_sum(Real a, Real b) {
  const Real s = a + b;
  return {s, b - (s - a)};
}

/// hi + lo = a exactly, each with at most 26 bits; |a| < 2^996.
inline DoubleDouble split(Real a) {
  const Real c = 0x1p27 * a + a;
  const Real hi = c - (c - a);
  return {hi, a - hi};
}

/// hi + lo = a b exactly, unless the low part underflows; |a|, |b| < 2^996.
inline DoubleDouble two_product(Real a, Real b) {
  const Real p = a * b;
  const DoubleDouble x = split(a), y = split(b);
  return {p, ((x.hi * y.hi - p) + x.hi * y.lo + x.lo * y.hi) + x.lo * y.lo};
}

/// hi + lo = a² exactly, unless the low part underflows; |a| < 2^500.
inline DoubleDouble two_square(Real a) {
  const Real p = a * a;
  const DoubleDouble x = split(a);
  return {p, ((x.hi * x.hi - p) + 2 * (x.hi * x.lo)) + x.lo * x.lo};
}

/// a + b with a relative error of a few 2^-106 of |a| + |b|.
inline DoubleDouble add(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble s = two_sum(a.hi, b.hi);
  const DoubleDouble t = two_sum(a.lo, b.lo);
  const DoubleDouble u = fast_two_sum(s.hi, s.lo + t.hi);
  return fast_two_sum(u.hi, u.lo + t.lo);
}

inline DoubleDouble add(DoubleDouble a, Real b) { return add(a, DoubleDouble{b, 0}); }

inline DoubleDouble negate(DoubleDouble a) { return {-a.hi, -a.lo}; }

/// a b with a relative error of a few 2^-106.
inline DoubleDouble multiply(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble p = two_product(a.hi, b.hi);
  return fast_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

inline DoubleDouble multiply(DoubleDouble a, Real b) {
  const DoubleDouble p = two_product(a.hi, b);
  return fast_two_sum(p.hi, p.lo + a.lo * b);
}

/// a / b with a relative error of a few 2^-104.
inline DoubleDouble divide(DoubleDouble a, DoubleDouble b) {
  const Real q = a.hi / b.hi;
  const DoubleDouble p = two_product(q, b.hi);
  const Real rest = (((a.hi - p.hi) - p.lo) + a.lo) - q * b.lo;
  return fast_two_sum(q, rest / b.hi);
}

/// Square root of a > 0, with a relative error of a few 2^-104.
inline DoubleDouble square_root(DoubleDouble a) {
  const Real s = std::sqrt(a.hi);
  const DoubleDouble p = two_square(s);
  return fast_two_sum(s, (((a.hi - p.hi) - p.lo) + a.lo) / (2 * s));
}

}  // namespace visviva
