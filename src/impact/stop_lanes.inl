// The way of eight slips to γ = 0 and from there to the end of the impact. The formulas are those of
// approach_to_stop.cpp, centrifugal.cpp and ExactImpact::advance_on_line, with masks for branches.
#include "impact/slip_lanes.inl"
#include "impact/slip_series.hpp"
#include "visviva/math/lanes.hpp"

namespace visviva::impact {
inline namespace VISVIVA_LANES_NAMESPACE {
namespace {

/// Terms of the series of the approach, and which part of its least radius they are asked to reach (0.8 for the 64
/// terms of the scalar solver).
constexpr int kLaneTerms = 32;
constexpr double kLaneReach = 0.5;
/// Size of a last term, relative to the sum.
constexpr double kLaneSmallTerm = 1e-12;
/// Last move of Newton's methods here: they square the error.
constexpr double kLaneFound = 1e-7;
/// Below this, det B over the square of its larger eigenvalue, and within this of ‖B⁻¹d‖ = mu, what happens at rest is
/// for the scalar solver: differences lose too many digits.
constexpr double kClearRank = 1e-5, kClearRest = 1e-9;
/// As kNoSlip of solve_exact.cpp.
constexpr double kNoSlipLanes = 0x1p-60;
constexpr double kSlowLine = 1e-6;  ///< vz' over its scale below which a line is left to the scalar solver

/// A lane is done when two of its terms in a row are small; from then on it adds nothing, however long the others take.
struct LanesDone {
  M open;
  V size_z = V(0.0), in_a_row = V(0.0);
  int terms = 0;

  [[gnu::always_inline]] inline bool operator()(V term_k, V sum_k, V term_z, V& power) {
    size_z += abs(term_z);
    const M small = (abs(term_k) <= abs(sum_k) * kLaneSmallTerm) & (abs(term_z) <= size_z * kLaneSmallTerm);
    in_a_row = select(small, in_a_row + 1.0, V(0.0));
    open = open & (in_a_row < V(2.0));
    power = select(open, power, V(0.0));
    return none(open) || ++terms == kLaneTerms;
  }
};

VISVIVA_LANES_INLINE ApproachField<V> approach_field(const LaneFrame& f) {
  const V lambda = f.d_u - f.b11;
  return {f.b11, f.b12, f.b22, f.d_u, f.d_n, lambda, -(lambda + f.b22)};
}

/// tan(φ/2) of the angle φ to the root of g next to u, as turn_to_root; takes lanes without one out of `alive`.
VISVIVA_LANES_INLINE V turn_to_root(const ApproachField<V>& f, M& alive) {
  const V zero(0.0), reach(kAttractorReach);
  const V G0 = (f.d_n - f.b12) * 0.5, G2 = f.b12 * 3.0, G3 = f.b22 - f.b11 - f.d_u, G4 = (f.d_n + f.b12) * -0.5;
  alive = alive & (f.lambda < zero) & (f.A < zero);
  V t = -G0 / f.A;
  M open = alive = alive & (abs(t) < reach * 0.5);
  for (int i = 0; i < kAttractorIterations && any(open); ++i) {
    const V value = G0 + t * (f.A + t * (G2 + t * (G3 + t * G4)));
    const V slope = f.A + t * (G2 * 2.0 + t * (G3 * 3.0 + t * (G4 * 4.0)));
    const V move = select(open, -value / slope, zero);
    t = t + move;
    alive = alive & !(open & !((slope < zero) & (abs(t) < reach)));
    open = open & alive & (abs(move) > V(kLaneFound));
  }
  alive = alive & !open;
  return t;
}

/// γ = 0, for the lanes of `alive`; others are taken out of it.   [theory/impact (14)–(16)]
VISVIVA_LANES_INLINE LaneState approach_to_stop(const LaneProblem& p, const LaneState& s, M& alive) {
  const V zero(0.0);
  const V t = -turn_to_root(approach_field(frame_along(p, s.ux, s.uy)), alive);  // from the root back to γ
  const V t2 = t * t, over = 1.0 / (t2 + 1.0), cos_phi = (1.0 - t2) * over, sin_phi = t * 2.0 * over;
  const V ux = cos_phi * s.ux + sin_phi * s.uy, uy = cos_phi * s.uy - sin_phi * s.ux;
  const ApproachField<V> f = approach_field(frame_along(p, ux, uy));
  alive = alive & (f.lambda < zero) & (f.A < zero) & is_within_reach(f, abs(t) * (0.8 / kLaneReach));
  LaneState stop = s;
  if (none(alive)) return stop;
  LanesDone is_done{alive};
  const auto sum = sum_approach(f, p.W33, p.mu, t, is_done);
  alive = alive & !is_done.open;
  const V y = s.r * over, minus_mu_y = -(p.mu * y);
  const V dIz = y * sum.k;
  const V dIx = minus_mu_y * (sum.c * ux - sum.s * uy), dIy = minus_mu_y * (sum.c * uy + sum.s * ux);
  stop.Ix = s.Ix + dIx;
  stop.Iy = s.Iy + dIy;
  stop.Iz = s.Iz + dIz;
  stop.vz = s.vz + (p.W33 * dIz + (p.d1 * dIx + p.d2 * dIy));
  stop.E = s.E - (stop.vz * dIz - y * y * sum.z);
  stop.r = zero;
  return stop;
}

/// Straight motion from γ = 0: I' = (x, y, 1), |γ|' = f.
struct LaneLine {
  V x, y, f, ux, uy;
  M unclear;
};

/// Whether the contact sticks or slips on, and how.   [impact (34), (38), Theorem 5]
VISVIVA_LANES_INLINE LaneLine line_from_rest(const LaneProblem& p, M wanted) {
  const V zero(0.0), scale = p.mu * p.over_L;
  const V a = p.B11 * scale, b = p.B12 * scale, c = p.B22 * scale, dx = p.d1 * p.over_L, dy = p.d2 * p.over_L;
  const V det = a * c - b * b, half_gap = (a - c) * 0.5, trace = a + c;
  const V largest = trace * 0.5 + sqrt(half_gap * half_gap + b * b);
  const V adj_x = c * dx - b * dy, adj_y = a * dy - b * dx;
  const V det2 = det * det, excess = adj_x * adj_x + adj_y * adj_y - det2;
  const M slips = wanted & (excess > zero);
  M unclear = !((det > largest * largest * kClearRank) & (abs(excess) > det2 * kClearRest));

  const V over = p.mu / det;
  LaneLine line{-(adj_x * over), -(adj_y * over), zero, V(1.0), zero, unclear};
  if (any(slips & !unclear)) {
    V lambda = max(zero, sqrt(dx * dx + dy * dy) - largest);
    M open = slips & !unclear;
    V wx = adj_x, wy = adj_y, over_norm = lambda;
    for (int i = 0; i < 64; ++i) {  // more than Newton's method takes, as in centrifugal.cpp
      wx = adj_x + lambda * dx;
      wy = adj_y + lambda * dy;
      const V norm2 = wx * wx + wy * wy, norm = sqrt(norm2);
      over_norm = 1.0 / norm;
      if (none(open)) break;
      const V determinant = (lambda + trace) * lambda + det;
      const V slope = lambda * 2.0 + trace - determinant * (wx * dx + wy * dy) * (over_norm * over_norm);
      const V move = select(open, (norm - determinant) / slope, zero);
      lambda = lambda + move;
      open = open & (move > lambda * kLaneFound);
    }
    line.unclear = line.unclear | open;
    line.ux = select(slips, wx * over_norm, line.ux);
    line.uy = select(slips, wy * over_norm, line.uy);
    const LaneFrame f = frame_along(p, line.ux, line.uy);
    line.f = select(slips, f.d_u - f.b11, zero);
    line.x = select(slips, -(p.mu * line.ux), line.x);
    line.y = select(slips, -(p.mu * line.uy), line.y);
    line.unclear = line.unclear | (slips & !(line.f > zero));
  }
  return line;
}

/// A state further on by x of Iz, vz' = a.
VISVIVA_LANES_INLINE LaneState move_on_line(const LaneState& s, const LaneLine& line, V a, V x) {
  return {line.ux,           line.uy,  s.r + line.f * x, s.Ix + line.x * x,
          s.Iy + line.y * x, s.Iz + x, s.vz + a * x,     s.E - x * (s.vz + a * x * 0.5)};
}

/// From γ = 0 to the end.
VISVIVA_LANES_INLINE void finish_from_rest(SlipBlock& block, LaneProblem& p, const LaneState& stop, M stops, Law law) {
  const V zero(0.0);
  const LaneLine line = line_from_rest(p, stops);
  const V d_rate = p.d1 * line.x + p.d2 * line.y, a = p.W33 + d_rate;
  M unclear = line.unclear | !(a > (p.W33 + abs(d_rate)) * kSlowLine);

  const M compressing = is_compressing(p);
  const V to_c = select(compressing, -stop.vz / a, zero);
  LaneState s = move_on_line(stop, line, a, to_c);
  s.vz = select(compressing, zero, s.vz);
  store(s, block.at_c);
  if (law == Law::Stronge) s.E = select(compressing, s.E * (p.e * p.e), s.E);
  p.Iz_end = select(compressing, s.Iz * (p.e + 1.0), p.Iz_end);
  p.vz_end = select(compressing, -(p.e * p.vz_before), p.vz_end);

  V to_r;
  if (law == Law::Stronge) {  // [impact (46)]
    const V discriminant = s.vz * s.vz + a * s.E * 2.0, root = sqrt(max(discriminant, zero));
    const V sum = s.vz + root;
    to_r = select(s.vz >= zero, select(sum > zero, s.E * 2.0 / sum, zero), (root - s.vz) / a);
    unclear = unclear | (discriminant < zero);
  } else {
    to_r = law == Law::Poisson ? p.Iz_end - s.Iz : (p.vz_end - s.vz) / a;
  }
  s = move_on_line(s, line, a, max(to_r, zero));
  store(s, block.at_end);
  block.left_to_scalar |= to_bits(stops & unclear);
  block.ends_compression = to_bits(compressing & stops);
}

void stop(SlipBlock& block, Law law) {
  LaneProblem p = load(block.problem);
  const LaneState s = load(block.start);
  M stops = M::first(SlipBlock::kLanes);
  const LaneState at_s = approach_to_stop(p, s, stops);
  // No event before γ = 0.
  const Course bounds{is_monotone(p), s.vz + at_s.vz, p.steepest * (at_s.Iz - s.Iz)};
  stops = stops & has_no_event(p, s, at_s, bounds, law);

  // Straight slip, or hardly any.
  const LaneRates f = rates_of(p, s);
  const M slow = (s.r * p.per_speed < V(kNoSlipLanes)) & (f.speed < V(0.0));
  block.stops = to_bits(stops);
  block.left_to_scalar = to_bits((is_straight(p, s, f) | slow) & !stops);
  store(at_s, block.at_s);
  if (any(stops)) finish_from_rest(block, p, at_s, stops, law);
}

}  // namespace
}  // namespace VISVIVA_LANES_NAMESPACE
}  // namespace visviva::impact
