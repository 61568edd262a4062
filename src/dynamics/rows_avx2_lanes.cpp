#include "dynamics/rows_lanes.inl"

namespace visviva::dynamics {

RowLanes row_lanes_avx2() { return {choose, warm_start, solve}; }

}  // namespace visviva::dynamics
