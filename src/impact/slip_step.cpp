#include "impact/slip_step.hpp"

namespace visviva::impact {
namespace {

struct Expansion {
  Real value, slope, bend;  ///< f, f', f''/2
};
Expansion expand_at(const Polynomial& c, Real x) {
  Expansion f{c[kOrder], 0, 0};
  for (std::size_t k = kOrder; k-- > 0;) {
    f.bend = f.bend * x + f.slope;
    f.slope = f.slope * x + f.value;
    f.value = f.value * x + c[k];
  }
  return f;
}

/// Zero of value + slope x + bend x² where that passes through zero in the sense of `rising`, or of the line if there
/// is none. At the end of compression the slope of E is zero, and its sign rounding: it must not decide.
Real step_to_zero(const Expansion& f, bool rising) {
  const Real discriminant = f.slope * f.slope - 4 * f.bend * f.value;
  if (discriminant < 0) return -f.value / f.slope;
  const Real root = std::sqrt(discriminant);
  return -2 * f.value / (rising ? f.slope + root : f.slope - root);
}

}  // namespace

Real zero_between(const Polynomial& f, Real a, Real b) {
  const Expansion at_a = a == 0 ? Expansion{f[0], f[1], f[2]} : expand_at(f, a);
  const bool rising = at_a.value < 0;
  Real x = a + step_to_zero(at_a, rising);
  if (!(x > a && x < b)) x = 0.5 * (a + b);
  for (int i = 0; i < 100; ++i) {
    const Expansion at_x = expand_at(f, x);
    if (at_x.value == 0) return x;
    ((at_x.value > 0) == rising ? b : a) = x;
    Real next = x + step_to_zero(at_x, rising);
    // The parabola cubes the error: after a move this small the next would be rounding.
    if (std::abs(next - x) <= 1e-5 * x) return std::clamp(next, a, b);
    if (!(next > a && next < b)) next = 0.5 * (a + b);
    if (b - a <= 2 * std::numeric_limits<Real>::epsilon() * b) return x;
    x = next;
  }
  return x;
}

}  // namespace visviva::impact
