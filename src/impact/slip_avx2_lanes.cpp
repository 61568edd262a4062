#include "impact/slip_lanes.inl"

namespace visviva::impact {

SlipLanes slip_lanes_avx2() { return {approach_to_stop, step, locate_events}; }

}  // namespace visviva::impact
