#include "visviva/math/roots.hpp"

#include <cmath>
#include <limits>

#include "math/double_double.hpp"
#include "math/float_bits.hpp"

// Real roots of polynomials of degree up to 4.
//
// The zeros of p' (found first, the same way) cut the line into pieces where p is monotone; a piece with
// a sign change holds one simple root, found by Newton's method kept inside it. A zero of p' where p
// cannot be told from zero is a multiple root. Two things make it exact: p is evaluated in double
// arithmetic with an error bound, and in double-double where the bound does not decide; and every
// number carries its own exponent, so that no power of x over- or underflows.
// Cost: at most two closed-form roots, then about 8 evaluations a root and degree.

namespace visviva {
namespace {

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
constexpr Real kLargest = std::numeric_limits<Real>::max();
constexpr Real kSmallest = std::numeric_limits<Real>::denorm_min();

/// Rounding error of a Horner scheme of degree 4 in double, relative to Σ|c_i x^i|: 2·4 + 2 roundings.
constexpr Real kHornerError = 16 * 0x1p-53;
/// The same in double-double, with room for a rounded x: p is flat where that matters.
constexpr Real kExactHornerError = 0x1p-98;
/// Terms this much below the largest cannot change a sign.
constexpr int kNegligibleExponent = -1000;

/// m 2^exponent, m.hi in ±[1/2, 1) or 0.
struct Term {
  DoubleDouble m;
  int exponent = 0;
};

Term make_term(DoubleDouble value, int exponent) {
  if (value.hi == 0) return {};
  const int own = exponent_of(value.hi);
  return {{scale(value.hi, -own), scale(value.lo, -own)}, exponent + own};
}

/// m 2^exponent with a small exponent, or 0 if it is negligible.
DoubleDouble scaled(const Term& term, int exponent) {
  if (term.m.hi == 0 || exponent < kNegligibleExponent) return {};
  const Real factor = power_of_two(exponent);
  return {term.m.hi * factor, term.m.lo * factor};
}

struct Polynomial {
  int degree = 0;
  Term term[5];  // of x^i
};

/// p(x) = value 2^exponent.
struct Evaluation {
  Real value = 0;
  Real x_slope = 0;    // x p'(x) = x_slope 2^exponent
  Real magnitude = 0;  // Σ|c_i x^i| = magnitude 2^exponent
  int exponent = 0;
};

/// For finite x other than 0. Exact where |p(x)| <= (tolerance + rounding) Σ|c_i x^i|, elsewhere the sign is.
Evaluation evaluate(const Polynomial& p, Real x, Real tolerance = 0) {
  const int x_exponent = exponent_of(x);
  const Real m = scale(x, -x_exponent);
  int top = std::numeric_limits<int>::min();
  for (int i = 0; i <= p.degree; ++i)
    if (p.term[i].m.hi != 0) top = std::max(top, p.term[i].exponent + i * x_exponent);

  DoubleDouble c[5];
  Evaluation e{0, 0, 0, top};
  for (int i = p.degree; i >= 0; --i) {
    c[i] = scaled(p.term[i], p.term[i].exponent + i * x_exponent - top);
    e.value = e.value * m + c[i].hi;
    e.magnitude = e.magnitude * std::abs(m) + std::abs(c[i].hi);
    e.x_slope = e.x_slope * m + i * c[i].hi;
  }
  if (std::abs(e.value) > (tolerance + kHornerError) * e.magnitude) return e;
  DoubleDouble exact;
  for (int i = p.degree; i >= 0; --i) exact = add(multiply(exact, m), c[i]);
  e.value = exact.hi;
  return e;
}

/// Simple root of p(side x) in (lo, hi), 0 <= lo < hi <= infinity; p has one sign at lo, the other at hi.
class MonotonePiece {
 public:
  MonotonePiece(const Polynomial& p, Real side, bool negative_at_lo)
      : p_(p), side_(side), negative_at_lo_(negative_at_lo) {}

