#pragma once

#include <cstdint>

#include "visviva/impact/law.hpp"
#include "visviva/math/lanes.hpp"

namespace visviva::impact {

/// The numbers of one impact (T = double), or of a block of them (T = an array).
template <class T>
struct SlipLaneState {
  T ux, uy, r, Ix, Iy, Iz, vz, E;
};

/// What stays the same during slip, in units in which W33 and |vz-| are between 1 and 2; and what changes at c.
template <class T>
struct SlipLaneProblem {
  T B11, B12, B22, d1, d2, W33, mu;
  T rate_scale;  ///< mu tr B + |d|
  T over_L;      ///< 1/L, L a power of two above rate_scale
  T e;
  T steepest;               ///< W33 + mu |d|, a bound of |vz'|
  T per_speed, per_energy;  ///< one over those of SlipUnits
  T vz_before;
  T Iz_end;  ///< Poisson: end of restitution. kCompressing before c
  T vz_end;  ///< Newton: end of restitution
};
inline constexpr double kCompressing = -1;

/// Calls f(x, y) for the fields of two states in turn.
template <class A, class B, class F>
[[gnu::always_inline]] inline void for_each_of_state(A& a, B& b, F f) {
  f(a.ux, b.ux), f(a.uy, b.uy), f(a.r, b.r), f(a.Ix, b.Ix), f(a.Iy, b.Iy), f(a.Iz, b.Iz), f(a.vz, b.vz), f(a.E, b.E);
}
/// The same for two problems.
template <class A, class B, class F>
[[gnu::always_inline]] inline void for_each_of_problem(A& a, B& b, F f) {
  f(a.B11, b.B11), f(a.B12, b.B12), f(a.B22, b.B22), f(a.d1, b.d1), f(a.d2, b.d2), f(a.W33, b.W33), f(a.mu, b.mu);
  f(a.rate_scale, b.rate_scale), f(a.over_L, b.over_L), f(a.e, b.e), f(a.steepest, b.steepest);
  f(a.per_speed, b.per_speed), f(a.per_energy, b.per_energy), f(a.vz_before, b.vz_before);
  f(a.Iz_end, b.Iz_end), f(a.vz_end, b.vz_end);
}

/// Eight impacts, as a structure of arrays: what the lanes read and write.
struct alignas(64) SlipBlock {
  static constexpr int kLanes = 8;
  using Row = double[kLanes];
  /// One bit a lane.
  using Bits = std::uint32_t;

  // begin: the problems as they are given
  Row given_W[9], given_v[3], given_mu, given_e;
  Row unit_W, unit_v;  ///< powers of two
  Bits curved;  ///< slip that turns lies ahead: `problem` and `start` are set. The others are for the scalar solver

  SlipLaneProblem<Row> problem;
  SlipLaneState<Row> start;

  Bits near_stop;  ///< begin, step, locate_events: `stop` is worth a try

  // step: one expansion
  SlipLaneState<Row> at_end;  ///< at the end of the step
  Bits has_event;             ///< an event may lie in the step: at_end is not to be used

  // locate_events: one expansion of which has_event was said; stop: from here to γ = 0 and on to the end
  SlipLaneState<Row> at_s;  ///< stop: for the lanes in `stops`
  SlipLaneState<Row> at_c;  ///< for the lanes in `ends_compression`; E before the loss
  Bits stops;
  Bits ends_compression;
  Bits ends_restitution;  ///< at_end is the end of restitution, in the others the end of the step
  Bits left_to_scalar;    ///< rare or delicate: for the scalar solver, from the beginning
};

/// The operations on a block for one instruction set. All give the same bits.
struct SlipLanes {
  void (*begin)(SlipBlock& block, Law law);
  void (*step)(SlipBlock& block, Law law);
  void (*locate_events)(SlipBlock& block, Law law);
  void (*stop)(SlipBlock& block, Law law);
};
[[nodiscard]] SlipLanes slip_lanes(Isa isa);

}  // namespace visviva::impact
