// The curved slip of eight impacts at once. Included by one file for each instruction set; see visviva/math/lanes.hpp
// for what such a file may use. The formulas are those of slip_step.hpp, approach_to_stop.cpp and
// ExactImpact::has_no_event, with masks for branches.
#include "impact/slip_lanes.hpp"
#include "impact/slip_series.hpp"
#include "visviva/math/lanes.hpp"

namespace visviva::impact {
inline namespace VISVIVA_LANES_NAMESPACE {
namespace {

using V = Lanes<double, SlipBlock::kLanes>;
using M = Mask<double, SlipBlock::kLanes>;

/// The batch trades the last digits for speed.
constexpr int kLaneOrder = 16;
/// Last term of a series at the end of a step; what is cut off is a tenth of it.
constexpr double kLaneLastTerm = 1e-11;
/// As in SlipUnits::weight.
constexpr double kSmallestWeight = 1e-6;
constexpr double kLaneEpsilon = 2.220446049250313e-16;

using LaneSeries = SlipSeries<V, kLaneOrder>;

VISVIVA_LANES_INLINE V row(const SlipBlock::Row& x) { return V::load(x); }

/// Each lane's x^(1/16), or nearly x^(1/15), to a few per cent, from the bits of x > 0.
VISVIVA_LANES_INLINE V rough_root(V x, bool fifteenth) {
  constexpr std::int64_t kOne = 0x3ff0'0000'0000'0000;
  double value[SlipBlock::kLanes];
  std::int64_t bits[SlipBlock::kLanes];
  x.store(value);
  __builtin_memcpy(bits, value, sizeof bits);
  for (std::int64_t& b : bits) {
    const std::int64_t log = b - kOne;
    b = kOne + (log >> 4) + (fifteenth ? log >> 8 : 0);
  }
  __builtin_memcpy(value, bits, sizeof bits);
  return V::load(value);
}

VISVIVA_LANES_INLINE V step_length(const LaneSeries& s, V weight, V work_weight) {
  const V tiny(1e-300);
  const V last = weight * (abs(s.gx[16]) + abs(s.gy[16]) + abs(s.r[16])) + work_weight * abs(s.work[16]) + tiny;
  const V last_but_one = weight * (abs(s.gx[15]) + abs(s.gy[15]) + abs(s.r[15])) + work_weight * abs(s.work[15]) + tiny;
  return min(rough_root(kLaneLastTerm / last, false), rough_root(kLaneLastTerm / last_but_one, true));
}

struct LaneState {
  V ux, uy, r, Ix, Iy, Iz, vz, E;
};
VISVIVA_LANES_INLINE void store(const LaneState& s, SlipBlock::State& to) {
  s.ux.store(to.ux);
  s.uy.store(to.uy);
  s.r.store(to.r);
  s.Ix.store(to.Ix);
  s.Iy.store(to.Iy);
  s.Iz.store(to.Iz);
  s.vz.store(to.vz);
  s.E.store(to.E);
}

/// One expansion of each lane.
struct LaneStep {
  LaneState start;
  V mu, d1, d2, W33;
  V unit;  ///< r / L
  V length;
  LaneSeries series;

  [[gnu::always_inline]] inline explicit LaneStep(const SlipBlock& block)
      : start{row(block.start.ux), row(block.start.uy), row(block.start.r),  row(block.start.Ix),
              row(block.start.Iy), row(block.start.Iz), row(block.start.vz), row(block.start.E)},
        mu(row(block.mu)),
        d1(row(block.d1)),
        d2(row(block.d2)),
        W33(row(block.W33)) {
    const V B11 = row(block.B11), B12 = row(block.B12), B22 = row(block.B22);
    const V over_L = row(block.over_L), mu_over_L = mu * over_L;
    const V ux = start.ux, uy = start.uy;
    const V Bux = B11 * ux + B12 * uy, Buy = B12 * ux + B22 * uy;
    const V Bnx = B12 * ux - B11 * uy, Bny = B22 * ux - B12 * uy;
    const V d_u = d1 * ux + d2 * uy, d_n = d2 * ux - d1 * uy;
    expand<V, kLaneOrder>(
        {mu_over_L * (ux * Bux + uy * Buy), mu_over_L * (ux * Bnx + uy * Bny), mu_over_L * (ux * Bny - uy * Bnx),
         over_L * d_u, over_L * d_n, W33 * over_L, mu_over_L * d_u, mu_over_L * d_n},
        series);
    unit = start.r * over_L;
    length = step_length(series, max(start.r / max(start.r, row(block.unit_speed)), V(kSmallestWeight)),
                         min(start.r * unit / row(block.unit_energy), V(1.0)));
  }

  [[nodiscard, gnu::always_inline]] inline LaneState at(V sigma) const {
    const SlipPoint<V> p = evaluate(series, sigma);
    const V gx = p.gx * start.ux - p.gy * start.uy, gy = p.gx * start.uy + p.gy * start.ux;
    const V scale = -(mu * unit);
    const V dIx = scale * (p.cx * start.ux - p.cy * start.uy), dIy = scale * (p.cx * start.uy + p.cy * start.ux);
    const V dIz = unit * p.z;
    const V size = sqrt(gx * gx + gy * gy);
    const V over = 1.0 / size;
    return {gx * over,
            gy * over,
            start.r * size,
            start.Ix + dIx,
            start.Iy + dIy,
            start.Iz + dIz,
            start.vz + (W33 * dIz + (d1 * dIx + d2 * dIy)),
            start.E - (start.vz * dIz + start.r * unit * p.work)};
  }
};

/// The zero in [a, b] of a polynomial, negative at a and not at b, for the lanes of `wanted`.
VISVIVA_LANES_INLINE V zero_between(const V (&c)[kLaneOrder + 1], V a, V b, M wanted) {
  V x = a;
  M open = wanted;
  // the expansion at `a` comes first, so that at a = c with slope 0 the parabola is right from the start
  for (int i = 0; i < 60 && any(open); ++i) {
    V value = c[kLaneOrder], slope(0.0), bend(0.0);
    for (std::size_t k = kLaneOrder; k-- > 0;) {
      bend = bend * x + slope;
      slope = slope * x + value;
      value = value * x + c[k];
    }
    const M above = value > V(0.0);
    b = select(above, x, b);
    a = select(above, a, x);
    const V discriminant = slope * slope - bend * value * 4.0;
    const V root = sqrt(max(discriminant, V(0.0)));
    // slope + root never cancels for a rising function; the line where the parabola has no zero
    const V parabola = -(value * 2.0) / (abs(slope) + root), line = -value / slope;
    const V move = select(discriminant < V(0.0), line, parabola);
    V next = x + move;
    const M done = (abs(move) <= x * 1e-5) | (b - a <= b * (2 * kLaneEpsilon)) | (value == V(0.0));
    const V inside = min(max(next, a), b);
    next = select((next > a) & (next < b), next, (a + b) * 0.5);
    x = select(open, select(done, select(value == V(0.0), x, inside), next), x);
    open = open & !done;
  }
  return x;
}

/// A lane is done when three of its terms in a row are rounding; from then on it adds nothing, however long the others
/// take.
struct LanesDone {
  M open;
  V size_z = V(0.0), in_a_row = V(0.0);

  [[gnu::always_inline]] inline bool operator()(V term_k, V sum_k, V term_z, V& power) {
    size_z += abs(term_z);
    const M small = (abs(term_k) <= abs(sum_k) * kLaneEpsilon) & (abs(term_z) <= size_z * kLaneEpsilon);
    in_a_row = select(small, in_a_row + 1.0, V(0.0));
    open = open & (in_a_row < V(3.0));
    power = select(open, power, V(0.0));
    return none(open);
  }
};

void approach_to_stop(SlipBlock& block) {
  const V B11 = row(block.B11), B12 = row(block.B12), B22 = row(block.B22), d1 = row(block.d1), d2 = row(block.d2);
  const V mu = row(block.mu), W33 = row(block.W33), scale = row(block.rate_scale);
  const V gx = row(block.start.ux), gy = row(block.start.uy), zero(0.0);
  V ux = gx, uy = gy;
  ApproachField<V> f;
  M alive = M::first(SlipBlock::kLanes), open;
  V turn;
  for (int i = 0;; ++i) {
    const V Bux = B11 * ux + B12 * uy, Buy = B12 * ux + B22 * uy;
    const V Bnx = B12 * ux - B11 * uy, Bny = B22 * ux - B12 * uy;
    f.b11 = mu * (ux * Bux + uy * Buy);
    f.b12 = mu * (ux * Bnx + uy * Bny);
    f.b22 = mu * (ux * Bny - uy * Bnx);
    f.d_u = d1 * ux + d2 * uy;
    f.d_n = d2 * ux - d1 * uy;
    f.lambda = f.d_u - f.b11;
    f.A = -(f.lambda + f.b22);
    const V g = f.d_n - f.b12;
    alive = alive & (f.lambda < zero) & (f.A < zero);
    open = alive & (abs(g) > scale * (2 * kLaneEpsilon));
    turn = select(open, -g / f.A, zero);
    alive = alive & (abs(turn) < V(kAttractorReach));
    open = open & alive;
    if (none(open) || i == kAttractorIterations - 1) break;
    const V over = 1.0 / sqrt(turn * turn + 1.0);
    const V next_x = (ux - turn * uy) * over, next_y = (uy + turn * ux) * over;
    ux = select(open, next_x, ux);
    uy = select(open, next_y, uy);
  }
  const V cos_phi = ux * gx + uy * gy, sin_phi = ux * gy - uy * gx;
  alive = alive & (abs(turn) <= V(kAttractorFound)) & (cos_phi > zero);
  const V t = sin_phi / (cos_phi + 1.0);
  alive = alive & is_within_reach(f, abs(t));
  if (none(alive)) {
    block.reaches = 0;
    return;
  }
  LanesDone is_done{alive};
  const auto sum = sum_approach(f, W33, mu, t, is_done);
  const V y = row(block.start.r) / (t * t + 1.0), minus_mu_y = -(mu * y);
  const V Iz = y * sum.k;
  const V Ix = minus_mu_y * (sum.c * ux - sum.s * uy), Iy = minus_mu_y * (sum.c * uy + sum.s * ux);
  Iz.store(block.rest_Iz);
  Ix.store(block.rest_Ix);
  Iy.store(block.rest_Iy);
  (W33 * Iz + (d1 * Ix + d2 * Iy)).store(block.rest_vz);
  (-(y * y * sum.z)).store(block.rest_work_about_stop);
  block.reaches = to_bits(alive & !is_done.open);
}

/// Whether restitution would be over at a state.
VISVIVA_LANES_INLINE M is_past_end(const LaneState& s, V Iz_end, V vz_end, Law law) {
  return law == Law::Stronge ? s.E < V(0.0) : law == Law::Poisson ? s.Iz > Iz_end : s.vz > vz_end;
}

/// How vz behaves in a step.
struct Course {
  M rises;  ///< throughout
  V sum;    ///< of vz at the ends
  V swing;  ///< what vz can change by, at most
};
VISVIVA_LANES_INLINE Course course_of(const SlipBlock& block, const LaneStep& s, const LaneState& end) {
  // The slope W33 - mu d·u is positive throughout if it is so at both ends and u does not pass d between them.
  const V zero(0.0), d_u = s.d1 * s.start.ux + s.d2 * s.start.uy, d_end = s.d1 * end.ux + s.d2 * end.uy;
  const V cross0 = s.start.ux * s.d2 - s.start.uy * s.d1, cross1 = s.d1 * end.uy - s.d2 * end.ux;
  const M passes_d = (cross0 * cross1 >= zero) & (d_u > zero);
  return {M::from_bits(block.monotone) | ((s.W33 - s.mu * d_u > zero) & (s.W33 - s.mu * d_end > zero) & !passes_d),
          s.start.vz + end.vz, row(block.steepest) * (end.Iz - s.start.Iz)};
}

void step(SlipBlock& block, Law law) {
  const LaneStep s(block);
  const LaneState end = s.at(s.length);
  store(end, block.at_end);

  const Course c = course_of(block, s, end);
  const V zero(0.0), vz_end = row(block.vz_end);
  const M compressing = M::from_bits(block.compressing);
  const M quiet_compression = (c.rises & (end.vz < zero)) | (c.sum + c.swing < zero);
  M quiet = (c.rises & (s.start.vz >= zero)) | (abs(c.sum) > c.swing);
  if (law == Law::Poisson) quiet = M::first(SlipBlock::kLanes);
  if (law == Law::Newton) quiet = c.rises | (c.sum + c.swing < vz_end * 2.0);
  quiet = quiet & !is_past_end(end, row(block.Iz_end), vz_end, law);
  const M restoring = !compressing;
  block.has_event = to_bits(!((compressing & quiet_compression) | (restoring & quiet)));

  // The first step of Newton's method of approach_to_stop, from the end of this step.
  const V B11 = row(block.B11), B12 = row(block.B12), B22 = row(block.B22);
  const V Fx = s.d1 - s.mu * (B11 * end.ux + B12 * end.uy), Fy = s.d2 - s.mu * (B12 * end.ux + B22 * end.uy);
  const V b22 = s.mu * (end.ux * (B22 * end.ux - B12 * end.uy) - end.uy * (B12 * end.ux - B11 * end.uy));
  const V f = end.ux * Fx + end.uy * Fy, g = end.ux * Fy - end.uy * Fx, dg = -(f + b22);
  block.near_stop = to_bits((f < zero) & (dg < zero) & (abs(g) < dg * -kAttractorReach));
}

void locate_events(SlipBlock& block, Law law) {
  const LaneStep s(block);
  LaneState end = s.at(s.length);
  const Course course = course_of(block, s, end);
  const V zero(0.0), vz0 = s.start.vz, e = row(block.e);

  const M compressing = M::from_bits(block.compressing);
  const M crosses = compressing & course.rises & (end.vz >= zero);
  V vz_coefficients[kLaneOrder + 1];
  for (std::size_t k = 1; k <= kLaneOrder; ++k) vz_coefficients[k] = s.start.r * s.series.dv[k];
  vz_coefficients[0] = vz0;
  V from = zero, loss = zero, Iz_end = row(block.Iz_end), vz_end = row(block.vz_end);
  M restoring = !compressing;
  if (any(crosses)) {
    from = select(crosses, zero_between(vz_coefficients, zero, s.length, crosses), zero);
    const LaneState at_c = s.at(from);
    store(at_c, block.at_c);
    if (law == Law::Stronge) loss = select(crosses, at_c.E * (1.0 - e * e), zero);
    Iz_end = select(crosses, at_c.Iz * (e + 1.0), Iz_end);
    vz_end = select(crosses, -(e * row(block.vz_before)), vz_end);
    restoring = restoring | (crosses & (e >= V(kSmallRestitution)));
  }
  end.E = end.E - loss;
  M safe = (course.rises & (vz0 >= zero)) | crosses | (abs(course.sum) > course.swing);
  if (law == Law::Poisson) safe = restoring;
  if (law == Law::Newton) safe = course.rises | (course.sum + course.swing < vz_end * 2.0);
  const M ends = restoring & safe & is_past_end(end, Iz_end, vz_end, law);
  if (any(ends)) {
    V c[kLaneOrder + 1];
    constexpr const double* over = kReciprocals<kLaneOrder>.of;
    for (std::size_t k = 1; k <= kLaneOrder; ++k) {
      if (law == Law::Stronge)
        c[k] = s.unit * (s.start.r * s.series.work[k] + vz0 * s.series.r[k - 1] * over[k]);
      else if (law == Law::Poisson)
        c[k] = s.unit * s.series.r[k - 1] * over[k];
      else
        c[k] = vz_coefficients[k];
    }
    c[0] = law == Law::Stronge ? loss - s.start.E : law == Law::Poisson ? s.start.Iz - Iz_end : vz0 - vz_end;
    end = s.at(select(ends, zero_between(c, from, s.length, ends), s.length));
    end.E = end.E - loss;
  }
  store(end, block.at_end);
  block.ends_compression = to_bits(crosses);
  block.ends_restitution = to_bits(ends);
  block.too_curved = to_bits((compressing & !crosses & !(course.sum + course.swing < zero)) | (restoring & !safe));
}

}  // namespace
}  // namespace VISVIVA_LANES_NAMESPACE
}  // namespace visviva::impact
