#pragma once

#include <cstdint>

#include "visviva/impact/law.hpp"
#include "visviva/math/lanes.hpp"

namespace visviva::impact {

/// Eight impacts in curved slip, as a structure of arrays: what slip_lanes.inl reads and writes. Quantities are those
/// of SlipProblem, SlipState and ExactImpact.
struct SlipBlock {
  static constexpr int kLanes = 8;
  using Row = double[kLanes];
  /// One bit a lane.
  using Bits = std::uint32_t;

  // the problem
  Row B11, B12, B22, d1, d2, W33, mu, rate_scale;
  Row over_L;  ///< 1/L, L a power of two above rate_scale
  Row e, energy_unit, steepest;
  Bits monotone;

  // the state
  struct State {
    Row ux, uy, r, Ix, Iy, Iz, vz, E;
  };
  State start;
  Row Iz_end, vz_end;
  Bits compressing;

  // approach_to_stop: what is left until γ = 0, for the lanes in `reaches`
  Row rest_Iz, rest_Ix, rest_Iy, rest_vz, rest_work_about_stop;
  Bits reaches;

  // step: one expansion
  State at_c;    ///< for the lanes in `ends_compression`
  State at_end;  ///< at the end of restitution for the lanes in `ends_restitution`, else at the end of the step
  Bits ends_compression, ends_restitution;
  Bits too_curved;  ///< vz may turn within the step near an event: left to the scalar solver
};

/// The two operations on a block for one instruction set. All give the same bits.
struct SlipLanes {
  void (*approach_to_stop)(SlipBlock& block);
  void (*step)(SlipBlock& block, Law law);
};
[[nodiscard]] SlipLanes slip_lanes(Isa isa);

}  // namespace visviva::impact
