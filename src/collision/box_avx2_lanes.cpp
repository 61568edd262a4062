#include "collision/box_lanes.inl"

namespace visviva::collision {

BoxSearch box_search_avx2() { return search_box_axes; }

}  // namespace visviva::collision