  [[nodiscard]] Real root(Real lo, Real hi) const {
    if (const int bound = exponent_above_roots(); hi > kLargest || exponent_of(hi) > bound + 1) {
      hi = bound > 1023 ? kLargest : scale(1.0, bound);
      if (hi == kLargest && is_before_root(value_at(hi))) return kInfinity;
    }
    if (const int bound = exponent_below_roots(); lo == 0 || exponent_of(lo) <= bound) {
      lo = bound < -1074 ? kSmallest : scale(1.0, bound);
      if (lo == kSmallest && !is_before_root(value_at(lo))) return 0;
    }
    return refine(lo, hi);
  }

 private:
  [[nodiscard]] Evaluation value_at(Real x) const { return evaluate(p_, side_ * x); }
  [[nodiscard]] bool is_before_root(const Evaluation& e) const { return (e.value < 0) == negative_at_lo_; }

  /// Every root is below 2^k: |x| < 2 max |c_i / c_n|^(1/(n-i)) [Fujiwara1916].
  [[nodiscard]] int exponent_above_roots() const {
    const int n = p_.degree;
    int k = -5000;
    for (int i = 0; i < n; ++i)
      if (p_.term[i].m.hi != 0) k = std::max(k, ceil_ratio(p_.term[i].exponent - p_.term[n].exponent + 1, n - i));
    return k + 1;
  }
  /// Every root is above 2^k: the bound above for x^n p(1/x).
  [[nodiscard]] int exponent_below_roots() const {
    int k = -5000;
    for (int i = 1; i <= p_.degree; ++i)
      if (p_.term[i].m.hi != 0) k = std::max(k, ceil_ratio(p_.term[i].exponent - p_.term[0].exponent + 1, i));
    return -(k + 1);
  }
  static int ceil_ratio(int a, int b) { return a / b + (a % b > 0 ? 1 : 0); }

  /// Middle of the interval, of its exponents if it spans more than two octaves.
  static Real middle(Real lo, Real hi) { return hi > 4 * lo ? std::sqrt(lo) * std::sqrt(hi) : lo + 0.5 * (hi - lo); }

  [[nodiscard]] Real refine(Real lo, Real hi) const {
    Real x = middle(lo, hi);
    Real last_step = hi;
    while (lo < x && x < hi) {
      const Evaluation e = value_at(x);
      if (e.value == 0) return x;
      (is_before_root(e) ? lo : hi) = x;
      const Real relative_step = -e.value / e.x_slope;
      const Real newton = x + x * relative_step;
      if (std::abs(relative_step) <= 0x1p-53) return newton;
      const Real step = std::abs(newton - x);
      // Newton must stay inside and gain a bit at each step; bisection gains as much.
      const bool accept = lo < newton && newton < hi && step <= 0.5 * last_step;
      const Real next = accept ? newton : middle(lo, hi);
      last_step = std::abs(next - x);
      x = next;
    }
    return x;  // neighbouring numbers
  }

  const Polynomial& p_;
  Real side_;
  bool negative_at_lo_;
};

struct RootList {
  int count = 0;
  Root root[4];

