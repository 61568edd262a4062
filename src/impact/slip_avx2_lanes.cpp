#include "impact/begin_lanes.inl"
#include "impact/slip_lanes.inl"
#include "impact/stop_lanes.inl"

namespace visviva::impact {

SlipLanes slip_lanes_avx2() { return {begin, step, locate_events, stop}; }

}  // namespace visviva::impact
