#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "visviva/math/types.hpp"

namespace visviva {

// ------------------------------------------------------------------------------------ polynomials

struct Root {
  Real x = 0;
  int multiplicity = 0;
};

enum class RootsStatus {
  Ok,
  Everywhere,  ///< all coefficients are zero: every x is a root, none is listed
  NotFinite    ///< a coefficient is infinite or NaN: none is listed
};

/// The real roots of a polynomial of degree at most N, ascending.
template <int N>
struct RealRoots {
  RootsStatus status = RootsStatus::Ok;
  int count = 0;  ///< distinct roots in `root`; their multiplicities sum to at most N
  std::array<Root, N> root{};

  [[nodiscard]] const Root& operator[](int i) const { return root.data()[i]; }
  [[nodiscard]] const Root* begin() const { return root.data(); }
  [[nodiscard]] const Root* end() const { return root.data() + count; }
};

/// Relative uncertainty of the coefficients that the solvers below assume: twice the rounding error of
/// a number that was computed exactly and then stored.
inline constexpr Real kCoefficientRounding = 0x1p-52;

/// All real roots of a x² + b x + c, of a x³ + b x² + c x + d, of a x⁴ + b x³ + c x² + d x + e.
///
/// A leading zero lowers the degree. Coefficients may have any size: nothing over- or underflows on the
/// way; a root outside the range of double comes out as ±infinity or ±0. Each simple root is the exact
/// root of the given coefficients to about one unit in the last place, however ill conditioned.
///
/// Multiplicity: where |p(x)| <= tolerance Σ|c_i x^i| at a zero x of p', a change of the coefficients
/// by that relative tolerance makes x a double root, and it is reported as one (likewise for higher
/// multiplicities). So two roots x, x(1 + d) of a quadratic with d below about 4 sqrt(tolerance), 6e-8
/// by default, count as one of multiplicity 2, and so does a pair of complex roots as close to the
/// axis; for three roots the limit is a few 1e-5, for four a few 1e-4. Tolerance 0 takes the coefficients as
/// exact and separates roots down to a relative distance of about 1e-14.
[[nodiscard]] RealRoots<2> solve_quadratic(Real a, Real b, Real c, Real tolerance = kCoefficientRounding);
[[nodiscard]] RealRoots<3> solve_cubic(Real a, Real b, Real c, Real d, Real tolerance = kCoefficientRounding);
[[nodiscard]] RealRoots<4> solve_quartic(Real a, Real b, Real c, Real d, Real e, Real tolerance = kCoefficientRounding);

// ------------------------------------------------------------------------------- bracketed search

enum class RootStatus {
  Converged,
  NotBracketed,     ///< f has the same sign at both ends; x is the end with the smaller |f|
  NotANumber,       ///< f gave NaN; x is where
  OutOfEvaluations  ///< x is the best found
};

struct RootFindResult {
  Real x = 0;
  Real f = 0;  ///< f(x)
  int evaluations = 0;
  bool converged = false;
  RootStatus status = RootStatus::OutOfEvaluations;
};

struct RootFindSettings {
  Real x_tolerance = 0;  ///< absolute, beside one unit in the last place of x, which is always granted
  Real f_tolerance = 0;  ///< |f| that counts as zero
  int max_evaluations = 100;
};

/// An interval with the values of f at its ends.
struct Bracket {
  Real a = 0, f_a = 0, b = 0, f_b = 0;
};

/// A zero of f in the bracket, by inverse quadratic interpolation where it is safe and bisection where
/// it is not [Chandrupatla1997]. f is never called outside the bracket. Ends when |f| <= f_tolerance or
/// the bracket has collapsed to the tolerance; a sign change of a discontinuous f counts as a zero.
template <class F>
[[nodiscard]] RootFindResult find_root(F&& f, Bracket bracket, const RootFindSettings& settings = {});

/// The same, evaluating f at both ends first.
template <class F>
[[nodiscard]] RootFindResult find_root(F&& f, Real a, Real b, const RootFindSettings& settings = {});

/// A zero of f in the bracket by Newton's method from x0, with bisection whenever a step would leave
/// the bracket or not halve the last one. `f_and_slope(x)` returns the pair {f, f'}.
template <class F>
[[nodiscard]] RootFindResult find_root_newton(F&& f_and_slope, Bracket bracket, Real x0,
                                              const RootFindSettings& settings = {});

/// The same, evaluating f at both ends first.
template <class F>
[[nodiscard]] RootFindResult find_root_newton(F&& f_and_slope, Real a, Real b, Real x0,
                                              const RootFindSettings& settings = {});

// --------------------------------------------------------------------------------- implementation

namespace roots_detail {

/// The result if the ends alone decide, else status OutOfEvaluations.
[[nodiscard]] RootFindResult check_bracket(const Bracket& bracket, const RootFindSettings& settings);

/// Distance from x at which the search ends.
inline Real resolution(Real x, Real x_tolerance) {
  return x_tolerance + 0x1p-52 * std::abs(x) + std::numeric_limits<Real>::denorm_min();
}

/// a + t (b - a) within [a, b], for 0 <= t <= 1 and ends of any size.
inline Real between(Real a, Real b, Real t) {
  const Real width = b - a;
  const Real x = std::isfinite(width) ? a + t * width : (1 - t) * a + t * b;
  return std::clamp(x, std::min(a, b), std::max(a, b));
}

/// Fraction of the way from the newest point a to the other end b at which to evaluate next; c is
/// where a or b was before. Interpolates only if the inverse quadratic is monotone on the bracket.
/// [Chandrupatla1997]
inline Real next_fraction(const Bracket& bracket, Real c, Real f_c) {
  const auto [a, f_a, b, f_b] = bracket;
  const Real xi = (a - b) / (c - b);
  const Real phi = (f_a - f_b) / (f_c - f_b);
  if (!(phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)) return 0.5;
  return f_a / (f_b - f_a) * (f_c / (f_b - f_c)) + (c - a) / (b - a) * (f_a / (f_c - f_a)) * (f_b / (f_c - f_b));
}

inline RootFindResult converged_at(Real x, Real f, int evaluations) {
  return {x, f, evaluations, true, RootStatus::Converged};
}

}  // namespace roots_detail

template <class F>
RootFindResult find_root(F&& f, Bracket bracket, const RootFindSettings& settings) {
  RootFindResult result = roots_detail::check_bracket(bracket, settings);
  if (result.status != RootStatus::OutOfEvaluations) return result;
  auto& [a, f_a, b, f_b] = bracket;
  Real t = 0.5;
  for (int evaluations = 1; evaluations <= settings.max_evaluations; ++evaluations) {
    const Real x = roots_detail::between(a, b, t);
    const Real f_x = f(x);
    if (std::isnan(f_x)) return {x, f_x, evaluations, false, RootStatus::NotANumber};
    // The new point becomes a, the end of opposite sign b, the one that drops out c.
    Real c = a, f_c = f_a;
    if (std::signbit(f_x) != std::signbit(f_a)) {
      c = b, f_c = f_b;
      b = a, f_b = f_a;
    }
    a = x, f_a = f_x;
    const bool a_is_best = std::abs(f_a) <= std::abs(f_b);
    result = {a_is_best ? a : b, a_is_best ? f_a : f_b, evaluations, false, RootStatus::OutOfEvaluations};
    const Real shortest = roots_detail::resolution(result.x, settings.x_tolerance) / std::abs(b - a);
    if (std::abs(result.f) <= settings.f_tolerance || shortest >= 0.5)
      return roots_detail::converged_at(result.x, result.f, evaluations);
    t = roots_detail::next_fraction(bracket, c, f_c);
    t = t > shortest ? std::min(t, 1 - shortest) : shortest;
  }
  return result;
}

template <class F>
RootFindResult find_root(F&& f, Real a, Real b, const RootFindSettings& settings) {
  const Real f_a = f(a), f_b = f(b);
  RootFindResult result = find_root(f, Bracket{a, f_a, b, f_b}, settings);
  result.evaluations += 2;
  return result;
}

template <class F>
RootFindResult find_root_newton(F&& f_and_slope, Bracket bracket, Real x0, const RootFindSettings& settings) {
  RootFindResult result = roots_detail::check_bracket(bracket, settings);
  if (result.status != RootStatus::OutOfEvaluations) return result;
  auto& [a, f_a, b, f_b] = bracket;
  Real x = std::clamp(x0, std::min(a, b), std::max(a, b));
  Real last_step = std::abs(b - a);
  for (int evaluations = 1; evaluations <= settings.max_evaluations; ++evaluations) {
    const auto [f_x, slope] = f_and_slope(x);
    if (std::isnan(f_x)) return {x, f_x, evaluations, false, RootStatus::NotANumber};
    result = {x, f_x, evaluations, false, RootStatus::OutOfEvaluations};
    if (std::signbit(f_x) == std::signbit(f_a))
      a = x, f_a = f_x;
    else
      b = x, f_b = f_x;
    const Real shortest = roots_detail::resolution(x, settings.x_tolerance);
    // An infinite slope says nothing of the distance: bisect.
    Real step = std::isinf(slope) ? std::numeric_limits<Real>::quiet_NaN() : -f_x / slope;
    if (std::abs(f_x) <= settings.f_tolerance || std::abs(b - a) <= 2 * shortest || std::abs(step) <= shortest)
      return roots_detail::converged_at(x, f_x, evaluations);
    const Real next = x + step;
    const bool inside = std::min(a, b) < next && next < std::max(a, b);
    if (!inside || !(std::abs(step) <= 0.5 * last_step)) step = roots_detail::between(a, b, 0.5) - x;
    last_step = std::abs(step);
    x = std::clamp(x + step, std::min(a, b), std::max(a, b));
  }
  return result;
}

template <class F>
RootFindResult find_root_newton(F&& f_and_slope, Real a, Real b, Real x0, const RootFindSettings& settings) {
  const Real f_a = f_and_slope(a).first, f_b = f_and_slope(b).first;
  RootFindResult result = find_root_newton(f_and_slope, Bracket{a, f_a, b, f_b}, x0, settings);
  result.evaluations += 2;
  return result;
}

}  // namespace visviva
