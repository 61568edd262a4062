// The beginning of eight impacts at once: are they problems at all, their units, their slip. The formulas are those of
// problem.cpp, scaling.hpp and ExactImpact's constructor. What has no slip that turns, or numbers so far apart that
// products might leave their range, is left to the scalar solver.
#include "impact/slip_lanes.inl"
#include "visviva/math/lanes.hpp"

namespace visviva::impact {
inline namespace VISVIVA_LANES_NAMESPACE {
namespace {

constexpr double kSymmetric = 1e-5;               ///< kSymmetryTolerance
constexpr double kSemidefinite = 1e-12;           ///< kSemidefiniteTolerance
constexpr double kOnRayLanes = 4 * kLaneEpsilon;  ///< kOnRay of solve_exact.cpp
/// How far apart numbers of one problem may be, once they are scaled.
constexpr double kFarthest = 0x1p+60;
/// W33 and |vz-| that have an exact scale.
constexpr double kSmallestUnit = 0x1p-1000, kLargestUnit = 0x1p+1000;

/// Each lane's largest power of two that is not above x, a positive normal number.
VISVIVA_LANES_INLINE V power_of_two_below(V x) {
  double value[SlipBlock::kLanes];
  std::int64_t bits[SlipBlock::kLanes];
  x.store(value);
  __builtin_memcpy(bits, value, sizeof bits);
  for (std::int64_t& b : bits) b &= 0x7ff0'0000'0000'0000;
  __builtin_memcpy(value, bits, sizeof bits);
  return V::load(value);
}

/// W in units of W33, its symmetric part: upper triangle by rows.
struct LaneMatrix {
  V m00, m01, m02, m11, m12, m22;
};

/// Whether W is positive semidefinite: the pivots of is_semidefinite.
VISVIVA_LANES_INLINE M is_semidefinite(const LaneMatrix& W) {
  const V zero(0.0), shift = (W.m00 + W.m11 + W.m22) * kSemidefinite;
  const V pivot0 = W.m00 + shift, over0 = 1.0 / pivot0;
  const V l1 = W.m01 * over0, l2 = W.m02 * over0;
  const V pivot1 = W.m11 + shift - l1 * W.m01, rest = W.m12 - l1 * W.m02;
  return (pivot0 > zero) & (pivot1 > zero) & (W.m22 + shift - l2 * W.m02 - rest * (rest / pivot1) > zero);
}

VISVIVA_LANES_INLINE V symmetric_entry(V a, V b) { return a * 0.5 + b * 0.5; }

void begin(SlipBlock& block, Law law) {
  V W[9], v[3];
  const V zero(0.0), mu = row(block.given_mu), e = row(block.given_e);
  V sum = mu * zero, largest = zero;  // 0 x is 0 if x is finite, and NaN otherwise
  for (std::size_t k = 0; k < 9; ++k) {
    W[k] = row(block.given_W[k]);
    sum = sum + W[k] * zero;
    largest = max(largest, abs(W[k]));
  }
  for (std::size_t k = 0; k < 3; ++k) {
    v[k] = row(block.given_v[k]);
    sum = sum + v[k] * zero;
  }
  const V gap = max(max(abs(W[1] - W[3]), abs(W[2] - W[6])), abs(W[5] - W[7]));
  const V W33 = W[8], approach = -v[2];
  M good = (sum == zero) & (gap <= largest * kSymmetric) & (e >= zero) & (e <= V(1.0)) & (mu <= V(kFarthest));
  good = good & (W33 > V(kSmallestUnit)) & (W33 < V(kLargestUnit)) & (approach > V(kSmallestUnit)) &
         (approach < V(kLargestUnit));

  // Lanes that are no good go on with a problem that is.
  const V one(1.0), unit_W = power_of_two_below(select(good, W33, one));
  const V unit_v = power_of_two_below(select(good, approach, one));
  const V per_W = 1.0 / unit_W, per_v = 1.0 / unit_v;
  unit_W.store(block.unit_W);
  unit_v.store(block.unit_v);
  const LaneMatrix S{W[0] * per_W, symmetric_entry(W[1], W[3]) * per_W, symmetric_entry(W[2], W[6]) * per_W,
                     W[4] * per_W, symmetric_entry(W[5], W[7]) * per_W, W33 * per_W};
  good = good & is_semidefinite(S) & (largest * per_W < V(kFarthest));

  LaneProblem p;
  p.B11 = S.m00, p.B12 = S.m01, p.B22 = S.m11, p.d1 = S.m02, p.d2 = S.m12, p.W33 = S.m22;
  p.mu = mu, p.e = e;
  const V norm_d = sqrt(p.d1 * p.d1 + p.d2 * p.d2), mu_B = mu * (p.B11 + p.B22);
  p.rate_scale = mu_B + norm_d;
  p.steepest = p.W33 + mu * norm_d;
  const V gx = v[0] * per_v, gy = v[1] * per_v, r = sqrt(gx * gx + gy * gy);
  good = good & (mu_B > p.rate_scale * (1 / kFarthest)) & (p.rate_scale > V(1 / kFarthest)) &
         (p.rate_scale < V(kFarthest * kFarthest)) & (r > V(1 / kFarthest)) & (r < V(kFarthest));
  p.over_L = 0.5 / power_of_two_below(select(good, p.rate_scale, one));
  p.vz_before = v[2] * per_v;
  const V over_r = 1.0 / r;
  p.per_speed = over_r;
  p.per_energy = p.W33 / (p.vz_before * p.vz_before);
  p.Iz_end = V(kCompressing);
  p.vz_end = zero;

  const LaneState s{gx * over_r, gy * over_r, r, zero, zero, zero, p.vz_before, zero};
  const LaneFrame f = frame_along(p, s.ux, s.uy);
  good = good & (abs(f.d_n - f.b12) > p.rate_scale * kOnRayLanes);  // [impact (33)]
  block.curved = to_bits(good);
  block.near_stop = to_bits(good & is_near_stop(p, s, law));
  for_each_of_problem(p, block.problem, [](const V& x, SlipBlock::Row& y) VISVIVA_LANES_LAMBDA { x.store(y); });
  store(s, block.start);
}

}  // namespace
}  // namespace VISVIVA_LANES_NAMESPACE
}  // namespace visviva::impact
