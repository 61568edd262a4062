#include "dynamics/calm_lanes.inl"

namespace visviva::dynamics {

RowLanes row_lanes_baseline() {
  return {prepare, choose, warm_start, solve, measure, begin_calm, find_hastened, move_calm};
}

}  // namespace visviva::dynamics
