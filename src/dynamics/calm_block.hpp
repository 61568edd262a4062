#pragma once

#include <cstdint>

#include "dynamics/row_block.hpp"

namespace visviva::dynamics {

/// Eight of the solver's bodies, one after the other, as far as they are calm: what the solver's lanes need to lead
/// them through a step without a look at the bodies themselves.
struct alignas(64) CalmBlock {
  std::uint32_t body[kLanes];  ///< of the solver
  std::uint32_t calm;          ///< bit a lane: these bodies are calm

  alignas(64) LaneFloats v_start[3], w_start[3];  ///< world [m/s], [rad/s]
  LaneFloats v_gain[3];                           ///< by gravity and forces in a sub-step [m/s]
  LaneFloats w_gain[3];                           ///< by torques in a sub-step [rad/s]
  LaneFloats w_turning[3];                        ///< by its own moments, as it turns freely, in a sub-step [rad/s]
  LaneFloats v_loss, w_loss;                      ///< part of the velocity that damping takes in a sub-step [-]
  LaneFloats radius;                              ///< of all shapes about the centre of mass [m]
  LaneFloats room;         ///< by how much it may become faster than at the start of the step, and stay calm [m/s]
  LaneFloats dv_begin[3];  ///< at the start of the sub-step, after damping, less v_start [m/s]
};

/// What rows do to the solver's bodies in a sub-step, see World::Data.
struct HeldBodies {
  const std::uint8_t* held;
  const std::uint32_t* lanes;
  const RowBlock* blocks;
};

}  // namespace visviva::dynamics
