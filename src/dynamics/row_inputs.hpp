#pragma once

#include <cstdint>

#include "dynamics/row_block.hpp"

namespace visviva::dynamics {

using LaneReals = double[kLanes];

/// One side of eight contacts, in world axes. All zero if it is not to be moved, but for its motion.
struct SideInputs {
  LaneReals x[3];                ///< centre of mass now [m]
  LaneReals v[3], w[3];          ///< at the start of the step [m/s], [rad/s]
  LaneReals inverse_mass[3];     ///< along the world's axes [1/kg]
  LaneReals inverse_inertia[6];  ///< xx, yy, zz, xy, xz, yz [1/(kg m²)]
};

/// Eight manifolds, of which rows are made; lanes without one are zero.
struct alignas(64) RowInputs {
  SideInputs a, b;
  LaneReals n[3];         ///< normal from A to B
  LaneReals center[3];    ///< of the contact, world [m]
  LaneReals conveyor[3];  ///< velocity of B's surface relative to A's [m/s]
  LaneReals friction[3];  ///< impulse that the last step left, world [N s]
  LaneReals points[kPoints][3];
  LaneReals separations[kPoints];
  std::uint32_t has_point[kPoints];  ///< bit a lane
};

}  // namespace visviva::dynamics
