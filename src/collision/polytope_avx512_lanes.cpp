#include "collision/polytope_lanes.inl"

namespace visviva::collision {

PolytopeLanes polytope_lanes_avx512() {
  return {farthest, highest_face, highest_face_below, lower_bounds, faces_above, crossing_arcs};
}

}  // namespace visviva::collision