  void push(Real x, int multiplicity) { root[count++] = {x, multiplicity}; }
};

RootList roots_of(Polynomial p, Real tolerance);

/// Degree 1: c1 x + c0, c0 not 0.
RootList linear_roots(const Polynomial& p) {
  RootList roots;
  const Real m = -divide(p.term[0].m, p.term[1].m).hi;
  roots.push(scale(m, p.term[0].exponent - p.term[1].exponent), 1);
  return roots;
}

/// Degree 2, c0 not 0. With x = 2^k y the outer coefficients have equal size; D = b² - 4ac is formed in
/// double-double [Kahan2004], the root of smaller size follows from the product of both.
RootList quadratic_roots(const Polynomial& p, Real tolerance) {
  const Term &c = p.term[0], &b = p.term[1], &a = p.term[2];
  const int k = (c.exponent - a.exponent) / 2;
  const int a_exponent = a.exponent + 2 * k, b_exponent = b.exponent + k;
  const int top = b.m.hi == 0 ? std::max(a_exponent, c.exponent) : std::max({a_exponent, b_exponent, c.exponent});
  const DoubleDouble B = scaled(b, b_exponent - top);
  const DoubleDouble b2 = multiply(B, B);
  const DoubleDouble ac4 = multiply(multiply(scaled(a, a_exponent - top), scaled(c, c.exponent - top)), 4.0);
  const DoubleDouble D = add(b2, negate(ac4));

  RootList roots;
  // p(x) = -D/4a at x = -b/2a, where Σ|c_i x^i| = (3 b² + 4|ac|)/4|a|.
  if (std::abs(D.hi) <= tolerance * (3 * b2.hi + std::abs(ac4.hi))) {
    roots.push(scale(-0.5 * divide(B, a.m).hi, top - a_exponent + k), 2);
    return roots;
  }
  if (D.hi < 0) return roots;
  const DoubleDouble s = square_root(D);
  const DoubleDouble sum = add(B, B.hi < 0 ? negate(s) : s);
  const DoubleDouble q = {-0.5 * sum.hi, -0.5 * sum.lo};
  const Real larger = scale(divide(q, a.m).hi, top - a_exponent + k);
  const Real smaller = scale(divide(c.m, q).hi, c.exponent - top + k);
  roots.push(std::min(larger, smaller), 1);
  roots.push(std::max(larger, smaller), 1);
  return roots;
}

Polynomial derivative(const Polynomial& p) {
  Polynomial d;
  d.degree = p.degree - 1;
  for (int i = 1; i <= p.degree; ++i)  // exact: 12 times a double fits into two doubles
    d.term[i - 1] = make_term(multiply(p.term[i].m, static_cast<Real>(i)), p.term[i].exponent);
  return d;
}

/// |a| <= |b| for values with their own exponents.
bool is_not_larger(const Evaluation& a, const Evaluation& b) {
  const int difference = std::clamp(a.exponent - b.exponent, -2000, 1000);
  return scale(std::abs(a.value), difference) <= std::abs(b.value);
}

/// A place where the sign of p is known: a zero of p', the origin, or an end of the line.
struct Station {
  Real x = 0;
  int multiplicity = 0;  // as a zero of p'
  bool negative = false;
  bool is_root = false;
  Evaluation e{};
};

struct StationList {
  int count = 0;
  Station station[6];

