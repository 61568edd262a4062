#include "dynamics/rows_lanes.inl"

namespace visviva::dynamics {

RowLanes row_lanes_baseline() { return {choose, warm_start, solve}; }

}  // namespace visviva::dynamics
