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
constexpr double kLaneLastTerm = 1e-13;
constexpr double kLaneEpsilon = 2.220446049250313e-16;

using LaneSeries = SlipSeries<V, kLaneOrder>;

VISVIVA_LANES_INLINE V row(const SlipBlock::Row& x) { return V::load(x); }

/// 16th root of a positive number.
VISVIVA_LANES_INLINE V root16(V x) { return sqrt(sqrt(sqrt(sqrt(x)))); }

VISVIVA_LANES_INLINE V step_length(const LaneSeries& s, V work_weight) {
  const V tiny(1e-300);
  const V last = abs(s.gx[16]) + abs(s.gy[16]) + abs(s.r[16]) + work_weight * abs(s.work[16]) + tiny;
  const V last_but_one = abs(s.gx[15]) + abs(s.gy[15]) + abs(s.r[15]) + work_weight * abs(s.work[15]);
  const V h = root16(kLaneLastTerm / last);
  const V h2 = h * h, h4 = h2 * h2, h8 = h4 * h4;
  const V excess = last_but_one * h8 * h4 * h2 * h * (1 / kLaneLastTerm);
  return h / root16(max(excess, V(1.0)));
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

struct LaneStep {
  LaneState start;
  V mu, d1, d2, W33;
  V unit;  ///< r / L
  LaneSeries series;

  [[gnu::always_inline]] inline LaneState at(V sigma) const {
    const SlipPoint<V> p = evaluate(series, sigma);
    const V gx = p.gx * start.ux - p.gy * start.uy, gy = p.gx * start.uy + p.gy * start.ux;
    const V scale = -(mu * unit);
    const V dIx = scale * (p.cx * start.ux - p.cy * start.uy), dIy = scale * (p.cx * start.uy + p.cy * start.ux);
    const V dIz = unit * p.z;
    const V length = sqrt(gx * gx + gy * gy);
    const V over = 1.0 / length;
    return {gx * over,
            gy * over,
            start.r * length,
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
    const V turn = select(open, -g / f.A, zero);
    alive = alive & (abs(turn) < V(kAttractorReach));
    open = open & alive;
    if (none(open) || i == kAttractorIterations - 1) break;
    const V over = 1.0 / sqrt(turn * turn + 1.0);
    const V next_x = (ux - turn * uy) * over, next_y = (uy + turn * ux) * over;
    ux = select(open, next_x, ux);
    uy = select(open, next_y, uy);
  }
  const V cos_phi = ux * gx + uy * gy, sin_phi = ux * gy - uy * gx;
  alive = alive & (cos_phi > zero);
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

void step(SlipBlock& block, Law law) {
  const V B11 = row(block.B11), B12 = row(block.B12), B22 = row(block.B22), zero(0.0);
  LaneStep s;
  s.start = {row(block.start.ux), row(block.start.uy), row(block.start.r),  row(block.start.Ix),
             row(block.start.Iy), row(block.start.Iz), row(block.start.vz), row(block.start.E)};
  s.mu = row(block.mu);
  s.d1 = row(block.d1);
  s.d2 = row(block.d2);
  s.W33 = row(block.W33);
  const V over_L = row(block.over_L), mu_over_L = s.mu * over_L;
  s.unit = s.start.r * over_L;
  const V ux = s.start.ux, uy = s.start.uy, vz0 = s.start.vz;
  const V Bux = B11 * ux + B12 * uy, Buy = B12 * ux + B22 * uy;
  const V Bnx = B12 * ux - B11 * uy, Bny = B22 * ux - B12 * uy;
  const V d_u = s.d1 * ux + s.d2 * uy, d_n = s.d2 * ux - s.d1 * uy;
  const SlipField<V> field{mu_over_L * (ux * Bux + uy * Buy),
                           mu_over_L * (ux * Bnx + uy * Bny),
                           mu_over_L * (ux * Bny - uy * Bnx),
                           over_L * d_u,
                           over_L * d_n,
                           s.W33 * over_L,
                           mu_over_L * d_u,
                           mu_over_L * d_n};
  expand<V, kLaneOrder>(field, s.series);
  const V h = step_length(s.series, min(s.start.r * s.unit / row(block.energy_unit), V(1.0)));
  LaneState end = s.at(h);

  // vz rises throughout if its slope W33 - mu d·u is positive at both ends and u does not pass d between them.
  const V cross0 = ux * s.d2 - uy * s.d1, cross1 = s.d1 * end.uy - s.d2 * end.ux;
  const M passes_d = (cross0 * cross1 >= zero) & (d_u > zero);
  const M rises = M::from_bits(block.monotone) |
                  ((s.W33 - s.mu * d_u > zero) & (s.W33 - s.mu * (s.d1 * end.ux + s.d2 * end.uy) > zero) & !passes_d);
  const V sum = vz0 + end.vz, swing = row(block.steepest) * (end.Iz - s.start.Iz);

  // compression
  M compressing = M::from_bits(block.compressing);
  const M crosses = compressing & rises & (end.vz >= zero);
  M too_curved = compressing & !crosses & !(rises & (end.vz < zero)) & !(sum + swing < zero);
  V vz_coefficients[kLaneOrder + 1];
  for (std::size_t k = 1; k <= kLaneOrder; ++k) vz_coefficients[k] = s.start.r * s.series.dv[k];
  vz_coefficients[0] = vz0;
  V from = zero, loss = zero;
  V Iz_end = row(block.Iz_end), vz_end = row(block.vz_end);
  const V e = row(block.e);
  M restoring = !compressing;
  if (any(crosses)) {
    from = select(crosses, zero_between(vz_coefficients, zero, h, crosses), zero);
    const LaneState at_c = s.at(from);
    store(at_c, block.at_c);
    if (law == Law::Stronge) loss = select(crosses, at_c.E * (1.0 - e * e), zero);
    Iz_end = select(crosses, at_c.Iz * (e + 1.0), Iz_end);
    vz_end = select(crosses, -(e * row(block.vz_end)), vz_end);
    restoring = restoring | (crosses & (e >= V(1.0 / 16)));  // kSmallRestitution
  }
  block.ends_compression = to_bits(crosses);

  // restitution
  end.E = end.E - loss;
  M past, safe;
  if (law == Law::Stronge) {
    past = end.E < zero;
    safe = (rises & (vz0 >= zero)) | crosses | (abs(sum) > swing);
  } else if (law == Law::Poisson) {
    past = end.Iz > Iz_end;
    safe = restoring;
  } else {
    past = end.vz > vz_end;
    safe = rises | (sum + swing < vz_end * 2.0);
  }
  too_curved = too_curved | (restoring & !safe);
  const M ends = restoring & safe & past;
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
    LaneState at_r = s.at(select(ends, zero_between(c, from, h, ends), h));
    at_r.E = at_r.E - loss;
    end = at_r;
  }
  store(end, block.at_end);
  block.ends_restitution = to_bits(ends);
  block.too_curved = to_bits(too_curved);
}

}  // namespace
}  // namespace VISVIVA_LANES_NAMESPACE
}  // namespace visviva::impact
