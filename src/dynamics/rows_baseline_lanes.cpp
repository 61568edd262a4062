#include "dynamics/rows_lanes.inl"

namespace visviva::dynamics {

RowLanes row_lanes_baseline() { return {prepare, choose, warm_start, solve, measure}; }

}  // namespace visviva::dynamics
