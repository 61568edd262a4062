#include "dynamics/rows_lanes.inl"

namespace visviva::dynamics {

RowLanes row_lanes_avx2() { return {prepare, choose, warm_start, solve, measure}; }

}  // namespace visviva::dynamics
