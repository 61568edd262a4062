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
  Row e, steepest;
  Row unit_speed, unit_energy;  ///< SlipUnits
  Bits monotone;

  // the state
  struct State {
    Row ux, uy, r, Ix, Iy, Iz, vz, E;
  };
  State start;
  Row Iz_end, vz_end, vz_before;
  Bits compressing;

  // approach_to_stop: what is left until γ = 0, for the lanes in `reaches`
  Row rest_Iz, rest_Ix, rest_Iy, rest_vz, rest_work_about_stop;
  Bits reaches;

  // step: one expansion
  State at_end;    ///< at the end of the step
  Bits has_event;  ///< an event may lie in the step: at_end is not to be used
  Bits near_stop;  ///< approach_to_stop is worth a try from at_end

  // locate_events: one expansion of which has_event was said
  State at_c;  ///< for the lanes in `ends_compression`
  Bits ends_compression;
  Bits ends_restitution;  ///< at_end is the end of restitution, in the others the end of the step
  Bits too_curved;        ///< vz may turn within the step near an event: left to the scalar solver
};

/// The operations on a block for one instruction set. All give the same bits.
struct SlipLanes {
  void (*approach_to_stop)(SlipBlock& block);
  void (*step)(SlipBlock& block, Law law);
  void (*locate_events)(SlipBlock& block, Law law);
};
[[nodiscard]] SlipLanes slip_lanes(Isa isa);

}  // namespace visviva::impact
