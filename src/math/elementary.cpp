#include "visviva/math/elementary.hpp"

#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>

#include "math/double_double.hpp"
#include "math/elementary_tables.hpp"
#include "math/float_bits.hpp"

// Method throughout: reduce the argument exactly (or in double-double) to a short interval around a
// tabulated point, add a short polynomial to the exact leading terms, round once at the end.

namespace visviva {
namespace {

__extension__ using Word128 = unsigned __int128;

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();

/// Nearest integer, ties to even, for |x| < 2^51.
Real round_to_integer(Real x) { return (x + 0x1.8p52) - 0x1.8p52; }

template <std::size_t n>
Real horner(const Real (&c)[n], Real x) {
  Real y = c[n - 1];
  for (std::size_t i = n - 1; i-- > 0;) y = c[i] + x * y;
  return y;
}

// ---------------------------------------------------------------------------------------- angles

/// x = r + quadrant pi/2 (mod 2 pi), |r| <= pi/4 and a rounding error more.
struct ReducedAngle {
  DoubleDouble r;
  unsigned quadrant;
};

/// [Payne, Hanek 1983]: only those bits of 2/pi matter whose product with x is neither a multiple
/// of 4 nor far below its rounding error. 192 bits of 2/pi leave 137 bits of the fraction; no
/// double is closer than 2^-62 to a multiple of pi/2, so at least 64 of the 126 bits taken are
/// significant.
ReducedAngle reduce_large(Real x) {
  const std::uint64_t bits = to_bits(x);
  const int exponent = static_cast<int>((bits >> 52) & 0x7ff) - 1075;
  const std::uint64_t mantissa = (bits & 0xfffffffffffff) | 0x10000000000000;
  // |x| = mantissa 2^exponent. Skip the bits worth 4 and more; the table starts with 64 zeros.
  const unsigned skip = static_cast<unsigned>(exponent - 2 + 64);
  const std::uint64_t* word = tables::kTwoOverPiBits + skip / 64;
  const unsigned shift = skip % 64;
  std::uint64_t window[3];
  for (int i = 0; i < 3; ++i) window[i] = shift == 0 ? word[i] : (word[i] << shift) | (word[i + 1] >> (64 - shift));

  const Word128 low = Word128{mantissa} * window[2];
  const Word128 middle = Word128{mantissa} * window[1] + (low >> 64);
  // Quarter turns: 2 bits of integer, 126 bits of fraction.
  const Word128 turns = (Word128{mantissa * window[0]} << 64) + middle;

  // Round to the nearest quarter turn; the rest is a signed fraction in [-1/2, 1/2).
  const Word128 half = Word128{1} << 125;
  unsigned quadrant = static_cast<unsigned>((turns + half) >> 126);
  Word128 fraction = turns << 2;  // wraps to two's complement
  const bool negative = (fraction >> 127) != 0;
  if (negative) fraction = -fraction;

  int zeros = 0;
  const std::uint64_t top = static_cast<std::uint64_t>(fraction >> 64);
  zeros = top != 0 ? __builtin_clzll(top) : 64;
  fraction <<= zeros;
  const auto head = static_cast<std::uint64_t>(fraction >> 75);                       // 53 bits
  const auto tail = static_cast<std::uint64_t>((fraction >> 22) & 0x1fffffffffffff);  // 53 bits
  const Real unit = power_of_two(-53 - zeros);
  DoubleDouble f = {static_cast<Real>(head) * unit, static_cast<Real>(tail) * (unit * 0x1p-53)};
  DoubleDouble r = multiply(fast_two_sum(f.hi, f.lo), tables::kHalfPi);
  if (negative != std::signbit(x)) r = negate(r);
  if (std::signbit(x)) quadrant = 4u - quadrant;
  return {r, quadrant & 3u};
}

/// [Cody, Waite 1980] with pi/2 in four pieces: the first three products are exact.
ReducedAngle reduce(Real x) {
  if (std::abs(x) <= tables::kHalfPi.hi / 2) return {{x, 0}, 0};
  if (std::abs(x) >= 0x1p20) return reduce_large(x);
  const Real n = round_to_integer(x * tables::kTwoOverPi);
  const auto& piece = tables::kHalfPiPieces;
  const Real t = x - n * piece[0];  // exact: both sides are multiples of 2^-53 and |t| < 1
  const DoubleDouble u = two_sum(t, -n * piece[1]);
  const DoubleDouble v = two_sum(u.hi, -n * piece[2]);
  const DoubleDouble r = fast_two_sum(v.hi, v.lo + (u.lo - n * piece[3]));
  return {r, static_cast<unsigned>(static_cast<int>(n)) & 3u};
}

/// sin and cos of a reduced angle, before the last rounding; the error of sin is at most 0.4 ulp
/// there, that of cos 0.05 ulp.
struct SinCosPair {
  DoubleDouble sin, cos;
};

SinCosPair sin_cos_kernel(DoubleDouble r) {
  const DoubleDouble q = two_square(r.hi);  // r² = q + 2 r.hi r.lo
  // sin(r.hi + r.lo) = sin r.hi + r.lo cos r.hi, and cos likewise; r.lo² is far below rounding.
  const Real s = r.hi * (q.hi * horner(tables::kSine, q.hi)) + r.lo * (1 - 0.5 * q.hi);
  const DoubleDouble c = fast_two_sum(1.0, -0.5 * q.hi);
  const Real tail = c.lo - (0.5 * q.lo + r.hi * r.lo);
  return {fast_two_sum(r.hi, s), fast_two_sum(c.hi, q.hi * q.hi * horner(tables::kCosine, q.hi) + tail)};
}

/// sin of a reduced angle with an error of 0.02 ulp: the cubic term is in double-double too. A
/// quotient needs it, where the errors of sin and cos add up.
DoubleDouble accurate_sine(DoubleDouble r) {
  constexpr DoubleDouble kMinusSixth = {-1.0 / 6, -0x1p-54 / 6};
  const DoubleDouble q = two_square(r.hi);
  const DoubleDouble s = multiply(multiply(q, kMinusSixth), r.hi);
  // (sin r - r + r³/6) / r⁵; the next term, r¹⁹/19!, is below 2^-63.
  constexpr Real series[] = {1.0 / 120,
                             -1.0 / 5040,
                             1.0 / 362880,
                             -1.0 / 39916800,
                             1.0 / 6227020800.0,
                             -1.0 / 1307674368000.0,
                             1.0 / 355687428096000.0};
  const Real quintic = r.hi * (q.hi * q.hi) * horner(series, q.hi);
  const DoubleDouble sum = fast_two_sum(r.hi, s.hi);
  return fast_two_sum(sum.hi, sum.lo + (s.lo + quintic + r.lo * (1 - 0.5 * q.hi)));
}

// ------------------------------------------------------------------------------ inverse functions

/// atan(y/x) for 0 <= y <= x, x in [2^-900, 2^900] and y not below kTinyRatio x.
/// atan(y/x) = atan(c) + atan(u), u = (y - c x)/(x + c y), c the nearest sixteenth: |u| <= 1/32.
DoubleDouble atan_kernel(DoubleDouble y, DoubleDouble x) {
  const Real index = round_to_integer(16 * (y.hi / x.hi));
  const Real c = index * 0x1p-4;
  const DoubleDouble u = divide(add(y, multiply(x, -c)), add(x, multiply(y, c)));
  const Real q = u.hi * u.hi;
  // atan u = u - u³/3 + u⁵/5 ...; the next term is below 2^-63 u.
  constexpr Real series[] = {-1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11};
  const Real tail = u.hi * (q * horner(series, q)) + u.lo;
  const DoubleDouble& base = tables::kAtan[static_cast<int>(index)];
  const DoubleDouble sum = two_sum(base.hi, u.hi);
  return fast_two_sum(sum.hi, sum.lo + (base.lo + tail));
}

/// Below this ratio atan(t) = t to 2^-57 of its size.
constexpr Real kTinyRatio = 0x1p-28;

/// atan2 of the magnitudes and signs, all finite, not both zero.
Real atan2_of_parts(DoubleDouble y, DoubleDouble x, bool y_negative, bool x_negative) {
  const bool steep = y.hi > x.hi || (y.hi == x.hi && y.lo > x.lo);
  const DoubleDouble a = steep ? x : y, b = steep ? y : x;
  DoubleDouble theta;
  const Real ratio = a.hi / b.hi;
  if (ratio < kTinyRatio) {
    theta = {ratio, 0};
  } else {
    // An exact factor keeps every product clear of over- and underflow.
    const Real factor = b.hi > 0x1p900 ? 0x1p-200 : b.hi < 0x1p-800 ? 0x1p200 : 1.0;
    theta = atan_kernel({a.hi * factor, a.lo * factor}, {b.hi * factor, b.lo * factor});
  }
  if (steep) theta = add(tables::kHalfPi, negate(theta));
  if (x_negative) theta = add(tables::kPi, negate(theta));
  const Real angle = theta.hi + theta.lo;
  return y_negative ? -angle : angle;
}

/// sqrt(1 - x²) for |x| <= 1: the square is exact, so is the difference.
DoubleDouble cosine_of_arcsine(Real x) {
  const DoubleDouble square = two_square(x);
  const DoubleDouble d = two_sum(1.0, -square.hi);
  const DoubleDouble rest = two_sum(d.hi, d.lo - square.lo);
  return rest.hi > 0 ? square_root(rest) : DoubleDouble{};
}

// ---------------------------------------------------------------------- exponential and logarithm

/// exp(x) = 2^exponent (base + base (e^r - 1)), base = 2^(i/32), |r| <= ln2/64.
struct ReducedExponent {
  DoubleDouble r;
  DoubleDouble base;
  int exponent;
};

ReducedExponent reduce_exponent(Real x) {
  const Real n = round_to_integer(x * tables::k32OverLn2);
  const int k = static_cast<int>(n);
  const DoubleDouble r = two_sum(x - n * tables::kLn2Over32.hi, -n * tables::kLn2Over32.lo);  // first one is exact
  return {r, tables::kExp2[k & 31], k >> 5};
}

/// (e^r - 1 - r - r²/2) / r³; the next term is below 2^-66.
Real exp_tail(Real r) {
  constexpr Real series[] = {1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040};
  return horner(series, r);
}

/// log(2^exponent x) for finite x > 0 with a normal head.
Real log_kernel(DoubleDouble x, int exponent) {
  const std::uint64_t bits = to_bits(x.hi);
  const int own_exponent = static_cast<int>(bits >> 52) - 1023;
  const std::size_t i = (bits >> 46) & 63;
  const Real f = from_bits((bits & 0xfffffffffffff) | 0x3ff0000000000000);  // x = 2^own_exponent f
  const tables::LogStep& step = tables::kLog[i];
  // r = f c - 1, exact: c has 9 bits, the parts of f have 32 and 21.
  const Real f_head = from_bits(to_bits(f) & ~std::uint64_t{0x1fffff});
  const DoubleDouble product = two_sum(f_head * step.c - 1, (f - f_head) * step.c);
  const Real f_tail = x.lo == 0 ? 0 : scale(x.lo, -own_exponent) * step.c;
  const DoubleDouble r = two_sum(product.hi, product.lo + f_tail);
  // From i = 27 on f counts as f/2, so that log f and k ln 2 never cancel.
  const int k = own_exponent + exponent + (i >= 27 ? 1 : 0);

  // log(1 + r) = r - r²/2 + r³/3 ...; |r| <= 1/64, the next term is below 2^-63 r.
  constexpr Real series[] = {1.0 / 3, -1.0 / 4, 1.0 / 5, -1.0 / 6, 1.0 / 7, -1.0 / 8, 1.0 / 9, -1.0 / 10};
  const DoubleDouble q = two_square(r.hi);
  const Real cubic = r.hi * q.hi * horner(series, r.hi);
  const Real tail = cubic - 0.5 * q.lo + r.lo * (1 - r.hi);
  const DoubleDouble exact = two_sum(k * tables::kLn2.hi, step.minus_log.hi);
  const DoubleDouble linear = two_sum(exact.hi, r.hi);
  const DoubleDouble sum = two_sum(linear.hi, -0.5 * q.hi);
  const Real rest = exact.lo + linear.lo + sum.lo + (k * tables::kLn2.lo + step.minus_log.lo);
  return sum.hi + (rest + tail);
}

}  // namespace

SinCos sin_cos(Real x) {
  if (std::abs(x) < 0x1p-27) return {x, 1};
  if (!(std::abs(x) < kInfinity)) return {kNaN, kNaN};
  const ReducedAngle angle = reduce(x);
  const SinCosPair value = sin_cos_kernel(angle.r);
  const Real s = value.sin.hi, c = value.cos.hi;
  switch (angle.quadrant) {
    case 0:
      return {s, c};
    case 1:
      return {c, -s};
    case 2:
      return {-s, -c};
    default:
      return {-c, s};
  }
}

Real sin(Real x) { return sin_cos(x).sin; }

Real cos(Real x) { return sin_cos(x).cos; }

Real tan(Real x) {
  if (std::abs(x) < 0x1p-27) return x;
  if (!(std::abs(x) < kInfinity)) return kNaN;
  const ReducedAngle angle = reduce(x);
  const DoubleDouble s = accurate_sine(angle.r), c = sin_cos_kernel(angle.r).cos;
  return angle.quadrant % 2 == 0 ? divide(s, c).hi : -divide(c, s).hi;
}

Real atan2(Real y, Real x) {
  if (std::isnan(x) || std::isnan(y)) return kNaN;
  const bool y_negative = std::signbit(y), x_negative = std::signbit(x);
  Real a = std::abs(y), b = std::abs(x);
  if (b == 0 && a == 0) b = 1;  // the signs alone decide
  if (a == kInfinity || b == kInfinity) {
    a = a == kInfinity ? 1 : 0;
    b = b == kInfinity ? 1 : 0;
  }
  return atan2_of_parts({a, 0}, {b, 0}, y_negative, x_negative);
}

Real atan(Real x) { return atan2(x, 1); }

Real asin(Real x) {
  if (!(std::abs(x) <= 1)) return kNaN;
  return atan2_of_parts({std::abs(x), 0}, cosine_of_arcsine(x), std::signbit(x), false);
}

Real acos(Real x) {
  if (!(std::abs(x) <= 1)) return kNaN;
  return atan2_of_parts(cosine_of_arcsine(x), {std::abs(x), 0}, false, std::signbit(x));
}

Real exp(Real x) {
  if (std::isnan(x)) return x;
  if (x > 709.8) return kInfinity;
  if (x < -745.2) return 0;
  const ReducedExponent e = reduce_exponent(x);
  const Real r = e.r.hi;
  const Real p = r + (e.r.lo + r * r * (0.5 + r * exp_tail(r)));
  return scale(e.base.hi + (e.base.lo + e.base.hi * p), e.exponent);
}

Real expm1(Real x) {
  if (std::isnan(x) || std::abs(x) < 0x1p-54) return x;
  if (x > 709.8) return kInfinity;
  if (x < -40) return -1;
  const ReducedExponent e = reduce_exponent(x);
  // e^r - 1 in double-double, because 2^(n/32) - 1 may cancel most of it.
  const Real r = e.r.hi;
  const DoubleDouble q = two_square(r);
  const DoubleDouble s = two_sum(r, 0.5 * q.hi);
  const DoubleDouble p = fast_two_sum(s.hi, s.lo + (e.r.lo * (1 + r) + 0.5 * q.lo + r * q.hi * exp_tail(r)));
  const DoubleDouble value = add(e.base, multiply(e.base, p));
  const int n = e.exponent;
  if (n > 60) return scale(value.hi, n);
  return add(DoubleDouble{scale(value.hi, n), scale(value.lo, n)}, -1).hi;
}

Real log(Real x) {
  if (std::isnan(x) || x == kInfinity) return x;
  if (x < 0) return kNaN;
  if (x == 0) return -kInfinity;
  if (x >= std::numeric_limits<Real>::min()) return log_kernel({x, 0}, 0);
  return log_kernel({x * 0x1p54, 0}, -54);
}

Real log1p(Real x) {
  if (std::isnan(x) || x == kInfinity || std::abs(x) < 0x1p-54) return x;
  if (x < -1) return kNaN;
  if (x == -1) return -kInfinity;
  return log_kernel(two_sum(1, x), 0);
}

Real cbrt(Real x) {
  if (!(std::abs(x) < kInfinity) || x == 0) return x;
  const bool subnormal = std::abs(x) < std::numeric_limits<Real>::min();
  const std::uint64_t bits = to_bits(subnormal ? std::abs(x) * 0x1p54 : std::abs(x));
  // |x| = 2^(3k) m with m in [1, 8); 1023 + 54 is a multiple of 3 and keeps the quotient positive.
  const int exponent = static_cast<int>(bits >> 52) + (subnormal ? 0 : 54);
  const int k = exponent / 3 - 359, j = exponent % 3;
  const Real f = from_bits((bits & 0xfffffffffffff) | 0x3ff0000000000000);
  const Real m = f * power_of_two(j);
  // Quadratic through the cube roots of 1, 1.5 and 2, within 0.0012; cube roots of 1, 2, 4.
  constexpr Real root_of_power[] = {1.0, 1.2599210498948732, 1.5874010519681994};
  Real y = (0.6220492 + f * (0.4369657 - 0.0590149 * f)) * root_of_power[j];
  for (int i = 0; i < 2; ++i) {  // Halley: the error goes to 1e-8, then to rounding
    const Real cube = y * y * y;
    y *= (cube + 2 * m) / (2 * cube + m);
  }
  // One step of Newton on the exact residual.
  const DoubleDouble cube = multiply(two_square(y), y);
  const Real residual = (m - cube.hi) - cube.lo;
  const Real root = scale(y + residual / (3 * y * y), k);
  return x < 0 ? -root : root;
}

}  // namespace visviva
