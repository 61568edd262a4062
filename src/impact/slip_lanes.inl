// The curved slip of eight impacts at once. Included by one file for each instruction set; see visviva/math/lanes.hpp
// for what such a file may use. The formulas are those of slip_step.hpp and ExactImpact::has_no_event, with masks for
// branches.
#pragma once

#include "impact/slip_lanes.hpp"
#include "impact/slip_series.hpp"
#include "visviva/math/lanes.hpp"

namespace visviva::impact {
inline namespace VISVIVA_LANES_NAMESPACE {
namespace {

using V = Lanes<double, SlipBlock::kLanes>;
using M = Mask<double, SlipBlock::kLanes>;

constexpr double kLaneEpsilon = 2.220446049250313e-16;
/// The batch trades the last digits for speed.
constexpr int kLaneOrder = 14;
/// Last term of a series at the end of a step; what is cut off is a tenth of it.
constexpr double kLaneLastTerm = 5e-11;
/// Longest step in σ: beyond it γ(0) would be rounding of what γ is computed from.
constexpr double kLongestStep = 64;
/// As kOnAttractor and kSnapAngle of solve_exact.cpp.
constexpr double kOnAttractorLanes = 16 * kLaneEpsilon, kSnapAngleLanes = 1e-8;
/// Rate of |γ| over its scale at which slip seems to neither stop nor grow.
constexpr double kSteady = 1e-10;
/// Part of a step that is tried where vz may turn near an event.
constexpr double kShorter = 0.25;
/// Of SlipUnits::weight.
constexpr double kSmallestWeight = 1e-6;
/// Last move to a zero, relative to it: the parabola cubes the error.
constexpr double kLaneZeroFound = 1e-4;

VISVIVA_LANES_INLINE V row(const SlipBlock::Row& x) { return V::load(x); }

/// Coefficients of σ^k, relative to r at σ = 0, as in slip_series.hpp.
struct LaneSeries {
  V cx[kLaneOrder + 1], cy[kLaneOrder + 1], cz[kLaneOrder + 1];  ///< ∫ γ dσ, ∫ r dσ: of σ^(k+1)
  V dv[kLaneOrder + 1];                                          ///< vz - vz(0)
  V work[kLaneOrder + 1];                                        ///< ∫ (vz - vz(0)) dIz, relative to r²
  V size[2];                                                     ///< |γx| + |γy| + |r| of the last two
};

/// As expand of slip_series.hpp, but for integrals: γ follows from them without a sum of its own.
VISVIVA_LANES_INLINE void expand(const SlipField<V>& field, LaneSeries& s) {
  constexpr std::size_t n = kLaneOrder;
  constexpr const double* over = kReciprocals<kLaneOrder>.of;
  const V zero(0.0);
  V gy[n + 1], r[n + 1], eps[n + 1], sum[n + 1], gx(1.0);
  r[0] = V(1.0), sum[0] = V(2.0);
  gy[0] = eps[0] = s.dv[0] = s.work[0] = zero;
#pragma GCC unroll 32
  for (std::size_t k = 0; k <= n; ++k) {
    if (k + 1 >= n) s.size[k + 1 - n] = abs(gx) + abs(gy[k]) + abs(r[k]);
    s.cx[k] = gx * over[k + 1];
    s.cy[k] = gy[k] * over[k + 1];
    s.cz[k] = r[k] * over[k + 1];
    if (k == n) break;
    gx = s.cz[k] * field.d1 - (field.muB11 * s.cx[k] + field.muB12 * s.cy[k]);
    gy[k + 1] = s.cz[k] * field.d2 - (field.muB12 * s.cx[k] + field.muB22 * s.cy[k]);
    s.dv[k + 1] = s.cz[k] * field.W33 - (field.mud1 * s.cx[k] + field.mud2 * s.cy[k]);

    V work = zero;  // coefficient k of dv·r
#pragma GCC unroll 32
    for (std::size_t i = 1; i <= k; ++i) work = work + s.dv[i] * r[k - i];
    s.work[k + 1] = work * over[k + 1];

    V gy2 = zero;  // coefficient k + 1 of γy²
#pragma GCC unroll 32
    for (std::size_t i = 1; 2 * i < k + 1; ++i) gy2 = gy2 + gy[i] * gy[k + 1 - i];
    gy2 = gy2 + gy2;
    if (k % 2 == 1) gy2 = gy2 + gy[(k + 1) / 2] * gy[(k + 1) / 2];
    V known = zero;  // coefficient k + 1 of ε·sum without ε[k + 1] sum[0]
#pragma GCC unroll 32
    for (std::size_t i = 2; i <= k; ++i) known = known + eps[i] * sum[k + 1 - i];
    eps[k + 1] = (gy2 - known) * 0.5;
    r[k + 1] = gx + eps[k + 1];
    sum[k + 1] = gx + r[k + 1];
  }
}

/// Horner's rule by pairs of coefficients: half as long a chain of dependent operations.
VISVIVA_LANES_INLINE V sum_of(const V (&c)[kLaneOrder + 1], V sigma, V sigma2) {
  static_assert(kLaneOrder % 2 == 0);
  V sum = c[kLaneOrder];
#pragma GCC unroll 32
  for (std::size_t k = kLaneOrder; k > 0; k -= 2) sum = sum * sigma2 + (c[k - 1] * sigma + c[k - 2]);
  return sum;
}

/// Each lane's (numerator / x)^(1/n) to a few per cent, from the bits of x > 0.
template <int n>
VISVIVA_LANES_INLINE V rough_root(double numerator, V x) {
  constexpr std::int64_t kOne = 0x3ff0'0000'0000'0000;
  constexpr int over = 4096 / n;  // 1/n in units of 2^-12
  double value[SlipBlock::kLanes];
  std::int64_t bits[SlipBlock::kLanes], top;
  __builtin_memcpy(&top, &numerator, sizeof top);
  x.store(value);
  __builtin_memcpy(bits, value, sizeof bits);
  for (std::int64_t& b : bits) b = kOne + ((top - b) >> 12) * over;
  __builtin_memcpy(value, bits, sizeof bits);
  return V::load(value);
}

VISVIVA_LANES_INLINE V step_length(const LaneSeries& s, V weight, V work_weight) {
  constexpr int n = kLaneOrder;
  const V tiny(1e-300);
  const V length = min(rough_root<n>(kLaneLastTerm, weight * s.size[1] + work_weight * abs(s.work[n]) + tiny),
                       rough_root<n - 1>(kLaneLastTerm, weight * s.size[0] + work_weight * abs(s.work[n - 1]) + tiny));
  return min(length, V(kLongestStep));
}

using LaneState = SlipLaneState<V>;
using LaneProblem = SlipLaneProblem<V>;

VISVIVA_LANES_INLINE LaneProblem load(const SlipLaneProblem<SlipBlock::Row>& from) {
  LaneProblem p;
  for_each_of_problem(p, from, [](V& x, const SlipBlock::Row& y) VISVIVA_LANES_LAMBDA { x = row(y); });
  return p;
}
VISVIVA_LANES_INLINE LaneState load(const SlipLaneState<SlipBlock::Row>& from) {
  LaneState s;
  for_each_of_state(s, from, [](V& x, const SlipBlock::Row& y) VISVIVA_LANES_LAMBDA { x = row(y); });
  return s;
}
VISVIVA_LANES_INLINE void store(const LaneState& s, SlipLaneState<SlipBlock::Row>& to) {
  for_each_of_state(s, to, [](const V& x, SlipBlock::Row& y) VISVIVA_LANES_LAMBDA { x.store(y); });
}

VISVIVA_LANES_INLINE LaneState select(M mask, const LaneState& a, const LaneState& b) {
  return {select(mask, a.ux, b.ux), select(mask, a.uy, b.uy), select(mask, a.r, b.r),   select(mask, a.Ix, b.Ix),
          select(mask, a.Iy, b.Iy), select(mask, a.Iz, b.Iz), select(mask, a.vz, b.vz), select(mask, a.E, b.E)};
}

/// What an error relative to a speed r counts, as in SlipUnits::weight.
VISVIVA_LANES_INLINE V weight_of(const LaneProblem& p, V r) {
  return max(min(r * p.per_speed, V(1.0)), V(kSmallestWeight));
}

/// The problem in the frame of u and n, its left: mu u·Bu, mu u·Bn, mu n·Bn, d·u, d·n.
struct LaneFrame {
  V b11, b12, b22, d_u, d_n;
};
VISVIVA_LANES_INLINE LaneFrame frame_along(const LaneProblem& p, V ux, V uy) {
  const V Bux = p.B11 * ux + p.B12 * uy, Buy = p.B12 * ux + p.B22 * uy;
  const V Bnx = p.B12 * ux - p.B11 * uy, Bny = p.B22 * ux - p.B12 * uy;
  return {p.mu * (ux * Bux + uy * Buy), p.mu * (ux * Bnx + uy * Bny), p.mu * (ux * Bny - uy * Bnx),
          p.d1 * ux + p.d2 * uy, p.d2 * ux - p.d1 * uy};
}

/// One expansion of each lane.
struct LaneStep {
  LaneProblem p;
  LaneState start;
  SlipField<V> field;
  V unit;  ///< r / L
  V length;
  LaneSeries series;

  [[gnu::always_inline]] inline explicit LaneStep(const SlipBlock& block)
      : p(load(block.problem)), start(load(block.start)) {
    const LaneFrame f = frame_along(p, start.ux, start.uy);
    const V mu_over_L = p.mu * p.over_L;
    field = {p.over_L * f.b11, p.over_L * f.b12, p.over_L * f.b22,  p.over_L * f.d_u,
             p.over_L * f.d_n, p.over_L * p.W33, mu_over_L * f.d_u, mu_over_L * f.d_n};
    expand(field, series);
    unit = start.r * p.over_L;
    length = step_length(series, weight_of(p, start.r), min(start.r * unit * p.per_energy, V(1.0)));
  }

  [[nodiscard, gnu::always_inline]] inline LaneState at(V sigma) const {
    const V sigma2 = sigma * sigma;
    const V cx = sum_of(series.cx, sigma, sigma2) * sigma, cy = sum_of(series.cy, sigma, sigma2) * sigma;
    const V cz = sum_of(series.cz, sigma, sigma2) * sigma, work = sum_of(series.work, sigma, sigma2);
    // γ = γ(0) - mu B ∫ γ dσ + d ∫ r dσ, along u and n, relative to r
    const V g_u = field.d1 * cz - (field.muB11 * cx + field.muB12 * cy) + 1.0;
    const V g_n = field.d2 * cz - (field.muB12 * cx + field.muB22 * cy);
    const V size = sqrt(g_u * g_u + g_n * g_n), over = 1.0 / size, along = g_u * over, across = g_n * over;
    const V scale = -(p.mu * unit);
    const V dIx = scale * (cx * start.ux - cy * start.uy), dIy = scale * (cx * start.uy + cy * start.ux);
    const V dIz = unit * cz;
    return {along * start.ux - across * start.uy,
            along * start.uy + across * start.ux,
            start.r * size,
            start.Ix + dIx,
            start.Iy + dIy,
            start.Iz + dIz,
            start.vz + (p.W33 * dIz + (p.d1 * dIx + p.d2 * dIy)),
            start.E - (start.vz * dIz + start.r * unit * work)};
  }
};

/// value + slope x + bend x² about some point.
struct LaneParabola {
  V value, slope, bend;
};
VISVIVA_LANES_INLINE LaneParabola parabola_at(const V (&c)[kLaneOrder + 1], V x) {
  LaneParabola f{c[kLaneOrder], V(0.0), V(0.0)};
  for (std::size_t k = kLaneOrder; k-- > 0;) {
    f.bend = f.bend * x + f.slope;
    f.slope = f.slope * x + f.value;
    f.value = f.value * x + c[k];
  }
  return f;
}
/// To its zero where it rises, without cancellation; that of the line where there is none.
VISVIVA_LANES_INLINE V move_to_zero(const LaneParabola& f) {
  const V discriminant = f.slope * f.slope - f.bend * f.value * 4.0, root = sqrt(max(discriminant, V(0.0)));
  return select(discriminant < V(0.0), -f.value / f.slope, -(f.value * 2.0) / (abs(f.slope) + root));
}

/// The zero in [a, b] of a polynomial, negative at a and not at b, for the lanes of `wanted`. `at_a` has its value and
/// slope, `value_b` its value at b: the first guess is the zero of the parabola that has these.
VISVIVA_LANES_INLINE V zero_between(const V (&c)[kLaneOrder + 1], V a, V b, LaneParabola at_a, V value_b, M wanted) {
  const V zero(0.0), over = 1.0 / (b - a);
  at_a.bend = ((value_b - at_a.value) * over - at_a.slope) * over;
  V x = a + move_to_zero(at_a);
  x = select((x > a) & (x < b), x, (a + b) * 0.5);
  M open = wanted;
  for (int i = 0; i < 60 && any(open); ++i) {
    const LaneParabola f = parabola_at(c, x);
    const M above = f.value > zero;
    b = select(above, x, b);
    a = select(above, a, x);
    const V move = move_to_zero(f);
    V next = x + move;
    const M done = (abs(move) <= x * kLaneZeroFound) | (b - a <= b * (2 * kLaneEpsilon)) | (f.value == zero);
    const V inside = min(max(next, a), b);
    next = select((next > a) & (next < b), next, (a + b) * 0.5);
    x = select(open, select(done, select(f.value == zero, x, inside), next), x);
    open = open & !done;
  }
  return x;
}

VISVIVA_LANES_INLINE M is_compressing(const LaneProblem& p) { return p.Iz_end < V(0.0); }
/// vz' > 0 throughout.   [impact (18)]
VISVIVA_LANES_INLINE M is_monotone(const LaneProblem& p) { return p.W33 + p.W33 > p.steepest; }

/// Whether restitution would be over at a state.
VISVIVA_LANES_INLINE M is_past_end(const LaneState& s, const LaneProblem& p, Law law) {
  return law == Law::Stronge ? s.E < V(0.0) : law == Law::Poisson ? s.Iz > p.Iz_end : s.vz > p.vz_end;
}

/// Rates of slip at a state.
struct LaneRates {
  V speed, turn, turn_slope;  ///< of |γ|; g and g' of theory/impact (10)
  V d_u;
};
VISVIVA_LANES_INLINE LaneRates rates_of(const LaneProblem& p, const LaneState& s) {
  const LaneFrame f = frame_along(p, s.ux, s.uy);
  const V speed = f.d_u - f.b11;
  return {speed, f.d_n - f.b12, -(speed + f.b22), f.d_u};
}
/// Whether slip is on an attracting invariant direction, as in slide_straight_to_end.
VISVIVA_LANES_INLINE M is_straight(const LaneProblem& p, const LaneState& s, const LaneRates& f) {
  const V turn = abs(f.turn);
  return (turn * weight_of(p, s.r) <= p.rate_scale * kOnAttractorLanes) & (turn <= f.turn_slope * -kSnapAngleLanes);
}

/// Whether the approach to γ = 0 is worth a try: an attracting centripetal direction is near, by the first step of
/// Newton's method, and no event seems to lie before γ = 0. Also if slip will neither turn nor stop any more: such an
/// impact jams, and the scalar solver tells.
VISVIVA_LANES_INLINE M is_near_stop(const LaneProblem& p, const LaneState& s, Law law) {
  const LaneRates f = rates_of(p, s);
  const V zero(0.0);
  const M near = (f.speed < zero) & (f.turn_slope < zero) & (abs(f.turn) < f.turn_slope * -kAttractorReach);
  // As if slip were straight from here; Iz, vz times -rate and E times its square.
  const V q = -f.speed, change = (p.W33 - p.mu * f.d_u) * s.r, vz = s.vz * q + change;
  const M free = law == Law::Stronge   ? s.E * q * q > s.r * (s.vz * q + change * 0.5)
                 : law == Law::Poisson ? s.Iz * q + s.r < p.Iz_end * q
                                       : vz < p.vz_end * q;
  const M steady = is_straight(p, s, f) & (f.speed < p.rate_scale * kSteady);
  return steady | (near & ((is_compressing(p) & (vz < zero)) | (free & !is_compressing(p))));
}

/// How vz behaves in a step.
struct Course {
  M rises;  ///< throughout
  V sum;    ///< of vz at the ends
  V swing;  ///< what vz can change by, at most
};
VISVIVA_LANES_INLINE Course course_of(const LaneProblem& p, const LaneState& start, const LaneState& end) {
  // The slope W33 - mu d·u is positive throughout if it is so at both ends and u does not pass d between them.
  const V zero(0.0), d_u = p.d1 * start.ux + p.d2 * start.uy, d_end = p.d1 * end.ux + p.d2 * end.uy;
  const V cross0 = start.ux * p.d2 - start.uy * p.d1, cross1 = p.d1 * end.uy - p.d2 * end.ux;
  const M passes_d = (cross0 * cross1 >= zero) & (d_u > zero);
  return {is_monotone(p) | ((p.W33 - p.mu * d_u > zero) & (p.W33 - p.mu * d_end > zero) & !passes_d), start.vz + end.vz,
          p.steepest * (end.Iz - start.Iz)};
}

/// Whether no event lies between the ends.
VISVIVA_LANES_INLINE M has_no_event(const LaneProblem& p, const LaneState& start, const LaneState& end, const Course& c,
                                    Law law) {
  const V zero(0.0);
  const M compressing = is_compressing(p);
  const M quiet_compression = (c.rises & (end.vz < zero)) | (c.sum + c.swing < zero);
  M quiet = (c.rises & (start.vz >= zero)) | (abs(c.sum) > c.swing);
  if (law == Law::Poisson) quiet = M::first(SlipBlock::kLanes);
  if (law == Law::Newton) quiet = c.rises | (c.sum + c.swing < p.vz_end * 2.0);
  return (compressing & quiet_compression) | (quiet & !(compressing | is_past_end(end, p, law)));
}

void step(SlipBlock& block, Law law) {
  const LaneStep s(block);
  const LaneState end = s.at(s.length);
  store(end, block.at_end);
  block.has_event = to_bits(!has_no_event(s.p, s.start, end, course_of(s.p, s.start, end), law));
  block.near_stop = to_bits(is_near_stop(s.p, end, law));
}

void locate_events(SlipBlock& block, Law law) {
  LaneStep s(block);
  LaneState end = s.at(s.length);
  const Course course = course_of(s.p, s.start, end);
  const V zero(0.0), vz0 = s.start.vz, e = s.p.e;

  const M compressing = is_compressing(s.p);
  const M crosses = compressing & course.rises & (end.vz >= zero);
  V vz_coefficients[kLaneOrder + 1];
  for (std::size_t k = 1; k <= kLaneOrder; ++k) vz_coefficients[k] = s.start.r * s.series.dv[k];
  vz_coefficients[0] = vz0;
  V from = zero, loss = zero;
  M restoring = !compressing;
  if (any(crosses)) {
    from = select(
        crosses, zero_between(vz_coefficients, zero, s.length, {vz0, vz_coefficients[1], zero}, end.vz, crosses), zero);
    const LaneState at_c = s.at(from);
    store(at_c, block.at_c);
    if (law == Law::Stronge) loss = select(crosses, at_c.E * (1.0 - e * e), zero);
    s.p.Iz_end = select(crosses, at_c.Iz * (e + 1.0), s.p.Iz_end);
    s.p.vz_end = select(crosses, -(e * s.p.vz_before), s.p.vz_end);
    restoring = restoring | (crosses & (e >= V(kSmallRestitution)));
  }
  end.E = end.E - loss;
  M safe = (course.rises & (vz0 >= zero)) | crosses | (abs(course.sum) > course.swing);
  if (law == Law::Poisson) safe = restoring;
  if (law == Law::Newton) safe = course.rises | (course.sum + course.swing < s.p.vz_end * 2.0);
  const M ends = restoring & safe & is_past_end(end, s.p, law);
  if (any(ends)) {
    V c[kLaneOrder + 1];
    for (std::size_t k = 1; k <= kLaneOrder; ++k) {
      if (law == Law::Stronge)
        c[k] = s.unit * (s.start.r * s.series.work[k] + vz0 * s.series.cz[k - 1]);
      else if (law == Law::Poisson)
        c[k] = s.unit * s.series.cz[k - 1];
      else
        c[k] = vz_coefficients[k];
    }
    c[0] = law == Law::Stronge ? loss - s.start.E : law == Law::Poisson ? s.start.Iz - s.p.Iz_end : vz0 - s.p.vz_end;
    const V value_end = law == Law::Stronge ? -end.E : law == Law::Poisson ? end.Iz - s.p.Iz_end : end.vz - s.p.vz_end;
    end = s.at(select(ends, zero_between(c, from, s.length, parabola_at(c, from), value_end, ends), s.length));
    end.E = end.E - loss;
  }
  // Where vz may turn near an event, a shorter step, if that is free of events.
  M unclear = (compressing & !(crosses | (course.sum + course.swing < zero))) | (restoring & !safe);
  if (any(unclear)) {
    const LaneState near = s.at(s.length * kShorter);
    const M free = unclear & has_no_event(load(block.problem), s.start, near, course_of(s.p, s.start, near), law);
    end = select(free, near, end);
    unclear = unclear & !free;
  }
  store(end, block.at_end);
  block.near_stop = to_bits(is_near_stop(s.p, end, law));
  block.ends_compression = to_bits(crosses);
  block.ends_restitution = to_bits(ends);
  block.left_to_scalar = to_bits(unclear);
}

}  // namespace
}  // namespace VISVIVA_LANES_NAMESPACE
}  // namespace visviva::impact