  void push(const Station& s) { station[count++] = s; }
};

/// Ends, origin and zeros of p', ascending; p has degree 3 or 4 and no root at 0.
StationList make_stations(const Polynomial& p, Real tolerance) {
  const bool negative_at_end = p.term[p.degree].m.hi < 0;
  const bool negative_at_origin = p.term[0].m.hi < 0;
  const RootList critical = roots_of(derivative(p), tolerance);
  StationList list;
  list.push({-kInfinity, 0, negative_at_end != (p.degree % 2 == 1)});
  bool origin_is_listed = false;
  for (int i = 0; i < critical.count; ++i) {
    const auto [x, multiplicity] = critical.root[i];
    if (x >= 0 && !origin_is_listed) {
      list.push({0, 0, negative_at_origin});
      origin_is_listed = true;
    }
    if (x == 0 || std::isinf(x)) continue;  // nothing to learn there
    const Evaluation e = evaluate(p, x, 2 * tolerance);
    list.push({x, multiplicity, e.value < 0, std::abs(e.value) <= tolerance * e.magnitude, e});
  }
  if (!origin_is_listed) list.push({0, 0, negative_at_origin});
  list.push({kInfinity, 0, negative_at_end});
  return list;
}

/// Where p at one zero of p' counts as 0, a neighbour with no larger |p| does too: between them p is
/// monotone, so both belong to one cluster of roots. Without this, two values on either side of the
/// tolerance could give a cubic an even number of roots.
void widen_clusters(StationList& list) {
  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i + 1 < list.count; ++i) {
      Station &s = list.station[i], &t = list.station[i + 1];
      if (s.multiplicity == 0 || t.multiplicity == 0) continue;
      if (s.is_root && !t.is_root) t.is_root = is_not_larger(t.e, s.e);
      if (t.is_root && !s.is_root) s.is_root = is_not_larger(s.e, t.e);
    }
}

/// Degree 3 or 4, c0 not 0.
RootList bracketed_roots(const Polynomial& p, Real tolerance) {
  StationList list = make_stations(p, tolerance);
  widen_clusters(list);
  RootList roots;
  for (int i = 0; i + 1 < list.count; ++i) {
    const Station &s = list.station[i], &t = list.station[i + 1];
    if (s.is_root) {
      // Neighbouring multiple roots are one; their mean is a zero of a higher derivative.
      Real sum = 0;
      int multiplicity = 0;
      for (; list.station[i].is_root; ++i) {
        sum += list.station[i].x * list.station[i].multiplicity;
        multiplicity += list.station[i].multiplicity;
      }
      --i;
      roots.push(sum / multiplicity, multiplicity + 1);
    } else if (!t.is_root && s.negative != t.negative) {
      const bool positive = s.x >= 0;
      const MonotonePiece piece(p, positive ? 1 : -1, positive ? s.negative : t.negative);
      roots.push(positive ? piece.root(s.x, t.x) : -piece.root(-t.x, -s.x), 1);
    }
  }
  return roots;
}

/// Takes out roots at 0 and leading zeros, then goes by degree.
RootList roots_of(Polynomial p, Real tolerance) {
  while (p.degree > 0 && p.term[p.degree].m.hi == 0) --p.degree;
  int zeros = 0;
  while (zeros < p.degree && p.term[zeros].m.hi == 0) ++zeros;
  p.degree -= zeros;
  for (int i = 0; i <= p.degree; ++i) p.term[i] = p.term[i + zeros];

  RootList nonzero;
  if (p.degree == 1) nonzero = linear_roots(p);
  if (p.degree == 2) nonzero = quadratic_roots(p, tolerance);
  if (p.degree >= 3) nonzero = bracketed_roots(p, tolerance);
  RootList roots;
  for (int i = 0; i <= nonzero.count; ++i) {
    const bool last = i == nonzero.count;
    if (zeros > 0 && (last || nonzero.root[i].x > 0)) {
      roots.push(0, zeros);
      zeros = 0;
    }
    if (!last) roots.push(nonzero.root[i].x, nonzero.root[i].multiplicity);
  }
  return roots;
}

/// Coefficients from c0 on.
template <int N>
RealRoots<N> solve(const Real (&coefficients)[N + 1], Real tolerance) {
  RealRoots<N> result;
  Polynomial p;
  p.degree = N;
  bool all_zero = true;
  for (int i = 0; i <= N; ++i) {
    const Real c = coefficients[i];
    if (!std::isfinite(c)) {
      result.status = RootsStatus::NotFinite;
      return result;
    }
    all_zero = all_zero && c == 0;
    p.term[i] = make_term({c, 0}, 0);
  }
  if (all_zero) {
    result.status = RootsStatus::Everywhere;
    return result;
  }
  const RootList roots = roots_of(p, std::max(tolerance, kExactHornerError));
  result.count = roots.count;
  for (int i = 0; i < roots.count; ++i) result.root.data()[i] = roots.root[i];
  return result;
}

}  // namespace

RealRoots<2> solve_quadratic(Real a, Real b, Real c, Real tolerance) { return solve<2>({c, b, a}, tolerance); }

RealRoots<3> solve_cubic(Real a, Real b, Real c, Real d, Real tolerance) { return solve<3>({d, c, b, a}, tolerance); }

RealRoots<4> solve_quartic(Real a, Real b, Real c, Real d, Real e, Real tolerance) {
  return solve<4>({e, d, c, b, a}, tolerance);
}

RootFindResult roots_detail::check_bracket(const Bracket& bracket, const RootFindSettings& settings) {
  const auto [a, f_a, b, f_b] = bracket;
  if (std::isnan(f_a)) return {a, f_a, 0, false, RootStatus::NotANumber};
  if (std::isnan(f_b)) return {b, f_b, 0, false, RootStatus::NotANumber};
  const bool a_is_best = std::abs(f_a) <= std::abs(f_b);
  const Real x = a_is_best ? a : b, f = a_is_best ? f_a : f_b;
  if (std::abs(f) <= settings.f_tolerance) return converged_at(x, f, 0);
  const bool bracketed = std::signbit(f_a) != std::signbit(f_b);
  return {x, f, 0, false, bracketed ? RootStatus::OutOfEvaluations : RootStatus::NotBracketed};
}

}  // namespace visviva
