#include "geometry/support_lanes.inl"

namespace visviva::geometry {

FarthestScan farthest_scan_avx2() { return farthest_vertex; }

}  // namespace visviva::geometry
